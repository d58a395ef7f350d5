"""Lessons: what a user's feedback says about edits of one kind at one place, and how far each lesson reaches."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal

from pagedrift.does_it_matter.changes.facts import FactKind
from pagedrift.does_it_matter.changes.noise_rules import KEY_FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from pagedrift.app.model.change import ChangeAnalysis, JudgedEdit

Scope = Literal["watch", "host", "group", "all"]

REPEATED: Final = 3  # times that something is said before it holds beyond its page
MAX_TAUGHT: Final = 20  # edits that feedback on one change is about
MAX_UNCLEAR: Final = 3  # edits that "important" is about where all of them look like noise
MAX_TEXT_CHARS: Final = 120
_STATE: Final = FactKind.STATUS
_SLIGHT: Final = 3  # letters of a word that may stand in any sentence: on, no, off


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtEdit:
    """One edit that feedback was given about."""

    watch: str
    host: str
    group: str
    change: int
    at: datetime  # when it was said
    matters: bool
    place: str
    spot: str
    kind: str
    key: bool  # it touches a fact of KEY_FACTS
    text: str
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What feedback says about edits of one kind at one place."""

    scope: Scope
    of: str  # which watch, host or group
    spot: str  # or for other scopes than a watch, the place
    kind: str
    matters: bool
    times: int  # it was said
    text: str = ""  # of the newest edit that it was said about
    zone: str = ""
    key: bool = False
    changes: tuple[int, ...] = ()  # that it was said about

    @property
    def id(self) -> str:
        """What it is known by, on pages and in the API."""
        name = "\0".join((self.scope, self.of, self.spot, self.kind))
        return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def told(self) -> dict[str, Any]:
        """Give what is written on an edit whose level it decided."""
        return {"matters": self.matters, "times": self.times, "scope": self.scope}

    def is_about(self, edit: JudgedEdit) -> bool:
        """Return whether it decides the level of an edit; a key fact is only silenced at its own place."""
        if kind_of(edit) != self.kind or self.spot != (edit.spot if self.scope == "watch" else edit.place):
            return False
        return self.matters or self.scope == "watch" or not is_key(edit)


def kind_of(edit: JudgedEdit) -> str:
    """Say what it is about; a person who finds it not important means this, at its place.

    A price is not a text, even where both change at one place; a number or a date in a text is part of it. In a
    list, what comes is not what is edited; where only one thing stands, a new one may be said to come.
    """
    about = next(iter(key_facts(edit.facts)), edit.target)
    return f"{about} {edit.done}" if edit.listed else about


def is_key(edit: JudgedEdit) -> bool:
    """Return whether an edit touches a fact that people watch pages for."""
    return bool(key_facts(edit.facts))


def key_facts(facts: Mapping[Any, Sequence[Sequence[str]]]) -> list[str]:
    """Name the kinds of facts that people watch pages for; a word like “on” says little about a state.

    >>> key_facts({"availability or status": (("on",), ()), "amount of money": (("$40",), ("$45",))})
    ['amount of money']
    """
    return [
        str(kind)
        for kind, sides in facts.items()
        if kind in KEY_FACTS and (kind != _STATE or any(len(value) > _SLIGHT for side in sides for value in side))
    ]


def lesson_about(edit: JudgedEdit, lessons: Iterable[Lesson]) -> Lesson | None:
    """Find the lesson that decides the level of an edit: the nearest one, and of two the later."""
    found = [lesson for lesson in lessons if lesson.is_about(edit)]
    return min(found, key=lambda lesson: _SCOPES.index(lesson.scope), default=None)


