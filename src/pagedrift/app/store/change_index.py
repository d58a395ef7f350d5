"""Index of changes: their texts, to search in, and the causes of those without an alert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift.app.store.tables import ChangeCauseRow, ChangeTextRow

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from pagedrift.app.model.change import ChangeAnalysis, ChangeRecord

MAX_TEXT_CHARS: Final = 4_000  # of one change that is searched in
MAX_CAUSES: Final = 20  # of one change
REASON: Final = "reason:"  # how a cause begins that is not the place of an edit


def add(session: Session, change: int, watch: str, at: datetime, record: ChangeRecord) -> None:
    """Write down what one change is found by."""
    session.add(ChangeTextRow(change_id=change, text=text_of(record.analysis)))
    for cause, edit in causes_of(record).items():
        session.add(ChangeCauseRow(change_id=change, cause=cause, edit=edit, watch_id=watch, at=at))


def text_of(analysis: ChangeAnalysis) -> str:
    """Give the headline of a change and the texts of its edits, for a search that does not look at capitals."""
    texts = [analysis.headline]
    for edit in analysis.edits:
        texts += [edit.old, edit.new]
    return "\n".join(dict.fromkeys(filter(None, texts)))[:MAX_TEXT_CHARS].lower()


def causes_of(record: ChangeRecord) -> dict[str, int | None]:
    """Say what caused a change without an alert: the places of its edits, or else why there was no alert."""
    if record.decision.notify:
        return {}
    places: dict[str, int | None] = {}
    for number, edit in enumerate(record.analysis.edits):
        if edit.place:
            places.setdefault(edit.place[:64], number)
    return dict(list(places.items())[:MAX_CAUSES]) or {f"{REASON}{record.decision.reason}"[:64]: None}
