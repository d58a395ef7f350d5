"""Watches and their options, with the checks shared by forms, API, command line and imports."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal, get_args
from urllib.parse import urlsplit

from pagedrift.app.model.channels import checked_channel
from pagedrift.durations import DAY, HOUR
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Kind = Literal["page", "feed", "sitemap", "list"]
About = Literal["any", "amount", "matters", "nothing"]
Keep = Literal["all", "changed", "matters"]

SHORTEST: Final = 5  # seconds between two visits
LONGEST: Final = 366 * DAY
LONGEST_URL: Final = 8_000  # characters
LONGEST_GROUP: Final = 200
MOST: Final = 100  # headers, selectors, channels of one watch
LONGEST_TEXT: Final = 10_000  # characters of one option
HIDDEN: Final = "(hidden)"  # what stands for a secret wherever it is shown
SECRET: Final = frozenset({"headers", "cookies", "proxy", "secrets", "to"})


@dataclass(frozen=True, slots=True)
class Options:
    """How a watch is visited, what it tells and what is kept. A group sets some, a watch others.

    >>> Options().every, Options().tell
    (3600.0, 'matters')
    """

    every: float = HOUR  # seconds between visits; where adaptive, at the start
    adaptive: bool = True
    browser: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    proxy: str = ""
    steps: tuple[str, ...] = ()  # of a login in the browser, such as: fill #user = anna
    secrets: tuple[tuple[str, str], ...] = ()  # by name, for steps: {secret:NAME}
    only: tuple[str, ...] = ()  # CSS selectors of what is looked at
    without: tuple[str, ...] = ()  # CSS selectors of what is left out
    ignore_text: tuple[str, ...] = ()  # regular expressions of text that is no change
    tell: About = "matters"
    at_least: float = 0.0  # amount of change that is told, where tell is "amount"
    redesigns: bool = True
    selectors: tuple[str, ...] = ()  # whose health is watched, as NAME = CSS
    trouble_after: int = 3  # visits that fail, before that is told; 0 for never
    to: tuple[str, ...] = ()  # whom to tell: apprise addresses, or https:// of a webhook
    resources: bool = True  # whether style sheets and pictures are kept beside a page
    follow: int = 200  # pages of a sitemap or list that are watched one by one
    keep: Keep = "all"
    keep_days: float = 0  # 0 for ever
    keep_versions: int = 0  # 0 for all


@dataclass(frozen=True, slots=True)
class Watch:
    """One thing that is watched: a page, or a feed, sitemap or list of pages."""

    url: str
    kind: Kind = "page"
    name: str = ""
    group: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)  # those that differ from the group's
    paused: bool = False
    id: str = ""

    @property
    def title(self) -> str:
        """The name it goes by."""
        return self.name or self.url


def new_id() -> str:
    """Make a name that no other watch has, here or elsewhere."""
    return secrets.token_hex(8)


def resolve(*layers: Mapping[str, Any]) -> Options:
    """Put the options of a group and of a watch together, the later before the earlier.

    >>> resolve({"every": 60.0, "tell": "any"}, {"tell": "nothing"}).tell
    'nothing'
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        merged |= layer
    return Options(**checked_options(merged))


def checked(watch: Watch) -> Watch:
    """Give a watch with everything in its right form, or say what is wrong with it."""
    if watch.kind not in get_args(Kind):
        raise InputError(f"{watch.kind!r} cannot be watched; choose one of: {', '.join(get_args(Kind))}")
    return Watch(
        checked_url(watch.url),
        watch.kind,
        _text("name", watch.name),
        checked_group(watch.group),
        checked_options(watch.options),
        bool(watch.paused),
        watch.id or new_id(),
    )


def checked_url(url: str) -> str:
    """Check the address of a watch as it is written; where it leads is checked at every visit.

    >>> checked_url("javascript:alert(1)")
    Traceback (most recent call last):
    pagedrift.errors.InputError: javascript:alert(1) cannot be watched; give an address with http:// or https://
    """
    url = url.strip()
    shown = url[:200]
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        raise InputError(f"{shown} is no address; check how it is written") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{shown} cannot be watched; give an address with http:// or https://")
    if len(url) > LONGEST_URL or not port_is_fine or any(sign <= " " or sign in '\\"<>\x7f' for sign in url):
        raise InputError(f"{shown} is no address; check how it is written")
    if "@" in parts.netloc:
        raise InputError("an address with a name or password is not kept; give them as a header or as steps")
    return url


