"""What is done between visits: telling, delivering, and writing into the archive what only the database knows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pagedrift.app.notify import stories
from pagedrift.app.notify.outbox import Outbox
from pagedrift.app.store import journal, rebuild

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.archive.writing import ArchiveWriter


class Housekeeper:
    """Keeps house for one watcher."""

    def __init__(self, settings: Settings, store: Store, archive: ArchiveWriter) -> None:
        self.settings = settings
        self.store = store
        self.archive = archive
        self.outbox = Outbox(store, settings)

    def catch_up(self) -> None:
        """Bring the database to where the archive is: a crash may have come between the two."""
        rebuild.catch_up(self.store, self.settings)

    def tidy(self) -> None:
        """Do what is due."""
        now = datetime.now(UTC)
        journal.write(self.store, self.archive)
        stories.close_due(self.store, now, self.settings.base_url)
        self.outbox.deliver_due(now)
