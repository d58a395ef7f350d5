"""The reader of an archive folder: captures at a given place, or all of them in order.

Nothing here needs a lock: what is asked for is read while others write.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal

from pagedrift.archive.fastwarc_compat import MAX_HEADER_BYTES
from pagedrift.archive.index import captures_at, timestamp_of, written
from pagedrift.archive.locations import Name, Place, current, open_at, shelf
from pagedrift.archive.payload import decode
from pagedrift.archive.record import DATE, DIGEST, URL, claims, version
from pagedrift.archive.record_format import NOTES, REPEATED, REPEATED_AT
from pagedrift.archive.record_scan import Group, Record, Torn, end_of, groups, whole_records
from pagedrift.archive.recovery import TORN
from pagedrift.errors import InputError, LimitError
from pagedrift.limits import DEFAULT_LIMITS, Limits, allow
from pagedrift.read_report import Account, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pagedrift.page import PageVersion

NOTE: Final = "urn:pagedrift:"  # before what a note is about
_BYTES: Final = re.compile(r"(\d{1,18})\+(\d{1,18})")
_BODY: Final = re.compile(rb"\r?\n\r?\n")
_MAX_ATTACHMENT_BYTES: Final = 1 << 28  # of an attachment
_NOT_MODIFIED: Final = 304


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A capture or a note, as the WARCs have it."""

    place: Place
    kind: Literal["capture", "note"]
    url: str
    captured_at: datetime | None
    mime: str
    status: int | None
    digest: str
    repeats: Place | None  # the capture whose body this one has too
    notes: dict[str, Any]
    attachments: tuple[str, ...]  # their kinds, such as fullPage

    @property
    def end(self) -> int:
        """Where in its file the next one starts: what `stored(after=…)` continues from."""
        return self.place.offset + self.place.length


def stored(
    folder: str | Path,
    *,
    after: Mapping[str, int] | None = None,
    writer: str | None = None,
    account: Account | None = None,
    at_rest: bool = False,
) -> Iterator[Stored]:
    """Walk everything that was written, or what one writer wrote, file by file, each from an offset on.

    Of one writer, files older than all that `after` names are left out. Damage is passed by and counted; at the
    end of a file, where somebody may be writing, only if all is `at_rest`.

    >>> import tempfile
    >>> from pagedrift.archive.writer import ArchiveWriter
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ArchiveWriter(folder) as archive:
    ...         _ = archive.note("watch:7", {"url": "https://city.example/"})
    ...     [(found.kind, found.url, found.notes["url"]) for found in stored(folder)]
    [('note', 'urn:pagedrift:watch:7', 'https://city.example/')]
    """
    held, account = shelf(folder), account or Account()
    names = held.names(writer=writer)
    for name in names[_first(names, after) if writer else 0 :]:
        start = (after or {}).get(name, 0)
        with suppress(FileNotFoundError):  # compacted away meanwhile
            if start < held.size(name):
                with held.open(name) as file:
                    yield from _stored(folder, name, file, start, account, at_rest=at_rest)


def _first(names: list[str], after: Mapping[str, int] | None) -> int:
    """Say from which file on to look."""
    return next((at for at, name in enumerate(names) if name in after), 0) if after else 0


def page_at(folder: str | Path, place: Place, *, limits: Limits = DEFAULT_LIMITS) -> PageVersion:
    """Read the version at a place; a revisit has the body of what it repeats, with its own time and headers."""
    record = _read(folder, place, limits)
    http = record.http_headers
    status, headers = (None, ()) if http is None else (http.status_code, http.to_tuples())
    content_type, codings = claims(headers)
    if str(record.record_type) == "revisit":
        page = page_at(folder, repeated_by(folder, record.headers), limits=limits)
        body, content_type = page.body, content_type or page.content_type
        status = page.status if status in (None, _NOT_MODIFIED) else status
        headers = headers or page.headers
    else:
        body = record.reader.read()
        body = decode(body, codings, limits=limits) if codings else body
        content_type = content_type if http is not None else record.headers.get("Content-Type")
    found = version(record, body, content_type, status, headers)
    return found[0] if isinstance(found, tuple) else found


def attachments_at(folder: str | Path, place: Place) -> dict[str, tuple[str, bytes]]:
    """Read what was kept next to a capture: media type and bytes, by kind."""
    found = {}
    for record in _beside(folder, place):
        if str(record.record_type) == "resource" and (kind := _kind(record.headers.get(URL) or "")):
            found[kind] = (record.headers.get("Content-Type") or "", record.reader.read())
    return found


def notes_at(folder: str | Path, place: Place) -> dict[str, Any]:
    """Read the notes that were kept with a capture, or a note."""
    for record in _beside(folder, place):
        url = record.headers.get(URL) or ""
        if str(record.record_type) == "metadata" or url.startswith(NOTE):
            return _notes(record.reader.read())
    return {}


