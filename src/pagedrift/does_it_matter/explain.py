"""Why does a change matter or not, in words, and where on the page?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.does_it_matter.evidence import ChangeEvidence
    from pagedrift.does_it_matter.passages import Passage
    from pagedrift.facets.view import Box

# Figures that say the same are reported as one: single weights of theirs mean little.
_GROUPS: Final = {
    "text": ("share changed", "words inserted", "longest inserted", "length"),
    "headings": ("headings inserted",),
    "numbers": ("numbers changed",),
    "links": ("links",),
    "looks": ("top", "colours", "height"),
}
_MAIN: Final = 0.5  # a passage of more weight belongs to what the page is for
_MAX_SHOWN_WORDS: Final = 8  # words of a passage
_SLIGHT: Final = 0.05  # contributions below are not reason


@dataclass(frozen=True, slots=True)
class JudgementReason:
    """One reason, with where to look."""

    text: str
    strength: float  # above 0: the change matters
    old: Box | None = None
    new: Box | None = None


def explain(contributions: Mapping[str, float], change: ChangeEvidence) -> tuple[JudgementReason, ...]:
    """Put what the figures add up to into reasons, the strongest first."""
    made = []
    for group, names in _GROUPS.items():
        strength = sum(contributions[name] for name in names if name in contributions)
        if abs(strength) < _SLIGHT:
            continue
        text, places = _WORDS[group](change)
        made.append(JudgementReason(text, round(strength, 3), *places))
    return tuple(sorted(made, key=lambda reason: -abs(reason.strength)))


_Places = tuple["Box | None", "Box | None"]


_NOWHERE: Final[_Places] = (None, None)


def _text(change: ChangeEvidence) -> tuple[str, _Places]:
    found, share = change.rewriting, change.share
    come = max(found.inserted, key=_size, default=None)
    gone = max(found.deleted, key=_size, default=None)
    edit = max(found.edited, key=lambda each: each.words * each.new.weight, default=None)
    if come and (not gone or _size(come) >= _size(gone)):
        where = "added" if come.weight > _MAIN else "added outside the main content"
        return f"{_percent(share)} of the text changed (main content counts more); {where}: {_quoted(come)}", (
            None,
            come.box,
        )
    if gone:
        where = "removed" if gone.weight > _MAIN else "removed outside the main content"
        return f"{_percent(share)} of the text changed (main content counts more); {where}: {_quoted(gone)}", (
            gone.box,
            None,
        )
    if edit:
        words = "word" if edit.words == 1 else "words"
        return f"only reworded, {edit.words} {words} in: {_quoted(edit.new)}", (edit.old.box, edit.new.box)
    return "no passage of the text was added, removed or reworded", _NOWHERE


def _headings(change: ChangeEvidence) -> tuple[str, _Places]:
    new = max((each for each in change.rewriting.inserted if each.heading), key=_size, default=None)
    return (f"a new heading: {_quoted(new)}", (None, new.box)) if new else ("no new heading", _NOWHERE)


def _numbers(change: ChangeEvidence) -> tuple[str, _Places]:
    recounted = change.rewriting.recounted
    count = len(recounted)
    if not count:
        return "no number or date was changed", _NOWHERE
    first = max(recounted, key=lambda edit: edit.new.weight)
    passages = "passage" if count == 1 else "passages"
    return f"numbers or dates changed in {count} {passages}: {_quoted(first.new)}", (first.old.box, first.new.box)


def _links(change: ChangeEvidence) -> tuple[str, _Places]:
    return (f"{_percent(change.links)} of the links differ" if change.links else "the links are the same"), _NOWHERE


def _looks(change: ChangeEvidence) -> tuple[str, _Places]:
    from pagedrift.does_it_matter.pictures import look, top_changed

    old, new = change.old.view, change.new.view
    if old is None or new is None:
        return "there are no screenshots", _NOWHERE
    share = top_changed(look(old.picture or b""), look(new.picture or b""))
    taller = round(new.height - old.height)
    seen = f"{_percent(share)} of the first screen looks different" if share else "the first screen looks the same"
    grown = f", the page is {abs(taller):,} px {'taller' if taller > 0 else 'shorter'}" if taller else ""
    return seen + grown, _NOWHERE


_WORDS: Final = {"text": _text, "headings": _headings, "numbers": _numbers, "links": _links, "looks": _looks}


def _size(passage: Passage) -> float:
    return len(passage.words) * passage.weight


def _quoted(passage: Passage) -> str:
    more = " …" if len(passage.words) > _MAX_SHOWN_WORDS else ""
    return f"“{' '.join(passage.words[:_MAX_SHOWN_WORDS])}{more}”"


def _percent(share: float) -> str:
    """Say a share so that little is not nothing.

    >>> _percent(0.004), _percent(0.31)
    ('less than 1 %', '31 %')
    """
    return "less than 1 %" if 0 < share < 0.01 else f"{share:.0%}".replace("%", " %")  # noqa: PLR2004 - one percent
