"""pagedrift watch: what is watched, from the command line?"""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.cli.common import answer_json, bar, check_option, exit_status, json_option, tell_damage
from pagedrift.cli.installation import opened, with_data, with_workers
from pagedrift.cli.watch_files import export_, import_
from pagedrift.cli.watch_options import read_options, seconds, watch_options
from pagedrift.dates import moment
from pagedrift.errors import InputError
from pagedrift.text import counted, cut, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rich.table import Table
    from sqlalchemy.orm import Session

    from pagedrift.app.model.watch import Watch
    from pagedrift.app.monitor.scheduler import Watcher
    from pagedrift.app.notify.outbox import Counts
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.app.store.tables import ChangeRow, WatchRow

FORMAT: Final = 1
SHOWN: Final = 10  # visits and changes of one watch
_TROUBLE: Final = 2
_NEEDED: Final = 3  # columns of a list that are there even if empty
_WRAPPED: Final = ("watch", "group", "trouble")  # those that take more lines where there is little room

watches_argument = click.argument("which", nargs=-1, required=True, metavar="WATCH...")


@click.group(short_help="Watch pages and sites, and be told what changed.")
def watch() -> None:
    """Add, list, visit, pause and remove watches, and take them along.

    A WATCH is named by its id, its address or its name. All of it is also done in a browser: pagedrift serve.

    \b
    Examples:
      pagedrift watch add https://city.example/fees --every 2h --to mailto://…
      pagedrift watch run
      pagedrift watch list
      pagedrift watch import backup.zip
    """


@watch.command()
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--kind", type=click.Choice(["page", "feed", "sitemap", "list"]), default="page", show_default=True)
@click.option("--name", default="", help="What it is called; one URL only.")
@click.option("--group", default="", help="With which others it shares options.")
@watch_options
@json_option
@with_data
def add(
    urls: tuple[str, ...], kind: Any, name: str, group: str, as_json: bool, settings: Settings, **told: Any
) -> None:
    """Watch the pages at URLs from now on; the first visit is due at once.

    \b
    Examples:
      pagedrift watch add https://city.example/fees --only main --tell any
      pagedrift watch add https://city.example/feed.xml --kind feed --group city
      pagedrift watch add https://shop.example/me --browser --secret password \\
        --step 'goto https://shop.example/login' --step 'fill #user = anna' \\
        --step 'fill #password = {secret:password}' --step 'click button'
    """
    from pagedrift.app.model.watch import Watch, checked
    from pagedrift.app.store import watches

    if name and len(urls) > 1:
        raise InputError("one name cannot be that of several watches; add them one by one")
    options, failed = read_options(told), False
    wanted = [checked(Watch(url, kind, name, group, options)) for url in dict.fromkeys(urls)]
    with opened(settings) as store:
        for each in wanted:
            try:
                _say(watches.add(store, each), as_json)
            except InputError as error:
                failed = True
                click.echo(f"error: {error}", err=True)
    if failed:
        click.get_current_context().exit(_TROUBLE)


@watch.command()
@click.argument("which", metavar="WATCH")
@click.option("--url", help="Another address.")
@click.option("--name", help="Another name.")
@click.option("--group", help="Another group; '' for none.")
@click.option("--clear", multiple=True, metavar="OPTION", help="Take an option back: the group's or ours holds.")
@watch_options
@json_option
@with_data
def edit(
    which: str,
    url: str | None,
    name: str | None,
    group: str | None,
    clear: tuple[str, ...],
    as_json: bool,
    settings: Settings,
    **told: Any,
) -> None:
    """Change what a watch looks at, how often it is visited and whom it tells. Lists replace what was there.

    \b
    Examples:
      pagedrift watch edit Fees --every 1d --without .ad
      pagedrift watch edit Fees --clear without --clear every
    """
    from pagedrift.app.store import watches

    with opened(settings) as store:
        known = watches.get(store, which)
        unknown = [option for option in clear if option not in known.options]
        if unknown:
            raise InputError(
                f"{known.title} sets no {unknown[0]!r}; it sets: {', '.join(known.options) or 'nothing'}"
            )
        kept = {option: value for option, value in known.options.items() if option not in clear}
        said: dict[str, Any] = {
            key: value for key, value in (("url", url), ("name", name), ("group", group)) if value is not None
        }
        _say(watches.edit(store, known.id, options={**kept, **read_options(told)}, **said), as_json)


