"""Pictures of trials of steps: in memory, for those who made them, for some minutes."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

KEPT_SECONDS: Final = 600.0
MAX_BYTES: Final = 32_000_000  # of all pictures together


@dataclass(frozen=True, slots=True)
class _Kept:
    person: str
    watch: str
    until: float
    picture: bytes = field(repr=False)


class TrialPictures:
    """Pictures by names that nobody guesses; the oldest go first, and all of them soon.

    >>> pictures = TrialPictures()
    >>> name = pictures.put("anna", "5a", b"JPEG")
    >>> pictures.get("anna", "5a", name)
    b'JPEG'
    >>> pictures.get("ben", "5a", name)
    Traceback (most recent call last):
    pagedrift.errors.NotFoundError: this picture is gone; try the steps again
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, most: int = MAX_BYTES) -> None:
        self._clock, self._most = clock, most
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def put(self, person: str, watch: str, picture: bytes) -> str:
        """Keep a picture; give its name."""
        name, now = secrets.token_urlsafe(16), self._clock()
        with self._lock:
            self._kept[name] = _Kept(person, watch, now + KEPT_SECONDS, picture)
            self._bytes += len(picture)
            while self._kept and (self._bytes > self._most or next(iter(self._kept.values())).until < now):
                self._bytes -= len(self._kept.popitem(last=False)[1].picture)
        return name

    def get(self, person: str, watch: str, name: str) -> bytes:
        """Give a picture to the one who made it."""
        with self._lock:
            found = self._kept.get(name)
        if found is None or (found.person, found.watch) != (person, watch) or found.until < self._clock():
            raise NotFoundError("this picture is gone; try the steps again")
        return found.picture
