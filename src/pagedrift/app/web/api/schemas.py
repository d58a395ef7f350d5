"""Request and response schemas of the API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from pagedrift.app.model.bulk import MAX_BULK, BulkKind
from pagedrift.app.model.options import (
    MAX_OPTION_CHARS,
    TEXT_PATTERN,
    SomeOptions,
    check_names,
    our_error,
    renamed,
    whole,
)
from pagedrift.app.model.people import Role
from pagedrift.app.model.rules import MAX_RULE_CHARS as LONGEST_RULE
from pagedrift.app.model.rules import Kind as RuleKind
from pagedrift.app.model.rules import Scope as RuleScope
from pagedrift.app.model.watch import (
    MAX_GROUP_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MAX_URL_CHARS,
    Kind,
    checked_url,
    completed_url,
)
from pagedrift.app.web.request_context import Number
from pagedrift.errors import InputError

CheckState = Literal["new", "fine", "trouble", "not_the_page"]
NO_NUL: Final = TEXT_PATTERN
_OLD_NAME: Final[dict[str, Any]] = {"deprecated": True}  # answered for one more release
AlertKind = Literal["change", "redesign", "trouble", "recovery", "selector", "expiry"]


def _address(value: Any) -> Any:
    """Say what is wrong with an address as forms do; a pattern says nothing to people."""
    try:
        return checked_url(completed_url(value)) if isinstance(value, str) else value
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


TagName = Annotated[str, Field(max_length=MAX_TAG_CHARS, pattern=r"^[^\x00,]*$")]
TagList = Annotated[list[TagName], Field(max_length=MAX_TAGS, description="any number of them; each counts once")]


class Error(BaseModel):
    """What went wrong; the text ends with the next step."""

    error: str


class RequestModel(BaseModel):
    """A request body; unknown fields are an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _named(options: Any) -> Any:
    """Refuse unknown names of options; names of older releases are read too."""
    try:
        check_names(options if isinstance(options, dict) else {})
    except InputError as error:
        raise our_error(error) from None
    return renamed(options) if isinstance(options, dict) else options


SentOptions = Annotated[SomeOptions, BeforeValidator(_named)]


class NewWatch(RequestModel):
    """Something to watch."""

    url: Address
    kind: Literal["page", "feed", "sitemap", "list", "auto"] = Field(
        "page", description="what is at the address; auto: the first check finds out"
    )
    name: Title = ""
    group: GroupName = ""
    tags: TagList = Field(default_factory=list)
    options: SentOptions = Field(default_factory=dict, description="options that differ from those of the group")
    paused: bool = False


class Edit(RequestModel):
    """Fields to change; the others stay as they are, and so do secrets that are sent back as (hidden)."""

    url: Address = ""
    name: Title = ""
    group: GroupName = ""
    tags: TagList = Field(default_factory=list)
    options: SentOptions = Field(default_factory=dict)
    paused: bool = False


class GroupOptions(RequestModel):
    """Options that the watches of a group share."""

    options: SentOptions


class Opinion(RequestModel):
    """Feedback: whether a change, or one of its edits, is important."""

    matters: bool
    edit: Annotated[
        int | None, Field(ge=0, le=1_000, description="number of the edit in `card.edits`, from 0; none for all")
    ] = None


class ReadMark(RequestModel):
    """Whether a change has been read."""

    read: bool


class ReadMarks(RequestModel):
    """Which changes have been read."""

    up_to: Annotated[Number, BeforeValidator(whole), Field(description="`newest` of the inbox that was shown")]


class WatchAction(RequestModel):
    """Something to do with several watches."""

    watches: Annotated[
        list[Annotated[str, Field(max_length=64, pattern=NO_NUL)]], Field(min_length=1, max_length=MAX_BULK)
    ]
    action: BulkKind
    value: Annotated[
        str,
        Field(max_length=MAX_OPTION_CHARS, pattern=NO_NUL, description="tags, an interval such as 2h, or alerts"),
    ] = ""


