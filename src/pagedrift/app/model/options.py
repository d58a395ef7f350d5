"""Options of a watch, each declared once: command line, form, API, validation and documents are made from this.

Besides the fields of `WatchOptions` there is nothing to write for a new option, except what uses it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from pagedrift.app.model.channels import NO_ALERTS, checked_channel
from pagedrift.durations import DAY, HOUR, split_duration
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema


def _current_choice(value: Any) -> Any:
    """Give a choice by the name that it has now; those of older releases are read forever."""
    return _OLD_CHOICES.get(value, value) if isinstance(value, str) else value


_OLD_CHOICES: Final = {"matters": "important", "any": "anything"}  # of `notify_on`
About = Annotated[
    Literal["important", "content", "anything", "amount", "nothing"], BeforeValidator(_current_choice)
]
Keep = Literal["all", "changed", "matters"]
ValueKind = Literal["none", "number", "date", "stock", "text"]
Sending = Literal["default", "immediately", "hourly", "daily", "weekly"]
Widget = Literal["duration", "check", "number", "text", "lines", "pairs", "choice"]
SectionName = Literal["rhythm", "fetching", "looking", "alerts", "channels", "keeping"]
Format = Literal["css-selector", "named-selector", "regular-expression", "step", "channel", "condition", ""]

MIN_INTERVAL_SECONDS: Final = 5  # seconds between two visits
MAX_INTERVAL_SECONDS: Final = 366 * DAY
MAX_ENTRIES: Final = 100  # headers, selectors, channels of one watch
MAX_OPTION_CHARS: Final = 10_000  # characters of one option
HIDDEN: Final = "(hidden)"  # shown in place of a secret
TEXT_PATTERN: Final = r"^[^\x00]*$"  # databases take no NUL
LINE_PATTERN: Final = r"^[^\x00\r\n]*$"
_PAIR: Final = re.compile(r"([^:=]*[^:=\s][^:=]*)[:=]\s*(.*)", re.DOTALL)
OUR_MESSAGE: Final = "pagedrift"  # the type of an error whose text is ours, and ends with the next step


# --- the types that options have -------------------------------------------------------------------------------


def _checked_channel(text: str) -> str:
    try:
        return checked_channel(text)
    except InputError as error:
        raise our_error(error) from None


def our_error(error: InputError) -> PydanticCustomError:
    """Wrap an error so that its message passes through pydantic as it is."""
    return PydanticCustomError(OUR_MESSAGE, "{message}", {"message": str(error)})


def _as_pairs(value: Any) -> Any:
    return tuple(value.items()) if isinstance(value, dict) else value


def whole(value: Any) -> Any:
    """Take 3.0 for 3: in JSON they are one number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Lists of JSON are tuples here, also where types are strict.
