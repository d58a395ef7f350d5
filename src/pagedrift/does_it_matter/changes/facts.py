"""Which facts does a text state: amounts, dates, contacts, states, obligations, names, versions, files?"""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes import fact_words as lists

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TEXT: Final = 4_000  # characters of a passage that are looked at


class FactKind(StrEnum):
    """Kinds of facts, the most telling first."""

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


_DIGITS: Final = r"\d(?:[\d.,'’   ]*\d)?"
_SIGNS: Final = re.escape(lists.CURRENCY_SIGNS)


@cache
def _expressions() -> tuple[tuple[FactKind, re.Pattern[str]], ...]:
    """Make the expressions at first use; a text is taken apart in their order, each span once."""
    currencies = lists.alternatives(lists.CURRENCIES)
    units = lists.alternatives(lists.UNITS)
    months = lists.alternatives(lists.MONTHS)
    weekdays = lists.alternatives(lists.WEEKDAYS)
    clock = r"(?:[01]?\d|2[0-4])(?:(?::|h|\.)[0-5]\d|(?::[0-5]\d)?\s?(?:am|pm|a\.m\.|p\.m\.|uhr|h))(?![\d.])"
    return tuple(
        (kind, re.compile(expression, re.IGNORECASE))
        for kind, expression in (
            (FactKind.CONTACT, r"[\w.+-]+@[\w-]+\.[\w.-]+\w"),
            (FactKind.FILE, r"[\w.-]+\.(?:pdf|docx?|xlsx?|pptx?|odt|csv|zip|tar\.gz|tgz|dmg|exe|msi|deb|apk)\b"),
            (
                FactKind.MONEY,
                rf"[{_SIGNS}]\s?-?{_DIGITS}(?:\s?(?:k|m|bn|million|billion|mio)\b)?|{_DIGITS}\s?[{_SIGNS}]"
                rf"|{_DIGITS}(?:,-|\.-|,–)?\s?(?:円|元|원)|\d[\d.,]*\s?(?:万円|億円|万元)"
                rf"|{_DIGITS}(?:,-|\.-|,–)?\s?{currencies}|{currencies}\s?{_DIGITS}",
            ),
            (FactKind.PERCENTAGE, rf"[+−-]?{_DIGITS}\s?(?:%|‰|percent|per cent|prozent|pour cent|por ciento|per cento)"),
            (
                FactKind.DATE,
                rf"\b(?:19|20)\d\d[-/.]\d{{1,2}}[-/.]\d{{1,2}}\b|\b\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:(?:19|20)\d\d|\d\d)\b"
                rf"|\b\d{{1,2}}\.\s?\d{{1,2}}\.(?!\d)|\d{{4}}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?|\d{{1,2}}月\d{{1,2}}日"
                rf"|\b\d{{1,2}}(?:st|nd|rd|th|er|º|ª|\.)?(?:\s(?:de|of))?[\s-]{months}\.?(?:,?\s(?:de\s|del\s)?(?:19|20)\d\d)?"
                rf"|{months}\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s(?:19|20)\d\d)?|{months}\.?\s(?:19|20)\d\d",
            ),
            (FactKind.TIME, rf"(?<![\d.,]){clock}|\d{{1,2}}時(?:\d{{1,2}}分)?"),
            (
                FactKind.CONTACT,
                r"(?<![\w.,])(?:\+|00)\d{1,3}[\s()./-]*\d(?:[\s()./-]*\d){5,}|(?<![\w.,])0\d(?:[\s()/-]*\d){5,}(?![\w.,]\d)"
                r"|(?<![\w.,])\(?\d{3}\)?[\s.-]\d{3}[\s.-]\d{4}(?!\d)",
            ),
            (FactKind.VERSION, r"(?<![\w.,])v?\d+\.\d+\.\d+(?:[.-]?\w+)*|\bv\d+(?:\.\d+)*\b|\bversion\s\d[\w.]*"),
            (FactKind.QUANTITY, rf"(?<![\w.,]){_DIGITS}\s?{units}|{_DIGITS}\s?(?:人|名|時間|分|日間|日|ヶ月|個|台|冊|点|畳|室|席|年|歳|平米|小时|天|个月|套)"),
            (FactKind.DATE, weekdays),
            (FactKind.NUMBER, rf"[+−-]?{_DIGITS}"),
        )
    )


