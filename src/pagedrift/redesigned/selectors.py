"""Which selectors of a scraper stopped matching, and what is closest to what they matched?"""

from __future__ import annotations

import math
import re
from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from pagedrift.errors import InputError, LimitError
from pagedrift.facets.tree import ELEMENT
from pagedrift.what_changed.node_paths import NodePaths
from pagedrift.what_changed.selection import MAX_SELECTOR_CHARS, check, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion

MAX_SELECTORS: Final = 500  # selectors in one file
MAX_ELEMENTS: Final = 50_000  # of a page that XPath is asked on, and in which the closest node is looked for
MIN_DOCUMENTS_BEFORE: Final = 8  # documents before a fall, for the rate before it to say something
RARE: Final = 0.001  # how unlikely a run of misses must be, if the selector still worked as before
SAMPLE: Final = 80  # characters of a text that are kept
WORKS: Final = 3  # documents in a row: on fewer nothing is reported, after as many hits a selector works again
MIN_SIMILARITY: Final = 0.5  # below that nothing is close
MAX_TEXT_NODES: Final = 60  # of an element whose text is read
MAX_SELECTOR_DEPTH: Final = 4  # elements in a selector that is proposed

# Measured: sibling and following axes take the cube of the page in turbohtml, a search per element its square.
_AXES: Final = re.compile(r"(?:preceding|following)(?:-sibling)?\s*::", re.IGNORECASE)
_SEARCH_INSIDE: Final = re.compile(r"\[[^\]]*(?://|descendant)")
_LINE: Final = re.compile(r"(\S+?)(?::\s+|\s*=\s+|\s+)(\S.*)")
_XPATH: Final = re.compile(r"\(*\s*(?:\.?/|id\()")
_WORDS: Final = re.compile(r"[A-Za-z]+|\d+")
_NAME: Final = re.compile(r"[A-Za-z_][\w-]*")  # that needs no escaping in CSS
_TELLING: Final = frozenset("id class itemprop property rel role name type".split())
_HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
_NEVER: Final = frozenset("html head body script style noscript template".split())


@dataclass(frozen=True, slots=True)
class Selector:
    """A selector with the name it has in a scraper."""

    name: str
    expression: str
    language: Literal["css", "xpath"]


@dataclass(frozen=True, slots=True)
class Closest:
    """The element of a page most like what a selector matched."""

    css: str  # a selector that means it
    path: str  # where it stands, for people
    text: str
    likeness: float  # from 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """A selector that stopped matching, or does so on fewer documents."""

    name: str
    expression: str
    before: float  # share of the documents before that it matched on
    since: float  # and since
    documents: int  # since then
    closest: Closest | None


def parse_selectors(text: str) -> list[Selector]:
    """Read selectors, a name and a CSS selector or XPath expression per line; # begins a remark.

    >>> parse_selectors("title  h1.entry-title")
    [Selector(name='title', expression='h1.entry-title', language='css')]
    >>> [each.language for each in parse_selectors("price = //span[@class='price']")]
    ['xpath']
    """
    found: list[Selector] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise InputError(
                f"line {number} has no selector; write a name and a selector, such as: title  h1.title"
            )
        name, expression = match.groups()
        selector = _selector(name, expression.strip())
        try:
            _check(selector)
        except InputError as error:
            raise InputError(f"line {number}, {name}: {error}") from None
        found.append(selector)
    if not found:
        raise InputError("no selectors found; write one per line, such as: title  h1.title")
    if len(found) > MAX_SELECTORS:
        raise InputError(f"there are more than {MAX_SELECTORS} selectors; keep the important ones")
    return found


