"""The heap of a process: settings of the C library by which it gives memory back that it no longer needs."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from functools import cache
from typing import Any, Final

_ARENA_MAX: Final = -8  # as malloc.h of the GNU C library names them
_MMAP_THRESHOLD: Final = -3
_TRIM_THRESHOLD: Final = -1
_LARGE: Final = 128 * 1024  # bytes; what is larger goes back to the system as soon as it is free


@cache
def _library() -> Any:
    return ctypes.CDLL(None) if sys.platform == "linux" else None


def limit() -> None:
    """Let all threads share one heap: each with a heap of its own keeps what it once needed, forever."""
    with suppress(AttributeError, OSError):  # another C library
        for setting, value in ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, _LARGE)):
            _library().mallopt(setting, value)


def trim() -> None:
    """Give back what is free."""
    with suppress(AttributeError, OSError):
        _library().malloc_trim(0)
