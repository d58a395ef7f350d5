"""An index of all resources in archives, to show each page with what it loaded back then."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from pagedrift.archive import recovery
from pagedrift.archive.fastwarc_compat import WarcRecordType, warc_records
from pagedrift.archive.payload import decode
from pagedrift.archive.record import DATE, URL, claims, redirects
from pagedrift.errors import InputError, PagedriftError
from pagedrift.file_types import HEAD_BYTES
from pagedrift.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.archive.source import Source

_MAX_RESOURCE_BYTES: Final = 16_000_000  # of one resource; films are not needed for a picture
_MAX_KEPT_BYTES: Final = 40_000_000  # of resources that cannot be found again by their offset
_ENTRIES: Final = 2_000_000  # of the index of one collection
_MAX_REDIRECTS: Final = 5  # redirects that are followed
_OK: Final = 200
_KINDS: Final = (WarcRecordType.response, WarcRecordType.resource, WarcRecordType.revisit)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """One capture of a resource: where it stands, or where it leads to."""

    captured_at: datetime
    source: Source | None = None
    offset: int = 0
    leads_to: str = ""
    kept: tuple[str, bytes] | None = None


class Holdings:
    """All resources of archives, by address; only an index of them is in memory."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._places: dict[str, list[_Place]] = defaultdict(list)
        self._room = _MAX_KEPT_BYTES
        self._entries = 0
        for source in sources:
            if source.rereadable:
                with suppress(OSError):  # what is damaged only lacks in the picture
                    self._index(source)

    def near(self, moment: datetime | None) -> Mapping[str, tuple[str, bytes]]:
        """Give the resources as of a time: content type and body, by address."""
        return _Near(self._places, moment or datetime.max.replace(tzinfo=UTC))

    def _index(self, source: Source) -> None:
        apart = _apart(source)
        with source.for_fastwarc() as file:
            for record in _records(file):
                if self._entries >= _ENTRIES:
                    return
                with suppress(PagedriftError, ValueError):
                    self._add(record, source, apart=apart)

    def _add(self, record: Any, source: Source, *, apart: bool) -> None:
        url = (record.headers.get(URL) or "").strip("<>")
        if not url or record.record_type not in _KINDS:
            return
        captured = datetime.fromisoformat(record.headers.get(DATE) or "")
        captured = captured if captured.tzinfo else captured.replace(tzinfo=UTC)
        http = record.http_headers
        status = _OK if http is None else http.status_code
        if record.record_type == WarcRecordType.revisit:
            target = record.headers.get("WARC-Refers-To-Target-URI") or ""
            place = _Place(captured_at=captured, leads_to=target if _key(target) != _key(url) else "")
        elif redirects(status):
            place = _Place(captured_at=captured, leads_to=urljoin(url, http.get("Location") or ""))
        elif status != _OK:
            return
        elif apart:
            place = _Place(captured_at=captured, source=source, offset=record.stream_pos)
        else:
            place = self._keep(captured, record)
        if place.source or place.leads_to or place.kept:
            self._places[_key(url)].append(place)
            self._entries += 1

    def _keep(self, captured: datetime, record: Any) -> _Place:
        """Keep a resource that cannot be found again, while there is room."""
        if record.content_length > self._room:
            return _Place(captured_at=captured)
        self._room -= record.content_length
        return _Place(captured_at=captured, kept=_content(record))


class _Near(Mapping[str, tuple[str, bytes]]):
    """Resources as of one time."""

    def __init__(self, places: Mapping[str, list[_Place]], moment: datetime) -> None:
        self._places = places
        self._moment = moment

    def __getitem__(self, url: str) -> tuple[str, bytes]:
        asked = url
        for _ in range(_MAX_REDIRECTS + 1):
            found = self._places.get(_key(url))
            if not found:
                break
            place = min(found, key=lambda each: abs(each.captured_at - self._moment))
            if place.kept:
                return place.kept
            if place.source:
                return _read(place.source, place.offset, asked)
            url = place.leads_to
        raise KeyError(asked)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _key(url: str) -> str:
    """Name a resource, whether it was asked for with encryption or not.

    >>> _key("https://city.example/city.css#top")
    'city.example/city.css'
    """
    return url.partition("#")[0].partition("://")[2]


def _records(file: Any) -> Iterator[Any]:
    return iter(warc_records(file, largest=_MAX_RESOURCE_BYTES))


def _apart(source: Source) -> bool:
    """Return whether records can be found by their offsets: some archives are packed in one piece."""
    with source.for_fastwarc() as file:
        offsets = [record.stream_pos for record in islice(_records(file), 2)]
    if len(offsets) < 2:  # noqa: PLR2004 - one record starts where the file does
        return True
    with closing(source.open(offsets[1])) as file:
        return offsets[0] < offsets[1] and recovery.opens_record(file.read(HEAD_BYTES))


def _read(source: Source, offset: int, asked: str) -> tuple[str, bytes]:
    """Read one resource."""
    try:
        with closing(source.open(offset)) as file:
            return _content(next(_records(file)))
    except (PagedriftError, OSError, StopIteration, ValueError):
        raise KeyError(asked) from None


def _content(record: Any) -> tuple[str, bytes]:
    """Give the content type and the body of a record, unpacked."""
    http, length = record.http_headers, record.content_length
    body = record.reader.read()
    if len(body) != length:
        raise InputError("the record is cut off; get a complete copy of the archive")
    if http is None:
        return record.headers.get("Content-Type") or "application/octet-stream", body
    content_type, codings = claims(http.to_tuples())
    if codings:
        body = decode(body, codings, limits=Limits(body=_MAX_RESOURCE_BYTES))
    return content_type or "application/octet-stream", body
