"""Which page has which fingerprint and which template, as a table for other programs?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.collection.exports import arrow_table, write_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

COLUMNS: Final = {
    "url": "string",
    "captured_at": "timestamp",
    "digest": "string",
    "fingerprint": "string",
    "template": "string",
}
Row = tuple[str, "datetime | None", str, str, str]


def table(rows: Iterable[Row]) -> Any:
    """Make a pyarrow table with the columns url, captured_at, digest, fingerprint and template.

    >>> table([("https://city.example/", None, "", "lzw:0,0,2", "fees")]).column("template").to_pylist()
    ['fees']
    """
    return arrow_table(COLUMNS, rows)


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write a table, in the format that the name of the file ends with."""
    write_table(path, COLUMNS, rows)
