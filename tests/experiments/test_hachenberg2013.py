"""The figures of the experiments, against their definitions."""

import doctest
import sys
from itertools import combinations
from pathlib import Path

import pytest
from experiments.hachenberg2013 import corpus, development, figure2, scores, table4, table5, table6
from experiments.hachenberg2013.approaches import NAMES, approach
from experiments.hachenberg2013.corpus import NOISE, Document, load
from hypothesis import given
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift.which_template.similarity import SIMILARITIES
from tests.builders import record

labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12)


@given(labels)
def test_the_rand_indices_count_pairs(both: list[tuple[int, int]]) -> None:
    found, known = zip(*both, strict=True)
    pairs = [(found[i] == found[j], known[i] == known[j]) for i, j in combinations(range(len(both)), 2)]
    score = scores.clustering(known, found)
    both_ways = pairs.count((True, True))
    one_way, other_way = (sum(pair[side] for pair in pairs) for side in (0, 1))
    chance, most = one_way * other_way / len(pairs), (one_way + other_way) / 2

    assert score["ri"] == pytest.approx(sum(one == other for one, other in pairs) / len(pairs))
    assert score["ari"] == pytest.approx((both_ways - chance) / (most - chance) if most != chance else 1)
    assert score["clusters"] == len(set(found))


def test_purity_is_the_share_of_documents_in_the_majority_of_their_cluster() -> None:
    assert scores.clustering("aabb", [1, 1, 1, 2])["purity"] == 3 / 4
    assert scores.clustering("aabb", [1, 2, 3, 4])["purity"] == 1


def test_a_template_nobody_was_given_has_no_precision() -> None:
    figures = table5.score_answers([{"a"}, set()], ["a", "b"])

    assert (figures.precision, figures.recall, figures.f1, figures.accuracy) == (0.5, 0.5, 0.5, 0.75)


@pytest.mark.parametrize("module", [corpus, development, scores, figure2, table5])
def test_examples_run(module: object) -> None:
    assert doctest.testmod(sys.modules[module.__name__]).failed == 0


def test_the_curves_meet_where_both_parts_tell_as_much() -> None:
    prints = [bytes([n // 8, *[0] * 23, n % 8]) for n in range(64)]
    curves = figure2.curves(prints)

    assert curves[0] == (0, 6)
    assert curves[12] == (3, 3)
    assert curves[-1] == (6, 0)
    assert figure2.break_even(curves) in range(1, 25)


def documents() -> list[Document]:
    made = {"list": "<ul>" + "<li>{}" * 30 + "</ul>", "table": "<title>{}</title><table>" + "<tr><td>{}" * 30}
    pages = [
        Document(PageVersion(f"https://{name}.example/{n}", html.replace("{}", str(n)).encode()), name)
        for name, html in made.items()
        for n in range(20)
    ]
    return [*pages, *(Document(PageVersion("", b"<link><form>" + b"<input>" * n), None) for n in range(10, 20))]


@pytest.mark.parametrize("name", NAMES)
def test_every_approach_tells_two_clear_templates_apart(name: str) -> None:
    known = [document for document in documents() if document.template]
    examples, rest = table4.split(known)
    chosen = approach(name)
    accept = chosen.learn(chosen.read([one.page for one in examples])[0], [one.template for one in examples])

    assert len(examples) == len(rest) == 20
    for one in rest:
        assert set(accept(chosen.read([one.page])[0][0])) == {one.template}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in table5.LEFT_OUT])
def test_cross_validation_of_clear_templates_is_perfect(name: str) -> None:
    result = table5.validate(name, documents(), 10**9)

    assert (result.alone.precision, result.alone.recall, result.alone.accuracy) == (1, 1, 1)
    assert result.asked == 50
    assert result.wrong == 0


def test_folds_are_of_one_size_and_each_template_is_in_all() -> None:
    folds = table5.folds_of(documents())

    assert sorted(set(folds)) == list(range(10))
    assert [folds.count(fold) for fold in range(10)] == [5] * 10


@pytest.mark.parametrize("name", ["FP", "MDH5"])
def test_clear_templates_are_clusters(name: str) -> None:
    score, _ = table6.score(name, [document for document in documents() if document.template])

    assert (score["clusters"], score["ari"], score["purity"]) == (2, 1, 1)


def test_a_folder_of_archives_is_read_with_its_labels(tmp_path: Path) -> None:
    for name in ("one", "two", NOISE):
        (tmp_path / f"{name}.warc.gz").write_bytes(record(f"https://{name}.example/", packed=True))
    (tmp_path / "templates.json").write_text(
        '[{"name": "two", "same_as": ["one"]}, {"name": "one", "same_as": ["two"]}]'
    )

    assert [document.template for document in load(tmp_path)] == [None, "one", "one"]
    assert [document.template for document in load(tmp_path, merged=False)] == [None, "one", "two"]


def test_the_tables_of_the_paper_name_what_we_measure() -> None:
    assert set(table4.TABLE_4) == {"FP", *SIMILARITIES}
    assert set(table5.TABLE_5) == {"FP", *SIMILARITIES} - set(table5.LEFT_OUT)
