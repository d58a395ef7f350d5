"""How much changed, in words added, dropped, copied, shrunk, replaced and moved? The paper's metric.

S. Y. Kwon, S. H. Lee, S. J. Kim: A Precise Metric for Measuring How Much Web Pages Change (2006), § 4.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pagedrift.errors import InputError
from pagedrift.how_much.alignment import Aligned, align

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

OPERATIONS = ("add", "drop", "copy", "shrink", "replace", "move")


@dataclass(frozen=True, slots=True)
class Extended:
    """What was done to the words of a page, and what it costs."""

    cost: float  # the paper's δ_E
    distance: float  # δ_E over the number of words of the longer page, at most 1
    added: tuple[str, ...]  # words that the old page did not have
    dropped: tuple[str, ...]  # words that the new page does not have
    copied: tuple[str, ...]  # one more of a word that is there
    shrunk: tuple[str, ...]  # one less of a word that stays
    replaced: tuple[tuple[str, str], ...]  # old word, new word
    moved: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many times each operation was done, under its name in the paper."""
        done = (self.added, self.dropped, self.copied, self.shrunk, self.replaced, self.moved)
        return {name: len(words) for name, words in zip(OPERATIONS, done, strict=True)}


def compare(old: Sequence[str], new: Sequence[str], *, a: float = 0.75, b: float = 0.75) -> Extended:
    """Count the six operations from old to new as the paper does, in its five phases.

    Adding, dropping and replacing a word cost 1, copying and shrinking cost a, moving costs b.

    >>> change = compare("one two two two three three four five two".split(),
    ...                  "three one four two three five five six six seven".split(), a=0.4, b=0.9)
    >>> change.counts
    {'add': 2, 'drop': 0, 'copy': 3, 'shrink': 4, 'replace': 0, 'move': 1}
    >>> round(change.cost, 6), round(change.distance, 6)
    (5.7, 0.57)
    """
    return compare_aligned(align(old, new), a=a, b=b)


def compare_aligned(words: Aligned, *, a: float = 0.75, b: float = 0.75) -> Extended:
    """Do what `compare` does where the longest common subsequence (phase 1) is at hand."""
    check_weights(a, b)
    kept_old, kept_new = {i for i, _ in words.kept}, {j for _, j in words.kept}
    old_left = [i for i in range(len(words.old)) if i not in kept_old]
    new_left = [j for j in range(len(words.new)) if j not in kept_new]
    # Phase 2: moves.
    moved = _moved(words, old_left, new_left, spare=b > 2 * a)
    old_left = _without(old_left, {i for i, _ in moved})
    new_left = _without(new_left, {j for _, j in moved})
    # Phase 3: copies and shrinks. What stands at one index of both pages is cheaper replaced where a > 0.5; the
    # paper's other cases (a < 0.5, words both copied and shrunk) come to copies and shrinks all the same.
    copied = _repeated(new_left, words.new_ids, words.new_counts)
    shrunk = _repeated(old_left, words.old_ids, words.old_counts)
    both = copied & shrunk if a > 0.5 else set()  # noqa: PLR2004
    copied, shrunk = copied - both, shrunk - both
    old_left, new_left = _without(old_left, shrunk), _without(new_left, copied)
    # Phase 4: replacements stand at one index of both pages; the rest was dropped and added.
    replaced = set(old_left) & set(new_left)
    dropped, added = _without(old_left, replaced), _without(new_left, replaced)
    # Phase 5: the cost.
    pairs = [(place, place) for place in sorted(replaced)]
    goals = sorted(j for _, j in moved)
    return account(words, Places(added, dropped, sorted(copied), sorted(shrunk), pairs, goals), a=a, b=b)


class Places(NamedTuple):
    """Where each operation was done: places on the new page, on the old one for what is gone."""

    added: Sequence[int]
    dropped: Sequence[int]
    copied: Sequence[int]
    shrunk: Sequence[int]
    replaced: Sequence[tuple[int, int]]
    moved: Sequence[int]


def account(words: Aligned, done: Places, *, a: float, b: float) -> Extended:
    """Add up what was done.

    Where the paper is silent: two pages without words are at 0, a page with and one without words at 1 (its costs
    alone say less where words are repeated), and a cost above the number of words is 1 as well.
    """
    whole = len(done.added) + len(done.dropped) + len(done.replaced)
    cost = whole + a * (len(done.copied) + len(done.shrunk)) + b * len(done.moved)
    longer = max(len(words.old), len(words.new))
    return Extended(
        cost,
        min(cost / longer, 1.0) if words.old and words.new else float(longer > 0),
        added=tuple(words.new[j] for j in done.added),
        dropped=tuple(words.old[i] for i in done.dropped),
        copied=tuple(words.new[j] for j in done.copied),
        shrunk=tuple(words.old[i] for i in done.shrunk),
        replaced=tuple((words.old[i], words.new[j]) for i, j in done.replaced),
        moved=tuple(words.new[j] for j in done.moved),
    )


def check_weights(a: float, b: float) -> None:
    """Refuse weights that the paper does not know."""
    for name, value in (("a", a), ("b", b)):
        if not 0 <= value <= 1:
            raise InputError(f"{name} is {value}, but it is a cost between 0 and 1; the paper's value is 0.75")


def _moved(words: Aligned, old_left: list[int], new_left: list[int], *, spare: bool) -> list[tuple[int, int]]:
    """Pair equal words that are left over on both sides, the first ones first.

    With `spare`, when a copy and a shrink are cheaper, as many of a word as can be both: one of it must stay.
    """
    old_places, new_places = _places(old_left, words.old_ids), _places(new_left, words.new_ids)
    moved: list[tuple[int, int]] = []
    for word, here in old_places.items():
        there = new_places.get(word, ())
        many = min(len(here), len(there))
        if spare:
            many -= min(many, words.old_counts[word] - 1, words.new_counts[word] - 1) if many else 0
        moved += zip(here[:many], there[:many], strict=True)
    return moved


def _places(left: list[int], ids: Sequence[int]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = defaultdict(list)
    for place in left:
        places[ids[place]].append(place)
    return places


def _repeated(left: list[int], ids: Sequence[int], counts: Mapping[int, int]) -> set[int]:
    """Find what may have been copied or shrunk: all of a word, but the first where none is taken yet."""
    here = Counter(ids[place] for place in left)
    repeated = set()
    for place in left:
        word = ids[place]
        if here[word] < counts[word]:
            repeated.add(place)
        here[word] = 0  # the first was left out, so the others count
    return repeated


def _without(places: list[int], gone: Collection[int]) -> list[int]:
    return [place for place in places if place not in gone] if gone else places
