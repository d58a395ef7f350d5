"""Where are the gaps between the blocks of a page, and how strongly do they part them?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagedrift.does_it_matter.dividing import Atom
    from pagedrift.facets.view import Shown, View

# What a gap weighs: the report says what makes it heavier, programs in use say how much.
_START: Final = 3
_NARROW, _MIDDLE, _STEP = 8, 15, 10  # pixels
_SIGN: Final = 2  # for a ruler, another ground, another font, a heading
_TOUCHING: Final = 1.0  # pixels by which neighbours may overlap: boxes are rounded


@dataclass(frozen=True, slots=True)
class Separator:
    """A gap from side to side of an area that no block crosses; with no width where two blocks touch."""

    horizontal: bool
    start: float
    end: float
    weight: float


def find_separators(atoms: Sequence[Atom], view: View) -> tuple[Separator, ...]:
    """Find the gaps between blocks in both directions, and weigh them."""
    return (*_direction(atoms, view, horizontal=True), *_direction(atoms, view, horizontal=False))


def _direction(atoms: Sequence[Atom], view: View, *, horizontal: bool) -> Iterator[Separator]:
    spans = sorted((_span(atom, horizontal=horizontal), number) for number, atom in enumerate(atoms))
    reached, above = spans[0][0][1], [spans[0][1]]
    for (start, end), number in spans[1:]:
        if start >= reached - _TOUCHING:
            below = [other for (begin, _), other in spans if abs(begin - start) <= _TOUCHING]
            last = [
                other
                for other in above
                if abs(_span(atoms[other], horizontal=horizontal)[1] - reached) <= _TOUCHING
            ]
            sides = [atoms[other] for other in last], [atoms[other] for other in below]
            width = max(0.0, start - reached)
            weight = _weight(width, sides, view, horizontal=horizontal)
            yield Separator(horizontal, min(reached, start), start, weight)
            above = []
        above.append(number)
        reached = max(reached, end)


def _span(atom: Atom, *, horizontal: bool) -> tuple[float, float]:
    return (atom.box.y, atom.box.bottom) if horizontal else (atom.box.x, atom.box.right)


def _weight(width: float, sides: tuple[list[Atom], list[Atom]], view: View, *, horizontal: bool) -> float:
    weight = _START + _by_width(width)
    before, after = ([_first(atom, view) for atom in side] for side in sides)
    if {each.style.background for each in before} != {each.style.background for each in after}:
        weight += _SIGN
    if not horizontal:
        return weight
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


def _first(atom: Atom, view: View) -> Shown:
    """Give the first text of a block, or its first node: what it looks like at its edge."""
    number = atom.roots[0]
    while view.children[number]:
        number = view.children[number][0]
    return view.nodes[number]
