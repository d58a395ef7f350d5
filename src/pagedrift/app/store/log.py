"""The log of who changed what: written by the session of the database itself, so that no change goes around it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, event, func, inspect, select
from sqlalchemy.orm import Session

from pagedrift.app.model.actors import current_actor
from pagedrift.app.model.log import LogEntry
from pagedrift.app.model.options import HIDDEN, hidden, masked
from pagedrift.app.store.lessons import JUDGE_IS_OFF
from pagedrift.app.store.public_address import NAME as PUBLIC_ADDRESS
from pagedrift.app.store.tables import (
    AlertSettingsRow,
    GroupRow,
    InvitationRow,
    LabelRow,
    LogRow,
    PersonRow,
    RuleRow,
    TokenRow,
    ValueRow,
    WatchRow,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pagedrift.app.store.store import Store

MAX_VALUE_CHARS: Final = 300  # of one value, before or after
MAX_TITLE_CHARS: Final = 200
UNLOGGED: Final = "unlogged"  # in the info of a session that reads back what was logged when it was done
SETTINGS: Final = {  # by name in the table of values
    JUDGE_IS_OFF: "judge that learned from feedback is off",
    PUBLIC_ADDRESS: "address of this installation",
}
# What people set, of each kind; whatever else is in a row is the work of the application.
_COLUMNS: Final[dict[type, tuple[str, tuple[str, ...]]]] = {
    WatchRow: ("watch", ("url", "kind", "name", "group", "tags", "options", "paused")),
    GroupRow: ("group", ("options",)),
    RuleRow: ("rule", ("scope", "of", "kind", "value")),
    LabelRow: ("feedback", ("matters",)),
    PersonRow: ("person", ("name", "role", "password")),
    InvitationRow: ("invitation", ("role",)),
    TokenRow: ("token", ("name", "use", "role")),
    ValueRow: ("setting", ("value",)),
    AlertSettingsRow: ("setting", ("settings",)),
}


class LoggedSession(Session):
    """A session that writes down what people changed, in the transaction that changes it."""


@event.listens_for(LoggedSession, "before_flush")
def _write(session: Session, *_: object) -> None:
    if session.info.get(UNLOGGED):
        return
    for row, action in [*_touched(session)]:
        _log(session, row, action)


def _touched(session: Session) -> Iterator[tuple[Any, str]]:
    yield from ((row, "added") for row in session.new if type(row) in _COLUMNS)
    yield from ((row, "changed") for row in session.dirty if type(row) in _COLUMNS)
    yield from ((row, "removed") for row in session.deleted if type(row) in _COLUMNS)


def _log(session: Session, row: Any, action: str) -> None:
    kind, columns = _COLUMNS[type(row)]
    if not _is_peoples(row):
        return
    before, after = _differences(row, columns, is_new=action == "added")
    if action == "changed":
        gone = inspect(row).attrs.deleted.history if hasattr(row, "deleted") else None
        if gone is not None and gone.has_changes():
            action = "removed" if row.deleted else "restored"
        elif not before and not after:
            return
    if action == "removed":
        before, after = {}, {}
    who = current_actor()
    entry = LogRow(
        at=datetime.now(UTC), actor_kind=who.kind, actor=who.name[:MAX_TITLE_CHARS], person_id=who.person
    )
    entry.action, entry.kind, entry.subject = action, kind, _subject(row)
    entry.title, entry.before, entry.after = _title(row), before, after
    session.add(entry)


def _is_peoples(row: Any) -> bool:
    """Leave out what the application keeps for itself: pages of a site that it found, sessions, its memory."""
    if isinstance(row, WatchRow) and row.parent_id is not None:
        return current_actor().kind != "application"
    if isinstance(row, TokenRow):
        return row.use != "session"
    return not isinstance(row, ValueRow) or row.name in SETTINGS


def _differences(row: Any, columns: tuple[str, ...], *, is_new: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give what was changed, as it was and as it is, without secrets."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for name in columns:
        history = inspect(row).attrs[name].history
        old, new = (history.deleted or [None])[0], getattr(row, name)
        if not is_new and (not history.has_changes() or old == new):
            continue
        if name in _HIDING:
            _differing_options(old or {}, new or {}, before, after, _HIDING[name])
        elif name == "password":
            after |= {} if new is None else {name: HIDDEN}
        elif new not in (None, "", [], False):
            after[name] = _shown(new)
            before |= {} if is_new else {name: _shown(old)}
        elif not is_new:
            before[name], after[name] = _shown(old), _shown(new)
    return before, after


def _differing_options(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    before: dict[str, Any],
    after: dict[str, Any],
    hide: Callable[[Mapping[str, Any]], dict[str, Any]],
) -> None:
    old, new = json.loads(json.dumps(dict(old))), json.loads(json.dumps(dict(new)))  # lists, as they are stored
    old_shown, new_shown = hide(old), hide(new)
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            if name in old_shown:
                before[name] = _shown(old_shown[name])
            if name in new_shown:
                after[name] = _shown(new_shown[name])


def _hidden_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Give settings of alerts without what lets others use the channels."""
    tags = {tag: [*map(masked, several)] for tag, several in settings.get("tag_channels", {}).items()}
    hiding = {"channels": [*map(masked, settings.get("channels", ()))], "tag_channels": tags}
    return {name: hiding.get(name, value) for name, value in settings.items()}


