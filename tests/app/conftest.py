from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "data", allow_private=("127.0.0.1",), delay=0.0, processes=0)


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    with Store(settings) as store:
        yield store
