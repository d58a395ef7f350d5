"""The card with the five answers about two versions, as lines for people and as data."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from pagedrift.report import amounts, judgements
from pagedrift.report.data import FORMAT
from pagedrift.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.verdict import Verdict

_MAX_REASONS: Final = 2  # reasons for what was judged


def lines(verdict: Verdict) -> Iterator[str]:
    """Give a line for each question."""
    if not verdict.changed:
        yield "unchanged"
        return
    done = verdict.measures.improved
    yield f"what changed    {_what(verdict)}"
    yield f"how much        {amounts.sentence(done.distance, done.counts)}"
    answer, *reasons = judgements.lines(verdict.judgement)
    yield f"important       {answer}"
    yield from (f"              {printable(reason)}" for reason in reasons[:_MAX_REASONS])
    yield f"template        {'same as before' if verdict.same_template else 'different'}"
    share = f"{verdict.replaced:.0%}".replace("%", " %")
    yield f"redesigned      {'yes' if verdict.redesigned else 'no'}: {share} of the layout replaced"


def data(verdict: Verdict) -> dict[str, Any]:
    """Give the answers as data."""
    judged = judgements.data(verdict.old, verdict.new, verdict.judgement)
    return {
        "format": FORMAT,
        "old": judged.pop("old"),
        "new": judged.pop("new"),
        "changed": verdict.changed,
        "what_changed": dict(_counts(verdict)),
        "how_much": {name: round(value, 6) for name, value in verdict.measures.items()},
        "does_it_matter": {name: value for name, value in judged.items() if name != "format"},
        "same_template": verdict.same_template,
        "redesigned": verdict.redesigned,
        "replaced": round(verdict.replaced, 4),
    }


def _what(verdict: Verdict) -> str:
    counts = _counts(verdict)
    listed = ", ".join(f"{number:,} {mark}" for mark, number in counts.most_common())
    return f"{counted(counts.total(), 'edit')}: {listed}"


def _counts(verdict: Verdict) -> Counter[str]:
    return Counter(action.mark for action in verdict.changes)