_HIDING: Final = {"options": hidden, "settings": _hidden_settings}


def _shown(value: Any) -> Any:
    """Give a value as the log keeps it."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = value if isinstance(value, str) else ", ".join(map(_plain, value)) if _is_list(value) else str(value)
    return text[:MAX_VALUE_CHARS]


def _plain(value: Any) -> str:
    return ": ".join(map(str, value)) if _is_list(value) else str(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _subject(row: Any) -> str:
    if isinstance(row, LabelRow):
        return str(row.change_id)
    if isinstance(row, AlertSettingsRow):
        return row.owner
    return str(getattr(row, "id", None) or row.name)[:MAX_TITLE_CHARS]


def _title(row: Any) -> str:
    if isinstance(row, LabelRow):
        return f"change {row.change_id}"
    if isinstance(row, AlertSettingsRow):
        return "alerts of a person" if row.owner else "alerts"
    if isinstance(row, ValueRow):
        return SETTINGS[row.name]
    found = row.value if isinstance(row, RuleRow) else row.role if isinstance(row, InvitationRow) else row.name
    return str(_shown(found or row.url))[:MAX_TITLE_CHARS]


# --- reading it ------------------------------------------------------------------------------------------------


def entries(
    session: Session, *, who: str = "", kind: str = "", subject: str = "", before: int | None = None, size: int = 50
) -> tuple[list[LogEntry], int | None]:
    """Give a page of the log, newest first, and where the next one begins."""
    wanted = select(LogRow).order_by(LogRow.id.desc())
    for column, value in ((LogRow.actor, who), (LogRow.kind, kind), (LogRow.subject, subject)):
        if value:
            wanted = wanted.where(column == value)
    if before is not None:
        wanted = wanted.where(LogRow.id < before)
    rows = session.scalars(wanted.limit(size + 1)).all()
    found = [_entry(row) for row in rows[:size]]
    return found, found[-1].id if len(rows) > size else None


def actors(session: Session) -> list[str]:
    """Name who is in the log, in alphabetical order."""
    names = select(LogRow.actor).where(LogRow.actor != "").distinct().order_by(LogRow.actor)
    return list(session.scalars(names.limit(200)))


def trim(store: Store, most: int) -> None:
    """Forget the oldest entries beyond a number."""
    with store.begin() as session:
        newest = session.scalar(select(func.max(LogRow.id))) or 0
        session.execute(delete(LogRow).where(LogRow.id <= newest - most))


def _entry(row: LogRow) -> LogEntry:
    return LogEntry(
        id=row.id,
        at=row.at,
        actor_kind=row.actor_kind,
        actor=row.actor,
        action=row.action,
        kind=row.kind,
        subject=row.subject,
        title=row.title,
        before=row.before,
        after=row.after,
    )
