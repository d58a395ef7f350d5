"""Where did each site of a collection stop, so that the next run continues from there?

One small file for each site, in a folder of its own for each run: a task that is done again reads what the run
before left, never what it wrote itself.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Self

from pagedrift.collection import locations
from pagedrift.errors import InputError
from pagedrift.redesigned.detectors import RedesignDetector
from pagedrift.redesigned.stream_monitor import StreamMonitor

FOLDER: Final = "detectors"  # below that of the answers
FORMAT: Final = 1
MAX_SAVED_PLACES: Final = 100  # addresses of the last documents: an event names one of them
MAX_STATE_BYTES: Final = 100_000_000


@dataclass(frozen=True, slots=True)
class SavedDetectors:
    """The detectors that a run left, or is to leave; none where nothing is continued."""

    folder: str = ""
    names: frozenset[str] = frozenset()  # of the files that are there

    @classmethod
    def of_run(cls, answers: str) -> Self:
        """Find what an earlier run left in the folder of its answers."""
        folder = f"{answers.rstrip('/')}/{FOLDER}"
        names = frozenset(Path(place).name for place in locations.store_of(folder).files(folder))
        if not names:
            raise InputError(
                f"{folder} holds no saved detectors; name the --to folder of an earlier run of the same job"
            )
        return cls(folder, names)

    def load(self, site: str) -> StreamMonitor | None:
        """Continue with a site where the run stopped; None if it did not have it."""
        if (name := _name_of(site)) not in self.names:
            return None
        place = f"{self.folder}/{name}"
        try:
            state = json.loads(gzip.decompress(locations.store_of(place).read(place, 0, MAX_STATE_BYTES)))
            if state["format"] != FORMAT:
                raise ValueError("format")
            places = [(url, datetime.fromisoformat(when) if when else None) for url, when in state["places"]]
            return StreamMonitor(RedesignDetector.from_json(state["detector"]), places=places)
        except (OSError, EOFError, ValueError, KeyError, TypeError):
            raise InputError(f"{place} is not a saved detector; remove it, and {site} starts again") from None

    def save(self, site: str, course: StreamMonitor) -> None:
        """Write where a site stopped."""
        places = list(course.places)[-MAX_SAVED_PLACES:]
        state = {
            "format": FORMAT,
            "site": site,
            "detector": course.detector.to_json(),
            "places": [(url, when.isoformat() if when else None) for url, when in places],
        }
        self._write(_name_of(site), gzip.compress(json.dumps(state).encode(), 6, mtime=0))

    def carry_over(self, earlier: SavedDetectors) -> None:
        """Take over the sites of an earlier run that had no new captures: the next run needs them, too."""
        there = {Path(place).name for place in locations.store_of(self.folder).files(self.folder)}
        for name in sorted(earlier.names - there):
            place = f"{earlier.folder}/{name}"
            self._write(name, locations.store_of(place).read(place, 0, MAX_STATE_BYTES))

    def _write(self, name: str, state: bytes) -> None:
        place = f"{self.folder}/{name}"
        with TemporaryDirectory() as scratch:
            file = Path(scratch, name)
            file.write_bytes(state)
            locations.store_of(place).write(place, file)


def _name_of(site: str) -> str:
    return f"{hashlib.sha256(site.encode()).hexdigest()[:32]}.json.gz"
