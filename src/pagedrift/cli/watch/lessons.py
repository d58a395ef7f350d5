"""The commands `pagedrift watch` change, feedback and lessons: the edits of a change, and what feedback taught."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from pagedrift.cli.common import answer_json, json_option
from pagedrift.cli.installation import opened, with_data
from pagedrift.cli.watch.output import FORMAT, change_data
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from pagedrift.app.model.change import JudgedEdit
    from pagedrift.app.settings import Settings


@click.command("change")
@click.argument("number", type=click.IntRange(min=1), metavar="CHANGE")
@json_option
@with_data
def change_(number: int, as_json: bool, settings: Settings) -> None:
    """List the edits of a change, each with its level and why. CHANGE is the id that `watch show --json` gives.

    \b
    Example:
      pagedrift watch change 17
    """
    from pagedrift.app.store import queries
    from pagedrift.errors import NotFoundError

    with opened(settings) as store, store.read() as session:
        found = queries.change(session, number)
    if found is None:
        raise NotFoundError(f"no change with id {number}; list them with: pagedrift watch show WATCH --json")
    edits = found.record.analysis.edits
    if as_json:
        answer_json({"v": FORMAT, **change_data(found.change), "edits": [*map(_edit_data, edits)]})
        return
    click.echo(cut(found.change.headline))
    click.echo(cut(found.change.reason))
    for at, edit in enumerate(edits):
        click.echo(f"{at:>3}  {edit.level:<9}  {cut(edit.summary)}")
        click.echo(f"{'':16}{cut(edit.verdict)}: {cut(edit.why)}")


def _edit_data(edit: JudgedEdit) -> dict[str, Any]:
    return {name: value for name, value in asdict(edit).items() if name != "figures"} | {"why": edit.why}


@click.command()
@click.argument("number", type=click.IntRange(min=1), metavar="CHANGE")
@click.argument("said", type=click.Choice(("important", "not-important", "undo")))
@click.option("--edit", type=click.IntRange(min=0), help="Number of one edit, as `watch change` lists it.")
@with_data
def feedback(number: int, said: str, edit: int | None, settings: Settings) -> None:
    """Say whether a change, or one of its edits, is important to you. Pagedrift learns from it at once.

    \b
    Examples:
      pagedrift watch feedback 17 not-important
      pagedrift watch feedback 17 important --edit 2
      pagedrift watch feedback 17 undo
    """
    from pagedrift.app.store import feedback as stored

    with opened(settings) as store:
        if said == "undo":
            stored.unlabel(store, number)
        else:
            stored.label(store, number, matters=said == "important", edit=edit)


@click.command()
@click.option("--forget", metavar="ID", help="Remove the feedback that a lesson was made of.")
@json_option
@with_data
def lessons(forget: str | None, as_json: bool, settings: Settings) -> None:
    """List what was learned from your feedback, or forget some of it.

    \b
    Examples:
      pagedrift watch lessons
      pagedrift watch lessons --forget 3f2a9c0d5b7e8a11
    """
    from pagedrift.app.store import lessons as stored
    from pagedrift.app.store import queries

    with opened(settings) as store:
        if forget:
            stored.forget(store, forget)
        with store.read() as session:
            found = queries.lessons(session)
        judge = queries.judge(store)
    if as_json:
        for lesson in found:
            answer_json({"v": FORMAT, **asdict(lesson), "sentence": lesson.sentence})
        answer_json({"v": FORMAT, "judge": asdict(judge) | {"used": judge.used, "sentence": judge.sentence}})
        return
    for lesson in found:
        click.echo(f"{lesson.id}  {cut(lesson.sentence)}; {cut(lesson.where)}")
    click.echo(judge.sentence)
    click.echo(counted(len(found), "lesson"), err=True)
