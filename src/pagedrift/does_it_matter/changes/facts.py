"""Which facts does a text state: amounts, dates, contacts, states, obligations, names, versions, files?"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes import fact_words as lists

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TEXT: Final = 4_000  # characters of a passage that are looked at


class FactKind(StrEnum):
    """Kinds of facts, those that people watch for first."""

    MONEY = "amount of money"
    DEADLINE = "deadline"
    HOURS = "opening hours"
    DATE = "date"
    TIME = "time"
    PERCENTAGE = "percentage"
    QUANTITY = "number with unit"
    CONTACT = "phone or mail address"
    STATUS = "availability or status"
    OBLIGATION = "negation or obligation"
    PERSON = "person or role"
    VERSION = "version number"
    FILE = "file"
    NUMBER = "number"


_AMOUNTS: Final = re.compile(r"\d|[\[({]\s?a(?:t|rroba)\s?[\])}]", re.IGNORECASE)
_NEAR: Final = 100  # characters: longer than a mail address, a date or the name of a file
_TELLING: Final = re.compile(r"[\d@]|\.(?=pdf|doc|xls|ppt|odt|csv|zip|tar|tgz|dmg|exe|msi|deb|apk)", re.IGNORECASE)
# Bounded: a text of digits must not be tried from each of them to its end.
_DIGITS: Final = r"\d(?:[\d.,'’   ]{0,20}\d)?"
_SIGNS: Final = re.escape(lists.CURRENCY_SIGNS)


@cache
def _expressions() -> tuple[tuple[FactKind, re.Pattern[str]], ...]:
    """Make the expressions at first use; a text is taken apart in their order, each span once."""
    currencies = lists.alternatives(lists.CURRENCIES)
    units = lists.alternatives(lists.UNITS)
    months = lists.alternatives(lists.MONTHS)
    clock = r"(?:[01]?\d|2[0-4])(?:(?::|h|\.)[0-5]\d|(?::[0-5]\d)?\s?(?:am|pm|a\.m\.|p\.m\.|uhr|h))(?!\d|\.\d)"
    clock += rf"(?!\s?{units})"  # 1.42 m is a length
    return tuple(
        (kind, re.compile(expression, re.IGNORECASE))
        for kind, expression in (
            (
                FactKind.CONTACT,
                r"[\w.+-]{1,64}(?:@|\s?[\[({]\s?(?:at|ät|arroba|chiocciola|apenstaartje)\s?[\])}]\s?)"
                r"[\w-]{1,64}\.[\w.-]{1,64}\w|(?<![\w.,])0\d(?:\.\d\d){4}(?!\d)",
            ),
            (
                FactKind.FILE,
                r"[\w.-]{1,80}\.(?:pdf|docx?|xlsx?|pptx?|odt|csv|zip|tar\.gz|tgz|dmg|exe|msi|deb|apk)\b",
            ),
            (
                FactKind.MONEY,
                rf"[{_SIGNS}]\s?-?{_DIGITS}(?:\s?(?:k|m|bn|million|billion|mio)\b)?|{_DIGITS}\s?[{_SIGNS}]"
                rf"|{_DIGITS}(?:,-|\.-|,–)?\s?(?:円|元|원)|\d[\d.,]*\s?(?:万円|億円|万元)"
                rf"|{_DIGITS}(?:,-|\.-|,–)?\s?(?:(?:mio|mln|mrd|млн|млрд|тыс|tys)\.?\s)?{currencies}"
                rf"|{currencies}\.?\s?{_DIGITS}|{_DIGITS}\s?(?-i:Ft)\b",
            ),
            (
                FactKind.PERCENTAGE,
                rf"[+−-]?{_DIGITS}\s?(?:%|‰|percent|per cent|prozent|pour cent|por ciento|per cento)",
            ),
            (
                FactKind.DATE,
                r"\b(?:19|20)\d\d-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:z|[+-]\d\d:?\d\d)?\b|"  # ISO 8601
                rf"\b(?:19|20)\d\d[-/.]\d{{1,2}}[-/.]\d{{1,2}}\b|\b\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:(?:19|20)\d\d|\d\d)\b"
                rf"|\b\d{{1,2}}\.\s?\d{{1,2}}\.(?!\d)|\d{{4}}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?|\d{{1,2}}月\d{{1,2}}日"
                rf"|\b\d{{1,2}}\s?(?:st|nd|rd|th|er|º|ª|\.)?(?:\s(?:de|of))?[\s-]{months}\.?(?:,?\s(?:de\s|del\s)?(?:19|20)\d\d)?"
                rf"|{months}\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s(?:19|20)\d\d)?|{months}\.?\s(?:19|20)\d\d",
            ),
            (
                FactKind.HOURS,
                r"(?<![\d.,])(?:[01]?\d|2[0-4])(?:[:.]\d\d)?\s?[–-]\s?(?:[01]?\d|2[0-4])(?:[:.]\d\d)?"
                r"\s?(?:uhr|uur|h|am|pm)\b",
            ),
            (FactKind.TIME, rf"(?<![\d.,]){clock}|\d{{1,2}}時(?:\d{{1,2}}分)?"),
            (FactKind.CONTACT, lists.POSTAL_ADDRESS),
            (
                FactKind.CONTACT,
                r"(?<![\w.,])(?:\+|00)\d{1,3}[\s()./-]*\d(?:[\s()./-]*\d){5,}|(?<![\w.,])0\d(?:[\s()/-]*\d){5,}(?![\w.,]\d)"
                r"|(?<![\w.,])\(?\d{3}\)?[\s.-]\d{3}[\s.-]\d{3,4}(?!\d|,\d)"
                r"|(?<![\w.,])\(\d{2,5}\)\s?\d{3,5}[\s.-]?\d{3,5}(?!\d|,\d)"
                # Groups that no number is written in, as in “61 555 01 26”.
                r"|(?<![\w.,])(?!\d+(?: \d{3})+(?! ?\d))(?=(?:\d ?){9,12}(?!\d))"
                r"\d{2,4}(?: \d{2,4}){2,4}(?![\w.,]?\d)",
            ),
            (FactKind.VERSION, r"(?<![\w.,])v?\d+\.\d+\.\d+(?:[.-]?\w+)*|\bv\d+(?:\.\d+)*\b|\bversion\s\d[\w.]*"),
            (
                FactKind.QUANTITY,
                rf"(?<![\w.,]){_DIGITS}\s?{units}|{_DIGITS}\s?(?:人|名|時間|分|日間|日|ヶ月|個|台|冊|点|畳|室|席|年|歳|平米|小时|天|个月|套)",
            ),
            (FactKind.NUMBER, rf"[+−-]?{_DIGITS}"),
        )
    )


HINTS: Final = ("stamp", "counter", "advert", "deadline", "role", "contact", "now", "call", "request", "besides")


_EXTENSION: Final = re.compile(r"(?:[\d ()/-]{3,}|\d{3}\.\d{4})$")  # a number to call, perhaps the last part of one
_SAYS: Final = "says "  # before what words say whatever they are, in the names of lists


@cache
def _vocabulary() -> lists.Vocabulary:
    """Put all lists together at first use, by what their words are or hint at."""
    return lists.Vocabulary(
        {
            "stamp": lists.STAMP,
            "counter": lists.COUNTER,
            "advert": lists.ADVERT,
            "deadline": lists.DEADLINE,
            "role": lists.ROLES,
            "contact": lists.CONTACT,
            "now": lists.NOW,
            "call": lists.CALL,
            "request": lists.REQUEST,
            "besides": lists.BESIDES,
            FactKind.QUANTITY: lists.NUMBER_WORDS,
            FactKind.DATE: f"{lists.WEEKDAYS} {lists.MONTH_NAMES}",
            FactKind.STATUS: lists.STATUS,
            **{f"{_SAYS}{said}": words for said, words in lists.OBLIGATION.items()},
        },
        {
            "stamp": lists.STAMP_ANYWHERE,
            "counter": lists.COUNTER_ANYWHERE,
            "deadline": "まで 締切 截止 마감",
            "role": "氏 様 先生 教授 代表 市長 校長 主任 担当 部長 理事 女士",
            "contact": "電話 电话 전화",
            "now": lists.NOW_ANYWHERE,
            "call": lists.CALL_ANYWHERE,
            "request": lists.REQUEST_ANYWHERE,
            "besides": lists.BESIDES_ANYWHERE,
            FactKind.DATE: lists.DAYS_ANYWHERE,
            FactKind.STATUS: lists.STATUS_ANYWHERE,
            **{f"{_SAYS}{said}": words for said, words in lists.OBLIGATION_ANYWHERE.items()},
        },
    )


_NAME: Final = re.compile(
    r"(?<!\w)(?:[^\W\d_a-zà-ÿа-я]\.[\s-]?){1,3}(?:(?:de|von|van|der|den|ten|ter|di|da|al|el|bin)\s){0,2}"
    r"[^\W\d_a-zà-ÿа-я][\w’'-]+"
    r"|\b[^\W\d_a-zà-ÿа-я][\w’'-]+(?:\s(?:de|von|van|der|den|di|da|al|el|bin|Mc|O’)?\s?[^\W\d_a-zà-ÿа-я][\w’.'-]+)+"
)


_NAME_BEFORE_TITLE: Final = re.compile(  # a name in ideographs, after a particle that is not one
    r"[\u4e00-\u9fff々]{2,6}(?=\s?(?:先生|さん|氏|様|教授|女士))"
)


@dataclass(frozen=True, slots=True)
class FactReading:
    """What a text states, and what its words hint at."""

    facts: Counter[tuple[FactKind, str]]  # each as its kind and its value
    hints: frozenset[str]  # a stamp, a counter, an advertisement, a deadline, a role, a contact, …


_CONTRACTED_NOT: Final = ("n't", "cannot")
_AGO: Final = re.compile(lists.AGO, re.IGNORECASE)
_COUNTED: Final = frozenset((FactKind.NUMBER, FactKind.QUANTITY))
NOTHING_READ: Final = FactReading(Counter(), frozenset())


def read(text: str) -> FactReading:
    """Find the facts and hints of a text.

    >>> found = read("From 1 May a permit costs $1,200 (was $900).")
    >>> sorted((kind.value, value) for kind, value in found.facts)
    [('amount of money', '$1,200'), ('amount of money', '$900'), ('date', '1 may')]
    >>> sorted(read("Last updated 3 hours ago").hints), sorted(read("1,204 views").hints)
    (['stamp'], ['counter'])
    """
    text = text[:MAX_TEXT]
    words = _vocabulary().found(text)
    told = {name for name in HINTS if name in words}
    if _AGO.search(text):
        told.add("stamp")
    facts = Counter(_facts(text, words, frozenset(told)))
    if not any(kind in _COUNTED for kind, _ in facts):
        told.discard("counter")  # “opening times”, “register online”: only a number can be counted up
    return FactReading(facts, frozenset(told))


def obligations(text: str) -> Counter[str]:
    """Count what a text forbids, demands, recommends and restricts, whatever its words.

    >>> obligations("You must not smoke") == obligations("Smoking is forbidden, you must know")
    True
    """
    words = _vocabulary().found(text[:MAX_TEXT])
    return Counter({said: len(words.get(f"{_SAYS}{said}", ())) for said in lists.OBLIGATION if said != "may"})


def changed_facts(
    before: Counter[tuple[FactKind, str]], after: Counter[tuple[FactKind, str]]
) -> dict[FactKind, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Say which facts two texts do not share: by kind, those of the old one only and those of the new one only.

    >>> changed_facts(read("The fee is $120, due 1 May").facts, read("The fee is $145, due 1 May").facts)
    {<FactKind.MONEY: 'amount of money'>: (('$120',), ('$145',))}
    """
    gone, come = before - after, after - before
    found: dict[FactKind, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    if not gone and not come:
        return found
    for kind in FactKind:
        sides = tuple(tuple(value for each, value in side if each == kind) for side in (gone, come))
        if sides[0] or sides[1]:
            found[kind] = (sides[0], sides[1])
    return found


def _facts(text: str, words: dict[str, list[str]], told: frozenset[str]) -> Iterator[tuple[FactKind, str]]:
    if "@" in text or not text.isascii() or _AMOUNTS.search(text):
        yield from _amounts(text, told)
    for kind in (FactKind.STATUS, FactKind.QUANTITY, FactKind.DATE):
        for found in words.get(kind, ()):
            yield kind, found
    for said in lists.OBLIGATION:
        for found in words.get(f"{_SAYS}{said}", ()):
            yield FactKind.OBLIGATION, "not" if found.endswith(_CONTRACTED_NOT) else found
    if "role" in told:
        for name in chain(_NAME.finditer(text), _NAME_BEFORE_TITLE.finditer(text)):
            yield FactKind.PERSON, _plain(name.group())


def _amounts(text: str, told: frozenset[str]) -> Iterator[tuple[FactKind, str]]:
    """Take the numbers of a text apart; what one expression found the next does not see."""
    made: list[tuple[FactKind, str]] = []
    text = _near_digits(text)
    for kind, expression in _expressions():
        spans = []
        for found in expression.finditer(text):
            if value := found.group().strip():
                spans.append(found.span())
                made.append((kind, _plain(value)))
        for start, end in reversed(spans):
            text = text[:start] + "\0" + text[end:]
    times = sum(kind == FactKind.TIME for kind, _ in made)
    for kind, value in made:
        if kind == FactKind.TIME and times > 1:
            yield FactKind.HOURS, value
        elif kind in (FactKind.DATE, FactKind.TIME) and "deadline" in told and any(map(str.isdigit, value)):
            yield FactKind.DEADLINE, value
        elif kind == FactKind.NUMBER and "contact" in told and _EXTENSION.match(value):
            yield FactKind.CONTACT, value
        else:
            yield kind, value


def _near_digits(text: str) -> str:
    """Leave out what is far from all digits, mail addresses and names of files: no number is taken apart there."""
    if len(text) <= 2 * _NEAR:
        return text
    kept, end = [], 0
    for found in _TELLING.finditer(text):
        start = max(end, found.start() - _NEAR)
        if start > end:
            kept.append("\0")
        end = max(end, min(len(text), found.end() + _NEAR))
        kept.append(text[start:end])
    return "".join(kept)


def _plain(value: str) -> str:
    return " ".join(value.lower().split())
