"""Reports of what happened to the design of a site, as lines for people and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import iso_moment
from pagedrift.redesigned.events import PassingDesign, Redesign, TemplateEdit
from pagedrift.redesigned.stream import StreamCounts
from pagedrift.report import data, reasons
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from pagedrift.redesigned.layout import LayoutChange
    from pagedrift.redesigned.stream import Stream
    from pagedrift.redesigned.stream_monitor import RedesignEvent, StreamMonitor
    from pagedrift.selectors.health import Stopped

SPOKEN_OF: Final = 0.2  # certainty of a suspicion
MAX_TABLE_SITES: Final = 50  # of the table on a terminal
MAX_TABLE_TEMPLATES: Final = 3  # whose shares are named, the commonest


SITE_COLUMNS: Final = ("site", "documents", "redesigns", "edits", "share of templates")
PASSING: Final = {
    "section": "not redesigned: a section of {pages} has a design of its own",
    "repeated": "not redesigned: one page was shown again and again ({pages}), as error pages are",
    "trial": "not redesigned: another design on {pages}, then the old one again",
}
NO_ADDRESS: Final = "pages without an address"


def lines(event: RedesignEvent) -> Iterator[str]:
    """Put what happened into a dated line, and a line for each selector that stopped."""
    site = f"  {cut(event.site)}" if event.site else ""
    yield f"{day(event.published_at)}{site}  {_what(event)}  {cut(event.url)}".rstrip()
    for stopped in event.selectors:
        yield f"            {selector(stopped)}"


def _what(found: RedesignEvent) -> str:
    event = found.event
    if isinstance(event, Redesign):
        certainty = f" ({event.certainty:.0%} certain)" if event.certainty is not None else ""
        back = ", back to an earlier design" if event.returned else ""
        return f"redesigned{certainty}{back}: {evidence(event)}"
    if isinstance(event, TemplateEdit):
        return f"template edited: {event.stayed:.0%} of it stayed"
    if isinstance(event, PassingDesign):
        return passing(event.what, event.pages)
    if found.kind == "outlier":
        return f"outlier: {found.similarity or 0:.0%} like the most similar page around it"
    return f"{counted(len(found.selectors), 'selector')} stopped matching, without a redesign"


def passing(what: str, pages: int) -> str:
    """Say what a design was that came and went.

    >>> passing("trial", 4)
    'not redesigned: another design on 4 pages, then the old one again'
    """
    return PASSING[what].format(pages=counted(pages, "page"))


def evidence(event: Redesign) -> str:
    """Say in words what speaks for a redesign.

    >>> evidence(Redesign(document=40, published_at=None, detector="evidence", certainty=0.9, needed=10,
    ...                   alike=9, before=40, alike_before=0))
    '9 of the 10 pages since share a template that none of the 40 before have'
    """
    since = f"{event.needed} pages since" if event.needed != 1 else "page since"
    if event.alike is None or event.before is None:
        return f"detected by {event.detector} from the {since}"
    share = f"all {since}" if event.alike == event.needed else f"{event.alike} of the {since}"
    return f"{share} share a template that {event.alike_before or 'none'} of the {event.before} before have"


def selector(stopped: Stopped) -> str:
    """Say of a selector how often it matched, and what is closest to what it matched."""
    rates = f"matched {stopped.before:.0%} before, {stopped.since:.0%} since"
    found = f"{cut(stopped.name)}: {cut(stopped.expression)} {rates}"
    if stopped.closest is None:
        return found
    text = f' "{cut(stopped.closest.text)}"' if stopped.closest.text else ""
    return f"{found}; closest now: {cut(stopped.closest.css)}{text}"


def layout_lines(change: LayoutChange) -> Iterator[str]:
    """Say what came and went of a layout.

    >>> from pagedrift.redesigned.layout import LayoutChange
    >>> styles = {"styles_removed": ("a.css",), "styles_added": ("b.css",)}
    >>> change = LayoutChange(replaced=0.8, parts_removed=("aside",), **styles)
    >>> list(layout_lines(change))
    ['80 % of the layout replaced', 'Parts removed: aside', 'Style sheets: a.css → b.css']
    """
    if change.replaced:
        yield reasons.redesign(change.replaced)
    if change.parts_removed:
        yield f"Parts removed: {', '.join(change.parts_removed)}"
    if change.parts_added:
        yield f"Parts added: {', '.join(change.parts_added)}"
    if change.styles_removed or change.styles_added:
        before, after = (", ".join(names) or "none" for names in (change.styles_removed, change.styles_added))
        yield f"Style sheets: {before} → {after}"
    if change.classes_before:
        yield f"{change.classes_kept:,} of {counted(change.classes_before, 'class name')} still in use"


def content_line(unchanged: int, changed: int) -> str:
    """Say on how many redesigned pages the content stayed.

    >>> content_line(3, 1), content_line(1, 0)
    ('3 pages are unchanged in content, 1 page also changed in content', '1 page is unchanged in content')
    """
    stayed = f"{counted(unchanged, 'page')} {'is' if unchanged == 1 else 'are'} unchanged in content"
    other = f"{counted(changed, 'page')} also changed in content"
    return ", ".join(said for said, count in ((stayed, unchanged), (other, changed)) if count)


def day(when: datetime | None) -> str:
    """Write a date; what has none gets a dash."""
    return f"{when:%Y-%m-%d}" if when else "–         "


def summary(courses: Sequence[StreamMonitor], stream: Stream) -> str:
    """Say how many redesigns there were in what."""
    documents = sum(course.detector.documents for course in courses)
    first = min((course.first for course in courses if course.first), default=None)
    last = max((course.last for course in courses if course.last), default=None)
    span = f" from {day(first)} to {day(last)}" if first and last else ""
    gaps = f", {stream.total.gaps:,} gaps" if stream.total.gaps else ""
    sites = f" of {len(courses):,} sites" if len(courses) > 1 else ""
    ready = sum(course.detector.ready for course in courses)
    if not ready:
        each = " of each site" if len(courses) > 1 else ""
        return (
            f"no answer: {documents:,} documents{sites}{span}{gaps} are too few for a history of "
            f"{courses[0].detector.history}{each}; give more, or a smaller --history"
        )
    found = sum(course.redesigns for course in courses)
    on = sum(course.redesigns > 0 for course in courses)
    where = f" on {counted(on, 'site')}" if found and sites else ""
    few = len(courses) - ready
    small = f"; {few:,} of them {'has' if few == 1 else 'have'} too few documents" if few else ""
    what = (counted(found, "redesign") if found else "no redesign") + where
    return f"{what} in {documents:,} documents{sites}{span}{gaps}{small}"


def site_table(courses: Sequence[StreamMonitor]) -> Iterator[str]:
    """Give a row for each site of a crawl, those on which most happened first."""
    often = sorted(courses, key=lambda course: (-course.redesigns, -course.edits, -course.detector.documents))
    rows = [SITE_COLUMNS, *(site_row(course) for course in often[:MAX_TABLE_SITES])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(SITE_COLUMNS))]
    for site, *numbers, templates in rows:
        cells = (f"{number:>{width}}" for number, width in zip(numbers, widths[1:-1], strict=True))
        yield f"{site:{widths[0]}}  {'  '.join(cells)}  {templates}"
    if len(often) > MAX_TABLE_SITES:
        yield f"{len(often) - MAX_TABLE_SITES:,} more sites; --json and --html have all of them"


def site_row(course: StreamMonitor) -> tuple[str, ...]:
    """Sum up a site in words: documents, redesigns, edits, and the shares of its commonest templates."""
    documents = f"{course.detector.documents:,}"
    if not course.detector.ready:
        return cut(course.site) or NO_ADDRESS, documents, "–", "–", "too few documents"
    named = course.templates[:MAX_TABLE_TEMPLATES]
    shares = ", ".join(f"{share:.0%}" for share in named)
    more = len(course.templates) - len(named)
    templates = f"{shares} and {more:,} more" if more else shares
    return cut(course.site) or NO_ADDRESS, documents, f"{course.redesigns:,}", f"{course.edits:,}", templates


def suspicion(course: StreamMonitor) -> str:
    """Say which redesign is not certain enough to be reported yet; empty where there is none to speak of."""
    event = course.detector.suspected
    if event is None or event.certainty is None or event.certainty < SPOKEN_OF:
        return ""
    when, site = day(event.published_at).strip(), f" of {cut(course.site)}" if course.site else ""
    return f"a redesign{site} on {when} is suspected ({event.certainty:.0%} sure); the next pages will show"


def as_data(found: RedesignEvent) -> dict[str, Any]:
    """Describe what happened as one versioned object."""
    event = found.event.as_dict() if found.event else {}
    event.pop("published_at", None)
    return {
        "format": data.FORMAT,
        "kind": found.kind,
        "site": found.site,
        "document": found.document,
        "published_at": iso_moment(found.published_at),
        "url": found.url,
        "told_at": found.told_at,
        **{name: value for name, value in event.items() if name != "document"},
        **({"similarity": found.similarity} if found.similarity is not None else {}),
        "selectors": [_selector_data(stopped) for stopped in found.selectors],
    }


def _selector_data(stopped: Stopped) -> dict[str, Any]:
    closest = stopped.closest
    return {
        "name": stopped.name,
        "selector": stopped.expression,
        "before": stopped.before,
        "since": stopped.since,
        "documents": stopped.documents,
        "closest": None
        if closest is None
        else {"css": closest.css, "path": closest.path, "text": closest.text, "likeness": closest.likeness},
    }


def site_data(course: StreamMonitor, stream: Stream) -> dict[str, Any]:
    """Describe the stream of one site as one versioned object."""
    counts = stream.counts.get(course.site) or StreamCounts()
    templates = [round(share, 4) for share in course.templates]
    return {**_summed([course], counts), "kind": "site", "site": course.site, "templates": templates}


def summary_data(courses: Sequence[StreamMonitor], stream: Stream) -> dict[str, Any]:
    """Describe everything that was read as one versioned object."""
    return {**_summed(courses, stream.total), "kind": "summary", "sites": len(courses)}


def _summed(courses: Sequence[StreamMonitor], counts: StreamCounts) -> dict[str, Any]:
    detector = courses[0].detector
    return {
        "format": data.FORMAT,
        "detector": detector.name,
        "history": detector.history,
        "redesigns": sum(course.redesigns for course in courses),
        "edits": sum(course.edits for course in courses),
        "documents": sum(course.detector.documents for course in courses),
        "enough": any(course.detector.ready for course in courses),
        "first": iso_moment(min((course.first for course in courses if course.first), default=None)),
        "last": iso_moment(max((course.last for course in courses if course.last), default=None)),
        "gaps": counts.gaps,
        "undated": counts.undated,
        "unordered": counts.unordered,
    }
