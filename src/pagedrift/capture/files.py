"""Pages in files and directories."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pagedrift.decompression import unpack
from pagedrift.documents.comparable import as_html
from pagedrift.errors import InputError, LimitError
from pagedrift.file_types import DOCUMENT, HEAD_BYTES, PAGE, document_type, recognise, refusal
from pagedrift.limits import DEFAULT_LIMITS, Limits, allow
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def read_page(path: str | Path, *, limits: Limits = DEFAULT_LIMITS) -> PageVersion:
    """Read one HTML file or document, packed with gzip or not; the time of its last change is its time of capture.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "fees.html").write_bytes(b"<p>A permit costs $120")
    ...     read_page(Path(folder, "fees.html")).words
    ('A', 'permit', 'costs', '$120')
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            changed = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
            body = page_body(str(path), file.read(limits.body + 1), limits=limits)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the name and its permissions") from None
    return as_page_or_document(PageVersion(url_of(path), body, captured_at=changed), str(path))


def as_page_or_document(page: PageVersion, name: str) -> PageVersion:
    """Give what a file, a pipe or a server holds as a page; a document is read like one."""
    if recognise(page.body[:HEAD_BYTES], name.removesuffix(".gz")) != DOCUMENT:
        return page
    try:
        return as_html(replace(page, content_type=document_type(page.body[:HEAD_BYTES], name)))
    except (InputError, LimitError) as error:
        raise type(error)(f"{name}: {error}") from None


def url_of(path: str | Path) -> str:
    """Give the URL of a file.

    >>> url_of("/pages/../fees.html")
    'file:///fees.html'
    """
    return Path(os.path.abspath(path)).as_uri()  # noqa: PTH100 - resolve() would follow links


def page_body(name: str, data: bytes, *, limits: Limits) -> bytes:
    """Give the HTML that a file's bytes hold, unpacked if need be."""
    if not data:
        raise InputError(f"{name} is empty; save the page again")
    if recognise(data[:HEAD_BYTES], name) not in (PAGE, DOCUMENT):
        raise InputError(refusal(data[:HEAD_BYTES], name))
    if len(data) > limits.body:
        raise LimitError(f"{name} is larger than {limits.body:,} bytes; " + allow("body"))
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return unpack(data, "gzip", limits=limits)
    except (InputError, LimitError) as error:
        raise type(error)(f"{name}: {error}") from None


def walk(directory: str, trouble: Callable[[str, OSError], None]) -> Iterator[os.DirEntry[str]]:
    """Give the files of a tree in the order of their names, each directory once, however links lead to it."""
    entered: set[tuple[int, int]] = set()
    waiting: list[str | os.DirEntry[str]] = [directory]
    while waiting:
        entry = waiting.pop()
        try:
            if not isinstance(entry, str) and not entry.is_dir():
                yield entry
                continue
            status = os.stat(entry)  # noqa: PTH116 - of the target of a link
            if (status.st_dev, status.st_ino) not in entered:
                entered.add((status.st_dev, status.st_ino))
                with os.scandir(entry) as found:
                    inside: list[os.DirEntry[str]] = sorted(found, key=lambda each: each.name, reverse=True)
                waiting += inside
        except OSError as error:
            trouble(os.fspath(entry), error)
