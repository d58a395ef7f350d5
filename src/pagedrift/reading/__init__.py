"""Which versions of pages do these paths hold, in which order, and which one is meant?"""

from pagedrift.account import Counts, Problem
from pagedrift.reading.picking import pick, resources_for
from pagedrift.reading.stream import PageSummary, Reading, read, summarise
from pagedrift.reading.surroundings import surroundings

__all__ = [
    "Counts",
    "PageSummary",
    "Problem",
    "Reading",
    "pick",
    "read",
    "resources_for",
    "summarise",
    "surroundings",
]
