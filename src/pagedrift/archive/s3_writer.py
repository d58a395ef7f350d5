"""The writer that keeps captures in an S3-compatible bucket.

Objects cannot be appended to, so each flush of captures is one object, a WARC of its own; it is acknowledged when
the service has it. It has no index and no lock: who knows what a body repeats says so, and names never meet.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any, Final

from pagedrift.archive.locations import ArchiveError, Name, Place, shelf
from pagedrift.archive.record_format import information
from pagedrift.archive.s3_reader import Bucket
from pagedrift.archive.writer import MAX_WARC_BYTES, ArchiveWriter, KeptCapture, Packed, software

_CHANCE: Final = 10**6


class BucketWriter(ArchiveWriter):
    """Keeps captures in a bucket; `ArchiveWriter("s3://bucket/prefix")` gives one."""

    def __init__(self, folder: str, *, writer: str = "main", largest: int = MAX_WARC_BYTES) -> None:
        found = shelf(folder)
        assert isinstance(found, Bucket)
        self.bucket = found
        super().__init__(folder, writer=writer, largest=largest)

    def _open(self) -> None:
        known = self.bucket.names(writer=self.writer)
        newest = Name.read(known[-1]) if known else None
        self._number = newest.number if newest else 0
        self._lock = -1

    def close(self) -> None:
        """Keep no more."""
        self._lock = None

    def compact(self, keep: object) -> Any:  # noqa: ARG002
        """Say that a bucket is not compacted."""
        raise ArchiveError(f"{self.address} cannot be compacted; let the service expire old objects")

    def rebuild_index(self) -> None:
        """Do nothing: there is none."""

    def _captures(self, url: str) -> list[Any]:  # noqa: ARG002 - there is no index to look it up in
        return []

    def _tidy(self) -> None:
        pass

    def _write_all(self, waiting: list[Packed]) -> None:
        """Write captures as one object."""
        name = self._next()
        head = information(name, software())
        self.bucket.put(name, head + b"".join(each.data for each in waiting))
        start = len(head)
        for each in waiting:
            place = Place(name, start + each.main, len(each.data) - each.main)
            each.kept = KeptCapture(
                kind=each.kind, path=Path(name), offset=start, length=len(each.data), place=place
            )
            start += len(each.data)

    def _next(self) -> str:
        """Name the next object: later than all before, and by chance unlike those of another process."""
        now = time.time_ns() // 1_000 * _CHANCE + random.randrange(_CHANCE)
        self._number = max(self._number + 1, now)
        return str(Name(self.writer, self._number, time.strftime("%Y%m%d%H%M%S", time.gmtime())))
