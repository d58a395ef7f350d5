"""Tasks of a job: each computes one part of a table, unless that is finished already."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pagedrift.collection import locations, parts
from pagedrift.collection.stores import PlaceError
from pagedrift.collection.tally import Tally
from pagedrift.errors import InputError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pagedrift.collection.job import CollectionJob
    from pagedrift.collection.manifest import Part
    from pagedrift.collection.parts import Column, Row

    Process = Callable[[Iterator[dict[str, Any]], Tally], Iterator[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedTable:
    """A table that is made from another one: what is in it, and how its rows come about."""

    name: str
    columns: tuple[Column, ...]
    identity: str
    parts: int
    order: tuple[str, ...]  # of the rows in a part
    process: Process


def as_they_are(columns: Iterable[Column]) -> Process:
    """Give rows out of a frame that has these columns."""
    return partial(_picked, tuple(column.name for column in columns))


def _picked(names: tuple[str, ...], rows: Iterator[dict[str, Any]], tally: Tally) -> Iterator[Row]:  # noqa: ARG001
    yield from (tuple(row[name] for name in names) for row in rows)


def failed(tally: Tally, where: str, error: Exception) -> None:
    """Count what went wrong with one page; one that could not be reached is tried again another time."""
    tally.unreadable += isinstance(error, PlaceError)
    known = isinstance(error, PagedriftError)
    tally.report(f"{where}: {error if known else f'{type(error).__name__}: {error}; please report the page'}")


def do_part(job: CollectionJob, part: Part, *, folder: str, options: tuple[str, ...]) -> tuple[Tally, bool, str]:
    """Do one part in a task, unless it is finished; one of which something could not be reached is done again."""
    identity = part.identity(*options, *_sizes(part))
    known = parts.finished(folder, part.number, identity)
    tally = Tally() if known is None or known.unreadable else known
    if tally is not known:
        rows = job.process_part(part, tally)
        parts.write_part(parts.place_of(folder, part.number), identity, job.output_schema, rows, tally)
    job.pages_done.add(tally.pages)
    job.problems_seen.add(tally.damaged)
    return tally, tally is known, identity


def _sizes(part: Part) -> list[str]:
    """Give the sizes of archives: one that has grown is another one."""
    sizes = []
    for archive in part.archives:
        try:
            sizes.append(str(locations.store_of(archive).size(archive)))
        except PagedriftError:
            sizes.append("missing")
    return sizes


def was_done(number: int, *, folder: str, identity: str) -> list[tuple[int, Tally]]:
    """Give a part with its tally if it is finished."""
    tally = parts.finished(folder, number, identity)
    return [] if tally is None or tally.unreadable else [(number, tally)]


def write_empty(number: int, *, folder: str, table: DerivedTable) -> None:
    """Write a part without a row."""
    parts.write_part(parts.place_of(folder, number), table.identity, table.columns, (), Tally())


def write_parts(rows: Iterator[Any], *, folder: str, table: DerivedTable) -> Iterator[tuple[int, Tally]]:
    """Write what one task has: the rows of one part, or of several, one after the other."""
    for number, some in groupby((row.asDict() for row in rows), key=itemgetter("part")):
        tally = Tally()
        found = table.process(some, tally)
        yield number, parts.write_part(parts.place_of(folder, number), table.identity, table.columns, found, tally)


def check_seen(folder: str, work: list[Part]) -> None:
    """Make sure that what the machines wrote is seen here."""
    there = set(map(parts.number_of, locations.store_of(folder).files(folder)))
    if lost := [part.number for part in work if part.number not in there]:
        raise InputError(
            f"{parts.place_of(folder, lost[0])} was written by another machine and is not seen here; name a folder"
            " that all machines share, or s3://BUCKET/FOLDER"
        )


def refuse_strangers(folder: str, count: int) -> None:
    """Refuse a folder with parts that this work does not have: they would be taken for its answers."""
    beyond = [name for name in locations.store_of(folder).files(folder) if parts.number_of(name) >= count]
    if beyond:
        raise InputError(
            f"{beyond[0]} is of a longer collection, or of one in other parts; name another folder after --to,"
            " empty this one, or give --together as before"
        )
