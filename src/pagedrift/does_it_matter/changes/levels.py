"""The verdict on each single change: noise, minor or important, how surely, and by which evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.features import MAX_FACT_CHANGES, describe
from pagedrift.does_it_matter.changes.facts import FactKind
from pagedrift.does_it_matter.model import shipped
from pagedrift.does_it_matter.changes.pairing import ADDED, EDITED, RECOUNTED, REMOVED, REPLACED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.does_it_matter.changes.features import ChangedFacts, DescribedChange
    from pagedrift.does_it_matter.model import Model
    from pagedrift.does_it_matter.changes.passages import Passage
    from pagedrift.does_it_matter.changes.past import Past
    from pagedrift.does_it_matter.changes.pairing import PassageChange

CONTENT: Final = 1 / 3  # from here on a change counts as content: to miss one costs twice as much as a false alarm
FACT_FLOOR: Final = 0.6  # how sure at least, where a fact changed in a place that stood still
_REWORDED_WORDS: Final = 8  # an edit of so many words says something else
_REWORDED_SHARE: Final = 0.5
_NEW_WORDS: Final = 4  # shorter passages that come or go are only important as entries, headings or facts
_NO_FACTS_IN: Final = frozenset(("navigation", "overlay", "advertisement", "comments", "languages"))
_QUIET: Final = 0.2  # a place that changed in fewer of the steps stood still
# Facts that people watch pages for. A bare number may be a counter; a version or a date is often a stamp.
KEY_FACTS: Final = frozenset(
    (
        FactKind.MONEY,
        FactKind.DEADLINE,
        FactKind.HOURS,
        FactKind.CONTACT,
        FactKind.PERCENTAGE,
        FactKind.PERSON,
        FactKind.STATUS,
    )
)


class Level(StrEnum):
    """How much a change means to someone who watches the page."""

    NOISE = "noise"
    MINOR = "minor"
    IMPORTANT = "important"

    @property
    def rank(self) -> int:
        """Its place among the levels, from the least."""
        return list(Level).index(self)


class Zone(StrEnum):
    """Where on the page a change stands."""

    MAIN = "main content"
    ENTRIES = "list of entries"
    BESIDE = "beside the main content"
    NAVIGATION = "navigation"
    BOILERPLATE = "boilerplate"
    ADVERTISEMENT = "advertisement"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedChange:
    """One change that a person would name, and the verdict on it."""

    level: Level
    probability: float  # that it is a change of content, and not noise
    action: str  # added, removed, edited, recounted or replaced
    old: tuple[Passage, ...]  # what came or went together; of an edit one passage on each side
    new: tuple[Passage, ...]
    facts: ChangedFacts
    zone: Zone
    changed_before: int  # in how many earlier steps its place changed
    steps: int  # of so many; 0 where the past is not known
    evidence: tuple[tuple[str, float], ...]  # what speaks for content, above 0, or for noise; the strongest first

    @property
    def passage(self) -> Passage:
        """The first passage it touches."""
        return (self.new or self.old)[0]

    @property
    def old_text(self) -> str:
        """What was there."""
        return " ".join(passage.text for passage in self.old)

    @property
    def new_text(self) -> str:
        """What is there now."""
        return " ".join(passage.text for passage in self.new)

    @property
    def fact(self) -> FactKind | None:
        """The most telling fact it touches."""
        return next((kind for kind in FactKind if kind in self.facts), None)


def judge_changes(
    changes: Sequence[PassageChange], past: Past | None = None, model: Model | None = None
) -> tuple[JudgedChange, ...]:
    """Judge each change by itself; the most important ones come first.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.does_it_matter.changes.passages import passages
    >>> from pagedrift.does_it_matter.changes.pairing import compare
    >>> read = lambda html: passages(PageVersion("", html.encode()))
    >>> rules = "<p>A permit is needed by everybody who parks here for more than an hour, and costs {}.</p>"
    >>> old, new = (read(rules.format(fee) + f"<footer>{n} visitors</footer>") for fee, n in (("$120", 7), ("$145", 9)))
    >>> [(str(each.level), each.fact and each.fact.value) for each in judge_changes(compare(old, new))]
    [('important', 'amount of money'), ('noise', 'number')]
    """
    chosen = model or shipped("changes")
    ordered = sorted(changes, key=lambda change: not change.passage.main)
    judged = [
        _judged(describe(change, past, read_facts=number < MAX_FACT_CHANGES), chosen, past)
        for number, change in enumerate(ordered)
    ]
    return tuple(sorted(_gathered(judged), key=lambda each: (-each.level.rank, _tell_order(each))))


def _tell_order(change: JudgedChange) -> tuple[float, ...]:
    """Put facts first, then what is surest, then the larger change."""
    key = any(kind in KEY_FACTS for kind in change.facts)
    size = sum(len(passage.words) for passage in (*change.old, *change.new))
    return (-key, -round(change.probability, 1), -size)


def _judged(described: DescribedChange, model: Model, past: Past | None) -> JudgedChange:
    change = described.change
    contributions = model.contributions(described.features)
    raw = model.bias + sum(contributions.values())
    probability = 1 / (1 + exp(-max(-50.0, min(50.0, raw))))
    if _is_fact_where_all_stood_still(described):
        probability = max(probability, FACT_FLOOR)
    strongest = sorted(contributions.items(), key=lambda each: -abs(each[1]))
    place = past.place(change.passage.slot) if past else None
    return JudgedChange(
        level=_level(described, probability),
        probability=probability,
        action=change.action,
        old=(change.old,) if change.old else (),
        new=(change.new,) if change.new else (),
        facts=described.facts,
        zone=zone_of(change.passage),
        changed_before=place.changed if place else 0,
        steps=past.steps if past else 0,
        evidence=tuple((name, round(value, 3)) for name, value in strongest[:5]),
    )


def _is_fact_where_all_stood_still(described: DescribedChange) -> bool:
    """Say whether a fact was exchanged in a place whose past is known and quiet."""
    of, change = described.features, described.change
    exchanged = change.action in (EDITED, RECOUNTED) or FactKind.PERSON in described.facts
    quiet = of["past"] and not of["slot changed"] and of["place changed"] <= _QUIET and not of["seen before"]
    counted = {"counter", "stamp"} & described.hints
    return bool(
        quiet
        and exchanged
        and not counted
        and not change.passage.parts & _NO_FACTS_IN
        and any(kind in KEY_FACTS for kind in described.facts)
    )


def _level(described: DescribedChange, probability: float) -> Level:
    if probability < CONTENT:
        return Level.NOISE
    return Level.IMPORTANT if _says_something_else(described) else Level.MINOR


def _says_something_else(described: DescribedChange) -> bool:
    """Tell a change of what a page says from one of how it says it."""
    change, passage = described.change, described.change.passage
    stamped = "stamp" in described.hints and change.action in (EDITED, RECOUNTED)
    facts = [kind for kind in described.facts if kind is not FactKind.OBLIGATION or change.action == EDITED]
    if facts and not stamped:
        return True
    if change.action in (ADDED, REMOVED, REPLACED):
        return passage.kind != "text" or passage.heading or passage.entry or len(passage.words) >= _NEW_WORDS
    changed = exp(described.features["words"]) - 1
    return not stamped and changed >= max(_REWORDED_WORDS, _REWORDED_SHARE * len(passage.words))


def zone_of(passage: Passage) -> Zone:
    """Say where a passage stands.

    >>> from pagedrift.does_it_matter.changes.passages import Passage
    >>> str(zone_of(Passage(words=("home",), text="Home", parts=frozenset({"navigation"}))))
    'navigation'
    """
    if "advertisement" in passage.parts:
        return Zone.ADVERTISEMENT
    if passage.parts & {"navigation", "languages"}:
        return Zone.NAVIGATION
    if passage.parts & {"header", "footer", "overlay", "form", "button"}:
        return Zone.BOILERPLATE
    if not passage.main or passage.parts:
        return Zone.BESIDE
    return Zone.ENTRIES if passage.entry else Zone.MAIN


def _gathered(judged: list[JudgedChange]) -> list[JudgedChange]:
    """Put together what was added, or removed, in one piece: a section is one change and not one per paragraph."""
    whole = sorted(
        (each for each in judged if each.action in (ADDED, REMOVED)),
        key=lambda each: (each.action, each.passage.number),
    )
    made = [each for each in judged if each.action not in (ADDED, REMOVED)]
    for each in whole:
        last = made[-1] if made else None
        if last is not None and _continues(last, each):
            made[-1] = _joined(last, each)
        else:
            made.append(each)
    return made


def _continues(last: JudgedChange, each: JudgedChange) -> bool:
    if last.action != each.action or last.zone.value[:4] != each.zone.value[:4]:
        return False
    before = (last.new or last.old)[-1]
    return each.passage.number == before.number + 1 and not (each.passage.heading and not before.heading)


def _joined(one: JudgedChange, other: JudgedChange) -> JudgedChange:
    """Give two as one: as important and as sure as the more important of them."""
    first = max(one, other, key=lambda each: (each.level.rank, each.probability))
    facts = {
        kind: (
            (*one.facts.get(kind, _NONE)[0], *other.facts.get(kind, _NONE)[0]),
            (*one.facts.get(kind, _NONE)[1], *other.facts.get(kind, _NONE)[1]),
        )
        for kind in FactKind
        if kind in one.facts or kind in other.facts
    }
    return replace(first, old=(*one.old, *other.old), new=(*one.new, *other.new), facts=facts)


_NONE: Final[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ())
