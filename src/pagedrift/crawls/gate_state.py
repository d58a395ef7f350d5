"""What a gate remembers of each page: the capture that was kept last, and the past; in one file, between runs."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from pagedrift.crawls.addresses import address_key
from pagedrift.crawls.keeping import KeepDecision, KeepLevel, PageGate
from pagedrift.dates import iso_moment
from pagedrift.does_it_matter.changes.past import Past
from pagedrift.does_it_matter.changes.siblings import SharedTexts
from pagedrift.errors import InputError, PagedriftError
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from pathlib import Path

MAX_PAGES_IN_MEMORY: Final = 200
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS pages (
  address BLOB PRIMARY KEY, url BLOB NOT NULL, captured_at TEXT, content_type TEXT, digest TEXT NOT NULL,
  body BLOB NOT NULL, past TEXT NOT NULL
)"""


class GateState:
    """The gates of all pages: the last used ones in memory, all of them in a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state = GateState(f"{folder}/gate.db", KeepLevel.CHANGED)
    ...     page = PageVersion("https://city.example/", b"<main><p>A permit for a fence costs $40")
    ...     [state.decide(each)["decision"] for each in (page, page)]
    ['keep', 'revisit']
    """

    def __init__(self, path: str | Path, level: KeepLevel) -> None:
        self._level = level
        self._gates: OrderedDict[bytes, PageGate] = OrderedDict()
        self._shared = SharedTexts()  # of this run
        try:
            self._database = sqlite3.connect(path, isolation_level=None)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute(_TABLE)
        except sqlite3.Error as error:
            raise InputError(f"{path} cannot be used ({error}); name another file after --state") from None

    def decide(self, page: PageVersion) -> dict[str, Any]:
        """Decide about a capture: keep it, or write a revisit of the one that was kept before."""
        address = address_key(page.url).encode("utf-8", "surrogatepass")
        query = "SELECT url, captured_at, digest FROM pages WHERE address = ?"
        kept = self._database.execute(query, (address,)).fetchone()
        if kept is not None and kept[2] == page.digest:
            decision = KeepDecision(kept=False, reason="identical")
        else:
            decision = self._decided(address, page)
        refers = None
        if not decision.kept:
            refers = {"url": kept[0].decode("utf-8", "replace"), "date": kept[1], "digest": f"sha256:{kept[2]}"}
        return {
            "decision": "keep" if decision.kept else "revisit",
            "reason": decision.reason,
            "change": decision.said,
            "refers_to": refers,
        }

    def _decided(self, address: bytes, page: PageVersion) -> KeepDecision:
        gate = self._gate(address)
        try:
            decision = gate.decide(page)
        except PagedriftError as error:  # what cannot be looked into is kept as it is
            return KeepDecision(kept=True, reason="unreadable", said=str(error))
        past = json.dumps(gate.past.to_json())
        if decision.kept:
            when = iso_moment(page.captured_at)
            url = page.url.encode("utf-8", "surrogatepass")
            row = (address, url, when, page.content_type, page.digest, zlib.compress(page.body, 1), past)
            self._database.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        else:
            self._database.execute("UPDATE pages SET past = ? WHERE address = ?", (past, address))
        return decision

    def _gate(self, address: bytes) -> PageGate:
        gate = self._gates.pop(address, None) or self._read(address)
        self._gates[address] = gate
        if len(self._gates) > MAX_PAGES_IN_MEMORY:
            self._gates.popitem(last=False)
        return gate

    def _read(self, address: bytes) -> PageGate:
        query = "SELECT url, content_type, body, past FROM pages WHERE address = ?"
        found = self._database.execute(query, (address,)).fetchone()
        if found is None:
            return PageGate(self._level, shared=self._shared)
        url, content_type, body, past = found
        gate = PageGate(self._level, Past.from_json(json.loads(past)), shared=self._shared)
        page = PageVersion(url.decode("utf-8", "surrogatepass"), zlib.decompress(body), content_type=content_type)
        gate.begin(page)
        return gate
