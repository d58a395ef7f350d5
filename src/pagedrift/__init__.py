"""Keep versions of web pages and ask them five questions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pagedrift._version import __version__ as __version__

if TYPE_CHECKING:
    from pagedrift.archive.compaction import Compaction
    from pagedrift.archive.locations import Place
    from pagedrift.archive.reader import Stored
    from pagedrift.archive.record_format import Attachment
    from pagedrift.archive.writer import ArchiveWriter, Capture, KeptCapture
    from pagedrift.arguments import PageLike
    from pagedrift.capture.browser import render
    from pagedrift.capture.http import Client, ClientConfig, Fetched
    from pagedrift.capture.http_messages import Answered, Request
    from pagedrift.capture.request_options import RequestOptions
    from pagedrift.capture.snapshot import Window
    from pagedrift.capture.throttle import TurnKeeper
    from pagedrift.crawls.comparison import ComparedAddress, CrawlComparison, SharedChange, compare
    from pagedrift.crawls.inventory import Crawl
    from pagedrift.crawls.page_comparison import AddressState
    from pagedrift.does_it_matter import Judgement, judge
    from pagedrift.does_it_matter.blocks import VisualBlock, blocks
    from pagedrift.does_it_matter.changes import (
        ChangeReason,
        JudgedChange,
        Level,
        Past,
        SharedTexts,
        Siblings,
        Zone,
        changes,
        past_of,
        siblings_of,
    )
    from pagedrift.does_it_matter.changes.facts import FactKind
    from pagedrift.does_it_matter.changes.pairing import PassageChange
    from pagedrift.does_it_matter.changes.passages import Passage
    from pagedrift.does_it_matter.changes.past import PlacePast, TextPast
    from pagedrift.does_it_matter.explain import JudgementReason
    from pagedrift.does_it_matter.model import Model
    from pagedrift.errors import (
        ConflictError,
        InputError,
        LimitError,
        NotFoundError,
        PagedriftError,
        UnavailableError,
    )
    from pagedrift.extras import MissingExtraError
    from pagedrift.facets.links import Link, Resource
    from pagedrift.facets.outline import Outline
    from pagedrift.facets.source import Encoding
    from pagedrift.facets.tags import Tags
    from pagedrift.facets.tree import Tree
    from pagedrift.facets.view import View
    from pagedrift.how_much import METRICS, Measures, measure
    from pagedrift.how_much.cosine import Frequencies
    from pagedrift.how_much.extended import Extended
    from pagedrift.http_exchange import Exchange
    from pagedrift.limits import Limits
    from pagedrift.page import PageVersion
    from pagedrift.read_report import Account, Problem, ReadingCounts
    from pagedrift.reading import Reading, pick, read
    from pagedrift.redesigned import Redesign, RedesignDetector
    from pagedrift.redesigned.events import PassingDesign, TemplateEdit
    from pagedrift.selectors import Proposal, Relocation, Relocator, SelectorStatus, relocate
    from pagedrift.selectors.candidates import LikenessWeights
    from pagedrift.selectors.expressions import Range, Region, Selector, SelectorLike
    from pagedrift.verdict import Verdict, check
    from pagedrift.what_changed import diff, patch
    from pagedrift.what_changed.actions import Action, EditScript
    from pagedrift.what_changed.history import HistoryEntry, history
    from pagedrift.what_changed.introduced import Introduced, introduced
    from pagedrift.what_changed.noise import Noise
    from pagedrift.which_template import (
        Fingerprint,
        TemplateBudget,
        TemplateClassifier,
        TemplateClusterer,
        TemplateIndex,
        fingerprint,
        same_template,
    )
    from pagedrift.which_template.budget import TemplateCount
    from pagedrift.which_template.classify import Conflict, TemplateMatch
    from pagedrift.which_template.cluster import Cluster
    from pagedrift.which_template.consensus import TemplateRule
    from pagedrift.which_template.index import KnownFingerprint

__all__ = [
    "METRICS",
    "Account",
    "Action",
    "AddressState",
    "Answered",
    "ArchiveWriter",
    "Attachment",
    "Capture",
    "ChangeReason",
    "Client",
    "ClientConfig",
    "Cluster",
    "Compaction",
    "ComparedAddress",
    "Conflict",
    "ConflictError",
    "Crawl",
    "CrawlComparison",
    "EditScript",
    "Encoding",
    "Exchange",
    "Extended",
    "FactKind",
    "Fetched",
    "Fingerprint",
    "Frequencies",
    "HistoryEntry",
    "InputError",
    "Introduced",
    "JudgedChange",
    "Judgement",
    "JudgementReason",
    "KeptCapture",
    "KnownFingerprint",
    "Level",
    "LikenessWeights",
    "LimitError",
    "Limits",
    "Link",
    "Measures",
    "MissingExtraError",
    "Model",
    "Noise",
    "NotFoundError",
    "Outline",
    "PageLike",
    "PageVersion",
    "PagedriftError",
    "Passage",
    "PassageChange",
    "PassingDesign",
    "Past",
    "Place",
    "PlacePast",
    "Problem",
    "Proposal",
    "Range",
    "Reading",
    "ReadingCounts",
    "Redesign",
    "RedesignDetector",
    "Region",
    "Relocation",
    "Relocator",
    "Request",
    "RequestOptions",
    "Resource",
    "Selector",
    "SelectorLike",
    "SelectorStatus",
    "SharedChange",
    "SharedTexts",
    "Siblings",
    "Stored",
    "Tags",
    "TemplateBudget",
    "TemplateClassifier",
    "TemplateClusterer",
    "TemplateCount",
    "TemplateEdit",
    "TemplateIndex",
    "TemplateMatch",
    "TemplateRule",
    "TextPast",
    "Tree",
    "TurnKeeper",
    "UnavailableError",
    "Verdict",
    "View",
    "VisualBlock",
    "Window",
    "Zone",
    "blocks",
    "changes",
    "check",
    "compare",
    "diff",
    "fingerprint",
    "history",
    "introduced",
    "judge",
    "measure",
    "past_of",
    "patch",
    "pick",
    "read",
    "relocate",
    "render",
    "same_template",
    "siblings_of",
]

# Names are looked up when they are first used: a room that nobody enters costs no time.
_ROOMS = {
    "archive.compaction": "Compaction",
    "archive.locations": "Place",
    "archive.reader": "Stored",
    "archive.record_format": "Attachment",
    "archive.writer": "ArchiveWriter Capture KeptCapture",
    "arguments": "PageLike",
    "capture.browser": "render",
    "capture.http": "Client ClientConfig Fetched",
    "capture.http_messages": "Answered Request",
    "capture.request_options": "RequestOptions",
    "capture.snapshot": "Window",
    "capture.throttle": "TurnKeeper",
    "crawls.comparison": "ComparedAddress CrawlComparison SharedChange compare",
    "crawls.inventory": "Crawl",
    "crawls.page_comparison": "AddressState",
    "does_it_matter": "Judgement judge",
    "does_it_matter.blocks": "VisualBlock blocks",
    "does_it_matter.changes": (
        "ChangeReason JudgedChange Level Past SharedTexts Siblings Zone changes past_of siblings_of"
    ),
    "does_it_matter.changes.facts": "FactKind",
    "does_it_matter.changes.pairing": "PassageChange",
    "does_it_matter.changes.passages": "Passage",
    "does_it_matter.changes.past": "PlacePast TextPast",
    "does_it_matter.explain": "JudgementReason",
    "does_it_matter.model": "Model",
    "errors": "ConflictError InputError LimitError NotFoundError PagedriftError UnavailableError",
    "extras": "MissingExtraError",
    "facets.links": "Link Resource",
    "facets.outline": "Outline",
    "facets.source": "Encoding",
    "facets.tags": "Tags",
    "facets.tree": "Tree",
    "facets.view": "View",
    "how_much": "METRICS Measures measure",
    "how_much.cosine": "Frequencies",
    "how_much.extended": "Extended",
    "http_exchange": "Exchange",
    "limits": "Limits",
    "page": "PageVersion",
    "read_report": "Account Problem ReadingCounts",
    "reading": "Reading pick read",
    "redesigned": "Redesign RedesignDetector",
    "redesigned.events": "PassingDesign TemplateEdit",
    "selectors": "Proposal Relocation Relocator SelectorStatus relocate",
    "selectors.candidates": "LikenessWeights",
    "selectors.expressions": "Range Region Selector SelectorLike",
    "verdict": "Verdict check",
    "what_changed": "diff patch",
    "what_changed.actions": "Action EditScript",
    "what_changed.history": "HistoryEntry history",
    "what_changed.introduced": "Introduced introduced",
    "what_changed.noise": "Noise",
    "which_template": "Fingerprint TemplateClassifier TemplateClusterer TemplateIndex fingerprint same_template",
    "which_template.budget": "TemplateBudget TemplateCount",
    "which_template.classify": "Conflict TemplateMatch",
    "which_template.cluster": "Cluster",
    "which_template.consensus": "TemplateRule",
    "which_template.index": "KnownFingerprint",
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pagedrift' has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"pagedrift.{_HOMES[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__version__"]
