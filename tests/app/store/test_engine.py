from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, select, text

from pagedrift.app.settings import Settings
from pagedrift.app.store import engine as opening
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import Base, ChangeRow, VersionRow, WatchRow

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

    from tests.app.postgres import Postgres


def test_the_migrations_lead_to_the_tables(any_store: Store) -> None:
    with any_store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_the_newest_migration_is_the_one_that_is_asked_for() -> None:
    folder = Path(opening.__file__).parent / "migrations"
    assert ScriptDirectory(str(folder)).get_heads() == [opening.HEAD]


def test_a_database_of_the_first_release_is_brought_up_with_what_it_holds(any_settings: Settings) -> None:
    engine = opening._engine(any_settings)
    if not any_settings.database:
        any_settings.data.mkdir()
    _upgrade(engine, "0001")
    with engine.begin() as connection:
        for table, row in _FIRST.items():
            columns = ", ".join(f'"{name}"' for name in row)
            given = ", ".join(f":{name}" for name in row)
            connection.execute(text(f'INSERT INTO "{table}" ({columns}) VALUES ({given})'), row)
    engine.dispose()

    with Store(any_settings) as store, store.read() as session:
        [change] = session.scalars(select(ChangeRow))
        assert (change.watch, change.signature, change.told) == ("w1", "same", True)
        assert [version.id for version in session.scalars(select(VersionRow).order_by(VersionRow.id))] == [1]
        assert session.get(WatchRow, "w1").url == "https://city.example/"


def test_a_database_that_was_brought_up_is_as_one_made_now(
    any_settings: Settings, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if not any_settings.database:
        any_settings.data.mkdir()
    engine = opening._engine(any_settings)
    _upgrade(engine, "0001")
    engine.dispose()
    other = replace(any_settings, data=tmp_path / "other")
    if other.database:
        other = replace(other, database=request.getfixturevalue("postgres").database())
    made = opening._engine(other if other.database else _there(other))
    Base.metadata.create_all(made)

    with Store(any_settings) as store:
        assert _form(store.engine) == _form(made)
    made.dispose()


def _there(settings: Settings) -> Settings:
    settings.data.mkdir()
    return settings


def _upgrade(engine: Engine, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(opening.__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def _form(engine: Engine) -> dict[str, Any]:
    """Give the tables of a database with their columns and indexes, in an order of our own."""
    found, form = inspect(engine), dict[str, Any]()
    for table in sorted(set(found.get_table_names()) - {"alembic_version"}):
        columns = sorted((each["name"], str(each["type"]), each["nullable"]) for each in found.get_columns(table))
        indexes = sorted(
            (str(each["name"]), tuple(each["column_names"]), each["unique"], _told(each))
            for each in found.get_indexes(table)
        )
        keys = sorted(str(each["constrained_columns"]) for each in found.get_foreign_keys(table))
        form[table] = columns, indexes, keys, found.get_pk_constraint(table)["constrained_columns"]
    return form


def _told(index: Any) -> list[tuple[str, str]]:
    return sorted((name, str(value)) for name, value in (index.get("dialect_options") or {}).items())


_AT = datetime(2026, 1, 1, tzinfo=UTC)
_FIRST: dict[str, dict[str, Any]] = {
    "watches": {
        "id": "w1", "url": "https://city.example/", "host": "city.example", "kind": "page", "name": "", "group": "",
        "options": "{}", "paused": False, "created_at": _AT, "revision": 1, "journalled": 0, "deleted": False,
        "next_at": _AT, "visits": 1, "state": "fine", "trouble": "", "failures": 0, "rate": "{}", "memory": "{}",
    },
    "versions": {
        "id": 1, "watch": "w1", "url": "https://city.example/", "captured_at": _AT, "digest": "d",
        "mime": "text/html", "title": "", "filename": "a.warc.gz", "offset": 0, "length": 1, "etag": "",
        "modified": "", "pictured": False,
    },
    "changes": {
        "id": 1, "watch": "w1", "old": 1, "new": 1, "at": _AT, "card": "{}", "amount": 0.1, "probability": 0.5,
        "matters": True, "redesigned": False, "signature": "same", "told": True, "reason": "",
    },
}  # fmt: skip


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


def test_a_folder_that_was_there_does_not_open_the_database_to_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with Store(Settings(tmp_path)) as store:
        store.set("greeting", "hello")
        assert {file.stat().st_mode & 0o077 for file in tmp_path.glob("pagedrift.db*")} == {0}


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


def test_a_database_that_is_damaged_is_told_to_be_made_anew(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    Store(settings).close()
    (file,) = tmp_path.glob("*.db")
    file.write_bytes(b"not a database at all, but long enough to be looked into " * 100)
    with pytest.raises(opening.DatabaseError, match="made anew from the archive"):
        Store(settings)
