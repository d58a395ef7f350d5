"""Whether a change matters, in lines for people and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.report.data import FORMAT, moment
from pagedrift.report.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.does_it_matter import Judgement
    from pagedrift.does_it_matter.explain import Reason
    from pagedrift.page import PageVersion

_ANSWERS: Final = {"dissimilar": "yes", "similar": "no", "unsure": "unsure"}
_SHOWN: Final = 3  # reasons for, and as many against


def lines(judgement: Judgement) -> Iterator[str]:
    """Give the answer and the strongest reasons for and against it."""
    yield f"{_ANSWERS[judgement.verdict]}: it matters with {judgement.probability:.0%}".replace("%", " %") + (
        f" ({judgement.basis})"
    )
    for title, sign in (("for", 1), ("against", -1)):
        found = [reason for reason in judgement.reasons if reason.strength * sign > 0][:_SHOWN]
        yield from (f"  {title:<8} {printable(reason.text)}" for reason in found)


def data(old: PageVersion, new: PageVersion, judgement: Judgement) -> dict[str, Any]:
    """Give the answer as data."""
    return {
        "format": FORMAT,
        "old": {"url": old.url, "captured_at": moment(old.captured_at), "digest": "sha256:" + old.digest},
        "new": {"url": new.url, "captured_at": moment(new.captured_at), "digest": "sha256:" + new.digest},
        "verdict": judgement.verdict,
        "matters": judgement.matters,
        "probability": round(judgement.probability, 4),
        "basis": judgement.basis,
        "reasons": [_reason(reason) for reason in judgement.reasons],
    }


def _reason(reason: Reason) -> dict[str, Any]:
    places = {side: list(box) for side, box in (("old", reason.old), ("new", reason.new)) if box is not None}
    return {"text": reason.text, "strength": reason.strength, **places}
