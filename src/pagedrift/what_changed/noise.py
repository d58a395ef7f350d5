"""Which changes are only noise?

A script is complete; what is noise is taken out of it afterwards, so that everything else stays where it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from pagedrift.facets.tree import COMMENT, TEXT
from pagedrift.what_changed.actions import (
    Action,
    AttributeAction,
    ChangeAttribute,
    Delete,
    EditScript,
    Insert,
    Move,
    UpdateText,
)
from pagedrift.what_changed.expressions import without
from pagedrift.what_changed.selection import select_each

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion

_URLS: Final = {"href", "src", "action", "data-src", "poster", "xlink:href", "content"}
_SESSION_PATH: Final = re.compile(r";jsessionid=[^?#]*", re.IGNORECASE)
_SESSION: Final = re.compile(
    r"(?:php|asp|j)?sess(?:ion)?_?id|sid|cfid|cftoken|utm_\w+|fbclid|gclid|msclkid", re.IGNORECASE
)
# Only in what a page loads to look and work: in a link t may be the number of a topic, in a frame v that of a film.
_LOADS: Final = {"script", "img", "source", "video", "audio", "track", "input", "svg:image", "svg:use"}
_LOADED: Final = {"stylesheet", "icon", "apple-touch-icon", "preload", "modulepreload", "prefetch", "manifest"}
_CACHE_BUSTER: Final = re.compile(
    r"_|v|ver|version|rev|cb|cachebuster|nocache|rnd|rand|random|t|ts|timestamp|time|hash|h", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What to leave out of a script.

    >>> Noise(attributes=("data-*",)).covers_attribute("data-id")
    True
    """

    urls: bool = True  # session ids and cache busters in URLs
    white_space: bool = True  # texts that differ in white space alone
    comments: bool = False
    attributes: tuple[str, ...] = ()  # patterns of names, as data-*
    texts: tuple[str, ...] = ()  # regular expressions; what they match does not count
    selectors: tuple[str, ...] = ()  # CSS; what is in these elements does not count

    def removed_from(self, script: EditScript, old: PageVersion, new: PageVersion) -> EditScript:
        """Give the script without the noise."""
        selected = select_each(old, self.selectors), select_each(new, self.selectors)
        before, after = _marked(old.tree, selected[0]), _marked(new.tree, selected[1])
        kept = (action for action in script if not (_stands_in(action, before, after) or self.covers(action, old)))
        unmatched = (css for css in self.selectors if not selected[0][css] and not selected[1][css])
        return EditScript(tuple(kept), tuple(unmatched))

    def covers(self, action: Action, old: PageVersion) -> bool:
        """Return whether a step is noise."""
        match action:
            case UpdateText():
                is_comment = old.tree.kind[action.node] == COMMENT
                return (is_comment and self.comments) or self._same(action.before, action.after)
            case ChangeAttribute():
                return self.covers_attribute(action.name) or (self.urls and _is_settled(action, old.tree))
            case AttributeAction():
                return self.covers_attribute(action.name)
            case Insert():
                return all(self._is_nothing(node.kind, node.text) for node in action.nodes)
            case Delete() | Move():
                kind, text = old.tree.kind[action.node], old.tree.text(action.node)
                return self._is_nothing(kind, text)
        return False

    def covers_attribute(self, name: str) -> bool:
        """Return whether an attribute is one to leave out."""
        return any(fnmatchcase(name, pattern) for pattern in self.attributes)

    def _is_nothing(self, kind: int, text: str) -> bool:
        return (kind == COMMENT and self.comments) or (kind == TEXT and self._same(text, ""))

    def _same(self, before: str, after: str) -> bool:
        for expression in self.texts:
            before, after = without(expression, before), without(expression, after)
        return before.split() == after.split() if self.white_space else before == after


def _marked(tree: Tree, selected: dict[str, list[int]]) -> bytearray:
    """Mark all nodes in the elements that selectors matched."""
    marks = bytearray(len(tree))
    for node in (node for nodes in selected.values() for node in nodes):
        marks[node : tree.end[node]] = b"\1" * (tree.end[node] - node)
    return marks


def _stands_in(action: Action, before: bytearray, after: bytearray) -> bool:
    """Return whether a step is about marked nodes; a move, if it is from and to marked places."""
    sides = ((before, action.old_node), (after, action.new_node))
    return all(marks[node] for marks, node in sides if node is not None)


def _is_settled(action: ChangeAttribute, old: Tree) -> bool:
    """Return whether an address leads to the same as before."""
    before, after = action.before, action.after
    if action.name not in _URLS or (action.name == "content" and not ("/" in before and len(before.split()) == 1)):
        return False
    tag = old.tag(action.node)
    relations = (old.attribute(action.node, "rel") or "").lower().split() if tag == "link" else ()
    loads = tag in _LOADS or not _LOADED.isdisjoint(relations)
    return settled(before, loads=loads) == settled(after, loads=loads)


@lru_cache(maxsize=1024)
def settled(url: str, *, loads: bool) -> str:
    """Write a URL without what changes at every visit: of links, and of what a page loads.

    >>> settled("/app.js?v=17&page=2", loads=True) == settled("/app.js?v=18&page=2", loads=True)
    True
    >>> settled("/forum?t=17", loads=False) == settled("/forum?t=18", loads=False)
    False
    """
    try:
        parts = urlsplit(_SESSION_PATH.sub("", url))
    except ValueError:
        return url
    if loads and parts.query.isalnum() and any(character.isdigit() for character in parts.query):
        return parts._replace(query="").geturl()  # app.js?1234567
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not (_SESSION.fullmatch(name) or (loads and _CACHE_BUSTER.fullmatch(name)))
    ]
    return parts._replace(query=urlencode(kept)).geturl()