def read_selectors(path: Path) -> list[Selector]:
    """Read a file of selectors."""
    try:
        return parse_selectors(path.read_text("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text in UTF-8; save it as one") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _selector(name: str, expression: str) -> Selector:
    for prefix, language in (("css:", "css"), ("xpath:", "xpath")):
        if expression.lower().startswith(prefix):
            return Selector(name, expression[len(prefix) :].strip(), language)  # type: ignore[arg-type]
    return Selector(name, expression, "xpath" if _XPATH.match(expression) else "css")


def _check(selector: Selector) -> None:
    """Refuse expressions that are invalid, or could run forever on a page made for that."""
    if selector.language == "css":
        check(selector.expression)
        return
    if len(selector.expression) > MAX_SELECTOR_CHARS:
        raise InputError(f"the expression has more than {MAX_SELECTOR_CHARS:,} characters; write a shorter one")
    bare = re.sub(r""""[^"]*"|'[^']*'""", "", selector.expression)
    if _AXES.search(bare) or _SEARCH_INSIDE.search(bare):
        raise InputError("it could run forever: siblings, or // inside [ ]; write it in CSS, such as: h2 + p")
    from turbohtml import parse

    try:
        parse("<p>").xpath(selector.expression)
    except (ValueError, TypeError) as error:
        raise InputError(f"invalid XPath ({error}); try it in the console of a browser: $x('…')") from None


class Parsed:
    r"""A page that selectors are asked on; it is parsed once for all of them.

    >>> from pagedrift.page import PageVersion
    >>> page = Parsed(PageVersion("https://city.example/", b"<p class=price>$40"))
    >>> [page.match(selector)[0] for selector in parse_selectors("price .price\nname //h1")]
    [True, False]
    """

    def __init__(self, page: PageVersion) -> None:
        self.tree = page.tree  # first: it refuses pages that a parser would take forever for
        if sum(1 for _ in self.tree.elements()) > MAX_ELEMENTS:
            raise LimitError(f"the page has more than {MAX_ELEMENTS:,} elements; leave it out")
        from turbohtml import parse

        self._document = parse(page.source, positions=False, allow_declarative_shadow_roots=False)

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        # Both trees have the same elements in the same order, see what_changed/selection.py.
        return dict(zip(self._document.select("*"), self.tree.elements(), strict=True))

    def match(self, selector: Selector) -> tuple[bool, int | None]:
        """Return whether a selector means anything here, and the first element that it means, if it is one."""
        if selector.language == "css":
            first = self._document.select_one(selector.expression)
            return first is not None, self._numbers[first] if first is not None else None
        value = self._document.xpath(selector.expression, smart_strings=True)
        found: list[Any] = value if isinstance(value, list) else [value] if value else []
        if not found:
            return False, None
        return True, self._numbers.get(getattr(found[0], "parent", None) if isinstance(found[0], str) else found[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looks:
    """What is remembered of an element that matched, to find the closest one later."""

    tag: str
    words: frozenset[str]  # of its id, classes and telling attributes
    above: frozenset[str]  # the same of the element around it
    text: str
    place: float  # in the document, from 0 to 1


@dataclass(slots=True)
class _Health:
    selector: Selector
    hits: deque[bool]
    looks: _Looks | None = None
    told: bool = False


class SelectorHealth:
    """Follows how often each selector matches, and reports when that falls.

    >>> from pagedrift.page import PageVersion
    >>> health = SelectorHealth(parse_selectors("price .price"))
    >>> pages = [b"<p class=price>$40"] * 10 + [b"<p class=product-price>$45"] * 3
    >>> for page in pages:
    ...     for stopped in health.take(PageVersion("https://city.example/", page)):
    ...         print(stopped.name, stopped.documents, stopped.closest.css)
    price 3 p.product-price
    """

    def __init__(self, selectors: Iterable[Selector], *, history: int = 20) -> None:
        self._all = [_Health(selector, deque(maxlen=4 * history)) for selector in selectors]

    def take(self, page: PageVersion, *, redesigned_since: int | None = None) -> tuple[Stopped, ...]:
        """Look at the next document, and report the selectors whose rate of hits fell beyond chance.

        If a redesign was reported at it, those are reported that matched on less than half as many documents since.
        """
        stopped = []
        try:
            parsed = Parsed(page)
        except LimitError:
            return ()  # such a page says nothing about selectors
        for one in self._all:
            _look(one, parsed)
            hits = list(one.hits)
            if redesigned_since is not None:
                since = _halved(hits, redesigned_since)  # reported again: this is the reason
            else:
                since = 0 if one.told else _fall(hits)
            if since:
                stopped.append(_stopped(one, page, since))
                one.told = True
            elif one.told and len(hits) >= WORKS and all(hits[-WORKS:]):
                one.told = False
                one.hits = deque(hits[-WORKS:], maxlen=one.hits.maxlen)  # it works again: judge it by that alone
        return tuple(stopped)

    def state(self) -> dict[str, Any]:
        """Give the state to continue from later, as JSON-compatible data."""
        return {
            one.selector.expression: {
                "hits": [int(hit) for hit in one.hits],
                "told": one.told,
                "looks": None
                if one.looks is None
                else [one.looks.tag, [*one.looks.words], [*one.looks.above], one.looks.text, one.looks.place],
            }
            for one in self._all
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state; selectors that it does not know begin again."""
        try:
            for one in self._all:
                if known := state.get(one.selector.expression):
                    one.hits.extend(map(bool, known["hits"]))
                    one.told = bool(known["told"])
                    if known["looks"]:
                        tag, words, above, text, place = known["looks"]
                        one.looks = _Looks(
                            tag=str(tag),
                            words=frozenset(words),
                            above=frozenset(above),
                            text=str(text),
                            place=float(place),
                        )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InputError("this is not a saved state of selectors; start again without it") from None


def _look(one: _Health, page: Parsed) -> None:
    hit, node = page.match(one.selector)
    one.hits.append(hit)
    if node is not None:
        one.looks = _looks(page.tree, node)


def _halved(hits: list[bool], since: int) -> int:
    """Give the number of documents since a redesign, if a selector matches less than half as often on them."""
    before, after = hits[:-since], hits[-since:]
    return len(after) if before and _rate(before) > 2 * _rate(after) else 0


def _fall(hits: list[bool]) -> int:
    """Give the number of last documents on which so few hits are not chance; 0 if all is well.

    >>> _fall([True] * 10 + [False] * 3), _fall([True, False] * 10 + [False] * 3)
    (3, 0)
    """
    found, least = 0, RARE
    for since in range(WORKS, len(hits) - MIN_DOCUMENTS_BEFORE + 1):
        before, after = hits[:-since], hits[-since:]
        if after[0] or not before[-1]:
            continue  # a fall begins with a miss after a hit
        rate = (sum(before) + 0.5) / (len(before) + 1)  # never quite certain
        chance = _at_most(sum(after), since, rate) if 2 * _rate(after) <= _rate(before) else 1.0
        if chance < least:
            found, least = since, chance
    return found


def _rate(hits: list[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def _at_most(hits: int, tries: int, rate: float) -> float:
    """Give the probability of a number of hits or fewer."""
    return sum(math.comb(tries, k) * rate**k * (1 - rate) ** (tries - k) for k in range(hits + 1))


def _stopped(one: _Health, page: PageVersion, since: int) -> Stopped:
    hits = list(one.hits)
    closest = find_closest(page, one.looks) if one.looks and not hits[-1] else None
    return Stopped(
        name=one.selector.name,
        expression=one.selector.expression,
        before=_rate(hits[:-since]),
        since=_rate(hits[-since:]),
        documents=since,
        closest=closest,
    )


# --- the closest node ------------------------------------------------------------------------------------------


def _words(tree: Tree, node: int) -> frozenset[str]:
    """Split what an element is called into words: its id, its classes, and what it says about its meaning."""
    found = [value for key, value in tree.attributes(node) if key in _TELLING or key.startswith("data-")]
    return frozenset(
        word.lower() for value in found for word in _WORDS.findall(value[:MAX_SELECTOR_CHARS]) if len(word) > 1
    )


def _looks(tree: Tree, node: int) -> _Looks:
    text = " ".join(tree.text_below(node, limit=MAX_TEXT_NODES).split())[:SAMPLE]
    above = tree.parent[node]
    return _Looks(
        tag=tree.tag(node), words=_words(tree, node), above=_words(tree, above), text=text, place=node / len(tree)
    )


def find_closest(page: PageVersion, looks: _Looks) -> Closest | None:
    """Find the element of a page most like one that was seen before: by name, text, surroundings and place."""
    tree = page.tree
    best, best_node = 0.0, -1
    for count, node in enumerate(tree.elements()):
        if count > MAX_ELEMENTS:
            break
        if tree.tag(node) in _NEVER and tree.tag(node) != looks.tag:
            continue
        likeness = _likeness(looks, _looks(tree, node))
        if likeness > best:
            best, best_node = likeness, node
    if best < MIN_SIMILARITY:
        return None
    text = text_of(tree, best_node)[:SAMPLE]
    return Closest(_css(tree, best_node), NodePaths(tree).path(best_node).readable, text, round(best, 2))


def _likeness(old: _Looks, new: _Looks) -> float:
    """Weigh what two elements share. Each sign alone may be enough: a new design often renames everything."""
    signs = (
        (0.8, _shared(old.words, new.words)),
        (0.7, _text_likeness(old.text, new.text)),
        (0.3, _shared(old.above, new.above)),
        (0.2, _tag_likeness(old.tag, new.tag)),
        (0.2, 1 - abs(old.place - new.place)),
    )
    return 1 - math.prod(1 - weight * share for weight, share in signs)


def _tag_likeness(old: str, new: str) -> float:
    if old == new:
        return 1.0
    return 0.7 if old in _HEADINGS and new in _HEADINGS else 0.0


def _shared(old: frozenset[str], new: frozenset[str]) -> float:
    """Return how many words two elements have in common."""
    return len(old & new) / len(old | new) if old or new else 0.0


def _text_likeness(old: str, new: str) -> float:
    """Compare texts by their words, or, as other documents say other things, by their length and kind of signs."""
    if old == new:
        return 1.0 if old else 0.0
    one, other = (frozenset(re.findall(r"\w+", text.lower())) for text in (old, new))
    words = (_shared(one, other) + len(one & other) / max(1, len(one))) / 2
    length = min(len(old), len(new)) / max(len(old), len(new))
    digits = 1 - abs(_digits(old) - _digits(new))
    return max(words, 0.4 * length * digits)


def _digits(text: str) -> float:
    return sum(map(str.isdigit, text)) / max(1, len(text))


def _css(tree: Tree, node: int) -> str:
    """Write a short selector for an element: its id, its classes, or those of the next one above that has any."""
    tag, parts = tree.tag(node), []
    while node > 0 and tree.kind[node] == ELEMENT:
        names = [f"#{value}" for value in [tree.attribute(node, "id") or ""] if _NAME.fullmatch(value)]
        if not names:
            names = [
                f".{value}" for value in (tree.attribute(node, "class") or "").split() if _NAME.fullmatch(value)
            ]
        parts.append(tree.tag(node).rpartition(":")[2] + "".join(names[:3]))
        if names or tree.tag(node) in ("body", "html") or len(parts) == MAX_SELECTOR_DEPTH:
            break
        node = tree.parent[node]
    return " > ".join(reversed(parts)) or tag
