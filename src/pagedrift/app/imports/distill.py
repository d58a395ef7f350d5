"""Reader for exports of Distill."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pagedrift.app.imports.results import ImportBuilder, ImportedWatches, further_tags, text_of
from pagedrift.app.imports.xpaths import to_css
from pagedrift.app.model.watch import Watch
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


def read(data: bytes) -> ImportedWatches:
    """Read a JSON export: the pages with their selections."""
    try:
        given = json.loads(text_of(data))
        entries = given["data"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise InputError("this is not a Distill export; export it again there, as JSON") from None
    gathering = ImportBuilder()
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("uri"), str):
            _take(gathering, entry)
        else:
            gathering.note("left out: it has no address", "an entry")
    return gathering.done()


def _take(gathering: ImportBuilder, entry: dict[str, Any]) -> None:
    url, tags = entry["uri"].strip(), entry.get("tags")
    named = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    try:
        config = json.loads(entry.get("config") or "{}")
    except (ValueError, TypeError, RecursionError):
        config = {}
    chosen = {
        option: gathering.selectors(_selected(gathering, config, name, url), url)
        for option, name in (("include", "includes"), ("exclude", "excludes"))
    }
    name = entry.get("name")
    gathering.add(
        Watch(
            url,
            name=name[:1000] if isinstance(name, str) else "",
            group=named[0] if named else "",
            tags=further_tags(named[1:]),
            options={option: css for option, css in chosen.items() if css},
        )
    )


def _selected(gathering: ImportBuilder, config: Any, name: str, url: str) -> Iterator[str]:
    """Find what is selected, in frames of selections."""
    for selection in _several(config, "selections"):
        for frame in _several(selection, "frames"):
            for each in _several(frame, name):
                expression = each.get("expr") if isinstance(each, dict) else None
                if not isinstance(expression, str):
                    continue
                css = to_css(expression) if each.get("type") == "xpath" else expression
                if css is None:
                    gathering.note("an XPath was left out that CSS has no words for", url)
                else:
                    yield css


def _several(value: Any, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
