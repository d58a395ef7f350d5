"""Parts of a page that somebody points at: their selectors, and what they would have said in the past."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift.app.captures import page_of
from pagedrift.app.model.conditions import ValueRange
from pagedrift.app.model.values import WatchedValue, read_value
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.decisions import decide
from pagedrift.app.monitor.filters import ChangeFilter
from pagedrift.app.monitor.watched_values import value_of
from pagedrift.documents.comparable import readable
from pagedrift.errors import InputError, NotFoundError, PagedriftError
from pagedrift.facets.tree import ELEMENT, read_tree
from pagedrift.selectors.robust_css import SelectorWriter, stable_names
from pagedrift.text import shorten
from pagedrift.what_changed.selection import select_each, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.rules import Rule
    from pagedrift.archive.locations import Place
    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion

MAX_TEXT_CHARS: Final = 200  # of an element that is shown
MAX_OUTLINED: Final = 500  # elements that are outlined at once
MIN_SIMILAR: Final = 2  # elements of a list
_UNSEEN: Final = frozenset("script style template noscript head meta link title base html".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class PageElement:
    """An element that was pointed at: how it is called, what it says, and what is around it."""

    node: int
    tag: str
    text: str
    selector: str
    similar: str = ""  # a selector of the list that it is in ...
    similar_count: int = 0  # ... and how many entries that has
    parent: int | None = None
    child: int | None = None
    previous: int | None = None
    next: int | None = None
    value: WatchedValue


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedParts:
    """What some selectors mean on a page, by numbers of elements, and which of them mean nothing."""

    watched: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    unmatched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSaying:
    """What a version would have said under other options: its value, its headline, and whether with an alert."""

    version: int
    at: datetime
    value: WatchedValue | None = None
    headline: str = ""  # of the change since the version before; empty where these parts stayed as they were
    notify: bool = False
    reason: str = ""
    trouble: str = ""


def describe_element(folder: str | Path, place: Place, node: int) -> PageElement:
    """Say how an element of a version is selected, what it says, and what is next to it; 0 is the whole page."""
    page = _looked_into(folder, place)
    tree = page.tree
    node = node or tree.find("body")
    if not (0 < node < len(tree) and _is_shown(tree, node)):
        raise NotFoundError("this version has no such element; point at another one")
    writer = SelectorWriter(tree)
    selector = writer.write([node])
    if not selector:
        raise InputError("no short selector means this element alone; choose a larger one")
    like = _like(tree, node)
    similar = writer.write(like) if len(like) >= MIN_SIMILAR else ""
    siblings = [each for each in tree.children(tree.parent[node]) if _is_shown(tree, each)]
    at = siblings.index(node)
    text = text_of(tree, node)
    above = tree.parent[node]
    return PageElement(
        node=node,
        tag=tree.tag(node).rpartition(":")[2],
        text=shorten(" ".join(text.split()), MAX_TEXT_CHARS),
        selector=selector,
        similar=similar,
        similar_count=len(like) if similar else 0,
        parent=above if _is_shown(tree, above) else None,
        child=next((each for each in tree.children(node) if _is_shown(tree, each)), None),
        previous=siblings[at - 1] if at > 0 else None,
        next=siblings[at + 1] if at + 1 < len(siblings) else None,
        value=read_value(text),
    )


def find_parts(folder: str | Path, place: Place, include: Sequence[str], exclude: Sequence[str]) -> SelectedParts:
    """Say which elements of a version some selectors mean."""
    found = select_each(_looked_into(folder, place), dict.fromkeys((*include, *exclude)))
    watched, left = ([node for css in some for node in found[css]] for some in (include, exclude))
    return SelectedParts(
        watched=tuple(dict.fromkeys(watched))[:MAX_OUTLINED],
        left=tuple(dict.fromkeys(left))[:MAX_OUTLINED],
        unmatched=tuple(css for css, nodes in found.items() if not nodes),
    )


def target_selectors(html: str, attribute: str) -> dict[int, str]:
    """Write selectors for the elements of a page that an attribute numbers; one without a short one has none."""
    tree = read_tree(html)
    writer = SelectorWriter(tree, of_fields=True)
    found: dict[int, str] = {}
    for node in range(len(tree)):
        if tree.kind[node] == ELEMENT:
            number = dict(tree.attributes(node)).get(attribute, "")
            if number.isascii() and number.isdigit() and (css := writer.write([node])):
                found[int(number)] = css
    return found


def replay_parts(
    folder: str | Path,
    versions: Sequence[tuple[int, datetime, Place]],
    options: WatchOptions,
    rules: Iterable[Rule],
) -> list[PastSaying]:
    """Say what each of some versions, the oldest first, would have said under options; the newest comes first."""
    replay, said = _Replay(options, rules), list[PastSaying]()
    for number, at, place in versions:
        try:
            said.append(replay.take(number, at, _looked_into(folder, place)))
        except PagedriftError as error:
            said.append(PastSaying(version=number, at=at, trouble=str(error)))
    return said[::-1]


class _Replay:
    """Versions of a page, one after the other, under options that it did not have."""

    def __init__(self, options: WatchOptions, rules: Iterable[Rule]) -> None:
        self.options, self.rules = options, tuple(rules)
        self._filter = ChangeFilter.of(options, self.rules)
        self._before: PageVersion | None = None
        self._numbers: list[float] = []

    def take(self, number: int, at: datetime, page: PageVersion) -> PastSaying:
        """Say what the next version would have said."""
        before, self._before = self._before, page
        seen = ValueRange(min(self._numbers, default=None), max(self._numbers, default=None))
        value = self._value(page)
        found = analyse(before, page, self.options, self.rules) if before is not None else None
        if found is None or not found.changed:
            return PastSaying(version=number, at=at, value=value)
        decision = decide(self.options, found, before=seen)
        return PastSaying(
            version=number,
            at=at,
            value=value,
            headline=found.headline or "Changed",
            notify=decision.notify,
            reason=decision.sentence,
        )

    def _value(self, page: PageVersion) -> WatchedValue | None:
        if self.options.value == "none" and not self.options.conditions:
            return None
        value = value_of(page, self._filter)
        self._numbers += [] if value.number is None else [value.number]
        return value


def _looked_into(folder: str | Path, place: Place) -> PageVersion:
    page = readable(page_of(folder, place))
    if page is None:
        raise InputError("this version cannot be looked into; only its bytes are compared")
    return page


def _is_shown(tree: Tree, node: int) -> bool:
    return node > 0 and tree.kind[node] == ELEMENT and tree.tag(node) not in _UNSEEN


def _like(tree: Tree, node: int) -> list[int]:
    """Find the entries of the list that an element is one of: its siblings of the same tag and names."""
    mine = _kind(tree, node)
    return [
        each for each in tree.children(tree.parent[node]) if _is_shown(tree, each) and _kind(tree, each) == mine
    ]


def _kind(tree: Tree, node: int) -> tuple[str, frozenset[str]]:
    names = stable_names(tuple(pair for pair in tree.attributes(node) if pair[0] == "class"))
    return tree.tag(node), frozenset(names)
