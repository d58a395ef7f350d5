"""Quality on real pages, pinned: raising a floor is a commit, falling below one is a failure."""

import json
from pathlib import Path
from statistics import fmean

import pytest
from experiments.hachenberg2013.development import collection, development
from experiments.hachenberg2013.evaluate import by_sites, evaluate
from experiments.hachenberg2013.held_out import figures
from experiments.hachenberg2013.nested import nested
from experiments.hachenberg2013.scores import clustering

from pagedrift.which_template import DEFAULT

FLOORS = Path(__file__).parents[2] / "experiments" / "hachenberg2013" / "floors.json"


@pytest.mark.slow
def test_no_fingerprint_falls_below_its_floors(data: Path) -> None:
    pages = collection(data / "templates")
    for algorithm, questions in json.loads(FLOORS.read_text()).items():
        found = evaluate(pages, algorithm)
        for question, floors in questions.items():
            below = {name: found[question][name] for name, floor in floors.items() if found[question][name] < floor}
            assert not below, f"{algorithm}, {question}"


@pytest.mark.slow
def test_what_is_chosen_on_other_sites_holds_on_each_fifth_of_them(data: Path) -> None:
    outer = nested(development(data))["outer"]

    assert fmean(outer["ari"]) >= 0.975
    assert min(outer["ari"]) >= 0.96
    assert fmean(outer["purity"]) >= 0.999
    assert fmean(outer["precision"]) >= 0.999
    assert fmean(outer["recall"]) >= 0.995


@pytest.mark.slow
def test_the_default_wins_whichever_sites_it_is_asked_about(data: Path) -> None:
    pages = collection(data / "templates")
    paper, ours = by_sites(pages, "lzw")["ari"], by_sites(pages, DEFAULT)["ari"]

    assert min(ours) > min(paper)
    assert sum(ours) > sum(paper)


@pytest.mark.slow
def test_the_default_wins_on_series_it_was_not_made_for(data: Path) -> None:
    paper, ours = figures(data, "lzw"), figures(data, DEFAULT)

    assert ours["ari"] > paper["ari"]
    assert ours["pairs of one template"] > paper["pairs of one template"]
    assert not any(count for name, count in ours.items() if name.startswith("clusters of several sites"))


def test_the_adjusted_rand_index_is_zero_for_one_cluster_of_everything() -> None:
    assert clustering("aabbcc", [0] * 6)["ari"] == 0.0
    assert clustering("aabbcc", [0, 0, 1, 1, 2, 2])["ari"] == 1.0
    # Worked by hand: of 15 pairs 3 are together in both, 3 in the labels, 4 in the clusters.
    assert clustering("aabbcc", [0, 0, 1, 1, 1, 2])["ari"] == pytest.approx((2 - 0.8) / (3.5 - 0.8))
