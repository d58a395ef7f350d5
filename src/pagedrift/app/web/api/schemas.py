"""What is sent to the API, and what does it answer?"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Error(BaseModel):
    """What every refusal says; the text ends with the next step."""

    error: str


class Sent(BaseModel):
    """What is sent to us: a name that is none of ours is an error, not ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewWatch(Sent):
    """Something to watch."""

    url: str
    kind: str = Field("page", description="page, feed, sitemap or list")
    name: str = ""
    group: str = ""
    options: dict[str, Any] = Field(default_factory=dict, description="those that differ from the group's")
    paused: bool = False


class Edit(Sent):
    """What is to be different; what is not named stays, and so do secrets that are sent back as (hidden)."""

    url: str | None = None
    name: str | None = None
    group: str | None = None
    options: dict[str, Any] | None = None
    paused: bool | None = None


class GroupOptions(Sent):
    """What the watches of a group have in common."""

    options: dict[str, Any]


class Opinion(Sent):
    """Whether a change matters, for the learner."""

    matters: bool


class NewRule(Sent):
    """Something that is never to be told again."""

    scope: str = Field(description="watch, host, group or all")
    of: str = ""
    kind: str = Field(description="block (CSS), text (regular expression) or kind (of change)")
    value: str
    change: int | None = None


class WatchState(BaseModel):
    """One watch, and how it fares. Secrets are hidden."""

    id: str
    url: str
    kind: str
    name: str
    group: str
    options: dict[str, Any]
    paused: bool
    parent: str | None
    state: str
    trouble: str
    visits: int
    created_at: datetime
    visited_at: datetime | None
    changed_at: datetime | None
    next_at: datetime


class Version(BaseModel):
    """One version that is kept."""

    id: int
    watch: str
    url: str
    captured_at: datetime
    digest: str
    mime: str
    status: int | None
    title: str
    pictured: bool


class Change(BaseModel):
    """One change, and what was decided about it."""

    id: int
    watch: str
    old: int
    new: int
    at: datetime
    headline: str
    amount: float
    probability: float
    matters: bool
    redesigned: bool
    told: bool
    reason: str
    story: int | None


class WholeChange(Change):
    """One change with its five answers, what the user said about it, and where its pages are for an hour."""

    card: dict[str, Any]
    feedback: bool | None
    pages: dict[str, str]


class RuleState(BaseModel):
    """Something that is never told."""

    id: str
    scope: str
    of: str
    kind: str
    value: str


class Story(BaseModel):
    """One message, as it was told."""

    id: int
    uid: str
    kind: str
    host: str
    title: str
    opened_at: datetime
    closed_at: datetime | None
    told: dict[str, Any]
    watches: list[str]


class Watches(BaseModel):
    """Some watches; `next` leads to more."""

    watches: list[WatchState]
    next: str | None


class Versions(BaseModel):
    """Some versions, newest first."""

    versions: list[Version]
    next: int | None


class Changes(BaseModel):
    """Some changes, newest first."""

    changes: list[Change]
    next: int | None


class Stories(BaseModel):
    """Some messages, newest first."""

    stories: list[Story]
    next: int | None


class Imported(BaseModel):
    """What came of an import."""

    added: list[str]
    present: int
    notes: list[str]


class State(BaseModel):
    """How far the watcher is."""

    watches: int
    paused: int
    due: int
    trouble: int
    running: bool
    under_way: list[str]
    per_second: float