def repeated_by(folder: str | Path, fields: Any) -> Place:
    """Say where the body stands that a revisit repeats: where it says, or where the index lists it."""
    hint = hinted(fields)
    url, date = fields.get("WARC-Refers-To-Target-URI") or "", fields.get("WARC-Refers-To-Date") or ""
    if hint:
        with suppress(InputError):
            return current(folder, hint)
    entries = captures_at(Path(folder), url, timestamp_of(date)) if url and date else []
    digest = fields.get(DIGEST)
    for entry in entries:
        if entry.mime != "warc/revisit" and entry.url == url and digest in (None, entry.digest):
            with suppress(InputError):
                return whole(folder, Place(entry.filename, entry.offset, entry.length))
    raise InputError(
        f"{folder} does not hold what this revisit of {fields.get(URL)} repeats; get the WARCs it lacks"
    )


def whole(folder: str | Path, place: Place) -> Place:
    """Give the place of a capture whose main record is known."""
    file, place = open_at(folder, place)
    with file:
        return place._replace(length=end_of(file, place.offset) - place.offset)


def hinted(fields: Any) -> Place | None:
    """Read where a revisit says that the body stands."""
    name, found = fields.get(REPEATED) or "", _BYTES.fullmatch(fields.get(REPEATED_AT) or "")
    return Place(name, int(found[1]), int(found[2])) if found and Name.read(name) else None


def _read(folder: str | Path, place: Place, limits: Limits) -> Any:
    """Read the main record of a capture."""
    file, place = open_at(folder, place)
    with file:
        found = next(whole_records(file, place.offset, most=limits.body + MAX_HEADER_BYTES), None)
    if found is None:
        raise InputError(
            f"no complete record starts at byte {place.offset} of {place.filename}; get a complete copy"
        )
    if found[1].content_length > limits.body:
        raise LimitError(f"the page has more than {limits.body:,} bytes; " + allow("body"))
    return found[1]


def _beside(folder: str | Path, place: Place) -> Iterator[Any]:
    """Give the records of a capture, one after the other, as they are read."""
    file, place = open_at(folder, place)
    end, last = place.offset + place.length, place.offset
    with file:
        for last, record in whole_records(file, place.offset, most=_MAX_ATTACHMENT_BYTES):
            yield record
            if last >= end:
                return
    raise InputError(f"{place.filename} is damaged at byte {last}; get a complete copy of it")


def _stored(
    folder: str | Path, name: str, file: BinaryIO, start: int, account: Account, *, at_rest: bool
) -> Iterator[Stored]:
    torn: Torn | None = None
    for found in groups(file, start):
        if torn:
            account.report(Problem(name, torn.offset, TORN))
        torn = found if isinstance(found, Torn) else None
        if isinstance(found, Group) and found.main.kind != "warcinfo":
            yield described(folder, name, found)
    # What is torn at the very end may be being written just now, or will be repaired by its writer.
    if torn and at_rest:
        account.report(Problem(name, torn.offset, TORN))


def described(folder: str | Path, name: str, group: Group) -> Stored:
    """Say what a capture is."""
    main, about = group.main, written(group.main)
    place = Place(name, main.offset, group.end - main.offset)
    beside = [record for record in group.records[group.at + 1 :] if record.kind in ("metadata", "resource")]
    kinds = [_kind(record.fields.get(URL) or "") for record in beside if record.kind == "resource"]
    note = about.url.startswith(NOTE)
    found = [main] if note else [record for record in beside if record.kind == "metadata"]
    return Stored(
        place=place,
        kind="note" if note else "capture",
        url=about.url,
        captured_at=_moment(main.fields.get(DATE) or ""),
        mime=about.mime,
        status=int(about.status) if about.status else None,
        digest=about.digest,
        repeats=_repeats(folder, main),
        notes=_notes(_body(found[0])) if found else {},
        attachments=tuple(filter(None, kinds)),
    )


def _repeats(folder: str | Path, main: Record) -> Place | None:
    if main.kind != "revisit":
        return None
    try:
        return repeated_by(folder, main.fields)
    except InputError:
        return hinted(main.fields)


def _kind(url: str) -> str:
    """Name the kind of an attachment by its address.

    >>> _kind("urn:fullPage:https://city.example/"), _kind("https://city.example/")
    ('fullPage', '')
    """
    return url.split(":", 2)[1] if url.startswith("urn:") and not url.startswith((NOTES, NOTE)) else ""


def _body(record: Record) -> bytes:
    found = _BODY.search(record.head)
    return record.head[found.end() :] if found else b""


def _notes(body: bytes) -> dict[str, Any]:
    with suppress(ValueError):
        data = json.loads(body)
        return data if isinstance(data, dict) else {}
    return {}


def _moment(date: str) -> datetime | None:
    with suppress(ValueError):
        found = datetime.fromisoformat(date)
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None
