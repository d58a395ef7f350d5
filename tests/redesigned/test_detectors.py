"""Laws that every detector of the registry keeps."""

import inspect
import json
import re

import pytest

from pagedrift.redesigned import DETECTORS, DetectorError, RedesignDetector
from pagedrift.redesigned.river import DriftDetector
from pagedrift.testing import check_detector, follow, made_stream


@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector_keeps_the_laws(name: str) -> None:
    check_detector(lambda: DETECTORS[name](history=10))


@pytest.mark.parametrize("name", DETECTORS)
def test_a_saved_state_is_restored_as_the_detector_it_was(name: str) -> None:
    detector = RedesignDetector(detector=name, history=10)
    for page in made_stream([0] * 25 + [1] * 12):
        detector.update(page)
    restored = RedesignDetector.from_json(detector.to_json())

    assert restored.to_json() == detector.to_json()
    assert (restored.documents, restored.ready, restored.event) == (37, detector.ready, detector.event)


def state(**changes: object) -> str:
    detector = RedesignDetector(detector="cluster", history=5)
    for page in made_stream([0] * 7):
        detector.update(page)
    return json.dumps(json.loads(detector.to_json()) | changes)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        "[" * 100_000,
        state(format=99),
        state(state={}),
        state(state=None),
        state(documents="many"),
        state(dates=["yesterday"]),
        state(event={"document": 3}),
        state(settings={"history": 5, "colour": "red"}),
        state(state={"documents": 7, "shingles": ["%%"], "stripe": [], "clusters": []}),
    ],
)
def test_a_broken_state_gets_one_clear_line(text: str) -> None:
    with pytest.raises(DetectorError, match="start the stream again without it"):
        RedesignDetector.from_json(text)


def test_a_state_that_an_earlier_release_saved_is_continued() -> None:
    pages = made_stream([0] * 25 + [1] * 10)
    detector = RedesignDetector(history=10)
    for page in pages[:26]:
        detector.update(page)
    saved = json.loads(detector.to_json())
    saved["state"] = {name: value for name, value in saved["state"].items() if name not in ("fresh", "former")}
    saved["state"]["places"]["documents"] = 26
    for one in saved["state"]["candidates"]:
        for name in ("linked", "unrest", "passing"):
            del one[name]
    restored = RedesignDetector.from_json(json.dumps(saved))

    assert [event.document for event in follow(restored, pages[26:])] == [25]


def test_a_state_of_an_unknown_detector_names_the_known_ones() -> None:
    with pytest.raises(DetectorError, match="choose one of: evidence, new-avg-drop"):
        RedesignDetector.from_json(state(detector="crystal-ball"))


# Those of river's checks that ask nothing but what a detector has: the others feed estimators with features.
RIVER = """
repr str clone_same_class clone_is_idempotent init_default_params_are_not_mutable doc clone_changes_memory_addresses
pickling_supports_roundtrip repr_roundtrips_clone clone_with_new_params_applies get_params_matches_signature
mutate_can_be_idempotent init_has_default_params_for_tests
""".split()
ELSEWHERE = {  # the general checks that do not apply, and why
    "tags": "only estimators have tags",
    "mutable_attributes_exist": "a detector names no attributes that may be changed",
    "wrapper_accepts_kwargs": "it wraps no estimator",
    "learn_one": "a detector is updated, and does not learn from features",
}


@pytest.mark.parametrize("name", DETECTORS)
@pytest.mark.parametrize("check", RIVER)
def test_our_detectors_pass_the_checks_of_river(name: str, check: str) -> None:
    checks = pytest.importorskip("river.checks.common", reason="river is not installed; pip install river")
    river = pytest.importorskip("river.base")
    detector = DriftDetector(detector=name, history=10)
    follow(detector.inner, made_stream([0] * 12))

    assert isinstance(detector, river.DriftAndWarningDetector)
    getattr(checks, f"check_{check}")(detector)


def test_no_general_check_of_river_is_left_out_unawares() -> None:
    checks = pytest.importorskip("river.checks", reason="river is not installed; pip install river")
    source = inspect.getsource(checks.yield_checks)
    general = set(re.findall(r"common\.check_(\w+)", source.partition("# Checks that make use of datasets")[0]))

    assert general - set(RIVER) <= set(ELSEWHERE)


def test_a_detector_inside_river_can_be_reset_and_goes_on_from_a_copy() -> None:
    detector = DriftDetector(history=10)
    follow(detector.inner, made_stream([0] * 12))
    copy = detector.clone(include_attributes=True)

    assert copy.inner.to_json() == detector.inner.to_json()
    detector._reset()
    assert detector.inner.documents == 0


@pytest.mark.parametrize("name", DETECTORS)
def test_our_detectors_run_inside_river(name: str) -> None:
    detector = DriftDetector(detector=name, history=10)
    told = []
    for number, page in enumerate(made_stream([0] * 30 + [1] * 15)):
        detector.update(page)
        if detector.drift_detected:
            told.append(number)

    assert told
    assert min(told) >= 30
    assert not detector.clone().drift_detected
