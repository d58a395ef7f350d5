"""What is a template: which elements do its pages share, and where do they differ?

A handful of pages is walked from the top down, all at once. Below elements that correspond, children correspond
that have the same name and the same `id`, or the same class names; where every page has as many of a kind, the
first corresponds to the first. What at least half of the pages have belongs to the frame. The rest is content, and
where it stands is a slot.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift._kernels.names import FLAGS, INLINE, KNOWN
from pagedrift.errors import InputError, LimitError, PagedriftError
from pagedrift.facets.tree import ELEMENT, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion

SAMPLE: Final = 25  # pages that are looked at
MAX_NODES: Final = 50_000  # of a page; what comes later is left out
MAX_KINDS: Final = 50  # sets of class names among siblings; more of them mean nothing
MAX_IN_A_ROW: Final = 20  # of one kind that are distinguished by their order
MAX_TEXT_CHARS: Final = 80  # of a fixed text that are kept

KNOWN_ON: Final = 0.25  # of pages: a class name on fewer is of one page, such as post-1234
SHARED_BY: Final = 0.5  # of pages, and of places in them: what fewer have is content
ALWAYS: Final = 0.9  # of places: what fewer have is optional, or differs
_INLINE: Final = frozenset(name for name, flags in zip(KNOWN, FLAGS, strict=True) if flags & INLINE)
_CLOSED: Final = frozenset(("script", "style", "svg:svg", "math:math", "noscript", "template", "iframe"))
_ONCE: Final = frozenset(("html", "head", "body"))
_TELLS_APART: Final = {"meta": ("name", "property", "http-equiv"), "link": ("rel",), "input": ("type", "name")}
_ADDRESS: Final = {"a": "href", "img": "src", "iframe": "src"}
LANDMARKS: Final = frozenset("header nav main aside footer article section form search".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameNode:
    """An element that the pages of a template share.

    `slots` says what differs from page to page: `text` (its own words), `link` (where it leads or what it shows),
    `content` (elements or words below that the pages do not share), `repeated` (how many there are, from `least` to
    `most` in one place), `optional` (whether it is there).
    """

    parent: int  # the node above, -1 at the top
    depth: int
    tag: str
    id: str
    name: str  # of a field, a meta element, a role: what distinguishes it besides id and classes
    classes: tuple[str, ...]
    share: float  # of the pages that have it
    least: int
    most: int
    text: str  # the words that are the same on all pages
    slots: tuple[str, ...]

    @property
    def label(self) -> str:
        """Name it as a CSS selector would."""
        name = f"[{self.name}]" if self.name else ""
        return self.tag + (f"#{self.id}" if self.id else "") + name + "".join(f".{one}" for one in self.classes)

    @property
    def is_region(self) -> bool:
        """Return whether it is a part of the page that a reader would name."""
        if self.tag in LANDMARKS or self.name.startswith("role="):
            return True
        return bool(self.id) and self.tag not in _INLINE and self.tag != "input"


@dataclass(frozen=True, slots=True)
class Frame:
    """The elements that the pages of a template share, in the order of the document."""

    pages: int  # that were looked at
    nodes: tuple[FrameNode, ...]

    def class_names(self) -> frozenset[str]:
        """Collect the class names of the frame."""
        return frozenset(name for node in self.nodes for name in node.classes)

    def regions(self) -> tuple[FrameNode, ...]:
        """List the landmarks and what has an id, in the body."""
        return tuple(node for node in self.nodes if node.is_region)

    def slots(self) -> tuple[FrameNode, ...]:
        """List the elements whose words, address, number or content differ."""
        return tuple(node for node in self.nodes if node.slots)

    def end(self, node: int) -> int:
        """Find the first node after a node and all below it."""
        after = node + 1
        while after < len(self.nodes) and self.nodes[after].depth > self.nodes[node].depth:
            after += 1
        return after


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameChange:
    """How one frame differs from an older one, by what has a name in both."""

    similarity: float  # of the frames: what both have of their elements, from 0 to 1
    regions_added: tuple[str, ...]
    regions_removed: tuple[str, ...]
    classes_added: tuple[str, ...]
    classes_removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.similarity < 1


def compare(old: Frame, new: Frame) -> FrameChange:
    """Compare two frames: what the template gained and lost, whatever its pages say.

    >>> from pagedrift import PageVersion
    >>> old = [PageVersion("", b"<main><h1 class=title>%d</h1></main>" % day) for day in range(3)]
    >>> new = [PageVersion("", b"<main><h1 class=head>%d</h1></main><footer>F</footer>" % day) for day in range(3)]
    >>> change = compare(frame(old), frame(new))
    >>> change.regions_added, change.classes_added, change.classes_removed
    (('footer',), ('head',), ('title',))
    """
    before, after = (Counter(_places(one)) for one in (old, new))
    most = max(before.total(), after.total())
    regions = [[node.label for node in one.regions()] for one in (old, new)]
    classes = old.class_names(), new.class_names()
    return FrameChange(
        similarity=(before & after).total() / most if most else 1.0,
        regions_added=_missing(regions[0], regions[1]),
        regions_removed=_missing(regions[1], regions[0]),
        classes_added=tuple(sorted(classes[1] - classes[0])),
        classes_removed=tuple(sorted(classes[0] - classes[1])),
    )


def _missing(there: Sequence[str], here: Sequence[str]) -> tuple[str, ...]:
    known = set(there)
    return tuple(dict.fromkeys(label for label in here if label not in known))


def _places(one: Frame) -> Iterator[tuple[str, str]]:
    """Name every element together with the one above it."""
    for node in one.nodes:
        yield (one.nodes[node.parent].label if node.parent >= 0 else "", node.label)


def frame(pages: Iterable[PageVersion]) -> Frame:
    """Find what pages of one template share, from a sample that depends on the pages and not on their order.

    >>> from pagedrift import PageVersion
    >>> days = [b"<h1>News</h1><ul>" + b"<li>On day %d" % day * (day % 3 + 1) + b"</ul>" for day in range(9)]
    >>> for node in frame(PageVersion("", day) for day in days).nodes[2:]:
    ...     print("  " * node.depth + node.label, *filter(None, [node.text]), *node.slots)
      body
        h1 News
        ul
          li text repeated
    """
    sample = Sample()
    for page in pages:
        sample.add(page)
    return sample.frame()


class Sample:
    """Some of many pages: those of the least digests, so that the same pages give the same sample in any order."""

    def __init__(self) -> None:
        self._kept: list[tuple[int, PageVersion]] = []  # a heap, the greatest digest first
        self._digests: set[int] = set()
        self.seen = 0

    def add(self, page: PageVersion) -> None:
        """Look at a page; the same bytes count once."""
        self.seen += 1
        digest = int(page.digest, 16)
        if digest in self._digests or (len(self._kept) == SAMPLE and digest > -self._kept[0][0]):
            return
        self._digests.add(digest)
        heapq.heappush(self._kept, (-digest, page))
        if len(self._kept) > SAMPLE:
            self._digests.discard(-heapq.heappop(self._kept)[0])

    def pages(self) -> list[PageVersion]:
        """List the pages of the sample."""
        return [page for _, page in sorted(self._kept, reverse=True)]

    def frame(self) -> Frame:
        """Find what the pages of the sample share; those with too many nodes to look at are left out."""
        trees: list[Tree] = []
        refused: PagedriftError = InputError("no pages to find a template in; pass at least one, better ten")
        for page in self.pages():
            try:
                trees.append(page.tree)
            except LimitError as error:
                refused = error
        if not trees:
            raise refused
        return Frame(len(trees), tuple(_Walk(trees).nodes()))


_Place = tuple[int, int]  # page, node
_Key = tuple[str, str, str, frozenset[str]]


@dataclass(slots=True, kw_only=True)
class _Group:
    """Elements that correspond."""

    key: _Key
    number: int  # among those of the same key
    places: list[_Place]
    firsts: list[_Place]  # the first of each place above
    share: float  # of the places above that have it
    least: int
    most: int
    repeated: bool


class _Walk:
    """The walk through all pages at once, with an explicit stack: pages may be deep."""

    def __init__(self, trees: list[Tree]) -> None:
        self.trees = trees
        named = Counter(name for tree in trees for name in _names_of(tree))
        self.known = {name for name, count in named.items() if count >= _fewest(name, len(trees))}
        self.keys: dict[_Place, _Key] = {}

    def nodes(self) -> Iterator[FrameNode]:
        """Give the nodes of the frame in document order."""
        tops = [[(page, child) for child in self._children((page, 0))] for page in range(len(self.trees))]
        pending = [(-1, 0, group) for group in reversed(self._groups(tops))]
        count = 0
        while pending:
            parent, depth, group = pending.pop()
            rows = [[(page, child) for child in self._children((page, node))] for page, node in group.places]
            below = [] if group.key[0] in _CLOSED else self._groups(rows)
            kept, lost = self._kept(group, below)
            yield self._node(parent, depth, group, lost)
            pending += [(count, depth + 1, child) for child in reversed(kept)]
            count += 1

    def _children(self, place: _Place) -> Iterator[int]:
        tree = self.trees[place[0]]
        return (node for node in tree.children(place[1]) if tree.kind[node] == ELEMENT and node < MAX_NODES)

    def _kept(self, group: _Group, below: list[_Group]) -> tuple[list[_Group], bool]:
        """Keep what most places have; say whether some have more: content."""
        flows = self._has_words(group)
        kept = [child for child in below if self._is_shared(child) and not (flows and _is_plain(child.key))]
        return kept, len(kept) < len(below)

    def _is_shared(self, group: _Group) -> bool:
        pages = len({page for page, _ in group.places})
        return group.share >= SHARED_BY and pages >= SHARED_BY * len(self.trees)

    def _has_words(self, group: _Group) -> bool:
        texts = self._texts(group)
        return len(set(texts)) > 1 and sum(map(bool, texts)) >= SHARED_BY * len(texts)

    def _groups(self, rows: list[list[_Place]]) -> list[_Group]:
        """Group the children in places that correspond, in the order in which they usually come."""
        keys = [[self._key(place) for place in row] for row in rows]
        merged = _merge({key for row in keys for key in row}, _lonely(keys))
        found: dict[_Key, dict[int, list[_Place]]] = {}
        position: dict[_Place, int] = {}
        for number, row in enumerate(rows):
            for at, place in enumerate(row):
                position[place] = at
                found.setdefault(merged[keys[number][at]], {}).setdefault(number, []).append(place)
        groups = [group for key, by_row in found.items() for group in _split(key, list(by_row.values()), len(rows))]

        def usual(group: _Group) -> tuple[float, int, tuple[str, ...]]:
            first = sum(position[place] for place in group.firsts) / len(group.firsts)
            return first, group.number, (*group.key[:3], *sorted(group.key[3]))

        return sorted(groups, key=usual)

    def _key(self, place: _Place) -> _Key:
        known = self.keys.get(place)
        if known is None:
            tree, node = self.trees[place[0]], place[1]
            tag, values = tree.tag(node), dict(reversed(tree.attributes(node)))
            id_ = values.get("id", "").strip()
            classes = frozenset(one for one in values.get("class", "").split() if (".", one) in self.known)
            name = _name(tag, values)
            known = tag, id_ if ("#", id_) in self.known else "", name if ("[", name) in self.known else "", classes
            self.keys[place] = known
        return known

    def _texts(self, group: _Group) -> list[str]:
        return [] if group.key[0] in _CLOSED else [_own_text(self.trees[page], node) for page, node in group.places]

    def _node(self, parent: int, depth: int, group: _Group, lost: bool) -> FrameNode:
        places = group.places
        texts = Counter(self._texts(group))
        text, times = min(texts.items(), key=lambda item: (-item[1], item[0]), default=("", 0))
        fixed = times >= ALWAYS * len(places)
        words = len(places) - texts[""] if texts else 0
        is_text = bool(words) and not fixed and words >= SHARED_BY * len(places)
        slots = {
            "text": is_text,
            "link": self._leads_elsewhere(group),
            "content": lost or (bool(words) and not is_text and not (fixed and text)),
            "repeated": group.repeated,
            "optional": group.share < ALWAYS,
        }
        tag, id_, name, _ = group.key
        counted = Counter(one for place in places for one in self._key(place)[3])
        return FrameNode(
            parent=parent,
            depth=depth,
            tag=tag,
            id=id_,
            name=name,
            classes=tuple(sorted(one for one, count in counted.items() if count > SHARED_BY * len(places))),
            share=len({page for page, _ in places}) / len(self.trees),
            least=group.least,
            most=group.most,
            text=text[:MAX_TEXT_CHARS] if fixed else "",
            slots=tuple(slot for slot, is_there in slots.items() if is_there),
        )

    def _leads_elsewhere(self, group: _Group) -> bool:
        attribute = _ADDRESS.get(group.key[0])
        if attribute is None:
            return False
        counted = Counter(self.trees[page].attribute(node, attribute) for page, node in group.places)
        return counted.most_common(1)[0][1] < ALWAYS * len(group.places)


def _fewest(name: tuple[str, str], pages: int) -> int:
    """Return on how many pages a name must be to count: ids that are numbered say little about what they name."""
    kind, text = name
    share = KNOWN_ON if kind != "#" else ALWAYS if any(map(str.isdigit, text)) else SHARED_BY
    return max(min(2, pages), math.ceil(share * pages))


def _names_of(tree: Tree) -> set[tuple[str, str]]:
    """Collect the ids, class names and other names of a page."""
    found = set()
    for node in tree.elements():
        if node >= MAX_NODES:
            break
        values = dict(reversed(tree.attributes(node)))
        found.add(("#", values.get("id", "").strip()))
        found.add(("[", _name(tree.tag(node), values)))
        found.update((".", one) for one in values.get("class", "").split())
    return found - {("#", ""), ("[", "")}


def _name(tag: str, values: dict[str, str]) -> str:
    if role := values.get("role"):
        return f"role={role}"
    attributes = _TELLS_APART.get(tag, ())
    return next((f"{attribute}={values[attribute]}" for attribute in attributes if values.get(attribute)), "")


def _own_text(tree: Tree, node: int) -> str:
    return " ".join("".join(tree.text(one) for one in tree.children(node) if tree.kind[one] == TEXT).split())


def _is_plain(key: _Key) -> bool:
    """Return whether an element is part of a running text: <b>, or a link without a class."""
    return key[0] in _INLINE and not any(key[1:])


def _lonely(rows: list[list[_Key]]) -> set[tuple[str, str, str]]:
    """Find the kinds of which there is never more than one in a row, whatever their class names."""
    several: set[tuple[str, str, str]] = set()
    for row in rows:
        counted = Counter(key[:3] for key in row)
        several.update(kind for kind, count in counted.items() if count > 1)
    return {key[:3] for row in rows for key in row} - several


def _merge(keys: set[_Key], lonely: set[tuple[str, str, str]]) -> dict[_Key, _Key]:
    """Let an element with more class names count as one with fewer of the same: li.item.active is an li.item.

    Where there is never more than one of a kind, one common class name is enough; with the same id, none is needed.
    """
    alike: dict[tuple[str, str, str], list[frozenset[str]]] = {}
    for key in keys:
        alike.setdefault(key[:3], []).append(key[3])
    merged: dict[_Key, _Key] = {}
    for kind, sets in alike.items():
        if kind[1] or kind[0] in _ONCE or len(sets) > MAX_KINDS:
            merged.update(((*kind, classes), (*kind, frozenset())) for classes in sets)
            continue
        heads: list[frozenset[str]] = []
        for classes in sorted(sets, key=lambda one: (len(one), sorted(one))):
            fits = (head for head in heads if (head & classes if kind in lonely else head and head <= classes))
            head = next(fits, classes)
            if head is classes:
                heads.append(classes)
            merged[*kind, classes] = (*kind, head)
    return merged


def _split(key: _Key, rows: list[list[_Place]], above: int) -> Iterator[_Group]:
    """Distinguish several of a kind by their order if there are nearly always as many; else they are repeated.

    `rows` are the places below each place above that has any, `above` counts all of those.
    """
    counts = Counter(map(len, rows))
    usual, times = min(counts.items(), key=lambda item: (-item[1], item[0]))
    if usual == 1 == max(counts) or (1 < usual <= MAX_IN_A_ROW and times >= ALWAYS * len(rows)):
        for at in range(usual):
            places = [row[at] for row in rows if len(row) > at]
            yield _Group(
                key=key,
                number=at,
                places=places,
                firsts=places,
                share=len(places) / above,
                least=1,
                most=1,
                repeated=False,
            )
    else:
        places, firsts = [place for row in rows for place in row], [row[0] for row in rows]
        yield _Group(
            key=key,
            number=0,
            places=places,
            firsts=firsts,
            share=len(rows) / above,
            least=min(counts),
            most=max(counts),
            repeated=True,
        )
