from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import delete, inspect, select, text
from sqlalchemy.exc import IntegrityError

from pagedrift.app.model.people import FIRST
from pagedrift.app.settings import Settings
from pagedrift.app.store import engine as opening
from pagedrift.app.store import people, queries, tokens
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import (
    AlertRow,
    AlertWatchRow,
    Base,
    ChangeRow,
    DeliveryRow,
    VersionRow,
    WatchRow,
)
from pagedrift.app.web import auth

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Engine

    from tests.app.postgres import Postgres


def test_the_migrations_lead_to_the_tables(any_store: Store) -> None:
    with any_store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_the_newest_migration_is_the_one_that_is_asked_for() -> None:
    folder = Path(opening.__file__).parent / "migrations"
    assert ScriptDirectory(str(folder)).get_heads() == [opening.HEAD]


def test_a_database_of_the_first_release_is_brought_up_with_what_it_holds(any_settings: Settings) -> None:
    _make(any_settings, "0001", _SECOND)

    with Store(any_settings) as store, store.read() as session:
        [change] = session.scalars(select(ChangeRow))
        assert (change.watch_id, change.signature, change.told) == ("w1", "same", True)
        assert [version.id for version in session.scalars(select(VersionRow).order_by(VersionRow.id))] == [1, 2]
        assert session.get_one(WatchRow, "w1").url == "https://city.example/"


def test_a_database_of_the_second_release_is_brought_up_and_all_of_it_is_shown(any_settings: Settings) -> None:
    _make(any_settings, "0002", _SECOND)

    with Store(any_settings) as store, store.read() as session:
        site, page = queries.watch(session, "w0"), queries.watch(session, "w1")
        assert site is not None
        assert page is not None
        assert (site.pages, page.parent, page.newest, page.headline) == (1, "w0", 2, "fee 24 → 29")
        assert [(entry.outcome, entry.version) for entry in queries.timeline(session, "w1").entries] == [
            ("changed", 2), ("new", 1),
        ]  # fmt: skip
        change = queries.change(session, 1)
        assert change is not None
        assert (change.old.id, change.new.id, change.label, change.change.alert) == (1, 2, True, 5)
        [alert], _ = queries.alerts(session)
        assert change.alert == alert
        assert (alert.id, alert.uid, alert.watches) == (5, "u1", (("w1", "https://city.example/", 1),))
        assert [(each.id, each.channel) for each in alert.deliveries] == [(3, "mailto:anna@city.example")]
        [rule] = queries.rules(session)
        assert (rule.value, rule.change) == ("ad", 1)
        assert queries.labelled(session) == [("w1", _AT, True)]


def test_changes_of_older_releases_are_read_searched_and_folded_by_cause(any_settings: Settings) -> None:
    edits = '[{"place": "f00", "old": "Visitors: 17", "new": "Visitors: 19", "summary": "Visitors 17 → 19"}]'
    ignored = {**_SECOND["changes"][0], "id": 2, "told": False, "story": None}
    ignored["card"] = f'{{"headline": "Brücke", "format": 2, "edits": {edits}}}'
    _make(any_settings, "0002", {**_SECOND, "changes": [*_SECOND["changes"], ignored]})

    with Store(any_settings) as store, store.read() as session:
        assert queries.unread_count(session) == 0  # people have seen the alerts
        for find, found in (("fee 24", [1]), ("brücke visitors", [2]), ("nowhere", [])):
            assert [each.id for each in queries.search_changes(session, find=find)[0]] == found
        [cause] = queries.ignored_causes(session, now=_AT)
        assert (cause.newest.id, cause.edit, cause.changes, cause.pages) == (2, 0, 1, 1)
        assert session.get_one(WatchRow, "w1").tags == []


def test_in_a_database_that_was_brought_up_watches_share_captures(any_settings: Settings) -> None:
    _make(any_settings, "0002", _SECOND)
    with Store(any_settings) as store:
        with store.begin() as session:
            known = session.get_one(VersionRow, 2)
            columns = [each.name for each in VersionRow.__table__.columns if each.name not in ("id", "watch_id")]
            shared = {name: getattr(known, name) for name in columns}
            session.add(VersionRow(id=8, watch_id="w0", **shared))
        with pytest.raises(IntegrityError), store.begin() as session:
            session.add(VersionRow(id=9, watch_id="w1", **shared))
        with store.read() as session:
            assert [row.watch_id for row in session.scalars(select(VersionRow).order_by(VersionRow.id))][:2] == [
                "w1"
            ] * 2
    engine = opening._engine(any_settings)
    _migrate(engine, command.downgrade, "0005")  # and nothing is lost on the way back
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM versions")).scalar() == 3
    engine.dispose()


