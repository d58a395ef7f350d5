"""Which versions of pages does a WARC hold?"""

from __future__ import annotations

import io
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fastwarc.warc import ArchiveIterator, WarcHeader, WarcRecordType

from pagedrift.account import Account, Problem
from pagedrift.archive import salvage
from pagedrift.archive.payload import decode, names_page
from pagedrift.archive.revisits import Place, Places
from pagedrift.dates import period
from pagedrift.errors import PagedriftError
from pagedrift.limits import DEFAULT_LIMITS, Limits
from pagedrift.page import PageVersion
from pagedrift.sniffing import HEAD, looks_like_html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.archive.source import Source

_RESPONSE, _RESOURCE, _REVISIT = WarcRecordType.response, WarcRecordType.resource, WarcRecordType.revisit
_UNKNOWN = WarcRecordType.unknown
_URL, _DATE, _DIGEST = WarcHeader.WARC_TARGET_URI, WarcHeader.WARC_DATE, WarcHeader.WARC_PAYLOAD_DIGEST
_TYPE = WarcHeader.CONTENT_TYPE
_LONGEST_HEADER = 1 << 20  # cookies and policies grow long
_AT_ONCE = 1 << 20  # FastWARC reserves what it is asked for: a false length must not reserve the machine
_CUT_BODY = "the body is shorter than its length says; get a complete copy of the archive"
_NO_STATUS = "the HTTP status line is unreadable; fetch the page again"
_NO_URL = "the record has no WARC-Target-URI; get a complete copy of the archive"
_NO_DATE = "the record has no readable WARC-Date, its page is given without a time; correct the archive if order matters"
_NO_ORIGINAL = "the record that this revisit repeats was not read before; read its archive together with this one"
_PIPED_ORIGINAL = "a revisit cannot be looked up in a pipe or a packed ZIP member; save the WARC as a file and give that"


@dataclass(frozen=True, slots=True)
class _Flawed:
    """A page that is kept although something about it is wrong."""

    page: PageVersion
    problem: Problem


type_Outcome = PageVersion | _Flawed | Problem | str  # a string: passed over, for this reason


def versions(
    source: Source,
    *,
    account: Account | None = None,
    limits: Limits = DEFAULT_LIMITS,
    places: Places | None = None,
) -> Iterator[PageVersion]:
    """Give the page versions of a WARC as they stand, and account for the rest; damage never ends it."""
    reader = _Reader(source, account or Account(), limits, places or Places())
    offset = settled = 0
    if source.rereadable and reader.packed_by_record():
        offset, settled = yield from reader.fast()
    yield from reader.careful(offset, settled)


class _Reader:
    """One pass through one WARC: by FastWARC while it is healthy, then record by record."""

    def __init__(self, source: Source, account: Account, limits: Limits, places: Places) -> None:
        self.source = source
        self.account = account
        self.limits = limits
        self.places = places
        self.remember = places.remember
