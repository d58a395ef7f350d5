"""Columns of ids that end in _id, and alerts that are called so"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

Names = tuple[tuple[str, str], ...]  # before and after

TABLES: Names = (("stories", "alerts"), ("story_watches", "alert_watches"))
COLUMNS: tuple[tuple[str, Names], ...] = (
    ("watches", (("parent", "parent_id"), ("newest", "newest_id"))),
    ("visits", (("watch", "watch_id"), ("version", "version_id"))),
    ("versions", (("watch", "watch_id"),)),
    ("changes", (("watch", "watch_id"), ("old", "old_id"), ("new", "new_id"), ("story", "alert_id"))),
    ("alert_watches", (("story", "alert_id"), ("watch", "watch_id"), ("change", "change_id"))),
    ("deliveries", (("story", "alert_id"),)),
    ("rules", (("change", "change_id"),)),
    ("labels", (("change", "change_id"),)),
)
CONSTRAINTS: tuple[tuple[str, Names], ...] = (
    ("visits", (("fk_visits_watch", "fk_visits_watch_id"),)),
    ("versions", (("fk_versions_watch", "fk_versions_watch_id"),)),
    (
        "changes",
        (
            ("fk_changes_watch", "fk_changes_watch_id"),
            ("fk_changes_old", "fk_changes_old_id"),
            ("fk_changes_new", "fk_changes_new_id"),
            ("fk_changes_story", "fk_changes_alert_id"),
        ),
    ),
    ("alerts", (("pk_stories", "pk_alerts"),)),
    (
        "alert_watches",
        (("pk_story_watches", "pk_alert_watches"), ("fk_story_watches_story", "fk_alert_watches_alert_id")),
    ),
    ("deliveries", (("fk_deliveries_story", "fk_deliveries_alert_id"),)),
    ("labels", (("fk_labels_change", "fk_labels_change_id"),)),
)
SEQUENCE: Names = (("stories_id_seq", "alerts_id_seq"),)

# Names of indexes, each with its table and columns, before and after
INDEXES: tuple[tuple[tuple[str, str, str], tuple[str, str, str]], ...] = (
    (("ix_watches_parent", "watches", "parent"), ("ix_watches_parent_id", "watches", "parent_id")),
    (("ix_changes_old", "changes", "old"), ("ix_changes_old_id", "changes", "old_id")),
    (("ix_changes_new", "changes", "new"), ("ix_changes_new_id", "changes", "new_id")),
    (("ix_changes_story", "changes", "story"), ("ix_changes_alert_id", "changes", "alert_id")),
    (("ix_stories_signature", "stories", "signature"), ("ix_alerts_signature", "alerts", "signature")),
    (("ix_stories_opened_at", "stories", "opened_at"), ("ix_alerts_opened_at", "alerts", "opened_at")),
    (("ix_stories_closed_at", "stories", "closed_at"), ("ix_alerts_closed_at", "alerts", "closed_at")),
    (("ix_story_watches_group", "story_watches", "group"), ("ix_alert_watches_group", "alert_watches", "group")),
    (
        ("ix_story_watches_watch", "story_watches", "watch"),
        ("ix_alert_watches_watch_id", "alert_watches", "watch_id"),
    ),
    (("ix_deliveries_story", "deliveries", "story"), ("ix_deliveries_alert_id", "deliveries", "alert_id")),
)


def upgrade() -> None:
    for (name, table, _), _ in INDEXES:
        op.drop_index(op.f(name), table_name=table)
    op.drop_index("ix_stories_pending", table_name="stories")
    op.drop_index("ix_visits_version", table_name="visits")
    for old, new in TABLES:
        op.rename_table(old, new)
    for table, names in COLUMNS:
        for old, new in names:
            op.execute(f'ALTER TABLE {table} RENAME COLUMN "{old}" TO {new}')
    for _, (name, table, column) in INDEXES:
        op.create_index(op.f(name), table, [column])
    _create_partial("alerts", "version_id")
    _rename_constraints(CONSTRAINTS, SEQUENCE)


def downgrade() -> None:
    _rename_constraints(
        tuple((table, tuple((new, old) for old, new in names)) for table, names in CONSTRAINTS),
        tuple((new, old) for old, new in SEQUENCE),
    )
    for _, (name, table, _) in INDEXES:
        op.drop_index(op.f(name), table_name=table)
    op.drop_index("ix_alerts_pending", table_name="alerts")
    op.drop_index("ix_visits_version", table_name="visits")
    for table, names in COLUMNS:
        for old, new in names:
            op.execute(f'ALTER TABLE {table} RENAME COLUMN {new} TO "{old}"')
    for old, new in TABLES:
        op.rename_table(new, old)
    for (name, table, column), _ in INDEXES:
        op.create_index(op.f(name), table, [column])
    _create_partial("stories", "version")


def _create_partial(alerts: str, version: str) -> None:
    op.create_index(
        f"ix_{alerts}_pending",
        alerts,
        ["id"],
        sqlite_where=sa.text("closed_at IS NOT NULL AND journalled = 0"),
        postgresql_where=sa.text("closed_at IS NOT NULL AND NOT journalled"),
    )
    kept = sa.text(f"{version} IS NOT NULL")
    op.create_index("ix_visits_version", "visits", [version], sqlite_where=kept, postgresql_where=kept)


def _rename_constraints(constraints: tuple[tuple[str, Names], ...], sequence: Names) -> None:
    if op.get_bind().dialect.name == "sqlite":
        return  # it has no statement for this; names of constraints are seen by nobody, and bind as before
    for table, names in constraints:
        for old, new in names:
            op.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {old} TO {new}")
    for old, new in sequence:
        op.execute(f"ALTER SEQUENCE {old} RENAME TO {new}")
