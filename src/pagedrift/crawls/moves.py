"""Pages that moved: what is gone at one address and new at another with the same content."""

from __future__ import annotations

from heapq import nsmallest
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import hash_bytes
from pagedrift.crawls import inventory
from pagedrift.crawls.page_comparison import AddressState
from pagedrift.documents.comparable import readable
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from pagedrift.crawls.inventory import CaptureRow
    from pagedrift.crawls.matching import MatchedCrawls
    from pagedrift.crawls.workers import OnProgress, Workers

MAX_PAGES: Final = 5_000  # gone, and new, that are compared by their text; beyond, only equal bytes are a move

WORDS: Final = 5  # in a row that two pages share
MAX_RUNS: Final = 400  # of one page
MIN_RUNS: Final = 10  # of its own: with fewer, nothing tells it from the frame of the site
MAX_PAGES_WITH_RUN: Final = 3  # what more pages of a crawl say belongs to their frame
ALIKE: Final = 0.5  # of the runs of either page


def find_moves(matched: MatchedCrawls, workers: Workers, on_progress: OnProgress) -> Iterator[tuple[int, int]]:
    """Give the rows of pages that are gone with those of the pages they became."""
    taken: set[int] = set()
    for pairs in (_same_bytes(matched.database), _same_text(matched, workers, on_progress)):
        for gone, come in pairs:
            if not {gone, come} & taken:
                taken |= {gone, come}
                yield gone, come


def _same_bytes(database: sqlite3.Connection) -> list[tuple[int, int]]:
    query = (
        "SELECT gone.id, come.id FROM rows AS gone JOIN old ON old.id = gone.old_id"
        " JOIN new ON new.digest = old.digest JOIN rows AS come ON come.new_id = new.id"
        " WHERE gone.state = ? AND come.state = ? ORDER BY gone.id, come.id"
    )
    return database.execute(query, (AddressState.GONE, AddressState.NEW)).fetchall()


def _same_text(matched: MatchedCrawls, workers: Workers, on_progress: OnProgress) -> list[tuple[int, int]]:
    database = matched.database
    gone = _pages(database, AddressState.GONE, "old")
    come = _pages(database, AddressState.NEW, "new")
    if not gone or not come or max(len(gone), len(come)) > MAX_PAGES:
        return []
    database.execute("CREATE TABLE runs (side INTEGER, row INTEGER, run INTEGER)")
    for side, (name, pages) in enumerate((("old", gone), ("new", come))):
        given = ((row, matched.capture(name, number)) for row, number in pages)
        for done, (row, runs) in enumerate(workers.each(runs_of, given, expected=len(pages)), 1):
            database.executemany("INSERT INTO runs VALUES (?, ?, ?)", [(side, row, run) for run in runs])
            on_progress("looking for pages that moved", side * len(gone) + done, len(gone) + len(come))
    return _alike(database)


def _pages(database: sqlite3.Connection, state: AddressState, side: str) -> list[tuple[int, int]]:
    return database.execute(f"SELECT id, {side}_id FROM rows WHERE state = ?", (state,)).fetchall()


def runs_of(given: tuple[int, CaptureRow]) -> tuple[int, list[int]]:
    """Give hashes of the runs of words of a page, the same ones for the same text."""
    row, where = given
    try:
        page = readable(inventory.load(where))
    except PagedriftError:
        page = None
    words = page.words if page is not None else ()
    runs = {
        hash_bytes(" ".join(words[at : at + WORDS]).encode("utf-8", "surrogatepass")) >> 1
        for at in range(len(words) - WORDS + 1)
    }
    return row, nsmallest(MAX_RUNS, runs)


def _alike(database: sqlite3.Connection) -> list[tuple[int, int]]:
    """Find pairs that share most of what is not said on every page."""
    database.executescript(
        "CREATE INDEX runs_run ON runs (run, side);"
        "DELETE FROM runs WHERE run IN (SELECT run FROM runs GROUP BY run, side"
        f" HAVING COUNT(*) > {MAX_PAGES_WITH_RUN});"
    )
    own = dict(database.execute("SELECT row, COUNT(*) FROM runs GROUP BY row").fetchall())
    pairs = database.execute(
        "SELECT gone.row, come.row, COUNT(*) AS common FROM runs AS gone JOIN runs AS come ON come.run = gone.run"
        " AND come.side = 1 WHERE gone.side = 0 GROUP BY gone.row, come.row"
        " ORDER BY common DESC, gone.row, come.row"
    )
    return [
        (gone, come)
        for gone, come, common in pairs.fetchall()
        if min(own[gone], own[come]) >= MIN_RUNS and common >= ALIKE * max(own[gone], own[come])
    ]
