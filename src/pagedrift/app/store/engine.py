"""Database connection, and migration of its tables to this release."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import create_engine, event, inspect, text
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from pagedrift.errors import UnavailableError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.settings import Settings

WAIT: Final = 30.0  # seconds for a turn to write
CONNECTIONS: Final = 40
STATEMENTS: Final = 32  # that a connection to SQLite keeps prepared; of 128, those of all connections took 15 MB
DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
PRIMARY: Final = 0xFF  # the bits of an error code of SQLite that say which it is; those above refine it
HEAD: Final = "0010"  # the newest revision among the migrations; a test compares


class DatabaseError(UnavailableError):
    """A database that cannot be used."""


def opened(settings: Settings) -> Engine:
    """Connect to the database and bring its tables up to this release."""
    if not settings.database:
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        (settings.data / "pagedrift.db").touch(mode=0o600)  # it holds secrets; the folder may be open to others
    engine = _engine(settings)
    try:
        _migrate(engine)
    except DBAPIError as error:
        engine.dispose()
        raise trouble_of(error) from None
    return engine


@contextmanager
def plain_errors() -> Iterator[None]:
    """Say what is wrong with the database in one line, with the next step."""
    try:
        yield
    except DBAPIError as error:
        raise trouble_of(error) from None


def trouble_of(error: DBAPIError) -> DatabaseError:
    """Say what is wrong with the database, and what to do; nothing of what was written to it is said."""
    reason = (str(error.orig).strip().splitlines() or ["no reason"])[0]
    step = "check its address, that it is running, and that its disk has space"
    if getattr(error.orig, "sqlite_errorcode", 0) & PRIMARY in DAMAGED:
        step = "move it away and start again: it is rebuilt from the archive"
    return DatabaseError(f"the database cannot be used ({reason}); {step}")


def _engine(settings: Settings) -> Engine:
    try:
        url = make_url(settings.database_url)
        if url.get_backend_name() == "postgresql":
            need("postgres", "psycopg")
            url = url.set(drivername="postgresql+psycopg")
        elif url.get_backend_name() != "sqlite":
            raise DatabaseError(
                f"{url.get_backend_name()} is not a supported database; use sqlite or postgresql://…"
            )
        options: dict[str, Any] = {
            "pool_size": CONNECTIONS,
            "max_overflow": 0,
            "pool_timeout": WAIT,
            "poolclass": QueuePool,
            "pool_use_lifo": True,  # so that few are in use, and their statements are prepared
            "hide_parameters": True,  # there are secrets among them, and errors go to logs
        }
        if url.get_backend_name() == "sqlite":
            options["connect_args"] = {"cached_statements": STATEMENTS}
        engine = create_engine(url, pool_pre_ping=url.get_backend_name() == "postgresql", **options)
    except (ArgumentError, NoSuchModuleError):
        raise DatabaseError("this is not a valid database address; use postgresql://user@host/name") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _: Any) -> None:
    """Let others read while one writes, and begin transactions where we say."""
    connection.isolation_level = None
    cursor = connection.cursor()
    for line in (
        f"busy_timeout={int(WAIT * 1000)}",
        "journal_mode=WAL",
        "synchronous=NORMAL",  # what a power cut takes of it is read off the WARCs again
        "foreign_keys=ON",
        "cache_size=-256",  # kilobytes of each of 40 connections; the system keeps what is read often
    ):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()


def _begin(connection: Connection) -> None:
    """Take the turn to write at once: a transaction that begins by reading could not get it later."""
    reading = connection.get_execution_options().get("reading")
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _migrate(engine: Engine) -> None:
    """Bring the tables up to this release, one process at a time."""
    if _revision(engine) == HEAD:
        return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(files(__package__).joinpath("migrations")))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(870031)"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


class AdvisoryLock:
    """A name that one connection has in the whole database, which lets go when it ends, however it ends."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        self._connection: Connection | None = None

    def is_so(self) -> bool:
        """Return whether the name is ours, and take it if it is nobody's."""
        if self._connection is not None:
            try:
                self._connection.execute(text("SELECT 1"))
                self._connection.commit()
            except DBAPIError:  # the database was started again
                self.close()
            else:
                return True
        connection = self._engine.connect()
        connection.detach()  # so that it ends with us, and does not go back among the others
        asked = text("SELECT pg_try_advisory_lock(hashtextextended(:name, 8711))")
        if not connection.execute(asked, {"name": self._name}).scalar():
            connection.close()
            return False
        connection.commit()
        self._connection = connection
        return True

    def close(self) -> None:
        """Let go, now: a server notices a while later that a connection was closed."""
        if self._connection is not None:
            with suppress(SQLAlchemyError):  # one that broke has let go already
                self._connection.execute(text("SELECT pg_advisory_unlock_all()"))
                self._connection.commit()
            self._connection.close()
            self._connection = None
