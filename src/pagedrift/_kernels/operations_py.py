"""Operations on the words that did not stay: phases 2 to 4 of Kwon et al. 2006, § 4 (readable twin)."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    Ids = array[int]


def operations(
    old: Ids, new: Ids, kept_old: Ids, kept_new: Ids, words: int, *, spare: bool, together: bool
) -> tuple[Ids, Ids, Ids, Ids, Ids, Ids]:
    """Return at which places words were added, dropped, copied, shrunk, replaced and moved.

    Places on the new page, and on the old one for what was dropped and shrunk; for replaced words they are equal.
    `words` is one more than the highest number. `spare` moves where a copy and a shrink are cheaper (b > 2a);
    replace what would be copied and shrunk `together` at one index (a > 0.5).

    >>> old, new = array("i", [0, 1, 2, 3]), array("i", [4, 0, 3, 2, 2])
    >>> [list(places) for places in operations(old, new, old[:1], old[1:2], 5, spare=False, together=True)]
    [[0], [1], [4], [], [], [2, 3]]
    """
    del words  # the native twin has tables of that length
    old_left, new_left = _left(len(old), kept_old), _left(len(new), kept_new)
    old_counts, new_counts = Counter(old), Counter(new)
    # Phase 2. Of several equal words, the first ones are moved.
    old_places, new_places = _places(old_left, old), _places(new_left, new)
    moved_old, moved_new = set[int](), set[int]()
    for word in old_places.keys() & new_places.keys():
        many = min(len(old_places[word]), len(new_places[word]))
        if spare:  # "some words occurring more than once on both": as many as can be copied and shrunk
            many -= min(many, old_counts[word] - 1, new_counts[word] - 1)
        moved_old.update(old_places[word][:many])
        moved_new.update(new_places[word][:many])
    old_left, new_left = _without(old_left, moved_old), _without(new_left, moved_new)
    # Phase 3. In the paper's other cases (a < 0.5, words both copied and shrunk) copies and shrinks come out too.
    copied, shrunk = _repeated(new_left, new, new_counts), _repeated(old_left, old, old_counts)
    both = copied & shrunk if together else set()
    copied, shrunk = copied - both, shrunk - both
    old_left, new_left = _without(old_left, shrunk), _without(new_left, copied)
    # Phase 4.
    replaced = set(old_left) & set(new_left)
    added, dropped = _without(new_left, replaced), _without(old_left, replaced)
    return _array(added), _array(dropped), _array(copied), _array(shrunk), _array(replaced), _array(moved_new)


def _left(length: int, kept: Ids) -> list[int]:
    return _without(range(length), set(kept))


def _without(places: Sequence[int], gone: Collection[int]) -> list[int]:
    return [place for place in places if place not in gone]


def _places(left: Sequence[int], ids: Ids) -> dict[int, list[int]]:
    places: dict[int, list[int]] = defaultdict(list)
    for place in left:
        places[ids[place]].append(place)
    return places


def _repeated(left: Sequence[int], ids: Ids, counts: Mapping[int, int]) -> set[int]:
    """Find what was copied or shrunk: all of a word, but the first where none of it stays or is moved."""
    here = Counter(ids[place] for place in left)
    repeated = set()
    for place in left:
        word = ids[place]
        if here[word] < counts[word]:
            repeated.add(place)
        here[word] = 0  # the first was left out, so the others count
    return repeated


def _array(places: Collection[int]) -> Ids:
    return array("i", sorted(places))
