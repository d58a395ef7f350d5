"""Locations of a collection's files: on a disk, in an S3-compatible store, on a web server.

A place is a path, or an address with one of the schemes file, s3 (also written s3a) and http or https.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from pagedrift.collection.remote_files import Ranged
from pagedrift.collection.stores import PIECE_BYTES, STORES, Disk, PlaceError, local_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.collection.stores import FileStore

_SCHEME: Final = re.compile(r"([a-z][a-z0-9+]*):(?://|/)", re.IGNORECASE)
_open: dict[str, FileStore] = {}  # one of each kind serves all of a process


def scheme(place: str) -> str:
    """Return the scheme of a place; a bare path has none.

    >>> scheme("s3a://crawls/a.warc.gz"), scheme("crawls/a.warc.gz"), scheme("HTTPS://city.example/a.warc.gz")
    ('s3', '', 'https')
    """
    found = _SCHEME.match(place)
    return {"s3a": "s3", "s3n": "s3", "file": ""}.get(name := found[1].lower(), name) if found else ""


def resolve(base: str, place: str) -> str:
    """Give the whole name of a place that is written relative to another one.

    >>> resolve("s3://crawls/2026/", "segments/a.warc.gz"), resolve("s3://crawls/", "/data/a.warc.gz")
    ('s3://crawls/2026/segments/a.warc.gz', '/data/a.warc.gz')
    """
    if scheme(place) or place.startswith("/"):
        return place
    if place.lower().startswith("file:"):
        return local_path(place)
    if scheme(base) in ("http", "https"):
        return urljoin(base, place)
    return f"{base.rstrip('/')}/{place}" if scheme(base) else os.path.abspath(Path(local_path(base), place))  # noqa: PTH100


def store_of(place: str) -> FileStore:
    """Find who holds a place."""
    name = scheme(place)
    if name not in STORES:
        raise PlaceError(f"{place}: files are not reached by {name}:; copy it to a disk, to S3 or to a web server")
    if name not in _open:
        _open[name] = STORES[name]()
    return _open[name]


def forget() -> None:
    """Close all connections; whoever asks next gets new ones, by the environment of then."""
    while _open:
        _open.popitem()[1].close()


def open_at(place: str, offset: int = 0, *, length: int | None = None) -> Any:
    """Open a file at an offset; of a remote one, only what is read comes over the network."""
    store = store_of(place)
    if length is not None:  # exactly what an index says, by one request
        return Ranged(lambda start, stop: store.read(place, start, stop), at=offset, stop=offset + length)
    if isinstance(store, Disk):
        return store.open(place, offset)
    return Ranged(lambda start, stop: store.read(place, start, stop), at=offset)


def open_whole(place: str) -> Any:
    """Open a file to be read anywhere in it, as Parquet is."""
    store = store_of(place)
    if isinstance(store, Disk):
        return store.open(place, 0)
    return Ranged(lambda start, stop: store.read(place, start, stop), stop=store.size(place))


@contextmanager
def copied(place: str) -> Iterator[str]:
    """Give the path of a file on this machine: its own, or that of a copy which is gone afterwards."""
    store = store_of(place)
    if isinstance(store, Disk):
        yield local_path(place)
        return
    with NamedTemporaryFile(prefix="pagedrift-", suffix=Path(urlsplit(place).path).name[-40:]) as copy:
        at = 0
        while piece := store.read(place, at, at + PIECE_BYTES):
            copy.write(piece)
            at += len(piece)
            if len(piece) < PIECE_BYTES:
                break
        copy.flush()
        yield copy.name
