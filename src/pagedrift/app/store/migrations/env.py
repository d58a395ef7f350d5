"""Alembic environment that uses the connection it is given."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context

from pagedrift.app.store.tables import Base, UtcDateTime


def _plain(kind: str, what: Any, _: Any) -> str | Literal[False]:
    """Write times into migrations as what databases have, so that old ones stay as they were."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(what, UtcDateTime) else False


connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True, render_item=_plain)
with context.begin_transaction():
    context.run_migrations()
