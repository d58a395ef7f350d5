"""Pages about a watch: its timeline and versions, and actions such as pausing it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request, Response

from pagedrift.app.model.options import WatchOptions, masked
from pagedrift.app.monitor.visit_rates import Rate
from pagedrift.app.store import alert_routes, alert_settings, failed_steps, queries, watches
from pagedrift.app.web.pages import channels
from pagedrift.app.web.pages.shared import line_of, options_of, to, version_of, wake_scheduler
from pagedrift.app.web.request_context import Number, store_of
from pagedrift.app.web.templating import page
from pagedrift.app.web.value_charts import ValueHistory, table, written
from pagedrift.durations import DAY, format_duration
from pagedrift.report import alert_sentences
from pagedrift.report.reasons import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.app.store.store import Session

router = APIRouter()
MAX_CHANGES_PER_DAY: Final = 96  # changes a day; what changes more often is hardly followed
MIN_FOLDED: Final = 4  # minor changes in a row that are folded


@router.get("/watch/{which}")
def timeline(request: Request, which: str, before: Number | None = None, since: int = 0) -> Response:
    """Show the results of all checks of a page."""
    with store_of(request).read() as session:
        line = line_of(session, which)
        history = queries.timeline(session, which, before=before)
        bars = queries.bars(session, which)
        options = options_of(session, which)
        site = queries.watch(session, line.parent) if line.parent else None
        rate = Rate.from_dict(queries.rate(session, which))
        points = queries.values(session, which) if options.value != "none" else ()
        delivery = delivery_of(session, which, options)
        failed_step = failed_steps.read(session, which)
    versions = [entry.version for entry in history.entries if entry.version is not None]
    return page(
        request,
        "watch.html",
        new=versions[0] if versions else None,
        old=versions[1] if len(versions) > 1 else None,
        line=line,
        stretches=list(stretches(history.entries)),
        older=history.older,
        bars=bars,
        before=before,
        waiting=is_awaited(line, since),
        site=site,
        rhythm=f"{'about ' if options.adaptive else ''}every {format_duration(options.every)}",
        per_day=often(rate),
        alerts_about=alerts_about(options),
        delivery=delivery,
        failed_step=failed_step,
        history=ValueHistory(kind=options.value, points=points) if points else None,
        has_value=options.value != "none",
        written=written,
        monitored=options.selectors,
    )


def is_awaited(line: queries.WatchSummary, since: int) -> bool:
    """Say whether somebody is waiting for a check: the first one, or one that was asked for."""
    return line.state != "paused" and line.visits <= since


def often(rate: Rate) -> str | None:
    """Say how often a page changes.

    >>> often(Rate().seen(86_400, changed=True).seen(86_400, changed=False))
    'About once every 47 h'
    """
    per_day = rate.per_day
    if per_day <= 0:
        return None
    if per_day > MAX_CHANGES_PER_DAY:
        return "At nearly every check"
    if per_day > 2:  # noqa: PLR2004 - then it is clearer than a duration
        return f"About {per_day:.1f} times a day"
    return f"About once every {format_duration(DAY / per_day)}"


def alerts_about(options: WatchOptions) -> str:
    """Say which changes of a watch cause an alert."""
    if options.conditions and options.notify_on != "nothing":
        return f"Conditions: {', '.join(options.conditions)}" + (" and redesigns" if options.redesigns else "")
    what = {
        "important": "Important changes",
        "content": "Every change of content",
        "anything": "Anything",
        "amount": f"Changes of at least {percent(options.min_change)} of the page",
        "nothing": "No changes",
    }[options.notify_on]
    return what + (" and redesigns" if options.redesigns and options.notify_on != "anything" else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertDelivery:
    """Where the alerts of a watch go, why there, and when."""

    channels: str
    why: str
    when: str


def delivery_of(session: Session, which: str, options: WatchOptions) -> AlertDelivery:
    """Say where the alerts of a watch go, why there, and when."""
    settings, route = alert_routes.settings_of(session), alert_settings.route(session, which)
    number = len(route.channels)
    return AlertDelivery(
        channels=", ".join(map(masked, route.channels)),
        why=alert_sentences.route(route.source, route.name, channels=number, silent=route.silent, lost=route.lost),
        when=channels.schedule(settings, send=options.send, urgent=options.urgent) if number else "",
    )


@dataclass(frozen=True, slots=True)
class Stretch:
    """Entries of a timeline: one, or several minor changes in a row without an alert."""

    entries: tuple[queries.TimelineEntry, ...]

    @property
    def folded(self) -> bool:
        """Whether it is shown as one line first."""
        return len(self.entries) >= MIN_FOLDED


def stretches(entries: Iterable[queries.TimelineEntry]) -> Iterator[Stretch]:
    """Put minor changes in a row together, so that what matters is not lost among them."""
    for minor, run in groupby(entries, key=_is_minor):
        some = tuple(run)
        if minor and len(some) >= MIN_FOLDED:
            yield Stretch(some)
        else:
            yield from (Stretch((entry,)) for entry in some)


def _is_minor(entry: queries.TimelineEntry) -> bool:
    change = entry.change
    return change is not None and not (change.alerted or change.matters or change.redesigned)


@router.get("/watch/{which}/values.csv")
def values(request: Request, which: str) -> Response:
    """Give what the watched part of a page said over time, as a table."""
    with store_of(request).read() as session:
        line_of(session, which)
        points = queries.values(session, which)
    headers = {"Content-Disposition": f'attachment; filename="values-{which}.csv"'}
    return Response(table(points), headers=headers, media_type="text/csv; charset=utf-8")


@router.get("/version/{number}")
def version(request: Request, number: Number, view: str = "page") -> Response:
    """Show one version."""
    with store_of(request).read() as session:
        found = version_of(session, number)
        line = line_of(session, found.watch)
    return page(request, "version.html", version=found, line=line, view="picture" if view == "picture" else "page")


@router.post("/watch/{which}/visit")
def visit_now(request: Request, which: str) -> Response:
    """Check a page as soon as its host may be asked."""
    watches.visit_now(store_of(request), which)
    with store_of(request).read() as session:
        since = line_of(session, which).visits
    wake_scheduler(request)
    return _back(request, which, f"?since={since}")


@router.post("/watch/{which}/pause")
def pause(request: Request, which: str) -> Response:
    """Pause a watch."""
    watches.pause(store_of(request), which, paused=True)
    return _back(request, which)


@router.post("/watch/{which}/resume")
def resume(request: Request, which: str) -> Response:
    """Resume a watch."""
    watches.pause(store_of(request), which, paused=False)
    wake_scheduler(request)
    return _back(request, which)


@router.post("/watch/{which}/remove")
def remove(request: Request, which: str) -> Response:
    """Stop watching."""
    watches.remove(store_of(request), which)
    return to("/")


def _back(request: Request, which: str, more: str = "") -> Response:
    found = watches.get(store_of(request), which)
    return to(f"/{'watch' if found.kind == 'page' else 'site'}/{found.id}{more}")