@watch.command()
@click.argument("name")
@click.option("--clear", multiple=True, metavar="OPTION", help="Take an option back.")
@watch_options
@json_option
@with_data
def group(name: str, clear: tuple[str, ...], as_json: bool, settings: Settings, **told: Any) -> None:
    """Set what all watches of a group share, or show it; what a watch sets itself comes first.

    \b
    Examples:
      pagedrift watch group city --every 6h --to mailto://…
      pagedrift watch group city
    """
    from pagedrift.app.model.watch import hidden
    from pagedrift.app.store import watches

    with opened(settings) as store:
        options, said = watches.groups(store).get(name, {}), read_options(told)
        if said or clear:
            kept = {option: value for option, value in options.items() if option not in clear}
            watches.set_group(store, name, {**kept, **said})
        options = hidden(watches.groups(store).get(name, {}))
        number = len(watches.every(store, group=name))
    if as_json:
        answer_json({"v": FORMAT, "group": name, "watches": number, "options": options})
        return
    for option, value in options.items():
        click.echo(f"{option:<14}{cut(str(value))}")
    click.echo(_counted(number), err=True)


@watch.command("list")
@click.option("--group", help="Only those of a group.")
@click.option("--trouble", is_flag=True, help="Only those that cannot be visited.")
@click.option("--all", "every", is_flag=True, help="Also the pages that were found by watching a site.")
@json_option
@with_data
def list_(group: str | None, trouble: bool, every: bool, as_json: bool, settings: Settings) -> None:
    """List watches: how each fares, when it changed last, and when it is visited next. Times are in UTC.

    \b
    Examples:
      pagedrift watch list
      pagedrift watch list --trouble --json
    """
    with opened(settings) as store:
        rows = _rows(store, group=group, trouble=trouble, every=every)
    if as_json:
        for row in rows:
            answer_json(_data(row))
        return
    if rows:
        _print(_table(rows))
    click.echo(_counted(len(rows)), err=True)


@watch.command()
@click.argument("which", metavar="WATCH")
@json_option
@with_data
def show(which: str, as_json: bool, settings: Settings) -> None:
    """Show one watch: its options without secrets, its last visits, and its last changes.

    \b
    Example:
      pagedrift watch show Fees
    """
    from pagedrift.app.model.watch import hidden
    from pagedrift.app.store import watches
    from pagedrift.app.store.tables import ChangeRow, VisitRow, WatchRow

    with opened(settings) as store, store.read() as session:
        known = watches.get(store, which)
        row = session.get_one(WatchRow, known.id)
        visits = session.query(VisitRow).filter_by(watch=known.id).order_by(VisitRow.id.desc()).limit(SHOWN).all()
        found = session.query(ChangeRow).filter_by(watch=known.id).order_by(ChangeRow.id.desc()).limit(SHOWN).all()
    if as_json:
        seen = [{"at": _iso(each.at), "outcome": each.outcome, "reason": each.reason} for each in visits]
        answer_json(
            _data(row) | {"options": hidden(known.options), "visits": seen, "changes": [*map(_change, found)]}
        )
        return
    for name, value in (*_data(row).items(), *hidden(known.options).items()):
        if name != "v" and value not in ("", None):
            click.echo(f"{name:<14}{cut(str(value))}")
    for each in visits:
        click.echo(f"{moment(each.at)}  {each.outcome:<12}  {cut(each.reason)}".rstrip())
    _tell(found)


@watch.command()
@watches_argument
@with_data
def pause(which: tuple[str, ...], settings: Settings) -> None:
    """Leave watches alone until they are resumed.

    \b
    Example:
      pagedrift watch pause Fees
    """
    _pause(settings, which, paused=True)


