"""Keep versions of web pages and ask them five questions."""

from pagedrift.errors import InputError, LimitError, PagedriftError
from pagedrift.limits import Limits
from pagedrift.page import PageVersion
from pagedrift.reading import pick, read
from pagedrift.redesigned import Redesign, RedesignDetector
from pagedrift.what_changed import diff, patch
from pagedrift.which_template import (
    Fingerprint,
    TemplateClassifier,
    TemplateClusterer,
    TemplateIndex,
    fingerprint,
    same_template,
)

__all__ = [
    "Fingerprint",
    "InputError",
    "LimitError",
    "Limits",
    "PageVersion",
    "PagedriftError",
    "Redesign",
    "RedesignDetector",
    "TemplateClassifier",
    "TemplateClusterer",
    "TemplateIndex",
    "diff",
    "fingerprint",
    "patch",
    "pick",
    "read",
    "same_template",
]
__version__ = "0.1.0"
