"""The figures about one change by which the judge decides: where it stands, what it says, how the place behaved."""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.facts import FactKind, changed_facts, hints
from pagedrift.does_it_matter.changes.past import Past
from pagedrift.does_it_matter.changes.surroundings import PARTS
from pagedrift.does_it_matter.changes.pairing import ADDED, EDITED, RECOUNTED, REMOVED, REPLACED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.does_it_matter.changes.pairing import PassageChange

HINTS: Final = ("stamp", "counter", "advert", "deadline", "role", "contact")
FACTS: Final = {kind: f"fact {kind.name.lower()}" for kind in FactKind}
# Facts that pages do not count up by themselves.
HARD: Final = frozenset(
    (
        FactKind.MONEY,
        FactKind.DEADLINE,
        FactKind.HOURS,
        FactKind.CONTACT,
        FactKind.STATUS,
        FactKind.OBLIGATION,
        FactKind.PERSON,
        FactKind.PERCENTAGE,
        FactKind.VERSION,
        FactKind.FILE,
    )
)
MAX_FACT_CHANGES: Final = 400  # changes of a page whose facts are looked for

ChangedFacts = dict[FactKind, tuple[tuple[str, ...], tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class DescribedChange:
    """A change and all that the judge knows of it."""

    change: PassageChange
    facts: ChangedFacts
    hints: frozenset[str]
    features: Mapping[str, float]


def describe(change: PassageChange, past: Past | None, *, read_facts: bool = True) -> DescribedChange:
    """Work out the figures about a change."""
    old, new, passage = change.old, change.new, change.passage
    facts: ChangedFacts = {}
    told: frozenset[str] = frozenset()
    if read_facts and passage.kind == "text":
        facts = changed_facts(old.text if old else "", new.text if new else "")
        told = hints(passage.text)
    elif passage.kind == "file":
        facts = {FactKind.FILE: ((old.text,) if old else (), (new.text,) if new else ())}
    figures = _where(change) | _what(change, facts, told) | _before(change, past)
    return DescribedChange(change, facts, told, figures | _together(figures))


def _where(change: PassageChange) -> dict[str, float]:
    passage = change.passage
    sides = [each for each in (change.old, change.new) if each is not None]
    values = {f"in {part}": float(part in passage.parts) for part in PARTS}
    return values | {
        "in main": float(any(each.main for each in sides)),
        "in content": float(passage.content),
        "in a part": float(bool(passage.parts)),
        "density": passage.density,
        "linked": passage.linked,
        "heading": float(passage.heading),
        "entry": float(passage.entry),
        "picture": float(passage.kind == "picture"),
        "file": float(passage.kind == "file"),
        "text": float(passage.kind == "text"),
    }


def _what(change: PassageChange, facts: ChangedFacts, told: frozenset[str]) -> dict[str, float]:
    from rapidfuzz.distance import Indel

    old = change.old.words if change.old else ()
    new = change.new.words if change.new else ()
    values = {action: float(change.action == action) for action in (ADDED, REMOVED, EDITED, RECOUNTED, REPLACED)}
    values |= {name: float(kind in facts) for kind, name in FACTS.items()}
    values |= {f"hint {name}": float(name in told) for name in HINTS}
    length = len(change.passage.words)
    return values | {
        "length": log1p(length),
        "words": log1p(Indel.distance(old, new)),
        "prose": float(change.passage.prose),
        "fact": float(any(kind != FactKind.NUMBER for kind in facts)),
    }


def _before(change: PassageChange, past: Past | None) -> dict[str, float]:
    """Describe the past of the place; without one, all is as if the place had none."""
    if past is None or past.steps == 0:
        return {
            "past": 0.0,
            "place changed": 0.0,
            "slot changed": 0.0,
            "slot recounted": 0.0,
            "seen before": 0.0,
            "stood": 0.0,
            "fresh": 0.0,
        }
    steps = past.steps
    place, slot = past.place(change.passage.place), past.place(change.passage.slot)
    stood = past.stood(change.old) if change.old else 0
    return {
        "past": 1.0,
        "place changed": place.changed / (steps + 2),
        "slot changed": slot.changed / (steps + 2),
        "slot recounted": slot.recounted / (steps + 2),
        "seen before": float(change.new is not None and past.seen(change.new)),
        "stood": log1p(stood) if change.old else 0.0,
        "fresh": float(change.old is not None and past.versions > 1 and stood <= 1),
    }


def _together(of: Mapping[str, float]) -> dict[str, float]:
    """Put figures together that mean more than each of them."""
    hard = max(of[FACTS[kind]] for kind in HARD)
    soft = max(of[FACTS[kind]] for kind in FactKind if kind not in HARD)
    in_place = of[EDITED] + of[RECOUNTED]
    main, part = of["in main"], of["in a part"]
    stamp = max(of["hint counter"], of["hint stamp"])
    quiet = of["past"] * (of["place changed"] == 0)
    busy = min(1.0, 2 * of["slot changed"])
    return {
        "hard fact": hard,
        "hard fact edited": hard * in_place,
        "hard fact edited in a part": hard * in_place * part,
        "hard fact edited in main": hard * in_place * main,
        "hard fact in a part": hard * part,
        "hard fact in main": hard * main,
        "soft fact outside": soft * (1 - hard) * (1 - main),
        "count": of[RECOUNTED] * stamp,
        "count edited": in_place * stamp * (1 - hard) * of["text"],
        "prose in main": of["prose"] * main,
        "part in main": part * main,
        "edited in main": of[EDITED] * main,
        "linked outside": of["linked"] * (1 - main),
        "linked whole": of["linked"] * (1 - in_place),
        "picture in main": of["picture"] * main,
        "picture in no part": of["picture"] * (1 - part),
        "busy": busy,
        "busy hard fact": busy * hard,
        "quiet": quiet,
        "quiet hard fact": quiet * hard,
        "quiet in main": quiet * main,
        "quiet picture": quiet * of["picture"] * (1 - part),
    }
