"""Why does a change matter or not, in words, and where on the page?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.levels import Zone
from pagedrift.does_it_matter.changes.pairing import ADDED, EDITED, RECOUNTED, REMOVED, REPLACED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagedrift.does_it_matter.changes import JudgedChange
    from pagedrift.does_it_matter.changes.passages import Passage
    from pagedrift.does_it_matter.evidence import ChangeEvidence
    from pagedrift.facets.view import Box

# Figures that say the same are reported as one: single weights of theirs mean little.
_GROUPS: Final = {
    "text": (
        "share changed",
        "words inserted",
        "longest inserted",
        "length",
        "words removed",
        "longest removed",
    ),
    "headings": ("headings inserted", "headings removed"),
    "numbers": ("numbers changed",),
    "links": ("links",),
    "looks": ("top", "colours", "height"),
}
_DEEDS: Final = {
    ADDED: "added",
    REMOVED: "removed",
    EDITED: "reworded",
    RECOUNTED: "other numbers",
    REPLACED: "replaced",
}
_MAX_SHOWN_WORDS: Final = 8  # words of a passage
_SLIGHT: Final = 0.05  # contributions below are not reason


@dataclass(frozen=True, slots=True)
class JudgementReason:
    """One reason, with where to look."""

    text: str
    strength: float  # above 0: the change matters
    old: Box | None = None
    new: Box | None = None


def explain(
    contributions: Mapping[str, float], seen: ChangeEvidence, found: Sequence[JudgedChange]
) -> tuple[JudgementReason, ...]:
    """Put what the figures add up to into reasons, the strongest first; what they name are the judged changes."""
    made = []
    for group, names in _GROUPS.items():
        strength = sum(contributions[name] for name in names if name in contributions)
        if abs(strength) < _SLIGHT:
            continue
        text, places = _WORDS[group](seen, found)
        made.append(JudgementReason(text, round(strength, 3), *places))
    return tuple(sorted(made, key=lambda reason: -abs(reason.strength)))


_Places = tuple["Box | None", "Box | None"]


_NOWHERE: Final[_Places] = (None, None)


def _text(seen: ChangeEvidence, found: Sequence[JudgedChange]) -> tuple[str, _Places]:
    """Name the largest change of the highest level."""
    texts = [each for each in found if each.passage.kind == "text"]
    if not texts:
        return "no passage of the text was added, removed or reworded", _NOWHERE
    first = max(texts, key=lambda each: (each.level.rank, each.action in (ADDED, REMOVED, REPLACED), size_of(each)))
    where = "" if first.zone in (Zone.MAIN, Zone.ENTRIES) else f" in the {first.zone}"
    if first.zone is Zone.BESIDE:
        where = " outside the main content"
    share = f"{_percent(seen.share)} of the text changed (main content counts more); " if seen.share else ""
    return f"{share}{_DEEDS[first.action]}{where}: {_quoted(first)}", _places(first)


def _headings(_: ChangeEvidence, found: Sequence[JudgedChange]) -> tuple[str, _Places]:
    for deed, text in ((ADDED, "a new heading"), (REMOVED, "a heading was removed")):
        for each in found:
            passages = each.new or each.old
            if each.action == deed and any(passage.heading for passage in passages):
                heading = next(passage for passage in passages if passage.heading)
                return f"{text}: {_quoted_passage(heading)}", _places(each)
    return "no heading was added or removed", _NOWHERE


def _numbers(_: ChangeEvidence, found: Sequence[JudgedChange]) -> tuple[str, _Places]:
    recounted = [each for each in found if each.action == RECOUNTED]
    if not recounted:
        return "no passage differs in numbers or dates alone", _NOWHERE
    first = max(recounted, key=lambda each: each.level.rank)
    passages = "passage" if len(recounted) == 1 else "passages"
    return f"numbers or dates changed in {len(recounted)} {passages}: {_quoted(first)}", _places(first)


def _links(seen: ChangeEvidence, _: Sequence[JudgedChange]) -> tuple[str, _Places]:
    return (f"{_percent(seen.links)} of the links differ" if seen.links else "the links are the same"), _NOWHERE


def _looks(seen: ChangeEvidence, _: Sequence[JudgedChange]) -> tuple[str, _Places]:
    from pagedrift.does_it_matter.pictures import look, top_changed

    old, new = seen.old.view, seen.new.view
    if old is None or new is None:
        return "there are no screenshots", _NOWHERE
    share = top_changed(look(old.picture or b""), look(new.picture or b""))
    taller = round(new.height - old.height)
    looks = f"{_percent(share)} of the first screen looks different" if share else "the first screen looks the same"
    grown = f", the page is {abs(taller):,} px {'taller' if taller > 0 else 'shorter'}" if taller else ""
    return looks + grown, _NOWHERE


_WORDS: Final = {"text": _text, "headings": _headings, "numbers": _numbers, "links": _links, "looks": _looks}


def size_of(change: JudgedChange) -> int:
    """Count the words that a change touches."""
    return sum(len(passage.words) for passage in (*change.old, *change.new))


def _places(change: JudgedChange) -> _Places:
    return (change.old[0].box if change.old else None), (change.new[0].box if change.new else None)


def _quoted(change: JudgedChange) -> str:
    return _quoted_passage(max(change.new or change.old, key=lambda passage: len(passage.words)))


def _quoted_passage(passage: Passage) -> str:
    more = " …" if len(passage.words) > _MAX_SHOWN_WORDS else ""
    return f"“{' '.join(passage.words[:_MAX_SHOWN_WORDS])}{more}”"


def _percent(share: float) -> str:
    """Say a share so that little is not nothing.

    >>> _percent(0.004), _percent(0.31)
    ('less than 1 %', '31 %')
    """
    return "less than 1 %" if 0 < share < 0.01 else f"{share:.0%}".replace("%", " %")  # noqa: PLR2004 - one percent
