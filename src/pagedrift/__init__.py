"""Keep versions of web pages and ask them five questions."""

from pagedrift.capture.browser import render
from pagedrift.does_it_matter import Judgement, judge
from pagedrift.does_it_matter.blocks import blocks
from pagedrift.errors import InputError, LimitError, PagedriftError
from pagedrift.how_much import METRICS, Measures, measure
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
    "METRICS",
    "Fingerprint",
    "InputError",
    "Judgement",
    "LimitError",
    "Limits",
    "Measures",
    "PageVersion",
    "PagedriftError",
    "Redesign",
    "RedesignDetector",
    "TemplateClassifier",
    "TemplateClusterer",
    "TemplateIndex",
    "blocks",
    "diff",
    "fingerprint",
    "judge",
    "measure",
    "patch",
    "pick",
    "read",
    "render",
    "same_template",
]
__version__ = "0.1.0"
