"""Database tables; all but accounts, keys and settings can be rebuilt from the WARC files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from pagedrift.app.model.change import ChangeRecord
from pagedrift.app.model.decision import Decision
from pagedrift.app.model.people import FIRST

NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
PENDING: Final = text("journalled < revision")  # what the archive does not have as it is
SKIPPED: Final = text("NOT kept AND outcome IN ('new', 'changed')")  # visits whose version was not kept
_KEPT: Final = text("version_id IS NOT NULL")


class UtcDateTime(TypeDecorator[datetime]):
    """A time in UTC, in databases that know of zones and in those that do not."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Write a time."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Read a time."""
        return (
            None if value is None else value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        )


class Base(DeclarativeBase):
    """What all tables share."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it off the class
        int: BigInteger().with_variant(Integer, "sqlite"),
        str: Text(),
        datetime: UtcDateTime(),
        dict[str, Any]: JSON(),
    }


class GroupRow(Base):
    """A group of watches, and the options they share."""

    __tablename__ = "groups"
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    revision: Mapped[int] = mapped_column(default=1)
    journalled: Mapped[int] = mapped_column(default=0)
    deleted: Mapped[bool] = mapped_column(default=False)


class WatchRow(Base):
    """One watch: what it is, when it is due, and how it is doing."""

    __tablename__ = "watches"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    url: Mapped[str]
    host: Mapped[str] = mapped_column(String(255), index=True)
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(default="")
    group: Mapped[str] = mapped_column(String(200), default="", index=True)  # by name; it need not set anything
    tags: Mapped[list[str]] = mapped_column(JSON, default=list)  # by which it is found
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    paused: Mapped[bool] = mapped_column(default=False)
    parent_id: Mapped[str | None] = mapped_column(String(32), index=True)  # the site by which a page was found
    created_at: Mapped[datetime]
    revision: Mapped[int] = mapped_column(default=1)  # of what the user set ...
    journalled: Mapped[int] = mapped_column(default=0)  # ... and up to which the archive has it
    deleted: Mapped[bool] = mapped_column(default=False)
    # When it is due, and who is on the way to it
    next_at: Mapped[datetime]
    lease: Mapped[str | None] = mapped_column(String(64))
    leased_until: Mapped[datetime | None]
    # How it is doing
    visits: Mapped[int] = mapped_column(default=0)
    visited_at: Mapped[datetime | None]
    changed_at: Mapped[datetime | None]
    state: Mapped[str] = mapped_column(String(16), default="new")  # new, fine, trouble, not_the_page
    trouble: Mapped[str] = mapped_column(default="")
    failures: Mapped[int] = mapped_column(default=0)  # in a row
    newest_id: Mapped[int | None]  # the version that the next one is compared with
    rate: Mapped[dict[str, Any]] = mapped_column(default=dict)  # what is known of how often it changes
    memory: Mapped[dict[str, Any]] = mapped_column(default=dict)  # of feeds, detectors and selectors

    __table_args__ = (
        Index("ix_watches_due", "paused", "next_at"),
        Index("ix_watches_url", "url", postgresql_using="hash"),  # addresses are longer than other indexes take
        Index("ix_watches_pending", "id", sqlite_where=PENDING, postgresql_where=PENDING),
    )


class VisitRow(Base):
    """One visit, whatever came of it."""

    __tablename__ = "visits"
    id: Mapped[int] = mapped_column(primary_key=True)
    watch_id: Mapped[str] = mapped_column(ForeignKey("watches.id", ondelete="CASCADE"))
    at: Mapped[datetime]
    outcome: Mapped[str] = mapped_column(String(16))  # new, changed, unchanged, not_the_page, trouble
    reason: Mapped[str] = mapped_column(default="")
    status: Mapped[int | None]
    seconds: Mapped[float] = mapped_column(default=0.0)
    version_id: Mapped[int | None]  # where one was kept
    kept: Mapped[bool] = mapped_column(default=True)  # False where the policy skipped it, for this reason

    __table_args__ = (
        Index("ix_visits_watch_at", "watch_id", "at"),
        Index("ix_visits_version", "version_id", sqlite_where=_KEPT, postgresql_where=_KEPT),
        Index("ix_visits_skipped", "at", sqlite_where=SKIPPED, postgresql_where=SKIPPED),  # a few among very many
    )


