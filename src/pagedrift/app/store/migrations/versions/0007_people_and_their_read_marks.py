"""Accounts, invitations, and read marks of each person"""

from __future__ import annotations

import json
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

FIRST = "owner"
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
PENDING = sa.text("journalled < revision")


def upgrade() -> None:
    people = op.create_table(
        "people",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("login", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("password", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("login", name=op.f("uq_people_login")),
    )
    op.create_table(
        "invitations",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitations_digest")),
    )
    _make_the_first(people)
    op.add_column("tokens", sa.Column("person_id", sa.String(32), nullable=False, server_default=FIRST))
    op.add_column("tokens", sa.Column("role", sa.String(16), nullable=False, server_default="owner"))
    op.create_index(op.f("ix_tokens_person_id"), "tokens", ["person_id"])
    op.add_column("attempts", sa.Column("account", sa.String(64), nullable=False, server_default=""))
    op.create_index(op.f("ix_attempts_account"), "attempts", ["account"])
    _give_marks_to_people()


def _make_the_first(people: sa.Table) -> None:
    """Whoever has the one password is the first owner, and keeps it."""
    bind, values = op.get_bind(), sa.table("values", sa.column("name"), sa.column("value", sa.JSON()))
    kept = bind.execute(sa.select(values.c.value).where(values.c.name == "password")).scalar()
    password = json.loads(kept) if isinstance(kept, str) else kept
    first = {"id": FIRST, "name": FIRST, "login": FIRST, "role": "owner", "created_at": BEGINNING}
    bind.execute(sa.insert(people), [{**first, "password": password}])
    bind.execute(sa.delete(values).where(values.c.name == "password"))


def _give_marks_to_people() -> None:
    op.create_table(
        "read_marks",
        sa.Column("person_id", sa.String(length=32), nullable=False),
        sa.Column("change_id", NUMBER, nullable=False),
        sa.Column("unread", sa.Boolean(), nullable=False),
        sa.Column("revision", NUMBER, nullable=False),
        sa.Column("journalled", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_read_marks_person_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["change_id"], ["changes.id"], name=op.f("fk_read_marks_change_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "change_id", name=op.f("pk_read_marks")),
    )
    op.create_index(op.f("ix_read_marks_change_id"), "read_marks", ["change_id"])
    for name, columns, where in (
        ("pending", ["change_id"], (PENDING, PENDING)),
        ("unread", ["person_id", "change_id"], (sa.text("unread = 1"), sa.text("unread"))),
    ):
        op.create_index(
            f"ix_read_marks_{name}", "read_marks", columns, sqlite_where=where[0], postgresql_where=where[1]
        )
    op.execute(
        "INSERT INTO read_marks (person_id, change_id, unread, revision, journalled)"
        f" SELECT '{FIRST}', change_id, unread, revision, journalled FROM reads"
    )
    op.execute(
        "INSERT INTO read_marks (person_id, change_id, unread, revision, journalled)"
        f" SELECT '{FIRST}', id, unread, 0, 0 FROM changes"
        " WHERE unread AND id NOT IN (SELECT change_id FROM reads)"
    )
    op.drop_table("reads")
    op.drop_index("ix_changes_unread", "changes")
    op.drop_column("changes", "unread")


def downgrade() -> None:
    op.add_column("changes", sa.Column("unread", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index(
        "ix_changes_unread",
        "changes",
        ["at"],
        sqlite_where=sa.text("unread = 1"),
        postgresql_where=sa.text("unread"),
    )
    op.create_table(
        "reads",
        sa.Column("change_id", NUMBER, nullable=False),
        sa.Column("unread", sa.Boolean(), nullable=False),
        sa.Column("revision", NUMBER, nullable=False),
        sa.Column("journalled", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_reads_change_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("change_id", name=op.f("pk_reads")),
    )
    op.create_index("ix_reads_pending", "reads", ["change_id"], sqlite_where=PENDING, postgresql_where=PENDING)
    mine = f"FROM read_marks WHERE person_id = '{FIRST}'"
    op.execute(f"INSERT INTO reads SELECT change_id, unread, revision, journalled {mine} AND revision > 0")
    op.execute(f"UPDATE changes SET unread = TRUE WHERE id IN (SELECT change_id {mine} AND unread)")
    op.drop_table("read_marks")
    op.drop_index(op.f("ix_attempts_account"), "attempts")
    op.drop_column("attempts", "account")
    op.drop_index(op.f("ix_tokens_person_id"), "tokens")
    op.execute(f"DELETE FROM tokens WHERE person_id <> '{FIRST}' OR role <> 'owner'")
    op.drop_column("tokens", "role")
    op.drop_column("tokens", "person_id")
    op.execute(
        'INSERT INTO "values" (name, value)'
        f" SELECT 'password', password FROM people WHERE id = '{FIRST}' AND password IS NOT NULL"
    )
    op.drop_table("invitations")
    op.drop_table("people")
