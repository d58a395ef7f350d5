"""Pasts of pages, and which edits feedback is about"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pasts",
        sa.Column("watch_id", sa.String(length=32), nullable=False),
        sa.Column("wanted", sa.String(length=64), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_pasts_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", name=op.f("pk_pasts")),
    )
    op.add_column("labels", sa.Column("taught", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))
    op.add_column("labels", sa.Column("deleted", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("labels", "deleted")
    op.drop_column("labels", "taught")
    op.drop_table("pasts")