@watch.command()
@watches_argument
@with_data
def resume(which: tuple[str, ...], settings: Settings) -> None:
    """Go on with watches that were paused.

    \b
    Example:
      pagedrift watch resume Fees
    """
    _pause(settings, which, paused=False)


@watch.command()
@watches_argument
@with_data
def remove(which: tuple[str, ...], settings: Settings) -> None:
    """Stop watching; the versions that were kept stay in the archive.

    \b
    Example:
      pagedrift watch remove https://city.example/fees
    """
    from pagedrift.app.store import watches

    with opened(settings) as store:
        for known in [watches.get(store, each) for each in which]:
            watches.remove(store, known.id)
            click.echo(f"removed  {printable(known.title)}")


@watch.command()
@click.argument("which", nargs=-1, metavar="[WATCH...]")
@click.option("--for", "span", metavar="SPAN", help="Go on for so long: 10m, 8h.")
@click.option("--keep-going", is_flag=True, help="Go on until stopped.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Make at most N visits.")
@check_option(what="a change was told")
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
    """Visit what is due, each once, and tell what changed. WATCHes are made due.

    The exit status is 2 where a page could not be visited. With --check it is 4 where nothing was due, or where
    something else came instead of a page, such as a consent wall.

    \b
    Examples:
      pagedrift watch run
      pagedrift watch run Fees --check
      pagedrift watch run --for 8h
    """
    from pagedrift.app.monitor.scheduler import Watcher
    from pagedrift.app.store import watches

    lasting = float("inf") if keep_going else seconds(span) if span else None
    if lasting is not None and limit is not None:
        raise InputError("--limit is for one round; leave out --for and --keep-going")
    started = datetime.now(UTC)
    with opened(settings) as store:
        for each in which:
            watches.visit_now(store, watches.get(store, each).id)
        with Watcher(replace(settings, **options), store, tell_all=True) as watcher:
            _run(watcher, lasting, limit)
        _tell_sent(watcher.housekeeper.sent)
        _report(store, watcher, started, as_json=as_json, check=check)


@watch.command()
@click.argument("channel")
@click.option("--send", "sending", is_flag=True, help="Send a message that says it is a test.")
@with_data
def channel(channel: str, sending: bool, settings: Settings) -> None:
    """Check a channel by which you want to be told, and show the secret that a webhook is signed with.

    \b
    Examples:
      pagedrift watch channel mailto://anna:…@city.example --send
      pagedrift watch channel https://hooks.example/pagedrift
    """
    from pagedrift.app.model.channels import WEBHOOKS, checked_channel, scheme_of
    from pagedrift.app.notify import channels, webhook

    known = checked_channel(channel)
    if sending:
        channels.try_out(known, settings)
        click.echo("sent", err=True)
    if scheme_of(known) in WEBHOOKS:
        click.echo(webhook.secret(settings.key, known))


@watch.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--writer", default="main", help="Whose WARC files what is new is written to [main].")
@with_data
def rebuild(yes: bool, writer: str, settings: Settings) -> None:
    """Make the database again from the WARC files; secrets, which are not in them, stay as they are in it.

    The exit status is 3 where records were damaged: they are named, and all others are read.

    \b
    Example:
      pagedrift watch rebuild
    """
    from pagedrift.app.monitor.rebuild import rebuild as again
    from pagedrift.app.notify import alerts
    from pagedrift.app.store import journal
    from pagedrift.archive.writer import ArchiveWriter
    from pagedrift.read_report import Account

    if not yes:
        click.confirm("Forget what the database says, and read the archive again?", abort=True, err=True)
    with opened(settings) as store, bar() as shown:
        alerts.close_due(store, datetime.now(UTC), settings.base_url, waiting=True)
        with ArchiveWriter(settings.archive, writer=writer) as archive:
            journal.write(store, archive)  # what the archive does not have yet
        with store.read() as session:
            known = [(type(row), key, row.options) for key, row in _set_by_users(session)]
        task = shown.add_task("", total=None)
        account = Account()
        count = again(store, settings, account=account, show=lambda done: shown.update(task, completed=done))
        with store.begin() as session:
            for table, key, options in known:
                if row := session.get(table, key):
                    row.options = options
    click.echo(f"{counted(count, 'version')} read")
    tell_damage(account)


