"""Request and response schemas of the API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from pagedrift.app.model.options import (
    MAX_OPTION_CHARS,
    TEXT_PATTERN,
    SomeOptions,
    check_names,
    our_error,
    renamed,
    whole,
)
from pagedrift.app.model.rules import MAX_RULE_CHARS as LONGEST_RULE
from pagedrift.app.model.rules import Kind as RuleKind
from pagedrift.app.model.rules import Scope as RuleScope
from pagedrift.app.model.watch import MAX_GROUP_CHARS, MAX_URL_CHARS, Kind, checked_url
from pagedrift.app.web.request_context import Number
from pagedrift.errors import InputError

Fares = Literal["new", "fine", "trouble", "not_the_page"]
NO_NUL: Final = TEXT_PATTERN
StoryKind = Literal["change", "redesign", "trouble", "recovery", "selector"]


def _address(value: Any) -> Any:
    """Say what is wrong with an address as forms do; a pattern says nothing to people."""
    try:
        return checked_url(value) if isinstance(value, str) else value
    except InputError as error:
        raise our_error(error) from None


Address = Annotated[
    str,
    Field(
        max_length=MAX_URL_CHARS,
        pattern=r"^https?://([0-9A-Za-z\u00a1-\uffff._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?([/?#][^\x00-\x20\x7f\\\"<>]*)?$",
        json_schema_extra={"format": "iri"},
        examples=["https://city.example/fees"],
    ),
    BeforeValidator(_address),
]
Title = Annotated[str, Field(max_length=MAX_OPTION_CHARS, pattern=NO_NUL)]
GroupName = Annotated[str, Field(max_length=MAX_GROUP_CHARS, pattern=NO_NUL)]


class Error(BaseModel):
    """What every refusal says; the text ends with the next step."""

    error: str


class RequestModel(BaseModel):
    """What is sent to us: a name that is none of ours is an error, not ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _named(options: Any) -> Any:
    """Refuse names of options that are none, and list those that are; names of older releases are read too."""
    try:
        check_names(options if isinstance(options, dict) else {})
    except InputError as error:
        raise our_error(error) from None
    return renamed(options) if isinstance(options, dict) else options


SentOptions = Annotated[SomeOptions, BeforeValidator(_named)]


class NewWatch(RequestModel):
    """Something to watch."""

    url: Address
    kind: Kind = "page"
    name: Title = ""
    group: GroupName = ""
    options: SentOptions = Field(default_factory=dict, description="those that differ from the group's")
    paused: bool = False


class Edit(RequestModel):
    """What is to be different; what is not named stays, and so do secrets that are sent back as (hidden)."""

    url: Address = ""
    name: Title = ""
    group: GroupName = ""
    options: SentOptions = Field(default_factory=dict)
    paused: bool = False


class GroupOptions(RequestModel):
    """What the watches of a group have in common."""

    options: SentOptions


class Opinion(RequestModel):
    """Whether a change matters, for the learner."""

    matters: bool


class NewRule(RequestModel):
    """Something that is never to be told again."""

    scope: RuleScope
    of: Annotated[str, Field(max_length=MAX_OPTION_CHARS, pattern=NO_NUL)] = ""
    kind: RuleKind = Field(description="block (CSS), text (regular expression) or kind (of change)")
    value: str = Field(min_length=1, max_length=LONGEST_RULE, pattern=r"^[^\x00]*\S[^\x00]*$")
    change: Annotated[Number, BeforeValidator(whole)] | None = None


class WatchState(BaseModel):
    """One watch, and how it fares. Secrets are hidden."""

    id: str
    url: str
    kind: Kind
    name: str
    group: str
    options: SomeOptions
    paused: bool
    parent: str | None
    state: Fares
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
    reason_name: Annotated[str, Field(description="the same for programs, by a name that stays")]
    details: Annotated[dict[str, Any], Field(description="what the reason depends on, such as an amount")]
    story: int | None


class WholeChange(Change):
    """One change with its five answers, what the user said about it, and where its pages are for an hour."""

    card: dict[str, Any]
    feedback: bool | None
    pages: dict[str, str]


class RuleState(BaseModel):
    """Something that is never told."""

    id: str
    scope: RuleScope
    of: str
    kind: RuleKind
    value: str


class Story(BaseModel):
    """One message, as it was told."""

    id: int
    uid: str
    kind: StoryKind
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
