"""Form fields for watch options: rendering options as fields, and reading them back."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from pagedrift.app.model.watch import LONGEST, SECRET, SHORTEST, Options, checked_options, hidden
from pagedrift.app.validation import try_options
from pagedrift.durations import format_duration, parse_duration, split_duration
from pagedrift.errors import InputError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Widget = Literal["span", "check", "number", "amount", "text", "lines", "pairs", "choice"]


@dataclass(frozen=True, slots=True)
class Field:
    """One option as people fill it in."""

    name: str
    label: str
    widget: Widget
    hint: str = ""
    example: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    step: str = "1"

    @property
    def long(self) -> bool:
        """Whether it takes several lines."""
        return self.widget in ("lines", "pairs")


@dataclass(frozen=True, slots=True)
class Section:
    """Options that are about one thing; those that few need are behind a heading of their own."""

    id: str
    title: str
    fields: tuple[Field, ...]
    more: tuple[Field, ...] = ()
    more_title: str = ""


_STEPS: Final = "fill #user = anna\nfill #password = {secret:password}\nclick button[type=submit]"

RHYTHM: Final = Section(
    "rhythm",
    "How often",
    (
        Field("every", "Visit every", "span"),
        Field(
            "adaptive",
            "Adapt to how often it changes",
            "check",
            "More visits where more changes that matter are found.",
        ),
    ),
)
FETCHING: Final = Section(
    "fetching",
    "How to fetch",
    (
        Field(
            "browser", "Use a real browser", "check", "For pages that are made by scripts; takes screenshots too."
        ),
        Field("resources", "Keep its styles and pictures", "check", "So that old versions look as they did."),
    ),
    (
        Field("proxy", "Proxy", "text", example="http://proxy.example:3128"),
        Field(
            "headers",
            "Headers",
            "pairs",
            "One per line. Values are hidden once they are saved.",
            "Accept-Language: en",
        ),
        Field("cookies", "Cookies", "pairs", "One per line, as name: value.", "session: 12345"),
        Field("steps", "Steps in the browser", "lines", "One per line, done before the page is read.", _STEPS),
        Field("secrets", "Secrets for the steps", "pairs", "As name: value; used as {secret:name}.", "password: …"),
    ),
    "Headers, cookies, proxy, and steps such as a login",
)
LOOKING: Final = Section(
    "looking",
    "What to look at",
    (
        Field("only", "Only these parts", "lines", "CSS selectors, one per line; none for all.", "main article"),
        Field(
            "without", "Without these parts", "lines", "CSS selectors, one per line.", ".advertisement\n#related"
        ),
        Field(
            "ignore_text",
            "Text that is no change",
            "lines",
            "Regular expressions, one per line.",
            r"updated \d+ (minutes|hours) ago",
        ),
        Field(
            "selectors",
            "Selectors of your own programs",
            "lines",
            "As name = CSS, one per line: you are told when one stops matching.",
            "price = .product .price",
        ),
    ),
)
TELLING: Final = Section(
    "telling",
    "What to tell",
    (
        Field(
            "tell",
            "Tell me about",
            "choice",
            choices=(
                ("matters", "changes that matter"),
                ("amount", "changes of at least a certain amount"),
                ("any", "any change"),
                ("nothing", "no change; only keep versions"),
            ),
        ),
        Field("at_least", "Least amount, from 0 to 1", "amount", "Where changes of a certain amount are told."),
        Field("redesigns", "Tell me when it is redesigned", "check"),
        Field("trouble_after", "Tell trouble after so many failed visits", "number", "0 for never."),
    ),
)
WHOM: Final = Section(
    "whom",
    "Whom to tell",
    (
        Field(
            "to",
            "Channels",
            "lines",
            "An apprise address such as mailto://… or https:// of a webhook, one per line; feeds have it anyway.",
            "mailto://user:password@mail.example",
        ),
    ),
)
KEEPING: Final = Section(
    "keeping",
    "What to keep",
    (
        Field(
            "keep",
            "Keep",
            "choice",
            choices=(
                ("all", "every visit; unchanged ones take next to no room"),
                ("changed", "versions that changed"),
                ("matters", "versions whose change matters"),
            ),
        ),
        Field("keep_days", "For how many days", "number", "0 for ever.", step="any"),
        Field("keep_versions", "At most so many versions", "number", "0 for all."),
        Field("follow", "Pages of a sitemap or list to watch at most", "number"),
    ),
)
SECTIONS: Final = (RHYTHM, FETCHING, LOOKING, TELLING, WHOM, KEEPING)
FIELDS: Final = {field.name: field for section in SECTIONS for field in (*section.fields, *section.more)}
DEFAULTS: Final = {each.name: getattr(Options(), each.name) for each in fields(Options)}


def sections(kind: str) -> tuple[Section, ...]:
    """Give the sections for what is watched: a page leads to no others."""
    if kind != "page":
        return SECTIONS
    keeping = replace(KEEPING, fields=tuple(field for field in KEEPING.fields if field.name != "follow"))
    return (*SECTIONS[:-1], keeping)


def shown(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give options as a form shows them; secrets stay hidden."""
    every = hidden({**DEFAULTS, **options})
    return {name: _SHOW[field.widget](every[name]) for name, field in FIELDS.items()}


