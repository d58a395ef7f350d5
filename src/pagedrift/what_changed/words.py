"""Which words of a text changed?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.text import shared_start

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TOKENS: Final = 20_000  # longer texts are replaced as a whole, apart from their common ends
LEAST_SHARED: Final = 0.2  # of the tokens; below, single words that stayed by chance would read like confetti

# A token is what a reader takes in at once; half of one struck through reads like something else (£4959.00).
_IDEOGRAPHS: Final = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # they stand for themselves: there are no spaces
_ACCENTS: Final = (  # that are written after a letter, and are none to `\w`
    r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u0e31\u0e34-\u0e3a"
    r"\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe20-\ufe2f"
)
_LETTER: Final = rf"(?:[^\W{_IDEOGRAPHS}]|[{_ACCENTS}])"
_SPACE: Final = r"[ \u00a0\u2009\u202f]"
_CURRENCY: Final = (
    r"(?:[A-Z]{0,3}[$¢£¤¥฿\u20a0-\u20cf]|(?:EUR|USD|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK|BRL))"
)
_UNIT: Final = (
    rf"(?:[%‰円元원]|°{_LETTER}?|{_CURRENCY}|(?:[ap]\.m\.|(?:[AaPp][Mm]|UTC|GMT|[kKMGT]i?B|[kcmµn]?[mgsWVA]|[kM]Wh"
    rf"|min|h|ha|l|ml|px|m²|m³|ft|lbs?|oz|mph|years?|months?|weeks?|days?|hours?|minutes?|seconds?)(?!{_LETTER}))(?:/{_LETTER}+)?)"
)
_DIGITS: Final = (  # a comma groups thousands or begins a fraction; in 1,2,3 it separates
    rf"\d{_LETTER}*(?:[.:/'’\u00a0\u2009\u202f–-](?=\d){_LETTER}+|,\d{{3}}(?!\d)|(?<!,\d)(?<!,\d\d),\d{{1,2}}(?!,?\d))*"
    rf"(?: \d{{3}}(?!{_LETTER}))*"
)
_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_TOKEN = re.compile(
    rf"\s+"
    rf"|(?:\d+[年月日時分秒])+"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.|º)?{_SPACE}(?:{_MONTH}|(?:de )?[^\W\d_]{{3,12}}\.?(?= (?:de )?\d{{4}}(?!\d)))"
    rf"(?:,? (?:de )?\d{{4}}(?!{_LETTER}))?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?!{_LETTER})(?:, \d{{4}}(?!{_LETTER}))?"
    rf"|{_MONTH} \d{{4}}(?!{_LETTER})"
    rf"|(?:{_CURRENCY}{_SPACE}?)?[+−±-]?{_DIGITS}(?:{_SPACE}?{_UNIT})?"
    rf"|[{_IDEOGRAPHS}]"
    rf"|{_LETTER}+(?:['’.@-](?={_LETTER}){_LETTER}+)*"
    rf"|."
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that stayed, went or came."""

    kind: Literal["same", "removed", "added"]
    text: str


def word_changes(before: str, after: str) -> tuple[Piece, ...]:
    """Split two texts into what they share and what only one of them has.

    >>> for piece in word_changes("Fence: $40 a year", "Fence: $45 a year"):
    ...     print(f"{piece.kind:<8}{piece.text!r}")
    same    'Fence: '
    removed '$40'
    added   '$45'
    same    ' a year'
    """
    return tuple(Piece(kind, text) for kind, text in _pieces(tokens(before), tokens(after)) if text)


def tokens(text: str) -> list[str]:
    """Split a text into what is marked as a whole: words, amounts with sign and unit, dates, white space.

    >>> tokens("Now £59.00 until 1 May 2026, 5 % off")
    ['Now', ' ', '£59.00', ' ', 'until', ' ', '1 May 2026', ',', ' ', '5 %', ' ', 'off']
    """
    return _TOKEN.findall(text)


def _pieces(old: list[str], new: list[str]) -> Iterator[tuple[Literal["same", "removed", "added"], str]]:
    head = shared_start(old, new)
    tail = shared_start(old[head:][::-1], new[head:][::-1])
    yield "same", "".join(old[:head])
    yield from _middle(old[head : len(old) - tail], new[head : len(new) - tail])
    yield "same", "".join(old[len(old) - tail :])


def _middle(old: list[str], new: list[str]) -> Iterator[tuple[Literal["same", "removed", "added"], str]]:
    from rapidfuzz.distance import Indel

    if (
        not old
        or not new
        or max(len(old), len(new)) > MAX_TOKENS
        or Indel.normalized_similarity(old, new) < LEAST_SHARED
    ):
        yield "removed", "".join(old)
        yield "added", "".join(new)
        return
    gone, come = "", ""
    for step in Indel.opcodes(old, new):
        same = "".join(old[step.src_start : step.src_end]) if step.tag == "equal" else ""
        if same.strip():
            yield from (("removed", gone), ("added", come), ("same", same))
            gone, come = "", ""
        else:  # white space between two changed words changes with them
            gone += "".join(old[step.src_start : step.src_end])
            come += "".join(new[step.dest_start : step.dest_end])
    yield from (("removed", gone), ("added", come))
