"""Groups of pages are one template by what nearly all of their pages have, in any order and exactly as stated."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pagedrift import Fingerprint, TemplateClassifier, TemplateClusterer
from pagedrift._kernels.sketch_py import BITS, BITS_BYTES, KEY_BYTES, KEYS
from pagedrift.which_template.consensus import (
    LAYOUT,
    MAX_SAMPLE,
    NAMES,
    RULE,
    Cores,
    PageGroup,
    TemplateRule,
    gather,
    had_by,
    join,
    marks,
    sampled,
)

TEMPLATES = [sum(1 << (17 * place + 29 * number) % 448 for place in range(24)) for number in range(3)]
pages = st.tuples(
    st.sampled_from(TEMPLATES),
    st.sets(st.integers(0, BITS - 1), max_size=4),  # its own
    st.sets(st.integers(0, 23), max_size=2),  # left out
).map(
    lambda drawn: (drawn[0] | sum(1 << own for own in drawn[1])) & ~sum(1 << 17 * left % 448 for left in drawn[2])
)
groups = st.lists(
    st.tuples(st.lists(pages, min_size=1, max_size=6), st.integers(1, 5)).map(
        lambda drawn: PageGroup.of(len(drawn[0]) * drawn[1], [sampled(page, drawn[1]) for page in drawn[0]])
    ),
    max_size=8,
)


def share(part: int, whole: int) -> int:
    return part * 1000 // whole if whole else 1000


def fit(group: PageGroup, other: PageGroup, rule: TemplateRule) -> int:
    """Say how well a group fits another, by counting features one by one."""
    of_pages = sum(one.pages for one in other.sample)
    had = Counter(
        bit for one in other.sample for bit in range(BITS) if one.features >> bit & 1 for _ in range(one.pages)
    )
    core = {bit for bit, pages in had.items() if 1000 * pages >= rule.common * of_pages}
    shares = {}
    for part in (LAYOUT, NAMES):
        own = [
            bit
            for one in group.sample
            for bit in range(BITS)
            if one.features & part & 1 << bit
            for _ in range(one.pages)
        ]
        there = sum(bit in core for bit in own)
        all_pages = sum(one.pages for one in group.sample)
        core_size = sum(1 for bit in core if part >> bit & 1)
        shares[part] = share(there, all_pages * core_size), share(sum(bit in had for bit in own), len(own))
    if min(shares[NAMES]) < rule.named or max(shares[LAYOUT]) < rule.nearly or min(shares[LAYOUT]) < rule.partly:
        return 0
    return sum(shares[LAYOUT])


@given(groups)
def test_a_group_joins_the_one_that_comparing_with_each_finds(drawn: list[PageGroup]) -> None:
    known = dict(enumerate(drawn))
    cores = Cores(known)
    for group in drawn:
        own_marks = set(marks(group.common(500)))
        fits = [
            (fit(group, other, RULE), other.rank, number)
            for number, other in known.items()
            if other.pages >= RULE.least_pages and other.rank > group.rank
            if (other.common(RULE.common) & LAYOUT).bit_count() >= 12
            if own_marks & set(marks(other.common(RULE.common)))
        ]
        best = max((one for one in fits if one[0]), default=None)
        assert cores.best(group) == ((best[2], best[0]) if best else None)


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(1, 9)), min_size=1, max_size=9), st.integers(1, 30))
def test_features_of_many_pages_are_counted(drawn: list[tuple[int, int]], least: int) -> None:
    had = had_by([sampled(features, pages) for features, pages in drawn], least)

    for bit in range(3):
        assert had >> bit & 1 == (sum(pages for features, pages in drawn if features >> bit & 1) >= least)


@given(groups, st.randoms(use_true_random=False))
def test_which_groups_are_one_does_not_depend_on_their_order(drawn: list[PageGroup], chance: random.Random) -> None:
    order = chance.sample(range(len(drawn)), len(drawn))

    def together(numbered: dict[int, PageGroup]) -> set[frozenset[PageGroup]]:
        roots = join(numbered).roots
        found: dict[int, set[PageGroup]] = {}
        for number, group in numbered.items():
            found.setdefault(roots.get(number, number), set()).add(group)
        return {frozenset(members) for members in found.values()}

    assert together(dict(enumerate(drawn))) == together({at: drawn[number] for at, number in enumerate(order)})


@given(
    st.lists(st.tuples(st.integers(0, 2), pages, st.integers(1, 3)), max_size=200),
    st.randoms(use_true_random=False),
)
def test_the_sample_of_a_group_does_not_depend_on_the_order_of_its_pages(
    drawn: list[tuple[int, int, int]], chance: random.Random
) -> None:
    found = gather(drawn)

    assert found == gather(chance.sample(drawn, len(drawn)))
    assert all(len(group.sample) <= MAX_SAMPLE for group in found.values())


def page(features: int, key: int) -> Fingerprint:
    keys = b"".join((KEYS * key + number).to_bytes(KEY_BYTES, "little") for number in range(KEYS))
    return Fingerprint("pagedrift", features.to_bytes(BITS_BYTES, "little") + keys)


def test_pages_with_an_optional_block_join_the_template_and_another_page_type_does_not() -> None:
    post = sum(1 << 7 * place for place in range(40))
    comments, listing = (
        0b110,
        sum(1 << 7 * place for place in range(8, 40)) | sum(2 << 7 * place for place in range(8)),
    )
    pages = [page(post, 1)] * 9 + [page(post | comments, 2)] + [page(listing, 3)] * 9
    clusterer = TemplateClusterer().fit(pages)

    assert list(clusterer.labels_) == [0] * 10 + [2] * 9
    assert [cluster.pages for cluster in clusterer.clusters()] == [10, 9]
    assert clusterer.predict([page(post | comments << 3, 4), page(1, 5)]) == [0, None]
    assert len(set(TemplateClusterer(strict=True).fit(pages).labels_)) == 3


def test_a_page_between_two_templates_does_not_link_them() -> None:
    one, other = (sum(1 << 4 * place + start for place in range(40)) for start in (0, 1))
    pages = [page(one, 1)] * 9 + [page(other, 2)] * 9 + [page(one | other, 3)]

    assert len(set(TemplateClusterer().fit(pages).labels_[:18])) == 2


def test_a_page_like_no_other_is_classified_by_what_a_template_has_in_common() -> None:
    post = sum(1 << 7 * place for place in range(40))
    classifier = TemplateClassifier().fit([page(post | 1 << 7 * n + 1, n) for n in range(9)], ["post"] * 9)
    odd, strange = page(post | 0b100, 20), page(0b11, 21)

    assert classifier.predict([odd, strange]) == ["post", None]
    assert 0.9 < classifier.match(odd).sure < 1
    assert classifier.predict_proba([odd, strange]) == [[classifier.match(odd).sure], [0.0]]
