"""Two crawls next to each other, address by address, in one database: the newest capture of each counts."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift.crawls import inventory
from pagedrift.crawls.addresses import address_key
from pagedrift.crawls.inventory import COLUMNS, CaptureRow
from pagedrift.crawls.page_comparison import AddressState
from pagedrift.dates import period
from pagedrift.read_report import Problem

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from pagedrift.read_report import Account

MAX_EARLIER: Final = 8  # captures before the one that is compared, from which the noise of a page is learned
SIDES: Final = ("old", "new")
_REFUSALS: Final = frozenset((401, 403, 407, 429))
_SERVER_ERROR: Final = 500
_TABLES: Final = """
CREATE TABLE rows (
  id INTEGER PRIMARY KEY, address BLOB NOT NULL, state TEXT NOT NULL, detail TEXT NOT NULL DEFAULT '',
  old_id INTEGER, new_id INTEGER, other BLOB, amount REAL, layout REAL, probability REAL,
  important INTEGER NOT NULL DEFAULT 0,
  minor INTEGER NOT NULL DEFAULT 0, noise INTEGER NOT NULL DEFAULT 0, headline TEXT NOT NULL DEFAULT '',
  shared INTEGER
);
CREATE TABLE changes (
  row INTEGER NOT NULL, rank INTEGER NOT NULL, level TEXT NOT NULL, headline TEXT NOT NULL,
  signature INTEGER NOT NULL
)
"""


class MatchedCrawls:
    """The inventories of two crawls, and the rows of the answer, one for each address of either."""

    def __init__(self, database: sqlite3.Connection, places: Sequence[str], account: Account) -> None:
        self.database = database
        self._account = account
        database.execute("PRAGMA journal_mode = OFF")  # nobody reads it after us
        for side, place in zip(SIDES, places, strict=True):
            database.execute(f"ATTACH ? AS {side}_crawl", (place,))
            self._take_newest(side)
        database.executescript(_TABLES)
        for side in SIDES:
            self._resolve_revisits(side)
        self._match()

    def capture(self, side: str, number: int) -> CaptureRow:
        """Give the capture of an address, with the place of its body: a revisit has that of another one."""
        of_side = f"SELECT address, url, captured_at, source, own FROM {side} WHERE id = ?"
        address, url, captured_at, source, own = self.database.execute(of_side, (number,)).fetchone()
        home = side if own else _other(side)
        body = self.database.execute(f"SELECT {COLUMNS} FROM {home}_crawl.captures WHERE id = ?", (source,))
        return CaptureRow(*body.fetchone())._replace(address=address, url=url, captured_at=captured_at)

    def captures(self, row: int) -> tuple[CaptureRow, CaptureRow]:
        """Give both captures of an address."""
        query = "SELECT old_id, new_id FROM rows WHERE id = ?"
        old, new = self.database.execute(query, (row,)).fetchone()
        return self.capture("old", old), self.capture("new", new)

    def earlier(self, old: CaptureRow) -> tuple[CaptureRow, ...]:
        """Give the captures of a page before one of the first crawl."""
        query = (
            f"SELECT {COLUMNS} FROM old_crawl.captures WHERE address = ? AND captured_at < ? AND kind = ?"
            " ORDER BY captured_at DESC LIMIT ?"
        )
        values = (old.address, old.captured_at, inventory.PAGE, MAX_EARLIER)
        return tuple(CaptureRow(*found) for found in self.database.execute(query, values).fetchall()[::-1])

    def url_of(self, row: int) -> str:
        """Give the address of a row as people read it."""
        query = (
            "SELECT COALESCE(new.url, old.url) FROM rows LEFT JOIN new ON new.id = new_id"
            " LEFT JOIN old ON old.id = old_id WHERE rows.id = ?"
        )
        (url,) = self.database.execute(query, (row,)).fetchone()
        return str(url.decode("utf-8", "replace"))

    def _take_newest(self, side: str) -> None:
        self.database.execute(
            f"CREATE TABLE {side} AS SELECT * FROM (SELECT id, address, url, captured_at, kind, status, mime,"
            " digest, payload, target, id AS source, 1 AS own, ROW_NUMBER() OVER"
            " (PARTITION BY address ORDER BY captured_at DESC, id DESC) AS place"
            f" FROM {side}_crawl.captures) WHERE place = 1"
        )
        self.database.execute(f"CREATE UNIQUE INDEX {side}_address ON {side} (address)")
        self.database.execute(f"CREATE UNIQUE INDEX {side}_id ON {side} (id)")

    def _resolve_revisits(self, side: str) -> None:
        """Let each revisit stand for the page it repeats, out of either crawl."""
        query = f"SELECT id, url, payload, target FROM {side} WHERE kind = ?"
        update = (
            f"UPDATE {side} SET kind = ?, digest = ?, mime = COALESCE(mime, ?), source = ?, own = ? WHERE id = ?"
        )
        for number, url, payload, target in self.database.execute(query, (inventory.REVISIT,)).fetchall():
            found = self._original(side, payload, target)
            if found is None:
                self._account.report(Problem(url.decode("utf-8", "replace"), 0, inventory.LOST))
                continue
            home, source, digest, mime = found
            self.database.execute(update, (inventory.PAGE, digest, mime, source, home == side, number))

    def _original(self, side: str, payload: str | None, target: bytes) -> tuple[str, int, bytes, str] | None:
        date, _, url = target.decode("utf-8", "surrogatepass").partition(" ")
        moment = period(date)
        micros = None if moment is None else inventory.micros(moment[0])
        address = inventory.encoded(address_key(url))
        for home in (side, _other(side)):
            query = f"SELECT id, digest, mime FROM {home}_crawl.captures WHERE kind = ? AND "
            by_place = ("address = ? AND captured_at = ? LIMIT 1", (inventory.PAGE, address, micros))
            by_payload = ("payload = ? LIMIT 1", (inventory.PAGE, payload))
            for condition, values in (by_place, by_payload):
                if None not in values and (found := self.database.execute(query + condition, values).fetchone()):
                    return (home, *found)
        return None

    def _match(self) -> None:
        names = ("id", "kind", "status", "mime", "digest", "target")
        listed = ", ".join(f"{side}.{name}" for side in SIDES for name in names)
        query = (
            f"SELECT old.address, {listed} FROM old LEFT JOIN new ON new.address = old.address UNION ALL "
            f"SELECT new.address, {listed} FROM new LEFT JOIN old ON old.address = new.address"
            " WHERE old.id IS NULL"
        )
        insert = "INSERT INTO rows (address, state, detail, old_id, new_id, other) VALUES (?, ?, ?, ?, ?, ?)"
        with closing(self.database.cursor()) as reader:
            for address, *values in reader.execute(query):
                old, new = _Holding(*values[: len(names)]), _Holding(*values[len(names) :])
                if found := _first_look(old, new):
                    self.database.execute(insert, (address, *found[:2], old.id, new.id, found[2]))


def _other(side: str) -> str:
    return "new" if side == "old" else "old"


class _Holding(NamedTuple):
    """What one crawl holds of an address."""

    id: int | None
    kind: str | None
    status: int | None
    mime: str | None
    digest: bytes | None
    target: bytes | None

    @property
    def is_page(self) -> bool:
        return self.kind == inventory.PAGE


def _first_look(old: _Holding, new: _Holding) -> tuple[AddressState, str, bytes | None] | None:
    """Say what became of an address as far as that is known without reading; unknown where pages must be read."""
    if old.is_page and new.is_page:
        same = old.digest == new.digest
        return (AddressState.UNCHANGED if same else AddressState.UNKNOWN), "", None
    if inventory.REVISIT in (old.kind, new.kind):
        return AddressState.UNKNOWN, "revisit without its original", None
    if old.is_page:
        state = AddressState.BLOCKED if _is_refusal(new) else AddressState.GONE
        return state, _instead(new), new.target
    if new.is_page:
        return AddressState.NEW, f"before: {_instead(old)}" if old.kind else "", None
    return None


def _is_refusal(holding: _Holding) -> bool:
    """Return whether a server failed or refused, which says nothing about the page."""
    status = holding.status or 0
    return holding.kind == inventory.FAILURE and (status in _REFUSALS or status >= _SERVER_ERROR)


def _instead(holding: _Holding) -> str:
    """Say what a crawl has in the place of a page."""
    if holding.kind is None:
        return "not crawled"
    if holding.kind == inventory.REDIRECT:
        return "redirect"
    return f"status {holding.status}" if holding.kind == inventory.FAILURE else holding.mime or "not a page"
