"""Version references such as ARCHIVE@URL@DATE: each stands for one version of a page."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pagedrift.archive.source import Source
from pagedrift.dates import EARLIEST, period
from pagedrift.errors import InputError
from pagedrift.limits import DEFAULT_LIMITS, Limits
from pagedrift.read_report import Account
from pagedrift.reading.inputs import expand, is_address
from pagedrift.reading.page_selection import MAX_NAMED_PAGES, listed, loose
from pagedrift.reading.stream import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from pagedrift.page import PageVersion
    from pagedrift.reading.stream import Reading


def pick(
    reference: str | Path,
    *,
    url: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    on_progress: Callable[[Reading], None] | None = None,
) -> PageVersion:
    """Give the version that a URL, a file, `-`, ARCHIVE, ARCHIVE@DATE, ARCHIVE@URL or ARCHIVE@URL@DATE means.

    That is the newest one at or before the date, whose last moment counts: 2026 is the end of 2026. A `url`
    chooses among the pages of an archive, and says where the page of a file came from. A long reading
    reports to `on_progress` how far it is.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "fees.html").write_bytes(b"<p>A permit costs $120")
    ...     pick(f"{folder}/fees.html").body
    b'<p>A permit costs $120'
    """
    wanted = _parse(str(reference), url)
    named = wanted.url is not None  # a document is read where it is asked for by its address
    reading = read(wanted.path, order="file", limits=limits, documents=named, on_progress=on_progress)
    choice = _Choice(wanted)
    for version in reading:
        choice.consider(replace(version, url=url) if url and not reading.holds_archives else version)
    if not choice.pages and reading.problems:
        raise InputError(f"{wanted.path} holds no page that can be read: {reading.problems[0]}")
    return choice.made()


def resources_for(reference: str | Path, page: PageVersion) -> dict[str, tuple[str, bytes]]:
    """Give the pictures, fonts and style sheets that the archive of a reference holds, as of the time of a page."""
    path = path_of(reference)
    if path == "-" or is_address(path):
        return {}
    parts = expand(path, limits=DEFAULT_LIMITS, account=Account())
    archives = [part for part in parts if isinstance(part, Source)]
    if not archives:
        return {}
    from pagedrift.archive.resources import resources  # loads FastWARC

    return resources(archives, near=page.captured_at)


def path_of(reference: str | Path) -> str:
    """Give the part of a reference that names a file, a folder, an archive or an address.

    >>> path_of("https://city.example/@2026")
    'https://city.example/@2026'
    """
    return _parse(str(reference), None).path


@dataclass(frozen=True, slots=True)
class _Wanted:
    path: str
    url: str | None
    date: str = ""
    until: datetime | None = None  # its last moment


def _parse(reference: str, url: str | None) -> _Wanted:
    """Split a reference behind the longest path that exists: paths and addresses may hold an @ themselves."""
    path = reference
    while path and path != "-" and not os.path.exists(path):  # noqa: PTH110 - says no to names that cannot be
        path = path.rpartition("@")[0]
    if not path:
        return _Wanted(reference if "://" in reference.partition("@")[0] else reference.partition("@")[0], url)
    rest = reference[len(path) + 1 :]
    address, _, date = rest.rpartition("@")
    span = period(date)
    if span is None:
        address, date = rest, ""
    return _Wanted(path, url or address or None, date, span[1] if span else None)


class _Choice:
    """The best version seen so far; of all others only the first addresses and the earliest time are kept."""

    def __init__(self, wanted: _Wanted) -> None:
        self.wanted = wanted
        self.loosely = loose(wanted.url or "")
        self.pages: dict[str, str] = {}
        self.best: list[PageVersion | None] = [None, None]  # under exactly that address, and loosely
        self.earliest: tuple[datetime, str] | None = None

    def consider(self, version: PageVersion) -> None:
        """Keep a version if it is better than those before."""
        loosely = loose(version.url)
        if len(self.pages) <= MAX_NAMED_PAGES:
            self.pages.setdefault(loosely, version.url)
        if self.wanted.url and self.loosely != loosely:
            return
        moment = version.captured_at or EARLIEST
        self.earliest = min(self.earliest or (moment, version.url), (moment, version.url))
        rank = 0 if self.wanted.url in (None, version.url) else 1
        best = self.best[rank]
        in_time = self.wanted.until is None or moment <= self.wanted.until
        if in_time and (best is None or moment >= (best.captured_at or EARLIEST)):
            self.best[rank] = version

    def made(self) -> PageVersion:
        """Give the best version, or say what could be picked instead."""
        path, url = self.wanted.path, self.wanted.url
        if not self.pages:
            raise InputError(f"{path} holds no page; give a file or an archive that does")
        names = listed(self.pages)
        if url is None and len(self.pages) > 1:
            raise InputError(f"{path} holds several pages: {names}; say which one with: {path}@URL")
        for best in self.best:
            if best is not None:
                return best
        if self.earliest is None:
            raise InputError(f"{path} holds no version of {url}, but of {names}; pick one with: {path}@URL")
        moment, url = self.earliest
        raise InputError(
            f"{path} holds no version of {url} from {self.wanted.date} or before; the first one is of "
            f"{moment:%Y-%m-%d %H:%M:%S}, pick it with: {path}@{url}@{moment:%Y%m%d%H%M%S}"
        )
