"""Scripted pages are well-formed, and what the judge of single changes finds does not get worse."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from experiments.terms import evaluate, scripted
from experiments.terms.application import alerted, cases_of, pagedrift
from experiments.terms.bags import REAL, REAL_PAGES, VISITS, Bag, read_scripts, real_scripts
from experiments.terms.calibration import sharpness
from experiments.terms.multiple import fit_bags, raw_of
from experiments.terms.steps import Step, Told, all_steps, series_in

from pagedrift.does_it_matter.changes import Level

ROOT = Path(__file__).parents[2]
SCRIPTED = ROOT / "tests" / "scripted"
BLIND = ROOT / "tests" / "scripted_blind"
FOLDERS = {"scripted": SCRIPTED, "blind": BLIND}
REAL_FOLDERS = {"real": REAL, "real blind": ROOT / "tests" / "scripted_real_blind"}
FLOORS = json.loads((ROOT / "experiments/terms/floors.json").read_text("utf-8"))
PAGES = [path for folder in FOLDERS.values() for path in sorted(folder.glob("*/*.toml"))]
LEVELS = {"fact", "content", "wording", "noise"}
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


def run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"experiments.terms.{module}", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)


# The scripted pages


def test_each_scripted_page_has_its_script() -> None:
    pages = [page for folder in FOLDERS.values() for page in folder.glob("*/*.html")]
    assert {path.with_suffix("") for path in PAGES} == {path.with_suffix("") for path in pages}
    assert len(PAGES) >= 173


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_scripted_page_is_well_formed(path: Path) -> None:
    told = tomllib.loads(path.read_text("utf-8"))
    html = path.with_suffix(".html").read_text("utf-8")
    noise, changes = told.get("noise", {}), told["change"]
    names = [change["name"] for change in changes]

    assert set(told) <= {"url", "language", "noise", "change"}
    assert set(PLACEHOLDER.findall(html)) == set(noise), "each placeholder has values, and the reverse"
    assert all(len(values) > VISITS for values in noise.values()), "no visit shows what another one did"
    assert len(names) == len(set(names)), "names are unique"
    for change in changes:
        assert set(change) == {"name", "level", "says", "edits"}
        assert change["level"] in LEVELS
        assert change["edits"]
        for old, new in change["edits"]:
            assert html.count(old) == 1, f"{change['name']}: “{old}” is there once"
            assert old != new
            assert set(PLACEHOLDER.findall(new)) <= set(noise)


def test_the_levels_are_all_there() -> None:
    written = [change["level"] for script in read_scripts(SCRIPTED) for change in script.changes]

    assert set(written) == LEVELS
    assert len(written) >= 1_497


# What is found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "folder"), FOLDERS.items())
def test_scripted_changes_are_found_as_they_were(name: str, folder: Path) -> None:
    check_floors(name, scripted.all_outcomes(list(read_scripts(folder))))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "folder"), REAL_FOLDERS.items())
def test_scripted_changes_of_real_pages_are_found_as_they_were(name: str, folder: Path, data: Path) -> None:
    scripts = list(real_scripts(folder, data / REAL_PAGES))
    for script in scripts:
        assert set(PLACEHOLDER.findall(script.html)) == set(script.noise), script.name
        assert all(script.html.count(old) == 1 for change in script.changes for old, _ in change["edits"]), (
            script.name
        )
    check_floors(name, scripted.all_outcomes(scripts))


def check_floors(name: str, outcomes: list[scripted.Outcome]) -> None:
    for at, floors in FLOORS[name].items():
        for when, levels in scripted.figures(outcomes, at).items():
            for level, (wrong, _) in levels.items():
                assert wrong <= floors[when][level], "\n".join(scripted.mistakes(outcomes, at))


@pytest.mark.slow
def test_changes_of_terms_are_found_as_they_were(data: Path) -> None:
    floors = FLOORS["terms"]
    series = [data / "terms" / "series" / f"{name}.json" for name in floors["series"]]
    steps = all_steps(series)

    assert len(steps) == floors["steps"]
    for name in ("past", "pair"):
        found, wrong = evaluate.figures(steps, past=name == "past"), evaluate.mistakes(steps, past=name == "past")
        assert found["recall"] >= floors[name]["recall"], "\n".join(wrong)
        assert found["false"] <= floors[name]["false"], "\n".join(wrong)
        assert found["auc"] >= floors[name]["auc"]


# The commands


def test_a_folder_without_series_is_said_to_be_one(tmp_path: Path) -> None:
    refused = run("evaluate", "--data", str(tmp_path))

    assert refused.returncode == 2
    assert "name the folder that holds the series" in refused.stderr


def test_a_folder_without_scripted_pages_is_said_to_be_one(tmp_path: Path) -> None:
    refused = run("scripted", "--scripts", str(tmp_path))

    assert refused.returncode == 2
    assert "name the folder that holds the scripted pages" in refused.stderr


@pytest.mark.slow
def test_the_last_line_is_json() -> None:
    line = json.loads(run("scripted", "--genre", "law").stdout.splitlines()[-1])

    assert line["experiment"] == "scripted"
    assert set(line["as shipped"]) == {"important", "content"}


@pytest.mark.slow
def test_the_last_line_about_series_is_json(data: Path, tmp_path: Path) -> None:
    name = FLOORS["terms"]["series"][0]
    for end in (".json", ".warc.gz"):
        (tmp_path / f"{name}{end}").symlink_to(data / "terms" / "series" / f"{name}{end}")
    line = json.loads(run("evaluate", "--data", str(tmp_path)).stdout.splitlines()[-1])

    assert list(line) == ["experiment", "past", "pair", "ms"]
    assert line["experiment"] == "terms"
    assert set(line["past"]) == set(line["pair"]) == {"recall", "false", "auc"}
    assert len(series_in(tmp_path)) == 1


# The parts


def step(service: str, *levels: Level, content: bool) -> Step:
    chances = {Level.NOISE: 0.1, Level.MINOR: 0.5, Level.IMPORTANT: 0.9}
    told = tuple(Told(level, chances[level], 2, f"a {level} change") for level in levels)
    return Step(service=service, name="x 0 → 1", content=content, past=told, pair=(), ms=1.0, size=(5, 5))


STEPS = [
    step("a", Level.NOISE, Level.MINOR, content=True),
    step("a", Level.NOISE, content=True),
    step("b", Level.IMPORTANT, content=True),
    step("b", Level.NOISE, content=False),
    step("b", Level.MINOR, content=False),
    step("b", content=False),
    step("b", content=False),
]


def test_a_step_alerts_by_any_change_that_is_more_than_noise() -> None:
    found = evaluate.figures(STEPS, past=True)

    assert found == {
        "recall": 0.6667,
        "false": 0.25,
        "auc": 0.8333,
        "recall by service": 0.75,
        "false by service": 0.25,
    }
    assert [line for line in evaluate.mistakes(STEPS, past=True) if line[0] != " "] == [
        "missed: x 0 → 1",
        "false alarm: x 0 → 1",
    ]
    assert evaluate.figures(STEPS, past=False)["recall"] == 0


def test_what_was_stated_stands_beside_what_was_real() -> None:
    tenths = [["0.1–0.2", "2", "0.10", "0.50"], ["0.5–0.6", "2", "0.50", "0.50"], ["0.9–1.0", "1", "0.90", "1.00"]]

    found = [line.split()[:4] for line in evaluate.calibration(STEPS, past=True)]
    assert found == [["all,", "past"], *tenths, ["1–3", "words,", "past"], *tenths]


def test_a_judge_that_is_too_modest_is_sharpened() -> None:
    def modest(probability: float, *, content: bool) -> Step:
        told = (Told(Level.MINOR, probability, 2, "a change"),)
        return Step(service="a", name="x", content=content, past=told, pair=(), ms=1.0, size=(5, 5))

    steps = [modest(0.7, content=number < 9) for number in range(10)]
    steps += [modest(0.3, content=number >= 9) for number in range(10)]

    assert 2.5 < sharpness(steps) < 2.7  # what is right nine times of ten was called 0.7


def test_what_a_rule_decided_does_not_make_a_judge_sharper() -> None:
    decided = [step("a", Level.NOISE, content=False)] * 50
    free = [step("a", Level.MINOR, Level.IMPORTANT, content=number < 9) for number in range(10)]

    assert sharpness(free) == sharpness([*free, *decided])


def test_the_examples_hold() -> None:
    assert doctest.testmod(evaluate).failed == 0


def test_a_bag_is_judged_by_its_likeliest_change() -> None:
    noise, fact = {"a": 0.0, "b": 1.0}, {"a": 1.0, "b": 1.0}
    bags = [
        Bag(
            "made",
            f"site{number}",
            "",
            number % 2 == 0,
            (noise, fact) if number % 2 == 0 else (noise, noise),
            past=False,
        )
        for number in range(200)
    ]
    model = fit_bags("made", bags, penalty=8.0)

    assert model.probability(fact) > 0.7
    assert model.probability(noise) < 0.3
    assert raw_of(model, bags[0]) > raw_of(model, bags[1])


@pytest.mark.slow
def test_the_application_checks_scripted_pages() -> None:
    script = next(each for each in read_scripts(SCRIPTED) if each.name == "law/terms")
    cases = cases_of([script])
    rounds = alerted(pagedrift, cases, last=1)

    assert len(cases) == len(script.changes) + 1
    assert rounds[0] == set()
    assert rounds[1] <= {case.path for case in cases}
