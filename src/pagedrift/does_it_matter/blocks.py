"""Which blocks does a person see on a page? VIPS: a tree of rectangles, from the whole page to coherent parts.

After D. Cai, S. Yu, J. Wen and W. Ma, VIPS: a Vision-based Page Segmentation Algorithm, 2003. One round divides
nodes into blocks by thirteen rules, finds the gaps between the blocks and cuts along the widest; parts that are not
coherent enough are divided again. Where the report leaves values open, ours stand at the top of the modules.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from hashlib import blake2b
from math import ceil
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.separators import Separator, find_separators
from pagedrift.does_it_matter.vips_rules import Atom, Divider
from pagedrift.errors import InputError
from pagedrift.facets.view import Box, around

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagedrift.facets.view import View
    from pagedrift.page import PageVersion

COHERENT: Final = 8  # the permitted degree of coherence, from 1 to 11: blocks are divided until they reach it
_ROUNDS: Final = 12
_UNCUT: Final = 11  # the degree of what no separator cuts


@dataclass(frozen=True, slots=True)
class BlockItem:
    """A link or a picture in a block: what it is called and where it leads to."""

    name: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VisualBlock:
    """A part of the page; only leaves have content of their own."""

    ref: str  # its place in the tree: 1.2.1 is the first part of the second part of the page
    box: Box
    coherence: int  # from 1, anything, to 11, one thing
    children: tuple[VisualBlock, ...] = ()
    links: tuple[BlockItem, ...] = ()
    images: tuple[BlockItem, ...] = ()
    text: str = ""  # that is not in links

    @property
    def leaf(self) -> bool:
        """Whether it has no parts."""
        return not self.children

    @property
    def id(self) -> str:
        """What the content of a leaf amounts to: equal for equal content."""
        content = [*(f"l{each.name}\0{each.address}" for each in self.links)]
        content += [*(f"i{each.name}\0{each.address}" for each in self.images), self.text]
        return blake2b("\1".join(content).encode("utf-8", "replace"), digest_size=8).hexdigest()

    def walk(self) -> Iterator[VisualBlock]:
        """Give the block and all its parts, in document order."""
        waiting = [self]
        while waiting:
            block = waiting.pop()
            yield block
            waiting += reversed(block.children)

    def leaves(self) -> Iterator[VisualBlock]:
        """Give the parts that have no parts."""
        return (block for block in self.walk() if block.leaf)


def blocks(page: PageVersion, *, coherent: int = COHERENT) -> VisualBlock:
    """Divide a rendered page into blocks; the block that is given is the whole page."""
    if page.view is None:
        next_step = "render it first, with: pagedrift.render(page)"
        raise InputError(f"{page.url or 'this page'} has no view to divide into blocks; {next_step}")
    return segment(page.view, coherent=coherent)


def segment(view: View, *, coherent: int = COHERENT) -> VisualBlock:
    """Divide a view into blocks."""
    if not 1 <= coherent <= _UNCUT:
        raise InputError(
            f"a degree of coherence is a number from 1 to {_UNCUT}, not {coherent}; leave it out for {COHERENT}"
        )
    divider = Divider(view)
    page = _Area(box=Box(0, 0, view.width, view.height), atoms=divider.whole())
    if staying := divider.staying():
        page.parts = [
            _Area(box=page.box, atoms=page.atoms),
            *(_Area(box=atom.box, atoms=(atom,)) for atom in staying),
        ]
        page.atoms, page.layered = (*page.atoms, *staying), True
    waiting = page.parts if page.layered else [page]
    for _ in range(_ROUNDS):
        fresh = [
            leaf
            for area in waiting
            if (parts := divider.divide(area.atoms))
            for leaf in _build(area, parts, divider)
        ]
        _grade(page)
        waiting = [leaf for leaf in fresh if leaf.coherence <= coherent]
        if not waiting:
            break
    return _freeze(page, view, divider, coherent)


@dataclass(eq=False, kw_only=True)
class _Area:
    """A part of the page while it is being divided."""

    box: Box
    atoms: tuple[Atom, ...]
    parts: list[_Area] = field(default_factory=list)
    weight: float | None = None  # of the strongest separator that cut it
    coherence: int = 0
    layered: bool = False  # some parts stay in their place on the screen, over the others


def _build(area: _Area, atoms: tuple[Atom, ...], divider: Divider) -> list[_Area]:
    """Cut an area along its separators, the strongest first, until none is left; give the leaves."""
    leaves = []
    area.atoms = atoms
    waiting = [area]
    while waiting:
        part = waiting.pop()
        if len(part.atoms) <= 1:
            leaves.append(part)
            continue
        part.weight, groups = _parts(part.atoms, divider)
        part.parts = [_Area(box=around(atom.box for atom in group), atoms=tuple(group)) for group in groups]
        waiting += part.parts
    return leaves


def _parts(atoms: tuple[Atom, ...], divider: Divider) -> tuple[float | None, list[list[Atom]]]:
    """Part atoms along the strongest separators; where none parts them, because they overlap, each stands alone."""
    separators = find_separators(atoms, divider)
    if not separators:
        return None, [[atom] for atom in atoms]
    weight = max(each.weight for each in separators)
    strongest = [each for each in separators if each.weight == weight]
    groups = _split(atoms, [each for each in strongest if each.horizontal == strongest[0].horizontal])
    if len(groups) == 1:  # boxes of a pixel begin at one place, and touch
        return None, [[atom] for atom in atoms]
    return weight, groups


def _split(atoms: Sequence[Atom], cuts: Sequence[Separator]) -> list[list[Atom]]:
    """Put each atom into the part that holds its beginning."""
    groups: list[list[Atom]] = [[] for _ in range(len(cuts) + 1)]
    starts = sorted(cut.start for cut in cuts)
    for atom in atoms:
        place = atom.box.y if cuts[0].horizontal else atom.box.x
        groups[bisect_right(starts, place)].append(atom)
    return [group for group in groups if group]


def _grade(page: _Area) -> None:
    """Give every area its degree: strong separators inside mean a low one; parts have no less than the whole."""
    areas = [page]
    for area in areas:
        areas += area.parts
    inside: dict[int, float] = {}
    for area in reversed(areas):
        known = [area.weight, *(inside.get(id(part)) for part in area.parts)]
        if weights := [weight for weight in known if weight is not None]:
            inside[id(area)] = max(weights)
    least, most = min(inside.values(), default=0.0), max(inside.values(), default=0.0)
    for area in areas:
        if area.layered:
            area.coherence = 1
        elif (weight := inside.get(id(area))) is not None:
            strength = (weight - least) / (most - least) if most > least else 1.0  # the only ones are the strongest
            area.coherence = _UNCUT - ceil(strength * 9 + 1)
        else:
            area.coherence = min((atom.coherence for atom in area.atoms), default=_UNCUT)
    for area in areas:
        for part in area.parts:
            part.coherence = max(part.coherence, area.coherence)


def _freeze(page: _Area, view: View, divider: Divider, coherent: int) -> VisualBlock:
    """Turn areas into blocks, from the leaves up; parts of what is coherent enough are not shown."""
    order: list[tuple[_Area, str]] = [(page, "1")]
    for area, ref in order:
        if area.parts and area.coherence <= coherent:
            order += [(part, f"{ref}.{number}") for number, part in enumerate(area.parts, 1)]
        else:
            area.parts = []
    made: dict[int, VisualBlock] = {}
    for area, ref in reversed(order):
        if area.parts:
            children = tuple(made.pop(id(part)) for part in area.parts)
            made[id(area)] = VisualBlock(ref=ref, box=area.box, coherence=area.coherence, children=children)
        else:
            made[id(area)] = _leaf(area, ref, view, divider)
    return made[id(page)]


def _leaf(area: _Area, ref: str, view: View, divider: Divider) -> VisualBlock:
    """Collect what is in a leaf."""
    links: dict[int, list[str]] = {}
    images, texts = [], []
    for number in sorted(number for atom in area.atoms for number in divider.below(atom)):
        node = view.nodes[number]
        if node.is_text:
            link = divider.link[number]
            if link is None:
                texts.append(node.text)
            else:
                links.setdefault(link, []).append(node.text)
        elif node.tag == "img" or (node.tag == "input" and node.src):
            images.append(BlockItem(" ".join(node.alt.split()), node.src))
            if (link := divider.link[number]) is not None:
                links.setdefault(link, [])
    named = (BlockItem(" ".join(words), view.nodes[link].href) for link, words in links.items())
    return VisualBlock(
        ref=ref,
        box=area.box,
        coherence=area.coherence,
        children=(),
        links=tuple(named),
        images=tuple(images),
        text=" ".join(texts),
    )
