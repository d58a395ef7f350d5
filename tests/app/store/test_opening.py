from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from pagedrift.app.settings import Settings
from pagedrift.app.store import opening
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import Table

if TYPE_CHECKING:
    from tests.app.postgres import Postgres


def test_the_migrations_lead_to_the_tables(any_store: Store) -> None:
    with any_store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Table.metadata) == []


def test_the_newest_migration_is_the_one_that_is_asked_for() -> None:
    folder = Path(opening.__file__).parent / "migrations"
    assert ScriptDirectory(str(folder)).get_heads() == [opening.HEAD]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mysql://host/name", "no database we use"),
        ("not an address", "no address of a database"),
        ("postgresql://nobody@127.0.0.1:9/none", "cannot be used"),
    ],
)
def test_a_database_that_is_none_is_told_with_the_next_step(tmp_path: Path, address: str, said: str) -> None:
    with pytest.raises(opening.DatabaseError, match=said):
        Store(Settings(tmp_path, database=address))


def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pagedrift.db").write_bytes(b"these are my notes" * 100)
    with pytest.raises(opening.DatabaseError, match="cannot be used"):
        Store(Settings(tmp_path))
    assert (tmp_path / "pagedrift.db").read_bytes() == b"these are my notes" * 100


def test_two_that_start_at_once_make_the_tables_once(postgres: Postgres, tmp_path: Path) -> None:
    import threading

    settings = Settings(tmp_path, database=postgres.database())
    troubles: list[Exception] = []

    def start() -> None:
        try:
            Store(settings).close()
        except Exception as error:
            troubles.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
