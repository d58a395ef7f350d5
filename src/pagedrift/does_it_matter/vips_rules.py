"""Is a node of a rendered page one block, or must it be divided? The thirteen rules of VIPS."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pagedrift.facets.view import around

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.facets.view import Box, RenderedNode, View

# A node smaller than this need not be divided: a third of a thousand pixels of a page 1,024 wide.
SMALL: Final = 140_000.0
_SCREEN: Final = 1_000.0
_LARGE: Final = 0.25  # of a screen
# How coherent a node is by its tag alone; the report gives no values, and no two programs agree.
_BY_TAG: Final = {
    **dict.fromkeys("td th li p span img h1 h2 h3 h4 h5 h6".split(), 8),
    **dict.fromkeys("table div section".split(), 6),
}
_OTHER_TAG: Final = 7
_WHOLE: Final = frozenset("img input video audio canvas svg iframe object embed select textarea button".split())
_STAYING: Final = ("fixed", "sticky")
_IN_TABLES: Final = frozenset("thead tbody tfoot tr td th".split())  # headings of columns stay with their columns
_ONE_THING: Final = 10
_TWO_FONTS: Final = 9
_PICTURE: Final = 8
# Which rules apply to which kind of node, in the numbers of the report of 2003.
_RULES: Final = {
    "inline": (1, 2, 3, 4, 5, 6, 7, 9, 10, 12),
    "table": (1, 2, 3, 8, 10, 13),
    "tr": (1, 2, 3, 7, 8, 10, 13),
    "td": (1, 2, 3, 4, 9, 10, 11, 13),
    "th": (1, 2, 3, 4, 9, 10, 11, 13),
    "p": (1, 2, 3, 4, 5, 6, 7, 9, 10, 12),
    "other": (1, 2, 3, 4, 6, 7, 8, 9, 10, 12),  # 8 only for wide children: bands are div today, not table
}

_Answer = Literal["divide", "block", "cut"]
_Ruling = (
    tuple[_Answer, int] | None
)  # what becomes of a node, and how coherent it is; nothing where a rule is silent
_DIVIDE: Final[tuple[_Answer, int]] = ("divide", 0)


class _Case(NamedTuple):
    """A node that the rules are asked about."""

    number: int
    node: RenderedNode
    children: tuple[int, ...]
    root: bool  # the only root of what is being divided
    divided: bool  # so was the sibling before


@dataclass(frozen=True, slots=True)
class Atom:
    """What one round does not divide: a node, or a run of texts that stand in one line of thought."""

    roots: tuple[int, ...]
    box: Box
    coherence: int


class Divider:
    """The rules, applied to one view."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.nodes = view.nodes

    @cached_property
    def apart(self) -> tuple[int, ...]:
        """What stays in its place on the screen while the page moves, and is not part of its container."""
        found: list[int] = []
        inside = [False] * len(self.nodes)
        for number, node in enumerate(self.nodes):
            if node.parent < 0:
                continue
            stays = not node.is_text and node.style.position in _STAYING and node.tag not in _IN_TABLES
            if stays and not inside[node.parent] and self._seen(number):
                found.append(number)
            inside[number] = inside[node.parent] or (stays and self._seen(number))
        held = {node.parent for number, node in enumerate(self.nodes) if node.is_text and inside[number]}
        loose = (node for number, node in enumerate(self.nodes) if node.is_text and not inside[number])
        # A page that stays in its place as a whole is a page like any other.
        return tuple(found) if not held or any(node.visible for node in loose) else ()

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children that can be seen; what has no size itself stands aside for what is in it."""
        found: list[tuple[int, ...]] = [()] * len(self.nodes)
        apart = set(self.apart)
        for number in range(len(self.nodes) - 1, -1, -1):
            seen: list[int] = []
            for child in self.view.children[number]:
                if child not in apart:
                    seen += (child,) if self._seen(child) else found[child]
            found[number] = tuple(seen)
        return tuple(found)

    @cached_property
    def edge(self) -> tuple[int, ...]:
        """The first text in each node, or the first thing there is: what a block looks like where it begins."""
        found = list(range(len(self.nodes)))
        for number in range(len(self.nodes) - 1, -1, -1):
            if inner := self.children[number]:
                found[number] = found[inner[0]]
        return tuple(found)

    @cached_property
    def rulers(self) -> tuple[Box, ...]:
        """The lines that part what is above from what is below, from top to bottom."""
        return tuple(
            sorted((node.box for node in self.nodes if node.tag == "hr" and node.visible), key=lambda box: box.y)
        )

    @cached_property
    def background(self) -> tuple[str, ...]:
        """What colour is behind each node."""
        found: list[str] = []
        for node in self.nodes:
            own = node.style.background
            clear = node.is_text or own in ("transparent", "") or own.endswith(", 0)")
            found.append((found[node.parent] if node.parent >= 0 else "white") if clear else own)
        return tuple(found)

    @cached_property
    def link(self) -> tuple[int | None, ...]:
        """The link that each node stands in."""
        found: list[int | None] = []
        for number, node in enumerate(self.nodes):
            own = number if node.tag == "a" and node.href else None
            found.append(own if own is not None or node.parent < 0 else found[node.parent])
        return tuple(found)

    @cached_property
    def wordy(self) -> tuple[bool, ...]:
        """Which nodes are text, or inline with nothing but text inside."""
        found = [node.is_text or node.tag == "br" for node in self.nodes]
        for number in range(len(self.nodes) - 1, -1, -1):
            if self._inline(number) and self.nodes[number].tag not in _WHOLE:
                found[number] = found[number] or (
                    bool(self.children[number]) and all(found[child] for child in self.children[number])
                )
        return tuple(found)

    def whole(self) -> tuple[Atom, ...]:
        """Give the page as one atom that is still to be divided."""
        if not self.nodes:
            return ()
        roots = (0,) if self._seen(0) else self.children[0]
        return tuple(self._atom(root, 1) for root in roots)

    def staying(self) -> tuple[Atom, ...]:
        """Give what stays in its place, each as one atom that is still to be divided."""
        return tuple(self._atom(number, 1) for number in self.apart)

    def below(self, atom: Atom) -> list[int]:
        """Give all nodes of an atom that can be seen."""
        waiting = list(atom.roots)
        for number in waiting:
            waiting += self.children[number]
        return waiting

    def divide(self, atoms: Sequence[Atom]) -> tuple[Atom, ...]:
        """Divide atoms by one round of the rules; empty where nothing can be divided anymore."""
        roots = [root for atom in atoms for root in atom.roots]
        found = self._round(roots)
        return () if [atom.roots for atom in found] == [atom.roots for atom in atoms] else tuple(found)

    def _round(self, roots: Sequence[int]) -> list[Atom]:
        found: list[Atom] = []
        divided: dict[int, bool] = {}  # by parent: was its last child divided?
        waiting = list(reversed(roots))
        alone = len(roots) == 1
        kept: set[int] = set()  # by rule 8: not to be divided in this round
        while waiting:
            number = waiting.pop()
            parent = self.nodes[number].parent
            run = self._run(number, waiting)
            if len(run) > 1:
                found.append(self._text(run))
                continue
            if number in kept:
                found.append(self._atom(number, self._degree(number, 6)))
                continue
            answer, degree = self._rule(
                number, root=alone and number == roots[0], divided=divided.get(parent, True)
            )
            divided[parent] = answer == "divide"
            if answer == "divide":
                kept.update(self._other_background(number))
                waiting += reversed(self.children[number])
            elif answer == "block":
                found.append(self._atom(number, degree))
        return found

    def _run(self, number: int, waiting: list[int]) -> list[int]:
        """Take the texts that follow a text under the same parent: they are read as one."""
        run = [number]
        parent = self.nodes[number].parent
        while (
            self.wordy[run[0]] and waiting and self.wordy[waiting[-1]] and self.nodes[waiting[-1]].parent == parent
        ):
            run.append(waiting.pop())
        return run

    def _rule(self, number: int, *, root: bool, divided: bool) -> tuple[_Answer, int]:
        """Apply the first rule that has something to say."""
        node = self.nodes[number]
        if node.is_text:
            return "block", _ONE_THING
        if node.tag in _WHOLE:
            return "block", _PICTURE
        kind = "inline" if self._inline(number) else node.tag if node.tag in _RULES else "other"
        case = _Case(number, node, self.children[number], root, divided)
        answers = (getattr(self, f"_rule_{rule}")(case) for rule in _RULES[kind])
        return next((answer for answer in answers if answer), _DIVIDE)

    def _rule_1(self, case: _Case) -> _Ruling:
        if not case.children:
            return ("block", _PICTURE) if case.node.style.background_image else ("cut", 0)
        return None

    def _rule_2(self, case: _Case) -> _Ruling:
        return _DIVIDE if len(case.children) == 1 and not self.nodes[case.children[0]].is_text else None

    def _rule_3(self, case: _Case) -> _Ruling:
        return _DIVIDE if case.root and not all(self.wordy[child] for child in case.children) else None

    def _rule_4(self, case: _Case) -> _Ruling:
        if all(self.wordy[child] for child in case.children):
            return "block", self._fonts(case.children)
        return None

    def _rule_5(self, case: _Case) -> _Ruling:
        breaks = (not self._inline(child) and not self.nodes[child].is_text for child in case.children)
        return _DIVIDE if any(breaks) else None

    def _rule_6(self, case: _Case) -> _Ruling:
        return _DIVIDE if any(self.nodes[child].tag == "hr" for child in case.children) else None

    def _rule_7(self, case: _Case) -> _Ruling:
        inside = sum(self.nodes[child].box.area for child in case.children)
        return _DIVIDE if inside > case.node.box.area else None

    def _rule_8(self, case: _Case) -> _Ruling:
        return _DIVIDE if self._other_background(case.number) else None

    def _rule_9(self, case: _Case) -> _Ruling:
        if case.node.box.area < SMALL and any(self.wordy[child] for child in case.children):
            return "block", self._degree(case.number, 5)
        return None

    def _rule_10(self, case: _Case) -> _Ruling:
        if max(self.nodes[child].box.area for child in case.children) < SMALL:
            return "block", self._degree(case.number, 5)
        return None

    def _rule_11(self, case: _Case) -> _Ruling:
        return None if case.divided else ("block", self._degree(case.number, 5))

    def _rule_12(self, _: _Case) -> _Ruling:
        return _DIVIDE

    def _rule_13(self, case: _Case) -> _Ruling:
        return "block", self._degree(case.number, 5)

    def _other_background(self, number: int) -> list[int]:
        """Give the children on another ground; in a div only those that are wide."""
        node, ground = self.nodes[number], self.background[number]
        wide = 0.0 if node.tag in ("table", "tr") else node.box.width / 2
        return [
            child
            for child in self.children[number]
            if self.background[child] != ground and self.nodes[child].box.width > wide and not self.wordy[child]
        ]

    def _degree(self, number: int, least: int) -> int:
        node = self.nodes[number]
        large = node.box.area > _LARGE * _SCREEN * max(self.view.width, 1)
        return max(least, _BY_TAG.get(node.tag, _OTHER_TAG) - large)

    def _fonts(self, numbers: Sequence[int]) -> int:
        """Text in one font is one thing; in two it is nearly so."""
        fonts = set()
        waiting = list(numbers)
        for number in waiting:
            waiting += self.children[number]
            if self.nodes[number].is_text:
                fonts.add((self.nodes[number].style.font_size, self.nodes[number].style.font_weight))
        return _ONE_THING if len(fonts) <= 1 else _TWO_FONTS

    def _text(self, run: Sequence[int]) -> Atom:
        return Atom(tuple(run), around(self.nodes[number].box for number in run), self._fonts(run))

    def _atom(self, number: int, degree: int) -> Atom:
        return Atom((number,), self.nodes[number].box, degree)

    def _seen(self, number: int) -> bool:
        return self.nodes[number].visible

    def _inline(self, number: int) -> bool:
        node: RenderedNode = self.nodes[number]
        return not node.is_text and node.style.display.startswith(("inline", "contents"))
