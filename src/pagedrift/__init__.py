"""Keep versions of web pages and ask them five questions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pagedrift._version import __version__ as __version__

if TYPE_CHECKING:
    from pagedrift.archive.writer import ArchiveWriter
    from pagedrift.capture.browser import render
    from pagedrift.capture.http import Client
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
    from pagedrift.extras import MissingExtraError
    from pagedrift.how_much import METRICS, Measures, measure
    from pagedrift.limits import Limits
    from pagedrift.page import PageVersion
    from pagedrift.reading import Reading, pick, read
    from pagedrift.redesigned import Redesign, RedesignDetector
    from pagedrift.verdict import Verdict, check
    from pagedrift.what_changed import diff, patch
    from pagedrift.what_changed.actions import EditScript
    from pagedrift.what_changed.history import history
    from pagedrift.what_changed.introduced import introduced
    from pagedrift.what_changed.noise import Noise
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
    "ArchiveWriter",
    "Client",
    "ConflictError",
    "EditScript",
    "Fingerprint",
    "InputError",
    "Judgement",
    "LimitError",
    "Limits",
    "Measures",
    "MissingExtraError",
    "Noise",
    "NotFoundError",
    "PageVersion",
    "PagedriftError",
    "Reading",
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
    "history",
    "introduced",
    "judge",
    "measure",
    "patch",
    "pick",
    "read",
    "render",
    "same_template",
]

# Names are looked up when they are first used: a room that nobody enters costs no time.
_ROOMS = {
    "archive.writer": "ArchiveWriter",
    "capture.browser": "render",
    "capture.http": "Client",
    "does_it_matter": "Judgement judge",
    "does_it_matter.blocks": "blocks",
    "errors": "ConflictError InputError LimitError NotFoundError PagedriftError UnavailableError",
    "extras": "MissingExtraError",
    "how_much": "METRICS Measures measure",
    "limits": "Limits",
    "page": "PageVersion",
    "reading": "Reading pick read",
    "redesigned": "Redesign RedesignDetector",
    "verdict": "Verdict check",
    "what_changed": "diff patch",
    "what_changed.history": "history",
    "what_changed.introduced": "introduced",
    "what_changed.noise": "Noise",
    "what_changed.actions": "EditScript",
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
