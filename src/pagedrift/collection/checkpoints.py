"""Checkpoints: intermediate results of a job, so that a restarted one continues from there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pagedrift.collection import locations


class Scratch:
    """A folder that Spark itself writes to; what is there already is not computed again."""

    def __init__(self, running: Any, folder: str, identity: str) -> None:
        root = folder if locations.scheme(folder) else Path(folder).as_uri()
        self._running = running
        self._place = f"{root}/{identity[:16]}"

    def keep(self, frame: Any, name: str) -> Any:
        """Compute a frame, or take it as it was computed before; machines may come and go from then on."""
        place = f"{self._place}/{name}"
        if not self._files(f"{place}/_SUCCESS").exists(self._path(f"{place}/_SUCCESS")):
            frame.write.mode("overwrite").parquet(place)
        return self._running.read.schema(frame.schema).parquet(place)

    def clear(self) -> None:
        """Remove all."""
        self._files(self._place).delete(self._path(self._place), True)

    def _path(self, place: str) -> Any:
        return self._running._jvm.org.apache.hadoop.fs.Path(place)

    def _files(self, place: str) -> Any:
        return self._path(place).getFileSystem(self._running._jsc.hadoopConfiguration())
