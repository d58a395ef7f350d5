"""Where does the body stand that a revisit record repeats?"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.archive.source import Source

REMEMBERED = 100_000  # records; their places, not their bodies: some tens of megabytes


class Place(NamedTuple):
    """A record that others may repeat."""

    url: str
    date: str | None
    digest: str | None
    source: Source
    offset: int | None  # None: it is no page, so that what repeats it is none either


class Places:
    """The places of the records read last, looked up by address and date, digest, or address."""

    def __init__(self) -> None:
        self._new: deque[Place] = deque(maxlen=REMEMBERED)  # indexed at the first revisit: most archives have none
        self._index: OrderedDict[str, Place] = OrderedDict()
        self.remember = self._new.append

    def find(self, keys: Iterable[str | None]) -> Place | None:
        """Give the place remembered under the first key that is known.

        >>> from pagedrift.archive.source import Source
        >>> places = Places()
        >>> places.remember(Place("https://city.example/", "2026-11-15T12:00:00Z", None, Source("a.warc", 0), 590))
        >>> places.find([None, "https://city.example/ 2026-11-15T12:00:00Z"]).offset
        590
        """
        self._catch_up()
        return next((self._index[key] for key in keys if key in self._index), None)

    def _catch_up(self) -> None:
        while self._new:
            place = self._new.popleft()
            for key in (f"{place.url} {place.date}", place.digest, place.url):
                if key:
                    self._index[key] = place
                    self._index.move_to_end(key)
        while len(self._index) > 3 * REMEMBERED:
            self._index.popitem(last=False)
