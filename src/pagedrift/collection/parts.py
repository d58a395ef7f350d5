"""Parts of a result: Parquet files in a folder, each written completely or not at all, and only once.

Each part is one Parquet file, `FOLDER/part=000017/rows.parquet`. It is written whole, and names in its footer the
work it is the result of and what was counted on the way. So a job that is started again sees what is finished.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from pagedrift.collection import locations
from pagedrift.collection.tally import Tally
from pagedrift.errors import PagedriftError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Row = tuple[Any, ...]

FORMAT: Final = "1"  # of the schemas: another one where a column changes its meaning or goes
IDENTITY, TALLY = "pagedrift.identity", "pagedrift.tally"
AT_ONCE: Final = 10_000  # rows that are held while a part is written


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: its name, its type, and what it says."""

    name: str
    kind: str  # a type of Spark SQL
    meaning: str


def arrow_schema(columns: Iterable[Column]) -> Any:
    """Give the schema of a table to whoever writes it."""
    arrow = need("spark", "pyarrow")
    kinds = {
        "string": arrow.string(),
        "binary": arrow.binary(),
        "boolean": arrow.bool_(),
        "int": arrow.int32(),
        "bigint": arrow.int64(),
        "double": arrow.float64(),
        "timestamp": arrow.timestamp("us", tz="UTC"),
        "map<string,int>": arrow.map_(arrow.string(), arrow.int32()),
        "array<string>": arrow.list_(arrow.string()),
    }
    return arrow.schema([(column.name, kinds[column.kind]) for column in columns])


def place_of(folder: str, number: int) -> str:
    """Say where a part lies.

    >>> place_of("s3://answers/pages", 17)
    's3://answers/pages/part=000017/rows.parquet'
    """
    return f"{folder.rstrip('/')}/part={number:06d}/rows.parquet"


def number_of(place: str) -> int:
    """Return which part a file is; -1 where it is none.

    >>> number_of("s3://answers/pages/part=000017/rows.parquet"), number_of("s3://answers/pages/_finished.json")
    (17, -1)
    """
    number = place.rpartition("/part=")[2].partition("/")[0]
    return int(number) if number.isdigit() else -1


def finished(folder: str, number: int, identity: str) -> Tally | None:
    """Return what was counted in a part that was finished before; None where it is to be done."""
    parquet, arrow = need("spark", "pyarrow.parquet"), need("spark", "pyarrow")
    try:
        with locations.open_whole(place_of(folder, number)) as file:
            footer = parquet.read_metadata(file).metadata or {}
    except (PagedriftError, arrow.ArrowInvalid, OSError):
        return None
    try:
        return (
            Tally.from_json(footer[TALLY.encode()]) if footer.get(IDENTITY.encode()) == identity.encode() else None
        )
    except (KeyError, TypeError, ValueError):  # of an older version
        return None


def write_part(place: str, identity: str, columns: tuple[Column, ...], rows: Iterable[Row], tally: Tally) -> Tally:
    """Write the rows of a part, and with them what was counted while they were made."""
    schema = arrow_schema(columns)
    return write_batches(place, identity, columns, (_batch(some, schema) for some in _batched(rows)), tally)


def write_batches(
    place: str, identity: str, columns: tuple[Column, ...], batches: Iterable[Any], tally: Tally
) -> Tally:
    """Write the rows of a part that are record batches of Arrow already."""
    parquet = need("spark", "pyarrow.parquet")
    with TemporaryDirectory(prefix="pagedrift-") as scratch:
        path = Path(scratch, "rows.parquet")
        with parquet.ParquetWriter(path, arrow_schema(columns), compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch)
                tally.rows += batch.num_rows
            writer.add_key_value_metadata({IDENTITY: identity, TALLY: tally.to_json()})
        locations.store_of(place).write(place, path)
    return tally


def _batched(rows: Iterable[Row]) -> Iterator[list[Row]]:
    held: list[Row] = []
    for row in rows:
        held.append(row)
        if len(held) == AT_ONCE:
            yield held
            held = []
    if held:
        yield held


def _batch(rows: list[Row], schema: Any) -> Any:
    arrow = need("spark", "pyarrow")
    columns = zip(*rows, strict=True)
    return arrow.record_batch(
        [arrow.array(values, type=kind) for values, kind in zip(columns, schema.types, strict=True)], schema=schema
    )
