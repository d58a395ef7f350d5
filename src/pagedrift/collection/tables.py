"""Tables that were written part by part, read back as Spark data frames."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Final

from pagedrift.collection import locations, parts
from pagedrift.collection.manifest import opened
from pagedrift.collection.tally import Tally
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.collection.parts import Column

MARKER: Final = "_finished.json"


def read_table(running: Any, folder: str, columns: tuple[Column, ...]) -> Any:
    """Read a table with its column `part`: by Spark itself, or from S3 by ours, which needs no jars."""
    schema = ", ".join(f"{column.name} {column.kind}" for column in columns)
    if not locations.scheme(folder):
        return running.read.schema(f"{schema}, part int").parquet(Path(folder).as_uri())
    names = [name for name in locations.store_of(folder).files(folder) if name.endswith(".parquet")]
    listed = running.sparkContext.parallelize(names, max(1, len(names)))
    rows = listed.flatMap(partial(_rows, tuple(column.name for column in columns)))
    return running.createDataFrame(rows, f"{schema}, part int", verifySchema=False)


def _rows(names: tuple[str, ...], place: str) -> Iterator[tuple[Any, ...]]:
    number = parts.number_of(place)
    with opened(place) as file:
        for batch in file.iter_batches(columns=list(names)):
            for row in batch.to_pylist():
                yield *(row[name] for name in names), number


def read_marker(folder: str, identity: str) -> Tally | None:
    """Return what was counted in a table that was finished before; None where it is to be made."""
    place = f"{folder}/{MARKER}"
    try:
        with locations.open_whole(place) as file:
            known = json.loads(file.read())
        tally = Tally.from_json(known["tally"])
        return None if known["identity"] != identity or tally.unreadable else tally
    except (PagedriftError, ValueError, KeyError, TypeError):
        return None


def write_marker(folder: str, identity: str, tally: Tally) -> None:
    """Say that a table is finished."""
    with NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"identity": identity, "tally": tally.to_json()}, file)
        file.flush()
        locations.store_of(folder).write(f"{folder}/{MARKER}", Path(file.name))