def test_the_one_password_its_sessions_tokens_and_read_marks_stay_the_first_owners(any_settings: Settings) -> None:
    _make(any_settings, "0005", _FIFTH)

    with Store(any_settings) as store:
        assert auth.right_password(store, "correct horse battery")
        assert store.get("password") is None
        [person] = people.every(store)
        assert (person.id, person.role, person.has_password) == (FIRST, "owner", True)
        digests = [("api", "d" * 64), ("session", "e" * 64)]
        assert [tokens.find(store, use, digest).role for use, digest in digests] == ["owner", "owner"]
        with store.read() as session:
            assert [each.id for each in queries.search_changes(session, show="unread")[0]] == [2]
            assert queries.unread_count(session) == 1


def test_a_database_that_was_brought_up_is_sound_and_written_to(any_settings: Settings) -> None:
    _make(any_settings, "0002", _SECOND)
    with Store(any_settings) as store:
        if not store.shared:
            with store.engine.connect() as connection:
                assert connection.execute(text("PRAGMA integrity_check")).scalars().all() == ["ok"]
                assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
                assert connection.execute(text("PRAGMA writable_schema")).scalar() == 0
        with store.begin() as session:
            added = AlertRow(uid="u2", kind="change", opened_at=_AT)
            session.add(added)
        assert added.id != 5
        with pytest.raises(IntegrityError), store.begin() as session:
            session.add(AlertRow(uid="u2", kind="change", opened_at=_AT))
        with pytest.raises(IntegrityError), store.begin() as session:
            session.add(DeliveryRow(alert_id=99, channel="mailto:anna@city.example"))
        with store.begin() as session:
            session.execute(delete(AlertRow))
            assert session.scalars(select(AlertWatchRow)).all() == session.scalars(select(DeliveryRow)).all() == []
            assert session.scalars(select(ChangeRow.alert_id)).all() == [None]


def test_a_database_goes_back_to_the_second_release_and_comes_up_again(any_settings: Settings) -> None:
    _make(any_settings, "0002", _SECOND)
    engine = opening._engine(any_settings)
    second = _form(engine)
    _migrate(engine, command.upgrade, "0003")
    third = _form(engine)
    _migrate(engine, command.downgrade, "0002")
    assert _form(engine) == second != third
    _migrate(engine, command.upgrade, "0003")
    assert _form(engine) == third
    engine.dispose()
    with Store(any_settings) as store, store.read() as session:
        [alert], _ = queries.alerts(session)
        assert (alert.uid, alert.pages, len(alert.deliveries)) == ("u1", 1, 1)


