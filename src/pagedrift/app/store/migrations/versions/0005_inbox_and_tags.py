"""Unread changes, texts and causes of changes, and tags of watches"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

CHANGES_PER_STEP = 500
MAX_TEXT_CHARS, MAX_CAUSES = 4_000, 20
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
PENDING = sa.text("journalled < revision")


def upgrade() -> None:
    op.add_column("watches", sa.Column("tags", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))
    # What is there already was seen in alerts: an inbox full of last year's news helps nobody.
    op.add_column("changes", sa.Column("unread", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index(
        "ix_changes_unread",
        "changes",
        ["at"],
        sqlite_where=sa.text("unread = 1"),
        postgresql_where=sa.text("unread"),
    )
    texts = op.create_table(
        "change_texts",
        sa.Column("change_id", NUMBER, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        _of_change("change_texts"),
        sa.PrimaryKeyConstraint("change_id", name=op.f("pk_change_texts")),
    )
    causes = op.create_table(
        "change_causes",
        sa.Column("change_id", NUMBER, nullable=False),
        sa.Column("cause", sa.String(length=64), nullable=False),
        sa.Column("edit", NUMBER, nullable=True),
        sa.Column("watch_id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        _of_change("change_causes"),
        sa.PrimaryKeyConstraint("change_id", "cause", name=op.f("pk_change_causes")),
    )
    op.create_index(op.f("ix_change_causes_at"), "change_causes", ["at"])
    op.create_table(
        "reads",
        sa.Column("change_id", NUMBER, nullable=False),
        sa.Column("unread", sa.Boolean(), nullable=False),
        sa.Column("revision", NUMBER, nullable=False),
        sa.Column("journalled", NUMBER, nullable=False),
        _of_change("reads"),
        sa.PrimaryKeyConstraint("change_id", name=op.f("pk_reads")),
    )
    op.create_index("ix_reads_pending", "reads", ["change_id"], sqlite_where=PENDING, postgresql_where=PENDING)
    _fill(texts, causes)


def downgrade() -> None:
    op.drop_table("reads")
    op.drop_table("change_causes")
    op.drop_table("change_texts")
    op.drop_index("ix_changes_unread", "changes")
    op.drop_column("changes", "unread")
    op.drop_column("watches", "tags")


def _of_change(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_change_id")
    return sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=name, ondelete="CASCADE")


def _fill(texts: sa.Table, causes: sa.Table) -> None:
    """Write down the texts and causes of the changes that are there, some at a time."""
    changes = sa.table("changes", *map(sa.column, ("id", "watch_id", "card", "told", "reason")))
    changes.append_column(sa.column("at", sa.DateTime(timezone=True)))
    bind, last = op.get_bind(), -1
    while True:
        wanted = sa.select(changes).where(changes.c.id > last).order_by(changes.c.id).limit(CHANGES_PER_STEP)
        if not (rows := bind.execute(wanted).all()):
            return
        last = rows[-1].id
        cards = [row.card if isinstance(row.card, dict) else json.loads(row.card) for row in rows]
        found = [{"change_id": row.id, "text": _text(card)} for row, card in zip(rows, cards, strict=True)]
        bind.execute(sa.insert(texts), found)
        if why := [each for row, card in zip(rows, cards, strict=True) for each in _causes(row, card)]:
            bind.execute(sa.insert(causes), why)


def _text(card: dict[str, Any]) -> str:
    said = [str(card.get("headline") or "")]
    for edit in card.get("edits") or ():
        said += [str(edit.get("old") or ""), str(edit.get("new") or "")]
    return "\n".join(dict.fromkeys(filter(None, said)))[:MAX_TEXT_CHARS].lower()


def _causes(row: Any, card: dict[str, Any]) -> list[dict[str, Any]]:
    if row.told:
        return []
    places: dict[str, int | None] = {}
    for number, edit in enumerate(card.get("edits") or ()):
        if edit.get("place"):
            places.setdefault(str(edit["place"])[:64], number)
    named = dict(list(places.items())[:MAX_CAUSES])
    if not named:
        decision = card.get("decision") or {}
        named = {f"reason:{decision.get('reason') or 'legacy'}"[:64]: None}
    return [
        {"change_id": row.id, "cause": cause, "edit": edit, "watch_id": row.watch_id, "at": row.at}
        for cause, edit in named.items()
    ]
