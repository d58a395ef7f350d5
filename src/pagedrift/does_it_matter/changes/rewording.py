"""Does a passage say the same in other words, or is a name another one, or a piece cut off or put in?"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHARED: Final = (
    0.55  # of the letters of each side: the words of a rephrased text are there again, inflected or moved
)
_LENGTH_RATIO: Final = 0.8  # of the shorter side to the longer one; else something was left out or put in
_LETTERS: Final = 4
_FEW_EXCHANGED: Final = 4
_PIECE_WORDS: Final = 5  # so many words cut off or put in are a piece of information
_NAME_LETTERS: Final = 5  # by which a name is known again with another ending
_SPELLED_LETTERS: Final = 5  # a shorter word with another letter is another word
_NEGATED_LETTERS: Final = 4
_NEGATIONS: Final = frozenset(
    "un in im ir il dis non non- des mis nie ne ne- on o niet- ikke- icke- icke u anti- не бес без".split()
)
_LEFT_OUT: Final = {"ll": "will", "re": "are", "ve": "have", "m": "am"}
_BEFORE_NOT: Final = {"can't": "can", "won't": "will", "shan't": "shall"}
_SENTENCE_ENDS: Final = frozenset(".!?:;»”)")
_EDGES: Final = re.compile(r"^\W+|\W+$")
_BOUND: Final = re.compile(r"^(?:[ldnmscj]|qu|dell|all|nell|dall|sull)[’']", re.IGNORECASE)
_AFTER_LABEL: Final = re.compile(r":\s(\w[\w’'-]+)(?:\s[\w’'-]+){0,2}\s?[.;,)]")  # a few words, no sentence
_BETWEEN_WORDS: Final = re.compile(r"\W+")


def is_rephrased(old: str, new: str) -> bool:
    """Say whether two texts are of about one length and made of the same words, whatever their order and endings.

    >>> old = "Towels can be borrowed at the desk for a small charge."
    >>> is_rephrased(old, "You can borrow a towel at the desk; there is a small charge.")
    True
    >>> is_rephrased(old, "Towels are for sale in the shop next door.")
    False
    """
    if min(len(old), len(new)) < _LENGTH_RATIO * max(len(old), len(new)):
        return False
    mine, yours = _runs_of_letters(old), _runs_of_letters(new)
    shared = (mine & yours).total()
    return shared >= _SHARED * max(mine.total(), yours.total(), 1)


def has_piece_cut(old: Sequence[str], new: Sequence[str]) -> bool:
    """Say whether one side is the other one without a few words, and all else stayed.

    >>> has_piece_cut("It is safe . As a workaround , set it to false .".split(), "It is safe .".split())
    True
    """
    short, long = sorted((old, new), key=len)
    if len(long) - len(short) < _PIECE_WORDS:
        return False
    rest = iter(long)
    return all(word in rest for word in short)


def names_differ(old: str, new: str) -> bool:
    """Say whether one side names something with a capital letter, within a sentence, that the other side does not.

    >>> names_differ("We meet in the Memorial Hall at the church.", "We meet in the Library of the school.")
    True
    >>> names_differ("Am Vormittag liegt Nebel im Tal.", "Im Tal liegt vormittags Nebel.")
    False
    """
    return bool(_names_without(old, new.lower()) or _names_without(new, old.lower()))


def is_corrected(old: Sequence[str], new: Sequence[str]) -> bool:
    """Say whether all words are there again, some with another spelling.

    >>> is_corrected(["freie", "Anmeldug"], ["freie", "Anmeldung"])
    True
    """
    old, new = spelled_out(old), spelled_out(new)
    pairs = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
    return len(old) == len(new) and all(_differ_by_a_letter(*pair) for pair in pairs)


def words_exchanged(old: Sequence[str], new: Sequence[str]) -> bool:
    """Say whether a few words gave way to a few others, and all else stayed: who rephrases a text changes more.

    >>> words_exchanged("return postage is paid by us .".split(), "return postage is paid by you .".split())
    True
    >>> words_exchanged("we close at noon".split(), "at noon we are closing".split())
    False
    """
    from rapidfuzz.distance import Indel

    before, after = ([bare for word in spelled_out(side) if (bare := _bare(word))] for side in (old, new))
    gone, come = Counter(before) - Counter(after), Counter(after) - Counter(before)
    if not 0 < gone.total() <= _FEW_EXCHANGED or not 0 < come.total() <= _FEW_EXCHANGED:
        return False
    if not _has_other(gone, come) or not _has_other(come, gone):
        return False
    return Indel.distance(before, after) == gone.total() + come.total()  # all else kept its order


def _has_other(words: Iterable[str], others: Iterable[str]) -> bool:
    """Say whether one of some words is not just another ending of one of the others."""
    return any(
        not any(word.startswith(other[:_LETTERS]) or other.startswith(word[:_LETTERS]) for other in others)
        for word in words
    )


def is_negated(old: str, new: str) -> bool:
    """Say whether one of two words is the other one with what makes it say the opposite.

    >>> is_negated("estimada", "desestimada"), is_negated("non-refundable", "refundable"), is_negated("art", "part")
    (True, True, False)
    """
    short, long = sorted((old.lower(), new.lower()), key=len)
    return len(short) >= _NEGATED_LETTERS and long.endswith(short) and long[: -len(short)] in _NEGATIONS


def spelled_out(words: Sequence[str]) -> list[str]:
    """Give words with what they leave out: “you'll” is “you will”.

    >>> spelled_out(["you’ll", "see"])
    ['you', 'will', 'see']
    """
    found = []
    for word in words:
        plain = word.replace("’", "'")
        begun, mark, rest = plain.partition("'")
        if plain.endswith("n't"):
            found += [_BEFORE_NOT.get(plain, plain[:-3]), "not"]
        else:
            found += [begun, _LEFT_OUT[rest]] if mark and rest in _LEFT_OUT else [word]
    return found


def _differ_by_a_letter(old: str, new: str) -> bool:
    from rapidfuzz.distance import OSA

    long = min(len(old), len(new)) >= _SPELLED_LETTERS and old.isalpha() and new.isalpha()
    return long and OSA.distance(old, new, score_cutoff=1) <= 1


def _names_without(text: str, other: str) -> set[str]:
    """Find the names of a text of which not even the beginning is in another one."""
    words = text.split()
    names = {_bare(word) for before, word in pairwise(words) if before[-1] not in _SENTENCE_ENDS}
    names |= {_bare(name) for name in _AFTER_LABEL.findall(text)}
    return {name for name in names if name[:1].isupper() and name[:_NAME_LETTERS].lower() not in other}


def _bare(word: str) -> str:
    """Give a word without the marks around it and the article bound to it: “l’Église)” is “Église”."""
    return _BOUND.sub("", _EDGES.sub("", word))


def _runs_of_letters(text: str) -> Counter[str]:
    words = (f" {word} " for word in _BETWEEN_WORDS.split(text.lower()) if word)
    return Counter(word[at : at + _LETTERS] for word in words for at in range(max(1, len(word) - _LETTERS + 1)))