@watch.command()
@click.option("--writer", default="main", help="Whose WARC files [main].")
@with_data
def compact(writer: str, settings: Settings) -> None:
    """Drop now what is beyond the limits that watches set: --keep-days and --keep-versions.

    \b
    Example:
      pagedrift watch compact
    """
    from pagedrift.app.store.retention import drop
    from pagedrift.archive.writer import ArchiveWriter

    with opened(settings) as store, ArchiveWriter(settings.archive, writer=writer) as archive:
        dropped = drop(store, archive)
    click.echo(f"{counted(dropped.versions, 'version')} dropped, {dropped.freed:,} bytes freed")


def _set_by_users(session: Session) -> Iterator[tuple[str, Any]]:
    from pagedrift.app.store.tables import GroupRow, WatchRow

    yield from ((row.name, row) for row in session.query(GroupRow))
    yield from ((row.id, row) for row in session.query(WatchRow))


watch.add_command(import_)
watch.add_command(export_)


def _counted(number: int) -> str:
    return f"{number:,} {'watch' if number == 1 else 'watches'}"


def _say(added: Watch, as_json: bool) -> None:
    """Acknowledge a watch."""
    from pagedrift.app.model.watch import hidden

    if as_json:
        told = {"id": added.id, "url": added.url, "kind": added.kind, "name": added.name, "group": added.group}
        answer_json({"v": FORMAT, **told, "options": hidden(added.options)})
    else:
        click.echo(f"{added.id}  {printable(added.title)}")
    sys.stdout.flush()


def _pause(settings: Settings, which: Iterable[str], *, paused: bool) -> None:
    from pagedrift.app.store import watches

    with opened(settings) as store:
        for known in [watches.get(store, each) for each in which]:
            watches.pause(store, known.id, paused=paused)
            click.echo(f"{'paused' if paused else 'resumed'}  {printable(known.title)}")


def _rows(store: Store, *, group: str | None, trouble: bool, every: bool) -> list[WatchRow]:
    from sqlalchemy import select

    from pagedrift.app.store.tables import WatchRow

    wanted = select(WatchRow).where(~WatchRow.deleted).order_by(WatchRow.group, WatchRow.name, WatchRow.url)
    if group is not None:
        wanted = wanted.where(WatchRow.group == group)
    if trouble:
        wanted = wanted.where(WatchRow.trouble != "")
    if not every:
        wanted = wanted.where(WatchRow.parent.is_(None))
    with store.read() as session:
        return list(session.scalars(wanted))


def _data(row: WatchRow) -> dict[str, Any]:
    names = "id url kind name group state trouble visits"
    told = {name: getattr(row, name) for name in names.split()}
    times = {name: _iso(getattr(row, name)) for name in ("visited_at", "changed_at", "next_at")}
    return {"v": FORMAT, **told, "state": "paused" if row.paused else row.state, **times}


def _iso(when: datetime | None) -> str | None:
    return when.isoformat(timespec="seconds") if when else None


def _table(rows: Iterable[WatchRow]) -> Table:
    from rich.table import Table
    from rich.text import Text

    cells, now = [], datetime.now(UTC)
    for row in rows:
        state = "paused" if row.paused else row.state.replace("_", " ")
        due = "–" if row.paused else "now" if row.next_at <= now else moment(row.next_at)
        cells.append((row.id, state, row.name or row.url, row.group, moment(row.changed_at), due, row.trouble))
    table = Table(box=None, pad_edge=False)
    names = ("id", "state", "watch", "group", "changed", "next visit", "trouble")
    shown = [at for at, name in enumerate(names) if at < _NEEDED or any(line[at] for line in cells)]
    for at in shown:
        wraps = names[at] in _WRAPPED
        least = max((len(line[at]) for line in cells), default=0)
        table.add_column(names[at], no_wrap=not wraps, overflow="fold", min_width=None if wraps else least)
    for line in cells:
        table.add_row(*(Text(cut(line[at], 200)) for at in shown), style="yellow" if line[-1] else None)
    return table


