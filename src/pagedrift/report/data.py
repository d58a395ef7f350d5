"""JSON data about page versions and their changes, in a versioned format."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import iso_moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.how_much import Extended, Measures
    from pagedrift.how_much.series import SeriesStep
    from pagedrift.page import PageVersion
    from pagedrift.reading import PageSummary
    from pagedrift.what_changed import EditScript
    from pagedrift.what_changed.history import HistoryEntry
    from pagedrift.what_changed.introduced import Introduced, PageItem

FORMAT: Final = 1  # of every object printed with --json; a change of meaning raises it


def describe(page: PageVersion) -> dict[str, Any]:
    """Collect all facets of a page version."""
    return {
        "format": FORMAT,
        "url": page.url,
        "captured_at": iso_moment(page.captured_at),
        "status": page.status,
        "content_type": page.content_type,
        "bytes": len(page.body),
        "digest": "sha256:" + page.digest,
        "encoding": page.encoding.name,
        "encoding_told_by": page.encoding.told_by,
        "title": page.title,
        "language": page.language,
        "canonical": page.canonical,
        "generator": page.generator,
        "tags": list(page.tags),
        "words": list(page.words),
        "tree": {
            "nodes": len(page.tree),
            "depth": page.tree.depth(),
            "signature": f"{page.tree.signature[0]:016x}",
        },
        "links": [asdict(link) for link in page.links],
        "resources": [asdict(resource) for resource in page.resources],
    }


def summarise(summary: PageSummary) -> dict[str, Any]:
    """Describe the versions of one page."""
    return {
        "format": FORMAT,
        "url": summary.url,
        "versions": summary.versions,
        "first": iso_moment(summary.first),
        "last": iso_moment(summary.last),
    }


def changes(old: PageVersion, new: PageVersion, script: EditScript) -> dict[str, Any]:
    """Describe what changed between two versions: the whole script."""
    return {
        "format": FORMAT,
        "old": _version(old),
        "new": _version(new),
        "actions": actions(script),
    }


def actions(script: EditScript) -> list[dict[str, Any]]:
    """Describe each action of a script."""
    return [{"action": type(action).__name__, **asdict(action)} for action in script]


def measures(old: PageVersion, new: PageVersion, found: Measures) -> dict[str, Any]:
    """Describe how much changed: the value of every metric, and what was done to the words."""
    return {
        "format": FORMAT,
        "old": _version(old),
        "new": _version(new),
        "metrics": dict(found),
        "extended": _operations(found.extended),
        "extended+": _operations(found.improved),
    }


def step(found: SeriesStep, *, metric: str, above: float | None = None) -> dict[str, Any]:
    """Describe how much a page changed from one version to the next; with a threshold, if that is an alarm."""
    described = {
        "format": FORMAT,
        "url": found.url,
        "since": iso_moment(found.since),
        "captured_at": iso_moment(found.captured_at),
        "metric": metric,
        "value": found.value,
        "counts": dict(found.counts),
    }
    return described if above is None else {**described, "alarm": found.value > above}


def _operations(found: Extended) -> dict[str, Any]:
    """Write the counts and the words of each operation."""
    return {**asdict(found), "counts": found.counts}


def _version(page: PageVersion) -> dict[str, Any]:
    return {"url": page.url, "captured_at": iso_moment(page.captured_at), "digest": "sha256:" + page.digest}


HISTORY_COLUMNS: Final = {"url": "string", "captured_at": "timestamp", "value": "string", "changed": "boolean"}


def history_row(then: HistoryEntry) -> tuple[Any, ...]:
    """Give what the elements said in one version as a row of a table."""
    value = None if then.value is None else " | ".join(then.value)
    return (then.url, then.captured_at, value, then.changed)


INTRODUCED_COLUMNS: Final = {
    "url": "string",
    "what": "string",
    "value": "string",
    "before": "string",
    "link": "string",
    "first_seen": "timestamp",
    "last_seen": "timestamp",
}


def introduced_rows(found: Introduced) -> Iterator[tuple[Any, ...]]:
    """Give what came, went and was edited as rows of a table."""
    for what, items in (("new", found.appeared), ("gone", found.gone)):
        for item in items:
            yield item.url, what, item.value, None, item.link, item.first_seen, item.last_seen
    for edit in found.edited:
        after = edit.after
        yield after.url, "edited", after.value, edit.before.value, after.link, after.first_seen, after.last_seen


def history_entry(then: HistoryEntry) -> dict[str, Any]:
    """Describe what the selected elements said in one version."""
    return {
        "format": FORMAT,
        "url": then.url,
        "captured_at": iso_moment(then.captured_at),
        "value": list(then.value) if then.value is not None else None,
        "changed": then.changed,
    }


def introduce(found: Introduced) -> dict[str, Any]:
    """Describe what came, went and was edited."""
    return {
        "format": FORMAT,
        "compared_with": iso_moment(found.compared_with),
        "until": iso_moment(found.until),
        "versions": found.versions,
        "items": found.items,
        "appeared": [_item(item) for item in found.appeared],
        "gone": [_item(item) for item in found.gone],
        "edited": [
            {"before": _item(edit.before), "after": _item(edit.after), "changed_at": iso_moment(edit.changed_at)}
            for edit in found.edited
        ],
    }


def _item(item: PageItem) -> dict[str, Any]:
    return {**asdict(item), "first_seen": iso_moment(item.first_seen), "last_seen": iso_moment(item.last_seen)}
