"""Signatures of changes: the same edit on many pages of a site, and pages that flip back and forth.

A step is known by what was done, to which words, and between which landmarks and names it stands: never by numbers
of nodes or places, which differ from page to page. So one edit of a menu has one signature on all pages with it.
"""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from pagedrift.durations import DAY
from pagedrift.facets.tree import ELEMENT, NONE, TEXT
from pagedrift.what_changed.actions import AttributeAction, Insert, Move
from pagedrift.what_changed.descriptions import MAX_NODES
from pagedrift.what_changed.noise import settled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion
    from pagedrift.what_changed.actions import Action

DEEPEST: Final = 4  # elements that say where a step stands
WINDOW: Final = 6  # versions in which a page may come back
LASTING: Final = 2 * DAY  # what was there for as long has not just flipped
MAIN_SHARE: Final = 0.5  # of the text: what holds as much is what the page is for, whatever it is called
_SIGNS: Final = 32  # of a signature, in hexadecimal
_REDESIGNED: Final = "redesigned"  # all pages of a site that are redesigned together are one alert

UNREAD: Final = ("script", "style", "noscript", "template")
_FRAME: Final = frozenset(("nav", "footer", "aside", "header"))
_ROLES: Final = frozenset(("navigation", "contentinfo", "banner", "complementary", "menu", "menubar", "search"))
_NAMES: Final = re.compile(
    r"(?:^|[-_ ])(?:(?:site|page|main|global|top)[-_]?)?"
    r"(?:nav|navbar|navigation|menu|footer|header|masthead|sidebar|breadcrumbs?|topbar|cookies?|consent|banner)"
    r"(?:[-_ ]|$)",
    re.IGNORECASE,
)
_CONTENT: Final = frozenset(("main", "article"))  # whose header is part of it
_LANDMARKS: Final = frozenset("header nav main aside footer article form".split())
_PLAIN: Final = frozenset(("html", "body", "tbody", "head"))
_STATES: Final = re.compile(
    r"\d|active|current|selected|open|focus|hover|visited|first|last|odd|even|^is-|^has-", re.I
)
_ADDRESSES: Final = frozenset(("href", "src", "action", "poster", "data-src"))


def signature(signatures: Iterable[str], *, redesigned: bool = False) -> str:
    """Give the signature of a whole change: that of its steps together, in whatever order.

    >>> signature(["a", "b"]) == signature(["b", "a", "a"]) != signature(["a"])
    True
    """
    return _hash(_REDESIGNED) if redesigned else _hash(*sorted(set(signatures)))


def is_flip_flop(digests: Sequence[str], *, stood: float = 0.0) -> bool:
    """Return whether the last of some versions, the newest last, is one that was there before and had gone.

    `stood` is how long the version before the last was there, in seconds: a price that is back after weeks is news.

    >>> is_flip_flop("ABA"), is_flip_flop("ABCA"), is_flip_flop("AAB"), is_flip_flop("ABB")
    (True, True, False, False)
    """
    *earlier, newest = digests[-WINDOW:] or [""]
    return bool(earlier) and stood < LASTING and earlier[-1] != newest and newest in earlier


def flipped_back_to(states: Sequence[tuple[str, datetime]], *, stood: float = 0.0) -> datetime | None:
    """Give when a page was last as it is now, where it flipped back to that; `states` end with the newest."""
    if not is_flip_flop([digest for digest, _ in states], stood=stood):
        return None
    *earlier, (newest, _) = states
    return next(at for digest, at in reversed(earlier) if digest == newest)


class Surroundings:
    """Where the nodes of one page stand: in its frame or its content, and under which names."""

    def __init__(self, page: PageVersion) -> None:
        self.tree, self.url = page.tree, page.url
        self._frame = frame_nodes(page.tree)
        self._paths: dict[int, tuple[str, ...]] = {}

    @cached_property
    def unread(self) -> bytearray:
        """What stands in scripts, styles and templates, which no reader sees."""
        marks = bytearray(len(self.tree))
        for node in self.tree.elements(*UNREAD):
            marks[node : self.tree.end[node]] = b"\1" * (self.tree.end[node] - node)
        return marks

    def in_frame(self, node: int) -> bool:
        """Return whether a node belongs to what is around the content."""
        return bool(self._frame[node])

    def path(self, node: int) -> str:
        """Name the elements around a node, from a landmark or an id inwards."""
        above = self.tree.parent[node]
        if above not in self._paths:
            self._paths[above] = tuple(_names_above(self.tree, above))
        return " › ".join(reversed(self._paths[above]))


