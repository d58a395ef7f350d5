"""Settings of alerts, urgent alerts, and deliveries that wait for their time"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "alert_settings",
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("revision", NUMBER, nullable=False),
        sa.Column("journalled", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_alert_settings")),
    )
    op.add_column("alerts", sa.Column("urgent", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("deliveries", sa.Column("held_until", sa.DateTime(timezone=True), nullable=True))
    op.create_index(op.f("ix_deliveries_held_until"), "deliveries", ["held_until"])


def downgrade() -> None:
    op.drop_index(op.f("ix_deliveries_held_until"), "deliveries")
    op.drop_column("deliveries", "held_until")
    op.drop_column("alerts", "urgent")
    op.drop_table("alert_settings")