def checked_group(name: Any) -> str:
    """Check the name of a group, which is a key of the database."""
    group = _text("group", name).strip()
    if len(group) > LONGEST_GROUP:
        raise InputError(f"a group has a name of at most {LONGEST_GROUP} characters; shorten it")
    return group


def checked_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Check options by name, each as its type wants it; a name that is none is an error."""
    types = known_options(options)
    return {name: _CHECKS[types[name]](name, value) for name, value in options.items()}


def known_options(named: Iterable[str]) -> dict[str, str]:
    """Give the types of all options by name; refuse names that are none."""
    known = {each.name: str(each.type) for each in fields(Options)}
    unknown = sorted(set(named) - set(known))
    if unknown:
        raise InputError(f"there is no option {unknown[0][:80]!r}; choose from: {', '.join(sorted(known))}")
    return known


def hidden(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give options to be shown: with names of secrets, without the secrets.

    >>> hidden({"headers": (("X-Key", "12345"),), "every": 60.0})
    {'headers': (('X-Key', '(hidden)'),), 'every': 60.0}
    """
    shown = dict(options)
    for name in SECRET & shown.keys():
        value = shown[name]
        if isinstance(value, str):
            shown[name] = HIDDEN if value else ""
        else:
            shown[name] = tuple(
                (each[0], HIDDEN) if isinstance(each, (tuple, list)) else masked(each) for each in value
            )
    return shown


def lacking(options: Options) -> tuple[str, ...]:
    """Name the options whose secrets are not known: those of a database that was made again from the archive.

    >>> lacking(Options(proxy=HIDDEN, to=("mailto://(hidden)",)))
    ('proxy', 'to')
    """
    return tuple(name for name in sorted(SECRET) if HIDDEN in str(getattr(options, name)))


def masked(channel: str) -> str:
    """Show of a channel what it is, and nothing that lets others use it."""
    return f"{channel.partition('://')[0]}://{HIDDEN}"


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or "\x00" in value:
        raise InputError(f"{name} is no text of at most {LONGEST_TEXT:,} characters; shorten it")
    return value


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} is no number; write one such as 3600") from None
    least, most = {"every": (SHORTEST, LONGEST), "at_least": (0, 1)}.get(name, (0, LONGEST))
    if not least <= number <= most:
        raise InputError(f"{name} is {number:g}; choose between {least:,} and {most:,.0f}")
    return number


def _whole(name: str, value: Any) -> int:
    number = _number(name, value)
    if number != int(number):
        raise InputError(f"{name} is {number:g}; choose a whole number")
    return int(number)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{name} is neither true nor false; write one of them")
    return value


def _several(name: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, (list, tuple)) or len(value) > MOST:
        raise InputError(f"{name} is no list of at most {MOST}; shorten it")
    return tuple(value)


def _texts(name: str, value: Any) -> tuple[str, ...]:
    texts = tuple(_text(name, each) for each in _several(name, value))
    return tuple(map(checked_channel, texts)) if name == "to" else texts


def _pairs(name: str, value: Any) -> tuple[tuple[str, str], ...]:
    given = tuple(value.items()) if isinstance(value, dict) else _several(name, value)
    if not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in given):  # noqa: PLR2004 - name, value
        raise InputError(f"{name} are no pairs of a name and a value; write them so")
    pairs = tuple((_text(name, one), _text(name, other)) for one, other in given)
    if any(sign in "\r\n" for pair in pairs for text in pair for sign in text):
        raise InputError(f"{name} hold a line break; write each in one line")
    return pairs


def _one_of(name: str, value: Any) -> str:
    choices = get_args({"tell": About, "keep": Keep}[name])
    if value not in choices:
        raise InputError(f"{name} is {value!r}; choose one of: {', '.join(choices)}")
    return str(value)


_CHECKS: Final = {
    "float": _number,
    "int": _whole,
    "bool": _flag,
    "str": _text,
    "About": _one_of,
    "Keep": _one_of,
    "tuple[str, ...]": _texts,
    "tuple[tuple[str, str], ...]": _pairs,
}
