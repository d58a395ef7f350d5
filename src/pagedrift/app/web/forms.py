"""Form fields for watch options: rendering options as fields, and reading them back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.options import (
    DEFAULTS,
    OPTIONS,
    SECRET,
    DeclaredOption,
    OptionError,
    SectionName,
    Widget,
    checked_options,
    hidden,
    parse_pair,
    renamed,
)
from pagedrift.app.validation import validate_options
from pagedrift.durations import format_duration, parse_duration, split_duration
from pagedrift.errors import InputError, PagedriftError
from pagedrift.report.reasons import sentence_case
from pagedrift.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

TITLES: Final[dict[SectionName, str]] = {
    "rhythm": "How often",
    "fetching": "Fetching",
    "looking": "Parts of the page",
    "alerts": "Alerts",
    "channels": "Channels",
    "keeping": "Storage",
}
_RARE: Final = {"fetching": "Proxy, headers, cookies and browser steps (such as a login)"}
_HINTS: Final = {
    "lines": " One per line.",
    "pairs": " One per line, as name: value. Values are hidden once saved.",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One option as people fill it in."""

    option: DeclaredOption

    @property
    def name(self) -> str:
        """What the option is called."""
        return self.option.name

    @property
    def widget(self) -> Widget:
        """How it is filled in."""
        return self.option.widget

    @property
    def label(self) -> str:
        """What stands before it."""
        return self.option.about.label

    @property
    def hint(self) -> str:
        """What stands below it."""
        return "" if self.widget == "choice" else self.option.about.help + _HINTS.get(self.widget, "")

    @property
    def step(self) -> str:
        """By how much a number goes up and down."""
        return self.option.about.step or "1"

    @property
    def is_long(self) -> bool:
        """Whether it takes several lines."""
        return self.widget in ("lines", "pairs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Options that are about one thing; those that few need are behind a heading of their own."""

    id: SectionName
    title: str
    fields: tuple[Field, ...]
    more: tuple[Field, ...] = ()
    more_title: str = ""


FIELDS: Final = {name: Field(option) for name, option in OPTIONS.items()}


def _section(name: SectionName) -> Section:
    mine = [field for field in FIELDS.values() if field.option.about.section == name]
    usual, rare = (tuple(each for each in mine if each.option.about.rare is wanted) for wanted in (False, True))
    return Section(id=name, title=TITLES[name], fields=usual, more=rare, more_title=_RARE.get(name, ""))


SECTIONS: Final = tuple(map(_section, TITLES))


def sections(kind: str) -> tuple[Section, ...]:
    """Give the sections for what is watched: a page leads to no others."""
    if kind != "page":
        return SECTIONS
    return tuple(
        replace(each, fields=tuple(field for field in each.fields if not field.option.about.sites_only))
        for each in SECTIONS
    )


def shown(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give options as a form shows them; secrets stay hidden."""
    every = hidden({**DEFAULTS, **options})
    return {name: _SHOW[field.widget](every[name]) for name, field in FIELDS.items()}


def read(form: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Give the options that a form says, in their right form, and what is wrong with the others."""
    form = renamed(form)
    options: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, field in FIELDS.items():
        try:
            value = checked_options({name: _READ[field.widget](name, form)})[name]
            validate_options({name: value})
        except OptionError as error:
            errors[name] = error.worded(f"“{field.label}”")
        except PagedriftError as error:
            errors[name] = str(error)
        else:
            options[name] = value
    return options, errors


def refilled(form: Mapping[str, str]) -> dict[str, Any]:
    """Give what somebody typed, to be shown again next to what is wrong with it."""
    form = renamed(form)
    values: dict[str, Any] = {}
    for name, field in FIELDS.items():
        given = form.get(name, "")
        if field.widget == "check":
            values[name] = bool(given)
        elif field.widget == "duration":
            values[name] = (given, form.get(f"{name}_unit", "hours"))
        else:
            values[name] = form.get(name, f"{DEFAULTS[name]:g}" if field.widget == "number" else "")
    return values


def own(options: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options that differ from those of the group; secrets that are said are always one's own.

    >>> own({"every": 60.0, "notify_on": "anything", "notify": ()}, {"every": 60.0})
    {'notify_on': 'anything'}
    """
    usual = {**DEFAULTS, **checked_options(base)}
    return {
        name: value for name, value in options.items() if (bool(value) if name in SECRET else value != usual[name])
    }


def sets(values: Mapping[str, Any], several: Iterable[Field]) -> bool:
    """Return whether something is filled in among some fields."""
    return any(values[field.name] for field in several)


def inherited(base: Mapping[str, Any]) -> dict[str, str]:
    """Say which secrets a group has, which its watches use without showing them."""
    return {
        name: _lines_of(hidden(base)[name]).replace("\n", ", ")
        for name in sorted(SECRET & base.keys())
        if base[name]
    }


def summary(options: Mapping[str, Any]) -> str:
    """Say in a line what a group sets."""
    parts = []
    for name, value in options.items():
        field, label = FIELDS[name], FIELDS[name].label.lower()
        if field.widget == "duration":
            parts.append(f"{label} {format_duration(value)}")
        elif field.is_long:
            parts.append(f"{label}: {counted(len(value), 'entry', 'entries')}")
        elif field.widget == "check":
            parts.append(f"{label}: {'yes' if value else 'no'}")
        elif field.widget == "choice":
            parts.append(f"{label}: {field.option.about.choices[value]}")
        elif name not in SECRET:
            parts.append(f"{label}: {value}")
    return sentence_case("; ".join(parts))


# --- each widget, to show and to read --------------------------------------------------------------------------


def _lines_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(each if isinstance(each, str) else f"{each[0]}: {each[1]}" for each in value)


def _read_duration(name: str, form: Mapping[str, str]) -> float:
    try:
        return parse_duration(f"{form.get(name, '')} {form.get(f'{name}_unit', 'seconds')}")
    except InputError:
        raise OptionError(name, "is not a number; enter one such as 6") from None


def _read_lines(name: str, form: Mapping[str, str]) -> list[str]:
    return [line.strip() for line in form.get(name, "").splitlines() if line.strip()]


def _read_pairs(name: str, form: Mapping[str, str]) -> list[tuple[str, str]]:
    return [parse_pair(name, line) for line in _read_lines(name, form)]


_SHOW: Final[dict[Widget, Callable[[Any], Any]]] = {
    "duration": split_duration,
    "check": bool,
    "number": lambda value: f"{value:g}",
    "text": str,
    "choice": str,
    "lines": _lines_of,
    "pairs": _lines_of,
}
_READ: Final[dict[Widget, Callable[[str, Mapping[str, str]], Any]]] = {
    "duration": _read_duration,
    "check": lambda name, form: bool(form.get(name)),
    "number": lambda name, form: form.get(name, DEFAULTS[name]) or 0,
    "text": lambda name, form: form.get(name, "").strip(),
    "choice": lambda name, form: form.get(name) or DEFAULTS[name],
    "lines": _read_lines,
    "pairs": _read_pairs,
}
