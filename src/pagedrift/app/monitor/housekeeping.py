"""Housekeeping between visits: sending alerts, journalling to the archive, and dropping old versions."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.log import MAX_ENTRIES
from pagedrift.app.monitor import installation_judge, rebuild, visit_budget
from pagedrift.app.notify import alerts
from pagedrift.app.notify.outbox import Counts, Outbox
from pagedrift.app.store import journal, log, queue, retention
from pagedrift.app.store.public_address import public_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.archive.writer import ArchiveWriter

HOURLY: Final = 3600.0  # seconds, whatever the clock says
DAILY: Final = 24 * HOURLY
SETTLED: Final = 1800.0  # seconds after which what was written is in the database, or never will be by itself


class Housekeeper:
    """Keeps house for one scheduler."""

    def __init__(self, settings: Settings, store: Store, archive: ArchiveWriter) -> None:
        self.settings = settings
        self.store = store
        self.archive = archive
        self.outbox = Outbox(store, settings)
        self.sent = Counts()  # what became of messages so far
        self._dropped_at = self._priced_at = time.monotonic()
        self._noted: tuple[float, dict[str, int]] = (time.monotonic(), {})

    def catch_up(self) -> None:
        """Bring the database to where the archive is: a crash may have come between the two."""
        queue.mend_times(self.store)
        retention.settle(self.store, self.archive)
        rebuild.catch_up(self.store, self.settings)
        self._noted = time.monotonic(), rebuild.sizes(self.settings)

    def _follow_up(self) -> None:
        """Look now and then whether all that was written is known, so that the next start finds little to do."""
        noted_at, sizes = self._noted
        if time.monotonic() - noted_at > SETTLED:
            rebuild.catch_up(self.store, self.settings, until=sizes)
            self._noted = time.monotonic(), rebuild.sizes(self.settings)

    def tidy(self) -> None:
        """Do what is due; where one thing fails, such as writing to a full disk, alerts are sent all the same."""
        # An alert is in the archive before it is sent.
        _try_all((self._follow_up, self._learn, self._tell, self._journal, self._deliver, self._price, self._drop))

    def finish(self, *, send_all: bool = False) -> None:
        """Do the last of the work: afterwards no alert is in the database alone.

        With `send_all`, also send alerts that wait for more pages: no process would send them later.
        """
        now = datetime.now(UTC)
        last = (lambda: alerts.close_due(self.store, now, self._address(), waiting=True),) if send_all else ()
        _try_all((self.tidy, *last, self._journal, self._deliver))

    def _journal(self) -> None:
        journal.write(self.store, self.archive)

    def _learn(self) -> None:
        installation_judge.keep_up(self.store)

    def _tell(self) -> None:
        alerts.close_due(self.store, datetime.now(UTC), self._address())

    def _address(self) -> str:
        return public_address(self.store, self.settings)

    def _deliver(self) -> None:
        self.sent = self.sent + self.outbox.deliver_due(datetime.now(UTC))

    def _price(self) -> None:
        if time.monotonic() - self._priced_at > HOURLY:
            self._priced_at = time.monotonic()
            queue.mend_times(self.store)
            visit_budget.find(self.store)
            log.trim(self.store, MAX_ENTRIES)

    def _drop(self) -> None:
        if time.monotonic() - self._dropped_at > DAILY:
            self._dropped_at = time.monotonic()
            retention.drop(self.store, self.archive, now=datetime.now(UTC))


def _try_all(works: Iterable[Callable[[], Any]]) -> None:
    """Do one thing after the other, whatever fails; raise what failed first at the end."""
    failed: Exception | None = None
    for work in works:
        try:
            work()
        except Exception as error:
            failed = failed or error
    if failed is not None:
        raise failed
