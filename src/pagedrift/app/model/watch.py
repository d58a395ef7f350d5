"""Watches, with the checks shared by forms, API, command line and imports."""

from __future__ import annotations

import re
import secrets
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args
from urllib.parse import urlsplit

from pagedrift.app.model.options import DEFAULTS, MAX_OPTION_CHARS, checked_options
from pagedrift.errors import InputError
from pagedrift.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Kind = Literal["page", "feed", "sitemap", "list"]

AUTO: Final = "auto"  # as a kind: found by the first check

MAX_URL_CHARS: Final = 8_000  # characters
MAX_GROUP_CHARS: Final = 200
MAX_TAG_CHARS: Final = 100
MAX_TAGS: Final = 100
MAX_TITLE_NAME_CHARS: Final = 200  # of a title that becomes a name
MAX_SHOWN_CHARS: Final = 200  # of an address in a message

# Options that make another watch of the same address out of one.
_DIFFERING: Final = frozenset(
    "browser proxy headers cookies steps include exclude ignore_text selectors value conditions".split()
)
# A host with a dot in it, or this machine, and what may follow: no scheme, no words.
_BARE: Final = re.compile(r"(?:localhost|[^\s/:?#@]+\.[^\s/:?#@.]+)(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Watch:
    """One thing that is watched: a page, or a feed, sitemap or list of pages."""

    url: str
    _: KW_ONLY
    kind: Kind = "page"
    name: str = ""
    group: str = ""
    tags: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)  # those that differ from the group's
    paused: bool = False
    id: str = ""

    @property
    def title(self) -> str:
        """The name it goes by."""
        return self.name or self.url

    @property
    def looks_at(self) -> tuple[tuple[str, Any], ...]:
        """The options by which it differs from other watches of its address: what is asked for, and what counts.

        >>> Watch("https://shop.example/lamp", options={"include": [".price"], "every": 60}).looks_at
        (('include', ('.price',)),)
        """
        options = checked_options({name: value for name, value in self.options.items() if name in _DIFFERING})
        return tuple(sorted((name, value) for name, value in options.items() if value != DEFAULTS[name]))


def name_from_title(title: str) -> str:
    r"""Make the name of a watch from the title of its page.

    >>> name_from_title("Fees \n and  permits")
    'Fees and permits'
    """
    return shorten(" ".join(title.split()), MAX_TITLE_NAME_CHARS)


def new_id() -> str:
    """Make a name that no other watch has, here or elsewhere."""
    return secrets.token_hex(8)


def checked(watch: Watch) -> Watch:
    """Give a watch with everything in its right form, or say what is wrong with it."""
    if watch.kind not in get_args(Kind):
        raise InputError(f"{watch.kind!r} is not a valid type; choose one of: {', '.join(get_args(Kind))}")
    return Watch(
        checked_url(watch.url),
        kind=watch.kind,
        name=_text("name", watch.name),
        group=checked_group(watch.group),
        tags=checked_tags(watch.tags),
        options=checked_options(watch.options),
        paused=bool(watch.paused),
        id=watch.id or new_id(),
    )


class InvalidUrlError(InputError):
    """An address that cannot be watched, and the problem with it."""

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(f"{url[:MAX_SHOWN_CHARS]} {problem}")
        self.problem = problem


def checked_url(url: str) -> str:
    """Check the address of a watch as it is written; where it leads is checked at every visit.

    >>> checked_url("javascript:alert(1)")
    Traceback (most recent call last):
    pagedrift.app.model.watch.InvalidUrlError: javascript:alert(1) cannot be watched; give an address with ...
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        raise InvalidUrlError(url, "is not a valid address; check its spelling") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidUrlError(url, "cannot be watched; give an address with http:// or https://")
    if (
        len(url) > MAX_URL_CHARS
        or not port_is_fine
        or any(character <= " " or character in '\\"<>\x7f' for character in url)
    ):
        raise InvalidUrlError(url, "is not a valid address; check its spelling")
    if "@" in parts.netloc:
        raise InputError("an address must not contain a user name or password; use a header or steps instead")
    return url


def completed_url(url: str) -> str:
    """Put https:// before an address that somebody wrote without it.

    >>> completed_url("city.example/fees"), completed_url("localhost:8000"), completed_url("javascript:alert(1)")
    ('https://city.example/fees', 'https://localhost:8000', 'javascript:alert(1)')
    """
    url = url.strip()
    return f"https://{url}" if _BARE.fullmatch(url) else url


def checked_group(name: Any) -> str:
    """Check the name of a group, which is a key of the database."""
    group = _text("group", name).strip()
    if len(group) > MAX_GROUP_CHARS:
        raise InputError(f"a group has a name of at most {MAX_GROUP_CHARS} characters; shorten it")
    return group


def checked_tags(tags: Iterable[Any]) -> tuple[str, ...]:
    """Give tags in their right form, each once, whatever its capitals.

    >>> checked_tags(["news", " Prices", "News", ""])
    ('news', 'Prices')
    """
    found: dict[str, str] = {}
    for tag in tags:
        text = " ".join(_text("tag", tag).split())
        if len(text) > MAX_TAG_CHARS or "," in text:
            raise InputError(f"a tag has at most {MAX_TAG_CHARS} characters and no comma; shorten it")
        if text:
            found.setdefault(text.casefold(), text)
    if len(found) > MAX_TAGS:
        raise InputError(f"a watch has at most {MAX_TAGS} tags; remove some")
    return tuple(found.values())


def split_tags(written: str) -> tuple[str, ...]:
    """Read tags as people write them, with commas between them.

    >>> split_tags("news, prices,")
    ('news', 'prices')
    """
    return checked_tags(written.split(","))


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_OPTION_CHARS or "\x00" in value:
        raise InputError(f"{name} must be a text of at most {MAX_OPTION_CHARS:,} characters; shorten it")
    return value