def _print(table: Table) -> None:
    """Print a table; nobody wants one cut that goes into a file."""
    from rich.console import Console

    Console(file=sys.stdout, width=None if sys.stdout.isatty() else 1_000).print(table)


def _run(watcher: Watcher, lasting: float | None, limit: int | None) -> None:
    """Make one round, or go on for a time; a bar shows how far it is."""
    with _progress(watcher):
        if lasting is None:
            watcher.run_once(limit=limit)
            return
        watcher.start()
        until = time.monotonic() + lasting
        try:
            while (left := until - time.monotonic()) > 0:
                time.sleep(min(left, 1.0))
        except KeyboardInterrupt:
            click.echo("finishing what is under way", err=True)


def _tell_sent(sent: Counts) -> None:
    """Say how many messages did not arrive."""
    if sent.failing or sent.given_up:
        what = counted(sent.failing + sent.given_up, "message")
        click.echo(f"warning: {what} did not arrive; try the channel with: pagedrift watch channel", err=True)


def _progress(watcher: Watcher) -> Any:
    from contextlib import contextmanager

    from rich.progress import MofNCompleteColumn, TextColumn

    @contextmanager
    def shown() -> Iterator[None]:
        over = threading.Event()
        with bar(MofNCompleteColumn(), TextColumn("{task.description}")) as progress:
            task = progress.add_task("", total=None)

            def look() -> None:
                while not over.wait(0.5):
                    state = watcher.state()
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


def _report(store: Store, watcher: Watcher, started: datetime, *, as_json: bool, check: bool) -> None:
    """Say what the visits found; the exit status says it too."""
    from pagedrift.app.store.tables import ChangeRow, WatchRow

    with store.read() as session:
        found = session.query(ChangeRow).filter(ChangeRow.at >= started).order_by(ChangeRow.id).all()
        rows = session.query(WatchRow).filter(WatchRow.id.in_({change.watch for change in found}))
        names = {row.id: row.name or row.url for row in rows}
    outcomes = dict(watcher.outcomes)
    if as_json:
        answer_json(
            {"v": FORMAT, "visits": sum(outcomes.values()), "outcomes": outcomes, "changes": [*map(_change, found)]}
        )
    else:
        _tell(found, names)
        counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in sorted(outcomes.items()))
        click.echo(f"{counted(sum(outcomes.values()), 'visit')}{f': {counts}' if counts else ''}")
    context = click.get_current_context()
    if outcomes.get("trouble"):
        if not as_json:
            click.echo("see what went wrong with: pagedrift watch list --trouble", err=True)
        context.exit(_TROUBLE)
    if check:
        exit_status(
            yes=any(change.told for change in found), known=bool(outcomes) and not outcomes.get("not_the_page")
        )


def _change(row: ChangeRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "watch": row.watch,
        "at": _iso(row.at),
        "headline": row.card.get("headline", ""),
        "amount": round(row.amount, 6),
        "matters": row.matters,
        "redesigned": row.redesigned,
        "told": row.told,
        "reason": row.reason,
    }


def _tell(found: Iterable[ChangeRow], names: Mapping[str, str] | None = None) -> None:
    """Print changes; where they are of several watches, with the names of these."""
    for row in found:
        headline = cut(str(row.card.get("headline", "")))
        lines = [headline, cut(row.reason)] if names is None else [cut(names[row.watch]), headline, cut(row.reason)]
        click.echo(f"{moment(row.at)}  {'told' if row.told else 'not told':<8}  {lines[0]}")
        for line in lines[1:]:
            click.echo(f"{'':18}{line}")
