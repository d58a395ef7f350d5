"""Read queries for pages and API: one page of a list at a time, in few queries."""

from __future__ import annotations

from pagedrift.app.store.queries.alerts import Delivery, Story, noticed, stories, story
from pagedrift.app.store.queries.change_detail import Whole, change, change_between
from pagedrift.app.store.queries.changes import Change, Skipped, changes, changes_of, replayed, skipped
from pagedrift.app.store.queries.limits import PAGE
from pagedrift.app.store.queries.queue import Queue, Visit, queue
from pagedrift.app.store.queries.timeline import Entry, Timeline, timeline
from pagedrift.app.store.queries.user_settings import RuleLine, labels, rules, tokens
from pagedrift.app.store.queries.versions import Version, version, versions
from pagedrift.app.store.queries.watch_list import SITES, SORTS, STATES, Bar, Line, Overview, bars, overview, watch

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
    "Version",
    "Visit",
    "Whole",
    "bars",
    "change",
    "change_between",
    "changes",
    "changes_of",
    "labels",
    "noticed",
    "overview",
    "queue",
    "replayed",
    "rules",
    "skipped",
    "stories",
    "story",
    "timeline",
    "tokens",
    "version",
    "versions",
    "watch",
]
