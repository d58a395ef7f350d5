"""The command `pagedrift watch run`: checks what is due."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.cli.common import answer_json, bar, check_option, exit_status, json_option
from pagedrift.cli.installation import opened, with_data, with_workers
from pagedrift.cli.watch.output import FORMAT, change_data, print_changes
from pagedrift.durations import parse_duration
from pagedrift.errors import InputError
from pagedrift.report import reasons
from pagedrift.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.notify.outbox import Counts
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

_TROUBLE: Final = 2


@click.command()
@click.argument("which", nargs=-1, metavar="[WATCH...]")
@click.option("--for", "span", metavar="SPAN", help="Keep running for this long, such as 10m or 8h.")
@click.option("--keep-going", is_flag=True, help="Keep running until stopped.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Do at most N checks.")
@check_option(what="there was an alert")
@json_option
@with_workers
@with_data
def run(
    which: tuple[str, ...],
    span: str | None,
    keep_going: bool,
    limit: int | None,
    check: bool,
    as_json: bool,
    settings: Settings,
    **options: Any,
) -> None:
    """Check all watches that are due, once, and print what changed. A named WATCH is always checked.

    The exit status is 2 if a check failed. With --check it is 4 if nothing was due, or if a server sent something
    else instead of the page, such as a consent wall.

    \b
    Examples:
      pagedrift watch run
      pagedrift watch run Fees --check
      pagedrift watch run --for 8h
    """
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.store import watches

    lasting = float("inf") if keep_going else parse_duration(span) if span else None
    if lasting is not None and limit is not None:
        raise InputError("--limit cannot be combined with --for or --keep-going; leave them out")
    started = datetime.now(UTC)
    with opened(settings) as store:
        for each in which:
            watches.visit_now(store, watches.get(store, each).id)
        with Scheduler(replace(settings, **options), store, send_all=True) as scheduler:
            _run(scheduler, lasting, limit)
        _tell_sent(scheduler.housekeeper.sent)
        _report(store, scheduler, started, as_json=as_json, check=check)


def _run(scheduler: Scheduler, lasting: float | None, limit: int | None) -> None:
    """Do one round, or keep running for a time; a bar shows the progress."""
    with _progress(scheduler):
        if lasting is None:
            scheduler.run_once(limit=limit)
            return
        scheduler.start()
        until = time.monotonic() + lasting
        try:
            while (left := until - time.monotonic()) > 0:
                time.sleep(min(left, 1.0))
        except KeyboardInterrupt:
            click.echo("finishing running checks", err=True)


def _tell_sent(sent: Counts) -> None:
    """Say how many messages did not arrive."""
    if sent.failing or sent.given_up:
        what = counted(sent.failing + sent.given_up, "message")
        click.echo(
            f"warning: {what} could not be delivered; test the channel with: pagedrift watch channel", err=True
        )


def _progress(scheduler: Scheduler) -> Any:
    from contextlib import contextmanager

    from rich.progress import MofNCompleteColumn, TextColumn

    @contextmanager
    def shown() -> Iterator[None]:
        over = threading.Event()
        with bar(MofNCompleteColumn(), TextColumn("{task.description}")) as progress:
            task = progress.add_task("", total=None)

            def look() -> None:
                while not over.wait(0.5):
                    state = scheduler.state()
                    total = state.visits + state.due + len(state.under_way)
                    last = printable(state.under_way[0].url)[:60] if state.under_way else ""
                    progress.update(task, completed=state.visits, total=total, description=last)

            thread = threading.Thread(target=look, daemon=True)
            if not progress.disable:
                thread.start()
            try:
                yield
            finally:
                over.set()
                if thread.is_alive():
                    thread.join()

    return shown()


def _report(store: Store, scheduler: Scheduler, started: datetime, *, as_json: bool, check: bool) -> None:
    """Say what the visits found; the exit status says it too."""
    from pagedrift.app.store import queries

    with store.read() as session:
        found = queries.changes_since(session, started)
    outcomes = dict(scheduler.outcomes)
    if as_json:
        answer_json(
            {
                "v": FORMAT,
                "visits": sum(outcomes.values()),
                "outcomes": outcomes,
                "changes": [*map(change_data, found)],
            }
        )
    else:
        print_changes(found, with_names=True)
        click.echo(reasons.check_counts(outcomes))
    context = click.get_current_context()
    if outcomes.get("trouble"):
        if not as_json:
            click.echo("some checks failed; see why with: pagedrift watch list --failing", err=True)
        context.exit(_TROUBLE)
    if check:
        exit_status(
            yes=any(change.alerted for change in found), known=bool(outcomes) and not outcomes.get("not_the_page")
        )