class FailedStepRow(Base):
    """The browser step at which the last visit of a watch failed, and the page at that moment."""

    __tablename__ = "failed_steps"
    watch_id: Mapped[str] = mapped_column(ForeignKey("watches.id", ondelete="CASCADE"), primary_key=True)
    at: Mapped[datetime]
    number: Mapped[int]  # counted from 1
    step: Mapped[str]  # with the names of secrets
    problem: Mapped[str]
    picture: Mapped[bytes]  # JPEG; empty where none could be taken


class VersionRow(Base):
    """One version, and where its bytes are."""

    __tablename__ = "versions"
    id: Mapped[int] = mapped_column(primary_key=True)
    watch_id: Mapped[str] = mapped_column(ForeignKey("watches.id", ondelete="CASCADE"))
    url: Mapped[str]
    captured_at: Mapped[datetime]
    digest: Mapped[str] = mapped_column(String(80))  # of its body; versions with one digest are the same
    mime: Mapped[str] = mapped_column(String(255), default="")
    status: Mapped[int | None]
    title: Mapped[str] = mapped_column(default="")
    filename: Mapped[str]  # of the WARC
    offset: Mapped[int]
    length: Mapped[int]
    etag: Mapped[str] = mapped_column(default="")
    modified: Mapped[str] = mapped_column(default="")  # Last-Modified, as the server wrote it
    pictured: Mapped[bool] = mapped_column(default=False)

    __table_args__ = (
        Index("ix_versions_watch_captured", "watch_id", "captured_at"),
        Index("ix_versions_watch_id", "watch_id", "id"),
        # Watches of one address share a capture; each has its own row for it.
        Index("ix_versions_place", "filename", "offset", "watch_id", unique=True),
    )


class ChangeRow(Base):
    """What two versions of a watch differ in: the five answers, and whether there was an alert."""

    __tablename__ = "changes"
    id: Mapped[int] = mapped_column(primary_key=True)
    watch_id: Mapped[str] = mapped_column(ForeignKey("watches.id", ondelete="CASCADE"))
    old_id: Mapped[int] = mapped_column(ForeignKey("versions.id", ondelete="CASCADE"), index=True)
    new_id: Mapped[int] = mapped_column(ForeignKey("versions.id", ondelete="CASCADE"), index=True)
    at: Mapped[datetime] = mapped_column(index=True)
    card: Mapped[dict[str, Any]]  # the whole record; the columns below are what is searched for
    amount: Mapped[float] = mapped_column(default=0.0)
    probability: Mapped[float] = mapped_column(default=0.0)
    matters: Mapped[bool] = mapped_column(default=False)
    redesigned: Mapped[bool] = mapped_column(default=False)
    signature: Mapped[str] = mapped_column(String(64), default="")
    told: Mapped[bool] = mapped_column(default=False)
    reason_name: Mapped[str] = mapped_column("reason", default="")  # of the decision; before, a sentence
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id", ondelete="SET NULL"), index=True)

    @property
    def decision(self) -> Decision:
        """What was decided about an alert."""
        return Decision.from_json(self.card.get("decision"), notify=self.told, text=self.reason_name)

    @property
    def reason(self) -> str:
        """Why there was an alert or not, as a sentence."""
        return self.decision.sentence

    @property
    def record(self) -> ChangeRecord:
        """The change as a value, also of rows that older releases wrote."""
        stored = self.card
        if "format" not in stored:
            columns = ("amount", "probability", "matters", "redesigned", "signature")
            stored = {"card": stored, "headline": stored.get("headline")}
            stored |= {name: getattr(self, name) for name in columns}
        return replace(ChangeRecord.from_json(stored), decision=self.decision)

    def decide(self, decision: Decision) -> None:
        """Decide again about an alert."""
        self.told, self.reason_name = decision.notify, str(decision.reason)
        self.card = {**self.card, "decision": decision.to_json()}

    __table_args__ = (
        Index("ix_changes_watch_at", "watch_id", "at"),
        # A few among very many, whose cards are long.
        Index("ix_changes_told", "watch_id", "at", sqlite_where=text("told = 1"), postgresql_where=text("told")),
        Index("ix_changes_not_told", "at", sqlite_where=text("told = 0"), postgresql_where=text("NOT told")),
        Index("ix_changes_watch_id", "watch_id", "id"),  # newest first by number, page by page
        Index("ix_changes_signature_at", "signature", "at"),
    )


