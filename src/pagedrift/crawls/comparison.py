"""One crawl against another: what became of every address of either.

Both crawls are read once, side by side, into inventories on disk; only pages whose bytes differ are read again and
compared. Memory does not grow with the crawls.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pagedrift.crawls import inventory
from pagedrift.crawls.inventory import Crawl
from pagedrift.crawls.matching import SIDES, MatchedCrawls
from pagedrift.crawls.moves import find_moves
from pagedrift.crawls.page_comparison import AddressState, PageComparison, compare_pages
from pagedrift.crawls.workers import Workers
from pagedrift.dates import period
from pagedrift.errors import InputError, PagedriftError
from pagedrift.read_report import Account, Problem
from pagedrift.reading.inputs import is_address
from pagedrift.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from types import TracebackType
    from typing import Self

    from pagedrift.crawls.inventory import CaptureRow
    from pagedrift.crawls.workers import OnProgress


_SHARED_BY: Final = "SELECT DISTINCT signature FROM changes JOIN shared USING (signature) WHERE row = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedAddress:
    """What became of one address."""

    url: str
    state: AddressState
    detail: str  # why it is gone, what it was before, or what it is now
    other_url: str  # where it moved or leads to
    old_captured_at: datetime | None
    new_captured_at: datetime | None
    amount: float | None  # share of the words that changed
    layout: float | None  # share of the layout that was replaced
    probability: float | None  # that the change is important
    important: int  # changes of each level
    minor: int
    noise: int
    headline: str
    group: int | None  # the shared change that is all there is, see `CrawlComparison.groups`
    groups: tuple[int, ...] = ()  # all its changes that other pages have too
    row: int = 0  # its place in the answer

    @property
    def level(self) -> str:
        """The highest level among its changes; empty where there is none."""
        return "important" if self.important else "minor" if self.minor else "noise" if self.noise else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedChange:
    """One change that several pages have: a link in the menu, a new footer."""

    group: int
    level: str
    headline: str
    pages: int
    examples: tuple[str, ...]


class _Pair(NamedTuple):
    """Two captures to compare, and those before from which to learn."""

    row: int
    old: CaptureRow
    new: CaptureRow
    earlier: tuple[CaptureRow, ...]


def crawl_named(reference: str) -> Crawl:
    """Read what names a crawl: a file, a folder, a WARC or WACZ, or one of these as of a date, ARCHIVE@DATE.

    >>> crawl_named("crawls@2026-10").until.month
    10
    """
    if reference == "-" or is_address(reference):
        raise InputError(f"{reference} is not a crawl; give an archive, or a folder of archives or saved pages")
    path, _, date = reference.rpartition("@")
    if path and not os.path.exists(reference) and (span := period(date)):  # noqa: PTH110 - says no to odd names
        return Crawl(name=reference, paths=(path,), until=span[1])
    return Crawl(name=reference, paths=(reference,))


def compare(
    old: str | Path | Crawl,
    new: str | Path | Crawl,
    *,
    processes: int | None = None,
    on_progress: OnProgress | None = None,
) -> CrawlComparison:
    """Compare two crawls: files, folders, WARC or WACZ, or one archive at two dates (ARCHIVE@DATE).

    The answer is open until it is closed, and lists what became of each address. `processes` is how many compare
    pages side by side; by default one for each processor.

    >>> with compare("examples/crawls/2026-10.warc.gz", "examples/crawls/2026-11.warc.gz") as found:
    ...     [(str(row.state), row.url) for row in found if row.url.endswith("council")]
    [('changed', 'https://elm.example/council')]
    """
    first, second = (each if isinstance(each, Crawl) else crawl_named(os.fspath(each)) for each in (old, new))
    if first.paths == second.paths and first.until is not None and second.since is None:
        second = Crawl(name=second.name, paths=second.paths, since=first.until, until=second.until)
        if second.until is not None and second.until <= first.until:
            raise InputError(f"{second.name} is not later than {first.name}; name the earlier date first")
    workers = Workers(processes or os.cpu_count() or 1)
    return compared(first, second, workers, on_progress or (lambda *_: None))


def compared(old: Crawl, new: Crawl, workers: Workers, on_progress: OnProgress) -> CrawlComparison:
    """Let workers compare two crawls."""
    comparison = CrawlComparison(old, new)
    try:
        comparison.run(workers, on_progress)
    except BaseException:
        comparison.close()
        raise
    return comparison


class CrawlComparison:
    """The answer about two crawls: an iterator of addresses, counts, and the changes that pages share."""

    def __init__(self, old: Crawl, new: Crawl) -> None:
        self.old = old
        self.new = new
        self.account = Account()  # what could not be read
        self._folder = TemporaryDirectory(prefix="pagedrift-")
        self._database = sqlite3.connect("", isolation_level=None)
        self._matched: MatchedCrawls

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give up what is kept on disk."""
        self._database.close()
        self._folder.cleanup()

    def run(self, workers: Workers, on_progress: OnProgress) -> None:
        """Read both crawls and compare them."""
        places = [str(Path(self._folder.name, f"{side}.db")) for side in SIDES]
        with inventory.full_disk_explained(), workers:
            for account in workers.read_crawls((self.old, self.new), places, on_progress):
                self.account.add(account)
            self._matched = MatchedCrawls(self._database, places, self.account)
            self._compare(workers, on_progress)
            self._join_moves(workers, on_progress)
            self._fold()

    def _compare(self, workers: Workers, on_progress: OnProgress) -> None:
        """Read and compare the pages whose bytes differ."""
        query = "SELECT id FROM rows WHERE state = ? AND detail = ''"
        rows = [row for (row,) in self._database.execute(query, (AddressState.UNKNOWN,))]
        for done, (row, found) in enumerate(workers.each(compare_pair, self._pairs(rows), expected=len(rows)), 1):
            self._note(row, found, found.state)
            on_progress("comparing pages", done, len(rows))

    def _pairs(self, rows: Iterable[int]) -> Iterator[_Pair]:
        for row in rows:
            old, new = self._matched.captures(row)
            yield _Pair(row, old, new, self._matched.earlier(old))

    def _note(self, row: int, found: PageComparison, state: AddressState) -> None:
        self._database.execute(
            "UPDATE rows SET state = ?, detail = ?, amount = ?, layout = ?, probability = ?, important = ?,"
            " minor = ?, noise = ? WHERE id = ?",
            (state, found.detail, found.amount, found.layout, found.probability, *found.levels, row),
        )
        self._database.executemany(
            "INSERT INTO changes VALUES (?, ?, ?, ?, ?)",
            [(row, at, note.level, note.headline, note.signature) for at, note in enumerate(found.changes)],
        )
        if state is AddressState.UNKNOWN:
            self.account.report(Problem(self._matched.url_of(row), 0, found.detail))

    def _join_moves(self, workers: Workers, on_progress: OnProgress) -> None:
        """Join what is gone with what is new where the content is the same."""
        for gone, come in find_moves(self._matched, workers, on_progress):
            self._database.execute(
                "UPDATE rows SET new_id = come.new_id, other = new.url FROM rows AS come"
                " JOIN new ON new.id = come.new_id WHERE rows.id = ? AND come.id = ?",
                (gone, come),
            )
            self._database.execute("DELETE FROM rows WHERE id = ?", (come,))
            _, found = compare_pair(_Pair(gone, *self._matched.captures(gone), ()))
            self._note(gone, found, AddressState.MOVED)

    # Folding

    def _fold(self) -> None:
        """Give each page the headline of what only it has, and fold those whose changes others have as well."""
        self._database.executescript(
            "CREATE INDEX changes_row ON changes (row, rank);"
            "CREATE TABLE shared AS SELECT signature, COUNT(DISTINCT row) AS pages, MIN(rank) AS rank, level,"
            " headline FROM changes WHERE level != 'noise' GROUP BY signature HAVING COUNT(DISTINCT row) > 1;"
            "CREATE UNIQUE INDEX shared_signature ON shared (signature)"
        )
        query = (
            "SELECT changes.level, changes.headline, changes.signature, shared.pages FROM changes LEFT JOIN shared"
            " USING (signature) WHERE row = ?"
            " ORDER BY changes.level = 'noise', shared.pages IS NOT NULL, changes.rank"
        )
        numbers = self._database.execute(
            "SELECT id, important + minor FROM rows WHERE id IN (SELECT row FROM changes)"
        )
        for row, content in numbers.fetchall():
            found = self._database.execute(query, (row,)).fetchall()
            level, headline, signature, pages = found[0]
            others = content - 1  # only the first ones are noted
            more = f" and {counted(others, 'other change')}" if others > 0 else ""
            shared = signature if pages is not None and level != "noise" else None
            said = headline.rstrip(".。 ") + more if more else headline
            self._database.execute("UPDATE rows SET headline = ?, shared = ? WHERE id = ?", (said, shared, row))

    # Answers

    def __iter__(self) -> Iterator[ComparedAddress]:
        """Give all addresses in the order of their keys."""
        return self._addresses("ORDER BY rows.address")

    def of_state(self, state: AddressState) -> Iterator[ComparedAddress]:
        """Give the addresses of which the same became, the most important change first."""
        order = "ORDER BY rows.important > 0 DESC, rows.minor > 0 DESC, rows.probability DESC, rows.address"
        return self._addresses(f"WHERE rows.state = ? {order}", state)

    def _addresses(self, condition: str, *values: str) -> Iterator[ComparedAddress]:
        query = (
            "SELECT rows.id, rows.state, rows.detail, rows.other, rows.amount, rows.layout, rows.probability,"
            " rows.important, rows.minor, rows.noise, rows.headline, rows.shared, old.url, old.captured_at,"
            " new.url, new.captured_at FROM rows LEFT JOIN old ON old.id = old_id LEFT JOIN new ON new.id = new_id"
            f" {condition}"
        )
        with closing(self._database.cursor()) as reader:
            for row in reader.execute(query, values):
                shared = self._database.execute(_SHARED_BY, row[:1]).fetchall()
                yield _address(row, tuple(each for (each,) in shared))

    def captures(self, found: ComparedAddress) -> tuple[CaptureRow, CaptureRow]:
        """Give where both captures of an address stand."""
        return self._matched.captures(found.row)

    @property
    def counts(self) -> Counter[str]:
        """How many addresses there are of each state."""
        found = self._database.execute("SELECT state, COUNT(*) FROM rows GROUP BY state")
        return Counter({str(state): count for state, count in found})

    @property
    def important(self) -> int:
        """How many addresses have an important change."""
        (count,) = self._database.execute("SELECT COUNT(*) FROM rows WHERE important > 0").fetchone()
        return int(count)

    def groups(self, *, examples: int = 3) -> list[SharedChange]:
        """List the changes that several pages have, the most frequent first."""
        found = self._database.execute(
            "SELECT signature, level, headline, pages FROM shared ORDER BY pages DESC, headline"
        ).fetchall()
        query = (
            "SELECT DISTINCT new.url FROM changes JOIN rows ON rows.id = changes.row JOIN new ON new.id = new_id"
            " WHERE signature = ? ORDER BY rows.address LIMIT ?"
        )
        return [
            SharedChange(
                group=signature,
                level=level,
                headline=headline,
                pages=pages,
                examples=tuple(
                    url.decode("utf-8", "surrogatepass")
                    for (url,) in self._database.execute(query, (signature, examples))
                ),
            )
            for signature, level, headline, pages in found
        ]


