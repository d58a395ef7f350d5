"""Keep versions of web pages and ask them five questions."""

from pagedrift.errors import InputError, LimitError, PagedriftError
from pagedrift.limits import Limits
from pagedrift.page import PageVersion
from pagedrift.reading import pick, read
from pagedrift.redesigned import Redesign, RedesignDetector
from pagedrift.what_changed import diff, patch

__all__ = [
    "InputError",
    "LimitError",
    "Limits",
    "PageVersion",
    "PagedriftError",
    "Redesign",
    "RedesignDetector",
    "diff",
    "patch",
    "pick",
    "read",
]
__version__ = "0.1.0"
