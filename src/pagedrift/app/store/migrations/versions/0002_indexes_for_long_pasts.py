"""Indexes for long pasts, and passwords that were tried"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_changes_not_told",
        "changes",
        ["at"],
        sqlite_where=sa.text("told = 0"),
        postgresql_where=sa.text("NOT told"),
    )
    op.create_index("ix_changes_watch_id", "changes", ["watch", "id"])
    op.create_index("ix_changes_signature_at", "changes", ["signature", "at"])
    op.drop_index(op.f("ix_changes_signature"), table_name="changes")
    op.create_index("ix_versions_watch_id", "versions", ["watch", "id"])
    op.create_table(
        "attempts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("who", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("right", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    op.create_index(op.f("ix_attempts_who"), "attempts", ["who"])
    op.create_index(op.f("ix_attempts_at"), "attempts", ["at"])


def downgrade() -> None:
    op.drop_table("attempts")
    op.drop_index("ix_versions_watch_id", table_name="versions")
    op.create_index(op.f("ix_changes_signature"), "changes", ["signature"])
    for name in ("ix_changes_signature_at", "ix_changes_watch_id", "ix_changes_not_told"):
        op.drop_index(name, table_name="changes")
