"""Which passages of a page were added, removed or reworded, or differ only in counts and dates?"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pagedrift.does_it_matter.passages import WeightedPassage

ALIKE: Final = 0.5  # of the words shared in order: the same passage, reworded
_MAX_COMPARED_PAIRS: Final = 200_000  # pairs of passages; beyond, only those that stand near each other
_NEAR_PASSAGES: Final = 40
_EDGE_WORDS: Final = 5  # so many words at an edge of a passage, and all of the other one: it was continued or cut
_NUMBER: Final = re.compile(r"\d+")
_NAMED_DATE: Final = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*\b"
)
_SIGNS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class PassageEdit:
    """A passage that is still there, in other words."""

    old: WeightedPassage
    new: WeightedPassage
    words: int  # that came or went


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What became of the passages of a page; passages that stayed or only moved are not in it."""

    inserted: tuple[WeightedPassage, ...]
    deleted: tuple[WeightedPassage, ...]
    edited: tuple[PassageEdit, ...]
    recounted: tuple[PassageEdit, ...]  # only numbers, names of months and days, or signs differ


def compare(old: Sequence[WeightedPassage], new: Sequence[WeightedPassage]) -> Rewriting:
    """Pair the passages of two versions: equal, only counted again, the most alike, continued or cut.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.does_it_matter.passages import passages
    >>> read = lambda html: passages(PageVersion("", html.encode()))
    >>> found = compare(read("<p>Call us<p>12 visitors"), read("<p>Open now<p>Call us<p>15 visitors"))
    >>> [each.text for each in found.inserted], [each.new.text for each in found.recounted]
    (['open now'], ['15 visitors'])
    """
    _, old, new = _pair(old, new, lambda passage: passage.words)
    recounted, old, new = _pair(old, new, _without_numbers)
    edited = list(_alike(old, new))
    edited += _continued(_left(old, (edit.old for edit in edited)), _left(new, (edit.new for edit in edited)))
    return Rewriting(
        tuple(_left(new, (edit.new for edit in edited))),
        tuple(_left(old, (edit.old for edit in edited))),
        tuple(edited),
        tuple(PassageEdit(before, after, 1) for before, after in recounted if not _same_letters(before, after)),
    )


def jaccard_distance(old: Iterable[object], new: Iterable[object]) -> float:
    """Give the share of all members that only one of two sets has.

    >>> jaccard_distance("ab", "bc")
    0.6666666666666667
    """
    one, other = set(old), set(new)
    return 1 - len(one & other) / len(one | other) if one | other else 0.0


def _pair(
    old: Sequence[WeightedPassage], new: Sequence[WeightedPassage], key: Callable[[WeightedPassage], Any]
) -> tuple[list[tuple[WeightedPassage, WeightedPassage]], list[WeightedPassage], list[WeightedPassage]]:
    """Pair the passages of equal keys in their order; give the pairs, and what is left of both."""
    waiting: dict[Any, list[WeightedPassage]] = defaultdict(list)
    for passage in reversed(old):
        waiting[key(passage)].append(passage)
    pairs, left_new = [], []
    for passage in new:
        if same := waiting.get(key(passage)):
            pairs.append((same.pop(), passage))
        else:
            left_new.append(passage)
    return pairs, _left(old, (before for before, _ in pairs)), left_new


def _left(passages: Sequence[WeightedPassage], used: Iterable[WeightedPassage]) -> list[WeightedPassage]:
    gone = {id(each) for each in used}
    return [passage for passage in passages if id(passage) not in gone]


def _without_numbers(passage: WeightedPassage) -> str:
    return _SIGNS.sub(" ", _NAMED_DATE.sub("m", _NUMBER.sub("0", passage.text)))


def _same_letters(old: WeightedPassage, new: WeightedPassage) -> bool:
    return _SIGNS.sub("", old.text) == _SIGNS.sub("", new.text)


def _alike(old: Sequence[WeightedPassage], new: Sequence[WeightedPassage]) -> Iterator[PassageEdit]:
    """Pair the most alike first; of equally alike ones those that stand nearest."""
    from rapidfuzz.distance import Indel

    found = sorted(_scores(old, new), key=lambda pair: (-pair[0], abs(pair[1] - pair[2]), pair[1], pair[2]))
    used_old: set[int] = set()
    used_new: set[int] = set()
    for _, before, after in found:
        if before not in used_old and after not in used_new:
            used_old.add(before)
            used_new.add(after)
            yield PassageEdit(old[before], new[after], Indel.distance(old[before].words, new[after].words))


def _continued(old: Sequence[WeightedPassage], new: Sequence[WeightedPassage]) -> Iterator[PassageEdit]:
    """Pair passages of which one begins or ends with all that the other says, in their order."""
    edges: dict[tuple[str, ...], list[WeightedPassage]] = defaultdict(list)
    for passage in new:
        for edge in _edges(passage):
            edges[edge].append(passage)
    used: set[int] = set()
    for before in old:
        near = (after for edge in _edges(before) for after in edges.get(edge, ()))
        found = next((each for each in near if id(each) not in used and _is_continued(before, each)), None)
        if found is not None:
            used.add(id(found))
            yield PassageEdit(before, found, abs(len(before.words) - len(found.words)))


def _edges(passage: WeightedPassage) -> Iterable[tuple[str, ...]]:
    if len(passage.words) < _EDGE_WORDS:
        return ()
    return {passage.words[:_EDGE_WORDS]: None, passage.words[-_EDGE_WORDS:]: None}  # in this order


def _is_continued(old: WeightedPassage, new: WeightedPassage) -> bool:
    short, long = sorted((old.words, new.words), key=len)
    return short in (long[: len(short)], long[-len(short) :])


def _scores(old: Sequence[WeightedPassage], new: Sequence[WeightedPassage]) -> Iterator[tuple[float, int, int]]:
    from rapidfuzz.distance import LCSseq

    for before, after in _candidates(len(old), len(new)):
        few, many = sorted((len(old[before].words), len(new[after].words)))
        if few >= ALIKE * many:
            score = LCSseq.normalized_similarity(old[before].words, new[after].words, score_cutoff=ALIKE)
            if score >= ALIKE:
                yield score, before, after


def _candidates(old: int, new: int) -> Iterable[tuple[int, int]]:
    if old * new <= _MAX_COMPARED_PAIRS:
        return ((before, after) for before in range(old) for after in range(new))
    near = ((before, before * new // old) for before in range(old))
    return (
        (before, after)
        for before, at in near
        for after in range(max(0, at - _NEAR_PASSAGES), min(new, at + _NEAR_PASSAGES + 1))
    )
