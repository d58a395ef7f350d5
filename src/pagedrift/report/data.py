"""What is known about a page version, as data: one versioned object for JSON."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from datetime import datetime

    from pagedrift.page import PageVersion
    from pagedrift.reading import PageSummary
    from pagedrift.what_changed import EditScript

FORMAT: Final = 1  # of every object printed with --json; a change of meaning raises it


def moment(when: datetime | None) -> str | None:
    """Write a time as ISO 8601 in UTC."""
    if when is None:
        return None
    when = when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
    return when.isoformat().replace("+00:00", "Z")


def describe(page: PageVersion) -> dict[str, Any]:
    """Collect all facets of a page version."""
    return {
        "format": FORMAT,
        "url": page.url,
        "captured_at": moment(page.captured_at),
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
        "first": moment(summary.first),
        "last": moment(summary.last),
    }


def changes(old: PageVersion, new: PageVersion, script: EditScript) -> dict[str, Any]:
    """Describe what changed between two versions: the whole script."""
    return {
        "format": FORMAT,
        "old": {"url": old.url, "captured_at": moment(old.captured_at), "digest": "sha256:" + old.digest},
        "new": {"url": new.url, "captured_at": moment(new.captured_at), "digest": "sha256:" + new.digest},
        "actions": [{"action": type(action).__name__, **asdict(action)} for action in script],
    }
