"""Several watches of one address, which share what is captured"""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_versions_place", table_name="versions")
    op.create_index("ix_versions_place", "versions", ["filename", "offset", "watch_id"], unique=True)
    op.create_index("ix_watches_url", "watches", ["url"], postgresql_using="hash")


def downgrade() -> None:
    op.drop_index("ix_watches_url", table_name="watches")
    op.drop_index("ix_versions_place", table_name="versions")
    op.create_index("ix_versions_place", "versions", ["filename", "offset"])  # there may be several of one place
