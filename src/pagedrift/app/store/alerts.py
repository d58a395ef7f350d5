"""Alerts in the database: opened, joined by pages with the same change, and closed when they are sent.

A change that is worth an alert opens one, or joins the open one of its host with the same signature: a new entry
in the menu of three hundred pages is one message.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, or_, select, text, update

from pagedrift.app.model.alert import AlertPage, ClosingAlert
from pagedrift.app.model.decision import Decision, Reason
from pagedrift.app.model.news import News, is_bare_fact
from pagedrift.app.model.redesign import RedesignSummary
from pagedrift.app.store import alert_routes
from pagedrift.app.store.queries.redesigns import redesigned_pages
from pagedrift.app.store.tables import AlertRow, AlertWatchRow, ChangeRow, DeliveryRow, WatchRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.orm import Session

    from pagedrift.app.model.change import ChangeRecord
    from pagedrift.app.store.alert_routes import Plan
    from pagedrift.app.store.store import Store
    from pagedrift.app.store.visits import RecordedVisit

MIN_WAIT_SECONDS: Final = 10.0  # seconds that an alert waits for others at least
MAX_WAIT_SECONDS: Final = 15 * 60.0
_VISIT: Final = 60.0  # seconds that a visit takes at most, more or less
_MONTH: Final = timedelta(days=30)
_DAY: Final = timedelta(days=1)
SAME_NEWS_WITHIN: Final = timedelta(days=3)  # for which an article may come to one page after the other
MAX_NEWS_COMPARED: Final = 30  # changes of other pages of a host
_STORIES: Final = uuid.UUID("5d1c1f36-6a44-4f0e-9d0c-8f6d2f0c8710")

# For how long other pages with the same change cause no new alert.
NOT_SENT_AGAIN_FOR: Final = {"change": _MONTH, "redesign": _MONTH, "trouble": _DAY, "selector": _DAY}


def add(
    session: Session,
    recorded: RecordedVisit,
    *,
    kind: str,
    signature: str,
    title: str,
    now: datetime,
    urgent: bool = False,
) -> None:
    """Open an alert about a visit, or join one, also one that was sent already.

    `title` says what happened, without the verdict. Without a signature no other change joins it. An alert
    waits for others as long as pages of its host are due; one that is `urgent` waits for nothing else.
    """
    watch = session.get_one(WatchRow, recorded.watch)
    change = None if recorded.change is None else session.get_one(ChangeRow, recorded.change)
    _one_at_a_time(session, f"{kind} {watch.host} {signature}")
    uid = _uid(watch, kind, signature, title, now)
    alert = session.scalars(select(AlertRow).where(AlertRow.uid == uid)).first()
    alert = alert or _known(session, watch, kind, signature, now=now, change=change)
    alert = alert or (_same_news(session, watch, change, now) if change is not None and kind == "change" else None)
    if alert is None:
        alert = AlertRow(
            uid=uid,
            kind=kind,
            host=watch.host,
            signature=signature,
            opened_at=now,
            closes_at=now + timedelta(seconds=coming(session, watch, now)),
            title=title,
        )
        session.add(alert)
        session.flush()
    _join(session, alert, watch, change, now)
    if urgent:
        _hurry(session, alert, now)


def coming(session: Session, watch: WatchRow, now: datetime) -> float:
    """Give the seconds until the other pages of a host that are due soon were visited."""
    until = now + timedelta(seconds=MAX_WAIT_SECONDS)
    last = session.scalar(
        select(func.max(WatchRow.next_at)).where(
            WatchRow.host == watch.host,
            WatchRow.id != watch.id,
            ~WatchRow.paused,
            ~WatchRow.deleted,
            WatchRow.next_at <= until,
        )
    )
    if last is None:
        return MIN_WAIT_SECONDS
    waits = max(0.0, (_moment(last) - now).total_seconds()) + _VISIT
    return min(MAX_WAIT_SECONDS, waits)


def close_next(
    store: Store, now: datetime, compose: Callable[[ClosingAlert], dict[str, Any]], *, waiting: bool = False
) -> int | None:
    """Close an alert whose time is up, or also one that waits for others; None where there is none.

    What it says is composed once, forever, and put on its way to every channel of its watches. Nothing is sent of
    what nobody watches anymore. Gives how many alerts are sent: one, or none.
    """
    wanted = select(AlertRow).where(AlertRow.closed_at.is_(None)) if waiting else _due(now)
    with store.begin() as session:
        alert = session.scalars(wanted.with_for_update(skip_locked=True).limit(1)).first()
        return None if alert is None else _close(session, alert, now, compose)


def last_about_a_change(session: Session) -> ClosingAlert | None:
    """Give the last alert about a change that was sent, as it was before it was put into words."""
    sent = select(AlertRow).where(AlertRow.closed_at.is_not(None), AlertRow.kind == "change")
    alert = session.scalars(sent.order_by(AlertRow.closed_at.desc()).limit(1)).first()
    found = _watches(session, alert) if alert is not None else []
    if alert is None or not found:
        return None
    closing = _closing(session, alert, found)
    return replace(closing, title=str(alert.told.get("headline") or alert.title))


def _uid(watch: WatchRow, kind: str, signature: str, title: str, now: datetime) -> str:
    """Name an alert so that it has the same name when the database is made again from the archive."""
    found = "\n".join((watch.id, kind, signature, title, now.astimezone(UTC).isoformat()))
    return str(uuid.uuid5(_STORIES, found.encode("utf-8", "replace").decode()))


def _known(
    session: Session, watch: WatchRow, kind: str, signature: str, *, now: datetime, change: ChangeRow | None
) -> AlertRow | None:
    """Find the alert that is open, or was recently sent about other pages."""
    if not signature:
        return None
    alike = select(AlertRow).where(
        AlertRow.host == watch.host, AlertRow.kind == kind, AlertRow.signature == signature
    )
    if kind == "change":  # watches of one address look for different things: each has its own alert
        twin = select(WatchRow.id).where(WatchRow.url == watch.url, WatchRow.id != watch.id)
        about = select(AlertWatchRow.alert_id).where(AlertWatchRow.watch_id.in_(twin))
        alike = alike.where(AlertRow.id.not_in(about))
    open_ = session.scalars(alike.where(AlertRow.closed_at.is_(None)).limit(1)).first()
    if open_ is not None:
        return open_
    if change is not None and _is_about_bare_facts(change.record):
        return None  # “sold out” on another page, another day, is about another thing
    since = now - NOT_SENT_AGAIN_FOR.get(kind, _DAY)
    found = session.scalars(alike.where(AlertRow.closed_at >= since).order_by(AlertRow.closed_at.desc()).limit(1))
    alert = found.first()
    # The same page again, such as one that is sold out for the second time, is news.
    again = alert is not None and session.get(AlertWatchRow, (alert.id, watch.id)) is not None
    return None if again else alert


def _is_about_bare_facts(record: ChangeRecord) -> bool:
    """Return whether a change of content is about facts whose texts do not say what they belong to."""
    analysis = record.analysis
    return not analysis.template and any(map(is_bare_fact, analysis.edits_at("important")))


def _same_news(session: Session, watch: WatchRow, change: ChangeRow, now: datetime) -> AlertRow | None:
    """Find the alert about another page of the host with the same news, such as an article that both list."""
    news = News.of(change.record)
    if news is None or not news.identified:
        return None
    _one_at_a_time(session, f"news {watch.host}")
    lately = (
        select(ChangeRow)
        .join(WatchRow, WatchRow.id == ChangeRow.watch_id)
        .where(WatchRow.host == watch.host, ChangeRow.watch_id != watch.id, ChangeRow.alert_id.is_not(None))
        .where(ChangeRow.told, ChangeRow.at >= now - SAME_NEWS_WITHIN, ChangeRow.at <= now + SAME_NEWS_WITHIN)
        .order_by(ChangeRow.at.desc())
        .limit(MAX_NEWS_COMPARED)
    )
    for row in session.scalars(lately):
        told = News.of(row.record)
        if (
            told is not None
            and news.is_part_of(told)
            and session.get(AlertWatchRow, (row.alert_id, watch.id)) is None
        ):
            return session.get(AlertRow, row.alert_id)
    return None


def _join(session: Session, alert: AlertRow, watch: WatchRow, change: ChangeRow | None, now: datetime) -> None:
    """Add a watch to an alert; if that was already sent, say so, and send it to channels that do not have it."""
    session.merge(
        AlertWatchRow(
            alert_id=alert.id,
            watch_id=watch.id,
            group=watch.group,
            change_id=None if change is None else change.id,
        )
    )
    if change is not None:
        change.alert_id = alert.id
        if alert.closed_at is not None:
            change.decide(Decision(False, Reason.ALREADY_SENT, {"sent_at": alert.closed_at.isoformat()}))
    if alert.closed_at is not None:
        alert.journalled = False  # the archive does not have this page of it yet
        known = session.scalars(select(DeliveryRow.channel).where(DeliveryRow.alert_id == alert.id))
        plan = alert_routes.plan(session, [watch], now, urgent=alert.urgent)
        for channel in known:
            plan.pop(channel, None)
        _send(session, alert, plan, now)


def _hurry(session: Session, alert: AlertRow, now: datetime) -> None:
    """Let an alert wait no longer, nor what is on its way."""
    alert.urgent = True
    waiting = update(DeliveryRow).where(DeliveryRow.alert_id == alert.id, DeliveryRow.held_until > now)
    session.execute(waiting.where(DeliveryRow.delivered_at.is_(None)).values(held_until=None, next_at=now))


def _close(
    session: Session, alert: AlertRow, now: datetime, compose: Callable[[ClosingAlert], dict[str, Any]]
) -> int:
    found = _watches(session, alert)
    if not found:
        session.delete(alert)
        return 0
    alert.told = compose(_closing(session, alert, found))
    alert.title, alert.closed_at = alert.told["title"], now
    _send(session, alert, alert_routes.plan(session, (watch for _, watch in found), now, urgent=alert.urgent), now)
    return 1


def _closing(session: Session, alert: AlertRow, found: Sequence[tuple[AlertWatchRow, WatchRow]]) -> ClosingAlert:
    changes = _changes(session, found)
    first = next((changes[row.change_id] for row, _ in found if row.change_id in changes), None)
    redesigned = redesigned_pages(session, alert.id) if alert.kind == "redesign" else ()
    said = {page.watch: page.details for page in redesigned}
    pages = (
        AlertPage(
            watch=row.watch_id,
            url=watch.url,
            name=watch.name,
            group=row.group,
            change=row.change_id,
            content=said[row.watch_id].content if row.watch_id in said else "",
        )
        for row, watch in found
    )
    return ClosingAlert(
        number=alert.id,
        uid=alert.uid,
        kind=alert.kind,
        title=alert.title,
        pages=tuple(pages),
        change=None if first is None else first.record,
        redesign=RedesignSummary.of(said.items()) if said else None,
    )


def _send(session: Session, alert: AlertRow, plan: Plan, now: datetime) -> None:
    session.add_all(
        DeliveryRow(alert_id=alert.id, channel=channel, next_at=held or now, held_until=held)
        for channel, held in sorted(plan.items())
    )


def _due(now: datetime) -> Any:
    """Alerts whose time is up; also those that would wait longer than any may, because a clock was wrong."""
    late = AlertRow.closes_at > now + timedelta(seconds=MAX_WAIT_SECONDS + _VISIT)
    return select(AlertRow).where(
        AlertRow.closed_at.is_(None), or_(AlertRow.closes_at.is_(None), AlertRow.closes_at <= now, late)
    )


def _watches(session: Session, alert: AlertRow) -> list[tuple[AlertWatchRow, WatchRow]]:
    found = session.execute(
        select(AlertWatchRow, WatchRow)
        .join(WatchRow, WatchRow.id == AlertWatchRow.watch_id)
        .where(AlertWatchRow.alert_id == alert.id, ~WatchRow.deleted)
        .order_by(AlertWatchRow.change_id, WatchRow.url)
    )
    return [(row, watch) for row, watch in found]


def _changes(session: Session, found: Sequence[tuple[AlertWatchRow, WatchRow]]) -> dict[int, ChangeRow]:
    """Give the first few of the changes: one of them is shown, and is like the others."""
    wanted = [row.change_id for row, _ in found if row.change_id is not None][:10]
    return {row.id: row for row in session.scalars(select(ChangeRow).where(ChangeRow.id.in_(wanted)))}


def _moment(value: datetime) -> datetime:
    """Give a time its zone: functions of SQLite lose it."""
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _one_at_a_time(session: Session, what: str) -> None:
    """Let nobody else open the same alert at the same time; SQLite has one writer anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:what, 8710))"), {"what": what})
