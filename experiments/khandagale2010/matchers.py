"""The matchers that are compared: ours, the paper's, similarity-based flexible tree matching, and xmldiff.

Each gives pairs of elements, by their numbers on the old and the new page, and the processor time it took with the
trees at hand. htmldiff of lxml is not among them: it marks text as inserted or deleted and names no nodes.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from experiments.khandagale2010.flexible import match_flexibly
from experiments.khandagale2010.mutations import Mutant, build_tree, copy_tree, mutate
from pagedrift.facets.tree import COMMENT, ELEMENT, TEXT
from pagedrift.what_changed.matching import match
from pagedrift.what_changed.signatures import match_by_signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.khandagale2010.mutations import MutableNode
    from pagedrift.facets.tree import Tree

Pairs = list[tuple[int, int]]  # elements: old, new

OURS: Final = "ours"
ON_SMALL: Final = "ours, same pages"  # as xmldiff


@dataclass(frozen=True, slots=True)
class MutatedPage:
    """A page and its mutant, and which nodes of the old tree those of the new one are."""

    old: Tree
    new: Tree
    origins: Sequence[int | None]
    mutant: Mutant


def make_mutated_page(old: Tree, rate: float, seed: int) -> MutatedPage:
    """Mutate a page."""
    mutant = mutate(old, rate, seed)
    new, origins = build_tree(mutant.root)
    return MutatedPage(old, new, origins, mutant)


def by_default(page: MutatedPage) -> tuple[Pairs, float]:
    """Match as `diff` does."""
    start = time.process_time()
    new_of = match(page.old, page.new).new_of
    seconds = time.process_time() - start
    return [(i, new_of[i]) for i in page.old.elements() if new_of[i] >= 0], seconds


def by_signatures(page: MutatedPage) -> tuple[Pairs, float]:
    """Match by the paper's signatures; what is below discarded nodes, child by child."""
    start = time.process_time()
    matching = match_by_signature(page.old, page.new)
    seconds = time.process_time() - start
    pairs, pending = [], [(0, 0)]
    while pending:
        i, j = pending.pop()
        pairs.append((i, j))
        for one, other in zip(page.old.children(i), page.new.children(j), strict=False):
            if matching.same_old[i] or matching.new_of[one] == other:
                pending.append((one, other))
    return [(i, j) for i, j in pairs if page.old.kind[i] == page.new.kind[j] == ELEMENT], seconds


def by_similarity(page: MutatedPage, *, texts: bool = False) -> tuple[Pairs, float]:
    """Match by similarity-based flexible tree matching."""
    start = time.process_time()
    pairs = match_flexibly(page.old, page.new, texts=texts)
    return pairs, time.process_time() - start


def by_xmldiff(page: MutatedPage) -> tuple[Pairs, float]:
    """Match as xmldiff does."""
    from xmldiff.diff import Differ

    (left, old_nodes), (right, new_nodes) = build_lxml(copy_tree(page.old)), build_lxml(page.mutant.root)
    differ = Differ()
    start = time.process_time()
    matches = differ.match(left, right)
    seconds = time.process_time() - start
    # xmldiff works on a copy of the left tree.
    old_of = dict(zip(differ.left.iter(), old_nodes, strict=True))
    new_of = dict(zip(right.iter(), new_nodes, strict=True))
    found = [(old_of[one], new_of[other]) for one, other, _ in matches]
    return [(i, j) for i, j in found if page.old.kind[i] == page.new.kind[j] == ELEMENT], seconds


Matcher = Callable[[MutatedPage], tuple[Pairs, float]]
MATCHERS: Final[dict[str, Matcher]] = {
    OURS: by_default,
    "paper's signatures": by_signatures,
    "SFTM": by_similarity,
    "SFTM, texts too": partial(by_similarity, texts=True),
}
ON_SMALL_PAGES: Final[dict[str, Matcher]] = {ON_SMALL: by_default, "xmldiff": by_xmldiff}

_NO_NAME = re.compile(r"[^\w.-]")
_NO_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def build_lxml(root: MutableNode) -> tuple[Any, list[int]]:
    """Build a tree for lxml from the root element on, and list which node of ours each of its nodes is."""
    made: dict[MutableNode, Any] = {}
    numbers: list[int] = []
    top: MutableNode | None = None
    for number, node in enumerate(root.below()):
        if node.kind == ELEMENT and top is None:
            top = node
        if top is None or (node is not top and node.parent not in made):
            continue
        if node.kind == TEXT:
            _add_text(made[node.parent], _NO_TEXT.sub("", node.text))
        elif node.kind in (ELEMENT, COMMENT):
            made[node] = _make_lxml(node)
            numbers.append(number)
            if node is not top:
                made[node.parent].append(made[node])
    return made[top], numbers


def _make_lxml(node: MutableNode) -> Any:
    from lxml import etree

    if node.kind == COMMENT:
        return etree.Comment(_NO_TEXT.sub("", node.text).replace("-", "_"))
    element = etree.Element(_as_name(node.name))
    for name, value in node.attributes:
        element.set(_as_name(name), _NO_TEXT.sub("", value))
    return element


def _as_name(name: str) -> str:
    return "x" + _NO_NAME.sub("_", name) if not name[:1].isalpha() else _NO_NAME.sub("_", name)


def _add_text(parent: Any, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text
