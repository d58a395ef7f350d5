"""Restore of the database from notes of the archive: what users set and said, and which alerts were sent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from pagedrift.app.model.alert_settings import AlertSettings, with_known_channels
from pagedrift.app.model.decision import Decision
from pagedrift.app.model.lessons import taught_by
from pagedrift.app.model.options import HIDDEN
from pagedrift.app.model.people import FIRST
from pagedrift.app.store.journal import COLUMNS, KEYS
from pagedrift.app.store.log import UNLOGGED
from pagedrift.app.store.tables import (
    AlertRow,
    AlertSettingsRow,
    AlertWatchRow,
    Base,
    ChangeRow,
    DeliveryRow,
    GroupRow,
    LabelRow,
    PersonRow,
    ReadRow,
    RuleRow,
    ValueRow,
    WatchRow,
)
from pagedrift.app.store.watches import watch_of, with_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from pagedrift.app.model.watch import Watch
    from pagedrift.app.store.store import Store

Deliveries = dict[str, list[dict[str, Any]]]
NOT_IN_ARCHIVE: Final = ("tokens", "values", "people", "invitations", "alert_settings", "log")  # keys, accounts
BEGUN: Final = "rebuild"  # says that the database is being made again, until it is
_SET: Final[tuple[tuple[type[Any], str], ...]] = (
    (GroupRow, "name"),
    (WatchRow, "id"),
    (RuleRow, "id"),
    (AlertSettingsRow, "owner"),
)
_TIMES: Final = ("created_at", "at", "opened_at", "closed_at", "next_at", "held_until", "delivered_at")
_DELIVERY: Final = ("channel", "attempts", "error", "next_at", "held_until", "delivered_at")


def clear(store: Store) -> Deliveries:
    """Forget what the database says but keys and settings; give the messages on their way, to be sent on."""
    with store.begin() as session:
        known = session.get(ValueRow, BEGUN)
        deliveries: Deliveries = known.value if known and known.value else _deliveries(session)
        session.merge(ValueRow(name=BEGUN, value=deliveries))
        for table in reversed(Base.metadata.sorted_tables):
            if table.name not in NOT_IN_ARCHIVE:
                session.execute(table.delete())
    return deliveries


def is_empty(store: Store) -> bool:
    """Return whether no watch is known, not even one that was removed."""
    with store.read() as session:
        return session.scalar(select(WatchRow.id).limit(1)) is None


def apply_settings(store: Store, notes: Iterable[dict[str, Any]], *, again: bool = True) -> None:
    """Apply what was set by users: the last revision, in whichever order they are read.

    `again` also applies the revision that is known.
    """
    with store.begin() as session:
        session.info[UNLOGGED] = True
        for note in notes:
            for table, key in _SET:
                for found in note.get(KEYS[table], ()):
                    known = session.get(table, found[key])
                    if known is None or known.revision < found["revision"] + again:
                        _define(session, table, known, found)


def apply_feedback(store: Store, notes: Iterable[dict[str, Any]], *, again: bool = True) -> None:
    """Apply what was said about changes and the alerts about them, once they are there."""
    with store.begin() as session:
        session.info[UNLOGGED] = True
        for note in notes:
            for found in note.get(KEYS[LabelRow], ()):
                _label(session, found, found.pop("change"), again=again)
            for found in note.get(KEYS[ReadRow], ()):
                _read(session, found, found.pop("change"), again=again)
            for found in note.get(KEYS[AlertRow], ()):
                _retell(session, found, found.pop("watches"), found.pop("changes", []))


def send_on(store: Store, deliveries: Deliveries) -> None:
    """Put messages on their way again, by the alerts that are known by now."""
    with store.begin() as session:
        for uid, found in deliveries.items():
            alert = session.scalar(select(AlertRow.id).where(AlertRow.uid == uid))
            if alert is not None:
                session.add_all(DeliveryRow(alert_id=alert, **_with_times(each)) for each in found)


def followed_sites(store: Store) -> list[Watch]:
    """Give the feeds and sitemaps that are watched."""
    wanted = select(WatchRow).where(WatchRow.kind.in_(("feed", "sitemap")), ~WatchRow.deleted)
    with store.read() as session:
        return [watch_of(row) for row in session.scalars(wanted)]


def set_memory(store: Store, which: str, memory: dict[str, Any]) -> None:
    """Set what is remembered of a watch."""
    with store.begin() as session:
        session.get_one(WatchRow, which).memory = memory


def _deliveries(session: Session) -> Deliveries:
    """Take down the messages on their way, and those that arrived, by alert: the archive does not have them."""
    found: Deliveries = {"": []}  # never empty: it also says that a rebuild has begun
    for row, uid in session.execute(
        select(DeliveryRow, AlertRow.uid).join(AlertRow, AlertRow.id == DeliveryRow.alert_id)
    ):
        data = {name: getattr(row, name) for name in _DELIVERY}
        found.setdefault(uid, []).append(
            {name: value.isoformat() if isinstance(value, datetime) else value for name, value in data.items()}
        )
    return found


def _define(session: Session, table: type[Any], known: Any, data: dict[str, Any]) -> None:
    columns = COLUMNS.get(table, {})
    values = {columns.get(key, key): value for key, value in _with_times(data).items()}
    values["journalled"] = data["revision"]
    if known is not None and "options" in data:
        values["options"] = with_secrets(data["options"], known.options, lost=HIDDEN)
    if known is not None and table is AlertSettingsRow:
        values["settings"] = with_known_channels(data["settings"], AlertSettings.model_validate(known.settings))
    if table is WatchRow:
        values.setdefault("tags", [])  # notes name them where there are any
    if known is None and table is WatchRow:
        values["next_at"] = datetime.now(UTC)
    session.merge(table(**values))


def _label(session: Session, data: dict[str, Any], name: list[Any] | None, *, again: bool) -> None:
    change = _change_named(session, name)
    known = session.get(LabelRow, change) if change is not None else None
    if change is not None and (known is None or known.revision < data["revision"] + again):
        data.setdefault("taught", _taught(session, change, matters=data["matters"]))
        session.merge(LabelRow(**_with_times(data), change_id=change, journalled=data["revision"]))


def _read(session: Session, data: dict[str, Any], name: list[Any] | None, *, again: bool) -> None:
    change, person = _change_named(session, name), data.pop("person", FIRST)
    if change is None or session.get(PersonRow, person) is None:
        return
    known = session.get(ReadRow, (person, change))
    if known is None or known.revision < data["revision"] + again:
        session.merge(ReadRow(**data, person_id=person, change_id=change, journalled=data["revision"]))


def _taught(session: Session, change: int, *, matters: bool) -> list[dict[str, Any]]:
    """Say which edits feedback is about that an older release wrote down."""
    return taught_by(session.get_one(ChangeRow, change).record.analysis, matters=matters)


def _retell(
    session: Session, data: dict[str, Any], pages: list[dict[str, Any]], changes: list[dict[str, Any]]
) -> None:
    """Write down an alert; if it is known, what joined it since an earlier note."""
    alert = session.scalar(select(AlertRow).where(AlertRow.uid == data["uid"]))
    if alert is None:
        alert = AlertRow(**_with_times(data), journalled=True)
        session.add(alert)
        session.flush()
    for page in pages:
        change = _change_named(session, page["change"])
        if session.get(AlertWatchRow, (alert.id, page["watch"])) is None:
            about = AlertWatchRow(alert_id=alert.id, watch_id=page["watch"], group=page["group"], change_id=change)
            session.add(about)
    for joined in changes or pages:  # older notes name the changes of pages only
        change = _change_named(session, joined["change"])
        row = None if change is None else session.get_one(ChangeRow, change)
        if row is not None:
            row.alert_id = alert.id
            if "decision" in joined or "not_told" in joined:  # a sentence, in older notes
                row.decide(Decision.from_json(joined.get("decision"), text=joined.get("not_told", "")))


def _with_times(data: dict[str, Any]) -> dict[str, Any]:
    return {
        name: datetime.fromisoformat(value) if name in _TIMES and value else value for name, value in data.items()
    }


def _change_named(session: Session, name: list[Any] | None) -> int | None:
    """Find a change by its watch and its time."""
    if name is None:
        return None
    named = select(ChangeRow.id).where(
        ChangeRow.watch_id == name[0], ChangeRow.at == datetime.fromisoformat(name[1])
    )
    return session.scalars(named.limit(1)).first()
