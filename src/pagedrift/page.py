"""Page versions: one URL at one time, its bytes as received, and its facets, each computed once."""

from __future__ import annotations

import hashlib
import re
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from pagedrift.facets.links import Link, Resource, read_links, read_resources
from pagedrift.facets.metadata import read_generator, read_language, read_title
from pagedrift.facets.outline import Outline, read_outline
from pagedrift.facets.source import Encoding, decode, is_ascii_compatible, sniff
from pagedrift.facets.tags import Tags, read_tags
from pagedrift.facets.tree import Tree, read_tree
from pagedrift.facets.words import read_words
from pagedrift.http_exchange import is_failure
from pagedrift.notebook_views import ShownInNotebooks

if TYPE_CHECKING:
    from datetime import datetime

    from pagedrift.facets.view import View

_ADDRESS: Final = re.compile(r"\s*https?://\S+\s*", re.IGNORECASE)
_MAX_PATH_CHARS: Final = 4_096  # characters


@dataclass(frozen=True)
class PageVersion(ShownInNotebooks):
    """A page as it was received once, with its facets computed when first asked for.

    HTML that is given as `str` is kept as UTF-8, and the content type says so.

    >>> page = PageVersion("https://city.example/", b"<title>Fees</title><p>A permit costs <b>$120</b>")
    >>> page.words
    ('A', 'permit', 'costs', '$120')
    >>> list(page.tags)
    ['title', '/title', 'p', 'b', '/b']
    """

    url: str
    body: bytes = field(repr=False)
    _: KW_ONLY
    captured_at: datetime | None = None
    content_type: str | None = None
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    view: View | None = field(default=None, repr=False, compare=False)  # as a browser showed it

    def __post_init__(self) -> None:
        if not isinstance(self.url, str):
            raise TypeError(f"the url is {type(self.url).__name__}; give a str, and the HTML after it")
        if type(self.body) is not bytes:
            object.__setattr__(self, "content_type", self._content_type_of(self.body))
            object.__setattr__(self, "body", _bytes_of(self.body))

    @classmethod
    def of_record(cls, known: dict[str, Any]) -> Self:
        """Make a version of all its fields, which must be of the right types, in half the time: for archives.

        >>> known = {"url": "https://city.example/", "body": b"<p>", "captured_at": None, "content_type": None}
        >>> PageVersion.of_record(known | {"status": 200, "headers": (), "view": None}).status
        200
        """
        page = cls.__new__(cls)
        page.__dict__.update(known)
        return page

    def _content_type_of(self, body: object) -> str | None:
        if not isinstance(body, str):
            return self.content_type
        mime = (self._content_type or "text/html").partition(";")[0].strip()
        return f"{mime}; charset=utf-8"

    @cached_property
    def encoding(self) -> Encoding:
        """The encoding of the bytes and its source."""
        return sniff(self.body, self._content_type)

    @cached_property
    def source(self) -> str:
        """The decoded HTML."""
        return decode(self.body, self.encoding.name)

    @cached_property
    def tags(self) -> Tags:
        """The sequence of start and end tags."""
        if is_ascii_compatible(self.body, self._content_type):
            found = read_tags(self.body)
            if found.is_ascii():
                return found
        return read_tags(self.source.encode("utf-8", "replace"))

    @cached_property
    def outline(self) -> Outline:
        """What shows its design: the codes of its tags, and the names of classes, ids, style sheets and scripts."""
        return read_outline(self.body if is_ascii_compatible(self.body, self._content_type) else self._utf8)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The visible words."""
        return read_words(self._utf8)

    @cached_property
    def tree(self) -> Tree:
        """The DOM."""
        return read_tree(self._utf8 if self.encoding.name == "utf-8" else self.source)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Where the page leads."""
        return read_links(self.tree, self.url)

    @cached_property
    def resources(self) -> tuple[Resource, ...]:
        """What the page loads."""
        return read_resources(self.tree, self.url)

    @cached_property
    def title(self) -> str:
        """The title; empty where there is none."""
        return read_title(self.tree)

    @cached_property
    def language(self) -> str | None:
        """The declared language."""
        return read_language(self.tree, self.header("content-language"))

    @cached_property
    def canonical(self) -> str | None:
        """The URL that the page calls its own."""
        return next((link.url for link in self.links if link.kind == "canonical"), None)

    @cached_property
    def generator(self) -> str | None:
        """The program that the page says made it."""
        return read_generator(self.tree)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the bytes: the key under which answers about a version are kept."""
        return hashlib.sha256(self.body).hexdigest()

    @property
    def failed(self) -> bool:
        """Whether the server gave a message about a failure in place of the page.

        >>> PageVersion("https://city.example/", b"<p>Not found", status=404).failed
        True
        """
        return is_failure(self.status)

    def header(self, name: str) -> str | None:
        """Look up an HTTP header, whatever its case.

        >>> PageVersion("https://city.example/", b"", headers=(("ETag", '"7"'),)).header("etag")
        '"7"'
        """
        name = name.lower()
        return next((value for key, value in self.headers if key.lower() == name), None)

    @property
    def _content_type(self) -> str | None:
        return self.content_type or self.header("content-type")

    @property
    def _utf8(self) -> bytes:
        """The page in UTF-8; the bytes themselves where they are that already."""
        if self.encoding.name == "utf-8":
            return self.body.removeprefix(b"\xef\xbb\xbf")
        return self.source.encode("utf-8", "replace")


def _bytes_of(body: object) -> bytes:
    """Give the bytes of a body that is none yet; refuse what was hardly meant as HTML."""
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    if isinstance(body, Path):
        raise TypeError("the body is a Path; give its bytes: path.read_bytes()")
    if not isinstance(body, str):
        raise TypeError(f"the body is {type(body).__name__}; give HTML as str or bytes")
    if "<" not in body:
        if _ADDRESS.fullmatch(body):
            raise TypeError(f"{body!r} is an address, not HTML; read the page with: pagedrift.pick(address)")
        if _is_file(body):
            raise TypeError(f"{body!r} is a file, not HTML; read the page with: pagedrift.pick(path)")
    return body.encode("utf-8", "replace")


def _is_file(text: str) -> bool:
    try:
        return 0 < len(text) <= _MAX_PATH_CHARS and Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return False
