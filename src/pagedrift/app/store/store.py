"""The store: the database of an installation, shared by threads and processes."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session as Session  # noqa: PLC0414 - for those above

from pagedrift.app.store.log import LoggedSession
from pagedrift.app.store.tables import ValueRow
from pagedrift.archive import lock
from pagedrift.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Engine

    from pagedrift.app.settings import Settings


class StoreError(UnavailableError):
    """A database that cannot be used."""


class Store:
    """The database of an installation. Threads and processes may share it; each `begin` is one transaction.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from pagedrift.app.settings import Settings
    >>> with tempfile.TemporaryDirectory() as folder, Store(Settings(Path(folder))) as store:
    ...     store.set("greeting", "hello")
    ...     store.get("greeting")
    'hello'
    """

    def __init__(self, settings: Settings) -> None:
        from pagedrift.app.store.engine import opened

        self.settings = settings
        self.engine: Engine = opened(settings)
        self._reading = self.engine.execution_options(reading=True)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def only_one(self, name: str) -> Iterator[Callable[[], None]]:
        """Be the only watcher of that name, on whichever machine, until this ends; the system sees to that.

        What is given makes sure of it now and then: a database that is started again has forgotten.
        """
        if not self.shared:
            taken = lock.take(self.settings.data / f"watcher-{name}.lock")
            if taken is None:
                raise _taken(name)
            try:
                yield lambda: None
            finally:
                os.close(taken)
            return
        from pagedrift.app.store.engine import AdvisoryLock

        alone = AdvisoryLock(self.engine, name)
        try:
            if not alone.is_so():
                raise _taken(name)

            def make_sure() -> None:
                if not alone.is_so():
                    raise _taken(name)

            yield make_sure
        finally:
            alone.close()

    @property
    def shared(self) -> bool:
        """Whether several machines may use it at once."""
        return self.engine.dialect.name == "postgresql"

    @contextmanager
    def begin(self) -> Iterator[Session]:
        """Do several things as one: all of them are in the database afterwards, or none."""
        with LoggedSession(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Look at the database as of one moment, next to whoever writes."""
        with Session(self._reading, expire_on_commit=False) as session:
            yield session

    def answers(self) -> bool:
        """Return whether the database can be read now."""
        try:
            with self.read() as session:
                session.execute(text("SELECT 1 FROM alembic_version"))
        except SQLAlchemyError:  # it is away, or no connection was free in time
            return False
        return True

    def get(self, name: str, default: Any = None) -> Any:
        """Give a setting."""
        with self.read() as session:
            row = session.get(ValueRow, name)
            return default if row is None else row.value

    def get_or_set(self, name: str, value: Any) -> Any:
        """Give a setting, and set it first where it is not; of two that do so at once, both get the same."""
        if (known := self.get(name)) is not None:
            return known
        from sqlalchemy.dialects import postgresql, sqlite

        insert = postgresql.insert if self.shared else sqlite.insert
        with self.begin() as session:
            session.execute(insert(ValueRow).values(name=name, value=value).on_conflict_do_nothing())
            return session.get_one(ValueRow, name).value

    def set(self, name: str, value: Any) -> None:
        """Remember a setting."""
        with self.begin() as session:
            session.merge(ValueRow(name=name, value=value))


def _taken(name: str) -> StoreError:
    return StoreError(
        f"another watcher is running with the name {name}; wait for it, or choose another name with --writer"
    )
