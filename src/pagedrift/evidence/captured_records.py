"""The WARC records of one capture: those of its archive, byte for byte, or new ones for a file or a live page."""

from __future__ import annotations

import gzip
import io
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from pagedrift.archive import recovery
from pagedrift.archive.fastwarc_compat import warc_records
from pagedrift.archive.record import DATE, URL
from pagedrift.archive.record_format import Members
from pagedrift.archive.source import Source
from pagedrift.dates import period
from pagedrift.errors import InputError
from pagedrift.limits import DEFAULT_LIMITS
from pagedrift.read_report import Account
from pagedrift.reading import pick
from pagedrift.reading.inputs import expand, is_address
from pagedrift.reading.version_reference import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pagedrift.page import PageVersion
    from pagedrift.reading import Reading

_KINDS: Final = frozenset(("response", "resource", "revisit", "request", "metadata"))


@dataclass(frozen=True, slots=True)
class EvidenceCapture:
    """One capture, and the records that prove it, packed as members of a WARC."""

    page: PageVersion
    records: bytes
    origin: str  # where the records come from


def captured(reference: str, *, on_progress: Callable[[Reading], None] | None = None) -> EvidenceCapture:
    """Give the capture that a reference means, with its records; a live page may be gone: that is evidence too."""
    if is_address(path_of(reference)):
        return _live(reference)
    page = pick(reference, on_progress=on_progress)
    path = path_of(reference)
    sources = [part for part in expand(path, limits=DEFAULT_LIMITS, account=Account()) if isinstance(part, Source)]
    if not sources:
        return EvidenceCapture(page, _of_file(page), f"the file {PurePath(path).name}")
    records = b"".join(_found(sources, page.url, page.captured_at))
    if not records:
        raise InputError(f"the records of {page.url} cannot be found again in {path}; give a file packed by record")
    return EvidenceCapture(page, records, f"the archive {PurePath(path).name}")


def _live(url: str) -> EvidenceCapture:
    from pagedrift.capture.http import Client  # loads ssl

    with Client() as client:
        fetched = client.fetch(url, robots="ignore")
    if fetched.page is None or not fetched.exchanges:
        raise InputError(f"{url} gives nothing that can be kept; check the address in a browser")
    *redirects, answer = fetched.exchanges
    members = Members(answer.url, answer.captured_at)
    for each in redirects:
        members.redirect(each)
    members.exchange(answer)
    return EvidenceCapture(fetched.page, members.packed()[0], "a request made for this")


def _of_file(page: PageVersion) -> bytes:
    members = Members(page.url, page.captured_at or datetime.now(UTC))
    members.resource(page.url, page.content_type or "text/html", page.body)
    return members.packed()[0]


def _found(
    sources: Sequence[Source], url: str, when: datetime | None, given: frozenset[object] = frozenset()
) -> Iterator[bytes]:
    """Give the records about an address at a time, packed, and those that a revisit among them repeats."""
    repeated: list[tuple[str, datetime | None]] = []
    for record, data in _records(sources):
        if not _is_of(record, url, when):
            continue
        yield gzip.compress(data + b"\r\n\r\n", mtime=0)
        if str(record.record_type) == "revisit":
            fields = record.headers
            span = period(fields.get("WARC-Refers-To-Date") or "")
            repeated.append((fields.get("WARC-Refers-To-Target-URI") or url, span[0] if span else None))
    given |= {(url, when)}
    for each in repeated:
        if each not in given:  # two revisits may refer to each other
            yield from _found(sources, *each, given)


def _records(sources: Sequence[Source]) -> Iterator[tuple[Any, bytes]]:
    for source in sources:
        with closing(source.open()) as file:
            for _, data in recovery.records(file, largest=DEFAULT_LIMITS.body):
                if isinstance(data, bytes):
                    yield next(warc_records(io.BytesIO(data))), data


def _is_of(record: Any, url: str, when: datetime | None) -> bool:
    if str(record.record_type) not in _KINDS or (record.headers.get(URL) or "").strip("<>") != url:
        return False
    span = period(record.headers.get(DATE) or "")
    return when is None or (span is not None and span[0] == when)
