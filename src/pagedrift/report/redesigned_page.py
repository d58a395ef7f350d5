"""The redesign report as a web page: what happened to a site's design, in one file that works offline."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from importlib import resources as package
from typing import TYPE_CHECKING, Final

from pagedrift.errors import LimitError
from pagedrift.redesigned.events import Redesign, TemplateEdit
from pagedrift.report.mark_labels import escape
from pagedrift.report.redesign_plot import shades, stagger
from pagedrift.report.redesigns import NO_ADDRESS, SITE_COLUMNS, day, evidence, site_row, summary
from pagedrift.which_template.frame import compare, frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pagedrift.page import PageVersion
    from pagedrift.redesigned.stream import Stream
    from pagedrift.redesigned.stream_monitor import RedesignEvent, StreamMonitor, Stripe
    from pagedrift.selectors.health import Stopped
    from pagedrift.which_template.frame import Frame, FrameNode

DRAWING_WIDTH: Final = 1000  # of the drawings, in their own units
MAX_BOXES: Final = 120  # of one outline
MAX_DEPTH: Final = 7
MAX_NAMES: Final = 150  # class names that are listed
MAX_EVENTS: Final = 100  # events of one site
MAX_SITES: Final = 100  # of one report that are shown with what happened
MAX_TABLE_ROWS: Final = 1000  # of the table of sites
MAX_LABEL_CHARS: Final = 60  # of one


def redesign_page(courses: Sequence[StreamMonitor], events: Sequence[RedesignEvent], stream: Stream) -> str:
    """Write what happened as one HTML file: the stripe, and for each redesign what the template lost and gained.

    >>> from pagedrift.redesigned.stream_monitor import StreamMonitor
    >>> from pagedrift.redesigned.detectors import RedesignDetector
    >>> from pagedrift.redesigned.stream import Stream
    >>> page = redesign_page([StreamMonitor(RedesignDetector(), keep_stripe=True)], [], Stream(documents=()))
    >>> page[page.index("<p>") : page.index("</p>")]
    '<p>no answer: 0 documents are too few for a history of 20; give more, or a smaller --history'
    """
    title = "Was the site redesigned?" if len(courses) == 1 else "Which sites were redesigned?"
    said = escape(summary(courses, stream))
    body = f"<header><h1>{title}</h1><p>{said}</p></header><main>{_sites(courses, events)}</main>"
    style = package.files("pagedrift.report").joinpath("redesigned.css").read_text("utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"
    metas = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">'
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head>{metas}<title>{title}</title>'
        f"<style>{style}</style></head><body>{body}</body></html>\n"
    )


def _sites(courses: Sequence[StreamMonitor], events: Sequence[RedesignEvent]) -> str:
    """Show one site, or of several a table of all, and those on which something happened."""
    if len(courses) == 1:
        return _site(courses[0], events)
    of: dict[str, list[RedesignEvent]] = {}
    for one in events:
        of.setdefault(one.site, []).append(one)
    eventful = [course for course in courses if course.site in of]
    more = f"<p>{len(eventful) - MAX_SITES:,} more sites are left out.</p>" if len(eventful) > MAX_SITES else ""
    shown = "".join(
        f'<h2 class="site">{escape(course.site or NO_ADDRESS)}</h2>' + _site(course, of[course.site])
        for course in eventful[:MAX_SITES]
    )
    return _table(courses) + shown + more


def _table(courses: Sequence[StreamMonitor]) -> str:
    """Give a row for each site: documents, redesigns, edits, and the shares of its templates."""
    head = "".join(f'<th scope="col">{name}</th>' for name in SITE_COLUMNS)
    often = sorted(courses, key=lambda course: (-course.redesigns, -course.edits, course.site))
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in site_row(course)) + "</tr>"
        for course in often[:MAX_TABLE_ROWS]
    )
    left = len(often) - MAX_TABLE_ROWS
    more = f"<p>{left:,} more sites are left out.</p>" if left > 0 else ""
    wide = '<div class="wide" tabindex="0" role="group" aria-label="Sites">'
    return f"<section><h2>Sites</h2>{wide}<table><tr>{head}</tr>{rows}</table></div>{more}</section>"


def _site(course: StreamMonitor, events: Sequence[RedesignEvent]) -> str:
    """Show what happened on one site."""
    main = [one for one in events if one.kind in ("redesign", "edit")]
    rest = [one for one in events if one.kind not in ("redesign", "edit")]
    more = f"<p>{len(main) - MAX_EVENTS:,} more are left out.</p>" if len(main) > MAX_EVENTS else ""
    return (
        f"{_stripe(course.stripe, events) if course.stripe else ''}"
        f"{''.join(_event(one, course) for one in main[:MAX_EVENTS])}{more}{_rest(rest)}"
    )


# --- the stripe ------------------------------------------------------------------------------------------------


def _stripe(stripe: Stripe, events: Sequence[RedesignEvent]) -> str:
    """Draw the similarity stripe, the indicators below it, and a mark for each event."""
    documents = len(stripe.columns)
    if not documents:
        return ""
    rows, _ = shades(stripe)
    picture = b64encode(grey_png([bytes(grey(value) for value in row) for row in rows])).decode()
    shown = [one for one in events if one.kind in ("redesign", "edit")]
    levels = stagger([DRAWING_WIDTH * one.document / documents for one in shown], apart=70)
    marks = "".join(_mark(one, documents, level) for one, level in zip(shown, levels, strict=True))
    lines = "".join(
        f'<polyline class="{name}" points="{_points(values, documents)}"/>'
        for name, values in (("upper", stripe.upper), ("lower", stripe.lower))
    )
    return (
        "<section><h2>Similarity of each page to those before it</h2>"
        f'<div class="wide" tabindex="0" role="group" aria-label="Stripe">'
        f'<svg viewBox="0 -28 {DRAWING_WIDTH} 278" role="img" aria-label="Similarity stripe">'
        f'<image x="0" y="20" width="{DRAWING_WIDTH}" height="120" preserveAspectRatio="none" '
        f'href="data:image/png;base64,{picture}"/>'
        f'<rect class="chart" x="0" y="150" width="{DRAWING_WIDTH}" height="90"/>'
        f"{lines}{marks}</svg></div>"
        '<p class="quiet">Above: a column for each page, the page just before it in the top row; white is the '
        "same template, black another one. A redesign is a dark triangle. Below: how alike the last pages are "
        'among each other <span class="upper">(average)</span>, and to those before them <span class="lower">'
        "(maximum)</span>; where the first is above the second, the design changed.</p></section>"
    )


def grey(value: float) -> int:
    """Give the shade of a similarity; what is below 0 is none."""
    return 235 if value < 0 else round(255 * min(1.0, value))


def grey_png(rows: list[bytes]) -> bytes:
    """Write rows of grey pixels as PNG (ISO 15948): no library is needed for that."""
    width = len(rows[0])

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, len(rows), 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def _points(values: Sequence[float], documents: int) -> str:
    step = max(1, documents // 2_000)
    places = range(0, documents, step)
    return " ".join(
        f"{DRAWING_WIDTH * (at + 0.5) / documents:.1f},{240 - 90 * values[at]:.1f}"
        for at in places
        if values[at] == values[at]
    )


def _mark(one: RedesignEvent, documents: int, level: int) -> str:
    at = DRAWING_WIDTH * one.document / documents
    anchor, date = "end" if at > DRAWING_WIDTH * 0.9 else "start", day(one.published_at).strip()
    return (
        f'<line class="{one.kind}" x1="{at:.1f}" y1="{14 - 14 * level}" x2="{at:.1f}" y2="240"/>'
        f'<text class="{one.kind}" x="{at:.1f}" y="{12 - 14 * level}" text-anchor="{anchor}">{date}</text>'
    )


# --- events ----------------------------------------------------------------------------------------------------


def _event(one: RedesignEvent, course: StreamMonitor) -> str:
    event = one.event
    if isinstance(event, Redesign):
        certainty = f", {event.certainty:.0%} certain" if event.certainty is not None else ""
        title, said = f"Redesigned{certainty}", evidence(event)
    else:
        stayed = f"{event.stayed:.0%} of it stayed" if isinstance(event, TemplateEdit) else ""
        title, said = "Template edited", stayed
    return (
        f'<section class="event {one.kind}"><h2>{day(one.published_at)} · {title}</h2><p>{escape(said)}</p>'
        f'<p class="quiet">first page: {escape(one.url)} (document {one.document:,})</p>'
        f"{_template(one.before, course.after(one))}{_selectors(one.selectors)}</section>"
    )


def _template(before: tuple[PageVersion, ...], after: tuple[PageVersion, ...]) -> str:
    """Set the outlines of a typical page before and after next to each other, and list what came and went."""
    if not before or not after:
        return ""
    try:
        old, new = frame(before), frame(after)
    except LimitError as error:
        return f'<p class="quiet">No outline: {escape(str(error))}</p>'
    change = compare(old, new)
    rows = (
        ("Regions gone", "gone", change.regions_removed),
        ("Regions new", "new", change.regions_added),
        ("Class names gone", "gone", change.classes_removed),
        ("Class names new", "new", change.classes_added),
    )
    lists = "".join(
        f"<dt>{title} ({len(names):,})</dt><dd>{_chips(names, kind)}</dd>" for title, kind, names in rows
    )
    return (
        f'<div class="sides"><figure><figcaption>Before: what {old.pages} pages share</figcaption>'
        f"{_outline(old, new, 'gone')}</figure><figure><figcaption>After: what {new.pages} pages share</figcaption>"
        f"{_outline(new, old, 'new')}</figure></div>"
        f"<dl><dt>What stayed of the template</dt><dd>{change.similarity:.0%}</dd>{lists}</dl>"
    )


def _chips(names: Sequence[str], kind: str) -> str:
    more = f" <span>and {len(names) - MAX_NAMES:,} more</span>" if len(names) > MAX_NAMES else ""
    chips = " ".join(f'<code class="{kind}">{escape(name[:MAX_LABEL_CHARS])}</code>' for name in names[:MAX_NAMES])
    return (chips or "–") + more


def _outline(one: Frame, other: Frame, kind: str) -> str:
    """Draw the elements of a frame as boxes in boxes; those that the other frame lacks are coloured."""
    known = {node.label for node in other.nodes}
    parts: list[str] = []
    open_at: list[int] = []  # depths of the boxes that are open
    for node in _blocks(one):
        while open_at and open_at[-1] >= node.depth:
            parts.append("</div>")
            open_at.pop()
        if len(open_at) >= MAX_DEPTH:
            continue
        state = "" if node.label in known else f" {kind}"
        repeated = " ×n" if "repeated" in node.slots else ""
        parts.append(f'<div class="box{state}"><span>{escape(node.label[:MAX_LABEL_CHARS])}{repeated}</span>')
        open_at.append(node.depth)
    inside = "".join(parts) + "</div>" * len(open_at)
    return f'<div class="outline" tabindex="0" role="group" aria-label="Outline">{inside}</div>'


def _blocks(one: Frame) -> Iterable[FrameNode]:
    """Choose the elements of the body that make up the page: those with a name, from the outside in."""
    body = next((place for place, node in enumerate(one.nodes) if node.tag == "body"), len(one.nodes))
    named = [
        node for node in one.nodes[body + 1 : one.end(body) if body < len(one.nodes) else body] if _shows(node)
    ]
    while len(named) > MAX_BOXES:
        deepest = max(node.depth for node in named)
        named = (
            [node for node in named if node.depth < deepest][: MAX_BOXES * 4] if deepest > 1 else named[:MAX_BOXES]
        )
    return named


def _shows(node: FrameNode) -> bool:
    hidden = ("script", "style", "link", "meta", "noscript", "template", "br")
    return node.tag not in hidden and (
        node.is_region or bool(node.classes) or node.tag in ("h1", "h2", "table", "ul")
    )


def _selectors(stopped: Sequence[Stopped]) -> str:
    if not stopped:
        return ""
    rows = "".join(
        f"<tr><td>{escape(one.name)}</td><td><code>{escape(one.expression)}</code></td>"
        f"<td>{one.before:.0%} → {one.since:.0%}</td><td>{_closest(one)}</td></tr>"
        for one in stopped
    )
    head = "<tr><th>name</th><th>selector</th><th>matched on</th><th>closest now</th></tr>"
    return f"<h3>Selectors that stopped matching</h3><table>{head}{rows}</table>"


def _closest(one: Stopped) -> str:
    if one.closest is None:
        return "–"
    return f'<code>{escape(one.closest.css)}</code> <span class="quiet">{escape(one.closest.text)}</span>'


def _rest(events: Sequence[RedesignEvent]) -> str:
    """List outliers and selectors that stopped without a redesign."""
    if not events:
        return ""
    rows = "".join(
        f"<li>{day(one.published_at)} {escape(one.kind)} {escape(one.url)}{_selectors(one.selectors)}</li>"
        for one in events[: 10 * MAX_EVENTS]
    )
    return f"<section><h2>Also seen</h2><ul>{rows}</ul></section>"
