"""The versions of one page, picked out of many by its address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pagedrift.page import PageVersion

MAX_NAMED_PAGES: Final = 5  # addresses named in a message
_SCHEME = re.compile(r"(?:https?:)?//(?:www\.)?|www\.", re.IGNORECASE)


def loose(url: str) -> str:
    """Reduce an address to what people type.

    >>> loose("https://www.city.example/fees/") == loose("city.example/fees")
    True
    """
    host, slash, rest = _SCHEME.sub("", url, count=1).partition("/")
    return f"{host.lower()}{slash}{rest}".rstrip("/")


def listed(pages: Mapping[str, str]) -> str:
    """Name the first pages of many.

    >>> listed({"city.example": "https://city.example/"})
    'https://city.example/'
    """
    return ", ".join(list(pages.values())[:MAX_NAMED_PAGES]) + (" and more" if len(pages) > MAX_NAMED_PAGES else "")


def one_page(versions: Iterable[PageVersion], *, url: str | None = None) -> Iterator[PageVersion]:
    """Give the versions of one page: the one under `url`, or the only one there is.

    >>> from pagedrift import PageVersion
    >>> versions = [PageVersion("https://city.example/a", b"<p>A"), PageVersion("https://city.example/b", b"<p>B")]
    >>> [version.body for version in one_page(versions, url="city.example/b")]
    [b'<p>B']
    """
    pages: dict[str, str] = {}
    wanted, given = loose(url or ""), 0
    for version in versions:
        key = loose(version.url)
        if len(pages) <= MAX_NAMED_PAGES:
            pages.setdefault(key, version.url)
        if key == wanted if url else len(pages) == 1:
            given += 1
            yield version
        elif url is None and len(pages) > MAX_NAMED_PAGES:
            break
    if url is None and len(pages) > 1:
        raise InputError(
            f"there are several pages: {listed(pages)}; say which one with --url URL (in Python: url=…)"
        )
    if pages and not given:
        raise InputError(
            f"no version of {url} found, only of {listed(pages)}; say which one with --url URL (in Python: url=…)"
        )
