"""Watches and groups in the database: adding, editing, pausing and removing them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from sqlalchemy import Text, select, update
from sqlalchemy import cast as cast_to

from pagedrift.app.model.options import HIDDEN, SECRET, checked_options, masked, renamed
from pagedrift.app.model.watch import Kind, Watch, checked, checked_group, name_from_title
from pagedrift.app.store import failed_steps
from pagedrift.app.store.tables import GroupRow, VersionRow, WatchRow
from pagedrift.app.validation import validate_options
from pagedrift.errors import ConflictError, InputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

_UNCHANGED: Final[Any] = object()
FINDS_KIND: Final = "finds kind"  # in the memory of a watch, until its first check
_IDS_PER_QUERY: Final = 500  # watches that are added in one statement
_Way = tuple[str, str, tuple[Any, ...]]  # in which an address is watched: that, its kind, and what is looked at


def add(store: Store, watch: Watch, *, again: bool = False, find_kind: bool = False) -> Watch:
    """Watch something more, from now on; what is watched so already is an error, unless it is wanted `again`.

    With `find_kind` it begins as a page, and its first check finds out whether it is a feed, a sitemap or a list.
    """
    new = checked(watch)
    validate_options(new.options)
    with store.begin() as session:
        if not again:
            _refuse_watched(session, new, any_kind=find_kind)
        row = _row(new)
        row.memory = {FINDS_KIND: True} if find_kind else {}
        session.add(row)
    return new


def add_all(
    store: Store, watches: Iterable[Watch], *, parent: str | None = None, most: int | None = None
) -> list[Watch]:
    """Watch many things more in one step; those that are watched already are left as they are, and not given.

    An address may be watched in several ways; where only the address is given, any watch of it is enough.
    """
    new = {(each.url, each.kind, each.looks_at): each for each in map(checked, watches)}
    with store.begin() as session:
        site = session.get(WatchRow, parent, with_for_update=True) if parent else None
        if site is not None and site.deleted:  # meanwhile
            return []
        addresses, known = list(dict.fromkeys(url for url, *_ in new)), set[_Way]()
        for at in range(0, len(addresses), _IDS_PER_QUERY):
            some = _present().where(WatchRow.url.in_(addresses[at : at + _IDS_PER_QUERY]))
            for watch in map(watch_of, session.scalars(some)):
                known |= {(watch.url, watch.kind, watch.looks_at), (watch.url, watch.kind, ())}
        added = [watch for key, watch in new.items() if key not in known][:most]
        session.add_all(_row(watch, parent) for watch in added)
    return added


def edit(
    store: Store,
    which: str,
    *,
    url: str = _UNCHANGED,
    name: str = _UNCHANGED,
    group: str = _UNCHANGED,
    tags: Iterable[str] = _UNCHANGED,
    options: Mapping[str, Any] = _UNCHANGED,
    paused: bool = _UNCHANGED,
) -> Watch:
    """Change what is said; secrets that are given hidden stay what they are."""
    with store.begin() as session:
        row = _find(session, which, to_change=True)
        watch = watch_of(row)
        data: dict[str, Any] = {"url": url, "name": name, "group": group, "tags": tags}
        data |= {"options": options, "paused": paused}
        said = {key: value for key, value in data.items() if value is not _UNCHANGED}
        if "options" in said:
            said["options"] = with_secrets(said["options"], row.options)
        new = checked(Watch(**{**_fields(watch), **said}))
        if "options" in said:
            validate_options(new.options)
        if new.url != row.url:
            _refuse_watched(session, new)
            new = replace(new, name="") if _is_named_by_title(session, row, new.name) else new
            row.newest_id, row.memory, row.rate = None, {}, {}  # another page: nothing is known of it
            row.state, row.trouble, row.failures = "new", "", 0
        _fill(row, new)
        row.revision += 1
        row.next_at = min(row.next_at, datetime.now(UTC))
        return new


def _is_named_by_title(session: Session, row: WatchRow, name: str) -> bool:
    """Say whether a name is the title of the page that was watched so far; another page has another title."""
    version = session.get(VersionRow, row.newest_id) if row.newest_id else None
    return version is not None and name == row.name and name == name_from_title(version.title)


def pause(store: Store, which: str, *, paused: bool = True) -> Watch:
    """Pause or resume a watch."""
    return edit(store, which, paused=paused)


def remove(store: Store, name: str) -> None:
    """Stop watching; what was kept of it stays in the archive."""
    with store.begin() as session:
        row = _find(session, name, to_change=True)
        gone = (row, *session.scalars(_present().where(WatchRow.parent_id == row.id).with_for_update()))
        for each in gone:
            each.deleted, each.paused, each.lease = True, True, None
            each.revision += 1
        failed_steps.forget(session, [each.id for each in gone])


def set_kind(store: Store, which: str, kind: Kind) -> None:
    """Say what was found at the address of a watch that was added without saying it."""
    with store.begin() as session:
        row = _find(session, which, to_change=True)
        row.kind, row.memory = kind, {name: value for name, value in row.memory.items() if name != FINDS_KIND}
        row.revision += kind != "page"


def visit_now(store: Store, name: str) -> None:
    """Make a watch due."""
    with store.begin() as session:
        _find(session, name).next_at = datetime.now(UTC)


def get(store: Store, name: str) -> Watch:
    """Give a watch by its id, or by its address or name if only one has it."""
    with store.read() as session:
        return watch_of(_find(session, name))


def every(store: Store, *, group: str | None = None) -> list[Watch]:
    """Give all watches, or those of a group, in the order they were added."""
    wanted = _present().order_by(WatchRow.created_at, WatchRow.id)
    if group is not None:
        wanted = wanted.where(WatchRow.group == group)
    with store.read() as session:
        return [watch_of(row) for row in session.scalars(wanted)]


def own(store: Store) -> list[Watch]:
    """Give what the user added, in that order; the pages of sites are found again."""
    mine = _present().where(WatchRow.parent_id.is_(None)).order_by(WatchRow.created_at, WatchRow.id)
    with store.read() as session:
        return [watch_of(row) for row in session.scalars(mine)]


def known_ids(store: Store, ids: Sequence[str]) -> set[str]:
    """Give those of the ids that a watch has or had."""
    known = set[str]()
    with store.read() as session:
        for at in range(0, len(ids), _IDS_PER_QUERY):
            known |= set(session.scalars(select(WatchRow.id).where(WatchRow.id.in_(ids[at : at + _IDS_PER_QUERY]))))
    return known


def present_ids(store: Store, watches: Sequence[Watch]) -> set[str]:
    """Give the ids of those that are here under their id, at the address they have."""
    found, wanted = set[str](), {each.id: each.url for each in watches if each.id}
    ids = list(wanted)
    with store.read() as session:
        for at in range(0, len(ids), _IDS_PER_QUERY):
            some = _present().where(WatchRow.id.in_(ids[at : at + _IDS_PER_QUERY]))
            found |= {row.id for row in session.scalars(some) if row.url == wanted[row.id]}
    return found


def pages_of(store: Store, site: str) -> dict[str, bool]:
    """Give the addresses of the pages that a site named, and whether the user removed them."""
    with store.read() as session:
        named = (
            select(WatchRow.url, WatchRow.deleted).where(WatchRow.parent_id == site).order_by(WatchRow.created_at)
        )
        return {row.url: row.deleted for row in session.execute(named)}


def groups(store: Store) -> dict[str, dict[str, Any]]:
    """Give the groups with the options that each sets."""
    with store.read() as session:
        named = dict.fromkeys(session.scalars(select(WatchRow.group).where(~WatchRow.deleted).distinct()))
        rows = session.scalars(select(GroupRow).where(~GroupRow.deleted))
        set_ = {row.name: checked_options(row.options) for row in rows}
    return {name: set_.get(name, {}) for name in sorted({*named, *set_} - {""})}


def tags(store: Store) -> list[str]:
    """Give the tags that watches have, by name."""
    some = cast_to(WatchRow.tags, Text)
    with store.read() as session:
        listed = session.scalars(select(some).where(~WatchRow.deleted, some != "[]").distinct())
        return sorted({tag for written in listed for tag in json.loads(written)}, key=str.casefold)


@dataclass(frozen=True, slots=True)
class SetOptions:
    """The options that users set, with their secrets: of groups by name, and of watches by id."""

    groups: dict[str, dict[str, Any]]
    watches: dict[str, dict[str, Any]]


def options(store: Store) -> SetOptions:
    """Give all options as they are set, secrets included."""
    with store.read() as session:
        return SetOptions(
            {name: set_ for name, set_ in session.execute(select(GroupRow.name, GroupRow.options))},  # noqa: C416
            {id_: set_ for id_, set_ in session.execute(select(WatchRow.id, WatchRow.options))},  # noqa: C416
        )


def restore_options(store: Store, known: SetOptions) -> None:
    """Set the options of groups and watches that are there again, with the secrets that the archive has not."""
    with store.begin() as session:
        for name, set_ in known.groups.items():
            if group := session.get(GroupRow, name):
                group.options = set_
        for id_, set_ in known.watches.items():
            if watch := session.get(WatchRow, id_):
                watch.options = set_


def set_group(store: Store, name: str, options: Mapping[str, Any]) -> None:
    """Say what the watches of a group have in common."""
    name = checked_group(name)
    if not name:
        raise InputError("a group has no name here; give it one")
    validate_options(checked_options(options))
    with store.begin() as session:
        known = session.get(GroupRow, name, with_for_update=True)
        said = with_secrets(checked_options(options), known.options if known else {})
        revision = known.revision + 1 if known else 1
        session.merge(GroupRow(name=name, options=said, revision=revision, deleted=False))


def remove_group(store: Store, name: str) -> None:
    """Forget a group; its watches stay, in no group."""
    with store.begin() as session:
        gone = update(GroupRow).where(GroupRow.name == name)
        session.execute(gone.values(options={}, deleted=True, revision=GroupRow.revision + 1))
        session.execute(
            update(WatchRow).where(WatchRow.group == name).values(group="", revision=WatchRow.revision + 1)
        )


def host_of(url: str) -> str:
    """Give the host that is asked for an address: what politeness counts by."""
    return (urlsplit(url).hostname or "").rstrip(".").lower()[:255]


def _present() -> Any:
    return select(WatchRow).where(~WatchRow.deleted)


class WatchedAlreadyError(ConflictError):
    """An address that is watched already in the same way, and by which watch."""

    def __init__(self, url: str, watch: str) -> None:
        super().__init__(
            f"{url} is watched already; change it with: pagedrift watch edit {watch}, or choose other parts of it"
        )
        self.watch = watch


def _refuse_watched(session: Session, new: Watch, *, any_kind: bool = False) -> None:
    same = _present().where(WatchRow.url == new.url)
    for known in map(watch_of, session.scalars(same)):
        if known.looks_at == new.looks_at and (any_kind or known.kind == new.kind):
            raise WatchedAlreadyError(new.url, known.id)


def _find(session: Session, name: str, *, to_change: bool = False) -> WatchRow:
    row = session.get(WatchRow, name)
    if row is None:
        found = session.scalars(_present().where((WatchRow.url == name) | (WatchRow.name == name)).limit(2)).all()
        if len(found) > 1:
            raise ConflictError(f"several watches match {name[:200]}; use an id from: pagedrift watch list")
        row = found[0] if found else None
    if row is None or row.deleted:
        raise NotFoundError(f"no watch called {name[:200]}; list them with: pagedrift watch list")
    if to_change:  # two that change it at once would both write the same revision, and the archive get one of them
        session.refresh(row, with_for_update=True)
    return row


def with_secrets(options: Mapping[str, Any], known: Mapping[str, Any], *, lost: str = "") -> dict[str, Any]:
    """Put secrets that came back hidden in again; `lost` stands for those that are not known."""
    said, known = renamed(options), renamed(known)
    for name in SECRET & said.keys():
        if isinstance(said[name], str):
            said[name] = known.get(name, lost) if said[name] == HIDDEN else said[name]
        elif name == "notify":
            kept = list(known.get(name, ()))
            said[name] = [_channel(each, kept) for each in said[name]]
        else:
            before = dict(map(tuple, known.get(name, ())))
            pairs = said[name].items() if isinstance(said[name], dict) else said[name]
            said[name] = [(key, before.get(key, lost) if value == HIDDEN else value) for key, value in pairs]
    return said


def _channel(shown: str, kept: list[str]) -> str:
    """Find the channel that is shown so, each once."""
    at = next((at for at, channel in enumerate(kept) if masked(channel) == shown), None)
    return shown if at is None else kept.pop(at)


def _fields(watch: Watch) -> dict[str, Any]:
    return {name: getattr(watch, name) for name in Watch.__slots__}


def watch_of(row: WatchRow) -> Watch:
    """Give the watch that a row holds."""
    return Watch(
        row.url,
        kind=cast("Kind", row.kind),
        name=row.name,
        group=row.group,
        tags=tuple(row.tags),
        options=checked_options(row.options),
        paused=row.paused,
        id=row.id,
    )


def _row(watch: Watch, parent: str | None = None) -> WatchRow:
    now = datetime.now(UTC)
    row = WatchRow(id=watch.id, parent_id=parent, created_at=now, next_at=now)
    return _fill(row, watch)


def _fill(row: WatchRow, watch: Watch) -> WatchRow:
    row.url, row.host, row.kind = watch.url, host_of(watch.url), watch.kind
    row.name, row.group, row.options, row.paused = watch.name, watch.group, dict(watch.options), watch.paused
    row.tags = list(watch.tags)
    return row
