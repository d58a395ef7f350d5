"""Which page has which fingerprint and which template, as a table for other programs?"""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import iso_moment
from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

COLUMNS: Final = ("url", "captured_at", "digest", "fingerprint", "template")
Row = tuple[str, "datetime | None", str, str, str]
_AT_ONCE: Final = 50_000  # rows that are held while a Parquet file is written


def table(rows: Iterable[Row]) -> Any:
    """Make a pyarrow table with the columns url, captured_at, digest, fingerprint and template.

    >>> table([("https://city.example/", None, "", "lzw:0,0,2", "fees")]).column("template").to_pylist()
    ['fees']
    """
    arrow = need("tables", "pyarrow")
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    return arrow.table(dict(zip(COLUMNS, map(list, columns), strict=True)), schema=_schema())


def _schema() -> Any:
    arrow = need("tables", "pyarrow")
    kinds = {"captured_at": arrow.timestamp("us", tz="UTC")}
    return arrow.schema([(name, kinds.get(name, arrow.string())) for name in COLUMNS])


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write a table, in the format that the name of the file ends with."""
    writer_for(path)(path, rows)


def writer_for(path: Path) -> Callable[[Path, Iterable[Row]], None]:
    """Find who writes such a file; refuse a name that says nothing, before any work is done."""
    if path.suffix not in WRITERS:
        raise InputError(f"{path} does not say in which format; end it with one of: {', '.join(WRITERS)}")
    if path.suffix == ".parquet":
        need("tables", "pyarrow.parquet")
    return WRITERS[path.suffix]


def _write_parquet(path: Path, rows: Iterable[Row]) -> None:
    parquet = need("tables", "pyarrow.parquet")
    with parquet.ParquetWriter(path, _schema()) as file:
        for some in _batched(rows):
            file.write_table(table(some))


def _batched(rows: Iterable[Row]) -> Iterator[list[Row]]:
    held: list[Row] = []
    for row in rows:
        held.append(row)
        if len(held) == _AT_ONCE:
            yield held
            held = []
    yield held


def _write_csv(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8", errors="replace") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows((url, iso_moment(when) or "", *rest) for url, when, *rest in rows)


def _write_json(path: Path, rows: Iterable[Row]) -> None:
    """Write one list, with a row on each line."""
    with path.open("w", encoding="utf-8", errors="replace") as file:
        before = "[\n"
        for url, when, *rest in rows:
            row = dict(zip(COLUMNS, (url, iso_moment(when), *rest), strict=True))
            file.write(before + json.dumps(row, ensure_ascii=False))
            before = ",\n"
        file.write("[]\n" if before == "[\n" else "\n]\n")


WRITERS: Final = {".parquet": _write_parquet, ".csv": _write_csv, ".json": _write_json}
