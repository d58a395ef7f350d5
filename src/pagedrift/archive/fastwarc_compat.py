"""The parts of FastWARC used here, imported without the warnings about its legacy code."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # FastWARC 1.1, on every import
    from fastwarc.warc import ArchiveIterator, WarcHeader, WarcRecordType

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MAX_HEADER_BYTES", "WarcHeader", "WarcRecordType", "healthy_records", "warc_records"]

MAX_HEADER_BYTES: Final = 1 << 20  # cookies and policies grow long


def warc_records(file: Any, *, largest: int | None = None) -> Any:
    """Iterate over the records of a WARC, or over those of up to `largest` bytes; damage may be passed over.

    Lines of headers may end in LF alone, as in ClueWeb09: browsers and warcio read them so too.
    """
    return ArchiveIterator(file, max_header_len=MAX_HEADER_BYTES, max_content_length=largest, quirks_mode=True)


def healthy_records(file: Any) -> Iterator[Any]:
    """Iterate over the records of a WARC up to where one is damaged; then raise OSError, or end."""
    for record in ArchiveIterator(file, max_header_len=MAX_HEADER_BYTES, parse_http=False):
        record.parse_http(max_header_len=MAX_HEADER_BYTES, quirks_mode=True)
        yield record