class NewRule(RequestModel):
    """What to ignore from now on."""

    scope: RuleScope
    of: Annotated[str, Field(max_length=MAX_OPTION_CHARS, pattern=NO_NUL)] = ""
    kind: RuleKind = Field(description="block (CSS selector), text (regular expression) or kind (of edit)")
    value: str = Field(min_length=1, max_length=LONGEST_RULE, pattern=r"^[^\x00]*\S[^\x00]*$")
    change: Annotated[Number, BeforeValidator(whole)] | None = None


class WatchState(BaseModel):
    """One watch and its state. Secrets are hidden."""

    id: str
    url: str
    kind: Kind
    name: str
    group: str
    tags: list[str]
    options: SomeOptions
    paused: bool
    parent: str | None
    state: CheckState
    trouble: str
    checks: Annotated[int, Field(description="number of checks so far")]
    visits: Annotated[int, Field(description="old name of `checks`", json_schema_extra=_OLD_NAME)]
    created_at: datetime
    checked_at: Annotated[datetime | None, Field(description="time of the last check")]
    visited_at: Annotated[
        datetime | None, Field(description="old name of `checked_at`", json_schema_extra=_OLD_NAME)
    ]
    changed_at: datetime | None
    next_at: datetime


class Version(BaseModel):
    """One stored version."""

    id: int
    watch: str
    url: str
    captured_at: datetime
    digest: str
    mime: str
    status: int | None
    title: str
    pictured: bool


class ValueState(BaseModel):
    """What the watched part of a page said from a time on."""

    at: datetime
    text: str
    number: float | None
    unit: str
    day: Annotated[str, Field(description="a date in it")]
    in_stock: bool | None
    change: Annotated[int | None, Field(description="id of the change that led to it")]


class Values(BaseModel):
    """What the watched part of a page said over time, oldest first."""

    values: list[ValueState]


class Change(BaseModel):
    """One change, and whether it caused an alert."""

    id: int
    watch: str
    old: int
    new: int
    at: datetime
    headline: str
    amount: float
    probability: float
    matters: bool
    level: Annotated[str, Field(description="level of its most important edit: important, minor or noise")]
    redesigned: bool
    alerted: Annotated[bool, Field(description="whether an alert was sent")]
    told: Annotated[bool, Field(description="old name of `alerted`", json_schema_extra=_OLD_NAME)]
    reason: Annotated[str, Field(description="why an alert was sent or not, as a sentence")]
    reason_name: Annotated[str, Field(description="the reason for programs, by a stable name")]
    details: Annotated[dict[str, Any], Field(description="what the reason depends on, such as an amount")]
    alert: Annotated[int | None, Field(description="id of the alert")]
    story: Annotated[int | None, Field(description="old name of `alert`", json_schema_extra=_OLD_NAME)]
    unread: Annotated[bool, Field(description="an alert was sent, and you have not read it yet")]


class WholeChange(Change):
    """One change with its five answers, your feedback, and links to its views that are valid for an hour."""

    card: dict[str, Any]
    feedback: bool | None
    pages: dict[str, str]


class ActionResult(BaseModel):
    """What was done, by an id with which it can be undone."""

    id: str
    action: str
    count: Annotated[int, Field(description="watches or changes that it was done with")]
    can_be_undone: bool


class IgnoredCauseState(BaseModel):
    """What caused changes without an alert."""

    host: str
    title: str
    why: str
    changes: int
    pages: int
    at: Annotated[datetime, Field(description="time of the newest change")]
    newest: Annotated[int, Field(description="id of the newest change")]
    edit: Annotated[int | None, Field(description="number of its edit, for feedback")]


class IgnoredCauses(BaseModel):
    """What caused the ignored changes."""

    causes: list[IgnoredCauseState]


class LessonState(BaseModel):
    """What your feedback taught about edits of one kind at one place."""

    id: str
    scope: RuleScope
    of: Annotated[str, Field(description="watch, host or group that it holds for")]
    kind: str
    zone: str
    matters: bool
    times: Annotated[int, Field(description="how often you said so")]
    example: str
    sentence: str


class JudgeState(BaseModel):
    """What the judge of this installation learned from your feedback, and whether it is used."""

    labels: Annotated[int, Field(description="edits that it learned from")]
    used: bool
    before: Annotated[dict[str, Any], Field(description="how right the built-in judge is about them")]
    after: Annotated[dict[str, Any], Field(description="how right the learned one is, each edit left out in turn")]
    sentence: str


