"""News of a change: which words came and went, to know the same news on several pages of a site.

A new article stands on the front page and in its section, among other entries, in another order and with another
entry pushed out. It is the same news if everything that came on one page came on the other. A bare value, such as a
price or “sold out”, does not say what it belongs to: it is never the same news on another page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pagedrift.app.model.decision import Reason
from pagedrift.app.model.lessons import key_facts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.app.model.change import ChangeRecord, JudgedEdit

MIN_WORDS: Final = 4  # besides numbers, of a text that says what it is about
MIN_PAIRS: Final = (
    0.75  # of the pairs of words that follow each other: entries may be cut otherwise on another page
)
_JUDGED: Final = frozenset((Reason.MATTERS, Reason.CONTENT))  # other alerts were asked for, each for its page
_WORD: Final = re.compile(r"\w+", re.UNICODE)

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class News:
    """The texts that came with a change and those that went, as words."""

    came: tuple[Words, ...]
    went: tuple[Words, ...]  # but for entries that others pushed out of a list
    identified: bool  # they say what they are about
    labels: tuple[Words, ...] = ()  # of entries that came: a section or a date, which another list may not show

    @classmethod
    def of(cls, record: ChangeRecord) -> News | None:
        """Read the news off a change; None where there is an alert for another reason, or no text came."""
        analysis = record.analysis
        wanted = [edit for edit in analysis.edits if edit.level in _levels(record)]
        if record.decision.reason not in _JUDGED or analysis.value is not None or analysis.redesigned:
            return None
        if any(analysis.more_edits.get(level) for level in _levels(record)):
            return None
        came = tuple(filter(None, (words_of(edit.new) for edit in wanted if not _is_label(edit))))
        labels = tuple(words_of(edit.new) for edit in wanted if _is_label(edit))
        pushed_out = any(edit.listed and edit.new for edit in wanted)
        went = (words_of(edit.old) for edit in wanted if not (edit.listed and pushed_out))
        said = any(map(_names_something, came))
        identified = said and not any(map(is_bare_fact, wanted))
        return cls(came, tuple(filter(None, went)), identified, labels) if came else None

    def is_part_of(self, other: News) -> bool:
        """Return whether all of it came, and went, with another change as well."""
        if not (self.identified and other.identified):
            return False
        return _are_in(self.came, (*other.came, *other.labels)) and _are_in(self.went, other.went)


def _is_label(edit: JudgedEdit) -> bool:
    """Return whether an edit adds a short text to a list, and no key fact."""
    short = edit.listed and edit.action == "added" and not _names_something(words_of(edit.new))
    return short and not key_facts(edit.facts)


def is_bare_fact(edit: JudgedEdit) -> bool:
    """Return whether an edit exchanges a fact in a text that does not say what it belongs to."""
    exchanged = any(edit.facts[kind][0] and edit.facts[kind][1] for kind in key_facts(edit.facts))
    bare = not (_names_something(words_of(edit.new)) or _names_something(words_of(edit.old)))
    return bare and (exchanged or bool(key_facts(edit.facts) and not edit.listed))


def words_of(text: str) -> Words:
    """Split a text into words, whatever their capitals and what is between them."""
    return tuple(_WORD.findall(text.casefold()))


def _levels(record: ChangeRecord) -> tuple[str, ...]:
    return ("important",) if record.decision.reason is Reason.MATTERS else ("important", "minor")


def _names_something(words: Words) -> bool:
    return sum(not word.isdigit() for word in words) >= MIN_WORDS


def _are_in(texts: Iterable[Words], others: tuple[Words, ...]) -> bool:
    known = {word for other in others for word in other}
    pairs = {pair for other in others for pair in pairwise(other)}
    return all(_is_in(text, known, pairs) for text in texts)


def _is_in(text: Words, known: set[str], pairs: set[tuple[str, str]]) -> bool:
    """Return whether every word of a text is among others, and nearly all follow each other there as here."""
    mine = list(pairwise(text))
    shared = sum(pair in pairs for pair in mine)
    return known.issuperset(text) and shared >= MIN_PAIRS * len(mine)
