"""Change records in messages for programs: all that is known about the changes of an alert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.store import queries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.app.store.store import Store

MAX_CHANGES: Final = 10  # of one alert, which are all alike
_INTERNAL: Final = ("figures", "place", "spot", "listed")  # of an edit: what judge and lessons know it by
_LEFT_OUT: Final = ("signature", "signatures", "was", "now", "lines", "format", "more_edits", "hidden", "blocks")


def with_changes(store: Store, message: Mapping[str, Any]) -> dict[str, Any]:
    """Give a message with the records of its changes; of a digest, each alert with those of its own."""
    if "alerts" in message:
        return {**message, "alerts": [with_changes(store, each) for each in message["alerts"]]}
    numbers = [page["change"] for page in message.get("pages") or () if page.get("change") is not None]
    with store.read() as session:
        found = [queries.change(session, number) for number in numbers[:MAX_CHANGES]]
    return {**message, "changes": [_record(each) for each in found if each is not None]}


def _record(found: queries.ChangeDetail) -> dict[str, Any]:
    stored = found.record.to_json()
    edits = [
        {name: value for name, value in edit.items() if name not in _INTERNAL} | {"why": judged.why}
        for edit, judged in zip(stored["edits"], found.record.analysis.edits, strict=True)
    ]
    about = {
        "id": found.change.id,
        "watch": found.watch.id,
        "at": found.change.at.isoformat(),
        "url": found.watch.url,
        "reason": found.record.decision.sentence,
    }
    return about | {name: value for name, value in stored.items() if name not in _LEFT_OUT} | {"edits": edits}
