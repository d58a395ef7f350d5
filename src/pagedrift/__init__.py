"""Keep versions of web pages and ask them five questions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pagedrift.capture.browser import render
    from pagedrift.does_it_matter import Judgement, judge
    from pagedrift.does_it_matter.blocks import blocks
    from pagedrift.errors import (
        ConflictError,
        InputError,
        LimitError,
        NotFoundError,
        PagedriftError,
        UnavailableError,
    )
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

__all__ = [
    "METRICS",
    "ConflictError",
    "Fingerprint",
    "InputError",
    "Judgement",
    "LimitError",
    "Limits",
    "Measures",
    "NotFoundError",
    "PageVersion",
    "PagedriftError",
    "Redesign",
    "RedesignDetector",
    "TemplateClassifier",
    "TemplateClusterer",
    "TemplateIndex",
    "UnavailableError",
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

# Names are looked up when they are first used: a room that nobody enters costs no time.
_ROOMS = {
    "capture.browser": "render",
    "does_it_matter": "Judgement judge",
    "does_it_matter.blocks": "blocks",
    "errors": "ConflictError InputError LimitError NotFoundError PagedriftError UnavailableError",
    "how_much": "METRICS Measures measure",
    "limits": "Limits",
    "page": "PageVersion",
    "reading": "pick read",
    "redesigned": "Redesign RedesignDetector",
    "verdict": "Verdict check",
    "what_changed": "diff patch",
    "which_template": "Fingerprint TemplateClassifier TemplateClusterer TemplateIndex fingerprint same_template",
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pagedrift' has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"pagedrift.{_HOMES[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__version__"]
