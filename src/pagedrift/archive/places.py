"""Where does a kept capture stand, and how are the WARCs of a folder called?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from pagedrift.archive import moves
from pagedrift.errors import InputError, PagedriftError

_HOPS: Final = 100  # compactions that a place may be behind
WRITER: Final = "main"  # who wrote the WARCs that name no writer
_WRITER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NAME: Final = re.compile(r"pagedrift-(?:([A-Za-z0-9][A-Za-z0-9._-]*)-)?(\d{6,})-(\d{14})\.warc\.gz")


class ArchiveError(PagedriftError):
    """A folder that cannot be written to, or that lacks what is asked of it."""


class Place(NamedTuple):
    """Where a capture stands: its main record, and all that was written with it behind that.

    >>> import json
    >>> Place(*json.loads(json.dumps(Place("pagedrift-main-000000-20261115120000.warc.gz", 261, 530)))).offset
    261
    """

    filename: str
    offset: int
    length: int  # from the main record to the end of the last one that belongs to it


class Name(NamedTuple):
    """What the name of a WARC says."""

    writer: str
    number: int
    time: str

    @classmethod
    def read(cls, name: str) -> Name | None:
        """Read a name; None where it is not one of ours.

        >>> Name.read("pagedrift-000007-20261115120000.warc.gz")
        Name(writer='main', number=7, time='20261115120000')
        """
        found = _NAME.fullmatch(name)
        return cls(found[1] or WRITER, int(found[2]), found[3]) if found else None

    def __str__(self) -> str:
        return f"pagedrift-{self.writer}-{self.number:06}-{self.time}.warc.gz"


def checked(writer: str) -> str:
    """Give the name of a writer back, if files can be called so."""
    if not _WRITER.fullmatch(writer):
        raise ArchiveError(
            f"{writer!r} cannot name a writer; take up to 64 letters, digits, dots, dashes and underscores"
        )
    return writer


def warcs(folder: Path, *, writer: str | None = None) -> list[Path]:
    """List the WARCs of a folder, those of each writer oldest first, whatever the clock said."""
    named = [(Name.read(path.name), path) for path in (folder / "warc").glob("pagedrift-*.warc.gz")]
    found = [(name, path) for name, path in named if name is not None and writer in (None, name.writer)]
    here, anew = {path.name for _, path in found}, moves.superseded(folder)
    gone = {old for old in here & anew if moves.target(folder, old) in here}
    return [path for _, path in sorted(found) if path.name not in gone]


def open_at(folder: str | Path, place: Place) -> tuple[BinaryIO, Place]:
    """Open the WARC that a place is in, at that place; say where that is now, as compaction moves captures."""
    folder = Path(folder)
    for _ in range(_HOPS):
        if Name.read(place.filename) is None:
            raise InputError(f"{place.filename!r} is no WARC of ours; check where the place comes from")
        try:
            file = (folder / "warc" / place.filename).open("rb")
        except FileNotFoundError:
            place = _moved(folder, place)
        else:
            file.seek(place.offset)
            return file, place
    raise InputError(f"{place.filename} was moved too often; read the folder again from its WARCs")


def current(folder: str | Path, place: Place) -> Place:
    """Say where a capture is now."""
    file, place = open_at(folder, place)
    file.close()
    return place


def _moved(folder: Path, place: Place) -> Place:
    found = moves.find(folder, place.filename, place.offset)
    if found is None:
        raise InputError(
            f"{folder} no longer holds byte {place.offset} of {place.filename}, which was dropped or taken away; "
            "ask for another capture"
        )
    return Place(*found)
