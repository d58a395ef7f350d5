from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pagedrift.app.monitor.scheduler import Watcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store


@pytest.fixture
def watcher(settings: Settings, store: Store) -> Iterator[Watcher]:
    with Watcher(settings, store) as watcher:
        yield watcher
