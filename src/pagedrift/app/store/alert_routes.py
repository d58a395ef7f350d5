"""Routes of alerts, read from the database: to which channels those of a watch are sent, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from pagedrift.app.model.alert_route import AlertRoute, RouteSource
from pagedrift.app.model.alert_settings import INSTALLATION, AlertSettings, checked_settings, usable
from pagedrift.app.model.channels import NO_ALERTS
from pagedrift.app.model.options import HIDDEN, renamed
from pagedrift.app.store.effective_options import options_of
from pagedrift.app.store.tables import AlertSettingsRow, GroupRow, PersonRow, WatchRow
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from sqlalchemy.orm import Session

    from pagedrift.app.model.alert_schedule import Digest

Plan = dict[str, "datetime | None"]  # by channel: until when an alert waits; None for at once


def settings_of(session: Session, owner: str = INSTALLATION) -> AlertSettings:
    """Read the settings; if they cannot be used, such as with a zone that is gone, alerts do not wait."""
    row = session.get(AlertSettingsRow, owner)
    if row is None:
        return AlertSettings()
    try:
        return checked_settings(row.settings)
    except PagedriftError:
        where = ("channels", "tag_channels")
        return checked_settings({name: value for name, value in row.settings.items() if name in where})


def route_of(session: Session, watch: WatchRow, settings: AlertSettings) -> AlertRoute:
    """Say where alerts of a watch go: to its own channels, or those of its site, group or tags, or the default."""
    for source, name, options in _levels(session, watch):
        said = renamed(options).get("notify")
        if said is not None:
            return _route(map(str, said), source, name)
    return _by_tag(session, watch, settings)


def _by_tag(session: Session, watch: WatchRow, settings: AlertSettings) -> AlertRoute:
    """Say where somebody wants alerts of a watch: to the channels of its tags, or to the default ones."""
    by_tag = {tag.casefold(): (tag, several) for tag, several in settings.tag_channels.items()}
    found = [by_tag[tag.casefold()] for tag in _tags(session, watch) if tag.casefold() in by_tag]
    if found:
        every = [channel for _, several in found for channel in several]
        talking = [channel for channel in every if channel != NO_ALERTS]  # one silent tag does not silence others
        return _route(talking or every, "tag", ", ".join(tag for tag, _ in found))
    return _route(settings.channels, "default", "")


def plan(session: Session, watches: Iterable[WatchRow], now: datetime, *, urgent: bool) -> Plan:
    """Say to which channels an alert about some watches is sent, and when: as soon as for one of them."""
    found, about = Plan(), list(watches)
    settings = settings_of(session)
    schedule = settings.schedule()
    for watch in about:
        held = None if urgent else schedule.release(now, digest_of(session, watch))
        _plan(found, route_of(session, watch, settings).channels, held)
    for own in _of_people(session):
        schedule = own.schedule()
        for watch in about:
            held = None if urgent else schedule.release(now, None)
            _plan(found, _by_tag(session, watch, own).channels, held)
    return found


def _plan(found: Plan, channels: Iterable[str], held: datetime | None) -> None:
    for channel in channels:
        known = found.get(channel, held)
        found[channel] = None if known is None or held is None else min(known, held)


def _of_people(session: Session) -> list[AlertSettings]:
    """Give what people set for themselves, in addition to the installation: those who are still here."""
    here = select(AlertSettingsRow.owner).join(PersonRow, PersonRow.id == AlertSettingsRow.owner)
    return [settings_of(session, owner) for owner in session.scalars(here.order_by(AlertSettingsRow.owner))]


def digest_of(session: Session, watch: WatchRow) -> Digest | None:
    """Give when a watch wants its alerts sent; None where the settings say it."""
    try:
        wanted = options_of(session, watch, names=("send",)).send
    except PagedriftError:  # of a newer release
        return None
    return None if wanted == "default" else wanted


def _levels(session: Session, watch: WatchRow) -> Iterator[tuple[RouteSource, str, dict[str, Any]]]:
    yield "watch", "", watch.options
    site = session.get(WatchRow, watch.parent_id) if watch.parent_id else None
    if site is not None:
        yield "site", site.name or site.url, site.options
    group = session.get(GroupRow, watch.group) if watch.group else None
    if group is not None and not group.deleted:
        yield "group", group.name, group.options


def _tags(session: Session, watch: WatchRow) -> list[str]:
    """Give the tags of a watch; a page that was found by a site has those of the site."""
    site = session.get(WatchRow, watch.parent_id) if watch.parent_id and not watch.tags else None
    return list(site.tags if site is not None else watch.tags)


def _route(channels: Iterable[str], source: RouteSource, name: str) -> AlertRoute:
    named = tuple(channels)
    return AlertRoute(
        channels=usable(named),
        source=source,
        name=name,
        silent=named == (NO_ALERTS,) or (not named and source != "default"),
        lost=any(HIDDEN in channel for channel in named),
    )
