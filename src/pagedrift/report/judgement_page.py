"""The judgement as a web page: whether a change matters, in one file that works offline."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import moment
from pagedrift.does_it_matter.block_changes import compare_blocks, grown
from pagedrift.does_it_matter.blocks import segment
from pagedrift.does_it_matter.evidence import change
from pagedrift.does_it_matter.picture_descriptors import decode
from pagedrift.report.judgements import percent, summary
from pagedrift.report.mark_labels import escape
from pagedrift.report.overlay import MAX_ROWS, lay_over, webp, whole_blocks
from pagedrift.report.webpage import document
from pagedrift.text import counted, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pagedrift.does_it_matter import Judgement
    from pagedrift.does_it_matter.block_changes import BlockChange, Delta
    from pagedrift.does_it_matter.blocks import VisualBlock
    from pagedrift.does_it_matter.evidence import ChangeEvidence
    from pagedrift.does_it_matter.explain import JudgementReason
    from pagedrift.facets.view import Box
    from pagedrift.page import PageVersion

MAX_BLOCKS: Final = 400  # that are outlined, the most important first
MAX_PASSAGES: Final = 300  # of each kind in the list of texts
MAX_TOLD_CHANGES: Final = 4  # things that happened to one block
MAX_TOLD_CHARS: Final = 160  # of one
_SIGNS: Final = {"inserted": "+", "deleted": "−", "updated": "~", "moved": "→"}
_DEEDS: Final = {"insert": "added", "delete": "removed", "update": "changed", "move": "moved"}


def judgement_page(old: PageVersion, new: PageVersion, judgement: Judgement) -> str:
    """Write a judgement as one HTML file: reasons, both pictures with their blocks, a slider, an overlay, the text.

    >>> from pagedrift import PageVersion, judge
    >>> old, new = PageVersion("", b"<title>Fees</title><p>Fence: $40"), PageVersion("", b"<p>Fence: $45")
    >>> page = judgement_page(old, new, judge(old, new))
    >>> "there are no screenshots" in page, "<h1>Fees</h1>" in judgement_page(new, old, judge(new, old))
    (True, True)
    """
    seen = change(old, new)
    pictures = _pictures(seen) if seen.pictured else _no_pictures(seen.obstacle)
    body = (
        f"{_header(old, new, judgement)}<nav>{pictures.tabs}<button data-view='text'>Text</button>"
        '<span class="spring"></span><button id="previous" title="key p">‹ previous</button>'
        '<output id="where"></output><button id="next" title="key n">next ›</button></nav><main>'
        f'<aside tabindex="0" aria-label="Reasons">{_reasons(judgement.reasons)}{pictures.list}</aside>'
        f'<div id="views">{pictures.views}'
        f'<section id="text" hidden>{"".join(_texts(seen))}</section></div></main>'
    )
    title = escape(f"Does it matter: {new.title or new.url}")
    return document(title, body, styles=("webpage.css", "judgement.css"), script="judgement.js")


@dataclass(frozen=True, slots=True)
class _Pictures:
    """What the report shows of pictures."""

    tabs: str
    list: str
    views: str


@dataclass(frozen=True, slots=True)
class Mark:
    """One block that came, went, changed or moved, with what happened to it."""

    kind: str  # inserted, deleted, updated or moved
    old: Box | None
    new: Box | None
    texts: tuple[str, ...]

    @property
    def importance(self) -> float:
        """Large and near the top counts."""
        box = self.new or self.old
        return box.area / (1 + max(0.0, box.y) / 1000) if box else 0.0


def marks_of(delta: Delta, old: VisualBlock, new: VisualBlock) -> list[Mark]:
    """Return what happened block by block, the most important first; what came or went together is one."""
    groups: dict[tuple[str, str], list[BlockChange]] = {}
    gone, come = whole_blocks(delta, "delete"), whole_blocks(delta, "insert")
    for each in delta.changes:
        if each.thing != "block" or each.deed == "move":
            key = each.old.ref if each.old else "", each.new.ref if each.new else ""
            groups.setdefault(key, []).append(each)
    found = [_mark(changes) for changes in groups.values()]
    found += [Mark("deleted", block.box, None, (f"removed: {_content(block)}",)) for block in grown(old, gone)]
    found += [Mark("inserted", None, block.box, (f"added: {_content(block)}",)) for block in grown(new, come)]
    return sorted(found, key=lambda mark: -mark.importance)


def _mark(changes: Sequence[BlockChange]) -> Mark:
    """Return what happened inside a block that stayed, or that it moved."""
    first = changes[0]
    kind = "moved" if all(each.deed == "move" for each in changes) else "updated"
    found = tuple(_told(each) for each in changes[:MAX_TOLD_CHANGES])
    more = (f"and {len(changes) - MAX_TOLD_CHANGES:,} more",) if len(changes) > MAX_TOLD_CHANGES else ()
    return Mark(kind, first.old.box if first.old else None, first.new.box if first.new else None, found + more)


def _told(each: BlockChange) -> str:
    """Say what happened, in words of the page."""
    if each.thing == "block" and each.new:
        return f"moved: {_content(each.new)}"
    before, after = (fold(text, MAX_TOLD_CHARS) for text in (each.before, each.after))
    values = f"{before} → {after}" if each.deed == "update" else after or before
    return f"{each.thing} {_DEEDS[each.deed]}: {values}"


def _content(block: VisualBlock) -> str:
    """Say what a block holds, in words of the page."""
    leaves = list(block.leaves())
    words = (" ".join([*(link.name for link in leaf.links), leaf.text]) for leaf in leaves)
    pictures = sum(len(leaf.images) for leaf in leaves)
    return fold(" ".join(words), MAX_TOLD_CHARS) or (counted(pictures, "picture") if pictures else "no text")


def _no_pictures(why: str) -> _Pictures:
    note = f"Judged by the source only: there are no screenshots{' to compare, since ' + why if why else ''}."
    return _Pictures("", f'<p class="empty">{escape(note)} Use --pictures to compare screenshots.</p>', "")


def _pictures(seen: ChangeEvidence) -> _Pictures:
    old, new = seen.old.view, seen.new.view
    assert old is not None
    assert new is not None
    one, other = segment(old), segment(new)
    delta = compare_blocks(one, other)
    found = marks_of(delta, one, other)
    marks = list(enumerate(found[:MAX_BLOCKS]))
    over = lay_over(old.picture or b"", new.picture or b"", delta, grown(other, whole_blocks(delta, "insert")))
    sides = [decode(view.picture or b"")[:MAX_ROWS] for view in (old, new)]
    before, after = (_Side(image.shape[1], image.shape[0], webp(image)) for image in sides)
    views = (
        f'<section id="sides" data-landmarks="{escape(json.dumps(_landmarks(delta)))}">'
        f"{before.figure('Before', seen.old, marks)}{after.figure('After', seen.new, marks)}</section>"
        f'<section id="slider" hidden>{_slider(before, after, over.aligned)}</section>'
        f'<section id="overlay" hidden><p class="quiet">{_legend(over.changed)}</p>'
        f"{after.stack(over.differences, marks, _gone(delta, marks))}</section>"
    )
    tabs = (
        '<button data-view="sides">Side by side</button><button data-view="slider">Slider</button>'
        '<button data-view="overlay">Overlay</button>'
    )
    return _Pictures(tabs, _list(marks, len(found), after.height), views)


def _legend(changed: float) -> str:
    return (
        "Each block of the new page over the same block of the old one, wherever it was: "
        f"{percent(changed)} of the screenshot looks different. Orange differs, green is new, a red line marks "
        "something that was removed."
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """One picture of the report."""

    width: int
    height: int
    picture: bytes

    def figure(self, name: str, page: PageVersion, marks: Iterable[tuple[int, Mark]]) -> str:
        """Show a version with its blocks outlined."""
        side = "old" if name == "Before" else "new"
        boxes = ((at, mark.kind, mark.old if side == "old" else mark.new) for at, mark in marks)
        inside = "".join(self._box(f"b{at}", kind, box) for at, kind, box in boxes if box)
        when = f" · {moment(page.captured_at)}" if page.captured_at else ""
        notes = _notes(page, self.height)
        return (
            f'<figure><figcaption>{name}{when}{notes}</figcaption><div class="scroll"><div class="sheet" '
            f'data-side="{side}" data-width="{self.width}" data-height="{self.height}">'
            f"{_image(self.picture, self, name)}{inside}</div></div></figure>"
        )

    def stack(self, picture: bytes, marks: Iterable[tuple[int, Mark]], more: str) -> str:
        """Show a picture of the new page with outlines."""
        boxes = "".join(self._box(f"b{at}", mark.kind, mark.new) for at, mark in marks if mark.new)
        size = f'data-side="new" data-width="{self.width}" data-height="{self.height}"'
        return f'<div class="sheet" {size}>{_image(picture, self, "Overlay")}{boxes}{more}</div>'

    def _box(self, name: str, kind: str, box: Box) -> str:
        """Outline a block, in shares of the picture; what is below it is not drawn."""
        if box.y >= self.height:
            return ""
        height = min(box.height, self.height - box.y)
        place = (box.x / self.width, box.y / self.height, box.width / self.width, height / self.height)
        left, top, width, tall = (f"{100 * share:.3f}%" for share in place)
        style = f"left:{left};top:{top};width:{width};height:{tall}"
        return f'<i class="{kind}" data-mark="{name}" style="{style}"></i>'


def _image(picture: bytes, side: _Side, name: str) -> str:
    data = b64encode(picture).decode()
    return f'<img src="data:image/webp;base64,{data}" width="{side.width}" height="{side.height}" alt="{name}">'


def _notes(page: PageVersion, height: int) -> str:
    """Say what is not in a picture."""
    view = page.view
    notes = []
    if view and view.height > height + 1:
        notes.append(f"the first {height:,} of {view.height:,.0f} px")
    if view and view.missing:
        notes.append(f"{len(view.missing):,} things could not be loaded")
    return escape("".join(f" · {note}" for note in notes))


def _slider(before: _Side, after: _Side, aligned: bytes) -> str:
    """Show both pictures in one place, cut where the reader wants."""
    tall = max(before.height, after.height)
    size = f'style="width:{max(before.width, after.width)}px;height:{tall}px"'
    return (
        '<p><label><input type="checkbox" id="aligned" checked> old blocks in the places of the new page</label> '
        '<input type="range" id="cut" min="0" max="100" value="50" aria-label="How much of the old page"></p>'
        f'<div class="cut" {size}>{_image(after.picture, after, "After")}<div class="over">'
        f"{_image(aligned, after, 'Before, aligned')}{_image(before.picture, before, 'Before')}</div></div>"
    )


def _landmarks(delta: Delta) -> list[tuple[int, int]]:
    """Give places that are the same on both pages, down both of them."""
    found = sorted((round(old.box.y), round(new.box.y)) for old, new in delta.pairs)
    kept: list[tuple[int, int]] = []
    for mark in found:
        if not kept or (mark[0] > kept[-1][0] and mark[1] >= kept[-1][1]):
            kept.append(mark)
    return kept


def _gone(delta: Delta, marks: Iterable[tuple[int, Mark]]) -> str:
    """Draw a line where a removed block stood: below what stood above it."""
    lines = []
    for at, mark in marks:
        if mark.kind != "deleted" or mark.old is None:
            continue
        box = mark.old
        above = [(old.box.bottom, new.box.bottom) for old, new in delta.pairs if old.box.bottom <= box.y + 1]
        height = max(above)[1] if above else 0.0
        style = f"left:{box.x:.0f}px;top:{height:.0f}px;width:{box.width:.0f}px"
        lines.append(f'<i class="gone" data-mark="b{at}" style="{style}" title="{escape(mark.texts[0])}"></i>')
    return "".join(lines)


def _header(old: PageVersion, new: PageVersion, judgement: Judgement) -> str:
    times = f"{moment(old.captured_at)} → {moment(new.captured_at)}" if old.captured_at or new.captured_at else ""
    url = new.url if new.url == old.url else f"{old.url} → {new.url}"
    return (
        f"<header><h1>{escape(new.title or new.url)}</h1>"
        f'<p class="verdict {judgement.label}">{escape(summary(judgement))}</p>'
        f'<p class="quiet">{escape(url)} {times}</p></header>'
    )


def _reasons(reasons: Iterable[JudgementReason]) -> str:
    """List the reasons for and against; those with a place lead there."""
    rows = []
    for reason in reasons:
        side = "for" if reason.strength > 0 else "against"
        places = "".join(
            f" data-{name}='{json.dumps([round(number, 1) for number in box])}'"
            for name, box in (("old", reason.old), ("new", reason.new))
            if box is not None
        )
        strength = f'<span class="kind">{side} {abs(reason.strength):.1f}</span>'
        rows.append(f'<li class="{side}" data-reason{places}>{strength} {escape(reason.text)}</li>')
    return f"<h2>Reasons</h2><ol>{''.join(rows)}</ol>" if rows else "<h2>Reasons</h2><p>None is strong.</p>"


def _list(marks: Sequence[tuple[int, Mark]], total: int, height: int) -> str:
    rows = []
    for at, mark in marks:
        box = mark.new or mark.old
        below = '<span class="quiet"> below the picture</span>' if box and box.y >= height else ""
        found = "".join(f"<div>{escape(text)}</div>" for text in mark.texts)
        rows.append(
            f'<li class="{mark.kind}" data-block="b{at}"><span class="mark">{_SIGNS[mark.kind]} {mark.kind}</span>'
            f"{below}{found}</li>"
        )
    more = f"<p>{total - len(marks):,} more are not shown.</p>" if total > len(marks) else ""
    if not rows:
        return '<h2>Blocks</h2><p class="empty">Every block is as it was.</p>'
    return f"<h2>Blocks</h2><ol>{''.join(rows)}</ol>{more}"


def _texts(seen: ChangeEvidence) -> Iterator[str]:
    """List what came, went and was reworded, the weightiest passages first."""
    found = seen.rewriting
    edits = (*found.edited, *found.recounted)
    groups: tuple[tuple[str, str, list[Any]], ...] = (
        ("inserted", "Added", sorted(found.inserted, key=_weight)),
        ("deleted", "Removed", sorted(found.deleted, key=_weight)),
        ("updated", "Reworded or recounted", sorted(edits, key=lambda edit: _weight(edit.new))),
    )
    if not any(passages for _, _, passages in groups):
        yield '<p class="empty">No passage of the text was added, removed or reworded.</p>'
    for kind, name, passages in groups:
        if passages:
            yield f"<h2>{name}</h2><ol>{''.join(_passage(kind, each) for each in passages[:MAX_PASSAGES])}</ol>"
        if len(passages) > MAX_PASSAGES:
            yield f"<p>{len(passages) - MAX_PASSAGES:,} more</p>"


def _weight(passage: Any) -> float:
    return -float(len(passage.words) * passage.weight)


def _passage(kind: str, each: Any) -> str:
    if kind == "updated":
        before, after = (escape(fold(side.text, 600)) for side in (each.old, each.new))
        return f'<li class="{kind}"><span class="before">{before}</span><span class="after">{after}</span></li>'
    return f'<li class="{kind}">{escape(fold(each.text, 600))}</li>'
