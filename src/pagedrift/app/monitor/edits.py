"""Edits of a change, each with its own verdict: by the judge, by what the user selected, and by feedback."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pagedrift.app.model.change import JudgedEdit
from pagedrift.app.model.lessons import key_facts, lesson_about
from pagedrift.app.monitor.excerpts import MAX_WHOLE_BYTES
from pagedrift.documents.comparable import readable
from pagedrift.does_it_matter.changes import Level, Past, Zone
from pagedrift.does_it_matter.changes.facts import FactKind
from pagedrift.does_it_matter.changes.levels import FACT_FLOOR, ChangeReason, judge_changes
from pagedrift.does_it_matter.changes.pairing import ADDED, REMOVED, REPLACED, compare
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.picture_contents import with_pictures
from pagedrift.report import headlines, reasons
from pagedrift.report.change_reasons import change_reason
from pagedrift.text import around_difference, shorten

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pagedrift.app.model.change import ChangedBlock
    from pagedrift.app.model.lessons import Lesson
    from pagedrift.app.monitor.filters import ChangeFilter
    from pagedrift.does_it_matter.changes import JudgedChange, Siblings
    from pagedrift.does_it_matter.changes.pairing import PassageChange
    from pagedrift.does_it_matter.model import Model
    from pagedrift.page import PageVersion

SELECTED: Final = "selected"  # why something is content that the user selected
MAX_EDITS: Final = 40  # of one change that are kept
MAX_FIGURED: Final = 20  # of which also what the judge knew is kept
MAX_TEXT_CHARS: Final = 500  # of a text
MAX_VALUES: Final = 5  # of one kind of fact
MAX_VALUE_CHARS: Final = 80
MAX_VALUE_WORDS: Final = 2  # of a text that is nothing but a value, such as a cell of a table
KNOWN_STEPS: Final = 4  # of its past, after which it is known how often a place changes
RESTLESS: Final = 0.5  # of these steps: a place that changed in more of them changes by itself
_COUNTED: Final = frozenset(("hint counter", "hint stamp", "hint advert"))  # figures of what pages count and stamp
_STAMPS: Final = frozenset((FactKind.DATE, FactKind.TIME, FactKind.NUMBER))  # of which most say when, not what
_MIN_SHARED_CHARS: Final = 3  # a shorter text may stand anywhere
_TARGETS: Final = {"picture": "image", "file": "link"}  # as rules name them


@dataclass(frozen=True, slots=True, kw_only=True)
class EditEvidence:
    """What the edits of a page are judged by, besides its two versions."""

    past: Past | None = None
    siblings: Siblings | None = None  # other pages of its host that are watched
    model: Model | None = None  # of this installation, where it learned one that is at least as good as ours
    lessons: tuple[Lesson, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundEdits:
    """The edits between two versions: as they are stored, as the judge gave them, and as the past takes them up."""

    edits: tuple[JudgedEdit, ...]
    judged: tuple[JudgedChange, ...]  # of all of them, in the same order
    steps: tuple[PassageChange, ...]

    @property
    def headline(self) -> str:
        """All of it in one line."""
        return headlines.headline(self.judged)

    @property
    def level(self) -> str:
        """The level of the most important one."""
        return str(self.judged[0].level) if self.judged else str(Level.NOISE)

    @property
    def probability(self) -> float:
        """How sure it is that this is a change of content: as sure as of the surest of the most important edits."""
        return max((each.probability for each in self.judged if str(each.level) == self.level), default=0.0)

    @property
    def more(self) -> dict[str, int]:
        """How many more there are than are kept, by level."""
        left = [str(each.level) for each in self.judged[MAX_EDITS:]]
        return {level: left.count(level) for level in dict.fromkeys(left)}


def find_edits(
    pages: tuple[PageVersion, PageVersion],
    change_filter: ChangeFilter,
    by: EditEvidence,
    blocks: Sequence[ChangedBlock],
) -> FoundEdits:
    """Judge the edits between two versions, in what a watch looks at."""
    steps = _steps(pages, change_filter)
    judged = [each for each in _judged(steps, by) if not _is_ignored(each, change_filter.kinds)]
    if change_filter.without or change_filter.texts:
        wider = replace(change_filter, without=(), texts=())
        left = {each.text for page in pages for each in passages(change_filter.reduced(page))}
        judged = _as_high_as(judged, _judged(_steps(pages, wider), by), left)
    judged = [_selected(each) if change_filter.only else _never_silent(each) for each in judged]
    edits = [(_taught(_edit(each, blocks), by.lessons), each) for each in judged]
    if change_filter.only:
        edits = [(replace(edit, reason=SELECTED, because=reasons.SELECTED), each) for edit, each in edits]
    ordered = sorted(edits, key=lambda pair: (-Level(pair[0].level).rank, _order(pair[0])))
    return FoundEdits(
        tuple(_kept(edit, number) for number, (edit, _) in enumerate(ordered[:MAX_EDITS])),
        tuple(replace(each, level=Level(edit.level)) for edit, each in ordered),
        tuple(steps),
    )


def _order(edit: JudgedEdit) -> int:
    """Put a key fact that has another value first, in the order in which people ask for them; dates come last."""
    exchanged = [kind for kind in key_facts(edit.facts) if all(edit.facts[kind])]
    if exchanged:
        return list(FactKind).index(FactKind(exchanged[0]))
    return len(FactKind) + (bool(edit.facts) and _STAMPS.issuperset(edit.facts))


def past_after(by: EditEvidence, found: FoundEdits | None, *, still: int = 0) -> Past:
    """Give the past of a page once a version has come; before it, the page stood still for a number of days."""
    past = by.past or Past()
    return replace(past, versions=past.versions + still).after(found.steps if found else ())


def past_of(versions: Iterable[tuple[PageVersion | None, int]], change_filter: ChangeFilter) -> Past:
    """Work the past of a page out from its versions, the oldest first, and the days it stood still before each.

    What is lost, large or no text teaches nothing.
    """
    past, before = Past().after(()), None
    for version, still in versions:
        page = readable(version) if version is not None and len(version.body) <= MAX_WHOLE_BYTES else None
        if page is None:
            continue
        after = passages(change_filter.reduced(page))
        if before is not None:
            past = replace(past, versions=past.versions + still).after(compare(before, after))
        before = after
    return past


def _steps(pages: tuple[PageVersion, PageVersion], change_filter: ChangeFilter) -> list[PassageChange]:
    old, new = (change_filter.reduced(page) for page in pages)
    read = passages(old), passages(new)
    return with_pictures(compare(*read), (old, new), read)


def _judged(steps: Sequence[PassageChange], by: EditEvidence) -> list[JudgedChange]:
    """Judge by what this installation learned; a key fact counts as much as it does for others, at least."""
    ours = judge_changes(steps, by.past, siblings=by.siblings)
    if by.model is None:
        return list(ours)
    known = {_name(each): each for each in ours}
    return [
        max(each, known[_name(each)], key=lambda one: (one.level.rank, one.probability))
        if key_facts(each.facts)
        else each
        for each in judge_changes(steps, by.past, by.model, siblings=by.siblings)
    ]


def _name(change: JudgedChange) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(passage.number for passage in side) for side in (change.old, change.new))


def _as_high_as(
    judged: Iterable[JudgedChange], before: Iterable[JudgedChange], left: Collection[str]
) -> list[JudgedChange]:
    """Leave no edit lower than it was before some of the others were hidden, whatever it is paired with now.

    Edits that said something of what is hidden do not count: that may have been what was important.
    """
    known: dict[str, JudgedChange] = {}
    for each in before:
        texts = [passage.text for passage in (*each.old, *each.new)]
        if all(text in left for text in texts):
            for text in texts:
                known[text] = max(known.get(text, each), each, key=_height)
    found = []
    for each in judged:
        same = [known[passage.text] for passage in (*each.old, *each.new) if passage.text in known]
        highest = max(same, key=_height, default=each)
        higher = _height(highest) > _height(each)
        found.append(replace(each, level=highest.level, probability=highest.probability) if higher else each)
    return found


def _height(change: JudgedChange) -> tuple[int, float]:
    return change.level.rank, change.probability


def _never_silent(change: JudgedChange) -> JudgedChange:
    """Take a key fact that was exchanged in the content for important, unless its place changes all the time."""
    if not key_facts(change.facts) or not _is_exchanged(change) or not _COUNTED.isdisjoint(change.figures):
        return change
    if change.steps >= KNOWN_STEPS and change.changed_before > RESTLESS * change.steps:
        return change
    sure = max(change.probability, FACT_FLOOR)
    return replace(change, level=Level.IMPORTANT, probability=sure, reason=ChangeReason.FACT)


def _is_exchanged(change: JudgedChange) -> bool:
    """Return whether a text was edited outside menus, footers and the like.

    Another text in its place must be content, or a mere value: the entries of some lists take turns.
    """
    passage = change.passage
    if passage.parts or change.action in (ADDED, REMOVED):
        return False
    is_value = all(len(each.words) <= MAX_VALUE_WORDS for each in (*change.old, *change.new))
    return change.action != REPLACED or is_value or (not passage.entry and (passage.main or passage.content))


def _selected(change: JudgedChange) -> JudgedChange:
    """Take what is in a part that the user selected for content, surely, and a fact there for important."""
    floor = Level.IMPORTANT if change.facts else Level.MINOR
    zone = Zone.ENTRIES if change.zone is Zone.ENTRIES else Zone.MAIN
    level = max(change.level, floor, key=lambda level: level.rank)
    return replace(change, zone=zone, level=level, probability=1.0)


def _is_ignored(change: JudgedChange, kinds: Iterable[str]) -> bool:
    """Return whether a rule is about edits of this kind."""
    done = change.action if change.action in (ADDED, REMOVED) else "edited"
    target = "heading" if change.passage.heading else _TARGETS.get(change.passage.kind, change.passage.kind)
    return any(set(kind.split()) <= {done, target} for kind in kinds)


def _taught(edit: JudgedEdit, lessons: Sequence[Lesson]) -> JudgedEdit:
    lesson = lesson_about(edit, lessons)
    if lesson is None:
        return edit
    level = str(Level.IMPORTANT if lesson.matters else Level.NOISE)
    return replace(edit, level=level, taught=lesson.told, untaught=edit.level)


def _edit(change: JudgedChange, blocks: Sequence[ChangedBlock]) -> JudgedEdit:
    passage, block = change.passage, _block_of(change, blocks)
    old, new = around_difference(change.old_text, change.new_text, MAX_TEXT_CHARS)
    alone = not passage.entry or change.action in (ADDED, REMOVED)
    return JudgedEdit(
        level=str(change.level),
        probability=round(change.probability, 4),
        action=change.action,
        target=passage.kind,
        summary=headlines.sentence(change),
        old=shorten(old, MAX_TEXT_CHARS),
        new=shorten(new, MAX_TEXT_CHARS),
        reason=str(change.reason),
        because=change_reason(change),
        facts={str(kind): [_values(side) for side in sides] for kind, sides in change.facts.items()},
        zone=str(change.zone),
        changed_before=change.changed_before,
        steps=change.steps,
        place=f"{passage.place:x}",
        spot=f"{passage.place if alone else passage.slot:x}",
        listed=passage.entry,
        css=block.css if block else "",
        path=block.path if block else "",
        figures=dict(change.figures),
    )


def _values(side: Iterable[str]) -> list[str]:
    return [shorten(value, MAX_VALUE_CHARS) for value in list(side)[:MAX_VALUES]]


def _kept(edit: JudgedEdit, number: int) -> JudgedEdit:
    return edit if number < MAX_FIGURED else replace(edit, figures={})


def _block_of(change: JudgedChange, blocks: Sequence[ChangedBlock]) -> ChangedBlock | None:
    """Find the block that an edit stands in, by what both say."""
    wanted = [" ".join(side[0].text.split()) if side else "" for side in (change.old, change.new)]
    return next((block for block in blocks if block.visible and _says(block, wanted)), None)


def _says(block: ChangedBlock, wanted: Sequence[str]) -> bool:
    pairs = [(text, said) for text, said in zip(wanted, (block.old, block.new), strict=True) if text and said]
    return bool(pairs) and all(
        (len(said) >= _MIN_SHARED_CHARS and said in text) or text in said for text, said in pairs
    )
