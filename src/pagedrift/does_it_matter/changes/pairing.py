"""Which passages of a page were added, removed, reworded or replaced, or differ only in numbers and dates?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pagedrift.does_it_matter.changes.passages import Passage

ALIKE: Final = 0.5  # of the words shared in order: the same passage, reworded
ADDED: Final = "added"
REMOVED: Final = "removed"
EDITED: Final = "edited"
RECOUNTED: Final = "recounted"  # only numbers, names of months and days, or signs differ
REPLACED: Final = "replaced"  # something else stands in its place
_MAX_COMPARED_PAIRS: Final = 200_000  # pairs of passages; beyond, only those that stand near each other
_NEAR_PASSAGES: Final = 40
_LABEL_WORDS: Final = 6
_NUMBER: Final = re.compile(r"\d+")
_NAMED_DATE: Final = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*\b"
)
_MARKS: Final = frozenset("|·•–—-/›»«‹:,;.*")
_SIGNS: Final = re.compile(r"[\W_]+")
# Marks that say nothing: not those before digits, nor signs of currencies, shares and temperatures.
_PUNCTUATION: Final = re.compile(r"[^\w\s$€£¥₹₽₩%°+−-]+(?!\d)|[\s_]+")


@dataclass(frozen=True, slots=True)
class PassageChange:
    """What became of one passage."""

    action: str  # one of the above
    old: Passage | None
    new: Passage | None

    @property
    def passage(self) -> Passage:
        """The passage as it is now, or as it was."""
        found = self.new or self.old
        assert found is not None
        return found


def compare(old: Sequence[Passage], new: Sequence[Passage]) -> list[PassageChange]:
    """Pair passages of two versions: equal ones, those that differ in numbers, the most alike, those of one place.

    Passages that stayed or only moved are left out.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.does_it_matter.changes.passages import passages
    >>> read = lambda html: passages(PageVersion("", html.encode()))
    >>> found = compare(read("<p>Call us<p>12 visitors"), read("<p>Open now<p>Call us<p>15 visitors"))
    >>> [(each.action, each.passage.text) for each in found]
    [('recounted', '15 visitors'), ('added', 'Open now')]
    """
    same, left_old, left_new = _pair(old, new, lambda passage: (passage.words, passage.slot))
    stayed = len(same)
    for key in (lambda passage: (passage.words, passage.place), lambda passage: passage.words):  # what moved
        moved, left_old, left_new = _pair(left_old, left_new, key)
        same += moved
    between = list(_between_sections(old, new, same[stayed:]))
    same = _without_crossed(old, new, same)
    old, new = _without_regrouped(old, new, same)
    old, new = _without_split(old, new)
    new, old = _without_split(new, old)
    recounted, old, new = _pair(old, new, without_numbers)
    found = [PassageChange(RECOUNTED, *pair) for pair in recounted if not _same_letters(*pair)]
    edited = list(_alike(old, new))
    found += [PassageChange(EDITED, *pair) for pair in edited]
    old, new = _left(old, (each for each, _ in edited)), _left(new, (each for _, each in edited))
    replaced, old, new = _pair(old, new, lambda passage: (passage.kind, passage.slot))
    found += [PassageChange(REPLACED, *pair) for pair in replaced]
    replaced, old, new = _pair(old, new, _short_place)
    found += [PassageChange(REPLACED, *pair) for pair in replaced]
    found += [PassageChange(ADDED, None, passage) for passage in new]
    found += [PassageChange(REMOVED, passage, None) for passage in old]
    for before, after in between:
        found += [PassageChange(REMOVED, before, None), PassageChange(ADDED, None, after)]
    return found


def _between_sections(
    old: Sequence[Passage], new: Sequence[Passage], moved: Sequence[tuple[Passage, Passage]]
) -> Iterator[tuple[Passage, Passage]]:
    """Give what is under another heading now, where both headings were there before and are there now.

    “Mattresses” under “What we do not take” says something else than under “What you can bring”.
    """
    if not any(_is_under_another(*pair) for pair in moved):
        return
    headings = [{each.text for each in side if each.heading} for side in (old, new)]
    counts = [Counter(each.words for each in side) for side in (old, new)]
    for before, after in moved:
        known = {before.under, after.under} <= headings[0] & headings[1]
        if known and _is_under_another(before, after) and counts[0][before.words] == counts[1][after.words] == 1:
            yield before, after


def _is_under_another(before: Passage, after: Passage) -> bool:
    if not (before.main and after.main and before.under and after.under) or before.under == after.under:
        return False
    return before.kind == after.kind == "text" and not (
        before.parts or after.parts or before.linked or before.heading
    )


def _pair(
    old: Sequence[Passage], new: Sequence[Passage], key: Callable[[Passage], Any]
) -> tuple[list[tuple[Passage, Passage]], Sequence[Passage], Sequence[Passage]]:
    """Pair the passages of equal keys in their order; give the pairs, and what is left of both."""
    if not old or not new:
        return [], old, new
    waiting: dict[Any, list[Passage]] = defaultdict(list)
    for passage in reversed(old):
        waiting[key(passage)].append(passage)
    pairs, left_new = [], []
    for passage in new:
        if same := waiting.get(key(passage)):
            pairs.append((same.pop(), passage))
        else:
            left_new.append(passage)
    return pairs, _left(old, (before for before, _ in pairs)), left_new


def _without_crossed(
    old: Sequence[Passage], new: Sequence[Passage], same: Sequence[tuple[Passage, Passage]]
) -> list[tuple[Passage, Passage]]:
    """Leave out pairs of mere numbers that stand next to something else now: two cells that exchange their values.

    A number stayed if what comes before it, or after it, did so too.
    """
    partner = {id(before): after for before, after in same}
    places = [{id(passage): number for number, passage in enumerate(side)} for side in (old, new)]

    def stayed(before: Passage, after: Passage) -> bool:
        if before.text[:1].isalpha() or any(sign.isalpha() for sign in before.text):
            return True
        at, now = places[0][id(before)], places[1][id(after)]
        for step in (-1, 1):
            inside = 0 <= at + step < len(old), 0 <= now + step < len(new)
            if not any(inside) or (all(inside) and partner.get(id(old[at + step])) is new[now + step]):
                return True
        return False

    return [pair for pair in same if stayed(*pair)]


def _without_regrouped(
    old: Sequence[Passage], new: Sequence[Passage], same: Sequence[tuple[Passage, Passage]]
) -> tuple[list[Passage], list[Passage]]:
    """Leave out, of all passages, those that stayed and those of which only the edges between blocks moved.

    What stands between two passages that stayed is compared as one text on both sides: passages within its common
    beginning or end say the same as before.
    """
    partner = {id(before): id(after) for before, after in same}
    stayed = set(partner.values())
    runs: dict[int, list[Passage]] = defaultdict(list)  # of the new version, by the passage before them
    last = 0
    for passage in new:
        if id(passage) in stayed:
            last = id(passage)
        else:
            runs[last].append(passage)
    gone: list[Passage] = []
    run: list[Passage] = []
    last = 0
    for each in (*old, None):
        if each is not None and id(each) not in partner:
            run.append(each)
            continue
        if run and runs.get(last):
            run, runs[last] = _trimmed(run, runs[last])
        gone += run
        run = []
        last = partner[id(each)] if each is not None else 0
    kept = {id(passage) for each in runs.values() for passage in each}
    return gone, [passage for passage in new if id(passage) in kept]


def _trimmed(old: list[Passage], new: list[Passage]) -> tuple[list[Passage], list[Passage]]:
    """Leave out what lies within the common beginning and the common end of two texts.

    A passage that words were put before or after was edited and not added: its other side stays too, though all of
    it is common.
    """
    words = [[word for passage in side for word in _telling(passage)] for side in (old, new)]
    start = _common(*words)
    end = _common(words[0][start:][::-1], words[1][start:][::-1])
    edges = _edges(old, start, end) | _edges(new, start, end)
    return _outside(old, start, end, edges), _outside(new, start, end, edges)


def _without_split(whole: Sequence[Passage], parts: Sequence[Passage]) -> tuple[list[Passage], list[Passage]]:
    """Leave out each passage that is several of the other version in a row, and those."""
    begun: dict[str, list[int]] = defaultdict(list)  # where passages begin with a word
    for number, passage in enumerate(parts):
        begun[passage.words[0]].append(number)
    used: set[int] = set()
    left = []
    for passage in whole:
        words = _telling(passage)
        found = next((run for at in begun.get(passage.words[0], ()) if (run := _joining(words, parts, at))), ())
        if found and not used & set(found):
            used.update(found)
        else:
            left.append(passage)
    return left, [passage for number, passage in enumerate(parts) if number not in used]


def _joining(words: list[str], parts: Sequence[Passage], start: int) -> tuple[int, ...]:
    """Give the numbers of passages in a row that together say these words; none if they do not."""
    at, number = 0, start
    while at < len(words) and number < len(parts):
        if number > start and parts[number].number != parts[number - 1].number + 1:
            return ()
        part = _telling(parts[number])
        if words[at : at + len(part)] != part:
            return ()
        at, number = at + len(part), number + 1
    return tuple(range(start, number)) if at == len(words) and number > start + 1 else ()


def _telling(passage: Passage) -> list[str]:
    """Leave out the words that are only marks between others: bars, dots, dashes."""
    return [word for word in passage.words if len(word) > 1 or word not in _MARKS]


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        count += 1
    return count


def _edges(run: list[Passage], start: int, end: int) -> set[tuple[str, int]]:
    """Say where passages begin within the common beginning or end within the common end, and reach out of it."""
    found = set()
    for _, first, after, last in _spans(run):
        if first < start < after:
            found.add(("begins", first))
        if last < end < last + after - first:
            found.add(("ends", last))
    return found


def _outside(run: list[Passage], start: int, end: int, edges: set[tuple[str, int]]) -> list[Passage]:
    total = sum(len(_telling(passage)) for passage in run)
    return [
        passage
        for passage, first, after, last in _spans(run)
        if (after > start and first < total - end)
        or (first < start and ("begins", first) in edges)
        or (last < end and ("ends", last) in edges)
    ]


def _spans(run: list[Passage]) -> Iterator[tuple[Passage, int, int, int]]:
    """Give each passage with the words before it, the words up to its end, and the words after it."""
    counts = [len(_telling(passage)) for passage in run]
    total, at = sum(counts), 0
    for passage, count in zip(run, counts, strict=True):
        first, at = at, at + count
        yield passage, first, at, total - at


def _left(passages: Sequence[Passage], used: Iterable[Passage]) -> list[Passage]:
    gone = {id(each) for each in used}
    return [passage for passage in passages if id(passage) not in gone]


def without_numbers(passage: Passage) -> str:
    """Give what a passage says but for its numbers, dates and signs."""
    if passage.kind != "text":
        return passage.words[0]  # the name of a picture or file is one word, numbers included
    return _SIGNS.sub(" ", _NAMED_DATE.sub("m", _NUMBER.sub("0", " ".join(passage.words)))).strip()


def _short_place(passage: Passage) -> tuple[str, int]:
    """Say what a label or value stands behind, whatever its element is called now; others stand for themselves."""
    short = passage.kind == "text" and len(passage.words) <= _LABEL_WORDS
    return ("label", passage.follows) if short else ("", id(passage))


def _same_letters(old: Passage, new: Passage) -> bool:
    return _PUNCTUATION.sub("", old.text.lower()) == _PUNCTUATION.sub("", new.text.lower())


def _alike(old: Sequence[Passage], new: Sequence[Passage]) -> Iterator[tuple[Passage, Passage]]:
    """Pair the most alike first; of equally alike ones those that stand nearest."""
    found = sorted(_scores(old, new), key=lambda pair: (-pair[0], abs(pair[1] - pair[2]), pair[1], pair[2]))
    used_old: set[int] = set()
    used_new: set[int] = set()
    for _, before, after in found:
        if before not in used_old and after not in used_new:
            used_old.add(before)
            used_new.add(after)
            yield old[before], new[after]


def _scores(old: Sequence[Passage], new: Sequence[Passage]) -> Iterator[tuple[float, int, int]]:
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
