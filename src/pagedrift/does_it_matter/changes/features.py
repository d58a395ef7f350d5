"""The figures about one change by which the judge decides: where it stands, what it says, how the place behaved."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product
from math import log1p
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.fact_words import LEADING_ON, SHARING
from pagedrift.does_it_matter.changes.facts import HINTS, NOTHING_READ, FactKind, changed_facts, read
from pagedrift.does_it_matter.changes.moments import is_moment
from pagedrift.does_it_matter.changes.pairing import ADDED, EDITED, RECOUNTED, REMOVED, REPLACED, PassageChange
from pagedrift.does_it_matter.changes.past import identities
from pagedrift.does_it_matter.changes.pieces import CONTACT_WORD
from pagedrift.does_it_matter.changes.rewording import is_negated
from pagedrift.does_it_matter.changes.surroundings import PARTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.does_it_matter.changes.past import Past

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
MAX_HEADING_WORDS: Final = 5  # longer ones belong to the text
MAX_HINTED_WORDS: Final = 30  # in a longer text words like “visitor” or “now” are those of its sentences
_OF_LINES: Final = frozenset(("counter", "now", "call", "request", "stamp"))
_MARKS: Final = ".,;:()[]–—-·|"
_FULL_NAME: Final = re.compile(
    r"(?:[^\W\d_][.’']\s)?[^\W\d_a-zà-öø-ÿа-я][\w’'-]+(?:\s(?:de|von|van|der|den|di|da|la|al|el|bin|of))*"
    r"(?:\s[^\W\d_a-zà-öø-ÿа-я][\w’'.-]*){1,2}"
)
_MAX_ADDRESS_WORDS: Final = 2  # by which a person is addressed
_MAX_NEGATED: Final = 12  # words among which one is looked for that says the opposite now
_CLOCK: Final = re.compile(r"\d:\d\d:\d\d")
_BIG_NUMBER: Final = re.compile(r"\d{1,3}(?:[,.  ’']\d{3}){1,4}|\d{3,15}")
_DESCRIBED: Final = 3  # words that say what a picture shows
_SEPARATORS: Final = re.compile(r"\D")
_NONE_LEFT: Final = re.compile(r"0\b(?![.,]\d)")
_LABEL: Final = 12  # words: a line by itself
SHORT: Final = 8  # words: a label, a value, a line of a list
_GROWTH: Final = 1.03  # a large number that grew by less was counted up
_YEARS: Final = range(1900, 2100)
_MOST_COUNTED: Final = 10**8  # more digits are those of a telephone
_LINE_OF_LINKS: Final = 0.5  # of its words
_QUOTES: Final = '“"«„‘「『‹'
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
        before, after = (read(each.text) if each else NOTHING_READ for each in (old, new))
        facts = negated_words(change) | changed_facts(before.facts, after.facts) | exchanged_names(change)
        told = (after.hints if new else before.hints) - {"besides"}
        if len(passage.words) >= MAX_HINTED_WORDS:
            told -= _OF_LINES
        if change.action == RECOUNTED and "counter" not in told:
            facts |= _emptied(facts)
        told |= _hints_of_heading(passage.under)
    elif passage.kind == "file":
        kind = FactKind.CONTACT if passage.words[0].startswith(CONTACT_WORD) else FactKind.FILE
        facts = {kind: ((old.text,) if old else (), (new.text,) if new else ())}
    figures = _where(change) | _what(change, facts, told) | _before(change, past)
    return DescribedChange(change, facts, told, figures | _together(figures))


@lru_cache(maxsize=1_000)
def _hints_of_heading(text: str) -> frozenset[str]:
    """Say whether a short heading announces what a page shows at one time only, or besides its content."""
    return read(text).hints & {"now", "besides"} if text and len(text.split()) <= MAX_HEADING_WORDS else frozenset()


def _emptied(facts: ChangedFacts) -> ChangedFacts:
    """Take a number that became none, or some again, for a state: no places left, out of stock."""
    for kind in (FactKind.NUMBER, FactKind.QUANTITY):
        gone, come = facts.get(kind, ((), ()))
        if any(_NONE_LEFT.match(each) for each in gone) != any(_NONE_LEFT.match(each) for each in come):
            return {FactKind.STATUS: (gone, come)}
    return {}


def exchanged_names(change: PassageChange) -> ChangedFacts:
    """Find a name that another one stands for now: both of two or three capitalised words, and all else the same.

    Or all of the text is a name, below a heading that names a person, such as “Data protection officer”.

    >>> from pagedrift.does_it_matter.changes.passages import Passage
    >>> sides = (f"Call {name}, who keeps the list" for name in ("Anneke de Boer", "Rob Hendriks"))
    >>> old, new = (Passage(words=tuple(text.lower().split()), text=text) for text in sides)
    >>> exchanged_names(PassageChange(EDITED, old, new))
    {<FactKind.PERSON: 'person or role'>: (('anneke de boer',), ('rob hendriks',))}
    """
    if change.old is None or change.new is None or change.new.linked > 0.5:  # noqa: PLR2004 - half
        return {}
    if change.action != EDITED and not (change.action == REPLACED and _names_persons(change.passage.under)):
        return {}
    sides = _difference(change.old.text.split(), change.new.text.split())
    if set(map(str.lower, sides[0])) & set(map(str.lower, sides[1])):
        return {}
    names = [_name_in(side) for side in sides]
    return {FactKind.PERSON: ((names[0],), (names[1],))} if all(names) else {}


@lru_cache(maxsize=1_000)
def _names_persons(heading: str) -> bool:
    return bool(heading) and "role" in read(heading).hints


def negated_words(change: PassageChange) -> ChangedFacts:
    """Find a word in whose place its opposite stands now.

    >>> from pagedrift.does_it_matter.changes.passages import Passage
    >>> sides = (f"Tickets are {word} in all cases" for word in ("refundable", "non-refundable"))
    >>> old, new = (Passage(words=tuple(text.lower().split()), text=text) for text in sides)
    >>> negated_words(PassageChange(EDITED, old, new))
    {<FactKind.OBLIGATION: 'negation or obligation'>: (('refundable',), ('non-refundable',))}
    """
    if change.old is None or change.new is None:
        return {}
    sides = [set(side) for side in _difference(list(change.old.words), list(change.new.words))]
    gone, come = sides[0] - sides[1], sides[1] - sides[0]
    if max(len(gone), len(come)) > _MAX_NEGATED:  # all is new
        return {}
    for one, other in product(sorted(gone), sorted(come)):
        if is_negated(one, other):
            return {FactKind.OBLIGATION: ((one,), (other,))}
    return {}


def _name_in(words: list[str]) -> str:
    """Give the name that a few words are, but for how a person is addressed, as in “pan Karel Dvořák”."""
    for start in range(min(len(words) - 1, _MAX_ADDRESS_WORDS + 1)):
        name = " ".join(words[start:]).strip(_MARKS)
        if _FULL_NAME.fullmatch(name) and (start == 0 or words[start - 1].islower()):
            return name.lower()
    return ""


def differs_by_label(change: PassageChange) -> bool:
    """Say whether all that an edit adds to the end of a text, or takes from it, leads on, such as “Read more”.

    Or whether all that came or went is a button that shares the page.

    >>> from pagedrift.does_it_matter.changes.passages import Passage
    >>> sides = ("20 May · For parents", "20 May · For parents Read more »")
    >>> old, new = (Passage(words=tuple(text.lower().split()), text=text) for text in sides)
    >>> differs_by_label(PassageChange(EDITED, old, new))
    True
    """
    if change.old is None or change.new is None:
        return " ".join(_bare(tuple(change.passage.text.lower().split()))) in SHARING
    if change.action != EDITED:
        return False
    short, long = sorted((change.old.text.lower().split(), change.new.text.lower().split()), key=len)
    return long[: len(short)] == short and " ".join(_bare(tuple(long[len(short) :]))) in LEADING_ON


def _difference(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Give what is left of two texts without their common beginning and end."""
    start = 0
    for mine, yours in zip(old, new, strict=False):
        if mine != yours:
            break
        start += 1
    end = 0
    for mine, yours in zip(reversed(old[start:]), reversed(new[start:]), strict=False):
        if mine != yours:
            break
        end += 1
    return old[start : len(old) - end], new[start : len(new) - end]


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
        "hidden": float(passage.hidden),
        "near title": float(passage.near_title),
        "links above title": float(passage.above_title and max(each.linked for each in sides) >= _LINE_OF_LINKS),
        "by machine": float(passage.by_machine),
        "value": float(passage.value),
        "described picture": float(
            passage.kind == "picture" and max(len(each.text.split()) for each in sides) >= _DESCRIBED
        ),
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
        "clock": float(_CLOCK.search(change.passage.text) is not None),
        "quoted": float(change.passage.text[:1] in _QUOTES),
        "counted up": float(change.action in (EDITED, RECOUNTED) and _is_counted_up(change, "counter" in told)),
        "moment": float(_is_moment(change, facts)),
        "shuffled": float(change.action in (EDITED, REPLACED) and _is_shuffled(_bare(old), _bare(new))),
        "short": float(length < SHORT),
        "label": float(length < _LABEL),
    }


