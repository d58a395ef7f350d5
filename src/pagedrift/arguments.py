"""Arguments that stand for one page: HTML as text or bytes, a path, or a page version."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TypeAlias

from pagedrift.errors import InputError
from pagedrift.page import PageVersion

PageLike: TypeAlias = PageVersion | str | bytes | Path


def as_page(given: PageLike) -> PageVersion:
    """Give the page version that an argument stands for.

    A `str` is HTML, always; a file is named by a `Path`, and holds one version.

    >>> as_page("<p>A permit costs 120 €").words
    ('A', 'permit', 'costs', '120', '€')
    >>> as_page("https://city.example/")
    Traceback (most recent call last):
    TypeError: 'https://city.example/' is an address, not HTML; read the page with: pagedrift.pick(address)
    """
    if isinstance(given, PageVersion):
        return given
    if isinstance(given, Path):
        return _read(given)
    if isinstance(given, str | bytes):
        return PageVersion("", given)  # type: ignore[arg-type] # it keeps the bytes of a str
    kind = type(given).__name__
    raise TypeError(f"{kind} is not a page; give HTML as str or bytes, a pathlib.Path, or a pagedrift.PageVersion")


def as_readable(given: PageLike) -> PageVersion:
    """Give what an argument stands for as a page that says something, if it is JSON, text, a table or a feed, too.

    >>> as_readable(PageVersion("", b'{"fee": 40}', content_type="application/json")).words
    ('fee:', '40')
    """
    from pagedrift.documents.comparable import readable

    page = as_page(given)
    return readable(page) or page


def _read(path: Path) -> PageVersion:
    from pagedrift.reading import read  # readers of archives are loaded only where a file is named

    reading = read(path)
    found = list(islice(reading, 2))
    if not found:
        problem = next(iter(reading.problems), "nothing in it is HTML")
        raise InputError(f"{path} holds no page that can be read: {problem}; name another file")
    if len(found) > 1:
        raise InputError(f"{path} holds several versions; choose one with: pagedrift.pick('{path}@DATE')")
    return found[0]
