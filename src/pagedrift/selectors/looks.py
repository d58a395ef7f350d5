"""What does an element look like to a scraper: its names, what they mean, its text, its place, its surroundings?"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from itertools import accumulate
from math import log1p
from typing import TYPE_CHECKING, Any, Final

from pagedrift.facets.tree import ELEMENT, TEXT
from pagedrift.selectors.selectable import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pagedrift.selectors.selectable import SelectablePage

MAX_TEXT_CHARS: Final = 120  # of an element's text that are kept
MAX_VALUE_CHARS: Final = 300  # of an attribute that are read
MAX_REMEMBERED: Final = 10_000  # names and texts whose meaning is remembered; crawls see countless ones
SHORT_WORDS: Final = 6  # texts of links such as “Next page”
AROUND_WORDS: Final = 6  # before and after an element
BEGINNING_WORDS: Final = 16  # of an element that are compared with others
CLUE_WORDS: Final = 8  # of them by which it is found
LABEL_WORDS: Final = 3  # before an element: “Posted on”
_ABOVE: Final = 3  # elements around one whose names are read
_SAID: Final = frozenset("id class itemprop property rel role name type".split())
_HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
_NAME: Final = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")
_LAYOUT: Final = re.compile(r"(?<!\S)(?:text-[a-z0-9]+|\S+:\S+)(?!\S)")  # classes such as text-xs and md:mt-4
_KINDS: Final = {
    **dict.fromkeys(_HEADINGS, "heading"),
    **dict.fromkeys("img picture video svg:svg figure".split(), "picture"),
    **dict.fromkeys("ul ol dl menu".split(), "list"),
    **dict.fromkeys("li dt dd option".split(), "item"),
    **dict.fromkeys("div section article main".split(), "block"),
    **dict.fromkeys("p blockquote pre address".split(), "paragraph"),
    **dict.fromkeys("span b strong em i small font time label abbr cite".split(), "inline"),
    **dict.fromkeys("td th".split(), "cell"),
}
# What the names that page makers give mean. Words of one line mean the same.
_MEANINGS: Final = {
    word: meaning
    for meaning, words in {
        "title": "title headline heading subject titre titulo",
        "date": "date time published posted pubdate datetime created updated timestamp day modified",
        "author": "author byline writer creator poster vcard fn auteur",
        "body": "content body entry text markdown prose description articlebody",
        "tags": "tag tags keyword keywords label labels topic topics",
        "category": "category categories cat cats section folder",
        "price": "price amount cost fee prix",
        "previous": "prev previous older back zurück précédent anterior",
        "next": "next newer forward weiter suivant siguiente",
        "steps": "pager pagination paginate page-nav",
        "navigation": "nav menu navigation navbar menubar",
        "footer": "footer copyright credits copyleft colophon",
        "comments": "comment comments disqus replies",
        "breadcrumb": "breadcrumb breadcrumbs crumb crumbs",
        "contents": "toc contents outline",
        "picture": "image img photo thumbnail thumb cover hero avatar",
        "side": "sidebar aside widget",
        "site": "logo brand site masthead blog",
        "list": "list items entries posts archive archives listing",
        "more": "more readmore excerpt summary",
        "share": "share social",
    }.items()
    for word in words.split()
}
_ARROWS: Final = dict.fromkeys("«‹←<◀", "previous") | dict.fromkeys("»›→>▶", "next")
_PARTS: Final = {
    "nav": "navigation",
    "header": "header",
    "footer": "footer",
    "aside": "side",
    "navigation": "navigation",
    "menu": "navigation",
    "side": "side",
}
_MONTH: Final = (
    r"(?:jan|feb|f[ée]v|mar|m[äa]r|apr|abr|avr|ma[iy]|jun|jui|jul|aug|ago|ao[uû]t|sep|set|oct|okt|out|nov|dec|dez|d[ée]c)"
    r"[a-zéû]*"
)
_SHAPES: Final = tuple(
    (shape, re.compile(expression, re.IGNORECASE))
    for shape, expression in (
        ("copyright", r"©|\(c\)|copyright"),
        ("mail", r"[\w.+-]+@[\w-]+\.[\w.]+"),
        ("address", r"(?:https?://|www\.)\S+"),
        ("money", r"[$€£¥₹₽]\s?\d|\d\s?(?:[$€£¥₹₽]|eur|usd|gbp|chf|円|元)"),
        (
            "date",
            rf"\d{{4}}\s?[-/.年]\s?\d{{1,2}}|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}|\b{_MONTH}\.?\s+\d{{1,4}}"
            rf"|\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:de\s+)?{_MONTH}\b|\b\d+ (?:days?|months?|years?) ago",
        ),
        ("time", r"\b\d{1,2}:\d{2}"),
        ("number", r"^\W*\d[\d.,\s]*\W*$"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementLooks:
    """What is known of an element, enough to find it again on a page with another layout."""

    tag: str
    names: frozenset[str]  # words of its id, classes and other names
    meanings: frozenset[str]  # what these mean
    said: frozenset[str]  # what its label, its text if that is short, and its tooltip mean
    above: frozenset[str]  # words of the names around it
    above_meanings: frozenset[str]
    text: str
    words: int
    shape: str  # of its text: a date, an amount of money …
    label: tuple[str, ...]  # the words before it
    title_share: float  # of the title of the page that its text is, from 0 to 1
    title_first: bool  # the title begins with it
    titles_most: bool  # no other element says more of the title
    link: str  # to where, if it is a link or in one: here, elsewhere, mail
    target: frozenset[str]  # words of the address that it links to or shows
    address: str
    heading: int  # the number of the heading it is or stands in, from 1; 0 for none
    place: float  # in the text of the page, from 0 to 1
    part: str  # of the page
    main: bool  # it holds most of the running text, and nothing around it does more closely
    alike: int  # elements of its tag and classes on the page
    depth: int
    around: frozenset[str] = frozenset()  # the words just before and after it
    gap: float | None = None  # words after the title, or before it if negative, on a logarithmic scale
    linked: float = 0.0  # the share of its words that stand in links
    own: frozenset[str] = frozenset()  # what its text means, if that is short
    beginning: str = ""  # its first words

    @property
    def side(self) -> int | None:
        """Whether it stands before the title, in it, or after it: -1, 0 or 1; None if no element says the title."""
        return None if self.gap is None else (self.gap > 0) - (self.gap < 0)

    def to_json(self) -> dict[str, Any]:
        """Give them as plain data."""
        return {
            name: sorted(value) if isinstance(value, frozenset) else value for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ElementLooks:
        """Read them back; what is missing or wrong raises a TypeError."""
        sets = {each.name for each in fields(cls) if str(each.type).startswith("frozenset")}
        values: dict[str, Any] = {name: frozenset(value) if name in sets else value for name, value in data.items()}
        return cls(**values | {"label": tuple(values["label"])})


class PageLooks:
    """The looks of the elements of one page, each worked out once."""

    def __init__(self, page: SelectablePage) -> None:
        self.page, self.tree = page, page.tree
        self._made: dict[int, ElementLooks] = {}
        self._names: dict[int, frozenset[str]] = {}
        self._texts: dict[int, str] = {}

    def of(self, node: int) -> ElementLooks:
        """Describe an element."""
        if node not in self._made:
            self._made[node] = self._describe(node)
        return self._made[node]

    def _describe(self, node: int) -> ElementLooks:
        tree, before = self.tree, self.page.words_before
        first, last = before[node], before[tree.end[node]]
        text = self.text(node)
        names, around = self.names(node), list(self._around(node))
        above = frozenset().union(*(self.names(each) for each in around[:_ABOVE]))
        share, at_start = self._title_share(first, last)
        address = self._address(node, around)
        return ElementLooks(
            tag=tree.tag(node),
            names=names,
            meanings=meanings(names),
            said=self._said(node, text, last - first, self.page.words[max(0, first - LABEL_WORDS) : first]),
            above=above,
            above_meanings=meanings(above),
            text=text,
            words=last - first,
            shape=shape_of(text) if last - first <= 40 else "prose",  # noqa: PLR2004 - a line or two
            label=tuple(self.page.words[max(0, first - LABEL_WORDS) : first]),
            title_share=share,
            title_first=at_start,
            titles_most=0 < share >= self._best_share,
            link=link_kind(address) if address else "",
            target=name_words(address[:MAX_VALUE_CHARS].rpartition("//")[2].partition("/")[2]),
            address=address[:MAX_VALUE_CHARS],
            heading=next((self._headings[each] for each in (node, *around) if each in self._headings), 0),
            place=first / max(1, len(self.page.words)),
            part=self._part(node, around),
            main=node == self._main,
            alike=self._alike.get(self.signature(node), 1),
            depth=len(around),
            around=frozenset(
                self.page.words[max(0, first - AROUND_WORDS) : first] + self.page.words[last : last + AROUND_WORDS]
            ),
            gap=self._gap(first, last),
            beginning=self.beginning(node),
            own=text_meanings(text) if last - first <= SHORT_WORDS else frozenset(),
            linked=(self._linked_before[last] - self._linked_before[first]) / max(1, last - first),
        )

    @cached_property
    def _linked_before(self) -> list[int]:
        marks = bytearray(len(self.page.words))
        before = self.page.words_before
        for node in self.tree.elements("a"):
            first, last = before[node], before[self.tree.end[node]]
            marks[first:last] = b"\1" * (last - first)
        return [0, *accumulate(marks)]

    def _gap(self, first: int, last: int) -> float | None:
        start, stop = self._title_words
        if stop <= start:
            return None
        if first >= stop:
            return log1p(first - stop)
        return -log1p(start - last) if last <= start else 0.0

    @cached_property
    def _title_words(self) -> tuple[int, int]:
        """The words of the element that says most of the title; of several, the last heading or the first other."""
        before, end, best = self.page.words_before, self.tree.end, (0.0, 0, 0, 0, 0)
        for node in self.tree.elements():
            first, last = before[node], before[end[node]]
            share = self._title_share(first, last)[0]
            if share > 0:
                best = max(best, (share, int(self.tree.tag(node) in _HEADINGS), -node, first, last))
        return best[3], best[4]

    def _said(self, node: int, text: str, count: int, label: list[str]) -> frozenset[str]:
        tips = " ".join(self.tree.attribute(node, name) or "" for name in ("title", "aria-label", "alt"))
        own = text_meanings(text) if count <= SHORT_WORDS else frozenset[str]()
        return own | text_meanings(tips[:MAX_VALUE_CHARS]) | meanings(frozenset(label))

    def text(self, node: int) -> str:
        """Give the beginning of what an element says."""
        if node not in self._texts:
            self._texts[node] = self._read(node)
        return self._texts[node]

    def _read(self, node: int) -> str:
        tree, found, length = self.tree, list[str](), 0
        for below in range(node, tree.end[node]):
            if tree.kind[below] == TEXT:
                piece = " ".join(tree.text(below).split())
                if piece:
                    found.append(piece)
                    length += len(piece) + 1
            if length > MAX_TEXT_CHARS:
                break
        return " ".join(found)[:MAX_TEXT_CHARS]

    def beginning(self, node: int) -> str:
        """Give the first words of an element."""
        before = self.page.words_before
        first = before[node]
        return " ".join(self.page.words[first : min(before[self.tree.end[node]], first + BEGINNING_WORDS)])

    def clues(self, node: int) -> set[str]:
        """Give what an element is found by, without describing it in full; see `clues_of`."""
        before, tag = self.page.words_before, self.tree.tag(node)
        first, last = before[node], before[self.tree.end[node]]
        shape = shape_of(self.text(node)) if last - first <= CLUE_WORDS else "prose"
        titled = last - first <= len(self._title) and bool(self._title_share(first, last)[0])
        names = self.names(node)
        found = _clues(tag, names, meanings(names), self.page.words[first : min(last, first + CLUE_WORDS)])
        return (
            found
            | {f"shape {shape}"}
            | ({"title"} if titled else set())
            | ({"main"} if node == self._main else set())
        )

    def names(self, node: int) -> frozenset[str]:
        """Split what an element is called into words."""
        if node not in self._names:
            said = (value for key, value in self.tree.attributes(node) if key in _SAID or key.startswith("data-"))
            self._names[node] = frozenset().union(*(name_words(value[:MAX_VALUE_CHARS]) for value in said))
        return self._names[node]

    def signature(self, node: int) -> tuple[str, str]:
        """Give the tag and the classes, which elements of one kind share."""
        return self.tree.tag(node), " ".join(sorted((self.tree.attribute(node, "class") or "").split()))

    @cached_property
    def _alike(self) -> dict[tuple[str, str], int]:
        counts: dict[tuple[str, str], int] = {}
        for node in self.tree.elements():
            signature = self.signature(node)
            counts[signature] = counts.get(signature, 0) + 1
        return counts

    @cached_property
    def _title(self) -> list[str]:
        return words_of(self.page.page.title)

    def _title_share(self, first: int, last: int) -> tuple[float, bool]:
        """Say how much of the title of the page some words are, and whether it begins with them."""
        title, words = self._title, self.page.words[first : min(last, first + len(self._title) + 1)]
        if not words or last - first > len(title):
            return 0.0, False
        count = len(words)
        starts = [at for at in range(len(title) - count + 1) if title[at : at + count] == words]
        return (count / len(title), starts[0] == 0) if starts else (0.0, False)

    @cached_property
    def _best_share(self) -> float:
        before, end = self.page.words_before, self.tree.end
        spans = {(before[node], before[end[node]]) for node in self.tree.elements()}
        return max((self._title_share(*span)[0] for span in spans), default=0.0)

    @cached_property
    def _headings(self) -> dict[int, int]:
        return {node: number for number, node in enumerate(self.tree.elements(*_HEADINGS), 1)}

    @cached_property
    def _main(self) -> int:
        """The smallest element with most of the words."""
        tree, before = self.tree, self.page.words_before
        total = max(1, len(self.page.words))
        best = 0
        for node in tree.elements():
            if before[tree.end[node]] - before[node] > total / 2 and tree.tag(node) not in ("html", "body"):
                best = node
        return best

    def _around(self, node: int) -> Iterator[int]:
        while (node := self.tree.parent[node]) > 0 and self.tree.kind[node] == ELEMENT:
            yield node

    def _address(self, node: int, around: list[int]) -> str:
        """Give the address of a picture, or of the link that an element is, stands in or holds."""
        if self.tree.tag(node) == "img":
            return self.tree.attribute(node, "src") or ""
        below = [each for each in range(node + 1, min(self.tree.end[node], node + 4)) if self.tree.tag(each) == "a"]
        for each in (node, *around[:2], *below[:1]):
            if self.tree.tag(each) == "a" and (address := self.tree.attribute(each, "href")) is not None:
                return address
        return ""

    def _part(self, node: int, around: list[int]) -> str:
        for each in (node, *around):
            if part := _PARTS.get(self.tree.tag(each)):
                return part
            for meaning in sorted(meanings(self.names(each))):
                if part := _PARTS.get(meaning):
                    return part
        return "main"


def clues_of(looks: ElementLooks) -> set[str]:
    """Give what an element can be found by: names, meanings, first words, kind of value, place in the title."""
    found = _clues(looks.tag, looks.names, looks.meanings, looks.beginning.split()[:CLUE_WORDS])
    shape = looks.shape if looks.words <= CLUE_WORDS else "prose"
    return (
        found
        | {f"shape {shape}"}
        | ({"title"} if looks.title_share else set())
        | ({"main"} if looks.main else set())
    )


def _clues(tag: str, names: frozenset[str], meant: frozenset[str], words: list[str]) -> set[str]:
    return {f"tag {tag}", *names, *(f"meaning {each}" for each in meant), *(f"word {word}" for word in words)}


@lru_cache(MAX_REMEMBERED)
def name_words(value: str) -> frozenset[str]:
    """Split names into words; numbers and single letters say nothing.

    >>> sorted(name_words("entry-title postTitle css-1x2"))
    ['css', 'entry', 'post', 'title']
    """
    return frozenset(word.lower() for word in _NAME.findall(_LAYOUT.sub(" ", value)))


@lru_cache(MAX_REMEMBERED)
def meanings(names: frozenset[str]) -> frozenset[str]:
    """Say what names mean.

    >>> sorted(meanings(frozenset({"headline", "byline", "css"})))
    ['author', 'title']
    """
    return frozenset(_MEANINGS[name] for name in names if name in _MEANINGS)


def text_meanings(text: str) -> frozenset[str]:
    """Say what a short text such as that of a link means.

    >>> sorted(text_meanings("« Older posts")), sorted(text_meanings("Next"))
    (['list', 'previous'], ['next'])
    """
    arrows = {meaning for sign, meaning in _ARROWS.items() if sign in text}
    return meanings(frozenset(text.lower().split())) | arrows


@lru_cache(MAX_REMEMBERED)
def kind_of(tag: str) -> str:
    """Say what kind of element a tag is."""
    return _KINDS.get(tag, tag)


@lru_cache(MAX_REMEMBERED)
def shape_of(text: str) -> str:
    """Say what kind of value a text is.

    >>> shape_of("Posted on 3 May 2021"), shape_of("from 49 €"), shape_of("1,204"), shape_of("Hello"), shape_of("")
    ('date', 'money', 'number', 'text', 'empty')
    """
    if not text.strip():
        return "empty"
    return next((shape for shape, expression in _SHAPES if expression.search(text)), "text")


def link_kind(address: str) -> str:
    """Say where a link leads.

    >>> link_kind("mailto:a@b.example"), link_kind("#top"), link_kind("/fees"), link_kind("//cdn.example/")
    ('mail', 'anchor', 'here', 'elsewhere')
    """
    if address.startswith("#"):
        return "anchor"
    if address.startswith("mailto:"):
        return "mail"
    return "elsewhere" if re.match(r"(?:https?:)?//", address) else "here"
