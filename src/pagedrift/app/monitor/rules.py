"""What does the user never want to be told again, and what would such a rule have hidden so far?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from pagedrift.errors import InputError, PagedriftError
from pagedrift.what_changed.actions import Kind as Thing
from pagedrift.what_changed.descriptions import MARKS, Mark
from pagedrift.what_changed.expressions import check_expression
from pagedrift.what_changed.selection import check as check_selector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.app.model.watch import Options
    from pagedrift.app.monitor.filters import Sieve
    from pagedrift.page import PageVersion
    from pagedrift.what_changed.actions import Action

Scope = Literal["watch", "host", "group", "all"]
Kind = Literal["block", "text", "kind"]

LONGEST: Final = 1_000  # signs of a value
DONE: Final = get_args(Mark)  # added, removed, edited, moved, changed
THINGS: Final = get_args(Thing)  # text, link, image, heading, style …


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that is no change: what stands in a block (CSS), what a text matches, or a kind of step.

    A kind is what was done, to what, or both: `moved`, `style`, `changed link`.

    >>> checked(Rule("host", "city.example", "kind", "Moved")).value
    'moved'
    """

    scope: Scope
    of: str
    kind: Kind
    value: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What became of one past change under a rule."""

    change: int
    steps: int  # that were told of
    hidden: int  # of those, by the rule
    trouble: str = ""  # why it cannot be said

    @property
    def wholly(self) -> bool:
        """Whether nothing would be left of the change."""
        return 0 < self.steps == self.hidden


def checked(rule: Rule) -> Rule:
    """Give a rule in its right form, or say what is wrong with it."""
    value = rule.value.strip()
    if rule.scope not in get_args(Scope):
        raise InputError(f"{rule.scope!r} is no scope of a rule; choose one of: {', '.join(get_args(Scope))}")
    if rule.scope != "all" and not rule.of.strip():
        raise InputError(f"the rule does not say which {rule.scope} it is for; name it")
    if not value or len(value) > LONGEST:
        raise InputError(f"the rule has no value of at most {LONGEST:,} signs; write one")
    if rule.kind not in _CHECKS:
        raise InputError(f"{rule.kind!r} is no kind of rule; choose one of: {', '.join(_CHECKS)}")
    of = "" if rule.scope == "all" else rule.of.strip()
    return Rule(
        rule.scope, of.lower() if rule.scope == "host" else of, rule.kind, _CHECKS[rule.kind](value), rule.id
    )


def applies(rule: Rule, *, watch: str, host: str, group: str) -> bool:
    """Tell whether a rule is about a watch.

    >>> applies(Rule("host", "city.example", "kind", "moved"), watch="1", host="City.example", group="")
    True
    """
    there = {"watch": watch, "host": host.lower(), "group": group, "all": ""}
    return rule.scope == "all" or (bool(rule.of) and rule.of == there[rule.scope])


def is_kind(action: Action, value: str) -> bool:
    """Tell whether a step is of a kind: of what was done, to what, or both."""
    return set(value.split()) <= {MARKS[type(action)], action.kind}


def preview(
    rule: Rule,
    past: Iterable[tuple[int, PageVersion, PageVersion]],
    *,
    options: Options,
    rules: Iterable[Rule] = (),
) -> list[Preview]:
    """Say of each past change how many of its steps a rule would have hidden, besides what is hidden already."""
    from pagedrift.app.monitor.filters import Sieve

    rule, rules = checked(rule), tuple(rules)
    before, after = Sieve.of(options, rules), Sieve.of(options, (*rules, rule))
    return [_tried(change, old, new, before, after) for change, old, new in past]


def _tried(change: int, old: PageVersion, new: PageVersion, before: Sieve, after: Sieve) -> Preview:
    from pagedrift.app.monitor.text_formats import readable
    from pagedrift.what_changed import diff

    pages = readable(old), readable(new)
    if pages[0] is None or pages[1] is None:
        return Preview(change, 1, 0)  # of which only the bytes are looked at
    old, new = pages[0], pages[1]
    try:
        told = before.sifted(diff(old, new), old, new)
        return Preview(change, len(told), len(told) - len(after.sifted(told, old, new)))
    except PagedriftError as error:
        return Preview(change, 0, 0, str(error))


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
            f"{value!r} is no kind of change; write what was done ({', '.join(DONE)}), "
            f"to what ({', '.join(THINGS)}), or both, such as: changed link"
        )
    return " ".join((*done, *things))


_CHECKS: Final = {"block": _selector, "text": _expression, "kind": _kind}
