"""Is a document in a section that the site already had, or in a new one?

A section may have a design of its own, so a foreign design says little there. The place of a document is its host
and the first two directories of its URL, whatever the numbers in them. Where new places come all the time, as with
a directory for each document, places say nothing.
"""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache
from typing import Any, Final

USUAL: Final = 0.3  # of the last documents were at new places: it means nothing
BEFORE: Final = (
    5  # documents that a place must be older than a design; those just before may be of the design itself
)
MAX_REMEMBERED_SECTIONS: Final = 1000

_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]*)([^?#]*)")
_DIGITS = re.compile(r"\d+")


class SectionPlaces:
    """The places of a stream, each with its first document and how many it had."""

    def __init__(self, *, size: int) -> None:
        self._known: dict[str, tuple[int, int]] = {}
        self._new: deque[bool] = deque(maxlen=size)

    def add(self, url: str, index: int) -> None:
        """Note where a document is."""
        near, far = folders(url)
        self._new.append(near not in self._known or far not in self._known)
        for place in {near, far}:
            first, count = self._known.get(place, (index, 0))
            self._known[place] = (first, count + 1)
        while len(self._known) > MAX_REMEMBERED_SECTIONS:
            del self._known[next(iter(self._known))]

    def is_home(self, url: str, first: int) -> bool:
        """Return whether a document is where others were before a design began with document `first`."""
        if len(self._new) == self._new.maxlen and sum(self._new) >= USUAL * len(self._new):
            return True
        return all(self._is_old(place, first) for place in folders(url))

    def _is_old(self, place: str, first: int) -> bool:
        return place in self._known and self._known[place][0] <= first - BEFORE

    def state(self) -> dict[str, Any]:
        """Give it as JSON can hold it."""
        return {"known": self._known, "new": list(self._new)}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state."""
        self._known = {str(place): (int(first), int(count)) for place, (first, count) in state["known"].items()}
        self._new.extend(bool(new) for new in state["new"])


@lru_cache(maxsize=64)  # each document asks a few times for its own
def folders(url: str) -> tuple[str, str]:
    """Name the place of a document by its first directory, and by its first two.

    >>> folders("https://city.example/2026/11/fees.html")
    ('city.example/0', 'city.example/0/0')
    >>> folders("https://city.example/fees/index.html")
    ('city.example/', 'city.example/')
    """
    match = _URL.match(url)
    if not match:
        return "", ""
    path = _DIGITS.sub("0", match[2].removesuffix("index.html").rstrip("/"))
    names = [name for name in path.split("/")[:-1] if name][:2]
    return f"{match[1]}/{''.join(names[:1])}"[:200], f"{match[1]}/{'/'.join(names)}"[:200]
