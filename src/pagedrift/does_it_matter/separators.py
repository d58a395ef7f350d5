"""Where are the gaps between the blocks of a page, and how strongly does each separate them?"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagedrift.does_it_matter.vips_rules import Atom, Divider

# What a gap weighs: the report says what makes it heavier, programs in use say how much.
_START: Final = 3
_NARROW, _MIDDLE, _STEP = 8, 15, 10  # pixels
_SIGN: Final = 2  # for a line, another ground, another font, a heading
_TOUCHING: Final = 1.0  # pixels by which neighbours may overlap: boxes are rounded


@dataclass(frozen=True, slots=True)
class Separator:
    """A gap from side to side of an area that no block crosses; with no width where two blocks touch."""

    horizontal: bool
    start: float
    end: float
    weight: float


def find_separators(atoms: Sequence[Atom], divider: Divider) -> tuple[Separator, ...]:
    """Find the gaps between blocks in both directions, and weigh them."""
    return (*_direction(atoms, divider, horizontal=True), *_direction(atoms, divider, horizontal=False))


def _direction(atoms: Sequence[Atom], divider: Divider, *, horizontal: bool) -> Iterator[Separator]:
    spans = sorted((*_span(atom, horizontal=horizontal), number) for number, atom in enumerate(atoms))
    reached = spans[0][1]
    above = 0  # where the blocks after the last gap begin
    for place in range(1, len(spans)):
        start = spans[place][0]
        if start >= reached - _TOUCHING:
            last = [atoms[number] for _, end, number in spans[above:place] if reached - end <= _TOUCHING]
            first = [atoms[number] for number in _beginning(spans, place)]
            gap = min(reached, start), start
            weight = _weight(start - reached, last, first, divider, horizontal=horizontal)
            if horizontal and _ruled(gap, last, divider):
                weight += _SIGN
            yield Separator(horizontal, *gap, weight)
            above = place
        reached = max(reached, spans[place][1])


def _beginning(spans: Sequence[tuple[float, float, int]], place: int) -> Iterator[int]:
    """Give the blocks that begin where one begins."""
    start = spans[place][0]
    while place < len(spans) and spans[place][0] - start <= _TOUCHING:
        yield spans[place][2]
        place += 1


def _span(atom: Atom, *, horizontal: bool) -> tuple[float, float]:
    return (atom.box.y, atom.box.bottom) if horizontal else (atom.box.x, atom.box.right)


def _ruled(gap: tuple[float, float], above: Sequence[Atom], divider: Divider) -> bool:
    """Return whether a line is drawn in a gap, below one of the blocks above it."""
    rulers = divider.rulers
    place = bisect_left(rulers, gap[0] - _TOUCHING, key=lambda box: box.y)
    while place < len(rulers) and rulers[place].bottom <= gap[1] + _TOUCHING:
        ruler = rulers[place]
        if any(ruler.x < atom.box.right and ruler.right > atom.box.x for atom in above):
            return True
        place += 1
    return False


def _weight(width: float, last: list[Atom], first: list[Atom], divider: Divider, *, horizontal: bool) -> float:
    """Weigh a gap by its width, and by how different the blocks on its sides look."""
    weight = _START + _by_width(max(0.0, width))
    grounds = ({divider.background[atom.roots[0]] for atom in side} for side in (last, first))
    if next(grounds) != next(grounds):
        weight += _SIGN
    if not horizontal:
        return weight
    before, after = ([divider.nodes[divider.edge[atom.roots[0]]] for atom in side] for side in (last, first))
    fonts = [{(each.style.font_size, each.style.font_weight) for each in side} for side in (before, after)]
    if fonts[0] != fonts[1]:
        weight += _SIGN
        if min(size for size, _ in fonts[0]) < max(size for size, _ in fonts[1]):
            weight += _SIGN  # a heading begins
    elif all(each.is_text for each in (*before, *after)):
        weight -= _SIGN  # lines of one text
    return weight


def _by_width(width: float) -> float:
    """Weigh a width.

    >>> [_by_width(width) for width in (4, 12, 16, 26, 36)]
    [1, 2, 4, 6, 8]
    """
    if width <= _NARROW:
        return 1
    return 2 if width <= _MIDDLE else 2 + 2 * ((int(width) - _MIDDLE - 1) // _STEP + 1)