def _is_moment(change: PassageChange, facts: ChangedFacts) -> bool:
    sides = change.old, change.new
    return is_moment(facts, *(each.captured_at if each else None for each in sides))


def _is_shuffled(old: list[str], new: list[str]) -> bool:
    """Say whether two texts are made of the same words, and what belongs to each number moved with it."""
    if sorted(old) != sorted(new):
        return False
    numbers = [[word for word in side if any(map(str.isdigit, word))] for side in (old, new)]
    if len(numbers[0]) < 2:  # noqa: PLR2004 - with one, all that can move is the rest
        return True
    before, after = (sorted(pair for pair in pairwise(side) if pair[1] in numbers[0]) for side in (old, new))
    return numbers[0] != numbers[1] and before == after


def _bare(words: tuple[str, ...]) -> list[str]:
    """Give words without the marks around them."""
    return [bare for word in words if (bare := word.strip(_MARKS))]


def _is_counted_up(change: PassageChange, called_counter: bool) -> bool:
    """Say whether a large number grew by little, as counters do; prices change by more, or to round ones."""
    sides = [
        [_SEPARATORS.sub("", each) for each in _BIG_NUMBER.findall(side.text if side else "")]
        for side in (change.old, change.new)
    ]
    if len(sides[0]) != len(sides[1]):
        return False
    moved = [(int(old), int(new)) for old, new in zip(*sides, strict=True) if old != new]
    if not called_counter and all(each in _YEARS for pair in moved for each in pair):
        return False
    return bool(moved) and all(
        old < new < min(old * _GROWTH, _MOST_COUNTED) and (called_counter or new % 10) for old, new in moved
    )


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
            "always stood": 0.0,
            "returned": 0.0,
            "pattern changed": 0.0,
            "section changed": 0.0,
        }
    steps = past.steps
    place, slot, pattern, section = map(past.place, identities(change.passage))
    stood = past.stood(change.old) if change.old else 0
    return {
        "past": 1.0,
        "place changed": place.changed / (steps + 2),
        "slot changed": slot.changed / (steps + 2),
        "slot recounted": slot.recounted / (steps + 2),
        "seen before": float(change.new is not None and past.seen(change.new)),
        "stood": log1p(stood) if change.old else 0.0,
        "fresh": float(change.old is not None and past.versions > 1 and stood <= 1),
        "always stood": float(change.old is not None and stood >= past.versions > 2),  # noqa: PLR2004 - a few
        "returned": float(change.old is not None and past.returned(change.old)),
        "pattern changed": pattern.changed / (steps + 2),
        "section changed": section.changed / (steps + 2),
    }


