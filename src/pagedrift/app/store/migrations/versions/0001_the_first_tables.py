"""The first tables"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "groups",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("revision", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("journalled", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_groups")),
    )
    op.create_table(
        "hosts",
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_hosts")),
    )
    op.create_table(
        "rules",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("scope", sa.String(length=16), nullable=False),
        sa.Column("of", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("change", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revision", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("journalled", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rules")),
    )
    op.create_table(
        "stories",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("uid", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("signature", sa.String(length=64), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("journalled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stories")),
        sa.UniqueConstraint("uid", name=op.f("uq_stories_uid")),
    )
    with op.batch_alter_table("stories", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_stories_closed_at"), ["closed_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_stories_opened_at"), ["opened_at"], unique=False)
        batch_op.create_index(
            "ix_stories_pending",
            ["id"],
            unique=False,
            sqlite_where=sa.text("closed_at IS NOT NULL AND journalled = 0"),
            postgresql_where=sa.text("closed_at IS NOT NULL AND NOT journalled"),
        )
        batch_op.create_index(batch_op.f("ix_stories_signature"), ["signature"], unique=False)

    op.create_table(
        "tokens",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("use", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_tokens_digest")),
    )
    op.create_table(
        "values",
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_values")),
    )
    op.create_table(
        "watches",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("group", sa.String(length=200), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("parent", sa.String(length=32), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revision", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("journalled", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease", sa.String(length=64), nullable=True),
        sa.Column("leased_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("visits", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("visited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("trouble", sa.Text(), nullable=False),
        sa.Column("failures", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("newest", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("rate", sa.JSON(), nullable=False),
        sa.Column("memory", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watches")),
    )
    with op.batch_alter_table("watches", schema=None) as batch_op:
        batch_op.create_index("ix_watches_due", ["paused", "next_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_watches_group"), ["group"], unique=False)
        batch_op.create_index(batch_op.f("ix_watches_host"), ["host"], unique=False)
        batch_op.create_index(batch_op.f("ix_watches_parent"), ["parent"], unique=False)
        batch_op.create_index(
            "ix_watches_pending",
            ["id"],
            unique=False,
            sqlite_where=sa.text("journalled < revision"),
            postgresql_where=sa.text("journalled < revision"),
        )

    op.create_table(
        "deliveries",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("story", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("attempts", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["story"], ["stories.id"], name=op.f("fk_deliveries_story"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
    )
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_deliveries_next_at"), ["next_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_deliveries_story"), ["story"], unique=False)

    op.create_table(
        "story_watches",
        sa.Column("story", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("watch", sa.String(length=32), nullable=False),
        sa.Column("group", sa.String(length=200), nullable=False),
        sa.Column("change", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(["story"], ["stories.id"], name=op.f("fk_story_watches_story"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("story", "watch", name=op.f("pk_story_watches")),
    )
    with op.batch_alter_table("story_watches", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_story_watches_group"), ["group"], unique=False)
        batch_op.create_index(batch_op.f("ix_story_watches_watch"), ["watch"], unique=False)

    op.create_table(
        "versions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("watch", sa.String(length=32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("captured_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("digest", sa.String(length=80), nullable=False),
        sa.Column("mime", sa.String(length=255), nullable=False),
        sa.Column("status", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("offset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("length", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("modified", sa.Text(), nullable=False),
        sa.Column("pictured", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["watch"], ["watches.id"], name=op.f("fk_versions_watch"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_versions")),
    )
    with op.batch_alter_table("versions", schema=None) as batch_op:
        batch_op.create_index("ix_versions_place", ["filename", "offset"], unique=True)
        batch_op.create_index("ix_versions_watch_captured", ["watch", "captured_at"], unique=False)

    op.create_table(
        "visits",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("watch", sa.String(length=32), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("status", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("version", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("kept", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["watch"], ["watches.id"], name=op.f("fk_visits_watch"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_visits")),
    )
    with op.batch_alter_table("visits", schema=None) as batch_op:
        batch_op.create_index(
            "ix_visits_skipped",
            ["at"],
            unique=False,
            sqlite_where=sa.text("NOT kept AND outcome IN ('new', 'changed')"),
            postgresql_where=sa.text("NOT kept AND outcome IN ('new', 'changed')"),
        )
        batch_op.create_index(
            "ix_visits_version",
            ["version"],
            unique=False,
            sqlite_where=sa.text("version IS NOT NULL"),
            postgresql_where=sa.text("version IS NOT NULL"),
        )
        batch_op.create_index("ix_visits_watch_at", ["watch", "at"], unique=False)

    op.create_table(
        "changes",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("watch", sa.String(length=32), nullable=False),
        sa.Column("old", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("new", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("card", sa.JSON(), nullable=False),
        sa.Column("amount", sa.Double(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.Column("matters", sa.Boolean(), nullable=False),
        sa.Column("redesigned", sa.Boolean(), nullable=False),
        sa.Column("signature", sa.String(length=64), nullable=False),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("story", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(["new"], ["versions.id"], name=op.f("fk_changes_new"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["old"], ["versions.id"], name=op.f("fk_changes_old"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["story"], ["stories.id"], name=op.f("fk_changes_story"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["watch"], ["watches.id"], name=op.f("fk_changes_watch"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_changes")),
    )
    with op.batch_alter_table("changes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_changes_at"), ["at"], unique=False)
        batch_op.create_index(batch_op.f("ix_changes_new"), ["new"], unique=False)
        batch_op.create_index(batch_op.f("ix_changes_old"), ["old"], unique=False)
        batch_op.create_index(batch_op.f("ix_changes_signature"), ["signature"], unique=False)
        batch_op.create_index(batch_op.f("ix_changes_story"), ["story"], unique=False)
        batch_op.create_index(
            "ix_changes_told",
            ["watch", "at"],
            unique=False,
            sqlite_where=sa.text("told = 1"),
            postgresql_where=sa.text("told"),
        )
        batch_op.create_index("ix_changes_watch_at", ["watch", "at"], unique=False)

    op.create_table(
        "labels",
        sa.Column("change", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("matters", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("journalled", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("revision", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["change"], ["changes.id"], name=op.f("fk_labels_change"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("change", name=op.f("pk_labels")),
    )
    with op.batch_alter_table("labels", schema=None) as batch_op:
        batch_op.create_index(
            "ix_labels_pending",
            ["change"],
            unique=False,
            sqlite_where=sa.text("journalled < revision"),
            postgresql_where=sa.text("journalled < revision"),
        )


def downgrade() -> None:
    with op.batch_alter_table("labels", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_labels_pending",
            sqlite_where=sa.text("journalled < revision"),
            postgresql_where=sa.text("journalled < revision"),
        )

    op.drop_table("labels")
    with op.batch_alter_table("changes", schema=None) as batch_op:
        batch_op.drop_index("ix_changes_watch_at")
        batch_op.drop_index("ix_changes_told", sqlite_where=sa.text("told = 1"), postgresql_where=sa.text("told"))
        batch_op.drop_index(batch_op.f("ix_changes_story"))
        batch_op.drop_index(batch_op.f("ix_changes_signature"))
        batch_op.drop_index(batch_op.f("ix_changes_old"))
        batch_op.drop_index(batch_op.f("ix_changes_new"))
        batch_op.drop_index(batch_op.f("ix_changes_at"))

    op.drop_table("changes")
    with op.batch_alter_table("visits", schema=None) as batch_op:
        batch_op.drop_index("ix_visits_watch_at")
        batch_op.drop_index(
            "ix_visits_version",
            sqlite_where=sa.text("version IS NOT NULL"),
            postgresql_where=sa.text("version IS NOT NULL"),
        )
        batch_op.drop_index(
            "ix_visits_skipped",
            sqlite_where=sa.text("NOT kept AND outcome IN ('new', 'changed')"),
            postgresql_where=sa.text("NOT kept AND outcome IN ('new', 'changed')"),
        )

    op.drop_table("visits")
    with op.batch_alter_table("versions", schema=None) as batch_op:
        batch_op.drop_index("ix_versions_watch_captured")
        batch_op.drop_index("ix_versions_place")

    op.drop_table("versions")
    with op.batch_alter_table("story_watches", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_story_watches_watch"))
        batch_op.drop_index(batch_op.f("ix_story_watches_group"))

    op.drop_table("story_watches")
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_deliveries_story"))
        batch_op.drop_index(batch_op.f("ix_deliveries_next_at"))

    op.drop_table("deliveries")
    with op.batch_alter_table("watches", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_watches_pending",
            sqlite_where=sa.text("journalled < revision"),
            postgresql_where=sa.text("journalled < revision"),
        )
        batch_op.drop_index(batch_op.f("ix_watches_parent"))
        batch_op.drop_index(batch_op.f("ix_watches_host"))
        batch_op.drop_index(batch_op.f("ix_watches_group"))
        batch_op.drop_index("ix_watches_due")

    op.drop_table("watches")
    op.drop_table("values")
    op.drop_table("tokens")
    with op.batch_alter_table("stories", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_stories_signature"))
        batch_op.drop_index(
            "ix_stories_pending",
            sqlite_where=sa.text("closed_at IS NOT NULL AND journalled = 0"),
            postgresql_where=sa.text("closed_at IS NOT NULL AND NOT journalled"),
        )
        batch_op.drop_index(batch_op.f("ix_stories_opened_at"))
        batch_op.drop_index(batch_op.f("ix_stories_closed_at"))

    op.drop_table("stories")
    op.drop_table("rules")
    op.drop_table("hosts")
    op.drop_table("groups")
