"""Rules: what a user never wants an alert about again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from pagedrift.errors import InputError
from pagedrift.what_changed.actions import Kind as Thing
from pagedrift.what_changed.descriptions import Mark
from pagedrift.what_changed.expressions import check_expression
from pagedrift.what_changed.selection import check as check_selector

if TYPE_CHECKING:
    from pagedrift.what_changed.actions import Action

Scope = Literal["watch", "host", "group", "all"]
Kind = Literal["block", "text", "kind"]

MAX_RULE_CHARS: Final = 1_000
DONE: Final = get_args(Mark)  # added, removed, edited, moved, changed
THINGS: Final = get_args(Thing)  # text, link, image, heading, style …


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Something that is not a change: what is in a block (CSS), what a text matches, or a kind of step.

    A kind is what was done, to what, or both: `moved`, `style`, `changed link`.

    >>> checked(Rule(scope="host", of="city.example", kind="kind", value="Moved")).value
    'moved'
    """

    scope: Scope
    of: str
    kind: Kind
    value: str
    id: str = ""


def checked(rule: Rule) -> Rule:
    """Give a rule in its right form, or say what is wrong with it."""
    value = rule.value.strip()
    if rule.scope not in get_args(Scope):
        raise InputError(f"{rule.scope!r} is not a valid scope; choose one of: {', '.join(get_args(Scope))}")
    if rule.scope != "all" and not rule.of.strip():
        raise InputError(f"the rule does not say which {rule.scope} it is for; name it")
    if not value or len(value) > MAX_RULE_CHARS:
        raise InputError(f"the rule has no value of at most {MAX_RULE_CHARS:,} characters; write one")
    if rule.kind not in _CHECKS:
        raise InputError(f"{rule.kind!r} is not a valid kind of rule; choose one of: {', '.join(_CHECKS)}")
    of = "" if rule.scope == "all" else rule.of.strip()
    return Rule(
        scope=rule.scope,
        of=of.lower() if rule.scope == "host" else of,
        kind=rule.kind,
        value=_CHECKS[rule.kind](value),
        id=rule.id,
    )


def is_kind(action: Action, value: str) -> bool:
    """Return whether a step is of a kind: of what was done, to what, or both."""
    return set(value.split()) <= {action.mark, action.kind}


def _selector(value: str) -> str:
    check_selector(value)
    return value


def _expression(value: str) -> str:
    check_expression(value)
    return value


def _kind(value: str) -> str:
    words = value.lower().split()
    done, things = [word for word in words if word in DONE], [word for word in words if word in THINGS]
    if len(done) > 1 or len(things) > 1 or len(done) + len(things) != len(words):
        raise InputError(
            f"{value!r} is not a valid kind of edit; write an action ({', '.join(DONE)}), "
            f"to what ({', '.join(THINGS)}), or both, such as: changed link"
        )
    return " ".join((*done, *things))


_CHECKS: Final = {"block": _selector, "text": _expression, "kind": _kind}
