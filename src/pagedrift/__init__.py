"""Keep versions of web pages and ask them five questions."""

from pagedrift.does_it_matter import Judgement, judge
from pagedrift.errors import InputError, LimitError, PagedriftError
from pagedrift.limits import Limits
from pagedrift.page import PageVersion
from pagedrift.reading import pick, read
from pagedrift.what_changed import diff, patch

__all__ = [
    "InputError",
    "Judgement",
    "LimitError",
    "Limits",
    "PageVersion",
    "PagedriftError",
    "diff",
    "judge",
    "patch",
    "pick",
    "read",
]
__version__ = "0.1.0"
