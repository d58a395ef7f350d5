"""Limits of the read queries: rows per page, and rows examined for one page."""

from __future__ import annotations

from typing import Final

PAGE_SIZE: Final = 50  # rows of one page of a list
MAX_SPARK_BARS: Final = 24  # changes of a watch in the overview
MAX_CHART_BARS: Final = 120  # changes of a watch on its own page
MAX_VISITS_READ: Final = 2_000  # visits that one page of a timeline looks at, at most ...
VISITS_PER_READ: Final = 100  # ... and at once: many pages are full long before
MAX_COMBINED_QUERIES: Final = 100  # queries that are put together to one; SQLite takes 500
MAX_PAGES: Final = 10_000  # pages of a list that can be leafed through