def action_signature(action: Action, old: Surroundings, new: Surroundings) -> str:
    """Give the signature of one step."""
    side, node = place(action, old, new)
    description = action.described(old.tree)
    what = description.what if not isinstance(action, Insert) else side.tree.tag(node)
    if isinstance(action, AttributeAction):
        words = tuple(_value(action.name, text, side.url) for text in (description.before, description.after))
        what = f"{side.tree.tag(node)} {action.name}"
    elif isinstance(action, Move):
        words = (description.before, new.path(action.number))
    else:
        words = (description.before, description.after)
        if not any(
            map(str.strip, _texts(side.tree, node))
        ):  # identified by its attributes: an image, a rule, a frame
            words = (_shown(side, node),)
    return _hash(action.mark, what, side.path(node), *(" ".join(each.split()) for each in words))


def place(action: Action, old: Surroundings, new: Surroundings) -> tuple[Surroundings, int]:
    """Say on which page, and at which of its nodes, a step is seen: on the new one where that has it."""
    if isinstance(action, Insert):
        return new, action.nodes[0].number
    return old, getattr(action, "node", 0)


def frame_nodes(tree: Tree) -> bytearray:
    """Mark the nodes in menus, headers, footers and sidebars, but for those that are most of the page."""
    marks, mass = bytearray(len(tree)), _mass(tree)
    enough = MAIN_SHARE * mass[0]
    content_until = 0
    node = 1
    while node < len(tree):
        if tree.kind[node] == ELEMENT:
            tag = tree.tag(node)
            if tag in _CONTENT:
                content_until = max(content_until, tree.end[node])
            if mass[node] < enough and _is_frame(tree, node, tag, inside=node < content_until):
                marks[node : tree.end[node]] = b"\1" * (tree.end[node] - node)
                node = tree.end[node]
                continue
        node += 1
    return marks


def _is_frame(tree: Tree, node: int, tag: str, *, inside: bool) -> bool:
    """Return whether an element is a part around the content; in an article only menus are."""
    if tag in _FRAME:
        return not inside or tag == "nav"
    role = tree.attribute(node, "role") or ""
    names = f"{tree.attribute(node, 'id') or ''} {tree.attribute(node, 'class') or ''}"
    return role in _ROLES or (not inside and tag not in ("body", "html") and bool(_NAMES.search(names[:200])))


def _mass(tree: Tree) -> list[int]:
    """Count the bytes of text in each subtree, scripts and styles apart."""
    starts, mass = tree.columns.text_start, [0] * len(tree)
    unread = {number for number, name in enumerate(tree.names) if name in UNREAD}
    for node in range(len(tree) - 1, 0, -1):
        if tree.kind[node] == TEXT:
            mass[node] = starts[node + 1] - starts[node]
        if tree.name[node] not in unread or tree.kind[node] != ELEMENT:
            mass[tree.parent[node]] += mass[node]
    return mass


def _names_above(tree: Tree, node: int) -> Iterator[str]:
    for _ in range(DEEPEST):
        while node > 0 and tree.tag(node) in _PLAIN:
            node = tree.parent[node]
        if node in (0, NONE):
            return
        tag, name = tree.tag(node), tree.attribute(node, "id") or ""
        if name and not _STATES.search(name):
            yield f"{tag}#{name}"
            return
        classes = [each for each in (tree.attribute(node, "class") or "").split() if not _STATES.search(each)]
        yield f"{tag}.{classes[0]}" if classes else tag
        if tag in _LANDMARKS:
            return
        node = tree.parent[node]


def _texts(tree: Tree, node: int) -> Iterator[str]:
    return (tree.text(below) for below in range(node, tree.end[node]) if tree.kind[below] != ELEMENT)


def _shown(side: Surroundings, node: int) -> str:
    """Identify elements without text by what they show and link to."""
    tree = side.tree
    shown = (
        _value(name, value, side.url)
        for below in range(node, min(tree.end[node], node + MAX_NODES))
        if tree.kind[below] == ELEMENT
        for name, value in tree.attributes(below)
        if name in _ADDRESSES or name in ("alt", "title", "aria-label", "placeholder")
    )
    return " ".join(sorted(shown))


def _value(name: str, value: str, url: str) -> str:
    """Write a value so that it is the same on all pages: addresses whole, and without what changes each time."""
    if name not in _ADDRESSES:
        return " ".join(sorted(value.split())) if name == "class" else value
    try:
        return settled(urljoin(url, value.strip()), loads=True)
    except ValueError:
        return value


def _hash(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=_SIGNS // 2).hexdigest()
