"""What do the names that page makers give mean, and what kind of value is a text?"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

MAX_REMEMBERED: Final = 10_000  # names and texts whose meaning is remembered; crawls see countless ones
_NAME: Final = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")
_LAYOUT: Final = re.compile(r"(?<!\S)(?:text-[a-z0-9]+|\S+:\S+)(?!\S)")  # classes such as text-xs and md:mt-4
_KINDS: Final = {
    **dict.fromkeys("h1 h2 h3 h4 h5 h6".split(), "heading"),
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
_BITS: Final = {meaning: 1 << number for number, meaning in enumerate(dict.fromkeys(_MEANINGS.values()))}
_WORD_BITS: Final = {word: _BITS[meaning] for word, meaning in _MEANINGS.items()}
LINKS: Final = ("", "here", "elsewhere", "mail", "anchor")
_ARROWS: Final = dict.fromkeys("«‹←<◀", "previous") | dict.fromkeys("»›→>▶", "next")
_ARROW: Final = re.compile(f"[{''.join(_ARROWS)}]")
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

_VALUE: Final = re.compile(r"[\d©@]|\(c\)|copyright|https?://|www\.", re.IGNORECASE)  # each shape has one of these


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


@lru_cache(MAX_REMEMBERED)
def bits_of(meant: frozenset[str]) -> int:
    """Write meanings as bits of a number, which are quicker to compare.

    >>> bits_of(frozenset({"title"})) | bits_of(frozenset({"date"})) == bits_of(frozenset({"title", "date"}))
    True
    """
    return sum(_BITS[meaning] for meaning in meant if meaning in _BITS)


def word_bits(word: str) -> int:
    """Say what one word means, as a bit; 0 for nothing."""
    return _WORD_BITS.get(word, 0)


def text_meanings(text: str) -> frozenset[str]:
    """Say what a short text such as that of a link means.

    >>> sorted(text_meanings("« Older posts")), sorted(text_meanings("Next"))
    (['list', 'previous'], ['next'])
    """
    found = meanings(frozenset(text.lower().split()))
    arrows = _ARROW.findall(text)
    return found.union(map(_ARROWS.__getitem__, arrows)) if arrows else found


def text_bits(text: str) -> int:
    """Say what a short text means, as bits.

    >>> text_bits("« Older posts") == bits_of(text_meanings("« Older posts"))
    True
    """
    found = 0
    for word in text.lower().split():
        found |= _WORD_BITS.get(word, 0)
    for arrow in _ARROW.findall(text):
        found |= _BITS[_ARROWS[arrow]]
    return found


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
    if not _VALUE.search(text):
        return "text"  # as most are
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
