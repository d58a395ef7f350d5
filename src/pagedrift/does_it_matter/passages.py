"""What does a page say, passage by passage, and how much does each passage weigh?

A passage is the text between two edges of blocks: a paragraph, a cell, a list item. Its weight says how likely it
belongs to what the page is for; menus, sidebars, footers and stamps weigh little. The page as rendered and the page
as written give passages by the same rules, so that a judge works with and without a browser.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift._kernels import find_texts
from pagedrift.does_it_matter.lines import read_line
from pagedrift.does_it_matter.written_elements import UNSEEN, read_elements
from pagedrift.facets.tree import ELEMENT
from pagedrift.facets.view import around

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.facets.tree import Tree
    from pagedrift.facets.view import Box, View
    from pagedrift.page import PageVersion

# A part that holds half of the words is what the page is for, whatever it is called.
MAIN_SHARE: Final = 0.5
_LINKED_COUNTS: Final = (
    0.1  # how much a word of a link counts there: recent posts may be more words than a short post
)
_LANDMARKS: Final = {"footer": 0.08, "nav": 0.1, "aside": 0.2, "button": 0.3, "header": 0.4, "form": 0.5}
_ROLES: Final = {
    "contentinfo": 0.08,
    "navigation": 0.1,
    "menu": 0.1,
    "complementary": 0.2,
    "search": 0.35,
    "banner": 0.4,
}
# Names that page makers give to what is around the content; the first group that applies counts.
_NAMES: Final = (
    (0.08, re.compile(r"foot|copyright|(?:^|[-_ ])(?:copy|legal|colophon|credits?|bottom)(?:[-_ ]|$)", re.I)),
    (0.12, re.compile(r"nav|menu|crumb|toolbar|pager|pagination|(?:tabs?|toc)(?:[-_ ]|$)", re.I)),
    (0.25, re.compile(r"side|widget|recent|related|popular|tags|categor|blogroll|sponsor", re.I)),
    (
        0.35,
        re.compile(
            r"header|masthead|logo|topbar|banner|social|share|search|login|comment|advert|cookie|modal|popup|hidden"
            r"|(?:^|[-_ ])ads?(?:[-_ ]|$)|meta(?:[-_ ]|$)",
            re.I,
        ),
    ),
)
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4"))
_MENU_WORDS: Final = 4  # a linked passage this short is likely an entry of a menu


class WeightedPassage(NamedTuple):
    """One passage of a page."""

    words: tuple[str, ...]  # in lower case
    weight: float  # 1 for what the page is for, near 0 for what is around it
    heading: bool
    linked: bool  # some of it is a link
    box: Box | None  # as rendered

    @property
    def text(self) -> str:
        """Its words as one text."""
        return " ".join(self.words)


class _ElementRule(NamedTuple):
    """What the rules say of elements that are alike."""

    inline: bool
    heading: bool
    group: int | None  # of names
    least: float  # the weight of what it is by its tag and role
    body: bool

    @classmethod
    def of(cls, tag: str, names: str, role: str, *, inline: bool) -> _ElementRule:
        least = min(_LANDMARKS.get(tag, 1.0), _ROLES.get(role, 1.0))
        return cls(inline, tag in _HEADINGS, _group(names), least, tag == "body")


class _Nodes:
    """What the rules need to know of the nodes of a page, rendered or not, in document order."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.rule: list[_ElementRule | None] = []  # None for a text
        self.linked: list[bool] = []
        self.words: list[tuple[str, ...]] = []
        self.boxes: dict[int, Box] = {}  # of texts

    def add(self, parent: int, rule: _ElementRule | None, linked: bool, words: tuple[str, ...] = ()) -> int:
        """Add the next one, and give its number."""
        self.parent.append(parent)
        self.rule.append(rule)
        self.linked.append(linked)
        self.words.append(words)
        return len(self.parent) - 1


def passages(page: PageVersion) -> tuple[WeightedPassage, ...]:
    """Read the passages of a page: as rendered where it was, else from its source.

    >>> from pagedrift import PageVersion
    >>> page = PageVersion("", b"<nav><a href=/>Home</a></nav><p>A permit costs <b>$120</b> a year, at the desk.")
    >>> [(each.text, round(each.weight, 2)) for each in passages(page)]
    [('home', 0.07), ('a permit costs $120 a year, at the desk.', 1.0)]
    """
    return tuple(_passages(_of_view(page.view) if page.view else _of_tree(page.tree)))


def _passages(nodes: _Nodes) -> Iterator[WeightedPassage]:
    weights, words = _weights(nodes), nodes.words
    for run in _runs(nodes):
        first = run[0]
        if len(run) == 1:
            found, linked = words[first], len(words[first]) if nodes.linked[first] else 0
        else:
            found = tuple([word for number in run for word in words[number]])
            linked = sum([len(words[number]) for number in run if nodes.linked[number]])
        parent = nodes.parent[first]
        weight = weights[parent] if parent >= 0 else 1.0
        if linked == len(found) <= _MENU_WORDS:
            weight *= 0.7
        boxes = [nodes.boxes[number] for number in run if number in nodes.boxes] if nodes.boxes else []
        box = around(boxes) if boxes else None
        yield WeightedPassage(found, weight, _in_heading(nodes, first), linked > 0, box)


