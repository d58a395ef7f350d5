"""Judgements of whether a change matters, as lines for people and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import iso_moment, moment
from pagedrift.does_it_matter.changes.levels import Level
from pagedrift.report.change_reasons import change_reason
from pagedrift.report.data import FORMAT
from pagedrift.report.headlines import sentence
from pagedrift.text import counted, printable, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pagedrift.does_it_matter import Judgement
    from pagedrift.does_it_matter.audit import Audited, Total
    from pagedrift.does_it_matter.changes import JudgedChange
    from pagedrift.does_it_matter.explain import JudgementReason
    from pagedrift.does_it_matter.learning import Figures, LearnedJudge
    from pagedrift.page import PageVersion

_ANSWERS: Final = {"dissimilar": "yes", "similar": "no", "unsure": "unsure"}
_MAX_REASONS: Final = 3  # reasons for, and as many against
_MAX_CHANGES: Final = 10  # that are listed with their verdict


def lines(judgement: Judgement) -> Iterator[str]:
    """Give the answer and the strongest reasons for and against it."""
    yield summary(judgement)
    for title, character in (("for", 1), ("against", -1)):
        found = [reason for reason in judgement.reasons if reason.strength * character > 0][:_MAX_REASONS]
        yield from (f"  {title:<8} {printable(reason.text)}" for reason in found)


def summary(judgement: Judgement) -> str:
    """Give the answer in one line."""
    return f"{_ANSWERS[judgement.label]}, {percent(judgement.probability)} likely (from the {judgement.basis})"


def change_lines(found: Sequence[JudgedChange]) -> Iterator[str]:
    """List the changes with the verdict on each; noise is only counted."""
    named = [change for change in found if change.level is not Level.NOISE]
    for change in named[:_MAX_CHANGES]:
        sure = f"{change.zone}, {percent(change.probability)} sure"
        yield f"  {change.level:<9} {printable(sentence(change))} ({sure})"
    if len(named) > _MAX_CHANGES:
        yield f"  and {counted(len(named) - _MAX_CHANGES, 'other change')}"
    if len(found) > len(named):
        yield f"  noise     {counted(len(found) - len(named), 'change')}"


def changes_data(found: Sequence[JudgedChange]) -> list[dict[str, Any]]:
    """Give the changes with the verdict on each as data."""
    return [
        {
            "level": str(change.level),
            "probability": round(change.probability, 4),
            "action": change.action,
            "target": change.passage.kind,
            "old": change.old_text,
            "new": change.new_text,
            "facts": {kind.value: list(map(list, values)) for kind, values in change.facts.items()},
            "zone": str(change.zone),
            "reason": change_reason(change),
            "reason_code": str(change.reason),
        }
        for change in found
    ]


def percent(value: float) -> str:
    """Write a share.

    >>> percent(0.314)
    '31 %'
    """
    return f"{value:.0%}".replace("%", " %")


def data(old: PageVersion, new: PageVersion, judgement: Judgement) -> dict[str, Any]:
    """Give the answer as data."""
    return {
        "format": FORMAT,
        "old": {"url": old.url, "captured_at": iso_moment(old.captured_at), "digest": "sha256:" + old.digest},
        "new": {"url": new.url, "captured_at": iso_moment(new.captured_at), "digest": "sha256:" + new.digest},
        "verdict": judgement.label,
        "matters": judgement.matters,
        "probability": round(judgement.probability, 4),
        "basis": judgement.basis,
        "reasons": [_reason(reason) for reason in judgement.reasons],
    }


def _reason(reason: JudgementReason) -> dict[str, Any]:
    places = {side: list(box) for side, box in (("old", reason.old), ("new", reason.new)) if box is not None}
    return {"text": reason.text, "strength": reason.strength, **places}


def audited_line(found: Audited) -> str:
    """Say in one line whether a version would be kept."""
    score = "" if found.probability is None else f"{found.probability:.2f}"
    why = found.why if found.why in ("first", "identical", "unsure") else ""
    given = ": ".join(part for part in (why, printable(found.reason)) if part)
    deed = "keep" if found.kept else "skip"
    return f"{deed}  {moment(found.captured_at):<16}  {score:<4}  {printable(found.url)}  {given}".rstrip()


def audited_data(found: Audited) -> dict[str, Any]:
    """Give what would become of a version as data."""
    return {
        "format": FORMAT,
        "url": found.url,
        "captured_at": iso_moment(found.captured_at),
        "since": iso_moment(found.since),
        "kept": found.kept,
        "why": found.why,
        "probability": None if found.probability is None else round(found.probability, 4),
        "reason": found.reason,
        "bytes": found.size,
    }


def total_line(total: Total) -> str:
    """Sum an audit up."""
    skipped = total.versions - total.kept
    unsure = f" ({total.unsure:,} unsure)" if total.unsure else ""
    identical = f" ({total.identical:,} identical)" if total.identical else ""
    share = percent(total.saved / total.size if total.size else 0.0)
    versions = "version" if total.versions == 1 else "versions"
    return (
        f"{total.versions:,} {versions}: {total.kept:,} kept{unsure}, {skipped:,} skipped{identical}; "
        f"{size(total.saved)} of {size(total.size)} saved ({share})"
    )


def total_data(total: Total) -> dict[str, Any]:
    """Sum an audit up as data."""
    counts = {"versions": total.versions, "kept": total.kept, "skipped": total.versions - total.kept}
    more = {"identical": total.identical, "unsure": total.unsure, "bytes": total.size, "bytes_saved": total.saved}
    return {"format": FORMAT, "total": counts | more}


def lessons(learned: Mapping[str, LearnedJudge]) -> Iterator[str]:
    """Compare the judge before and after training."""
    yield f"{'judged by':<10} {'':<7} {'labels':>6} {'right':>7} {'missed':>7} {'false':>7}"
    for kind, lesson in learned.items():
        for name, found in (("before", lesson.before), ("after", lesson.after)):
            right, missed, false = (f"{count:,}" for count in (found.right, found.missed, found.false))
            yield f"{kind:<10} {name:<7} {found.labels:>6,} {right:>7} {missed:>7} {false:>7}"


def lessons_data(learned: Mapping[str, LearnedJudge]) -> dict[str, Any]:
    """Give how the judge did before and after it learned as data."""
    found = {
        kind: {"before": _figures(lesson.before), "after": _figures(lesson.after), "worse": lesson.worse}
        for kind, lesson in learned.items()
    }
    return {"format": FORMAT, "learned": found}


def _figures(found: Figures) -> dict[str, Any]:
    counts = {"labels": found.labels, "right": found.right, "missed": found.missed, "false": found.false}
    return counts | {"accuracy": round(found.accuracy, 4)}
