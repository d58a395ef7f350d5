"""Mutated pages know their elements, and the right ones are matched as often as before."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from experiments.khandagale2010.flexible import match_flexibly
from experiments.khandagale2010.matchers import (
    MATCHERS,
    build_lxml,
    by_default,
    by_signatures,
    by_xmldiff,
    make_mutated_page,
)
from experiments.khandagale2010.mutations import build_tree, copy_tree, mutate
from experiments.khandagale2010.right_nodes import OURS, RATES, figures, halves, judge, run
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.facets.tree import ELEMENT, read_tree
from pagedrift.what_changed.matching import match
from pagedrift.what_changed.patch import patch_tree
from pagedrift.what_changed.script import write_script
from tests.what_changed.test_patch import sources

ROOT = Path(__file__).parents[2]
FLOORS = json.loads((ROOT / "experiments/khandagale2010/floors.json").read_text("utf-8"))
PAGE = read_tree(
    "<!doctype html><title>Fees</title><h1 id=top>Fees of the town</h1><!-- made by hand -->"
    "<ul class=fees><li>A permit costs <b>$120</b><li>A copy costs <b>$2</b><li>A search is free</ul>"
    "<svg><path d=M0></path></svg><o:p @click=go :class=x>Pay at the <a href=/desk>front desk</a></o:p>"
)


@given(sources)
def test_a_copy_of_a_page_is_built_as_the_page_itself(source: str) -> None:
    tree = read_tree(source)
    built, origins = build_tree(copy_tree(tree))

    assert built == tree
    assert origins == list(range(len(tree)))


@given(st.sampled_from(RATES), st.integers(0, 10**6))
def test_each_element_is_on_a_mutated_page_once_or_not_at_all(rate: int, seed: int) -> None:
    page = make_mutated_page(PAGE, rate / 100, seed)
    known = [origin for origin in page.origins if origin is not None]

    assert len(known) == len(set(known))
    assert {i for i in known if PAGE.kind[i] == ELEMENT} == page.mutant.survivors()
    assert build_tree(mutate(PAGE, rate / 100, seed).root)[0] == page.new, "the same seed, the same page"


@given(st.sampled_from(RATES), st.integers(0, 10**6))
def test_a_script_leads_to_the_mutated_page(rate: int, seed: int) -> None:
    page = make_mutated_page(PAGE, rate / 100, seed)

    assert patch_tree(page.old, write_script(match(page.old, page.new))) == page.new


def test_every_kind_of_mutation_is_made() -> None:
    done = {way for seed in range(100) for way in mutate(PAGE, 0.5, seed).done.values()}

    assert done == {"delete", "move", "wrap", "rename", "attributes", "text"}
    assert any(None in make_mutated_page(PAGE, 0.5, seed).origins for seed in range(10))


@pytest.mark.parametrize("name", MATCHERS)
def test_every_matcher_matches_a_page_with_itself(name: str) -> None:
    outcome = judge(make_mutated_page(PAGE, 0, seed=0), MATCHERS[name])

    assert outcome.errors == 0


def test_a_partner_of_another_origin_is_wrong_and_no_partner_is_none() -> None:
    page = make_mutated_page(PAGE, 0, seed=0)
    first, second, *others = PAGE.elements()
    outcome = judge(page, lambda _: ([(first, second), *((i, i) for i in others)], 0.0))

    assert outcome.wrong == outcome.unmatched == 1 / (len(others) + 2)
    assert outcome.missed == {"nothing": 2}


def test_nodes_below_a_discarded_subtree_are_paired_in_place() -> None:
    pairs, _ = by_signatures(make_mutated_page(PAGE, 0, seed=0))

    assert sorted(pairs) == [(i, i) for i in PAGE.elements()]


def test_lxml_gets_the_same_elements_in_the_same_order() -> None:
    pytest.importorskip("lxml", reason="a peer that is not installed")
    root, numbers = build_lxml(copy_tree(PAGE))
    tags = [node.tag for node in root.iter() if isinstance(node.tag, str)]

    assert tags == [PAGE.tag(i).replace(":", "_") for i in numbers if PAGE.kind[i] == ELEMENT]
    assert "".join(root.itertext("h1", "a")) == "Fees of the townfront desk"


def test_xmldiff_matches_a_page_with_itself() -> None:
    pytest.importorskip("xmldiff", reason="a peer that is not installed")

    assert judge(make_mutated_page(PAGE, 0, seed=0), by_xmldiff).errors == 0


def test_flexible_matching_finds_an_element_by_its_rare_tokens() -> None:
    old = read_tree("<div><p id=a class=fee>x<p id=b class=price>y<p id=c class=cost>z</div>")
    new = read_tree("<div><p id=c class=cost>z<p id=b class=price>y</div><section><p id=a class=fee>x</section>")
    partner = dict(match_flexibly(old, new))

    assert [new.attributes(partner[i]) for i in old.elements("p")] == [old.attributes(i) for i in old.elements("p")]


def test_a_folder_without_pages_is_said_to_be_one(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "experiments.khandagale2010.right_nodes", "--data", str(tmp_path)]
    refused = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)

    assert refused.returncode == 2
    assert "name the folder that holds `pairs`" in refused.stderr


@pytest.mark.slow
def test_the_right_nodes_are_matched_as_often_as_before(data: Path) -> None:
    _, stated = halves(data)
    found = figures(run(stated, [int(rate) for rate in FLOORS], {OURS: by_default}))

    for rate, floor in FLOORS.items():
        for kind, most in floor.items():
            assert found[OURS][rate][kind] <= most, f"{kind} at {rate} %"
