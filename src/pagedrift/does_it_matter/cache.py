"""Was the same content described before? A cache by digest, so that it is described only once."""

from __future__ import annotations

from functools import update_wrapper
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_Answer = TypeVar("_Answer")


class Remembering(Generic[_Answer]):
    """A function of some bytes that remembers its answers by a digest of the bytes, and not the bytes.

    >>> @remembering(2)
    ... def length(content: bytes) -> int:
    ...     print("counted")
    ...     return len(content)
    >>> length(b"page"), length(b"page")
    counted
    (4, 4)
    """

    def __init__(self, function: Callable[..., _Answer], most: int) -> None:
        self.function = function
        self.most = most
        self.known: dict[Hashable, _Answer] = {}
        self._lock = Lock()
        update_wrapper(self, function)

    def __call__(self, content: bytes, **options: Any) -> _Answer:
        """Give what is known of equal content, or ask."""
        key = (blake2b(content, digest_size=16).digest(), *sorted(options.items()))
        with self._lock:
            if (known := self.known.pop(key, None)) is not None:
                self.known[key] = known  # the latest asked for is forgotten last
                return known
        found = self.function(content, **options)
        with self._lock:
            self.known[key] = found
            while len(self.known) > self.most:
                del self.known[next(iter(self.known))]
        return found

    def forget(self) -> None:
        """Start again."""
        with self._lock:
            self.known.clear()


def remembering(most: int) -> Callable[[Callable[..., _Answer]], Remembering[_Answer]]:
    """Let a function remember a number of of its answers."""
    return lambda function: Remembering(function, most)
