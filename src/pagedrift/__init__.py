"""Keep versions of web pages and ask them five questions."""

from pagedrift.errors import InputError, LimitError, PagedriftError
from pagedrift.limits import Limits
from pagedrift.page import PageVersion

__all__ = ["InputError", "LimitError", "Limits", "PageVersion", "PagedriftError"]
__version__ = "0.1.0"
