"""The surroundings of a page: what its archive, folder or server gives a browser to load."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pagedrift.archive.source import Source
from pagedrift.errors import InputError
from pagedrift.limits import DEFAULT_LIMITS, Limits
from pagedrift.read_report import Account
from pagedrift.reading.inputs import File, expand, is_address
from pagedrift.reading.version_reference import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pagedrift.archive.resource_index import Holdings
    from pagedrift.page import PageVersion

    Given = Mapping[str, tuple[str, bytes]]

_INDEXES: Final = 2  # archives whose index is kept, for the next version out of the same one


@contextmanager
def surroundings(reference: str | Path, page: PageVersion) -> Iterator[Given]:
    """Give what the page of a reference may load: from its archive as of its time, its folder, or its server.

    Nothing else is ever reached: an archived page is shown with what the archive holds, a saved one with what
    lies in its folder and below; of a live one, every request passes our own client and its policy of addresses.
    """
    path = path_of(reference)
    if is_address(path):
        with _live(page) as given:
            yield given
    elif path == "-":
        yield {}
    else:
        yield _stored(path, page)


@contextmanager
def _live(page: PageVersion) -> Iterator[Given]:
    from pagedrift.capture.http import Client, ClientConfig  # loads ssl
    from pagedrift.capture.subresources import MAX_RESOURCE_BYTES, Live

    config = ClientConfig(delay=0.0, timeout=15.0, step=10.0, retries=0, limits=Limits(body=MAX_RESOURCE_BYTES))
    with Client(config=config) as client, closing(Live(client, page)) as given:
        yield given


def _stored(path: str, page: PageVersion) -> Given:
    try:
        parts = expand(path, limits=DEFAULT_LIMITS, account=Account())
    except InputError:
        return {}
    archives = tuple(part for part in parts if isinstance(part, Source))
    if archives and not page.url.startswith("file:"):
        return holdings(archives).near(page.captured_at)
    from pagedrift.capture.subresources import FilesBeside

    if len(parts) == 1 and isinstance(parts[0], File):
        return FilesBeside(parts[0].path, page.url)
    if page.url.startswith("file:"):  # one page of a folder
        return FilesBeside(url2pathname(urlsplit(page.url).path), page.url)
    return {}


def holdings(archives: tuple[Source, ...]) -> Holdings:
    """Give the index of what archives hold, from the last time if they have not changed."""
    changed = tuple(os.stat(each.path).st_mtime_ns for each in archives if each.rereadable)  # noqa: PTH116 - as written
    return _indexed(archives, changed)


@lru_cache(maxsize=_INDEXES)
def _indexed(archives: tuple[Source, ...], changed: tuple[int, ...]) -> Holdings:  # noqa: ARG001 - part of the key
    from pagedrift.archive.resource_index import Holdings  # loads FastWARC

    return Holdings(archives)