def _together(of: Mapping[str, float]) -> dict[str, float]:
    """Put figures together that mean more than each of them."""
    hard = max(of[FACTS[kind]] for kind in HARD)
    places = _places_together(of)
    return {"hard fact": hard} | _facts_together(of, hard) | places | _past_together({**of, **places}, hard)


def _facts_together(of: Mapping[str, float], hard: float) -> dict[str, float]:
    """Say how facts changed, and where."""
    soft = max(of[FACTS[kind]] for kind in FactKind if kind not in HARD)
    main, part, in_place = of["in main"], of["in a part"], of[EDITED] + of[RECOUNTED]
    stamp = max(of["hint counter"], of["hint stamp"], of["counted up"])
    return {
        "hard fact edited": hard * in_place,
        "hard fact edited in a part": hard * in_place * part,
        "hard fact edited in main": hard * in_place * main,
        "hard fact in a part": hard * part,
        "hard fact in main": hard * main,
        "soft fact outside": soft * (1 - hard) * (1 - main),
        "count": of[RECOUNTED] * stamp,
        "count edited": in_place * stamp * (1 - hard) * of["text"],
        "counted up alone": of["counted up"] * (1 - hard),
        "hard fact replaced": hard * of[REPLACED],
        "hard fact replaced short": hard * of[REPLACED] * of["short"],
        "hard fact entry in main": hard * main * of["entry"],
        "hard fact besides": hard * of["hint besides"],
        "hard fact besides whole": hard * of["hint besides"] * (1 - in_place),
        "hard fact besides outside": hard * of["hint besides"] * (1 - main),
        "by machine hard fact": of["by machine"] * hard * (1 - in_place),
        "now without fact": of["hint now"] * (1 - hard),
    }


