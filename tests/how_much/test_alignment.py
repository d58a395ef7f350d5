"""What stays: exactly, and by the shortcut for very large pages."""

import gzip
import random
from array import array
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift.how_much.alignment import DIFFER, EXACT, align, common

pages = st.lists(st.integers(0, 30), max_size=80).map(lambda words: array("i", words))


def is_common(old: array, new: array, kept_old: array, kept_new: array) -> bool:
    in_order = all(list(kept) == sorted(set(kept)) for kept in (kept_old, kept_new))
    return in_order and [old[i] for i in kept_old] == [new[j] for j in kept_new]


def changed(words: int, seed: int, *, clusters: int = 8) -> tuple[array, array]:
    """A text with words about as frequent as in real ones, changed in some places in every way."""
    chance = random.Random(seed)
    old = [int(chance.paretovariate(0.9)) % 5000 for _ in range(words)]
    new, size = list(old), words // (10 * clusters)
    for cluster in range(clusters):
        at = chance.randrange(len(new) - size)
        block = new[at : at + size]
        if cluster % 4 == 0:
            new[at : at + size] = range(10_000 * cluster, 10_000 * cluster + size)
        elif cluster % 4 == 1:
            new[at:at] = old[:size]
        else:
            del new[at : at + size]
        if cluster % 4 == 3:
            at = chance.randrange(len(new))
            new[at:at] = block
    return array("i", old), array("i", new)


@given(pages, pages, st.integers(0, 200), st.integers(0, 20))
@settings(deadline=None)
def test_split_at_anchors_what_is_kept_is_still_common_to_both(
    old: array, new: array, exact: int, differ: int
) -> None:
    kept = common(old, new, exact=exact, differ=differ)

    assert is_common(old, new, *kept)
    assert len(kept[0]) <= len(common(old, new, exact=EXACT, differ=DIFFER)[0])


@given(pages, pages)
def test_pages_that_differ_little_are_aligned_exactly_whatever_their_size(old: array, new: array) -> None:
    kept = common(old, new, exact=0, differ=len(old) + len(new))

    assert kept == common(old, new, exact=EXACT, differ=DIFFER)


@pytest.mark.parametrize("seed", range(5))
def test_split_at_anchors_little_is_lost_where_changes_are_clustered(seed: int) -> None:
    old, new = changed(4000, seed)
    exactly, split = (len(common(old, new, exact=exact, differ=100)[0]) for exact in (1 << 30, 100 * 100))

    assert 0.995 * exactly <= split <= exactly


@pytest.mark.slow
def test_on_200_000_words_the_shortcut_loses_less_than_a_hundredth() -> None:
    old, new = changed(200_000, 1)  # more words differ than are aligned exactly
    exactly = common(old, new, exact=1 << 60, differ=DIFFER)
    split = common(old, new, exact=EXACT, differ=DIFFER)

    assert is_common(old, new, *split)
    assert 0.99 * len(exactly[0]) <= len(split[0]) <= len(exactly[0])


@pytest.mark.slow
def test_on_real_pages_the_shortcut_loses_less_than_a_hundredth(data: Path) -> None:
    exactly = split = 0
    for path in sorted(data.glob("pairs/*/")):
        old, new = (PageVersion("", gzip.decompress((path / f"{name}.html.gz").read_bytes())) for name in "ab")
        aligned = align(old.words, new.words)
        exactly += len(aligned.kept_old)
        split += len(common(aligned.old_ids, aligned.new_ids, exact=100 * 100, differ=0)[0])

    assert 0.99 * exactly <= split <= exactly


def test_a_page_of_one_word_repeated_is_cut_anywhere_and_stays_fast() -> None:
    old, new = array("i", [0, 1] * 50_000), array("i", [1, 0, 0] * 40_000)

    kept = common(old, new, exact=1 << 20, differ=64)

    assert is_common(old, new, *kept)
    assert len(kept[0]) > 60_000


def test_on_very_large_pages_as_many_words_stay_backwards() -> None:
    chance = random.Random(0)
    old, new = ([str(chance.randrange(60_000)) for _ in range(60_000)] for _ in range(2))
    there, back = align(old, new), align(new, old)

    assert is_common(there.old_ids, there.new_ids, there.kept_old, there.kept_new)
    assert (there.kept_old, there.kept_new) == (back.kept_new, back.kept_old)
