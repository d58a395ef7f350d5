"""The checks for new members of a registry find what is wrong with a bad one."""

import random
from collections.abc import Callable

import pytest

from pagedrift import PageVersion
from pagedrift.how_much import bags
from pagedrift.testing import check_metric, make_page

Distance = Callable[[PageVersion, PageVersion], float]


def words(old: PageVersion, new: PageVersion) -> float:
    return bags.distance(old.words, new.words)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (lambda _old, _new: 0.1, "from no words to itself: the distance is 0.1, it should be 0"),
        (lambda old, new: len(set(old.words) ^ set(new.words)) * 1.0, "it should be from 0 to 1"),
        (lambda old, new: int(old.words != new.words), "it should be a float"),
        (lambda old, new: float("nan") if old.words != new.words else 0.0, "nan, it should be from 0 to 1"),
        (lambda old, new: words(old, new) / 2, "from no words to one word: the distance is 0.5, it should be 1"),
        (
            lambda old, new: words(old, new) if len(old.words) != 1 else float(old.words != new.words),
            "the other way",
        ),
        (lambda old, new: words(old, new) if words(old, new) in (0, 1) else random.random(), "when asked again"),
        (lambda old, new: words(old, new) ** (len(new.words) ** 2 / 400 + 0.01), "words added: the distance falls"),
    ],
)
def test_a_metric_that_breaks_a_law_is_told_which(metric: Distance, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_metric(metric, symmetric="way" in message)


def test_a_metric_that_keeps_the_laws_passes() -> None:
    check_metric(words)


def test_a_made_page_shows_its_words() -> None:
    assert make_page(["<b>", "&amp;", "日"]).words == ("<b>", "&amp;", "日")
