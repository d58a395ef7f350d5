"""Reading page versions from paths: all of them in order, or the one that is meant."""

from pagedrift.read_report import Problem, ReadingCounts
from pagedrift.reading.stream import PageSummary, Reading, read, summarise
from pagedrift.reading.surroundings import surroundings
from pagedrift.reading.version_reference import pick, resources_for

__all__ = [
    "PageSummary",
    "Problem",
    "Reading",
    "ReadingCounts",
    "pick",
    "read",
    "resources_for",
    "summarise",
    "surroundings",
]
