"""Template filters for times, amounts and histories; charts are drawn as inline SVG."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from markupsafe import Markup, escape

from pagedrift.app.model.options import masked
from pagedrift.app.model.people import ROLES
from pagedrift.durations import format_duration
from pagedrift.report import reasons
from pagedrift.report.reasons import percent, sentence_case
from pagedrift.text import around_difference, counted, shorten_between_words, shorten_middle, size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pagedrift.app.model.log import LogEntry
    from pagedrift.app.store.queries import ChangeBar

MAX_SPARK_BARS: Final = 24
MAX_CHART_BARS: Final = 120
OUTCOMES: Final = {
    "new": "First version",
    "changed": "Changed",
    "unchanged": "No change",
    "not_the_page": "Blocked or error page",
    "trouble": "Failed",
    "skipped": "Not stored",
}
STATES: Final = {
    "new": "Waiting",
    "fine": "OK",
    "trouble": "Failing",
    "not_the_page": "Blocked or error page",
    "paused": "Paused",
    "changed": "Changed this week",
}
KINDS: Final = {
    "page": "Page",
    "feed": "Site, from its feed",
    "sitemap": "Site, from its sitemap",
    "list": "List of pages",
}
ALERT_KINDS: Final = {
    "change": "Change",
    "redesign": "Redesign",
    "trouble": "Failing",
    "recovery": "Working again",
    "selector": "Selector",
    "expiry": "Expires",
}
ROLE_RIGHTS: Final = {
    "reader": "sees everything, changes nothing",
    "editor": "adds and changes watches, rules and alerts",
    "owner": "may do everything, and invites people",
}
_BROWSERS: Final = {
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS: Final = {
    "Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows", "Mac OS": "macOS",
    "Linux": "Linux",
}  # fmt: skip
_WEIGHTS: Final = {"redesign": "redesigned", "matters": "important", "minor": "minor"}
SCOPES: Final = {"watch": "on this page", "host": "on this site", "group": "in this group", "all": "everywhere"}


def ago(at: datetime | None, now: datetime | None = None) -> str:
    """Say how long ago it was, or in how long it will be.

    >>> ago(datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 1, 2, 5, tzinfo=UTC))
    '2 h ago'
    """
    if at is None:
        return "never"
    seconds = ((now or datetime.now(UTC)) - at).total_seconds()
    if abs(seconds) < 5:  # noqa: PLR2004 - seconds that pass while one reads
        return "just now" if seconds >= 0 else "now"
    said = format_duration(round(abs(seconds)))
    return f"{said} ago" if seconds > 0 else f"in {said}"


def coming(at: datetime, now: datetime | None = None) -> str:
    """Say when something is due that may be so already."""
    return "now" if at <= (now or datetime.now(UTC)) else ago(at, now)


def moment(at: datetime | None) -> str:
    """Write a time to the minute, in UTC."""
    return "–" if at is None else f"{at.astimezone(UTC):%-d %b %Y, %H:%M} UTC"


def day(at: datetime | None) -> str:
    """Write a day."""
    return "–" if at is None else f"{at.astimezone(UTC):%-d %b %Y}"


def brief(at: datetime | None, now: datetime | None = None) -> str:
    """Write a time as short as it is clear: the year only where it is another one.

    >>> brief(datetime(2026, 5, 1, 7, 5, tzinfo=UTC), datetime(2026, 9, 1, tzinfo=UTC))
    '1 May, 07:05 UTC'
    """
    if at is None:
        return "–"
    return f"{_day(at, now or datetime.now(UTC))}, {clock(at)} UTC"


def period(since: datetime, until: datetime) -> Markup:
    """Write from which day to which; the browser shows it in the time zone of the reader."""
    return Markup('<span data-local="days" data-since="{}" data-until="{}">{}</span>').format(
        instant(since), instant(until), days(since, until)
    )


def days(since: datetime, until: datetime, now: datetime | None = None) -> str:
    """Write from which day to which, in UTC.

    >>> days(datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 3, tzinfo=UTC), datetime(2026, 9, 1, tzinfo=UTC))
    '1 – 3 May'
    """
    one, other = (_day(at, now or datetime.now(UTC)) for at in (since, until))
    if one == other:
        return one
    shared = one.partition(" ")[2] == other.partition(" ")[2]
    return f"{one.partition(' ')[0] if shared else one} – {other}"


def _day(at: datetime, now: datetime) -> str:
    at = at.astimezone(UTC)
    return f"{at:%-d %b}" if at.year == now.year else f"{at:%-d %b %Y}"


def clock(at: datetime | None) -> str:
    """Write the time of a day."""
    return "–" if at is None else f"{at.astimezone(UTC):%H:%M}"


def stamp(at: datetime | None, form: str = "moment") -> Markup:
    """Write a time in UTC, which a script replaces by the time in the zone of the reader."""
    if at is None:
        return Markup("–")
    text = {"moment": moment, "brief": brief, "day": day}[form](at)
    return Markup('<time datetime="{}" data-local="{}" title="{}">{}</time>').format(
        instant(at), form, moment(at), text
    )


def when(at: datetime | None) -> Markup:
    """Write a time as people say it, with the exact one behind it."""
    if at is None:
        return Markup("<span>Never</span>")
    return Markup('<time datetime="{}" data-local="title" title="{}">{}</time>').format(
        instant(at), moment(at), ago(at)
    )


def instant(at: datetime) -> str:
    """Write a time for programs, as HTML has it: with a fraction of three digits at most.

    >>> instant(datetime(2026, 11, 15, 12, 30, 1, 234567, tzinfo=UTC))
    '2026-11-15T12:30:01.234+00:00'
    """
    return at.isoformat(timespec="milliseconds")


def height(amount: float) -> float:
    """Give an amount as a share of a bar: by its root, so that small changes are seen next to large ones."""
    return math.sqrt(min(1.0, max(0.0, amount)))


def spark(bars: Sequence[ChangeBar]) -> Markup:
    """Draw how much changed, change by change, the newest at the right."""
    if not bars:
        return Markup('<span class="quiet">No changes yet</span>')
    width, tall = 120, 28
    step = width / MAX_SPARK_BARS
    start = width - step * len(bars)
    drawn = Markup("").join(
        Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="1"/>').format(
            weight(bar), start + at * step, tall - high, step - 1.5, high
        )
        for at, bar in enumerate(bars)
        for high in [max(4.0, (tall - 2) * height(bar.amount))]
    )
    said = f"The last {counted(len(bars), 'change')}; the newest changed {percent(bars[-1].amount)} of the page"
    return Markup(
        '<svg class="spark" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{said}">'
        '<line x1="0" y1="{low}" x2="{w}" y2="{low}"/>{drawn}</svg>'
    ).format(w=width, h=tall, low=tall - 0.5, said=said, drawn=drawn)


def why(change: Any) -> str:
    """Say whether there was an alert and why, without repeating what the change is."""
    decision = change.decision
    return reasons.answer(decision.reason, decision.details, notify=decision.notify)


def because(change: Any) -> str:
    """Say why there was an alert or not, next to the answer whether there was."""
    return reasons.because(change.decision.reason, change.decision.details)


def tally(counts: Mapping[str, int]) -> str:
    """Write how many there are of each kind, the most first.

    >>> tally({"moved": 1, "edited": 1200})
    '1,200 edited, 1 moved'
    """
    return ", ".join(f"{number:,} {kind}" for kind, number in Counter(counts).most_common())


def weight(bar: Any) -> str:
    """Name how a change weighs: what its colour and its label say."""
    return "redesign" if bar.redesigned else "matters" if bar.matters else "minor"


def level_verdict(change: Any) -> str:
    """Say at which level a change is, and how sure that is."""
    return reasons.level_verdict(change.level, change.probability)


def chart(bars: Sequence[ChangeBar]) -> Markup:
    """Draw the history of a watch: a bar for each change, each a link to it, with the redesigns marked."""
    if not bars:
        return Markup("")
    bars = bars[-MAX_CHART_BARS:]
    wide, tall = 960, 96
    step = min(28.0, (wide - 50) / len(bars))
    drawn = Markup("").join(_linked(bar, at * step, step, tall) for at, bar in enumerate(bars))
    rules = Markup("").join(
        Markup(
            '<line class="rule" x1="0" y1="{y:.1f}" x2="{w}" y2="{y:.1f}"/><text x="{x}" y="{t:.1f}">{n} %</text>'
        ).format(
            y=tall - tall * height(share),
            t=tall - tall * height(share) + 4,
            w=wide - 44,
            x=wide,
            n=round(share * 100),
        )
        for share in (0.1, 0.5, 1.0)
    )
    return Markup(
        '<div class="wide"><svg class="chart" viewBox="0 -14 {w} {t}" role="group" '
        'aria-label="How much changed, change by change">{rules}'
        '<line class="ground" x1="0" y1="{h}" x2="{e}" y2="{h}"/>{drawn}</svg></div>'
    ).format(w=wide, t=tall + 16, h=tall, e=wide - 44, drawn=drawn, rules=rules)


def _linked(bar: ChangeBar, left: float, step: float, tall: int) -> Markup:
    high = max(3.0, tall * height(bar.amount))
    sent = ", alert sent" if bar.alerted else ""
    said = f"{day(bar.at)}: {percent(bar.amount)} of the page, {_WEIGHTS[weight(bar)]}{sent}"
    flag = Markup('<path class="flag" d="M{:.1f} {:.1f}l4 -7h-8z"/>').format(left + step / 2, tall - high - 2)
    return Markup(
        '<a href="/change/{id}" class="{kind}" aria-label="{said}"><title>{said}</title>'
        '<rect class="touch" x="{x:.1f}" y="-14" width="{step:.1f}" height="{all}"/>'
        '<rect x="{bx:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="1.5"/>{flag}</a>'
    ).format(
        id=bar.id, kind=weight(bar), said=said, x=left, step=step,
        all=tall + 14, bx=left + step * 0.12, y=tall - high, w=step * 0.76, h=high,
        flag=flag if bar.redesigned else "",
    )  # fmt: skip


def meter(amount: float, kind: str = "minor") -> Markup:
    """Draw one amount as a bar with its number next to it."""
    return Markup(
        '<span class="meter"><svg class="{}" viewBox="0 0 60 8" width="60" height="8" aria-hidden="true">'
        '<rect class="rail" width="60" height="8" rx="4"/><rect width="{:.1f}" height="8" rx="4"/></svg> {}</span>'
    ).format(kind, max(2.0, 60 * height(amount)) if amount else 0, percent(amount))


def pieces(before: str, after: str) -> tuple[Markup, Markup]:
    """Write how a text read before and after, with the words that differ marked; all of it stays text."""
    from pagedrift.what_changed.words import word_changes

    before, after = around_difference(before, after, 1_200)
    if not before.strip() or not after.strip():
        return escape(before), escape(after)
    found = word_changes(before[:4_000], after[:4_000])
    marks = {"removed": Markup("<del>{}</del>"), "added": Markup("<ins>{}</ins>"), "same": Markup("{}")}
    old = Markup("").join(marks[piece.kind].format(piece.text) for piece in found if piece.kind != "added")
    new = Markup("").join(marks[piece.kind].format(piece.text) for piece in found if piece.kind != "removed")
    return old, new


def bare(url: str) -> str:
    """Give an address without what all addresses begin with.

    >>> bare("https://www.city.example/")
    'city.example'
    """
    for start in ("https://", "http://", "www."):
        url = url.removeprefix(start)
    return url.rstrip("/")


def query(asked: dict[str, object]) -> str:
    """Write the part of an address behind its question mark, without what is not asked for.

    >>> query({"q": "a b", "group": "", "page": 2})
    'q=a+b&page=2'
    """
    return urlencode({name: value for name, value in asked.items() if value})


def browser(agent: str) -> str:
    """Name a browser by what it calls itself.

    >>> browser("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"), browser("")
    ('Firefox on Linux', 'A browser')
    """
    named = next((name for sign, name in _BROWSERS.items() if sign in agent), "A browser")
    system = next((name for sign, name in _SYSTEMS.items() if sign in agent), "")
    return f"{named} on {system}" if system else named


def logged(entry: LogEntry) -> str:
    """Say what somebody did, for the log."""
    return reasons.logged(entry.action, entry.kind, entry.title)


_FILTERS: Final = (
    ago, browser, coming, format_duration, moment, instant, clock, brief, period, when, percent, counted, size,
    spark, weight, level_verdict, logged,
    shorten_between_words, why, because, tally, chart, meter, pieces, bare, query, masked, stamp, sentence_case,
)  # fmt: skip
FILTERS: Final[dict[str, Callable[..., Any]]] = {
    **{each.__name__: each for each in _FILTERS},
    "short": shorten_middle,
}
GLOBALS: Final[dict[str, Any]] = {
    "OUTCOMES": OUTCOMES,
    "STATES": STATES,
    "KINDS": KINDS,
    "ALERT_KINDS": ALERT_KINDS,
    "SCOPES": SCOPES,
    "ROLES": ROLES,
    "ROLE_RIGHTS": ROLE_RIGHTS,
}
