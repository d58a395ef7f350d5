"""Locations of captures, and the names of the WARCs in a folder."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from pagedrift.archive import relocations
from pagedrift.errors import InputError, UnavailableError

if TYPE_CHECKING:
    from pagedrift.archive.s3_reader import Bucket

SCHEME: Final = "s3://"
_HOPS: Final = 100  # compactions that a place may be behind
WRITER: Final = "main"  # who wrote the WARCs that name no writer
_WRITER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NAME: Final = re.compile(r"pagedrift-(?:([A-Za-z0-9][A-Za-z0-9._-]*)-)?(\d{6,})-(\d{14})\.warc\.gz")


class ArchiveError(UnavailableError):
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
        """Read a name; None if it is not one of this archive.

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
            f"{writer!r} is not a valid writer name; use up to 64 letters, digits, dots, dashes and underscores"
        )
    return writer


class Folder:
    """The WARCs of a folder."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def names(self, *, writer: str | None = None) -> list[str]:
        """List the WARCs, those of each writer oldest first, whatever the clock said."""
        named = [(Name.read(path.name), path.name) for path in (self.path / "warc").glob("pagedrift-*.warc.gz")]
        found = sorted(each for each in named if each[0] is not None and writer in (None, each[0].writer))
        here = {text for _, text in found}
        gone = {
            old for old in here & relocations.superseded(self.path) if relocations.target(self.path, old) in here
        }
        return [text for _, text in found if text not in gone]

    def open(self, name: str, offset: int = 0) -> BinaryIO:
        """Open a WARC at an offset."""
        file = (self.path / "warc" / name).open("rb")
        file.seek(offset)
        return file

    def size(self, name: str) -> int:
        """Say how long a WARC is."""
        return (self.path / "warc" / name).stat().st_size

    def moved(self, place: Place) -> Place | None:
        """Say where compaction moved a capture."""
        found = relocations.find(self.path, place.filename, place.offset)
        return Place(*found) if found else None


def shelf(folder: str | Path) -> Folder | Bucket:
    """Give what holds the WARCs: a folder, or a bucket named s3://BUCKET/PREFIX."""
    return _bucket(str(folder)) if str(folder).startswith(SCHEME) else Folder(folder)


@lru_cache(maxsize=16)  # to connect takes long
def _bucket(address: str) -> Bucket:
    from pagedrift.archive.s3_reader import Bucket

    return Bucket(address)


def warcs(folder: Path, *, writer: str | None = None) -> list[Path]:
    """List the WARCs of a folder, those of each writer oldest first."""
    return [folder / "warc" / name for name in Folder(folder).names(writer=writer)]


def open_at(folder: str | Path, place: Place) -> tuple[BinaryIO, Place]:
    """Open the WARC that a place is in, at that place; say where that is now, as compaction moves captures."""
    held = shelf(folder)
    for _ in range(_HOPS):
        if Name.read(place.filename) is None:
            raise InputError(f"{place.filename!r} is not a WARC of this archive; check the location")
        try:
            return held.open(place.filename, place.offset), place
        except FileNotFoundError:
            moved = held.moved(place)
        if moved is None:
            raise InputError(
                f"{folder} no longer holds byte {place.offset} of {place.filename}, "
                "which was deleted; choose another capture"
            )
        place = moved
    raise InputError(
        f"{place.filename} was rewritten too often since this place was noted; list the captures again"
    )


def current(folder: str | Path, place: Place) -> Place:
    """Say where a capture is now."""
    file, place = open_at(folder, place)
    file.close()
    return place
