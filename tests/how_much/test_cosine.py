"""Weighing words by a collection, and keeping what was counted."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift import InputError, measure
from pagedrift.how_much import Frequencies, cosine
from pagedrift.testing import make_page

texts = st.lists(st.sampled_from(["the", "fee", "shed", "日", "x"]), max_size=10)
COLLECTION = Frequencies.of(make_page(text.split()) for text in ("the fee", "the shed", "the the end"))


def test_a_word_counts_once_for_each_page_of_a_collection() -> None:
    assert COLLECTION.pages == 3
    assert COLLECTION.words == {"the": 3, "fee": 1, "shed": 1, "end": 1}


def test_a_rare_word_weighs_more_than_one_that_is_everywhere() -> None:
    old = "the fee".split()

    assert cosine.distance(old, ["the"]) == cosine.distance(old, ["fee"])
    assert cosine.distance(old, ["the"], frequencies=COLLECTION) > cosine.distance(
        old, ["fee"], frequencies=COLLECTION
    )
    weighed = measure(make_page(old), make_page(["the"]), frequencies=COLLECTION)
    assert weighed["cosine"] == cosine.distance(old, ["the"], frequencies=COLLECTION)


def test_the_distance_is_that_of_the_vectors_worked_out_by_hand() -> None:
    rare = math.log(4 / 2) + 1  # "the" weighs 1
    expected = 1 - 1 / (math.hypot(1, rare) * math.hypot(1, rare))

    assert math.isclose(cosine.distance(["the", "fee"], ["the", "shed"], frequencies=COLLECTION), expected)


@given(texts, texts)
def test_only_the_bag_of_words_matters(old: list[str], new: list[str]) -> None:
    assert cosine.distance(old, new, frequencies=COLLECTION) == cosine.distance(
        sorted(old), sorted(new), frequencies=COLLECTION
    )
    assert cosine.distance(old, sorted(old), frequencies=COLLECTION) == 0


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    COLLECTION.save(tmp_path / "words.json")

    assert Frequencies.load(tmp_path / "words.json") == COLLECTION
    assert json.loads((tmp_path / "words.json").read_text("utf-8"))["version"] == 1


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[1]",
        "\0",
        '{"format": "pagedrift-frequencies", "version": 2, "pages": 1, "words": {}}',
        '{"format": "pagedrift-frequencies", "version": 1, "pages": 1, "words": {"a": 2}}',
        '{"format": "pagedrift-frequencies", "version": 1, "pages": true, "words": {}}',
        '{"format": "pagedrift-frequencies", "version": 1, "pages": 1, "words": {"a": "b"}}',
        '{"format": "pagedrift-frequencies", "version": 1, "pages": -1, "words": {}}',
    ],
)
def test_another_file_is_refused_in_one_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "words.json").write_text(content)

    with pytest.raises(InputError, match=r"words.json .*Frequencies.save") as caught:
        Frequencies.load(tmp_path / "words.json")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Frequencies.load(tmp_path / "none.json")
