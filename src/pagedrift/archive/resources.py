"""Pictures, fonts and style sheets from a WARC, to show a page with."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pagedrift.archive.fastwarc_compat import warc_records
from pagedrift.archive.payload import decode
from pagedrift.archive.record import DATE, URL, claims
from pagedrift.errors import PagedriftError
from pagedrift.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.archive.source import Source

_SHOWN: Final = ("image/", "font/", "text/css", "application/font", "application/x-font")
_MAX_RESOURCES_BYTES: Final = 4_000_000  # of one, and of all: they go into one file
_ALL: Final = 40_000_000
_OK: Final = 200


@dataclass(frozen=True, slots=True)
class Held:
    """One resource as an archive has it."""

    url: str
    media_type: str
    body: bytes
    captured_at: datetime


def resources(sources: Iterable[Source], *, near: datetime | None) -> dict[str, tuple[str, bytes]]:
    """Give what can be shown, by address; of several versions the one nearest to a time."""
    moment = near or datetime.max.replace(tzinfo=UTC)
    best: dict[str, Held] = {}
    room = _ALL
    for source in sources:
        for found in _held(source):
            known = best.get(found.url)
            if known and abs(known.captured_at - moment) <= abs(found.captured_at - moment):
                continue
            room -= len(found.body) - (len(known.body) if known else 0)
            if room < 0:
                break
            best[found.url] = found
    return {url: (found.media_type, found.body) for url, found in best.items()}


def _held(source: Source) -> Iterator[Held]:
    """Give the resources of one WARC; what is damaged only lacks in the picture."""
    if not source.rereadable:
        return
    with source.for_fastwarc() as file, suppress(OSError):
        for record in warc_records(file, largest=_MAX_RESOURCES_BYTES):
            with suppress(PagedriftError, ValueError):
                if found := _resource(record):
                    yield found


def _resource(record: Any) -> Held | None:
    http = record.http_headers
    url = record.headers.get(URL)
    if http is None or http.status_code != _OK or not url:
        return None
    content_type, codings = claims(http.to_tuples())
    media_type = (content_type or "").split(";")[0].strip().lower()
    if not media_type.startswith(_SHOWN):
        return None
    body = record.reader.read()
    if codings:
        body = decode(body, codings, limits=Limits(body=_MAX_RESOURCES_BYTES))
    captured = datetime.fromisoformat(record.headers.get(DATE) or "")
    return Held(url, media_type, body, captured if captured.tzinfo else captured.replace(tzinfo=UTC))
