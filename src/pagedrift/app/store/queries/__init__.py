"""Read queries for pages and API: one page of a list at a time, in few queries."""

from __future__ import annotations

from pagedrift.app.store.queries.alerts import Delivery, Story, feed_page, noticed, sent_alerts, stories, story
from pagedrift.app.store.queries.change_detail import Whole, change, change_between, version_pair
from pagedrift.app.store.queries.changes import (
    Change,
    Skipped,
    changes,
    changes_in_scope,
    changes_since,
    reasons,
    replayed,
    skipped,
)
from pagedrift.app.store.queries.limits import PAGE
from pagedrift.app.store.queries.queue import Queue, Visit, queue
from pagedrift.app.store.queries.timeline import Entry, Timeline, timeline
from pagedrift.app.store.queries.user_settings import RuleLine, channels, labelled, labels, rules
from pagedrift.app.store.queries.versions import (
    all_versions,
    count_versions,
    newest_versions,
    version,
    versions,
    versions_before,
    versions_of_address,
)
from pagedrift.app.store.queries.watch_list import SITES, SORTS, STATES, Bar, Line, Overview, bars, overview, watch
from pagedrift.app.store.queries.watch_status import (
    WatchCounts,
    WatchStatus,
    count_watches,
    group_sizes,
    last_visits,
    rate,
    site_events,
    status,
    statuses,
    statuses_after,
)

__all__ = [
    "PAGE",
    "SITES",
    "SORTS",
    "STATES",
    "Bar",
    "Change",
    "Delivery",
    "Entry",
    "Line",
    "Overview",
    "Queue",
    "RuleLine",
    "Skipped",
    "Story",
    "Timeline",
    "Visit",
    "WatchCounts",
    "WatchStatus",
    "Whole",
    "all_versions",
    "bars",
    "change",
    "change_between",
    "changes",
    "changes_in_scope",
    "changes_since",
    "channels",
    "count_versions",
    "count_watches",
    "feed_page",
    "group_sizes",
    "labelled",
    "labels",
    "last_visits",
    "newest_versions",
    "noticed",
    "overview",
    "queue",
    "rate",
    "reasons",
    "replayed",
    "rules",
    "sent_alerts",
    "site_events",
    "skipped",
    "status",
    "statuses",
    "statuses_after",
    "stories",
    "story",
    "timeline",
    "version",
    "version_pair",
    "versions",
    "versions_before",
    "versions_of_address",
    "watch",
]