def read(form: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Give the options that a form says, in their right form, and what is wrong with the others."""
    options: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, field in FIELDS.items():
        try:
            value = checked_options({name: _READ[field.widget](name, form)})[name]
            try_options({name: value})
        except PagedriftError as error:
            errors[name] = _worded(field, str(error))
        else:
            options[name] = value
    return options, errors


def refilled(form: Mapping[str, str]) -> dict[str, Any]:
    """Give what somebody typed, to be shown again beside what is wrong with it."""
    values: dict[str, Any] = {}
    for name, field in FIELDS.items():
        given = form.get(name, "")
        if field.widget == "check":
            values[name] = bool(given)
        elif field.widget == "span":
            values[name] = (given, form.get(f"{name}_unit", "hours"))
        else:
            values[name] = form.get(name, f"{DEFAULTS[name]:g}" if field.widget in ("number", "amount") else "")
    return values


def own(options: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options that differ from those of the group; secrets that are said are always one's own.

    >>> own({"every": 60.0, "tell": "any", "to": ()}, {"every": 60.0})
    {'tell': 'any'}
    """
    usual = {**DEFAULTS, **checked_options(base)}
    return {
        name: value for name, value in options.items() if (bool(value) if name in SECRET else value != usual[name])
    }


def sets(values: Mapping[str, Any], several: Iterable[Field]) -> bool:
    """Tell whether something is filled in among some fields."""
    return any(values[field.name] for field in several)


def inherited(base: Mapping[str, Any]) -> dict[str, str]:
    """Say which secrets a group has, which its watches use without showing them."""
    return {
        name: _lines_of(name, hidden(base)[name]).replace("\n", ", ")
        for name in sorted(SECRET & base.keys())
        if base[name]
    }


def summary(options: Mapping[str, Any]) -> str:
    """Say in a line what a group sets."""
    parts = []
    for name, value in options.items():
        if name == "every":
            parts.append(f"every {format_duration(value)}")
        elif name in (
            "to",
            "headers",
            "cookies",
            "secrets",
            "steps",
            "only",
            "without",
            "ignore_text",
            "selectors",
        ):
            parts.append(f"{len(value)} × {FIELDS[name].label.lower()}")
        elif isinstance(value, bool):
            parts.append(FIELDS[name].label.lower() if value else f"not: {FIELDS[name].label.lower()}")
        elif name != "proxy":
            parts.append(f"{FIELDS[name].label.lower()}: {value}")
    return ", ".join(parts)


def _worded(field: Field, error: str) -> str:
    """Name an option as its field does.

    >>> _worded(FIELDS["at_least"], "at_least is 2; choose between 0 and 1")
    'least amount, from 0 to 1, is 2; choose between 0 and 1'
    """
    rest = error.removeprefix(f"{field.name} ")
    return error if rest == error else f"{field.label[:1].lower()}{field.label[1:]}, {rest}"


# --- each widget, to show and to read --------------------------------------------------------------------------


def _lines_of(name: str, value: Any) -> str:  # noqa: ARG001
    if isinstance(value, str):
        return value
    return "\n".join(each if isinstance(each, str) else f"{each[0]}: {each[1]}" for each in value)


def _read_span(name: str, form: Mapping[str, str]) -> float:
    try:
        seconds = parse_duration(f"{form.get(name, '')} {form.get(f'{name}_unit', 'seconds')}")
    except InputError:
        raise InputError("this is no number; write one such as 6") from None
    if not SHORTEST <= seconds <= LONGEST:
        raise InputError(f"visits are not made so often or so rarely; choose between {SHORTEST} seconds and a year")
    return seconds


def _read_lines(name: str, form: Mapping[str, str]) -> list[str]:
    return [line.strip() for line in form.get(name, "").splitlines() if line.strip()]


def _read_pairs(name: str, form: Mapping[str, str]) -> list[tuple[str, str]]:
    pairs = []
    for line in _read_lines(name, form):
        key, colon, value = line.partition(":")
        if not colon or not key.strip():
            raise InputError(f"{line[:80]!r} has no name before a colon; write it as name: value")
        pairs.append((key.strip(), value.strip()))
    return pairs


_SHOW: Final[dict[Widget, Callable[[Any], Any]]] = {
    "span": split_duration,
    "check": bool,
    "number": lambda value: f"{value:g}",
    "amount": lambda value: f"{value:g}",
    "text": str,
    "choice": str,
    "lines": lambda value: _lines_of("", value),
    "pairs": lambda value: _lines_of("", value),
}
_READ: Final[dict[Widget, Callable[[str, Mapping[str, str]], Any]]] = {
    "span": _read_span,
    "check": lambda name, form: bool(form.get(name)),
    "number": lambda name, form: form.get(name, DEFAULTS[name]) or 0,
    "amount": lambda name, form: form.get(name, DEFAULTS[name]) or 0,
    "text": lambda name, form: form.get(name, "").strip(),
    "choice": lambda name, form: form.get(name) or DEFAULTS[name],
    "lines": _read_lines,
    "pairs": _read_pairs,
}
