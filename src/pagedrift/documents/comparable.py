"""Versions that are not HTML, as pages: they are compared, measured, judged and shown by the same code."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pagedrift.documents.data_formats import csv_html, feed_html, json_html, text_html, xml_html
from pagedrift.documents.pdf import pdf_html
from pagedrift.errors import PagedriftError
from pagedrift.facets.source import is_ascii_compatible
from pagedrift.file_types import HEAD_BYTES, looks_like_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagedrift.page import PageVersion

MAX_READ_BYTES: Final = 32_000_000  # of a page that is looked into; of what is larger, only the bytes are compared
MAX_READ_MARKS: Final = 2_000_000  # of its signs that a parser stops at: honest pages of 20 MB have half as many
_HTML: Final = ("text/html", "application/xhtml+xml")
_XML: Final = ("application/xml", "text/xml", "+xml")
_TEXT: Final = ("text/", "javascript", "yaml", "toml", "x-sh")
_FEED: Final = re.compile(rb"<(?:\w+:)?(?:rss|feed|RDF)[\s>]")
_MEDIA: Final = {"image": "picture", "audio": "recording", "video": "film", "font": "font"}
_NAMES: Final = {
    b"%PDF": "PDF document",
    b"\x89PNG": "picture",
    b"\xff\xd8\xff": "picture",
    b"GIF8": "picture",
    b"RIFF": "picture, sound or film",
    b"PK\x03\x04": "packed file",
    b"\x1f\x8b": "packed file",
}


def what_it_is(page: PageVersion) -> str:
    """Say what a version is: html, one of the documents that are read like pages, or something else.

    >>> from pagedrift import PageVersion
    >>> what_it_is(PageVersion("", b"%PDF-1.7", content_type="text/html"))
    'PDF document'
    """
    head = page.body[:HEAD_BYTES]
    for magic, name in _NAMES.items():
        if head.startswith(magic):
            return name
    found = (page.content_type or page.header("content-type") or "").partition(";")[0].strip().lower()
    if found in _HTML or looks_like_html(head):
        return "html"
    if found.endswith("json") or (not found and head.lstrip()[:1] in (b"{", b"[")):
        return "json"
    if found.endswith(_XML):
        return "feed" if _FEED.search(head) else "XML file"
    if "csv" in found or found == "text/tab-separated-values":
        return "table"
    if any(part in found for part in _TEXT):
        return "text"
    is_binary = b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if is_binary:
        return _MEDIA.get(found.partition("/")[0], "file")
    return "text" if found else "html"


def is_within_reach(page: PageVersion) -> bool:
    """Return whether a page can be looked into at a cost that pages have; it is only counted for that.

    >>> from pagedrift import PageVersion
    >>> is_within_reach(PageVersion("", b"<p>Fees")), is_within_reach(PageVersion("", b"<p>a" * 3_000_000))
    (True, False)
    """
    if len(page.body) <= MAX_READ_MARKS:
        return True
    if len(page.body) > MAX_READ_BYTES or page.body.count(b"<") > MAX_READ_MARKS:
        return False
    # A NUL costs a parser more than a tag; in UTF-16 half of all bytes are some.
    return page.body.count(b"\0") <= MAX_READ_MARKS or not is_ascii_compatible(page.body, page.content_type)


def readable(page: PageVersion) -> PageVersion | None:
    """Give a version as a page that can be looked into; None where there are only bytes, or too many."""
    if not is_within_reach(page):
        return None
    kind = what_it_is(page)
    if kind == "html":
        return page
    try:
        return as_html(page) if kind in READERS else None
    except PagedriftError:  # an encrypted PDF, say: its bytes are all there is
        return None


def as_html(page: PageVersion) -> PageVersion:
    """Give a document as a page, so that it is compared, measured, judged and shown like one.

    >>> from pagedrift import PageVersion
    >>> as_html(PageVersion("", b'{"fee": {"fence": 40}}', content_type="application/json")).words
    ('fee.fence:', '40')
    """
    html = READERS[what_it_is(page)](page)
    return replace(
        page,
        body=html.encode("utf-8", "replace"),
        content_type="text/html; charset=utf-8",
        headers=(),
        view=None,
    )


def _feed_or_xml(page: PageVersion) -> str:
    try:
        return feed_html(page.body)
    except PagedriftError:
        return xml_html(page.source)


READERS: Final[dict[str, Callable[[PageVersion], str]]] = {
    "json": lambda page: json_html(page.source),
    "text": lambda page: text_html(page.source),
    "table": lambda page: csv_html(page.source),
    "XML file": lambda page: xml_html(page.source),
    "feed": _feed_or_xml,
    "PDF document": lambda page: pdf_html(page.body),
}
