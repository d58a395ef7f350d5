"""Manifests: the archives or records that make up a collection, divided into parts.

A manifest lists one place a line, as Common Crawl's `warc.paths.gz` does: WARC and WACZ files, or Parquet files of
a columnar index, which names records by Common Crawl's columns `warc_filename`, `warc_record_offset` and
`warc_record_length`. A Parquet file, or a folder of either kind, can be given in place of a manifest.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pagedrift.collection import locations
from pagedrift.collection.stores import local_path
from pagedrift.errors import InputError
from pagedrift.extras import need
from pagedrift.file_types import HEAD_BYTES, WARC, ZIP, recognise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ARCHIVES: Final = (".warc", ".warc.gz", ".wacz")
INDEX: Final = ".parquet"
FILE, OFFSET, LENGTH = "warc_filename", "warc_record_offset", "warc_record_length"
MAX_MANIFEST_BYTES: Final = 1 << 30  # of a manifest
RECORDS: Final = 20_000  # rows of a columnar index that make one part
SMALL_PART: Final = 64_000_000  # bytes of small archives that make one part: less is not worth a task


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one task reads: some archives, or some rows of a columnar index."""

    number: int
    archives: tuple[str, ...] = ()
    index: str = ""  # a Parquet file ...
    group: int = 0  # ... the row group in it ...
    start: int = 0  # ... and the rows there
    stop: int = 0
    base: str = ""  # to which file names in an index are relative
    where: tuple[tuple[str, str], ...] = ()  # columns of an index, and what they must say

    def identity(self, *options: str) -> str:
        """Give what is another one for other work: it says whether a part was finished before."""
        content = {name: value for name, value in asdict(self).items() if name != "number"}
        return hashlib.sha256(json.dumps([content, options]).encode()).hexdigest()


def parts_of(
    manifest: str, *, base: str = "", together: int | None = None, where: Iterable[str] = ()
) -> list[Part]:
    r"""Divide a collection into parts: a number of archives together, or a number of rows of an index.

    Where no number is given, each archive is a part of its own, and small files of this machine share one.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("a.warc.gz\n# the rest\n\nb.warc.gz\nc.warc.gz\n")
    ...     file.flush()
    ...     [len(part.archives) for part in parts_of(file.name, base="s3://crawls/", together=2)]
    [2, 1]
    """
    listed, root = _listed(manifest), base or _folder(manifest)
    names = [locations.resolve(root, line) for line in listed]
    if not names:
        raise InputError(f"{manifest} lists no archive; write the place of one on each line")
    indexes = [name for name in names if name.endswith(INDEX)]
    archives = [name for name in names if not name.endswith(INDEX)]
    parts = [Part(number=number, archives=group) for number, group in enumerate(_groups(archives, together))]
    conditions = tuple(_condition(text) for text in where)
    for index in indexes:
        for group, start, stop in _slices(index, conditions):
            parts.append(
                Part(
                    number=len(parts),
                    archives=(),
                    index=index,
                    group=group,
                    start=start,
                    stop=stop,
                    base=base or _folder(index),
                    where=conditions,
                )
            )
    return parts


def _groups(archives: list[str], together: int | None) -> Iterator[tuple[str, ...]]:
    """Put archives together, in their order."""
    if together is not None:
        yield from (tuple(archives[start : start + together]) for start in range(0, len(archives), together))
        return
    group: list[str] = []
    size = 0
    for archive in archives:
        more = _size(archive)
        if group and size + more > SMALL_PART:
            yield tuple(group)
            group, size = [], 0
        group.append(archive)
        size += more
    if group:
        yield tuple(group)


def _size(archive: str) -> int:
    """Give the size of a file of this machine; others are taken for large, as one would have to ask for each."""
    try:
        return SMALL_PART + 1 if locations.scheme(archive) else Path(local_path(archive)).stat().st_size
    except OSError:
        return SMALL_PART + 1  # not there: it is reported when it is read


def _listed(manifest: str) -> list[str]:
    """Read the lines of a manifest, or list what a folder holds."""
    if manifest.endswith((INDEX, *ARCHIVES)) and not Path(local_path(manifest)).is_dir():
        if manifest.endswith(INDEX):
            return [_absolute(manifest)]
        raise InputError(f"{manifest} is an archive, not a list of archives; name a text file with its address")
    if found := _in_folder(manifest):
        return found
    with locations.open_at(_absolute(manifest)) as file:
        data = file.read(MAX_MANIFEST_BYTES)
    if recognise(data[:HEAD_BYTES], "manifest") in (WARC, ZIP):
        raise InputError(f"{manifest} is an archive, not a list of archives; name a text file with its address")
    try:
        text = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8")
    except (UnicodeDecodeError, EOFError, OSError, zlib.error):
        raise InputError(
            f"{manifest} is not a list in UTF-8; write the place of one archive on each line"
        ) from None
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _in_folder(place: str) -> list[str]:
    """List the archives in a folder, or else the files of an index; none where it is not a folder."""
    is_folder = Path(local_path(place)).is_dir() if not locations.scheme(place) else place.endswith("/")
    if not is_folder or locations.scheme(place) in ("http", "https"):
        return []
    files = locations.store_of(place).files(_absolute(place))
    found = [name for name in files if name.endswith(ARCHIVES)] or [name for name in files if name.endswith(INDEX)]
    if not found:
        raise InputError(f"{place} holds no archive and no Parquet file; give a folder that does, or a manifest")
    return found


def _absolute(place: str) -> str:
    return locations.resolve("", place)


def _folder(place: str) -> str:
    """Give the folder in which a file stands."""
    return _absolute(place).rpartition("/")[0] + "/"


def _condition(text: str) -> tuple[str, str]:
    column, character, value = text.partition("=")
    if not character or not column.strip():
        raise InputError(f"{text[:80]!r} is not a valid condition; write one such as url_host_name=city.example")
    return column.strip(), value.strip()


def _slices(index: str, where: tuple[tuple[str, str], ...]) -> Iterator[tuple[int, int, int]]:
    """Divide the rows of an index, by its footer alone; refuse a file that is none."""
    with opened(index) as file:
        footer = file.metadata
    names = set(footer.schema.to_arrow_schema().names)
    if missing := sorted({FILE, OFFSET, *(column for column, _ in where)} - names):
        raise InputError(
            f"{index} has no column {missing[0]}; give a columnar index that names {FILE} and {OFFSET}"
        )
    for group in range(footer.num_row_groups):
        rows = footer.row_group(group).num_rows
        for start in range(0, rows, RECORDS):
            yield group, start, min(rows, start + RECORDS)


@contextmanager
def opened(place: str) -> Iterator[Any]:
    """Open a Parquet file, wherever it stands."""
    parquet, errors = need("spark", "pyarrow.parquet"), need("spark", "pyarrow")
    with locations.open_whole(place) as file:
        try:
            yield parquet.ParquetFile(file)
        except (errors.ArrowInvalid, OSError):
            raise InputError(f"{place} is not a valid Parquet file; create it again") from None


def rows_of(part: Part) -> Iterator[tuple[str, int, int | None]]:
    """Give the wanted records of a slice of an index: file, offset and, where it is known, length."""
    with opened(part.index) as file:
        there = file.schema_arrow.names
        columns = [name for name in dict.fromkeys((FILE, OFFSET, LENGTH, *dict(part.where))) if name in there]
        table = file.read_row_group(part.group, columns=columns).slice(part.start, part.stop - part.start)
    for row in table.to_pylist():
        if all(str(row[column]) == value for column, value in part.where):
            yield locations.resolve(part.base, row[FILE]), int(row[OFFSET]), row.get(LENGTH)
