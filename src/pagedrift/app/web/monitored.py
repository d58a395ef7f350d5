"""The monitored selectors of a watch, read and replaced, for pages and API alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift.app.model.monitored_selector import MonitoredSelector, replaced
from pagedrift.app.monitor.monitored_selectors import MAX_BYTES, MAX_VERSIONS, examine_selectors
from pagedrift.app.store import queries, visits, watches
from pagedrift.app.web.request_context import settings_of, store_of, worked_out
from pagedrift.selectors.expressions import check_selector, parse_selector

if TYPE_CHECKING:
    from fastapi import Request


def monitored_selectors(request: Request, which: str) -> list[MonitoredSelector]:
    """Say how the selectors that a watch monitors are."""
    with store_of(request).read() as session:
        lines = visits.options_of_watch(session, which).selectors
        health = queries.selector_hits(session, which)
        kept = queries.versions(session, which, most=MAX_VERSIONS, max_bytes=MAX_BYTES)
    if not lines:
        return []
    versions = [(each.id, each.place) for each in kept]
    return worked_out(request, examine_selectors, settings_of(request).archive, versions, lines, health)


def use_selector(request: Request, which: str, *, name: str, old: str, new: str) -> None:
    """Let a watch monitor another selector under the same name."""
    check_selector(parse_selector(name, new))
    store = store_of(request)
    with store.read() as session:
        lines = visits.options_of_watch(session, which).selectors
    watch = watches.get(store, which)
    options = {**watch.options, "selectors": replaced(lines, name=name, old=old, new=new)}
    watches.edit(store, watch.id, options=options)