class ChangeTextRow(Base):
    """The texts of a change, to search in: apart from its card, which is long and holds much else."""

    __tablename__ = "change_texts"
    change_id: Mapped[int] = mapped_column(ForeignKey("changes.id", ondelete="CASCADE"), primary_key=True)
    text: Mapped[str]


class ChangeCauseRow(Base):
    """One of the causes of a change without an alert: the text at one place of a page."""

    __tablename__ = "change_causes"
    change_id: Mapped[int] = mapped_column(ForeignKey("changes.id", ondelete="CASCADE"), primary_key=True)
    cause: Mapped[str] = mapped_column(String(64), primary_key=True)  # the place of an edit, or why there was none
    edit: Mapped[int | None]  # its number in the change
    watch_id: Mapped[str] = mapped_column(String(32))
    at: Mapped[datetime] = mapped_column(index=True)


class PersonRow(Base):
    """An account."""

    __tablename__ = "people"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    login: Mapped[str] = mapped_column(String(200), unique=True)  # the name, however its letters are written
    role: Mapped[str] = mapped_column(String(16))  # reader, editor, owner
    password: Mapped[dict[str, Any] | None] = mapped_column(
        JSON(none_as_null=True)
    )  # its hash; None until there is one
    created_at: Mapped[datetime]


