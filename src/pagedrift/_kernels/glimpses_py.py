"""What do looks at the pages in a run of gzip members give? (readable twin)

Each function reads on while records are pages in the plainest form, and stops at the first that is not, so that
whoever called it looks at that one with care. Nearly all records of nearly all archives are plain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels.inflate_py import unpack_member, unpack_start
from pagedrift._kernels.record_head_py import member_end, member_size, read_head

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagedrift._kernels.record_head_py import RecordHead

_AFTER_RECORD: Final = 4  # bytes of the two empty lines
_OK: Final = 200


def glimpse_members(
    data: bytearray,
    at: int,
    end: int,
    room: bytearray,
    *,
    names_page: Callable[[str | None], bool | None],
    largest: int,
    look: Callable[..., Any],
) -> tuple[list[tuple[int, str, Any]], tuple[int, int] | None]:
    """Unpack member after member into some room and look at each page.

    Gives for each where it ends, its address and what the look gave; and what `unpack_member` said of the member at
    which this stopped: None where that is not whole, or where none is left.
    """
    found: list[tuple[int, str, Any]] = []
    while at < end:
        unpacked = unpack_member(data, at, end, room)
        head = read_head(room, unpacked[0]) if unpacked and unpacked[0] > 0 else None
        if unpacked is None or head is None or not _is_plain(head, names_page, largest):
            return found, unpacked
        size, at = unpacked
        kept, room[size - _AFTER_RECORD] = room[size - _AFTER_RECORD], 0
        value = look(room, head.content_type, True, head.body, size - _AFTER_RECORD)
        if value is None:
            room[size - _AFTER_RECORD] = kept
            return found, unpacked
        found.append((at, head.url, value))
    return found, None


def glimpse_starts(
    data: bytearray,
    at: int,
    end: int,
    most: int,
    *,
    names_page: Callable[[str | None], bool | None],
    largest: int,
    look: Callable[..., Any],
    largest_member: int,
) -> tuple[list[tuple[int, str, Any]], bytes | None]:
    """Unpack a number of bytes of member after member and look at the beginning of each page.

    Gives the same, and what could be unpacked of the member at which this stopped: None where it may end behind the
    data, or where none is left.
    """
    found: list[tuple[int, str, Any]] = []
    while at < end:
        after = member_end(data, at, end, largest_member)
        begun = unpack_start(data, at, after, most) if after > 0 else None
        head = read_head(begun, is_start=True) if begun else None
        if (
            begun is None
            or head is None
            or head.size != member_size(data, at, after)
            or not _is_plain(head, names_page, largest)
        ):
            return found, begun
        size = head.size - _AFTER_RECORD
        page = begun[:size]
        value = look(page, head.content_type, len(page) == size, head.body, len(page))
        if value is None:
            return found, begun
        found.append((after, head.url, value))
        at = after
    return found, None


def _is_plain(head: RecordHead, names_page: Callable[[str | None], bool | None], largest: int) -> bool:
    return bool(
        head.kind == "response"
        and head.status == _OK
        and not head.codings
        and head.url
        and head.url[0] != "<"
        and head.size - _AFTER_RECORD - head.body <= largest
        and names_page(head.content_type)
    )
