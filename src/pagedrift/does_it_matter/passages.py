"""What does a page say, passage by passage, and how much does each passage weigh?

A passage is the text between two edges of blocks: a paragraph, a cell, a list item. Its weight says how likely it
belongs to what the page is for; menus, sidebars, footers and stamps weigh little. The page as rendered and the page
as written give passages by the same rules, so that a judge works with and without a browser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift._kernels.names import FLAGS, IDEOGRAPH, INLINE, KNOWN
from pagedrift.facets.tree import ELEMENT, TEXT
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
_UNSEEN: Final = frozenset(
    ("script", "style", "noscript", "template", "head", "title", "textarea", "datalist", "iframe")
)
_UNSEEN_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_INLINE_TAGS: Final = frozenset(name for name, flags in zip(KNOWN, FLAGS, strict=False) if flags & INLINE) | {
    "img",
    "br",
}
_IDEOGRAPH: Final = re.compile(IDEOGRAPH)
_MENU_WORDS: Final = 4  # a linked passage this short is likely an entry of a menu


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedPassage:
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


class _Node(NamedTuple):
    """What the rules need to know of a node, rendered or not; nodes come in document order."""

    parent: int
    tag: str  # empty for a text
    names: str = ""
    role: str = ""
    inline: bool = False
    linked: bool = False
    text: str = ""
    box: Box | None = None


def passages(page: PageVersion) -> tuple[WeightedPassage, ...]:
    """Read the passages of a page: as rendered where it was, else from its source.

    >>> from pagedrift import PageVersion
    >>> page = PageVersion("", b"<nav><a href=/>Home</a></nav><p>A permit costs <b>$120</b> a year, at the desk.")
    >>> [(each.text, round(each.weight, 2)) for each in passages(page)]
    [('home', 0.07), ('a permit costs $120 a year, at the desk.', 1.0)]
    """
    nodes = list(_of_view(page.view) if page.view else _of_tree(page.tree))
    return tuple(_passages(nodes))


def split(text: str) -> tuple[str, ...]:
    """Split a text into words in lower case; ideographs stand for themselves.

    >>> split("Fees  日本")
    ('fees', '日', '本')
    """
    if text.isascii():  # most are, and it takes a fifth of the time
        return tuple(text.lower().split())
    return tuple(_IDEOGRAPH.sub(r" \g<0> ", text).lower().split())


def _passages(nodes: list[_Node]) -> Iterator[WeightedPassage]:
    words = [split(node.text) if not node.tag else () for node in nodes]
    weights = _weights(nodes, words)
    for run in _runs(nodes, words):
        found = tuple(word for number in run for word in words[number])
        linked = sum(len(words[number]) for number in run if nodes[number].linked)
        first = nodes[run[0]]
        weight = weights[first.parent] if first.parent >= 0 else 1.0
        if linked == len(found) <= _MENU_WORDS:
            weight *= 0.7
        boxes = [box for number in run if (box := nodes[number].box) is not None]
        heading = any(tag in _HEADINGS for tag in _tags_above(nodes, run[0]))
        yield WeightedPassage(
            words=found, weight=weight, heading=heading, linked=linked > 0, box=around(boxes) if boxes else None
        )


def _runs(nodes: list[_Node], words: list[tuple[str, ...]]) -> Iterator[list[int]]:
    """Group the texts that no edge of a block keeps apart."""
    run: list[int] = []
    block = -2
    open_blocks = [-1] * len(nodes)  # the nearest block that a node stands in
    for number, node in enumerate(nodes):
        above = node.parent
        within = open_blocks[above] if above >= 0 else -1
        open_blocks[number] = within if node.inline or not node.tag else number
        if words[number]:
            if within != block and run:
                yield run
                run = []
            block = within
            run.append(number)
        elif node.tag and not node.inline and run:
            yield run
            run = []
    if run:
        yield run


def _weights(nodes: list[_Node], words: list[tuple[str, ...]]) -> list[float]:
    """Weigh each node as the least of the parts that it stands in, but for those that are most of the page."""
    mass = [len(found) * (_LINKED_COUNTS if node.linked else 1.0) for node, found in zip(nodes, words, strict=True)]
    for number in range(len(nodes) - 1, 0, -1):
        if nodes[number].parent >= 0:
            mass[nodes[number].parent] += mass[number]
    enough = MAIN_SHARE * (mass[0] if nodes else 0)
    weights = [1.0] * len(nodes)
    pardoned: list[frozenset[int]] = [frozenset()] * len(nodes)
    for number, node in enumerate(nodes):
        if node.parent >= 0:
            weights[number], pardoned[number] = weights[node.parent], pardoned[node.parent]
        if not node.tag:
            continue
        group = _group(node.names)
        if mass[number] >= enough:
            if group is not None and node.tag != "body":
                pardoned[number] |= {group}  # what is in a menu that is the page says menu-item all over
            continue
        weights[number] = min(weights[number], _LANDMARKS.get(node.tag, 1.0), _ROLES.get(node.role, 1.0))
        if group is not None and group not in pardoned[number]:
            weights[number] = min(weights[number], _NAMES[group][0])
    return weights


@lru_cache(maxsize=10_000)  # some sites make new names with every build
def _group(names: str) -> int | None:
    return (
        next((number for number, (_, pattern) in enumerate(_NAMES) if pattern.search(names)), None)
        if names
        else None
    )


def _tags_above(nodes: list[_Node], number: int) -> Iterator[str]:
    """Give the tags that a text stands in, up to its block."""
    number = nodes[number].parent
    while number >= 0:
        yield nodes[number].tag
        if not nodes[number].inline:
            return
        number = nodes[number].parent


def _of_view(view: View) -> Iterator[_Node]:
    """Read the nodes of a rendered page; what cannot be seen has no text."""
    linked: list[bool] = []
    for node in view.nodes:
        links = bool(node.tag == "a" and node.href) or (node.parent >= 0 and linked[node.parent])
        linked.append(links)
        if node.is_text:
            yield _Node(node.parent, "", text=node.text if node.visible else "", linked=links, box=node.box)
        else:
            inline = node.style.display.startswith(("inline", "contents"))
            yield _Node(node.parent, node.tag, f"{node.classes} {node.id}".strip(), node.role, inline, links)


def _of_tree(tree: Tree) -> Iterator[_Node]:
    """Read the nodes of a page as written; what is known to be hidden is left out, and so are blank texts."""
    numbers = [-1] * len(tree)
    linked: list[bool] = []
    unseen_until = 0
    kinds, parents = tree.kind, tree.parent  # at hand: this runs for every node
    for node in range(1, len(tree)):
        kind = kinds[node]
        if node < unseen_until or kind not in (ELEMENT, TEXT):
            continue
        parent = numbers[parents[node]]
        within = parent >= 0 and linked[parent]
        if kind == TEXT:
            text = tree.text(node)
            if text.isspace():
                continue
            made = _Node(parent, "", text=text, linked=within)
        else:
            tag, attributes = tree.tag(node), dict(tree.attributes(node))
            if tag in _UNSEEN or _is_hidden(attributes):
                unseen_until = tree.end[node]
                continue
            links = within or (tag == "a" and "href" in attributes)
            made = _Node(parent, tag, _names(attributes), attributes.get("role", ""), tag in _INLINE_TAGS, links)
        numbers[node] = len(linked)
        linked.append(made.linked)
        yield made


def _is_hidden(attributes: dict[str, str]) -> bool:
    return "hidden" in attributes or ("style" in attributes and bool(_UNSEEN_STYLE.search(attributes["style"])))


def _names(attributes: dict[str, str]) -> str:
    return f"{attributes.get('class', '')} {attributes.get('id', '')}".strip() if attributes else ""
