"""How does a folder of WARCs become one WACZ file to pass on?"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from pagedrift.archive.index import MAIN, Entry
from pagedrift.archive.payload import names_page
from pagedrift.archive.writing import ArchiveError, ArchiveWriter, software

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_VERSION: Final = "1.1.1"
_CHUNK: Final = 1 << 20
_PAGES: Final = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}


def export(archive: ArchiveWriter, path: str | Path) -> int:
    """Write what an archive holds now as a WACZ, and say how many captures that were; captures go on meanwhile."""
    path = Path(path)
    warcs, lines = archive.snapshot()
    if not lines:
        raise ArchiveError(f"{archive.folder} holds no capture; keep one with: pagedrift fetch URL --to FOLDER")
    new = path.with_name(path.name + ".new")
    try:
        with zipfile.ZipFile(new, "w", zipfile.ZIP_STORED) as package:  # stored, so that players can read parts
            _fill(package, warcs, lines)
        with new.open("rb") as file:
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise ArchiveError(
            f"{path} cannot be written ({error.strerror}); make room, or take another name"
        ) from None
    return sum(not line.startswith(b"urn:") for line in lines)


def _fill(package: zipfile.ZipFile, warcs: Iterable[tuple[Path, int]], lines: list[bytes]) -> None:
    listed = [_add(package, f"indexes/{MAIN}", lines)]
    pages = (json.dumps(each).encode() + b"\n" for each in (_PAGES, *_pages(lines)))
    listed.append(_add(package, "pages/pages.jsonl", pages))
    for path, size in warcs:
        with path.open("rb") as file:
            listed.append(_add(package, f"archive/{path.name}", _parts(file, size)))
    about = {
        "profile": "data-package",
        "wacz_version": _VERSION,
        "software": software(),
        "created": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "resources": listed,
    }
    said = json.dumps(about, indent=2).encode()
    told = _add(package, "datapackage.json", [said])
    proof = {"path": "datapackage.json", "hash": told["hash"]}
    _add(package, "datapackage-digest.json", [json.dumps(proof, indent=2).encode()])


def _add(package: zipfile.ZipFile, name: str, parts: Iterable[bytes]) -> dict[str, Any]:
    """Add a member, and describe it as a data package does."""
    hashed, size = hashlib.sha256(), 0
    with package.open(name, "w", force_zip64=True) as member:
        for part in parts:
            member.write(part)
            hashed.update(part)
            size += len(part)
    return {"name": name.rpartition("/")[2], "path": name, "hash": f"sha256:{hashed.hexdigest()}", "bytes": size}


def _parts(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Give so many bytes of a file that may be growing."""
    while size and (part := file.read(min(size, _CHUNK))):
        size -= len(part)
        yield part


def _pages(lines: Iterable[bytes]) -> Iterator[dict[str, str]]:
    """List the pages for players to offer: each once, at its first capture."""
    seen = set()
    for line in lines:
        entry = Entry.read(line)
        page = entry.status in ("", "200") and names_page(entry.mime) and not entry.url.startswith("urn:")
        if page and entry.url not in seen:
            seen.add(entry.url)
            moment = datetime.strptime(entry.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            number = hashlib.sha256(line).hexdigest()[:16]
            yield {"id": number, "url": entry.url, "ts": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}
