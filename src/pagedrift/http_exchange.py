"""The HTTP exchange: one request and its answer, as they went over the wire."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

Headers = tuple[tuple[str, str], ...]
NOT_MODIFIED: Final = 304
FIRST_FAILURE: Final = 400  # statuses from here on: not the page, but a message about it


def is_failure(status: int | None) -> bool:
    """Decide by its status whether a server failed to give the page; files and captures may have none.

    >>> is_failure(404), is_failure(304), is_failure(None)
    (True, False, False)
    """
    return status is not None and status >= FIRST_FAILURE


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer; the body packed as it came, without the framing of the connection.

    >>> from datetime import UTC, datetime
    >>> Exchange("https://city.example/", 304, captured_at=datetime.now(UTC)).not_modified
    True
    """

    url: str
    status: int
    _: KW_ONLY
    headers: Headers = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)
    captured_at: datetime
    request_headers: Headers = field(default=(), repr=False)  # none that are secret
    method: str = "GET"  # what was sent along is not kept

    @property
    def not_modified(self) -> bool:
        """Return whether the server said that the known version still holds."""
        return self.status == NOT_MODIFIED
