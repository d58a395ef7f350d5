from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pagedrift.app.monitor.scheduler import Scheduler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store


@pytest.fixture
def scheduler(settings: Settings, store: Store) -> Iterator[Scheduler]:
    with Scheduler(settings, store) as scheduler:
        yield scheduler
