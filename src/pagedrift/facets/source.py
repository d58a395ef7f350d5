"""The source text of a page: its encoding, and its bytes decoded."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift._kernels import is_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

PRESCAN: Final = 1024  # how far a declaration in the page is looked for: WHATWG, "prescan a byte stream"

_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_CHARSET = re.compile(r"""(?:\A|[;\s])charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""", re.IGNORECASE)
# Comments and tags, on lower-case bytes, so that what is inside them is not taken for a tag.
_MARKUP = re.compile(rb"""<!--(?:-?>|.*?(?:-->|\Z))|<[a-z/!?](?:"[^"]*"|'[^']*'|[^'">])*+""", re.DOTALL)
_ATTRIBUTE = re.compile(rb"""([^\s/=>]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
_META: Final = (b"<meta ", b"<meta/", b"<meta\n", b"<meta\t", b"<meta\r", b"<meta\f")
_PROLOG = re.compile(rb"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']""")


# What a declaration inside the page cannot mean, since it could be read: WHATWG, the same prescan.
_READABLE: Final = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}
_OPAQUE: Final = {"utf-16le", "utf-16be", "iso-2022-jp", "replacement"}  # ASCII bytes are not ASCII letters


class Encoding(NamedTuple):
    """The encoding of a page, by its WHATWG name, and its source: bom, header, meta, xml, or detector."""

    name: str
    told_by: str


def sniff(body: bytes, content_type: str | None = None) -> Encoding:
    """Find out the encoding: from the first of byte order mark, HTTP header, page and content that states it.

    >>> sniff(b"<meta charset=latin1>")
    Encoding(name='windows-1252', told_by='meta')
    >>> sniff("<p>größer".encode())
    Encoding(name='utf-8', told_by='detector')
    """
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return Encoding(encoding, "bom")
    if content_type and (name := _canonical(_charset_in(content_type))):
        return Encoding(name, "header")
    if body.startswith((b"<\0", b"\0<")):
        return Encoding("utf-16le" if body[0] else "utf-16be", "detector")
    head = body[:PRESCAN].lower()
    for told_by, labels in (("meta", _meta_labels(head)), ("xml", _prolog_labels(head))):
        for name in filter(None, map(_canonical, labels)):
            return Encoding(_READABLE.get(name, name), told_by)
    return Encoding(_detect(body), "detector")


def decode(body: bytes, encoding: str) -> str:
    r"""Decode bytes as browsers do: no byte order mark, U+FFFD for what is malformed.

    >>> decode(b"caf\xe9", "windows-1252")
    'café'
    """
    for mark, name in _BOMS:
        if name == encoding and body.startswith(mark):
            body = body[len(mark) :]
    if encoding.startswith("utf-"):
        return body.decode(encoding, "replace")
    import turbohtml.detect  # noqa: F401 - registers the whatwg codecs; 50 ms, for the few who need it

    return body.decode("whatwg-" + encoding, "replace")


def is_ascii_compatible(
    body: bytes | bytearray, content_type: str | None = None, start: int = 0, end: int | None = None
) -> bool:
    """Return whether tags can be read off the bytes as they are, from an offset on or between two.

    They can in all WHATWG encodings but UTF-16 and those that switch by escapes; no detector need be asked.

    >>> is_ascii_compatible(b"<p>"), is_ascii_compatible("<p>".encode("utf-16"))
    (True, False)
    """
    if body.startswith((b"\xfe\xff", b"\xff\xfe", b"<\0", b"\0<"), start, end):
        return False
    if body.find(b"\x1b", start, end) >= 0:
        return sniff(bytes(body[start:end]), content_type).name not in _OPAQUE
    return not content_type or not is_opaque(content_type)


@lru_cache(maxsize=256)
def is_opaque(content_type: str) -> bool:
    """Return whether a content type names an encoding in which ASCII bytes need not be ASCII letters."""
    return _canonical(_charset_in(content_type)) in _OPAQUE


def _charset_in(text: str) -> str | None:
    found = _CHARSET.search(text)
    return str(found[1] or found[2] or found[3]) if found else None


def _meta_labels(head: bytes) -> Iterator[str]:
    """Read the labels that meta elements declare."""
    if b"charset" not in head:
        return
    for markup in _MARKUP.finditer(head):
        tag = markup[0]
        if not tag.startswith(_META) or b"charset" not in tag:
            continue
        attributes = {
            key: (double or single or bare).decode("latin-1")
            for key, double, single, bare in reversed(_ATTRIBUTE.findall(tag[5:]))
        }
        if b"charset" in attributes:
            yield attributes[b"charset"]
        elif attributes.get(b"http-equiv", "").strip() == "content-type":
            yield _charset_in(attributes.get(b"content", "")) or ""


def _prolog_labels(head: bytes) -> Iterator[str]:
    if found := _PROLOG.match(head):
        yield found[1].decode("latin-1")


@lru_cache(maxsize=256)
def _canonical(label: str | None) -> str | None:
    """Name the WHATWG encoding of a label, or None where there is none."""
    if not label or (label := label.strip().lower()) in ("utf-8", "utf8"):
        return "utf-8" if label else None
    import turbohtml  # 50 ms, for the few who need it

    try:
        name = turbohtml.parse(b"", encoding=label).encoding
    except LookupError:
        return None
    return name.lower() if name else None


def _detect(body: bytes) -> str:
    if is_utf8(body) and b"\x1b" not in body:  # ISO-2022-JP is UTF-8 too, to look at
        return "utf-8"
    from turbohtml.detect import detect  # 50 ms, for the few who need it

    return (detect(body).encoding or "windows-1252").lower()