def _places_together(of: Mapping[str, float]) -> dict[str, float]:
    """Say what was done where, whatever it says."""
    main, part, in_place = of["in main"], of["in a part"], of[EDITED] + of[RECOUNTED]
    whole, outside, apart = 1 - in_place, 1 - main, 1 - part
    return {
        "prose in main": of["prose"] * main,
        "part in main": part * main,
        "edited in main": of[EDITED] * main,
        "short edited in main": of["short"] * of[EDITED] * main,
        "entry gone in main": of["entry"] * main * (of[ADDED] + of[REMOVED]),
        "stamp edited in main": main * of["hint stamp"] * in_place,
        "hidden in main": of["hidden"] * main,
        "hidden in no part": of["hidden"] * apart,
        "linked outside": of["linked"] * outside,
        "linked whole": of["linked"] * whole,
        "linked edited in main": of["linked"] * of[EDITED] * main,
        "prose outside": of["prose"] * outside * apart,
        "prose edited outside": of["prose"] * outside * in_place,
        "besides outside": of["hint besides"] * outside,
        "besides whole": of["hint besides"] * whole,
        "by machine outside": of["by machine"] * outside,
        "moment in main": of["moment"] * main,
        "now whole": of["hint now"] * whole,
        "now short": of["hint now"] * of["short"],
        "quoted whole": of["quoted"] * whole,
        "call whole": of["hint call"] * whole,
        "request whole": of["hint request"] * whole,
        "advertised whole": of["in advertisement"] * whole,
        "picture in main": of["picture"] * main,
        "picture in no part": of["picture"] * apart,
        "picture near title": of["picture"] * of["near title"],
        "picture near title in no part": of["picture"] * of["near title"] * apart,
        "described picture in no part": of["described picture"] * apart,
        "described picture replaced": of["described picture"] * of[REPLACED],
        "value exchanged": of["value"] * of["short"] * (in_place + of[REPLACED]) * main * apart,
        "notice whole": of["in notice"] * whole,
    }


def _past_together(of: Mapping[str, float], hard: float) -> dict[str, float]:
    """Say what changed where it never did, and where it always does."""
    main, part, in_place = of["in main"], of["in a part"], of[EDITED] + of[RECOUNTED]
    quiet = of["past"] * (of["place changed"] == 0)
    busy, pattern = (min(1.0, 2 * of[name]) for name in ("slot changed", "pattern changed"))
    section = min(1.0, 2 * of["section changed"]) * (1 - of["always stood"])
    rotates = max(of["seen before"] * (1 - of[REMOVED]), of["returned"] * (1 - of[ADDED]))
    return {
        "busy": busy,
        "busy hard fact": busy * hard,
        "busy pattern": pattern,
        "busy pattern hard fact": pattern * hard,
        "busy section": section,
        "busy section whole": section * (1 - in_place),
        "busy section hard fact": section * hard,
        "rotates": rotates,
        "rotates hard fact": rotates * hard,
        "rotates whole": rotates * (1 - in_place),
        "quiet": quiet,
        "quiet hard fact": quiet * hard,
        "quiet stamp": quiet * of["hint stamp"] * in_place,
        "quiet in main": quiet * main,
        "quiet picture": quiet * of["picture"] * (1 - part),
        "still pattern": of["always stood"] * (pattern == 0) * of[RECOUNTED],
        "always hard fact": of["always stood"] * hard * in_place,
        "always in main": of["always stood"] * main,
        "always replaced": of["always stood"] * of[REPLACED],
        "always picture": of["always stood"] * of["picture"] * (1 - part),
        "always value": of["always stood"] * of["value exchanged"],
        "always notice": of["always stood"] * of["in notice"],
    }
