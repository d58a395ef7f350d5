"""Views of one or two captured versions, rendered from the archive alone in a separate process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from itertools import islice
from typing import TYPE_CHECKING, Final

from pagedrift.app.captures import HTML, PICTURE
from pagedrift.app.captures import page_of as page_of  # noqa: PLC0414 - pages read versions by it, too
from pagedrift.errors import InputError, LimitError, NotFoundError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pagedrift.archive.locations import Place
    from pagedrift.page import PageVersion

STEPS: Final = 50_000  # of a script that is drawn
MAX_CAPTURES: Final = 10_000  # captures of one address among which the nearest is sought
LOADED: Final = 40_000_000  # bytes of resources in one page
MAX_ICON_BYTES: Final = 200_000
ICON_WITHIN: Final = 200_000  # bytes at the beginning of a page, in which its icon is named
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_IMAGES: Final = {  # by how their bytes begin
    _PNG: "image/png",
    b"\x00\x00\x01\x00": "image/x-icon",
    b"GIF8": "image/gif",
    b"\xff\xd8\xff": "image/jpeg",
    b"RIFF": "image/webp",
}
_SVG: Final = "image/svg+xml"
_NO_ICON: Final = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#8795a5">'
    b'<path d="M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3"/></svg>'
)
_NO_PICTURE: Final = "this version has no screenshot; use a browser for this watch"

Rendered = tuple[str, bytes]  # media type and bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRequest:
    """What is to be shown, and where its bytes are."""

    kind: str
    folder: str | Path
    new: Place
    old: Place | None = None
    prefix: str = ""  # of the marks: no page can know it
    nodes: tuple[int, ...] = ()  # that are outlined


def show(wanted: ViewRequest) -> Rendered:
    """Work out one view."""
    return VIEWS[wanted.kind](wanted)


def _drawn(folder: str | Path, place: Place) -> PageVersion:
    """Read a version as something that can be drawn: documents become pages."""
    from pagedrift.documents.comparable import READERS, as_html, what_it_is

    page = _reached(folder, place)
    what = what_it_is(page)
    if what == "html":
        return page
    if what not in READERS:
        raise InputError(f"this version is not a page but a {what}; download it with the API")
    return as_html(page)


def _reached(folder: str | Path, place: Place) -> PageVersion:
    """Read a version that is looked into; one that would take too much for that is refused before."""
    from pagedrift.documents.comparable import is_within_reach

    page = page_of(folder, place)
    if not is_within_reach(page):
        raise LimitError("this version is too large to be shown; download it with the API")
    return page


class Kept(Mapping[str, Rendered]):
    """What the archive holds of what a page loads, as of its time; nothing else is ever asked for."""

    def __init__(self, folder: str | Path, page: PageVersion) -> None:
        self._folder, self._page = folder, page
        self._room = LOADED

    def __getitem__(self, url: str) -> Rendered:
        from pagedrift.archive.reader import page_at

        place = self._nearest(url)
        try:
            found = page_at(self._folder, place)
        except (PagedriftError, OSError):
            raise KeyError(url) from None
        self._room -= len(found.body)
        if self._room < 0 or found.status not in (None, 200):
            raise KeyError(url)
        return found.content_type or "application/octet-stream", found.body

    def _nearest(self, url: str) -> Place:
        from pagedrift.archive.index import IndexEntry, listed
        from pagedrift.archive.locations import Place
        from pagedrift.archive.surt import key

        if isinstance(self._folder, str):  # a bucket, which is not searched for every picture
            raise KeyError(url)
        try:
            lines = listed(self._folder, prefix=f"{key(url)} ".encode())
            entries = [
                entry
                for line in islice(lines, MAX_CAPTURES)
                if (entry := IndexEntry.read(line)).status in ("", "200")
            ]
        except (ValueError, OSError):
            raise KeyError(url) from None
        if not entries:
            raise KeyError(url)
        moment = self._page.captured_at
        wanted = int(f"{moment.astimezone(UTC):%Y%m%d%H%M%S}") if moment else 10**14
        best = min(entries, key=lambda entry: abs(int(entry.timestamp[:14]) - wanted))
        return Place(best.filename, best.offset, best.length)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _marked(wanted: ViewRequest, side: str, *, legend: bool) -> Rendered:
    """Show one page of a change with everything marked that changed on it."""
    from pagedrift.report.highlight import highlight
    from pagedrift.report.webpage import without_legend
    from pagedrift.what_changed import diff

    assert wanted.old is not None
    old, new = _drawn(wanted.folder, wanted.old), _drawn(wanted.folder, wanted.new)
    script = diff(old, new)
    if len(script) > STEPS:
        raise LimitError(f"the pages differ in more than {STEPS:,} places; view each version instead")
    kept = Kept(wanted.folder, new if side == "new" else old)
    html = highlight(old, new, script, side="old" if side == "old" else "new", resources=kept, prefix=wanted.prefix)
    if side == "new" and not legend:
        html = without_legend(html, wanted.prefix)
    return HTML, html.encode("utf-8", "replace")


def _version(wanted: ViewRequest) -> Rendered:
    """Show a page as it was, made safe."""
    from pagedrift.report.highlight import highlight
    from pagedrift.report.webpage import without_legend
    from pagedrift.what_changed import diff

    page = _drawn(wanted.folder, wanted.new)
    html = highlight(page, page, diff(page, page), resources=Kept(wanted.folder, page), prefix=wanted.prefix)
    return HTML, without_legend(html, wanted.prefix).encode("utf-8", "replace")


def _regions(wanted: ViewRequest) -> Rendered:
    """Show a page as it was, made safe, with what a selector means outlined."""
    from pagedrift.report.highlight import outline_regions

    page = _drawn(wanted.folder, wanted.new)
    regions = {node: "selected" for node in wanted.nodes if node < len(page.tree)}
    html = outline_regions(page, regions, resources=Kept(wanted.folder, page), prefix=wanted.prefix)
    return HTML, html.encode("utf-8", "replace")


def _selectable(wanted: ViewRequest) -> Rendered:
    """Show a page as it was, made safe, with a number on every element."""
    from pagedrift.report.highlight import number_elements

    page = _drawn(wanted.folder, wanted.new)
    html = number_elements(page, prefix=wanted.prefix, resources=Kept(wanted.folder, page))
    return HTML, html.encode("utf-8", "replace")


def _source(wanted: ViewRequest) -> Rendered:
    """Show both sources, line by line."""
    from pagedrift.report.webpage import document, source_changes

    assert wanted.old is not None
    old, new = _reached(wanted.folder, wanted.old), _reached(wanted.folder, wanted.new)
    body = f'<main><section id="source">{"".join(source_changes(old.source, new.source))}</section></main>'
    return HTML, document("Source", body).encode("utf-8", "replace")


def _picture(wanted: ViewRequest) -> Rendered:
    return "image/png", _png(wanted.folder, wanted.new)


def _icon(wanted: ViewRequest) -> Rendered:
    """Show the icon of a page, if the archive has it; else a sheet of paper."""
    from pagedrift.facets.links import read_icons
    from pagedrift.page import PageVersion

    page = page_of(wanted.folder, wanted.new)
    if "html" in (page.content_type or "html"):
        start = PageVersion(page.url, page.body[:ICON_WITHIN], content_type=page.content_type)
        kept = Kept(wanted.folder, page)
        for url in read_icons(start.tree, page.url):
            found = _image(*kept.get(url, ("", b"")))
            if found is not None:
                return found
    return _SVG, _NO_ICON


def _image(said: str, body: bytes) -> Rendered | None:
    """Give a small picture with the type that its bytes have, whatever a server said of it."""
    if not 0 < len(body) <= MAX_ICON_BYTES:
        return None
    if _SVG in said and b"<svg" in body[:2000]:  # runs nothing as a picture, and nothing under our policy either
        return _SVG, body
    return next(((kind, body) for start, kind in _IMAGES.items() if body.startswith(start)), None)


def _png(folder: str | Path, place: Place) -> bytes:
    from pagedrift.archive.reader import attachments_at

    body = attachments_at(folder, place).get(PICTURE, ("", b""))[1]
    if not body.startswith(_PNG):
        raise NotFoundError(_NO_PICTURE)
    return body


def _laid_over(wanted: ViewRequest, which: str) -> Rendered:
    """Lay one picture over the other, block by block."""
    from pagedrift.does_it_matter.block_changes import Delta, compare_blocks, grown
    from pagedrift.does_it_matter.blocks import VisualBlock, segment
    from pagedrift.does_it_matter.picture_descriptors import decode
    from pagedrift.facets.view import Box
    from pagedrift.report.overlay import lay_over, whole_blocks

    assert wanted.old is not None
    before, after = _png(wanted.folder, wanted.old), _png(wanted.folder, wanted.new)
    old, new = page_of(wanted.folder, wanted.old).view, page_of(wanted.folder, wanted.new).view
    if old is not None and new is not None:
        one, other = segment(old), segment(new)
        delta = compare_blocks(one, other)
        over = lay_over(before, after, delta, grown(other, whole_blocks(delta, "insert")))
    else:  # nothing is known of their blocks: the page is one
        sizes = [decode(picture).shape[:2] for picture in (before, after)]
        whole = [VisualBlock(ref="1", box=Box(0, 0, width, height), coherence=10) for height, width in sizes]
        over = lay_over(before, after, Delta(True, (), ((whole[0], whole[1]),)))
    return "image/webp", over.aligned if which == "aligned" else over.differences


def _raw(wanted: ViewRequest) -> Rendered:
    """Give the bytes of a capture as they came, of the type they came as."""
    from pagedrift.archive.reader import page_at

    page = page_at(wanted.folder, wanted.new)
    return page.content_type or page.header("content-type") or "application/octet-stream", page.body


VIEWS: Final[dict[str, Callable[[ViewRequest], Rendered]]] = {
    "highlighted": lambda wanted: _marked(wanted, "new", legend=True),
    "old": lambda wanted: _marked(wanted, "old", legend=False),
    "new": lambda wanted: _marked(wanted, "new", legend=False),
    "source": _source,
    "aligned": lambda wanted: _laid_over(wanted, "aligned"),
    "overlay": lambda wanted: _laid_over(wanted, "overlay"),
    "version": _version,
    "regions": _regions,
    "selectable": _selectable,
    "picture": _picture,
    "icon": _icon,
    "raw": _raw,
}
