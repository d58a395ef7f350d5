"""The template gallery: one web page with the size, examples and a drawing of each template found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift.report.mark_labels import escape
from pagedrift.report.outline import number, outline
from pagedrift.report.webpage import document
from pagedrift.text import counted, cut
from pagedrift.which_template.frame import compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagedrift.report.outline import OutlineLine
    from pagedrift.which_template.frame import Frame

PARTS: Final = 120  # boxes of one drawing
MAX_DEPTH: Final = 24  # boxes in boxes; what is deeper is drawn there
MAX_NAME_CHARS: Final = 40  # of a name in the table
MAX_NAMES: Final = 8  # of what distinguishes two templates


@dataclass(frozen=True, slots=True, kw_only=True)
class GalleryTemplate:
    """A template that was found: its name, how many pages it has, the addresses of some, and what it is."""

    name: str
    pages: int
    examples: tuple[str, ...]
    frame: Frame | None = None
    addresses: str = ""  # what those of its pages have in common
    sure: float = 1.0  # how alike its pages are


def templates_page(title: str, templates: Sequence[GalleryTemplate], *, pages: int, clusters: int) -> str:
    """Write the largest of all `clusters` of `pages` as one HTML file, without scripts.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.which_template.frame import frame
    >>> days = [PageVersion("https://a.example/", b"<main><h1>Day %d</h1></main>" % day) for day in range(9)]
    >>> found = GalleryTemplate(name="template-1", pages=9, examples=("https://a.example/",), frame=frame(days))
    >>> page = templates_page("crawl.warc.gz", [found], pages=9, clusters=1)
    >>> page[page.index("<h1>") : page.index("</p>")]
    '<h1>Templates of crawl.warc.gz</h1><p>9 pages, 1 template'
    """
    shown = sum(template.pages for template in templates)
    summary = f"{counted(pages, 'page')}, {counted(clusters, 'template')}"
    if len(templates) < clusters:
        summary += f"; the {len(templates):,} largest, below, have {shown / pages:.0%} of the pages"
    body = (
        f"<header><h1>Templates of {escape(title)}</h1><p>{summary}</p></header><main>"
        f"{_table(templates, pages)}{_LEGEND if any(one.frame for one in templates) else ''}"
        f"{''.join(_section(at, templates, pages) for at in range(len(templates)))}</main>"
    )
    return document(escape(f"Templates of {title}"), body, styles=("webpage.css", "gallery.css"))


_LEGEND: Final = (
    '<section class="legend" aria-label="How to read the drawings"><p>Elements that the pages of a template share, '
    "with the words that are always the same. "
    '<span class="slot">text</span> <span class="slot">picture</span> differ from page to page; '
    'in <span class="slot free">content</span> pages have elements of their own.</p>'
    '<div class="box region"><span class="name">a region</span></div>'
    '<div class="box"><span class="name">another element</span></div>'
    '<div class="box optional"><span class="name">not on every page</span></div>'
    '<div class="box repeated"><span class="name">as often as needed</span></div></section>'
)


def _table(templates: Sequence[GalleryTemplate], pages: int) -> str:
    titles = '<th class="number">pages</th><th class="number">share</th><th>as a bar</th><th>example</th>'
    largest = max((one.pages for one in templates), default=1)
    rows = (
        f'<tr><td><a href="#t{at}">{escape(cut(one.name, MAX_NAME_CHARS))}</a></td>'
        f'<td class="number">{one.pages:,}</td><td class="number">{one.pages / pages:.1%}</td>'
        f'<td class="share"><div class="bar" style="width:{100 * one.pages / largest:.1f}%"></div></td>'
        f"<td>{_address(one.examples[0]) if one.examples else ''}</td></tr>"
        for at, one in enumerate(templates)
    )
    return f"<section><table><tr><th>template</th>{titles}</tr>{''.join(rows)}</table></section>"


def _section(at: int, templates: Sequence[GalleryTemplate], pages: int) -> str:
    template = templates[at]
    share = f"{counted(template.pages, 'page')}, {template.pages / pages:.1%}"
    alike = (
        f"<div>{_address(template.addresses)}: pages {template.sure:.0%} alike</div>" if template.addresses else ""
    )
    examples = alike + "".join(f"<div>{_address(url)}</div>" for url in template.examples)
    head = f'<h2 id="t{at}">{escape(template.name)}: {share}</h2>'
    drawing = ""
    if template.frame is not None:
        lines = outline(template.frame, most=PARTS)
        looked = (
            f"What {counted(template.frame.pages, 'page')} of it share:" if lines else "Its pages share no words."
        )
        drawing = f'<p class="quiet">{looked}</p><div class="outline">{"".join(_boxes(lines[:PARTS]))}</div>'
    neighbour = _neighbour(at, templates)
    return f'<section>{head}<div class="examples quiet">{examples}</div>{neighbour}{drawing}</section>'


def _neighbour(at: int, templates: Sequence[GalleryTemplate]) -> str:
    """Say which template is most like this one, and what distinguishes the two."""
    own = templates[at].frame
    others = [(compare(other.frame, own), place) for place, other in enumerate(templates) if other.frame and own]
    changes = [(change, place) for change, place in others if place != at and change.similarity]
    if not changes:
        return ""
    change, place = max(changes, key=lambda one: (one[0].similarity, -one[1]))
    link = f'<a href="#t{place}">{escape(cut(templates[place].name, MAX_NAME_CHARS))}</a>'
    here = _list(change.regions_added + change.classes_added)
    there = _list(change.regions_removed + change.classes_removed)
    return f"<p>Most like {link} ({change.similarity:.0%}). Only here: {here}; only there: {there}.</p>"


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
    return (
        ", ".join(escape(cut(name, MAX_NAME_CHARS)) for name in names[:MAX_NAMES]) + more or "nothing with a name"
    )


def _address(url: str) -> str:
    return escape(cut(url))


def _boxes(lines: Sequence[OutlineLine]) -> Iterator[str]:
    """Draw boxes in boxes: each line opens one and closes those that are not above it."""
    depth = 0
    for line in lines:
        own = min(line.depth, MAX_DEPTH)
        yield "</div>" * (depth - own)
        depth = own + 1
        yield f'<div class="{" ".join(_kinds(line))}"><span class="name">{escape(line.label)}</span>{_told(line)}'
    yield "</div>" * depth


def _kinds(line: OutlineLine) -> Iterator[str]:
    yield "box"
    if line.is_region:
        yield "region"
    if line.is_optional:
        yield "optional"
    if line.number:
        yield "repeated"
    if "content" in line.slots:
        yield "content"


def _told(line: OutlineLine) -> str:
    slots = "".join(
        f'<span class="slot{" free" if slot == "content" else ""}">{slot}</span>' for slot in line.slots
    )
    fixed = f'<span class="fixed">{escape(line.fixed)}</span>' if line.fixed else ""
    times = f'<span class="times">{number(line)}</span>' if number(line) else ""
    return slots + fixed + times
