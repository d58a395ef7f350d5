"""Columns of numbers: taken by place, counted, numbered, gathered by number (readable twin)."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING

from pagedrift._kernels.groups_py import Lists

if TYPE_CHECKING:
    Ints = array[int]


def take(values: Ints, places: Ints) -> Ints:
    """Give the values at some places.

    >>> take(array("i", [5, 6, 7]), array("i", [2, 0]))
    array('i', [7, 5])
    """
    return array("i", map(values.__getitem__, places))


def nearest(numbers: Ints, parents: Ints, wanted: bytes, place: int) -> int:
    r"""Give what is wanted of the numbers at a place, at its parent and so on, the first that is not 0; 0 for none.

    >>> nearest(array("i", [0, 1, 2]), array("i", [-1, 0, 1]), b"\0\5\0", 2)
    5
    """
    while place > 0 and not wanted[numbers[place]]:
        place = parents[place]
    return wanted[numbers[place]] if place > 0 else 0


def total(values: Ints, places: Ints) -> int:
    """Add up the values at some places.

    >>> total(array("i", [5, 6, 7]), array("i", [2, 0]))
    12
    """
    return sum(map(values.__getitem__, places))


def count_before(marks: bytes) -> Ints:
    r"""Count the marks before each place, and at the end.

    >>> count_before(b"\1\0\1")
    array('i', [0, 1, 1, 2])
    """
    return array("i", [0, *accumulate(marks)])


def compare_spans(marked: Ints, starts: Ints, stops: Ints, wanted: int) -> array[float]:
    r"""Give the F1 of each span of words with a text of `wanted` words; `marked` counts the words that are of it.

    >>> compare_spans(count_before(b"\1\1\0\0"), array("i", [0, 2]), array("i", [4, 4]), 2)
    array('d', [0.6666666666666666, 0.0])
    """
    spans = zip(starts, stops, strict=True)
    return array(
        "d",
        [2 * min(marked[stop] - marked[start], wanted) / (stop - start + wanted) for start, stop in spans],
    )


def find_wanted(numbers: Ints, wanted: bytes) -> Ints:
    r"""Give the places of the numbers that are wanted; there is a byte for each number.

    >>> find_wanted(array("i", [0, 2, 1, 2]), b"\0\0\1")
    array('i', [1, 3])
    """
    return array("i", [place for place, number in enumerate(numbers) if wanted[number]])


def count_covered(starts: Ints, stops: Ints, size: int) -> Ints:
    """Count the places before each, and at the end, that stand in one of some spans; the spans come in order.

    >>> count_covered(array("i", [1, 1]), array("i", [2, 3]), 4)
    array('i', [0, 0, 1, 2, 2])
    """
    marks = bytearray(size)
    for start, stop in zip(starts, stops, strict=True):
        marks[start:stop] = b"\1" * (stop - start)
    return count_before(bytes(marks))


def number_pairs(one: Ints, other: Ints) -> tuple[Ints, Ints]:
    """Give numbers to the pairs of two columns, up to the end of the second: that of each, and where each is first.

    >>> number_pairs(array("i", [1, 1, 1, 4]), array("i", [2, 3, 2]))
    (array('i', [0, 1, 0]), array('i', [0, 1]))
    """
    numbers: dict[tuple[int, int], int] = {}
    found, firsts = array("i"), array("i")
    for place, pair in enumerate(zip(one, other, strict=False)):
        found.append(numbers.setdefault(pair, len(numbers)))
        if len(firsts) < len(numbers):
            firsts.append(place)
    return found, firsts


def gather(numbers: Ints, count: int) -> Lists:
    """Give the places of each number below `count`, in order.

    >>> gather(array("i", [1, 0, 1]), 2)
    Lists(starts=array('i', [0, 1, 3]), nodes=array('i', [1, 0, 2]))
    """
    found: list[list[int]] = [[] for _ in range(count)]
    for place, number in enumerate(numbers):
        found[number].append(place)
    starts = array("i", [0, *accumulate(map(len, found))])
    return Lists(starts, array("i", [place for places in found for place in places]))
