"""File types, recognised by the first bytes and the name of a file."""

from __future__ import annotations

import re
import zlib
from typing import Literal

HEAD_BYTES = 4096  # bytes to look at: the start of a page, or of the first record of a WARC
PAGE, DOCUMENT, WARC, ZIP, MHTML, OTHER = "page", "document", "WARC", "ZIP", "MHTML", "not HTML"

_PAGE_NAMES = (".html", ".htm", ".xhtml", ".xht")
DOCUMENT_TYPES = {  # that are read like pages, by their names
    ".pdf": "application/pdf",
    ".json": "application/json",
    ".xml": "application/xml",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
    ".csv": "text/csv",
    ".txt": "text/plain",
}
_MAIL = re.compile(rb"\s*[\w-]+:.{0,2000}?multipart/related", re.IGNORECASE | re.DOTALL)
_PDF = b"%PDF-"
_MULTI_WACZ = b"multi-wacz"  # the profile of a list of WACZ files
_ANY_PAGE = "give an HTML file, a WARC or a WACZ"
_REFUSED = (
    (b"\x89PNG", "a PNG picture", _ANY_PAGE),
    (b"\xff\xd8\xff", "a JPEG picture", _ANY_PAGE),
    (b"GIF8", "a GIF picture", _ANY_PAGE),
    (b"RIFF", "a picture, sound or film", _ANY_PAGE),
    (b"\x7fELF", "a program", _ANY_PAGE),
    (b"MZ\x90", "a program", _ANY_PAGE),
    (b"SQLite format 3", "a database", _ANY_PAGE),
    (b"BZh", "packed with bzip2", "unpack it first: bunzip2 FILE"),
    (b"\xfd7zXZ", "packed with xz", "unpack it first: unxz FILE"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "unpack it first: 7z x FILE"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd", "unpack it first: unzstd FILE"),
    (b"\x04\x22\x4d\x18", "packed with lz4", "unpack it first: unlz4 FILE"),
)
_ZSTD, _ZSTD_DICTIONARY, _LZ4 = b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18", b"\x04\x22\x4d\x18"
_LZ4_HEADER = 32  # bytes before the first letters of what is packed
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(?:<\?xml[^>]{0,200}>\s*)?(?:(?><!--.{0,2000}?-->)\s*+){0,20}+"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|base|iframe|h[1-6]|div|span|font|table|a|b|br|p"
    rb"|ul|ol|main|header|nav|section|article|center|frameset|img|form)[\s/>]",
    re.IGNORECASE | re.DOTALL,
)


def looks_like_html(head: bytes) -> bool:
    """Return whether bytes open like an HTML document, as a browser would guess.

    >>> looks_like_html(b"<!doctype html><title>Fees</title>"), looks_like_html(b'{"fees": 120}')
    (True, False)
    """
    return _MARKUP.match(head[:HEAD_BYTES].replace(b"\0", b"")) is not None  # UTF-16 has a NUL in every letter


def recognise(head: bytes, name: str) -> str:
    """Say whether a file is a PAGE, a DOCUMENT that is read like one, a WARC, a ZIP, MHTML or something OTHER.

    >>> recognise(b"<p>Hello", "page"), recognise(b"WARC/1.1", "-"), recognise(b"body { margin: 0 }", "page.css")
    ('page', 'WARC', 'not HTML')
    """
    bare = name.lower().removesuffix(".gz")
    inside = _inside(head)
    if packing(head, name):
        return WARC
    if inside.startswith(tuple(magic for magic, _, _ in _REFUSED)):
        return OTHER
    if inside.startswith(b"WARC/") or bare.endswith(".warc"):
        return WARC
    if head.startswith(b"PK") or bare.endswith(".wacz"):
        return ZIP
    if _MAIL.match(inside) or bare.endswith((".mht", ".mhtml")):
        return MHTML
    if inside.startswith(_PDF):
        return DOCUMENT
    binary = b"\0" in inside and not inside.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not binary and document_type(inside, name) and not looks_like_html(inside) and _MULTI_WACZ not in inside:
        return DOCUMENT
    return PAGE if looks_like_html(inside) or (_named_page(name) and not binary) else OTHER


def document_type(head: bytes, name: str) -> str | None:
    """Give the content type of a document by its first bytes or its name; None where it is none that is read.

    >>> document_type(b"%PDF-1.7", "fees"), document_type(b"a,b", "fees.csv"), document_type(b"x", "fees.css")
    ('application/pdf', 'text/csv', None)
    """
    if head.startswith(_PDF):
        return "application/pdf"
    bare = name.lower().removesuffix(".gz")
    return next((kind for ending, kind in DOCUMENT_TYPES.items() if bare.endswith(ending)), None)


def packing(head: bytes, name: str) -> Literal["", "zstd", "lz4", "arc"]:
    """Say how an archive is packed, where that is neither not at all nor by gzip.

    >>> packing(b"filedesc://crawl.arc 0.0.0.0 20040101000000 text/plain 76", "-"), packing(b"WARC/1.1", "-")
    ('arc', '')
    """
    named = ".warc." in name.lower()  # the first bytes may be too few to be unpacked
    if head.startswith(_ZSTD_DICTIONARY):
        return "zstd"
    if head.startswith(_ZSTD) and (named or _of_zstd(head).startswith(b"WARC/")):
        return "zstd"
    if head.startswith(_LZ4) and (named or b"WARC/" in head[:_LZ4_HEADER]):  # the first letters stand as they are
        return "lz4"
    return "arc" if _inside(head).startswith(b"filedesc:") else ""


def _of_zstd(head: bytes) -> bytes:
    import zstandard

    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(head) as reader:
            return reader.read(HEAD_BYTES)
    except zstandard.ZstdError:
        return b""


def _named_page(name: str) -> bool:
    return name == "-" or name.lower().removesuffix(".gz").endswith(_PAGE_NAMES)


def refusal(head: bytes, name: str) -> str:
    """Say what a file is that holds no pages, and what to give instead.

    >>> refusal(b"GIF89a", "fees.html")
    'fees.html is a GIF picture; give an HTML file, a WARC or a WACZ'
    """
    inside = _inside(head)
    for magic, what, instead in _REFUSED:
        if inside.startswith(magic):
            return f"{name} is {what}; {instead}"
    if recognise(head, name) == MHTML:
        return f"{name} is MHTML, which is not read; open it in a browser and save it as HTML"
    if _MULTI_WACZ in inside:
        return f"{name} is a list of WACZ files; give the WACZ files it lists"
    if _named_page(name):
        return f"{name} is binary, whatever its name says; {_ANY_PAGE}"
    return f"{name} does not look like HTML; {_ANY_PAGE}, or name it .html if it is HTML"


def _inside(head: bytes) -> bytes:
    """Unpack as much as the first bytes of a gzip file give."""
    if not head.startswith(b"\x1f\x8b"):
        return head
    try:
        return zlib.decompressobj(31).decompress(head, HEAD_BYTES)
    except zlib.error:
        return b""
