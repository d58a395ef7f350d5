"""Filters of a watch: selected parts, excluded parts, ignored texts and rules, applied to a change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Final

from pagedrift.app.model.rules import is_kind
from pagedrift.facets.tree import ELEMENT, TEXT
from pagedrift.what_changed import EditScript, Noise
from pagedrift.what_changed.actions import Delete, Insert, Move
from pagedrift.what_changed.expressions import without
from pagedrift.what_changed.selection import select

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.rules import Rule
    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion
    from pagedrift.what_changed.actions import Action

_SHOWS: Final = frozenset(("img", "svg:svg", "video", "audio", "iframe", "object", "embed", "input", "canvas"))
_UNREAD: Final = frozenset(
    ("script", "style", "template", "noscript", "plaintext", "xmp", "textarea", "iframe", "noembed", "noframes")
)
_KEPT: Final = frozenset(
    ("id", "class", "role", "href", "hidden", "style", "src", "data-src", "alt")
)  # what measures and judges look at
_VOID: Final = frozenset("area base br col embed hr img input link meta param source track wbr".split())


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """What lets through only what a watch looks at."""

    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    @classmethod
    def of(cls, options: WatchOptions, rules: Iterable[Rule] = ()) -> ChangeFilter:
        """Put together what a watch and the rules about it say."""
        values: dict[str, list[str]] = {"block": [*options.exclude], "text": [*options.ignore_text], "kind": []}
        for rule in rules:
            values[rule.kind].append(rule.value)
        return cls(options.include, tuple(values["block"]), tuple(values["text"]), tuple(values["kind"]))

    @property
    def reduces(self) -> bool:
        """Whether not all of a page is looked at."""
        return bool(self.only or self.without or self.texts)

    def filtered(self, script: EditScript, old: PageVersion, new: PageVersion) -> EditScript:
        """Give the steps that are left."""
        noise = Noise(comments=True, texts=self.texts, selectors=self.without)
        left: Iterable[Action] = noise.removed_from(script, old, new)
        if self.only:
            before, after = _marked(old, self.only), _marked(new, self.only)
            left = [action for action in left if _touches(action, old.tree, before, after)]
        if self.texts:
            left = [action for action in left if not self._says_nothing(action, old.tree)]
        return EditScript(tuple(action for action in left if not any(is_kind(action, kind) for kind in self.kinds)))

    def reduced(self, page: PageVersion) -> PageVersion:
        """Give the page with what is looked at alone, to measure and to judge; it has no picture then."""
        if not self.reduces:
            return page
        tree = page.tree
        seen = _marked(page, self.only) if self.only else bytearray(b"\1" * len(tree))
        for node in (node for css in self.without for node in select(page, css)):
            seen[node : tree.end[node]] = bytes(tree.end[node] - node)
        body = "".join(_written(tree, seen, self.texts)).encode("utf-8", "replace")
        return replace(page, body=body, content_type="text/html; charset=utf-8", headers=(), view=None)

    def lost(self, old: PageVersion, new: PageVersion) -> tuple[str, ...]:
        """Name the selectors of what is looked at that mean nothing anymore."""
        return tuple(css for css in self.only if not select(new, css) and select(old, css))

    def _says_nothing(self, action: Action, old: Tree) -> bool:
        """Return whether what came or went is nothing but text to ignore."""
        if isinstance(action, Insert):
            shows = any(node.tag in _SHOWS for node in action.nodes)
            texts = [node.text for node in action.nodes if node.kind == TEXT]
        elif isinstance(action, Delete):
            below = range(action.node, old.end[action.node])
            shows = any(old.kind[node] == ELEMENT and old.tag(node) in _SHOWS for node in below)
            texts = [old.text(node) for node in below if old.kind[node] == TEXT]
        else:
            return False
        return not shows and any(map(str.strip, texts)) and not any(map(str.strip, map(self._cleared, texts)))

    def _cleared(self, text: str) -> str:
        for expression in self.texts:
            text = without(expression, text)
        return text


def _marked(page: PageVersion, selectors: Iterable[str]) -> bytearray:
    """Mark the nodes in the elements that selectors name."""
    marks = bytearray(len(page.tree))
    for css in selectors:
        for node in select(page, css):
            marks[node : page.tree.end[node]] = b"\1" * (page.tree.end[node] - node)
    return marks


def _touches(action: Action, old: Tree, before: bytearray, after: bytearray) -> bool:
    """Return whether a step is about marked nodes; what came or went around them takes them along."""
    if isinstance(action, Insert):
        return any(after[node.number] for node in action.nodes)
    if isinstance(action, Delete):
        return 1 in before[action.node : old.end[action.node]]
    if isinstance(action, Move):
        return bool(before[action.node] or after[action.number])
    return bool(before[getattr(action, "node", 0)])


def _written(tree: Tree, seen: bytearray, texts: tuple[str, ...]) -> Iterator[str]:
    """Write the seen nodes, and the elements around them, as HTML."""
    around = _around(tree, seen)
    pending: list[tuple[int, str]] = []  # where open elements end
    node = 1
    while node < len(tree):
        while pending and pending[-1][0] <= node:
            yield pending.pop()[1]
        if not around[node] or (tree.kind[node] == ELEMENT and tree.tag(node) in _UNREAD):
            node = tree.end[node]
            continue
        if tree.kind[node] == TEXT and seen[node]:
            text = tree.text(node)
            for expression in texts:
                text = without(expression, text)
            yield escape(text, quote=False)
        elif tree.kind[node] == ELEMENT:
            name = tree.tag(node).rpartition(":")[2]
            given = (f' {key}="{escape(value)}"' for key, value in tree.attributes(node) if key in _KEPT)
            yield f"<{name}{''.join(given)}>"
            if name not in _VOID:
                pending.append((tree.end[node], f"</{name}>"))
        node += 1
    yield from (closing for _, closing in reversed(pending))


def _around(tree: Tree, seen: bytearray) -> bytearray:
    """Mark what is seen and what it stands in."""
    marks = bytearray(seen)
    for node in range(len(tree) - 1, 0, -1):
        if marks[node]:
            marks[tree.parent[node]] = 1
    return marks
