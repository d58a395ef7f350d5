"""The timeline of a collection as one HTML file: a row for each page, a mark for each event."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from pagedrift.crawls.timeline import TimelineKind
from pagedrift.dates import moment
from pagedrift.report.mark_labels import escape
from pagedrift.report.webpage import document
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from pagedrift.crawls.timeline import CollectionTimeline, TimelineEvent

MAX_PAGES: Final = 500  # rows that are drawn, those with most events first
MAX_EVENTS: Final = 5_000  # that are listed
_WIDTH, _ROW, _LABEL, _TOP = 1200, 20, 380, 30
_SHAPES: Final = {  # drawn at 0, 0: told apart without colour
    TimelineKind.APPEARED: '<path d="M-5 5L0-5L5 5Z"/>',
    TimelineKind.CHANGED: '<circle r="5"/>',
    TimelineKind.LAYOUT: '<rect x="-5" y="-5" width="10" height="10"/>',
    TimelineKind.BLOCKED: '<path d="M-5-5L5 5M5-5L-5 5" fill="none" stroke-width="2"/>',
    TimelineKind.VANISHED: '<path d="M-5-5L0 5L5-5Z"/>',
    TimelineKind.RETURNED: '<path d="M-5 5L0-5L5 5Z" fill="none" stroke-width="2"/>',
}


def timeline_page(found: CollectionTimeline) -> str:
    """Write the timeline as HTML."""
    said = f"{counted(found.pages, 'page')}, {counted(found.captures, 'capture')}"
    span = f"{moment(found.first)} to {moment(found.last)}"
    listed = "".join(map(_line, found.events[:MAX_EVENTS]))
    left = len(found.events) - MAX_EVENTS
    more = f"<p>{left:,} more events; write them all with --to FILE.csv</p>" if left > 0 else ""
    body = (
        f"<header><h1>Timeline</h1><p>{said}, {span}; {counted(len(found.events), 'event')}</p></header>"
        f'<main class="timeline" tabindex="0">{_legend()}{_drawing(found)}<h2>Events</h2>'
        "<table><thead><tr><th>time</th><th>what</th><th>page</th></tr></thead>"
        f"<tbody>{listed}</tbody></table>{more}</main>"
    )
    return document("Timeline", body, styles=("webpage.css", "timeline.css"))


def _line(event: TimelineEvent) -> str:
    level = f' <span class="level {event.level}">{event.level}</span>' if event.level else ""
    return (
        f"<tr><td>{moment(event.at)}</td><td>{event.kind}{level}</td>"
        f"<td>{escape(event.url)}<br>{escape(event.headline)}</td></tr>"
    )


def _legend() -> str:
    items = "".join(f"<li>{_icon(_name(kind))}{shape}</svg> {kind}</li>" for kind, shape in _SHAPES.items())
    line = f'{_icon("site-redesigned")}<path d="M0-8V8"/></svg>'
    return f'<ul class="legend">{items}<li>{line} site redesigned</li></ul>'


def _icon(name: str) -> str:
    return f'<svg viewBox="-8 -8 16 16" width="16" height="16" class="{name}" aria-hidden="true">'


def _drawing(found: CollectionTimeline) -> str:
    pages = defaultdict(list)
    for event in found.events:
        if event.kind is not TimelineKind.REDESIGNED:
            pages[event.url].append(event)
    rows = sorted(sorted(pages, key=lambda url: -len(pages[url]))[:MAX_PAGES])
    if not rows or found.first is None or found.last is None:
        return "<p>Nothing happened but noise.</p>"
    height = _TOP + _ROW * len(rows)
    redesigns = [event for event in found.events if event.kind is TimelineKind.REDESIGNED]
    parts = [_redesign(event, found, height) for event in redesigns]
    parts += [_page_row(url, pages[url], found, _TOP + _ROW * (at + 0.5)) for at, url in enumerate(rows)]
    left = len(pages) - len(rows)
    note = f"<p>{left:,} pages with fewer events are not drawn.</p>" if left else ""
    times = (
        f'<text x="{_LABEL}" y="16">{moment(found.first)[:10]}</text>'
        f'<text x="{_WIDTH - 10}" y="16" text-anchor="end">{moment(found.last)[:10]}</text>'
    )
    return (
        f'<div class="drawing" tabindex="0" role="group" aria-label="Events of each page over time">'
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img"'
        f' aria-label="Events of each page over time">{times}{"".join(parts)}</svg></div>{note}'
    )


def _page_row(url: str, events: Iterable[TimelineEvent], found: CollectionTimeline, y: float) -> str:
    marks = "".join(
        f'<g transform="translate({_x(event.at, found):.1f} {y:.1f})" class="{_name(event.kind)} {event.level}">'
        f"<title>{moment(event.at)} {event.kind}: {escape(event.headline)}</title>{_SHAPES[event.kind]}</g>"
        for event in events
    )
    line = f'<path class="line" d="M{_LABEL} {y:.1f}H{_WIDTH - 10}"/>'
    return f'<text x="0" y="{y + 4:.1f}">{escape(cut(url, 56))}</text>{line}{marks}'


def _redesign(event: TimelineEvent, found: CollectionTimeline, height: int) -> str:
    x = _x(event.at, found)
    said = f"{moment(event.at)} {event.url} redesigned"
    return f'<path class="site-redesigned" d="M{x:.1f} {_TOP - 8}V{height}"><title>{escape(said)}</title></path>'


def _x(at: datetime | None, found: CollectionTimeline) -> float:
    assert found.first is not None
    assert found.last is not None
    whole = (found.last - found.first).total_seconds() or 1.0
    share = ((at or found.first) - found.first).total_seconds() / whole
    return _LABEL + 10 + (_WIDTH - _LABEL - 30) * min(1.0, max(0.0, share))


def _name(kind: TimelineKind) -> str:
    return kind.value.replace(" ", "-")
