"""Options of a watch with what its site and its group hand down, read from the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from pagedrift.app.model.options import resolve
from pagedrift.app.store.tables import GroupRow, WatchRow
from pagedrift.capture.request_options import same_place

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

    from pagedrift.app.model.options import WatchOptions


def options_of(session: Session, row: WatchRow, *, names: Collection[str] | None = None) -> WatchOptions:
    """Give the options of one watch, or those of them that are named."""
    group = session.get(GroupRow, row.group) if row.group else None
    site = session.get(WatchRow, row.parent_id) if row.parent_id else None
    return _resolved(row, site, group, names)


class Inheritance:
    """Options of many watches: groups and sites are read once, and all at once."""

    def __init__(self, session: Session) -> None:
        self._groups: dict[str, Any] = {row.name: row for row in session.scalars(select(GroupRow))}
        sites = select(WatchRow.id, WatchRow.url, WatchRow.options).where(WatchRow.kind != "page")
        self._sites: dict[str | None, Any] = {row.id: row for row in session.execute(sites)}

    def options_of(self, row: Any) -> WatchOptions:
        """Give the options of a watch, of which a row has at least url, group, parent_id and options."""
        return _resolved(row, self._sites.get(row.parent_id), self._groups.get(row.group))


def _resolved(row: Any, site: Any, group: Any, names: Collection[str] | None = None) -> WatchOptions:
    return resolve(
        row.options,
        site=site.options if site else None,
        group=group.options if group and not group.deleted else None,
        on_host_of_site=site is None or same_place(site.url, row.url),
        names=names,
    )
