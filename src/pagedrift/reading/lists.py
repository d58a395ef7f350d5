"""Lists that users write: the rows of a CSV file."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def rows_of(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Read the named columns of a CSV file, each row with the number of its line; others are left alone."""
    names = f"{', '.join(columns[:-1])} and {columns[-1]}"
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            if not set(columns) <= set(rows.fieldnames or ()):
                raise InputError(f"{path} has no columns {names}; name them in its first line")
            for row in rows:
                yield rows.line_num, [(row[column] or "").strip() for column in columns]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be read ({reason}); give a CSV file with columns {names}") from None
