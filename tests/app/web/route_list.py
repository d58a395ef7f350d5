"""All routes of the application, with addresses that lead to existing records."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.app.web.store_builder import Filled


class Route(NamedTuple):
    method: str
    path: str

    def filled(self, named: dict[str, Any]) -> str:
        """Put something in for what stands in braces."""
        return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: str(self._value(found[1], named)), self.path)

    def _value(self, name: str, named: dict[str, Any]) -> object:
        for part in ("change", "version", "stor", "rule", "token", "site", "watch"):
            if name in ("id", "which", "number") and re.search(rf"/{part}\w*/\{{{name}", self.path):
                return named[part]
        return named.get(name, named["version"])


def routes(app: Any) -> list[Route]:
    found = sorted(set(_walk(app.app.routes)))
    assert {("GET", "/login"), ("GET", "/"), ("POST", "/api/v1/watches"), ("GET", "/static/{name}")} <= set(found)
    return found


def _walk(given: list[Any]) -> Iterator[Route]:
    for route in given:
        inner = getattr(route, "original_router", None) or (route if hasattr(route, "routes") else None)
        if inner is not None:
            yield from _walk(inner.routes)
        else:
            yield from (Route(method, route.path) for method in route.methods or ())


def named(filled: Filled) -> dict[str, Any]:
    """Make one of each, and name it."""
    watch = filled.watch("https://city.example/fees", name="Fees", group="city")
    site = filled.watch("https://city.example/feed.xml", kind="feed")
    old, _ = filled.version(watch, b"<p>40")
    new, change = filled.version(watch, b"<p>45", hours=1, old=old)
    story = filled.alert(watch, change)
    return {
        "watch": watch,
        "site": site,
        "change": change,
        "version": new,
        "stor": story,
        "rule": "0123456789abcdef",
        "token": "pd_feed_wrong",
        "id": watch,
        "name": "app.css",
        "form": "link",
        "stamp": "20261101130000",
        "url": "https://city.example/fees",
        "kind": "text",
        "number": change,
        "old": old,
        "new": new,
    }