_MANY: Final = Field(max_length=MAX_ENTRIES, strict=False)
Seconds = Annotated[float, Field(ge=MIN_INTERVAL_SECONDS, le=MAX_INTERVAL_SECONDS)]
Share = Annotated[float, Field(ge=0, le=1)]
Days = Annotated[float, Field(ge=0, le=MAX_INTERVAL_SECONDS)]
Count = Annotated[int, Field(ge=0, le=int(MAX_INTERVAL_SECONDS)), BeforeValidator(whole)]
Flag = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(max_length=MAX_OPTION_CHARS, pattern=TEXT_PATTERN, strict=True)]
Value = Annotated[str, Field(max_length=MAX_OPTION_CHARS, pattern=LINE_PATTERN, strict=True)]
Lines = Annotated[tuple[Text, ...], _MANY]
Channels = Annotated[tuple[Annotated[Text, AfterValidator(_checked_channel)], ...], _MANY]
_VALUE: Final[JsonSchemaValue] = {"type": "string", "maxLength": MAX_OPTION_CHARS, "pattern": LINE_PATTERN}
Pair = Annotated[
    tuple[Value, Value],
    Field(strict=False),
    # Not as prefixItems, which many readers of OpenAPI do not know.
    WithJsonSchema({"type": "array", "items": _VALUE, "minItems": 2, "maxItems": 2}),
]
_SENT_PAIRS = (
    Annotated[dict[Value, Value], Field(max_length=MAX_ENTRIES, json_schema_extra={"additionalProperties": False})]
    | Annotated[tuple[Pair, ...], Field(max_length=MAX_ENTRIES, description="pairs of a name and a value")]
)
Pairs = Annotated[tuple[Pair, ...], _MANY, BeforeValidator(_as_pairs, json_schema_input_type=_SENT_PAIRS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """How an option is presented to people, wherever they set it."""

    label: str  # of its field
    help: str  # one or two sentences
    section: SectionName  # of the form
    rare: bool = False  # behind a heading of its own
    example: str = ""
    format: Format = ""  # the grammar of each line
    choices: Mapping[str, str] = field(default_factory=dict)  # what each value means
    widget: Widget | Literal[""] = ""  # where the type does not say it
    step: str = ""  # of a number
    flag: str = ""  # of the command line, where it is not the name
    formerly: str = ""  # the name that it had in older releases, which is read forever
    metavar: str = ""
    secret: bool = False  # shown as (hidden)
    own_host_only: bool = False  # not handed down from a site to its pages on other hosts
    sites_only: bool = False

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the option in the schema of the API."""
        described = handler(schema)
        described |= {"title": self.label, "description": self.help}
        if self.widget == "duration":
            described["description"] += " In seconds."
        if self.format:
            described["items"] |= {"format": self.format, "examples": self.example.splitlines()}
        return described


class WatchOptions(BaseModel):
    """How a page is checked, what causes an alert and what is stored. A group sets some options, a watch others.

    >>> WatchOptions().every, WatchOptions().notify_on
    (3600.0, 'important')
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    every: Annotated[
        Seconds,
        Option(
            label="Check every",
            help="Time between two checks. With adaptive checks, this is the starting point.",
            section="rhythm",
            widget="duration",
            example="15m",
            metavar="DURATION",
        ),
    ] = HOUR
    adaptive: Annotated[
        Flag,
        Option(
            label="Adjust the interval to how often the page changes",
            help="Check more often when important changes are found more often.",
            section="rhythm",
            flag="--adaptive/--fixed",
        ),
    ] = True
    browser: Annotated[
        Flag,
        Option(
            label="Use a real browser",
            help="For pages that need JavaScript. Also takes screenshots.",
            section="fetching",
            flag="--browser/--plain",
        ),
    ] = False
    resources: Annotated[
        Flag,
        Option(
            label="Store styles and images",
            help="Store style sheets and images, so that old versions look as they did.",
            section="fetching",
        ),
    ] = True
    proxy: Annotated[
        Text,
        Option(
            label="Proxy",
            help="Fetch the page through this proxy.",
            section="fetching",
            rare=True,
            example="http://proxy.example:3128",
            metavar="URL",
            secret=True,
        ),
    ] = ""
    headers: Annotated[
        Pairs,
        Option(
            label="Headers",
            help="HTTP headers to send. Only sent to the host of the watch, and never stored in the archive.",
            section="fetching",
            rare=True,
            example="Accept-Language: en",
            flag="--header",
            metavar="'NAME: VALUE'",
            secret=True,
            own_host_only=True,
        ),
    ] = ()
    cookies: Annotated[
        Pairs,
        Option(
            label="Cookies",
            help="Cookies to send. Only sent to the host of the watch, and never stored in the archive.",
            section="fetching",
            rare=True,
            example="session=12345",
            flag="--cookie",
            metavar="NAME=VALUE",
            secret=True,
            own_host_only=True,
        ),
    ] = ()
    steps: Annotated[
        Lines,
        Option(
            label="Browser steps",
            help="Actions to do in the browser before the page is read, such as logging in.",
            section="fetching",
            rare=True,
            example="fill #user = anna\nfill #password = {secret:password}\nclick button[type=submit]",
            format="step",
            flag="--step",
            metavar="STEP",
            own_host_only=True,
        ),
    ] = ()
    secrets: Annotated[
        Pairs,
        Option(
            label="Secrets for browser steps",
            help="Passwords and other secrets. Steps use them as {secret:NAME}.",
            section="fetching",
            rare=True,
            example="password: …",
            flag="--secret",
            metavar="NAME",
            secret=True,
            own_host_only=True,
        ),
    ] = ()
    include: Annotated[
        Lines,
        Option(
            formerly="only",
            label="Include only",
            help="CSS selectors of the parts of the page that count. Leave empty for the whole page.",
            section="looking",
            example="main article",
            format="css-selector",
            metavar="CSS",
        ),
    ] = ()
    exclude: Annotated[
        Lines,
        Option(
            formerly="without",
            label="Exclude",
            help="CSS selectors of parts of the page to ignore.",
            section="looking",
            example=".advertisement\n#related",
            format="css-selector",
            metavar="CSS",
        ),
    ] = ()
    ignore_text: Annotated[
        Lines,
        Option(
            label="Text to ignore",
            help="Regular expressions. Edits of text that matches are ignored.",
            section="looking",
            example=r"updated \d+ (minutes|hours) ago",
            format="regular-expression",
            flag="--ignore",
            metavar="REGEX",
        ),
    ] = ()
    selectors: Annotated[
        Lines,
        Option(
            label="Selectors that your own programs use",
            help="Named CSS selectors that your own programs use. You get an alert when one stops matching.",
            section="looking",
            example="price = .product .price",
            format="named-selector",
            flag="--selector",
            metavar="NAME=CSS",
        ),
    ] = ()
    value: Annotated[
        ValueKind,
        Option(
            label="What the part is",
            help="A value has a graph with its lowest and highest, which can be exported.",
            section="looking",
            choices={
                "none": "not a single value",
                "number": "a number or price",
                "date": "a date",
                "stock": "in stock or not",
                "text": "a short text",
            },
        ),
    ] = "none"
    notify_on: Annotated[
        About,
        Option(
            formerly="tell",
            label="Alert me about",
            help="Which changes cause an alert. A changed fact, such as a price or a date, is always important.",
            section="alerts",
            choices={
                "important": "important changes",
                "content": "every change of content",
                "anything": "anything",
                "amount": "changes of at least a certain size",
                "nothing": "no changes; only store versions",
            },
        ),
    ] = "important"
    conditions: Annotated[
        Lines,
        Option(
            label="Only if one of these conditions is met",
            help="Conditions on what the page, or the part that you include, says. Any of several is enough.",
            section="alerts",
            example="below 20\nurgent in stock\ncontains sold out\nexpires in 14 days",
            format="condition",
            flag="--condition",
            metavar="CONDITION",
        ),
    ] = ()
    min_change: Annotated[
        Share,
        Option(
            formerly="at_least",
            label="Minimum size of a change",
            help="Share of the page that must change, from 0 to 1: 0.05 is 5 %. For “at least a certain size”.",
            section="alerts",
            example="0.05",
            step="0.01",
        ),
    ] = 0.0
    redesigns: Annotated[
        Flag,
        Option(
            label="Alert me about redesigns",
            help="Send an alert when the site is redesigned, whatever is chosen above.",
            section="alerts",
        ),
    ] = True
    alert_after_failures: Annotated[
        Count,
        Option(
            formerly="trouble_after",
            label="Alert me after this many failed checks",
            help="Number of failed checks in a row before you get an alert; 0 for never.",
            section="alerts",
        ),
    ] = 3
    urgent: Annotated[
        Flag,
        Option(
            label="Alerts are urgent",
            help="They are sent at once, without waiting for a digest or for the end of quiet hours.",
            section="alerts",
        ),
    ] = False
    send: Annotated[
        Sending,
        Option(
            label="When to send alerts",
            help="At once, or together with others in a digest.",
            section="channels",
            choices={
                "default": "as in the settings",
                "immediately": "at once",
                "hourly": "in a digest every hour",
                "daily": "in a digest every day",
                "weekly": "in a digest every week",
            },
        ),
    ] = "default"
    notify: Annotated[
        Channels,
        Option(
            formerly="to",
            label="Send alerts to",
            help="Apprise addresses such as mailto://…, or the https:// address of a webhook. Leave it empty to "
            "use the channels in the settings; write none for no alerts.",
            section="channels",
            example="mailto://user:password@mail.example",
            format="channel",
            metavar="CHANNEL",
            secret=True,
        ),
    ] = ()
    keep: Annotated[
        Keep,
        Option(
            label="Versions to store",
            help="Which versions are stored.",
            section="keeping",
            choices={
                "all": "all versions; unchanged ones take almost no space",
                "changed": "versions with a change",
                "matters": "versions with an important change",
            },
        ),
    ] = "all"
    keep_days: Annotated[
        Days,
        Option(
            label="Days to keep versions",
            help="Older versions are deleted; 0 keeps them forever.",
            section="keeping",
            step="any",
        ),
    ] = 0.0
    keep_versions: Annotated[
        Count,
        Option(
            label="Maximum number of versions",
            help="Only this many versions are kept, the newest; 0 keeps all.",
            section="keeping",
        ),
    ] = 0
    max_pages: Annotated[
        Count,
        Option(
            formerly="follow",
            label="Maximum number of pages",
            help="How many pages of a sitemap or list are watched, the newest first.",
            section="keeping",
            sites_only=True,
        ),
    ] = 200


# --- what is declared above, by name ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredOption:
    """One option with its name, type, default, limits and presentation."""

    name: str
    default: Any
    widget: Widget
    about: Option
    least: float | None = None
    most: float | None = None
    values: tuple[str, ...] = ()  # of a choice
    is_whole: bool = False

    @property
    def flag(self) -> str:
        """What sets it on the command line.

        >>> OPTIONS["headers"].flag, OPTIONS["redesigns"].flag
        ('--header', '--redesigns/--no-redesigns')
        """
        name = self.name.replace("_", "-")
        return self.about.flag or (f"--{name}/--no-{name}" if self.widget == "check" else f"--{name}")


_WIDGETS: Final[dict[Any, Widget]] = {bool: "check", str: "text", float: "number", int: "number", Literal: "choice"}


def _declared(name: str) -> DeclaredOption:
    declared = WatchOptions.model_fields[name]
    about = next(each for each in declared.metadata if isinstance(each, Option))
    kind = get_origin(declared.annotation) or declared.annotation
    limits = {at: getattr(each, at) for each in declared.metadata for at in ("ge", "le") if hasattr(each, at)}
    return DeclaredOption(
        name=name,
        default=declared.default,
        widget=about.widget or (_list_widget(declared.annotation) if kind is tuple else _WIDGETS[kind]),
        about=about,
        least=limits.get("ge"),
        most=limits.get("le"),
        values=get_args(declared.annotation) if kind is Literal else (),
        is_whole=kind is int,
    )


def _list_widget(annotation: Any) -> Widget:
    """Distinguish lists of texts from lists of pairs."""
    element = get_args(annotation)[0]
    return "pairs" if get_origin(get_args(element)[0]) is tuple else "lines"


OPTIONS: Final[dict[str, DeclaredOption]] = {name: _declared(name) for name in WatchOptions.model_fields}
DEFAULTS: Final[dict[str, Any]] = {name: option.default for name, option in OPTIONS.items()}
SECRET: Final = frozenset(name for name, option in OPTIONS.items() if option.about.secret)
OLD_NAMES: Final = {option.about.formerly: name for name, option in OPTIONS.items() if option.about.formerly}
_OWN_HOST_ONLY: Final = frozenset(name for name, option in OPTIONS.items() if option.about.own_host_only)

if TYPE_CHECKING:
    SomeOptions = dict[str, Any]
else:
    from typing_extensions import TypedDict  # pydantic wants it so before Python 3.12

    # The options that one watch or group sets: those of the model, each of which may be absent.
    _HINTS = get_type_hints(WatchOptions, include_extras=True)
    SomeOptions = TypedDict("SomeOptions", {name: _HINTS[name] for name in OPTIONS}, total=False)
    SomeOptions.__doc__ = (
        "The options that a watch or a group sets; for the others, the group or the default applies."
    )

_PARTIAL: Final = TypeAdapter[dict[str, Any]](SomeOptions)


# --- validation ------------------------------------------------------------------------------------------------


class OptionError(InputError):
    """An option whose value is not valid: which one, and what is wrong with it."""

    def __init__(self, option: str, problem: str, *, whole_sentence: bool = False) -> None:
        super().__init__(problem if whole_sentence else f"{option} {problem}")
        self.option = option
        self.problem = problem
        self.whole_sentence = whole_sentence

    def worded(self, name: str) -> str:
        """Say the same of the option under another name, such as the label of its field.

        >>> OptionError("min_change", "is 2; choose between 0 and 1").worded("--min-change")
        '--min-change is 2; choose between 0 and 1'
        """
        return self.problem if self.whole_sentence else f"{name} {self.problem}"


def checked_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Check some options, each as its type wants it; a name that is none is an error.

    >>> checked_options({"every": 60, "include": ["main"]})
    {'every': 60.0, 'include': ('main',)}
    """
    check_names(options)
    try:
        return _PARTIAL.validate_python(renamed(options))
    except ValidationError as error:
        raise option_error(error.errors()[0]) from None


def renamed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give options by the names that they have now; where both are there, the old name is that of an older value.

    >>> renamed({"only": ["main"], "tell": "any", "notify_on": "nothing"})
    {'include': ['main'], 'notify_on': 'nothing'}
    >>> renamed({"tell": "any"})
    {'notify_on': 'anything'}
    """
    found = {
        OLD_NAMES.get(name, name): value for name, value in options.items() if OLD_NAMES.get(name) not in options
    }
    return {name: _current_choice(value) if name == "notify_on" else value for name, value in found.items()}


def check_names(named: Iterable[str]) -> None:
    """Refuse names of options that are none."""
    unknown = sorted(set(named) - OPTIONS.keys() - OLD_NAMES.keys())
    if unknown:
        raise InputError(f"unknown option {unknown[0][:80]!r}; choose from: {', '.join(sorted(OPTIONS))}")


def parse_pair(option: str, text: str) -> tuple[str, str]:
    """Read a name and a value as people write them: with a colon or an equals sign, whichever comes first.

    >>> parse_pair("headers", "Accept-Language: en"), parse_pair("cookies", "session=a:b")
    (('Accept-Language', 'en'), ('session', 'a:b'))
    """
    found = _PAIR.fullmatch(text.strip())
    if found is None:
        raise OptionError(option, "needs a name and a value; write it as name: value")
    return found[1].strip(), found[2]


def resolve(
    watch: Mapping[str, Any],
    *,
    site: Mapping[str, Any] | None = None,
    group: Mapping[str, Any] | None = None,
    on_host_of_site: bool = True,
    names: Collection[str] | None = None,
) -> WatchOptions:
    """Put the options of a watch together: its own first, then those of its site, of its group, and the defaults.

    What lets us in is handed down to pages on the site's own host only. Other options than `names` stay at their
    defaults, and are not checked.

    >>> resolve({"notify_on": "nothing"}, group={"every": 60, "notify_on": "content"})  # doctest: +ELLIPSIS
    WatchOptions(every=60.0, ... notify_on='nothing', ...)
    """
    handed_down = {
        name: value for name, value in renamed(site or {}).items() if on_host_of_site or name not in _OWN_HOST_ONLY
    }
    merged = {**renamed(group or {}), **handed_down, **renamed(watch)}
    wanted = merged if names is None else {name: merged[name] for name in names if name in merged}
    return WatchOptions.model_construct(**{**DEFAULTS, **checked_options(wanted)})


def option_error(error: Mapping[str, Any], at: int = 0) -> OptionError:
    """Say what pydantic found wrong with an option, whose name is at a place of its `loc`."""
    name, *inside = error["loc"][at:]
    option, value = OPTIONS[name], error["input"]
    if error["type"] == OUR_MESSAGE:
        return OptionError(name, error["ctx"]["message"], whole_sentence=True)
    if error["type"].startswith("string_"):
        if isinstance(value, str) and any(character in "\r\n" for character in value) and option.widget == "pairs":
            return OptionError(name, "must not contain line breaks; write each on one line")
        return OptionError(name, f"must be a text of at most {MAX_OPTION_CHARS:,} characters; shorten it")
    if inside:
        return OptionError(name, "must be pairs of a name and a value; write them as name: value")
    return OptionError(name, _PROBLEMS[option.widget](option, error["type"], value))


def _wrong_number(option: DeclaredOption, type_: str, value: Any) -> str:
    if option.is_whole and isinstance(value, float) and not value.is_integer():
        return f"is {value:g}; choose a whole number"
    if type_ not in ("greater_than_equal", "less_than_equal"):
        return f"is not a number; enter one such as {option.default:g}"
    if option.widget == "duration":
        least, most = (" ".join(split_duration(float(each or 0))) for each in (option.least, option.most))
        return f"is {_brief(value)} seconds; choose between {least} and {most}"
    return f"is {_brief(value)}; choose between {option.least:,} and {option.most:,.0f}"


def _brief(number: Any) -> str:
    return f"{number:g}" if isinstance(number, float) else f"{number}"[:40]


_PROBLEMS: Final[dict[Widget, Callable[[DeclaredOption, str, Any], str]]] = {
    "duration": _wrong_number,
    "number": _wrong_number,
    "check": lambda *_: "must be true or false; use one of them",
    "text": lambda *_: f"must be a text of at most {MAX_OPTION_CHARS:,} characters; shorten it",
    "lines": lambda *_: f"must be a list of at most {MAX_ENTRIES} entries; shorten it",
    "pairs": lambda *_: f"must be a list of at most {MAX_ENTRIES} entries; shorten it",
    "choice": lambda option, _, value: f"is {str(value)[:80]!r}; choose one of: {', '.join(option.values)}",
}


# --- secrets ---------------------------------------------------------------------------------------------------


def hidden(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give options to be shown: with names of secrets, without the secrets.

    >>> hidden({"headers": (("X-Key", "12345"),), "every": 60.0})
    {'headers': (('X-Key', '(hidden)'),), 'every': 60.0}
    """
    shown = renamed(options)  # or a secret would be shown under its old name
    for name in SECRET & shown.keys():
        value = shown[name]
        if isinstance(value, str):
            shown[name] = HIDDEN if value else ""
        else:
            shown[name] = tuple(
                (each[0], HIDDEN) if isinstance(each, (tuple, list)) else masked(each) for each in value
            )
    return shown


def lacking(options: WatchOptions) -> tuple[str, ...]:
    """Name the options whose secrets are not known: those of a database that was made again from the archive.

    >>> lacking(WatchOptions(proxy=HIDDEN, notify=("mailto://(hidden)",)))
    ('notify', 'proxy')
    """
    return tuple(name for name in sorted(SECRET) if HIDDEN in str(getattr(options, name)))


def masked(channel: str) -> str:
    """Show of a channel what it is, and nothing that lets others use it."""
    return channel if channel == NO_ALERTS else f"{channel.partition('://')[0]}://{HIDDEN}"
