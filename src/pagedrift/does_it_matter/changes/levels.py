"""The verdict on each single change: noise, minor or important, how surely, and by which evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.fact_rules import NEW_WORDS, is_fact
from pagedrift.does_it_matter.changes.facts import FactKind, obligations, read
from pagedrift.does_it_matter.changes.features import MAX_FACT_CHANGES, SHORT, describe, negated_words
from pagedrift.does_it_matter.changes.noise_rules import (
    KEY_FACTS,
    NOT_ASKED,
    RESTLESS,
    is_countdown_or_ticker,
    is_noise,
    is_request,
    is_rotating,
    is_written_by_machine,
)
from pagedrift.does_it_matter.changes.pairing import ADDED, EDITED, RECOUNTED, REMOVED, REPLACED, PassageChange
from pagedrift.does_it_matter.changes.rewording import (
    has_piece_cut,
    is_corrected,
    is_rephrased,
    names_differ,
    words_exchanged,
)
from pagedrift.does_it_matter.model import changes_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pagedrift.does_it_matter.changes.features import ChangedFacts, DescribedChange
    from pagedrift.does_it_matter.changes.passages import Passage
    from pagedrift.does_it_matter.changes.past import Past
    from pagedrift.does_it_matter.changes.siblings import Siblings
    from pagedrift.does_it_matter.model import Model

CONTENT: Final = 0.4  # from here on a change counts as content: missing one costs more than a false alarm
FACT_FLOOR: Final = 0.6  # how sure at least, where a fact changed in a place that stood still
_REWORDED_WORDS: Final = 8  # an edit of so many words says something else
_REWORDED_SHARE: Final = 0.5
_REPHRASED_SHARE: Final = 0.3  # of the words of both sides; in a smaller edit each word counts
NOISE_CEILING: Final = 0.1  # how sure at most that what surely is noise is content
_SHARE: Final = re.compile(r"\d+(?:[.,]\d+)?")
_ROUNDED: Final = 0.5  # by how much each share may be off
_LEAST_OF_POLL: Final = 50  # percent that answers with other shares make together; rates of interest make less
_NEVER_STAMPED: Final = frozenset((FactKind.MONEY, FactKind.STATUS, FactKind.CONTACT, FactKind.PERSON))
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
    judged = _with_shares_of_polls(_with_values_of_others(_with_headings_of_requests(judged)))
    judged = _with_headings_of_news(judged)
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


def _with_values_of_others(judged: list[JudgedChange]) -> list[JudgedChange]:
    """Take values for as little important as the names above them that changed, too: they are those of others.

    Where other products are recommended next to the main content, no price was changed. These are links, or stand
    below a heading like “Related”; a single one may be a slogan above a price.
    """
    names = {
        each.passage.number + 1: each
        for each in judged
        if each.new
        and each.action in (ADDED, REPLACED)
        and each.zone is Zone.BESIDE
        and each.passage.kind == "text"
        and len(each.passage.words) < SHORT
        and not each.facts
        and (each.passage.linked or "hint besides" in each.figures)
    }
    values = {
        number: names[each.passage.number]
        for number, each in enumerate(judged)
        if each.action == RECOUNTED
        and each.zone is Zone.BESIDE
        and FactKind.CONTACT not in each.facts
        and len(each.passage.words) < SHORT
        and each.passage.number in names
    }
    made = list(judged)
    for number, name in values.items() if len(values) > 1 else ():
        if name.level.rank < made[number].level.rank:
            made[number] = replace(made[number], level=name.level, probability=name.probability, reason=name.reason)
    return made


def _with_shares_of_polls(judged: list[JudgedChange]) -> list[JudgedChange]:
    """Take shares next to the main content for noise if they changed and make as much together as before.

    So do the answers of a poll, of which each visitor gives one.
    """
    shares = {
        number: [_number(side) for side in each.facts[FactKind.PERCENTAGE]]
        for number, each in enumerate(judged)
        if each.action == RECOUNTED
        and each.zone is Zone.BESIDE
        and each.facts.keys() <= {FactKind.PERCENTAGE, FactKind.NUMBER, FactKind.QUANTITY}
        and FactKind.PERCENTAGE in each.facts
    }
    before, after = (sum(sides[at] for sides in shares.values()) for at in (0, 1))
    whole = all(_LEAST_OF_POLL <= side <= 100 + _ROUNDED * len(shares) for side in (before, after))
    if len(shares) < 2 or not whole or abs(before - after) > _ROUNDED * len(shares):  # noqa: PLR2004 - one is a fact
        return judged
    return [
        replace(
            each, level=Level.NOISE, probability=min(each.probability, NOISE_CEILING), reason=ChangeReason.COUNTER
        )
        if number in shares
        else each
        for number, each in enumerate(judged)
    ]


def _number(values: tuple[str, ...]) -> float:
    """Add up shares as they are written: “61 %”, “4,5%”."""
    found = (_SHARE.search(each) for each in values)
    return sum(float(each[0].replace(",", ".")) for each in found if each)


def _with_headings_of_news(judged: list[JudgedChange]) -> list[JudgedChange]:
    """Take a heading that changed for as important as what changed right after it: together they are an article."""
    after = {(bool(each.new), each.passage.number - 1): each for each in judged if each.passage.kind == "text"}
    made = []
    for each in judged:
        text = after.get((bool(each.new), each.passage.number)) if each.passage.heading else None
        if text is not None and text.level.rank > each.level.rank:
            sure = max(each.probability, text.probability)
            reason = ChangeReason.PASSAGE if text.level is Level.IMPORTANT else ChangeReason.WORDING
            made.append(replace(each, level=text.level, probability=sure, reason=reason))
        else:
            made.append(each)
    return made


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
    fleeting = is_countdown_or_ticker(described)
    if not fleeting and is_fact(described):
        probability = max(probability, FACT_FLOOR)
    elif fleeting or is_noise(described):
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
    if of["moment"] or is_countdown_or_ticker(described):
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
    if kind != "text" and FactKind.CONTACT not in described.facts:
        return ChangeReason.FILE if kind == "file" else ChangeReason.PICTURE
    in_place = change.action in (EDITED, RECOUNTED)
    if described.facts and (in_place or change.action == REPLACED):
        return ChangeReason.FACT
    if not in_place:
        return ChangeReason.PASSAGE
    return ChangeReason.VALUE if len(change.passage.words) < SHORT else ChangeReason.REWRITTEN


def _level(described: DescribedChange, probability: float) -> Level:
    if probability < CONTENT:
        return Level.NOISE
    return Level.IMPORTANT if _says_something_else(described) else Level.MINOR


def _says_something_else(described: DescribedChange) -> bool:
    """Separate a change of what a page says from one of how it says it."""
    change, passage = described.change, described.change.passage
    in_place = change.action in (EDITED, RECOUNTED)
    dated = described.facts.keys().isdisjoint(_NEVER_STAMPED)
    stamped = in_place and dated and "stamp" in described.hints and len(passage.words) < _STAMP_WORDS
    if stamped or _is_rephrased_rule(described):
        return False
    if any(kind is not FactKind.OBLIGATION or change.action == EDITED for kind in described.facts):
        return True
    if change.old and change.new and (_has_news(change.old, change.new) or _is_word_exchanged(described)):
        return True
    if _is_reworded(described):
        return False
    if not in_place:
        lone = passage.heading or passage.entry or (change.action == REPLACED and (passage.value or passage.main))
        return passage.kind != "text" or lone or len(passage.words) >= NEW_WORDS
    changed = exp(described.features["words"]) - 1
    many = changed >= max(_REWORDED_WORDS, _REWORDED_SHARE * len(passage.words))
    return many or passage.heading or len(passage.words) < SHORT


def _has_news(old: Passage, new: Passage) -> bool:
    """Say whether a long text names something else, or has a piece more or less."""
    long = min(len(old.words), len(new.words)) >= SHORT
    return has_piece_cut(old.words, new.words) or (long and names_differ(old.text, new.text))


def _is_word_exchanged(described: DescribedChange) -> bool:
    """Say whether a text has a few other words, or the same around other numbers, and none is spelled otherwise."""
    old, new = described.change.old, described.change.new
    if described.change.action != EDITED or old is None or new is None or is_corrected(old.words, new.words):
        return False
    return words_exchanged(old.words, new.words) or (
        not described.features["shuffled"] and sorted(old.words) == sorted(new.words) and old.words != new.words
    )


def _is_reworded(described: DescribedChange) -> bool:
    """Say whether a text that touches no fact says the same in other words, or with another spelling."""
    old, new = described.change.old, described.change.new
    if described.facts or old is None or new is None or old.kind != "text":
        return False
    if is_corrected(old.words, new.words):
        return True
    if min(len(old.words), len(new.words)) < SHORT or not is_rephrased(old.text, new.text):
        return False
    return list(read(old.text).facts) == list(read(new.text).facts)  # “open” and “closed” may have changed places


def _is_rephrased_rule(described: DescribedChange) -> bool:
    """Say whether a text was rephrased on the whole, and forbids and demands as often as before."""
    old, new = described.change.old, described.change.new
    if described.facts.keys() != {FactKind.OBLIGATION} or old is None or new is None:
        return False
    if negated_words(described.change):
        return False
    changed = exp(described.features["words"]) - 1
    if changed < _REPHRASED_SHARE * (len(old.words) + len(new.words)):
        return False
    return is_rephrased(old.text, new.text) and obligations(old.text) == obligations(new.text)


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
