from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from tests.app.postgres import Postgres

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


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    server = Postgres()
    yield server
    server.close()


@pytest.fixture
def shared_settings(settings: Settings, postgres: Postgres) -> Settings:
    """An installation whose database is PostgreSQL."""
    return replace(settings, database=postgres.database())


@pytest.fixture(params=["sqlite", "postgresql"])
def any_settings(request: pytest.FixtureRequest) -> Settings:
    """An installation, with either database."""
    found: Settings = request.getfixturevalue("settings" if request.param == "sqlite" else "shared_settings")
    return found


@pytest.fixture
def any_store(any_settings: Settings) -> Iterator[Store]:
    """The same test on both databases."""
    with Store(any_settings) as store:
        yield store
