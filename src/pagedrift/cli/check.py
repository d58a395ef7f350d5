"""The command `pagedrift check`: all five answers about two versions."""

from __future__ import annotations

import click

from pagedrift.cli.common import answer, answer_json, check_option, exit_status, json_option, picked
from pagedrift.report import card
from pagedrift.verdict import check as verdict_on


@click.command(short_help="Answer all five questions about two versions.")
@click.argument("old")
@click.argument("new")
@check_option("strict", what="the change matters")
@json_option
def check(*, old: str, new: str, strict: bool, as_json: bool) -> None:
    """Show what changed from OLD to NEW, how much, whether it is important, and whether the design is the same.

    OLD and NEW are URLs, files, - for standard input, ARCHIVE@DATE or ARCHIVE@URL@DATE.

    \b
    Examples:
      pagedrift check crawl.warc.gz@2026-11-08 crawl.warc.gz@2026-11-15
      pagedrift check old.html new.html --json
    """
    found = verdict_on(picked(old), picked(new))
    if as_json:
        answer_json(card.data(found))
    else:
        answer(card.lines(found))
    if strict and found.changed:
        exit_status(yes=found.judgement.matters, known=found.judgement.label != "unsure")
