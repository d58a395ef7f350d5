"""Keep versions of web pages and ask them five questions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pagedrift.does_it_matter import Judgement, judge
    from pagedrift.errors import InputError, LimitError, PagedriftError
    from pagedrift.how_much import METRICS, Measures, measure
    from pagedrift.limits import Limits
    from pagedrift.page import PageVersion
    from pagedrift.reading import pick, read
    from pagedrift.redesigned import Redesign, RedesignDetector
    from pagedrift.verdict import Verdict, check
    from pagedrift.what_changed import diff, patch
    from pagedrift.which_template import (
        Fingerprint,
        TemplateClassifier,
        TemplateClusterer,
        TemplateIndex,
        fingerprint,
        same_template,
    )
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
    "Verdict",
    "blocks",
    "check",
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

# Names are looked up when they are first used, in these rooms: one that nobody enters costs no time.
_ROOMS = "errors limits page reading what_changed how_much does_it_matter which_template redesigned verdict".split()


def __getattr__(name: str) -> Any:
    if name in __all__:
        for room in _ROOMS:
            if name in vars(module := import_module(f"pagedrift.{room}")):
                globals()[name] = vars(module)[name]
                return globals()[name]
    raise AttributeError(f"module 'pagedrift' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