@cache
def _word_lists() -> dict[FactKind, lists.WordList]:
    return {
        FactKind.STATUS: lists.WordList(lists.STATUS, lists.STATUS_ANYWHERE),
        FactKind.OBLIGATION: lists.WordList(lists.NEGATION, lists.NEGATION_ANYWHERE),
    }


@cache
def _hints() -> dict[str, lists.WordList]:
    return {
        "stamp": lists.WordList(lists.STAMP, lists.STAMP_ANYWHERE),
        "counter": lists.WordList(lists.COUNTER, lists.COUNTER_ANYWHERE),
        "advert": lists.WordList(lists.ADVERT),
        "deadline": lists.WordList(lists.DEADLINE, "まで 締切 截止 마감"),
        "role": lists.WordList(lists.ROLES, "氏 様 先生 教授 代表 市長 校長 主任 担当 部長 理事 先生 女士"),
        "contact": lists.WordList(lists.CONTACT, "電話 电话 전화"),
    }


_NAME: Final = re.compile(r"\b[^\W\d_a-zà-ÿа-я][\w’'-]+(?:\s(?:de|von|van|der|den|di|da|al|el|bin|Mc|O’)?\s?[^\W\d_a-zà-ÿа-я][\w’.'-]+)+")


def hints(text: str) -> frozenset[str]:
    """Say what words in a text hint at: a stamp, a counter, an advertisement, a deadline, a role, a contact.

    >>> sorted(hints("Last updated 3 hours ago")), sorted(hints("1,204 views"))
    (['stamp'], ['counter'])
    """
    text = text[:MAX_TEXT]
    words = lists.tokens(text)
    return frozenset(name for name, listed in _hints().items() if any(listed.found_in(words, text)))


def facts(text: str) -> Counter[tuple[FactKind, str]]:
    """Count the facts that a text states, each as its kind and its value.

    >>> sorted((kind.value, value) for kind, value in facts("From 1 May a permit costs $1,200 (was $900)."))
    [('amount of money', '$1,200'), ('amount of money', '$900'), ('date', '1 may')]
    """
    return Counter(_facts(text[:MAX_TEXT]))


def changed_facts(old: str, new: str) -> dict[FactKind, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Say which facts two texts do not share: by kind, those of the old one only and those of the new one only.

    >>> changed_facts("The fee is $120, due 1 May", "The fee is $145, due 1 May")
    {<FactKind.MONEY: 'amount of money'>: (('$120',), ('$145',))}
    """
    before, after = facts(old), facts(new)
    gone, come = before - after, after - before
    found: dict[FactKind, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for kind in FactKind:
        sides = tuple(tuple(value for each, value in side if each == kind) for side in (gone, come))
        if sides[0] or sides[1]:
            found[kind] = (sides[0], sides[1])
    return found


def _facts(text: str) -> Iterator[tuple[FactKind, str]]:
    told = hints(text)
    if any(sign.isdigit() for sign in text) or "@" in text:
        yield from _amounts(text, told)
    words = lists.tokens(text)
    for kind, listed in _word_lists().items():
        for found in listed.found_in(words, text):
            yield kind, found
    if "role" in told:
        for name in _NAME.finditer(text):
            yield FactKind.PERSON, _plain(name.group())


def _amounts(text: str, told: frozenset[str]) -> Iterator[tuple[FactKind, str]]:
    """Take the numbers of a text apart; what one expression found the next does not see."""
    made: list[tuple[FactKind, str]] = []
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
        elif kind == FactKind.DATE and "deadline" in told and any(sign.isdigit() for sign in value):
            yield FactKind.DEADLINE, value
        elif kind == FactKind.NUMBER and "contact" in told and len(value) > 4:  # noqa: PLR2004 - no short number
            yield FactKind.CONTACT, value
        else:
            yield kind, value


def _plain(value: str) -> str:
    return " ".join(value.lower().split())