class AffectedChange(BaseModel):
    """One past change, and what feedback makes of it."""

    change: int
    watch: str
    title: str
    at: datetime
    headline: str
    alerts: Annotated[bool, Field(description="with the feedback: an alert, or none")]


class FeedbackEffects(BaseModel):
    """What feedback makes of the changes of the last days."""

    days: int
    looked_at: Annotated[int, Field(description="number of changes")]
    changes: Annotated[list[AffectedChange], Field(description="those for which it makes a difference")]


class LearnedLessons(BaseModel):
    """What was learned from your feedback."""

    lessons: list[LessonState]
    judge: JudgeState


class RuleState(BaseModel):
    """A rule: what is ignored."""

    id: str
    scope: RuleScope
    of: str
    kind: RuleKind
    value: str


class LayoutState(BaseModel):
    """What came and went of a layout."""

    replaced: Annotated[float, Field(description="share of the layout that was replaced")]
    parts_added: list[str]
    parts_removed: list[str]
    styles_added: list[str]
    styles_removed: list[str]
    classes_kept: int
    classes_before: int


class BrokenSelectorState(BaseModel):
    """One of your selectors that a redesign broke, and what to write instead."""

    use: Annotated[str, Field(description="include, exclude, rule or selector")]
    name: str
    selector: str
    status: Annotated[str, Field(description="moved, wrong or gone")]
    proposal: Annotated[str, Field(description="a selector; empty if there is nothing like it")]
    probability: Annotated[float, Field(description="that the proposal is right")]
    old_text: str
    new_text: str
    watches: list[str]


class Redesigned(BaseModel):
    """What a redesign did to the watched pages of a site."""

    layout: LayoutState
    selectors: list[BrokenSelectorState]
    unchanged: Annotated[int, Field(description="pages that are unchanged in content")]
    changed: Annotated[int, Field(description="pages whose content changed, too")]


class Alert(BaseModel):
    """One alert, as it was sent."""

    id: int
    uid: str
    kind: AlertKind
    host: str
    title: str
    opened_at: datetime
    closed_at: datetime | None
    message: Annotated[dict[str, Any], Field(description="the text as it was sent, and what it was made of")]
    redesign: Annotated[
        Redesigned | None,
        Field(description="of a redesign that was sent: what it did to layout, selectors and content"),
    ] = None
    watches: list[str]


class Story(Alert):
    """One alert under its old name."""

    told: Annotated[dict[str, Any], Field(description="old name of `message`", json_schema_extra=_OLD_NAME)]


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


class InboxPage(Changes):
    """Changes of the inbox, how many entries of it are unread, and the newest change of all."""

    unread: int
    newest: int


class Alerts(BaseModel):
    """Some alerts, newest first."""

    alerts: list[Alert]
    next: int | None


class Stories(BaseModel):
    """Some alerts under their old name, newest first."""

    stories: list[Story]
    next: int | None


class Imported(BaseModel):
    """Result of an import."""

    added: list[str]
    present: int
    notes: list[str]


class State(BaseModel):
    """State of the watcher."""

    watches: int
    paused: int
    due: int
    trouble: int
    running: bool
    under_way: list[str]
    per_second: float


class PersonState(BaseModel):
    """An account."""

    id: str
    name: str
    role: Role
    created_at: datetime
    has_password: bool


class People(BaseModel):
    """All accounts, oldest first."""

    people: list[PersonState]


class LogLine(BaseModel):
    """One thing that somebody added, changed, removed or restored."""

    id: int
    at: datetime
    who: Annotated[str, Field(description="a person, a token, the command line or the application")]
    action: str
    kind: str
    subject: Annotated[str, Field(description="its id")]
    title: str
    before: Annotated[dict[str, Any], Field(description="of what was changed, without secrets")]
    after: dict[str, Any]


class LogPage(BaseModel):
    """Some entries of the log, newest first."""

    entries: list[LogLine]
    next: int | None


class RoleChoice(BaseModel):
    """The role of an account."""

    model_config = ConfigDict(extra="forbid")

    role: Role


class InvitationLink(BaseModel):
    """An invitation; its link is shown this once."""

    link: str
    role: Role
