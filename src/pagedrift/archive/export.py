"""Export of kept captures, all or some of them, as one WACZ file.

Memory stays flat: what is written passes by, and what must be sorted is sorted on disk.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from pagedrift.archive.external_sort import Sorted
from pagedrift.archive.index import REVISIT, IndexEntry, line_of, listed, timestamp_of, written
from pagedrift.archive.locations import ArchiveError, Place, open_at, warcs
from pagedrift.archive.payload import names_page
from pagedrift.archive.reader import repeated_by
from pagedrift.archive.record_format import information
from pagedrift.archive.record_scan import belonging, readable_until
from pagedrift.archive.surt import key
from pagedrift.archive.writer import software
from pagedrift.atomic_files import atomic_file
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

INDEX: Final = "index.cdxj"
_VERSION: Final = "1.1.1"
_CHUNK: Final = 1 << 20
_PAGES: Final = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}


@dataclass(frozen=True, slots=True)
class Selection:
    """Which captures are meant: of some addresses, within some time; all where nothing is said."""

    urls: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def all(self) -> bool:
        """Return whether every capture is meant."""
        return not self.urls and self.since is None and self.until is None

    def takes(self, url: str, timestamp: str) -> bool:
        """Return whether a capture is meant, by its address and second.

        >>> Selection(("https://city.example/",)).takes("https://www.city.example", "20261115120000")
        True
        """
        if self.urls and key(url) not in map(key, self.urls):
            return False
        return _digits(self.since, "0") <= timestamp <= _digits(self.until, "9")


def export(
    folder: str | Path,
    path: str | Path,
    *,
    urls: Iterable[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
) -> int:
    """Write what a folder holds now as a WACZ, and say how many captures that were; captures continue meanwhile."""
    folder, path, selection = Path(folder), Path(path), Selection((*urls,), since, until)
    try:
        # stored, so that players can read parts
        with atomic_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as package:
            return _fill(package, folder, selection)
    except OSError as error:
        raise ArchiveError(
            f"{path} cannot be written ({error.strerror}); free some space, or choose another name"
        ) from None


def _fill(package: zipfile.ZipFile, folder: Path, selection: Selection) -> int:
    with tempfile.TemporaryFile() as lines:
        if selection.all:
            ends = _spool(listed(folder), lines)
            parts = [_copied(package, each, ends.get(each.name, 0)) for each in warcs(folder)]
        else:
            parts = [_picked(package, folder, selection, lines)]
        captures = sum(not line.startswith(b"urn:") for line in _again(lines))
        if not captures:
            said = "no capture" if selection.all else "no such capture"
            raise ArchiveError(f"{folder} holds {said}; keep one with: pagedrift fetch URL --to FOLDER")
        parts.append(add_member(package, f"indexes/{INDEX}", _again(lines)))
        pages = (json.dumps(each).encode() + b"\n" for each in page_lines(_again(lines)))
        parts.append(add_member(package, "pages/pages.jsonl", pages))
    describe(package, parts)
    return captures


def describe(
    package: zipfile.ZipFile,
    parts: list[dict[str, Any]],
    *,
    sign: Callable[[str], dict[str, str]] | None = None,
    **more: str,
) -> None:
    """Write what the package holds, with the hash of everything; `sign` makes a signature of the hash of that."""
    about = {
        "profile": "data-package",
        "wacz_version": _VERSION,
        "software": software(),
        "created": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        **more,
        "resources": parts,
    }
    found = add_member(package, "datapackage.json", [json.dumps(about, indent=2).encode()])
    proof: dict[str, Any] = {"path": "datapackage.json", "hash": found["hash"]}
    if sign is not None:
        proof["signedData"] = sign(found["hash"])
    add_member(package, "datapackage-digest.json", [json.dumps(proof, indent=2).encode()])


def add_member(package: zipfile.ZipFile, name: str, parts: Iterable[bytes]) -> dict[str, Any]:
    """Add a member, and describe it as a data package does."""
    hashed, size = hashlib.sha256(), 0
    with package.open(name, "w", force_zip64=True) as member:
        for part in parts:
            member.write(part)
            hashed.update(part)
            size += len(part)
    return {"name": name.rpartition("/")[2], "path": name, "hash": f"sha256:{hashed.hexdigest()}", "bytes": size}


def _spool(found: Iterable[bytes], lines: IO[bytes]) -> dict[str, int]:
    """Write the lines of an index aside, and say up to where they list each WARC."""
    ends: dict[str, int] = {}
    for line in found:
        lines.write(line)
        entry = IndexEntry.read(line)
        ends[entry.filename] = max(ends.get(entry.filename, 0), entry.offset + entry.length)
    return ends


def _copied(package: zipfile.ZipFile, path: Path, listed_until: int) -> dict[str, Any]:
    """Add a WARC with all its records that are whole: another process may be writing it."""
    with path.open("rb") as file:
        size = readable_until(file, listed_until)
        file.seek(0)
        return add_member(package, f"archive/{path.name}", _parts(file, size))


def _picked(package: zipfile.ZipFile, folder: Path, selection: Selection, lines: IO[bytes]) -> dict[str, Any]:
    """Add a WARC of the captures that are meant, and write the lines of its index."""
    name = f"pagedrift-export-000000-{datetime.now(UTC):%Y%m%d%H%M%S}.warc.gz"
    with Sorted() as sorter:
        picking = _Picking(folder=folder, selection=selection, name=name, lines=sorter)
        part = add_member(package, f"archive/{name}", picking.written())
        lines.writelines(sorter)
    return part


@dataclass(slots=True, kw_only=True)
class _Picking:
    """Captures on their way from the WARCs of a folder into one."""

    folder: Path
    selection: Selection
    name: str
    lines: Sorted
    at: int = 0  # bytes written so far
    besides: set[tuple[str, int]] = field(default_factory=set)  # what was copied as others repeat it

    def written(self) -> Iterator[bytes]:
        """Give the bytes of the new WARC, and list them."""
        head = information(self.name, software())
        self.at = len(head)
        yield head
        for prefix in self.selection.urls or ("",):
            for line in listed(self.folder, prefix=f"{key(prefix)} ".encode() if prefix else b""):
                entry = IndexEntry.read(line)
                place = Place(entry.filename, entry.offset, entry.length)
                if not line.startswith(b"urn:") and self.selection.takes(entry.url, entry.timestamp):
                    if entry.mime == REVISIT:
                        yield from self._repeated(place, before=(key(entry.url), entry.timestamp))
                    if place[:2] not in self.besides:
                        yield from self._capture(place)

    def _capture(self, place: Place) -> Iterator[bytes]:
        try:
            file, place = open_at(self.folder, place)
        except InputError:  # dropped meanwhile
            return
        with file:
            for record in belonging(file, place.offset):
                if line := line_of(written(record), self.name, start=self.at - record.offset):
                    self.lines.add(line)
                back = file.tell()
                file.seek(record.offset)
                yield from _parts(file, record.length)
                file.seek(back)
                self.at += record.length

    def _repeated(self, place: Place, *, before: tuple[str, str]) -> Iterator[bytes]:
        """Copy what a capture repeats, where that is not there yet: readers look for it before its revisits."""
        try:
            file, place = open_at(self.folder, place)
            with file:
                fields = next(belonging(file, place.offset)).fields
            original = repeated_by(self.folder, fields)
        except (InputError, StopIteration):
            return
        url, moment = fields.get("WARC-Refers-To-Target-URI"), timestamp_of(fields.get("WARC-Refers-To-Date"))
        there = self.selection.takes(url, moment) and (key(url), moment) < before
        if not there and original[:2] not in self.besides:
            self.besides.add(original[:2])
            yield from self._capture(original)


def _parts(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Give a number of bytes of a file that may be growing."""
    while size and (part := file.read(min(size, _CHUNK))):
        size -= len(part)
        yield part


def _again(lines: IO[bytes]) -> Iterator[bytes]:
    lines.seek(0)
    return iter(lines)


def _digits(moment: datetime | None, filler: str) -> str:
    return f"{moment.astimezone(UTC):%Y%m%d%H%M%S}" if moment else filler * 14


def page_lines(lines: Iterable[bytes]) -> Iterator[dict[str, str]]:
    """List the pages for players to offer: each once, at its first capture."""
    yield _PAGES
    under, seen = b"", set[str]()
    for line in lines:
        entry = IndexEntry.read(line)
        if line.partition(b" ")[0] != under:  # one address has one key
            under, seen = line.partition(b" ")[0], set()
        page = entry.status in ("", "200") and names_page(entry.mime) and not entry.url.startswith("urn:")
        if page and entry.url not in seen:
            seen.add(entry.url)
            moment = datetime.strptime(entry.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            number = hashlib.sha256(line).hexdigest()[:16]
            yield {"id": number, "url": entry.url, "ts": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}
