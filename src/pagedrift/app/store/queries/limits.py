"""Limits of the read queries: rows per page, and rows examined for one page."""

from __future__ import annotations

from typing import Final

PAGE: Final = 50  # rows of one page of a list
SPARK: Final = 24  # changes of a watch in the overview
BARS: Final = 120  # changes of a watch on its own page
FOLDED: Final = 2_000  # visits that one page of a timeline looks at, at most ...
READ: Final = 100  # ... and at once: many pages are full long before
MOST_COMBINED: Final = 100  # queries that are put together to one; SQLite takes 500
LEAPS: Final = 10_000  # pages of a list that can be leafed through
