"""Pictures of the steps at which visits failed"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "failed_steps",
        sa.Column("watch_id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("picture", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["watch_id"], ["watches.id"], name=op.f("fk_failed_steps_watch_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("watch_id", name=op.f("pk_failed_steps")),
    )


def downgrade() -> None:
    op.drop_table("failed_steps")