def compare_pair(pair: _Pair) -> tuple[int, PageComparison]:
    """Read both captures of a pair again and compare them; what goes wrong is part of the answer."""
    try:
        earlier = [inventory.load(row) for row in pair.earlier]
        found = compare_pages(inventory.load(pair.old), inventory.load(pair.new), earlier=earlier)
    except PagedriftError as error:
        found = PageComparison(state=AddressState.UNKNOWN, detail=str(error))
    except Exception as error:  # one page of thousands must not end the comparison
        said = f"{type(error).__name__}: {error}; please report the page"
        found = PageComparison(state=AddressState.UNKNOWN, detail=said)
    return pair.row, found


def _address(row: Sequence[Any], groups: tuple[int, ...]) -> ComparedAddress:
    number, state, detail, other, amount, layout, probability, *rest = row
    important, minor, noise, headline, shared, old_url, old_at, new_url, new_at = rest
    moved = state == AddressState.MOVED
    url = old_url if moved or new_url is None else new_url
    return ComparedAddress(
        url=_text(url),
        state=AddressState(state),
        detail=detail,
        other_url=_text(other or b""),
        old_captured_at=inventory.moment_of(old_at),
        new_captured_at=inventory.moment_of(new_at),
        amount=amount,
        layout=layout,
        probability=probability,
        important=important,
        minor=minor,
        noise=noise,
        headline=headline,
        group=shared,
        groups=groups,
        row=number,
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
