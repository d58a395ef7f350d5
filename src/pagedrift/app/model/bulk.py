"""Actions on several watches or changes at once, and what is known of one that can be undone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from pagedrift.app.model.options import checked_options
from pagedrift.app.model.watch import split_tags
from pagedrift.durations import parse_duration
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

BulkKind = Literal["check", "pause", "resume", "tag", "untag", "every", "notify_on", "remove"]
MAX_BULK: Final = 500  # watches in one action


@dataclass(frozen=True, slots=True)
class BulkAction:
    """Something to do with several watches."""

    kind: BulkKind
    value: str = ""  # tags, an interval such as 2h, or which changes to alert about

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags to add or to take away."""
        return split_tags(self.value)

    @property
    def options(self) -> dict[str, Any]:
        """The options to set."""
        if self.kind == "every":
            return checked_options({"every": parse_duration(self.value)})
        return checked_options({"notify_on": self.value}) if self.kind == "notify_on" else {}


def checked_action(action: BulkAction) -> BulkAction:
    """Give an action that can be done, or say what is wrong with it.

    >>> checked_action(BulkAction("every", "2h")).options
    {'every': 7200.0}
    """
    if action.kind not in get_args(BulkKind):
        raise InputError(f"{action.kind!r} is not an action; choose one of: {', '.join(get_args(BulkKind))}")
    if action.kind in ("tag", "untag") and not action.tags:
        raise InputError("no tag was given; write one or more, with commas between them")
    if action.kind in ("every", "notify_on") and not action.value:
        raise InputError(f"{action.kind} was given no value; choose one")
    _ = action.options  # says what is wrong with a value
    return action


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneAction:
    """What was done last, so that people see it and can undo it."""

    id: str
    kind: str  # one of BulkKind, or read and not_important for changes
    count: int
    value: str = ""
    before: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by watch or change: how it was
    person: str = ""  # whose read marks these are; empty for what all see

    @property
    def can_be_undone(self) -> bool:
        """Whether there is anything to set back."""
        return bool(self.before)
