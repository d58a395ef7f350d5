"""What went wrong, so that a person can look? Each miss and false alarm, with addresses, certainty and evidence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from experiments.gottron2009.series import NEAR, Score, Series
from pagedrift.redesigned.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pagedrift.redesigned.candidates import Candidate

AROUND = 3  # addresses before and from the first document on
FOLLOWED = 12  # documents for which the certainty is shown
COUNTS = ("alike", "home", "linked", "away", "same", "olds", "strays")


@dataclass(frozen=True)
class Case:
    """A redesign that was missed, or an event that was none."""

    series: str
    document: int
    what: str  # "missed" or "false alarm"
    before: list[str]  # addresses
    since: list[str]
    certainty: list[float]  # at each document from the first on
    evidence: dict[str, Any]  # of the likeliest candidate there, when it was likeliest


def cases(series: Series, *, made: Callable[..., Evidence] = Evidence) -> Iterator[Case]:
    """Give what is wrong in a series, with what the detector saw there."""
    detector, events, seen = made(), [], {}
    for index, page in enumerate(series.pages):
        detector.update(page)
        events += [detector.event] if detector.redesigned and detector.event else []
        for one in detector.candidates:
            seen.setdefault(one.first, {})[index] = _described(one, detector)
    score = Score()
    score.add(series, events)
    for document, what in score.mistakes:
        yield _case(series, document, what, seen)


def _described(one: Candidate, detector: Evidence) -> dict[str, Any]:
    shares = {"replaced": one.replaced, "new": one.new, "gone": min(one.gone), "unrest": one.unrest}
    described = {name: getattr(one, name) for name in COUNTS} | {
        name: round(share, 2) for name, share in shares.items()
    }
    return described | {"certainty": round(one.certainty(detector.weights), 2)}


def _case(series: Series, document: int, what: str, seen: dict[int, dict[int, dict[str, Any]]]) -> Case:
    near = [known for first, known in seen.items() if abs(first - document) <= (NEAR if what == "missed" else 0)]
    indexes = range(document, min(document + FOLLOWED, len(series.pages)))
    best = [max((known[at]["certainty"] for known in near if at in known), default=0.0) for at in indexes]
    rows = [row for known in near for at, row in known.items() if at < document + FOLLOWED]
    return Case(
        series.name,
        document,
        what,
        [page.url for page in series.pages[max(0, document - AROUND) : document]],
        [page.url for page in series.pages[document : document + AROUND]],
        best,
        max(rows, key=lambda row: row["certainty"], default={}),
    )


def print_cases(found: Iterable[Case]) -> None:
    """Print each so that a person can look."""
    for one in found:
        print(f"\n{one.series}, document {one.document}: {one.what}")
        for when, urls in (("before", one.before), ("since", one.since)):
            for url in urls:
                print(f"    {when:6} {url}")
        print("    certainty  " + " ".join(f"{value:.2f}" for value in one.certainty))
        print("    evidence   " + ", ".join(f"{name} {value}" for name, value in one.evidence.items()))
    print()


def as_data(found: Iterable[Case]) -> list[dict[str, Any]]:
    """Give them as JSON can hold them."""
    return [asdict(one) for one in found]