def _runs(nodes: _Nodes) -> list[list[int]]:
    """Group the texts that no edge of a block keeps apart."""
    runs: list[list[int]] = []
    apart, block = True, -2  # whether an element that is not inline stands before, and that of the last text
    open_blocks: list[int] = []  # the nearest block that a node stands in
    for number, (parent, rule) in enumerate(zip(nodes.parent, nodes.rule, strict=True)):
        within = open_blocks[parent] if parent >= 0 else -1
        if rule is not None and not rule.inline:
            open_blocks.append(number)
            apart = True
            continue
        open_blocks.append(within)
        if rule is None and nodes.words[number]:
            if apart or within != block:
                runs.append([])
            runs[-1].append(number)
            apart, block = False, within
    return runs


def _weights(nodes: _Nodes) -> list[float]:
    """Weigh each node as the least of the parts that it stands in, but for those that are most of the page."""
    mass = _mass(nodes)
    enough = MAIN_SHARE * (mass[0] if mass else 0)
    weights, none = list[float](), frozenset[int]()
    pardoned: list[frozenset[int]] = []
    for number, (parent, rule) in enumerate(zip(nodes.parent, nodes.rule, strict=True)):
        weight, spared = (weights[parent], pardoned[parent]) if parent >= 0 else (1.0, none)
        if rule is not None:
            _, _, group, least, is_body = rule
            if mass[number] >= enough:
                if group is not None and not is_body:
                    spared |= {group}  # what is in a menu that is the page says menu-item all over
            else:
                weight = least if least < weight else weight
                if group is not None and group not in spared:
                    weight = min(weight, _NAMES[group][0])
        weights.append(weight)
        pardoned.append(spared)
    return weights


def _mass(nodes: _Nodes) -> list[float]:
    """Count the words in each node; those of links count less."""
    mass = [
        len(found) * (_LINKED_COUNTS if linked else 1.0)
        for found, linked in zip(nodes.words, nodes.linked, strict=True)
    ]
    parents = nodes.parent
    for number in range(len(mass) - 1, 0, -1):
        if mass[number] and parents[number] >= 0:
            mass[parents[number]] += mass[number]
    return mass


@lru_cache(maxsize=10_000)  # some sites make new names with every build
def _group(names: str) -> int | None:
    return (
        next((number for number, (_, pattern) in enumerate(_NAMES) if pattern.search(names)), None)
        if names
        else None
    )


def _in_heading(nodes: _Nodes, number: int) -> bool:
    """Say whether a text stands in a heading, up to its block."""
    number = nodes.parent[number]
    while number >= 0 and (rule := nodes.rule[number]) is not None:
        if rule.heading or not rule.inline:
            return rule.heading
        number = nodes.parent[number]
    return False


def _of_view(view: View) -> _Nodes:
    """Read the nodes of a rendered page; what cannot be seen has no text."""
    nodes = _Nodes()
    for node in view.nodes:
        links = bool(node.tag == "a" and node.href) or (node.parent >= 0 and nodes.linked[node.parent])
        if node.is_text:
            words = read_line(node.text).words if node.visible else ()
            number = nodes.add(node.parent, None, links, words)
            if node.box is not None:
                nodes.boxes[number] = node.box
        else:
            inline = node.style.display.startswith(("inline", "contents"))
            names = f"{node.classes} {node.id}".strip()
            nodes.add(node.parent, _ElementRule.of(node.tag, names, node.role, inline=inline), links)
    return nodes


def _of_tree(tree: Tree) -> _Nodes:
    """Read the nodes of a page as written; what is known to be hidden is left out, and so are blank texts."""
    nodes, numbers = _Nodes(), [-1] * len(tree)
    kind_of, written = read_elements(tree)
    hidden = [each.hidden or each.tag in UNSEEN for each in written]
    rules = [_ElementRule.of(each.tag, each.names, each.role, inline=each.inline) for each in written]
    leads = [each.tag == "a" for each in written]
    texts = {*find_texts(tree.columns)[0]}
    parents, linked, words = nodes.parent, nodes.linked, nodes.words  # at hand: this runs for every node
    unseen_until = 0
    for node, (kind, parent) in enumerate(zip(tree.kind, tree.parent, strict=True)):
        if node < unseen_until:
            continue
        above = numbers[parent]
        if kind == ELEMENT:
            number = kind_of[node]
            if hidden[number]:
                unseen_until = tree.end[node]
                continue
            numbers[node] = len(parents)
            links = above >= 0 and linked[above]
            linked.append(links or (leads[number] and tree.attribute(node, "href") is not None))
            nodes.rule.append(rules[number])
            words.append(())
        elif node in texts:
            linked.append(above >= 0 and linked[above])
            nodes.rule.append(None)
            words.append(read_line(tree.text(node)).words)
        else:
            continue
        parents.append(above)
    return nodes