class InvitationRow(Base):
    """A link by which one person may join; only its digest is kept, and nothing once it was used."""

    __tablename__ = "invitations"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class ReadRow(Base):
    """Whether a person has read about a change: there is one for each alert and person."""

    __tablename__ = "read_marks"
    person_id: Mapped[str] = mapped_column(
        String(32), ForeignKey("people.id", ondelete="CASCADE"), primary_key=True
    )
    change_id: Mapped[int] = mapped_column(
        ForeignKey("changes.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    unread: Mapped[bool]
    revision: Mapped[int] = mapped_column(default=0)  # what nobody marked is not written into the archive
    journalled: Mapped[int] = mapped_column(default=0)

    __table_args__ = (
        Index("ix_read_marks_pending", "change_id", sqlite_where=PENDING, postgresql_where=PENDING),
        Index(
            "ix_read_marks_unread",
            "person_id",
            "change_id",
            sqlite_where=text("unread = 1"),
            postgresql_where=text("unread"),
        ),
    )


class AlertRow(Base):
    """One message: a change on one page or on many, a redesign, trouble, a selector that finds nothing."""

    __tablename__ = "alerts"
    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(String(64))  # forever the same, in feeds and webhooks
    kind: Mapped[str] = mapped_column(String(16))  # change, redesign, trouble, recovery, selector
    host: Mapped[str] = mapped_column(String(255), default="")
    signature: Mapped[str] = mapped_column(String(64), default="", index=True)
    opened_at: Mapped[datetime] = mapped_column(index=True)
    closes_at: Mapped[datetime | None]  # until then, pages with the same change join it
    closed_at: Mapped[datetime | None] = mapped_column(index=True)  # sent, and unchanged from then on
    title: Mapped[str] = mapped_column(default="")
    urgent: Mapped[bool] = mapped_column(default=False)  # it does not wait for a digest or the end of quiet hours
    told: Mapped[dict[str, Any]] = mapped_column(default=dict)  # the message as it was sent
    journalled: Mapped[bool] = mapped_column(default=False)
    watches: Mapped[list[AlertWatchRow]] = relationship(cascade="all, delete-orphan")

    __table_args__ = (
        UniqueConstraint("uid", name="uq_stories_uid"),  # as the first release called it; SQLite renames none
        Index(
            "ix_alerts_pending",
            "id",
            sqlite_where=text("closed_at IS NOT NULL AND journalled = 0"),
            postgresql_where=text("closed_at IS NOT NULL AND NOT journalled"),
        ),
    )


class AlertWatchRow(Base):
    """One of the watches that an alert is about."""

    __tablename__ = "alert_watches"
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"), primary_key=True)
    watch_id: Mapped[str] = mapped_column(String(32), primary_key=True, index=True)
    group: Mapped[str] = mapped_column(String(200), default="", index=True)
    change_id: Mapped[int | None]


class DeliveryRow(Base):
    """One alert on its way to one channel."""

    __tablename__ = "deliveries"
    id: Mapped[int] = mapped_column(primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"), index=True)
    channel: Mapped[str]
    attempts: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime | None] = mapped_column(index=True)  # None when it is done or given up
    # Until when it waits by the schedule: those of one channel that wait until the same moment are one message.
    held_until: Mapped[datetime | None] = mapped_column(index=True)
    delivered_at: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(default="")


class AlertSettingsRow(Base):
    """Where somebody wants alerts, and when: the installation, whose name is empty."""

    __tablename__ = "alert_settings"
    owner: Mapped[str] = mapped_column(String(64), primary_key=True)
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    revision: Mapped[int] = mapped_column(default=1)
    journalled: Mapped[int] = mapped_column(default=0)


class RuleRow(Base):
    """What the user wants to ignore from now on."""

    __tablename__ = "rules"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    scope: Mapped[str] = mapped_column(String(16))  # watch, host, group, all
    of: Mapped[str] = mapped_column(default="")  # which watch, host or group
    kind: Mapped[str] = mapped_column(String(16))  # block (CSS), text (regular expression), kind (of change)
    value: Mapped[str]
    change_id: Mapped[int | None]  # that it was made from
    created_at: Mapped[datetime]
    revision: Mapped[int] = mapped_column(default=1)
    journalled: Mapped[int] = mapped_column(default=0)
    deleted: Mapped[bool] = mapped_column(default=False)


class PastRow(Base):
    """What earlier versions of a page teach about its next change."""

    __tablename__ = "pasts"
    watch_id: Mapped[str] = mapped_column(
        String(32), ForeignKey("watches.id", ondelete="CASCADE"), primary_key=True
    )
    wanted: Mapped[str] = mapped_column(String(64))  # the options and rules under which the versions were read
    value: Mapped[dict[str, Any]]


class LabelRow(Base):
    """What the user said about a change: the learner's examples."""

    __tablename__ = "labels"
    change_id: Mapped[int] = mapped_column(ForeignKey("changes.id", ondelete="CASCADE"), primary_key=True)
    matters: Mapped[bool]
    at: Mapped[datetime]
    taught: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)  # the edits that it is about
    journalled: Mapped[int] = mapped_column(default=0)
    revision: Mapped[int] = mapped_column(default=1)
    deleted: Mapped[bool] = mapped_column(default=False)  # removed by the user

    __table_args__ = (Index("ix_labels_pending", "change_id", sqlite_where=PENDING, postgresql_where=PENDING),)


class LogRow(Base):
    """One thing that somebody changed; see `store/log.py`."""

    __tablename__ = "log"
    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    actor_kind: Mapped[str] = mapped_column(String(16))  # person, token, command, application
    actor: Mapped[str] = mapped_column(String(200))
    person_id: Mapped[str] = mapped_column(String(32))
    action: Mapped[str] = mapped_column(String(16))  # added, changed, removed, restored
    kind: Mapped[str] = mapped_column(String(16))
    subject: Mapped[str] = mapped_column(String(200), index=True)  # its id
    title: Mapped[str] = mapped_column(String(200))
    before: Mapped[dict[str, Any]]
    after: Mapped[dict[str, Any]]


class HostRow(Base):
    """When a host may be asked again, whoever asks."""

    __tablename__ = "hosts"
    host: Mapped[str] = mapped_column(String(255), primary_key=True)
    next_at: Mapped[datetime]


class TokenRow(Base):
    """A session, or a key to the API or to feeds; only its digest is kept."""

    __tablename__ = "tokens"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str]
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    use: Mapped[str] = mapped_column(String(16), default="api")  # api, feed, session
    created_at: Mapped[datetime]
    person_id: Mapped[str] = mapped_column(String(32), default=FIRST, server_default=FIRST, index=True)
    role: Mapped[str] = mapped_column(String(16), default="owner", server_default="owner")  # the person's at most


class AttemptRow(Base):
    """A password that was tried: counted before it is looked at, in one place for all processes."""

    __tablename__ = "attempts"
    id: Mapped[int] = mapped_column(primary_key=True)
    who: Mapped[str] = mapped_column(String(64), index=True)  # an address, a network, or a browser that is known
    at: Mapped[datetime] = mapped_column(index=True)
    right: Mapped[bool] = mapped_column(default=False)
    account: Mapped[str] = mapped_column(String(64), default="", server_default="", index=True)  # that was tried


class ValueRow(Base):
    """Settings that are changed in the browser, and how far the archive was read."""

    __tablename__ = "values"
    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)