def test_a_database_that_was_brought_up_is_as_one_made_now(
    any_settings: Settings, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    _make(any_settings, "0002", _SECOND)
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


def _make(settings: Settings, revision: str, rows: dict[str, list[dict[str, Any]]]) -> None:
    """Make a database of an older release."""
    engine = opening._engine(settings if settings.database else _there(settings))
    _migrate(engine, command.upgrade, revision)
    with engine.begin() as connection:
        for table, row in ((table, row) for table, some in rows.items() for row in some):
            columns = ", ".join(f'"{name}"' for name in row)
            given = ", ".join(f":{name}" for name in row)
            connection.execute(text(f'INSERT INTO "{table}" ({columns}) VALUES ({given})'), row)
    engine.dispose()


def _migrate(engine: Engine, move: Callable[[Config, str], None], revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(opening.__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        move(config, revision)


def _form(engine: Engine) -> dict[str, Any]:
    """Give the tables of a database with their columns, indexes and constraints, in an order of our own.

    Names of constraints are left out for SQLite, which cannot rename them.
    """
    found, form = inspect(engine), dict[str, Any]()
    named = engine.dialect.name != "sqlite"
    for table in sorted(set(found.get_table_names()) - {"alembic_version"}):
        columns = sorted((each["name"], str(each["type"]), each["nullable"]) for each in found.get_columns(table))
        indexes = sorted(
            (str(each["name"]), tuple(each["column_names"]), each["unique"], _told(each))
            for each in found.get_indexes(table)
        )
        keys = sorted(
            (
                named and each["name"],
                each["constrained_columns"],
                each["referred_table"],
                sorted(each["options"].items()),
            )
            for each in found.get_foreign_keys(table)
        )
        unique = sorted(
            (named and each["name"], each["column_names"]) for each in found.get_unique_constraints(table)
        )
        primary = found.get_pk_constraint(table)
        form[table] = columns, indexes, keys, unique, named and primary["name"], primary["constrained_columns"]
    if engine.dialect.name == "postgresql":
        form["sequences"] = sorted(found.get_sequence_names())
    return form


def _told(index: Any) -> list[tuple[str, str]]:
    return sorted((name, str(value)) for name, value in (index.get("dialect_options") or {}).items())


_AT = datetime(2026, 1, 1, tzinfo=UTC)
_WATCH: dict[str, Any] = {
    "host": "city.example", "name": "", "group": "", "options": "{}", "paused": False, "created_at": _AT,
    "revision": 1, "journalled": 0, "deleted": False, "next_at": _AT, "visits": 1, "state": "fine", "trouble": "",
    "failures": 0, "rate": "{}", "memory": "{}",
}  # fmt: skip
_VERSION: dict[str, Any] = {
    "watch": "w1", "url": "https://city.example/", "captured_at": _AT, "digest": "d", "mime": "text/html",
    "title": "", "filename": "a.warc.gz", "length": 1, "etag": "", "modified": "", "pictured": False,
}  # fmt: skip
_VISIT: dict[str, Any] = {"watch": "w1", "reason": "", "status": 200, "seconds": 0.1, "kept": True}
_SECOND: dict[str, list[dict[str, Any]]] = {  # what the second release wrote, by its own names
    "watches": [
        {"id": "w0", "url": "https://city.example/feed.xml", "kind": "feed", **_WATCH},
        {"id": "w1", "url": "https://city.example/", "kind": "page", "parent": "w0", "newest": 2, **_WATCH},
    ],
    "versions": [{"id": 1, "offset": 0, **_VERSION}, {"id": 2, "offset": 9, **_VERSION}],
    "visits": [
        {"id": 1, "at": _AT - timedelta(days=1), "outcome": "new", "version": 1, **_VISIT},
        {"id": 2, "at": _AT, "outcome": "changed", "version": 2, **_VISIT},
    ],
    "stories": [
        {"id": 5, "uid": "u1", "kind": "change", "host": "city.example", "signature": "same", "opened_at": _AT,
         "closed_at": _AT, "title": "fee 24 → 29", "told": "{}", "journalled": False},
    ],
    "changes": [
        {"id": 1, "watch": "w1", "old": 1, "new": 2, "at": _AT, "card": '{"headline": "fee 24 → 29"}',
         "amount": 0.1, "probability": 0.5, "matters": True, "redesigned": False, "signature": "same",
         "told": True, "reason": "", "story": 5},
    ],
    "story_watches": [{"story": 5, "watch": "w1", "group": "", "change": 1}],
    "deliveries": [{"id": 3, "story": 5, "channel": "mailto:anna@city.example", "attempts": 1, "error": "no"}],
    "rules": [
        {"id": "r1", "scope": "all", "of": "", "kind": "text", "value": "ad", "change": 1, "created_at": _AT,
         "revision": 1, "journalled": 0, "deleted": False},
    ],
    "labels": [{"change": 1, "matters": True, "at": _AT, "journalled": 0, "revision": 1}],
}  # fmt: skip

_CHANGE: dict[str, Any] = {
    "watch_id": "w1", "old_id": 1, "new_id": 2, "card": '{"headline": "fee 24 → 29"}', "amount": 0.1,
    "probability": 0.5, "matters": True, "redesigned": False, "signature": "same", "told": True, "reason": "",
}  # fmt: skip
_COST = {"n": 2**10, "r": 8, "p": 1}
_KEPT = hashlib.scrypt(b"correct horse battery", salt=bytes(16), maxmem=2**27, dklen=32, **_COST).hex()
_FIFTH: dict[str, list[dict[str, Any]]] = {  # what the release before accounts wrote
    "watches": [{"id": "w1", "url": "https://city.example/", "kind": "page", "tags": "[]", **_WATCH}],
    "versions": [
        {"id": number, "offset": number, "watch_id": "w1"} | {k: v for k, v in _VERSION.items() if k != "watch"}
        for number in (1, 2)
    ],
    "changes": [
        {"id": 1, "at": _AT, "unread": False, **_CHANGE},
        {"id": 2, "at": _AT + timedelta(hours=1), "unread": True, **_CHANGE},
    ],
    "reads": [{"change_id": 1, "unread": False, "revision": 1, "journalled": 1}],
    "values": [{"name": "password", "value": json.dumps({"salt": "00" * 16, "hash": _KEPT, **_COST})}],
    "tokens": [
        {"id": "t1", "name": "mine", "digest": "d" * 64, "use": "api", "created_at": _AT},
        {"id": "t2", "name": "", "digest": "e" * 64, "use": "session", "created_at": _AT},
    ],
}


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mysql://host/name", "not a supported database"),
        ("not an address", "not a valid database address"),
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
    with pytest.raises(opening.DatabaseError, match="rebuilt from the archive"):
        Store(settings)
