"""Tables for other programs, as Parquet, CSV or JSON: the name of the file says which."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import iso_moment
from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    TableRow = tuple[Any, ...]
    Columns = Mapping[str, str]  # by name: string, timestamp, double, bigint or boolean

FORMATS: Final = (".parquet", ".csv", ".json")
_AT_ONCE: Final = 50_000  # rows that are held while a Parquet file is written


def check_format(path: Path) -> None:
    """Refuse a file whose name does not say in which format, or whose format needs what is not installed."""
    if path.suffix not in FORMATS:
        raise InputError(f"{path} does not say in which format; end it with one of: {', '.join(FORMATS)}")
    if path.suffix == ".parquet":
        need("tables", "pyarrow.parquet")


def arrow_table(columns: Columns, rows: Iterable[TableRow]) -> Any:
    """Make a pyarrow table.

    >>> arrow_table({"template": "string"}, [("fees",)]).column("template").to_pylist()
    ['fees']
    """
    arrow = need("tables", "pyarrow")
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    return arrow.table(dict(zip(columns, map(list, values), strict=True)), schema=_schema(columns))


def write_table(path: Path, columns: Columns, rows: Iterable[TableRow]) -> None:
    """Write rows, a column for each name."""
    check_format(path)
    {".parquet": _write_parquet, ".csv": _write_csv, ".json": _write_json}[path.suffix](path, columns, iter(rows))


def _schema(columns: Columns) -> Any:
    arrow = need("tables", "pyarrow")
    kinds = {
        "string": arrow.string(),
        "timestamp": arrow.timestamp("us", tz="UTC"),
        "double": arrow.float64(),
        "bigint": arrow.int64(),
        "boolean": arrow.bool_(),
    }
    return arrow.schema([(name, kinds[kind]) for name, kind in columns.items()])


def _write_parquet(path: Path, columns: Columns, rows: Iterator[TableRow]) -> None:
    parquet = need("tables", "pyarrow.parquet")
    with parquet.ParquetWriter(path, _schema(columns)) as file:
        some = list(islice(rows, _AT_ONCE))
        while some:
            file.write_table(arrow_table(columns, some))
            some = list(islice(rows, _AT_ONCE))


def _write_csv(path: Path, columns: Columns, rows: Iterator[TableRow]) -> None:
    with path.open("w", newline="", encoding="utf-8", errors="replace") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([_plain(value) for value in row] for row in rows)


def _write_json(path: Path, columns: Columns, rows: Iterator[TableRow]) -> None:
    """Write one list, with a row on each line."""
    with path.open("w", encoding="utf-8", errors="replace") as file:
        before = "[\n"
        for row in rows:
            data = dict(zip(columns, map(_plain, row), strict=True))
            file.write(before + json.dumps(data, ensure_ascii=False))
            before = ",\n"
        file.write("[]\n" if before == "[\n" else "\n]\n")


def _plain(value: Any) -> Any:
    return iso_moment(value) if isinstance(value, datetime) else value
