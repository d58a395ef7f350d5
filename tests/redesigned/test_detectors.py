"""Laws that every detector of the registry keeps."""

import json

import pytest

from pagedrift.redesigned import DETECTORS, DetectorError, RedesignDetector
from pagedrift.redesigned.river import DriftDetector
from pagedrift.testing import check_detector, made_stream


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
    with pytest.raises(DetectorError, match="begin the stream again without it"):
        RedesignDetector.from_json(text)


def test_a_state_of_an_unknown_detector_names_the_known_ones() -> None:
    with pytest.raises(DetectorError, match="choose one of: evidence, new-avg-drop"):
        RedesignDetector.from_json(state(detector="crystal-ball"))


@pytest.mark.parametrize("name", DETECTORS)
def test_our_detectors_run_inside_river(name: str) -> None:
    base = pytest.importorskip("river.base", reason="river is not installed; pip install river")

    class Inside(DriftDetector, base.DriftDetector):
        def __init__(self, detector: str = name, history: int = 10) -> None:
            base.DriftDetector.__init__(self)
            DriftDetector.__init__(self, detector=detector, history=history)

    detector = Inside()
    told = []
    for number, page in enumerate(made_stream([0] * 30 + [1] * 15)):
        detector.update(page)
        if detector.drift_detected:
            told.append(number)

    assert told
    assert min(told) >= 30
    assert not detector.clone().drift_detected
