"""What is found of broken selectors does not get worse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from experiments.selectors.evaluate import evaluate_cases, evaluate_fields, read_cases
from experiments.selectors.fields import read_fields

FLOORS = json.loads((Path(__file__).parents[2] / "experiments/selectors/floors.json").read_text("utf-8"))
LESS_IS_BETTER = {"false", "confidently_wrong", "working_called_broken"}


def below(found: dict[str, Any], floors: dict[str, Any], where: str = "") -> list[str]:
    """List the figures that are worse than their floors."""
    worse = []
    for name, floor in floors.items():
        if isinstance(floor, dict):
            worse += below(found[name], floor, f"{where}{name} ") if name in found else []
        elif (found[name] > floor) if name in LESS_IS_BETTER else (found[name] < floor):
            worse.append(f"{where}{name}: {found[name]}, allowed {floor}")
    return worse


def test_every_label_names_both_pages_and_a_selector() -> None:
    fields = read_fields()

    assert len(fields) >= 150
    assert len({field.fold for field in fields}) >= 25
    assert all(field.old_selector for field in fields)


@pytest.mark.slow
def test_regions_of_real_pages_are_found_again(data: Path) -> None:
    floors = {name: floor for name, floor in FLOORS.items() if name != "fields"}

    assert below(evaluate_cases(read_cases(data / "terms" / "selectors")), floors) == []


@pytest.mark.slow
def test_fields_of_scrapers_are_found_again_after_redesigns(data: Path) -> None:
    assert below(evaluate_fields(data, quiet=True), FLOORS["fields"]) == []
