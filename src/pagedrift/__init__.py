"""Keep versions of web pages and ask them five questions."""

from pagedrift.does_it_matter import Judgement, judge
from pagedrift.errors import InputError, LimitError, PagedriftError
from pagedrift.how_much import METRICS, Measures, measure
from pagedrift.limits import Limits
from pagedrift.page import PageVersion
from pagedrift.reading import pick, read
from pagedrift.what_changed import diff, patch

__all__ = [
    "METRICS",
    "InputError",
    "Judgement",
    "LimitError",
    "Limits",
    "Measures",
    "PageVersion",
    "PagedriftError",
    "diff",
    "judge",
    "measure",
    "patch",
    "pick",
    "read",
]
__version__ = "0.1.0"
