"""The laws of every metric, and the paper's own examples."""

import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import METRICS, InputError, PageVersion, measure
from pagedrift.how_much import MetricOptions, bags, edit, extended, shingles
from pagedrift.how_much.metrics import ASYMMETRIC, metric
from pagedrift.testing import check_metric, make_page
from tests.strategies import pages

texts = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_keeps_the_laws(name: str) -> None:
    check_metric(METRICS[name], symmetric=name not in ASYMMETRIC)


@given(pages, pages)
@settings(deadline=None)
def test_whatever_the_bytes_are_every_distance_is_between_0_and_1(old: bytes, new: bytes) -> None:
    measures = measure(PageVersion("", old), PageVersion("", new))

    assert all(0 <= distance <= 1 for distance in measures.values())
    assert set(measure(PageVersion("", old), PageVersion("", old)).values()) == {0}


def test_example_1_of_the_paper_costs_5_7() -> None:
    change = extended.compare(
        "w1 w2 w2 w2 w3 w3 w4 w5 w2".split(), "w3 w1 w4 w2 w3 w5 w5 w6 w6 w7".split(), a=0.4, b=0.9
    )

    assert change.counts == {"add": 2, "drop": 0, "copy": 3, "shrink": 4, "replace": 0, "move": 1}
    assert math.isclose(change.cost, 5.7)
    assert math.isclose(change.distance, 0.57)
    assert change.added == ("w6", "w7")
    assert sorted(change.copied) == ["w3", "w5", "w6"]
    assert sorted(change.shrunk) == ["w2", "w2", "w2", "w3"]
    assert change.moved == ("w4",)


def test_the_edit_distance_of_the_paper_is_two_words() -> None:
    assert edit.distance("A G B A A".split(), "A B A T A".split()) == 2 / 10


@pytest.mark.parametrize("distance", [bags.distance, edit.distance])
@pytest.mark.parametrize("new", ["w1 w2 w3 w4 w2 w3", "w1 w2 w3 w4 w5 w6"])
def test_words_and_edit_do_not_tell_copied_words_from_added_ones(distance, new: str) -> None:
    assert distance("w1 w2 w3 w4".split(), new.split()) == 0.2


def test_extended_does_tell_them() -> None:
    old = "w1 w2 w3 w4".split()

    assert extended.compare(old, "w1 w2 w3 w4 w2 w3".split()).distance == 1.5 / 6
    assert extended.compare(old, "w1 w2 w3 w4 w5 w6".split()).distance == 2 / 6


def test_a_shingle_wraps_at_the_end() -> None:
    assert shingles.distance("w1 w2 w3 w4".split(), "w2 w3 w4 w1".split(), k=3) == 0


@pytest.mark.parametrize(("new", "expected"), [("w1 w2 w3 w6 w5", 0.75), ("w2 w3 w1 w4 w5", 1)])
def test_shingles_are_oversensitive_on_small_pages(new: str, expected: float) -> None:
    assert shingles.distance("w1 w2 w3 w4 w5".split(), new.split(), k=3) == expected


@given(texts, texts, st.integers(1, 30))
def test_longer_shingles_than_both_pages_together_change_nothing(old: list[str], new: list[str], k: int) -> None:
    def shingled(words: list[str]) -> set[tuple[str, ...]]:
        return {tuple(words[(at + step) % len(words)] for step in range(k)) for at in range(len(words))}

    one, other = shingled(old), shingled(new)
    expected = len(one ^ other) / len(one | other) if one | other else 0
    assert shingles.distance(old, new, k=k) == expected


@pytest.mark.parametrize("name", sorted(METRICS.keys() - {"bytewise"}))
def test_markup_alone_changes_nothing_for_those_who_look_at_words(name: str) -> None:
    old, new = PageVersion("", b"<p>one two"), PageVersion("", b"<div class=x>one <i>two</i></div>")

    assert METRICS[name](old, new) == 0
    assert METRICS["bytewise"](old, new) == 1


def test_measure_gives_every_metric_as_it_is_alone() -> None:
    old, new = make_page("one two two three".split()), make_page("two three four one".split())
    options = MetricOptions(a=0.4, b=0.9, k=2)

    measures = measure(old, new, a=0.4, b=0.9, k=2)

    assert measures == {name: METRICS[name](old, new, options=options) for name in METRICS}
    assert list(measures) == list(METRICS)
    assert measures.extended == extended.compare(old.words, new.words, a=0.4, b=0.9)


def test_measures_are_a_mapping_that_can_be_sent_elsewhere() -> None:
    measures = measure(make_page(["one"]), make_page(["two"]))

    again = pickle.loads(pickle.dumps(measures))
    assert again == measures == dict(measures)
    assert again.extended == measures.extended
    assert "jaccard" not in measures
    assert measures.get("jaccard") is None


def test_options_used_for_several_pairs_give_each_its_own_answer() -> None:
    pages = [make_page(text.split()) for text in ("a b c", "a b d", "x y z")]
    options = MetricOptions()

    seen = [METRICS["edit"](old, new, options=options) for old in pages for new in pages]

    assert seen == [METRICS["edit"](old, new) for old in pages for new in pages]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": 1.5}, "a is 1.5, but it is a cost between 0 and 1"),
        ({"b": -0.1}, "b is -0.1, but it is a cost between 0 and 1"),
        ({"a": math.nan}, "a is nan"),
        ({"k": 0}, "k is 0, but a shingle has at least one word"),
        ({"k": 2.5}, "k is 2.5, but"),
    ],
)
def test_options_outside_the_paper_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        measure(make_page(["one"]), make_page(["two"]), **options)


@pytest.mark.parametrize("ask", [metric, measure(make_page(), make_page()).__getitem__])
def test_an_unknown_metric_is_answered_with_the_known_ones(ask) -> None:
    with pytest.raises(InputError, match=r"unknown metric jaccard; choose one of bytewise, .*, extended\+"):
        ask("jaccard")


@given(texts, texts, st.floats(0, 1), st.floats(0, 1))
def test_the_counts_and_words_of_extended_account_for_every_word(
    old: list[str], new: list[str], a: float, b: float
) -> None:
    change = extended.compare(old, new, a=a, b=b)

    gone = len(change.dropped) + len(change.shrunk) + len(change.replaced)
    come = len(change.added) + len(change.copied) + len(change.replaced)
    assert len(old) - gone == len(new) - come >= len(change.moved)
    weights = {"add": 1, "drop": 1, "copy": a, "shrink": a, "replace": 1, "move": b}
    assert math.isclose(
        change.cost, sum(weights[name] * many for name, many in change.counts.items()), abs_tol=1e-9
    )
    rebuilt = sorted([*old, *change.added, *change.copied, *(word for _, word in change.replaced)])
    assert rebuilt == sorted([*new, *change.dropped, *change.shrunk, *(word for word, _ in change.replaced)])