def taught_by(analysis: ChangeAnalysis, *, matters: bool, edit: int | None = None) -> list[dict[str, Any]]:
    """Say which edits feedback on a change, or on one of its edits, is about, as the database keeps it.

    "Not important" is about all that looked like content; "important" too, or about the likeliest if nothing did.
    """
    numbered = list(enumerate(analysis.edits))
    if edit is not None:
        chosen = numbered[edit : edit + 1]
    else:
        chosen = [(number, each) for number, each in numbered if each.level != "noise"]
        chosen = chosen or numbered[: MAX_UNCLEAR if matters else MAX_TAUGHT]
    return [_as_data(number, each, matters=matters) for number, each in chosen[:MAX_TAUGHT]]


def _as_data(number: int, edit: JudgedEdit, *, matters: bool) -> dict[str, Any]:
    return {
        "edit": number,
        "matters": matters,
        "place": edit.place,
        "spot": edit.spot,
        "kind": kind_of(edit),
        "key": is_key(edit),
        "text": edit.summary[:MAX_TEXT_CHARS],
        "zone": edit.zone,
    }


def lessons_of(taught: Sequence[TaughtEdit]) -> list[Lesson]:
    """Sum feedback up: what holds for one page, and what was said often enough to hold beyond; the newest first."""
    newest = sorted(taught, key=lambda each: each.at, reverse=True)
    found = [
        _lesson("watch", of, group)
        for (of, _, _), group in _grouped(newest, lambda each: (each.watch, each.spot, each.kind))
    ]
    return found + [lesson for wider in _WIDER for lesson in _wider(newest, *wider)]


def _wider(
    taught: Sequence[TaughtEdit],
    scope: Scope,
    of_each: Callable[[TaughtEdit], str],
    apart: Callable[[TaughtEdit], str],
) -> Iterator[Lesson]:
    for (of, _, _), group in _grouped(taught, lambda each: (of_each(each), each.place, each.kind)):
        if _reaches(group, apart) and (of or scope == "all"):
            yield _lesson(scope, of, group)


def _reaches(group: Sequence[TaughtEdit], apart: Callable[[TaughtEdit], str]) -> bool:
    """Return whether something was said often, on several pages, never otherwise, and silences no key fact."""
    agreed = len({each.matters for each in group}) == 1
    repeated = len(group) >= REPEATED and len({apart(each) for each in group}) > 1
    return agreed and repeated and (group[0].matters or not any(each.key for each in group))


def _lesson(scope: Scope, of: str, group: Sequence[TaughtEdit]) -> Lesson:
    last = group[0]
    agreeing = [each for each in group if each.matters == last.matters]
    return Lesson(
        scope=scope,
        of=of,
        spot=last.spot if scope == "watch" else last.place,
        kind=last.kind,
        matters=last.matters,
        times=len(agreeing),
        text=last.text,
        zone=last.zone,
        key=last.key,
        changes=tuple(sorted({each.change for each in group})),
    )


def _grouped(
    taught: Iterable[TaughtEdit], key: Callable[[TaughtEdit], tuple[str, str, str]]
) -> Iterable[tuple[tuple[str, str, str], list[TaughtEdit]]]:
    groups: dict[tuple[str, str, str], list[TaughtEdit]] = defaultdict(list)
    for each in taught:
        groups[key(each)].append(each)
    return groups.items()


_SCOPES: Final[tuple[Scope, ...]] = ("watch", "host", "group", "all")
# How far a lesson reaches beyond its page, for which of them, and what it must have been said about several of.
_WIDER: Final[tuple[tuple[Scope, Callable[[TaughtEdit], str], Callable[[TaughtEdit], str]], ...]] = (
    ("host", lambda each: each.host, lambda each: each.watch),
    ("group", lambda each: each.group, lambda each: each.watch),
    ("all", lambda _: "", lambda each: each.host),
)


def lessons_for(lessons: Iterable[Lesson], of: Mapping[str, str]) -> tuple[Lesson, ...]:
    """Choose the lessons that hold for a watch, given what it is, its host and its group."""
    return tuple(lesson for lesson in lessons if lesson.scope == "all" or lesson.of == of.get(lesson.scope))
