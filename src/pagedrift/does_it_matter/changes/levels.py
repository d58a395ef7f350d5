"""The verdict on each single change: noise, minor or important, how surely, and by which evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp, log1p
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.facts import FactKind
from pagedrift.does_it_matter.changes.features import MAX_FACT_CHANGES, SHORT, describe
from pagedrift.does_it_matter.changes.noise_rules import (
    KEY_FACTS,
    NOT_ASKED,
    RESTLESS,
    is_noise,
    is_request,
    is_rotating,
    is_written_by_machine,
)
from pagedrift.does_it_matter.changes.pairing import ADDED, EDITED, RECOUNTED, REMOVED, REPLACED, PassageChange
from pagedrift.does_it_matter.model import changes_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pagedrift.does_it_matter.changes.features import ChangedFacts, DescribedChange
    from pagedrift.does_it_matter.changes.passages import Passage
    from pagedrift.does_it_matter.changes.past import Past
    from pagedrift.does_it_matter.changes.siblings import Siblings
    from pagedrift.does_it_matter.model import Model

CONTENT: Final = 1 / 3  # from here on a change counts as content: to miss one costs twice as much as a false alarm
FACT_FLOOR: Final = 0.6  # how sure at least, where a fact changed in a place that stood still
_REWORDED_WORDS: Final = 8  # an edit of so many words says something else
_REWORDED_SHARE: Final = 0.5
_NEW_WORDS: Final = 4  # shorter passages that come or go are only important as entries, headings or facts
_NO_FACTS_IN: Final = frozenset(("navigation", "overlay", "advertisement", "comments", "languages"))
_FRAME: Final = frozenset(("header", "footer", "form", "button"))
NOISE_CEILING: Final = 0.1  # how sure at most that what surely is noise is content
FRAME_FACTS: Final = frozenset((FactKind.CONTACT, FactKind.PERSON))  # in headers and footers, and without a past
_SETTLED: Final = log1p(3)  # versions in which a text stood
_SELDOM: Final = 0.2  # of the steps
_STAMP_WORDS: Final = 20  # a longer passage is not a stamp, whatever words it holds


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
    BESIDE = "next to the main content"
    NAVIGATION = "navigation"
    BOILERPLATE = "boilerplate"
    ADVERTISEMENT = "advertisement"


class ChangeReason(StrEnum):
    """Why a change has its level, as data; `report.change_reasons` makes sentences of it."""

    FACT = "fact"
    PASSAGE = "passage"
    REWRITTEN = "rewritten"
    VALUE = "value"
    PICTURE = "picture"
    FILE = "file"
    WORDING = "wording"
    STAMP = "stamp"
    COUNTER = "counter"
    MOMENT = "moment"
    RESTLESS = "restless"
    SHARED = "shared"
    REQUEST = "request"
    ZONE = "zone"
    UNLIKELY = "unlikely"


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
    reason: ChangeReason
    changed_before: int  # in how many earlier steps its place changed
    steps: int  # of so many; 0 where the past is not known
    figures: Mapping[str, float]  # what the judge knew; figures that are 0 are left out
    shared_by: int = 0  # other pages of the site that show the text; 0 where it is not part of their frame

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
        """The fact it touches that people watch for most."""
        return next((kind for kind in FactKind if kind in self.facts), None)


_HINTED: Final = {
    "counter": ChangeReason.COUNTER,
    "stamp": ChangeReason.STAMP,
    "now": ChangeReason.MOMENT,
}


def judge_changes(
    changes: Sequence[PassageChange],
    past: Past | None = None,
    model: Model | None = None,
    *,
    siblings: Siblings | None = None,
) -> tuple[JudgedChange, ...]:
    """Judge each change by itself; the most important ones come first.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.does_it_matter.changes.passages import passages
    >>> from pagedrift.does_it_matter.changes.pairing import compare
    >>> read = lambda html: passages(PageVersion("", html.encode()))
    >>> rules = "<p>A permit is needed by everybody who parks here for more than an hour, and costs {}.</p>"
    >>> page = rules + "<footer>{} visitors</footer>"
    >>> old, new = (read(page.format(*values)) for values in (("$120", 7), ("$145", 9)))
    >>> [(str(each.level), each.fact and each.fact.value) for each in judge_changes(compare(old, new))]
    [('important', 'amount of money'), ('noise', 'number')]
    """
    chosen = model or changes_model()
    ordered = sorted(changes, key=lambda change: not change.passage.main)
    judged = [
        _judged(describe(change, past, read_facts=number < MAX_FACT_CHANGES), chosen, past)
        for number, change in enumerate(ordered)
    ]
    judged = _with_headings_of_requests(judged)
    if siblings is not None:
        known = zip(ordered, judged[:MAX_FACT_CHANGES], strict=False)  # of the others no facts were looked for
        judged[:MAX_FACT_CHANGES] = [_as_frame(each, siblings.share(change)) for change, each in known]
    return tuple(sorted(_gathered(judged), key=lambda each: (-each.level.rank, _order(each))))


def _with_headings_of_requests(judged: list[JudgedChange]) -> list[JudgedChange]:
    """Take a heading, or a line that asks, for noise if it came or went with a request right after it."""
    requests = {
        (each.action, each.passage.number)
        for each in judged
        if each.level is Level.NOISE and "request whole" in each.figures
    }
    return [
        replace(
            each, level=Level.NOISE, probability=min(each.probability, NOISE_CEILING), reason=ChangeReason.REQUEST
        )
        if (each.action, each.passage.number + 1) in requests
        and not each.facts.keys() & NOT_ASKED
        and (each.passage.heading or each.passage.text.endswith("?"))
        else each
        for each in judged
    ]


def _as_frame(change: JudgedChange, shared_by: int) -> JudgedChange:
    """Take what other pages of the site show as well for part of their frame, unless a fact changed with it."""
    if not shared_by or change.facts:
        return change
    return replace(
        change,
        level=Level.NOISE,
        probability=min(change.probability, NOISE_CEILING),
        zone=Zone.BOILERPLATE,
        reason=ChangeReason.SHARED,
        shared_by=shared_by,
    )


def _order(change: JudgedChange) -> tuple[float, ...]:
    """Put facts that were exchanged first, then headings of the content, other facts, what is surest and largest.

    A heading names what is new, and the text below it only describes it, whatever facts it holds. What is new in a
    list comes before what it had to make room for.
    """
    key = any(kind in KEY_FACTS for kind in change.facts)
    exchanged = key and change.action in (EDITED, RECOUNTED)
    headed = change.passage.heading and change.zone in (Zone.MAIN, Zone.ENTRIES)
    size = sum(len(passage.words) for passage in (*change.old, *change.new))
    return (-exchanged, -headed, -(headed and bool(change.new)), -key, -round(change.probability, 1), -size)


def _judged(described: DescribedChange, model: Model, past: Past | None) -> JudgedChange:
    change = described.change
    probability = model.probability(described.features)
    if any(rule(described) for rule in (_is_surely_a_fact, _is_settled_fact, _is_notice, _is_main_picture)):
        probability = max(probability, FACT_FLOOR)
    elif is_noise(described):
        probability = min(probability, NOISE_CEILING)
    place = past.place(change.passage.slot) if past else None
    level = _level(described, probability)
    return JudgedChange(
        level=level,
        probability=probability,
        action=change.action,
        old=(change.old,) if change.old else (),
        new=(change.new,) if change.new else (),
        facts=described.facts,
        zone=zone_of(change.passage),
        reason=_noise_reason(described) if level is Level.NOISE else _content_reason(described, level),
        changed_before=place.changed if place else 0,
        steps=past.steps if past else 0,
        figures={name: round(value, 4) for name, value in described.features.items() if value},
    )


def _noise_reason(described: DescribedChange) -> ChangeReason:
    """Say what speaks most for noise."""
    of = described.features
    if of["slot changed"] >= RESTLESS or is_rotating(described):
        return ChangeReason.RESTLESS
    if of["moment"]:
        return ChangeReason.MOMENT
    if is_written_by_machine(described):
        return ChangeReason.STAMP
    if is_request(described):
        return ChangeReason.REQUEST
    for hint, reason in _HINTED.items():
        if hint in described.hints:
            return reason
    zone = zone_of(described.change.passage)
    return ChangeReason.UNLIKELY if zone in (Zone.MAIN, Zone.ENTRIES) else ChangeReason.ZONE


def _content_reason(described: DescribedChange, level: Level) -> ChangeReason:
    """Say what speaks most for content."""
    change, kind = described.change, described.change.passage.kind
    if level is Level.MINOR:
        return ChangeReason.STAMP if "stamp" in described.hints else ChangeReason.WORDING
    if kind != "text":
        return ChangeReason.FILE if kind == "file" else ChangeReason.PICTURE
    in_place = change.action in (EDITED, RECOUNTED)
    if described.facts and (in_place or change.action == REPLACED):
        return ChangeReason.FACT
    if not in_place:
        return ChangeReason.PASSAGE
    return ChangeReason.VALUE if len(change.passage.words) < SHORT else ChangeReason.REWRITTEN


def _is_surely_a_fact(described: DescribedChange) -> bool:
    """Say whether a fact was exchanged where pages state facts, in a text that stood still as long as it is known.

    A name or a contact counts without a past too: no page counts those up. So does a fact in a closed part of the
    main content, which pages hide from view and not from readers.
    """
    of, change = described.features, described.change
    passage = change.passage
    kinds = described.facts.keys() & (FRAME_FACTS if passage.parts & _FRAME else KEY_FACTS)
    exchanged = change.action in (EDITED, RECOUNTED) or (
        change.action == REPLACED
        and (FactKind.PERSON in kinds or (FactKind.STATUS in kinds and len(passage.words) < SHORT))
    )
    return bool(
        kinds
        and exchanged
        and not of["seen before"]
        and not {"counter", "stamp", "now", "besides"} & described.hints
        and not of["clock"]
        and not passage.parts & _NO_FACTS_IN
        and passage.linked <= 0.5  # noqa: PLR2004 - half
        and (of["always stood"] or of["hidden in main"] or (kinds & FRAME_FACTS and not of["past"]))
    )


def _is_settled_fact(described: DescribedChange) -> bool:
    """Say whether a fact that stood for some versions was exchanged in the main content, where little changes.

    It may be back at what it was before: a price that is lowered again is news, too.
    """
    of, passage = described.features, described.change.passage
    return bool(
        described.facts.keys() & KEY_FACTS
        and of["hard fact edited in main"]
        and not passage.parts
        and not {"counter", "stamp", "now", "besides"} & described.hints
        and of["stood"] >= _SETTLED
        and max(of["slot changed"], of["pattern changed"]) <= _SELDOM
    )


def _is_notice(described: DescribedChange) -> bool:
    """Say whether a text above the title that always stood gave way to another one, and a fact with it.

    “Good service on all lines” says so for months, until a line is closed.
    """
    change, passage = described.change, described.change.passage
    return bool(
        change.action == REPLACED
        and described.facts
        and described.features["always stood"]
        and any(each.above_title for each in (change.old, change.new) if each is not None)
        and passage.linked <= 0.5  # noqa: PLR2004 - half
        and len(passage.words) >= _NEW_WORDS
        and not passage.parts & _NO_FACTS_IN
        and not {"counter", "stamp", "besides", "call", "request", "advert"} & described.hints
    )


def _is_main_picture(described: DescribedChange) -> bool:
    """Say whether the picture at the title of a page, one that says what it shows, was replaced by another one."""
    of = described.features
    return bool(
        of["described picture"]
        and of["near title"]
        and of[REPLACED]
        and not of["in a part"]
        and not of["hint besides"]
        and (of["always stood"] or not of["past"])
    )


def _level(described: DescribedChange, probability: float) -> Level:
    if probability < CONTENT:
        return Level.NOISE
    return Level.IMPORTANT if _says_something_else(described) else Level.MINOR


def _says_something_else(described: DescribedChange) -> bool:
    """Separate a change of what a page says from one of how it says it."""
    change, passage = described.change, described.change.passage
    in_place = change.action in (EDITED, RECOUNTED)
    stamped = in_place and "stamp" in described.hints and len(passage.words) < _STAMP_WORDS
    if stamped:
        return False
    if any(kind is not FactKind.OBLIGATION or change.action == EDITED for kind in described.facts):
        return True
    if not in_place:
        return passage.kind != "text" or passage.heading or passage.entry or len(passage.words) >= _NEW_WORDS
    changed = exp(described.features["words"]) - 1
    return len(passage.words) < SHORT or changed >= max(_REWORDED_WORDS, _REWORDED_SHARE * len(passage.words))


def single_changes(found: Iterable[JudgedChange]) -> Iterator[PassageChange]:
    """Take changes apart again into those of single passages, as a past remembers them."""
    for change in found:
        if change.old and change.new:
            yield PassageChange(change.action, change.old[0], change.new[0])
        else:
            yield from (PassageChange(change.action, passage, None) for passage in change.old)
            yield from (PassageChange(change.action, None, passage) for passage in change.new)


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
