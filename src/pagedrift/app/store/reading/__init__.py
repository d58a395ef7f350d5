"""What do people want to see of the store? One page of it at a time, and in few queries however much there is."""

from __future__ import annotations

from pagedrift.app.store.reading.changed import Change, Skipped, changes, changes_of, replayed, skipped
from pagedrift.app.store.reading.happened import Entry, Timeline, timeline
from pagedrift.app.store.reading.kept import Version, version, versions
from pagedrift.app.store.reading.lines import SITES, SORTS, STATES, Bar, Line, Overview, bars, overview, watch
from pagedrift.app.store.reading.said import RuleLine, labels, rules, tokens
from pagedrift.app.store.reading.sizes import PAGE
from pagedrift.app.store.reading.told import Delivery, Story, noticed, stories, story
from pagedrift.app.store.reading.under_way import Queue, Visit, queue
from pagedrift.app.store.reading.whole import Whole, change, change_between

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
