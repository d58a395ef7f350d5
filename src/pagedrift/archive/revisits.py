"""Where does the body stand that a revisit record repeats?"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.archive.source import Source

REMEMBERED = 100_000  # records; their places, not their bodies: some tens of megabytes


class Place(NamedTuple):
    """Where a record stands that others may repeat."""

    url: str
    date: str | None
    digest: str | None
    source: Source
    offset: int | None  # None: it is no page, so that what repeats it is none either


class Places:
    """The places of the records read last, looked up by address and date, by digest, or by address.

    >>> from pagedrift.archive.source import Source
    >>> places = Places()
    >>> places.remember(("https://city.example/", "2026-11-15T12:00:00Z", None, Source("a.warc", 0), 590))
    >>> places.find((None, "https://city.example/ 2026-11-15T12:00:00Z")).offset
    590
    """

    def __init__(self) -> None:
        self._index: OrderedDict[str, Place] = OrderedDict()
        self._new: deque[tuple[str, str | None, str | None, Source, int | None]] = deque(maxlen=REMEMBERED)
        self.remember = (
            self._new.append
        )  # called for every record; indexed at the first revisit: most have none

    def find(self, keys: Iterable[str | None]) -> Place | None:
        """Give the place that the first known key leads to."""
        while self._new:
            place = Place(*self._new.popleft())
            self.repeat(place, place.url, place.date, place.digest)
        return next((self._index[key] for key in keys if key in self._index), None)

    def repeat(self, place: Place, url: str, date: str | None, digest: str | None) -> None:
        """Let the keys of a record lead to a place."""
        for key in (f"{url} {date}", digest, url):
            if key:
                self._index[key] = place
                self._index.move_to_end(key)
        while len(self._index) > 3 * REMEMBERED:
            self._index.popitem(last=False)
