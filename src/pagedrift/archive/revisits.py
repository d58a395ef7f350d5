"""Revisit records: finding the earlier capture whose body they repeat."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pagedrift.archive.fastwarc_compat import WarcHeader, warc_records
from pagedrift.archive.locations import Name
from pagedrift.archive.payload import names_page
from pagedrift.archive.reader import page_at, repeated_by
from pagedrift.archive.record import (
    DATE,
    DIGEST,
    NOT_HTML,
    REDIRECT,
    URL,
    Outcome,
    claims,
    page_of,
    redirects,
    version,
)
from pagedrift.errors import InputError
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pagedrift.archive.source import Source
    from pagedrift.limits import Limits

MAX_REMEMBERED_PAGES = 50_000  # their places, not their bodies: some tens of megabytes
_NOT_MODIFIED = 304
_PROFILE, _OLD_URL, _OLD_DATE = (
    WarcHeader.WARC_PROFILE,
    WarcHeader.WARC_REFERS_TO_TARGET_URI,
    WarcHeader.WARC_REFERS_TO_DATE,
)
_LOST = "what this revisit repeats was not read before it; give all archives concerned, as files packed by record"


class KnownPage(NamedTuple):
    """Where a page stands that others may repeat."""

    url: str
    date: str
    source: Source
    offset: int


class PagePlaces:
    """The places of the pages read last, known by address and date, by digest, and by address."""

    def __init__(self) -> None:
        self._index: OrderedDict[Hashable, KnownPage] = OrderedDict()

    def remember(self, record: Any, source: Source, offset: int) -> None:
        """Remember where a page stands."""
        fields = record.headers
        self._lead(record, KnownPage(fields.get(URL), fields.get(DATE), source, offset))

    def _lead(self, record: Any, place: KnownPage) -> None:
        """Let address, date and digest of a record lead to a place."""
        fields = record.headers
        url, digest = fields.get(URL), fields.get(DIGEST)
        for key in ((url, fields.get(DATE), digest), (url, fields.get(DATE)), digest, url):
            if key:
                self._index[key] = place
                self._index.move_to_end(key)
        while len(self._index) > 4 * MAX_REMEMBERED_PAGES:
            self._index.popitem(last=False)

    def repeat(self, record: Any, source: Source, *, limits: Limits) -> Outcome:
        """Give the version that a revisit stands for: its own address, time and headers, the body it repeats."""
        http = record.http_headers
        status, headers = (None, ()) if http is None else (http.status_code, http.to_tuples())
        content_type, _ = claims(headers)
        if redirects(status) and status != _NOT_MODIFIED:
            return REDIRECT
        if names_page(content_type) is False:
            return NOT_HTML
        try:
            place = self._find(record)
            page = _read_again(place, limits)
            self._lead(record, place)
        except InputError:
            page = _read_beside(record, source, limits)
        if status is None or status == _NOT_MODIFIED:
            status = page.status
        return version(record, page.body, content_type or page.content_type, status, headers or page.headers)

    def _find(self, record: Any) -> KnownPage:
        """Find what a revisit repeats: as it says, or the same digest, or what was not modified since."""
        fields = record.headers
        unchanged = fields.get(URL) if "not-modified" in (fields.get(_PROFILE) or "") else None
        said, digest = (fields.get(_OLD_URL), fields.get(_OLD_DATE)), fields.get(DIGEST)
        for key in ((*said, digest), said, digest, unchanged):
            if key in self._index:
                return self._index[key]
        raise InputError(_LOST)


def _read_beside(record: Any, source: Source, limits: Limits) -> PageVersion:
    """Read what a revisit repeats out of a folder of kept versions, where several writers refer to each other."""
    path = Path(source.path)
    if source.member or path.parent.name != "warc" or Name.read(path.name) is None:
        raise InputError(_LOST)
    folder = path.parent.parent
    return page_at(folder, repeated_by(folder, record.headers), limits=limits)


def _read_again(place: KnownPage, limits: Limits) -> PageVersion:
    """Read the page at a place again, if that is where it is."""
    if not place.source.rereadable:
        raise InputError(_LOST)
    with closing(place.source.open(place.offset)) as file:
        try:
            record = next(warc_records(file))
            page = page_of(record, limits=limits)
        except (OSError, StopIteration):
            raise InputError(_LOST) from None
    page = page[0] if isinstance(page, tuple) else page
    same = (record.headers.get(URL), record.headers.get(DATE)) == (place.url, place.date)
    if not same or not isinstance(page, PageVersion):
        raise InputError(_LOST)
    return page
