"""One URL at one time: the bytes as received, and what can be read off them, each facet once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pagedrift.facets import links, metadata, source, tags, tree, words

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True)
class PageVersion:
    """A page as it was received once, with its facets computed when first asked for.

    >>> page = PageVersion("https://city.example/", b"<title>Fees</title><p>A permit costs <b>$120</b>")
    >>> page.words
    ('A', 'permit', 'costs', '$120')
    >>> list(page.tags)
    ['title', '/title', 'p', 'b', '/b']
    """

    url: str
    body: bytes = field(repr=False)
    captured_at: datetime | None = field(default=None, kw_only=True)
    content_type: str | None = field(default=None, kw_only=True)
    status: int | None = field(default=None, kw_only=True)
    headers: tuple[tuple[str, str], ...] = field(default=(), kw_only=True, repr=False)
