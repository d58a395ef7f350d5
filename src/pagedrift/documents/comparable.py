"""Versions that are not HTML: text compared by line, JSON by value, anything else by its bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, Final

from pagedrift.facets.source import is_ascii_compatible
from pagedrift.file_types import HEAD_BYTES, looks_like_html

if TYPE_CHECKING:
    from pagedrift.page import PageVersion

MAX_READ_BYTES: Final = 32_000_000  # of a page that is looked into; of what is larger, only the bytes are compared
MAX_READ_MARKS: Final = 2_000_000  # of its signs that a parser stops at: honest pages of 20 MB have half as many
MAX_LINES: Final = 200_000  # of a text or of the values of a JSON file
_HTML: Final = ("text/html", "application/xhtml+xml")
_XML: Final = ("application/xml", "text/xml", "+xml")
_TEXT: Final = ("text/", "javascript", "yaml", "toml", "csv", "x-sh")
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
    """Say what a version is: html, json, text, or the name of something of which only the bytes are looked at.

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
    if found.endswith(_XML) or any(part in found for part in _TEXT):
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
    return page if kind == "html" else as_html(page) if kind in ("json", "text") else None


def as_html(page: PageVersion) -> PageVersion:
    """Give a text or JSON file as a page, so that it is compared, measured and judged like one.

    >>> from pagedrift import PageVersion
    >>> as_html(PageVersion("", b'{"fee": {"fence": 40}}', content_type="application/json")).words
    ('fee.fence:', '40')
    """
    if what_it_is(page) == "json":
        try:
            lines = _json_lines(json.loads(page.source))
        except (ValueError, RecursionError):
            lines = page.source.splitlines()
    else:
        lines = page.source.splitlines()
    items = "".join(f"<p>{escape(line, quote=False)}</p>\n" for line in lines[:MAX_LINES])
    return replace(
        page,
        body=f"<main>{items}</main>".encode("utf-8", "replace"),
        content_type="text/html; charset=utf-8",
        headers=(),
        view=None,
    )


def _json_lines(value: Any) -> list[str]:
    """Write each value with the way to it; the order of keys does not count, that of lists does."""
    found: list[str] = []
    pending: list[tuple[str, Any]] = [("", value)]
    while pending and len(found) < MAX_LINES:
        path, value = pending.pop()
        if isinstance(value, dict) and value:
            below = [(f"{path}.{key}" if path else str(key), each) for key, each in sorted(value.items())]
        elif isinstance(value, list) and value:
            below = [(f"{path}[]", each) for each in value]  # without numbers: one entry at the top moves none
        else:
            found.append(f"{path}: {json.dumps(value, ensure_ascii=False)}")
            continue
        pending += reversed(below)
    return found
