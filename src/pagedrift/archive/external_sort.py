"""External sorting: putting more lines in order than fit in memory."""

from __future__ import annotations

import heapq
import tempfile
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_AT_ONCE: Final = 50_000  # lines in memory


class Sorted:
    r"""Lines that come in any order and are given in theirs; what memory does not hold is on disk.

    >>> with Sorted() as lines:
    ...     lines.add(b"b\n")
    ...     lines.add(b"a\n")
    ...     list(lines)
    [b'a\n', b'b\n']
    """

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._runs: list[IO[bytes]] = []
        self._lines: list[bytes] = []

    def __enter__(self) -> Sorted:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def __iter__(self) -> Iterator[bytes]:
        for run in self._runs:
            run.seek(0)
        return heapq.merge(*self._runs, sorted(self._lines))

    def add(self, line: bytes) -> None:
        """Take a line."""
        self._lines.append(line)
        if len(self._lines) >= _AT_ONCE:
            run = self._opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed with all others
            run.writelines(sorted(self._lines))
            self._runs.append(run)
            self._lines = []
