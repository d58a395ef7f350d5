"""Captures: the page versions in one part of a collection, and where each stands."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, NamedTuple

from pagedrift.archive.source import Source
from pagedrift.collection import locations, manifest
from pagedrift.collection.stores import PlaceError
from pagedrift.errors import InputError, PagedriftError
from pagedrift.limits import DEFAULT_LIMITS
from pagedrift.page import PageVersion
from pagedrift.read_report import Account, Problem
from pagedrift.reading.inputs import expand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.archive.record import Outcome, Take
    from pagedrift.archive.warc import Shelf
    from pagedrift.collection.manifest import Part
    from pagedrift.collection.tally import Tally


class LocatedVersion(NamedTuple):
    """A page version, and where its bytes can be read again."""

    page: PageVersion
    archive: str
    offset: int | None  # None where no record of the archive has an offset of its own


def captures(part: Part, tally: Tally) -> Iterator[LocatedVersion]:
    """Give the page versions of a part; whatever cannot be read is put on the tally, and the rest is given."""
    return _listed(part, tally) if part.index else _read(part, tally)


def _read(part: Part, tally: Tally) -> Iterator[LocatedVersion]:
    from pagedrift.archive.warc import Shelf  # loads FastWARC

    shelf = Shelf(account=Account())
    first: dict[str, tuple[str, int | None]] = {}  # where each body stands: a revisit leads to what it repeats
    with ExitStack() as copies:  # to be there for revisits until the part is read
        for archive in part.archives:
            path = ""
            try:
                path = copies.enter_context(locations.copied(archive))
                sources = _sources(path)
            except PagedriftError as error:
                tally.unreadable += 1
                is_named = isinstance(error, PlaceError) or path == archive
                tally.report(str(error) if is_named else f"{archive}: {error}")
                continue
            tally.archives += 1
            for source in sources:
                name = archive if source.path == path else source.path  # where the place is a folder
                yield from _versions(shelf, source, name, first)
            _take(shelf.account, tally, path, archive)


def _sources(path: str) -> list[Source]:
    """List the WARCs of an archive; refuse what is none."""
    found = expand(path, limits=DEFAULT_LIMITS, account=Account())
    if not all(isinstance(part, Source) for part in found):
        raise InputError(f"{path} is not a WARC or WACZ; leave it out of the manifest")
    return [part for part in found if isinstance(part, Source)]


def _versions(
    shelf: Shelf, source: Source, archive: str, first: dict[str, tuple[str, int | None]]
) -> Iterator[LocatedVersion]:
    for page in shelf.versions(source):
        assert isinstance(page, PageVersion)  # nobody asked for a look
        at = source.start + shelf.account.under_way[-1].offset if source.rereadable else None
        yield LocatedVersion(page, *first.setdefault(page.digest, (archive, at)))


def _take(account: Account, tally: Tally, path: str, archive: str) -> None:
    """Put what went wrong with one archive on the tally, under its own name."""
    for problem in account.problems:
        name = problem.path.replace(path, archive)
        tally.report(str(Problem(name, problem.offset, problem.reason)))
    tally.damaged += account.counts.damaged - len(account.problems)
    tally.passed_over += account.counts.passed_over
    account.problems.clear()
    account.counts.damaged = 0
    account.counts.passed_over.clear()


def _listed(part: Part, tally: Tally) -> Iterator[LocatedVersion]:
    """Read the records that an index names, each by its offset."""
    seen = set()
    try:
        named = list(manifest.rows_of(part))
    except PagedriftError as error:
        tally.unreadable += 1
        tally.report(str(error))
        return
    for archive, offset, length in named:
        seen.add(archive)
        try:
            outcome = record_at(archive, offset, length=length)
        except PagedriftError as error:
            tally.unreadable += isinstance(error, PlaceError)
            tally.report(f"{archive}, byte {offset}: {error}")
            continue
        if isinstance(outcome, tuple):
            outcome, flaw = outcome
            tally.report(f"{archive}, byte {offset}: {flaw}")
        if isinstance(outcome, PageVersion):
            yield LocatedVersion(outcome, archive, offset)
        else:
            tally.passed_over[str(outcome)] += 1
    tally.archives += len(seen)


def record_at(archive: str, offset: int, *, length: int | None = None, take: Take | None = None) -> Outcome:
    """Read the one record at an offset, its page or what is wanted of it; raise InputError where there is none."""
    from pagedrift.archive.fastwarc_compat import warc_records
    from pagedrift.archive.record import page_of

    with closing(locations.open_at(archive, offset, length=length)) as file:
        try:
            record = next(warc_records(file))
            return (take or page_of)(record, limits=DEFAULT_LIMITS)
        except (OSError, StopIteration):
            raise InputError("no complete record starts there; build the index again") from None


def page_at(archive: str, offset: int | None, digest: str) -> PageVersion:
    """Read a page again whose place and digest are known."""
    if offset is None:
        raise InputError(f"{archive} is packed as a whole; pack its records one by one: warcio recompress OLD NEW")
    outcome = record_at(archive, offset)
    page = outcome[0] if isinstance(outcome, tuple) else outcome
    if not isinstance(page, PageVersion) or page.digest != digest:
        raise InputError(
            f"{archive}, byte {offset}: another record is here now; if the archive is packed as a"
            " whole, pack its records one by one: warcio recompress OLD NEW"
        )
    return page
