"""The payload of an HTTP message: the page it carries, once its codings are undone."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from pagedrift.decompression import CODINGS, MAX_CODINGS, unpack
from pagedrift.errors import InputError, LimitError
from pagedrift.file_types import looks_like_html

if TYPE_CHECKING:
    from pagedrift.limits import Limits

_PAGE_TYPE = re.compile(r"\s*(?:text/html|application/xhtml\+xml)\s*(?:[;,]|$)", re.IGNORECASE)
_OTHER_TYPE = re.compile(r"\s*(?!unknown/|application/unknown|application/x-unknown)[\w.+-]+/[\w.+-]+", re.ASCII)
_DOCUMENT_TYPE = re.compile(
    r"\s*(?:application/(?:pdf|json|xml|[\w.-]+\+(?:json|xml))|text/(?:plain|csv|xml))\s*(?:[;,]|$)", re.IGNORECASE
)
_SIZE_LINE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]{0,4096})?\r?\n")
_MAGIC = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}


@lru_cache(maxsize=1000)  # asked for every record, and always the same few
def names_page(content_type: str | None) -> bool | None:
    """Return whether a content type names a page; None if it says nothing and the body must decide.

    >>> names_page("text/html; charset=utf-8"), names_page("image/png"), names_page("html"), names_page(None)
    (True, False, None, None)
    """
    if content_type is None:
        return None
    if _PAGE_TYPE.match(content_type):
        return True
    return False if _OTHER_TYPE.match(content_type) else None


def names_document(content_type: str | None) -> bool:
    """Return whether a content type names a document that is read like a page.

    >>> names_document("application/pdf"), names_document("text/css")
    (True, False)
    """
    return _DOCUMENT_TYPE.match(content_type or "") is not None


def decode(body: bytes, codings: str, *, limits: Limits) -> bytes:
    r"""Undo codings, content and transfer, that were applied in this order.

    >>> from pagedrift.limits import DEFAULT_LIMITS
    >>> decode(b"4\r\n<p>H\r\n4\r\nello\r\n0\r\n\r\n", "chunked", limits=DEFAULT_LIMITS)
    b'<p>Hello'
    """
    names = codings.lower().replace(" ", "").split(",")
    if sum(name in CODINGS or name == "chunked" for name in names) > MAX_CODINGS + 1:
        raise LimitError("packed many times over, which only attacks are; leave it out")
    for name in reversed(names):
        if name == "chunked":
            body = _unchunk(body)
        elif name in CODINGS:
            body = _undo(body, name, limits)
    return body


def _undo(body: bytes, coding: str, limits: Limits) -> bytes:
    """Undo one content coding; keep a body as it is where the header claims one it does not have."""
    if not body or not body.startswith(_MAGIC.get(coding, b"")):
        return body
    try:
        return unpack(body, coding, limits=limits)
    except InputError:
        if looks_like_html(body):
            return body
        raise


def _unchunk(body: bytes) -> bytes:
    """Join the chunks; keep a body as it is where its first line is not a chunk size: crawlers undo chunks."""
    pieces: list[bytes] = []
    at = 0
    while line := _SIZE_LINE.match(body, at):
        start, size = line.end(), int(line[1], 16)
        if size == 0:
            return b"".join(pieces)
        piece = body[start : start + size]
        if len(piece) < size:
            break
        pieces.append(piece)
        at = start + size
        at += 2 if body.startswith(b"\r\n", at) else 1 if body.startswith(b"\n", at) else 0
    if not pieces:
        return body
    if at < len(body):
        raise InputError("the chunked body is damaged; fetch the page again")
    return b"".join(pieces)  # the last, empty chunk is missing, and nothing else
