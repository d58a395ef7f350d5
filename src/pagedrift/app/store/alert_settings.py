"""Settings of alerts in the database: saved as a whole, and applied at once to alerts that wait."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from pagedrift.app.model.alert_settings import INSTALLATION, AlertSettings, checked_settings, with_known_channels
from pagedrift.app.store import alert_routes
from pagedrift.app.store.tables import AlertRow, AlertSettingsRow, AlertWatchRow, DeliveryRow, WatchRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from pagedrift.app.model.alert_route import AlertRoute
    from pagedrift.app.store.store import Store


def get(store: Store, *, owner: str = INSTALLATION) -> AlertSettings:
    """Give the settings of the installation, or what a person set for themselves in addition."""
    with store.read() as session:
        return alert_routes.settings_of(session, owner)


def route(session: Session, which: str) -> AlertRoute:
    """Say where alerts of a watch go, and why."""
    return alert_routes.route_of(session, session.get_one(WatchRow, which), alert_routes.settings_of(session))


def save(
    store: Store, given: Mapping[str, Any], *, owner: str = INSTALLATION, now: datetime | None = None
) -> AlertSettings:
    """Change some of the settings, or say what is wrong with them; alerts that wait follow the new schedule."""
    now = now or datetime.now(UTC)
    with store.begin() as session:
        row = session.get(AlertSettingsRow, owner, with_for_update=True)
        known = alert_routes.settings_of(session, owner)
        settings = checked_settings(known.model_dump() | with_known_channels(given, known))
        if row is None:
            session.add(AlertSettingsRow(owner=owner, settings=settings.model_dump(mode="json")))
        elif settings != known:
            row.settings, row.revision = settings.model_dump(mode="json"), row.revision + 1
        session.flush()
        _plan_again(session, now)
    return settings


def send_held(store: Store, now: datetime) -> int:
    """Send everything now that waits for its time; give how many alerts that are."""
    with store.begin() as session:
        rows = list(session.scalars(_held()))
        for row in rows:
            row.next_at = now
    return len({row.alert_id for row in rows})


def _plan_again(session: Session, now: datetime) -> None:
    """Let the deliveries that wait do so until when they would have to by the settings of now."""
    for row in session.scalars(_held().with_for_update(skip_locked=True)):
        alert = session.get_one(AlertRow, row.alert_id)
        watches = session.scalars(
            select(WatchRow)
            .join(AlertWatchRow, AlertWatchRow.watch_id == WatchRow.id)
            .where(AlertWatchRow.alert_id == alert.id, ~WatchRow.deleted)
        )
        plan = alert_routes.plan(session, watches, now, urgent=alert.urgent)
        # A channel that is no longer named gets what was meant for it, when the others do.
        held = plan.get(row.channel, min(filter(None, plan.values()), default=None))
        row.held_until, row.next_at = held, held or now


def _held() -> Any:
    """Deliveries that wait for their time, and were not tried yet."""
    return select(DeliveryRow).where(
        DeliveryRow.held_until.is_not(None), DeliveryRow.attempts == 0, DeliveryRow.delivered_at.is_(None)
    )
