"""Inputs: the pages, archives and directories that the given paths name."""

from __future__ import annotations

import os
import re
import stat
import sys
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pagedrift.archive.source import Source
from pagedrift.capture import files
from pagedrift.documents.comparable import READERS, as_html, what_it_is
from pagedrift.errors import InputError
from pagedrift.file_types import DOCUMENT, HEAD_BYTES, OTHER, PAGE, WARC, ZIP, packing, recognise, refusal
from pagedrift.page import PageVersion
from pagedrift.read_report import Account, Problem

if TYPE_CHECKING:
    from typing import BinaryIO

    from pagedrift.limits import Limits

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class File:
    """A page in a file of its own."""

    path: str
    size: int
    changed: float
    named: bool  # by the user: trouble with it is an error then, and otherwise a problem on the way


Input = File | Source | PageVersion  # a PageVersion came by a pipe or from a server


def expand(path: str, *, limits: Limits, account: Account) -> list[Input]:
    """List what a path names; raise InputError where that cannot be read at all."""
    if path == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed; pipe a page into it: pagedrift show - < page.html")
        return [_piped("-", sys.stdin.buffer, limits)]
    if is_address(path):
        return [_live(path, limits)]
    try:
        status = os.stat(path)  # noqa: PTH116 - keeps the path as it was written, for messages
        if stat.S_ISDIR(status.st_mode):
            os.scandir(path).close()  # raises where it may not be read
            return _directory(path, account)
        if stat.S_ISREG(status.st_mode):
            return _file(path, status)
        return [_piped(path, open(path, "rb"), limits)]  # noqa: PTH123 - closed when read
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its name and permissions") from None
    except ValueError:
        raise InputError(f"{path!r} cannot be the name of a file; check it") from None


def is_address(path: str) -> bool:
    """Return whether an input is the address of a page, to be fetched.

    >>> is_address("https://city.example/fees"), is_address("fees.html")
    (True, False)
    """
    return _ADDRESS.match(path) is not None


def _live(url: str, limits: Limits) -> PageVersion:
    """Fetch a page as it is now."""
    from pagedrift.capture.http import FETCH_LIMITS, Client, ClientConfig  # loads ssl

    within = replace(limits, body=min(limits.body, FETCH_LIMITS.body))
    with Client(config=ClientConfig(limits=within)) as client:
        fetched = client.fetch(url, robots="ignore")
    if fetched.page is None or fetched.failed:
        raise InputError(f"{url} answers with status {fetched.status}; check the address in a browser")
    if what_it_is(fetched.page) in READERS:
        return as_html(fetched.page)
    files.page_body(f"the page at {url}", fetched.page.body, limits=limits)
    return fetched.page


def _directory(path: str, account: Account) -> list[Input]:
    """List the pages and archives of a tree, and account for the rest."""

    def trouble(name: str, error: Exception) -> None:
        reason = f"{error.strerror}; check its permissions" if isinstance(error, OSError) else str(error)
        account.report(Problem(name, 0, reason))

    found: list[Input] = []
    for entry in files.walk(path, trouble):
        try:
            if entry.is_file():
                found += _file(entry.path, entry.stat(), account)
            else:
                account.counts.passed_over["not a file"] += 1
        except (OSError, InputError) as error:
            trouble(entry.path, error)
    if not found:
        raise InputError(f"{path} holds no HTML file and no archive; give a directory that does")
    return found


def _file(path: str, status: os.stat_result, account: Account | None = None) -> list[Input]:
    """List what a file holds; what is not a page is counted on the account, or refused where there is none."""
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - keeps the path as it was written
        head = file.read(HEAD_BYTES)
    kind = recognise(head, path)
    if not head and (kind != OTHER or account is None):
        raise InputError(f"{path} is empty; save it again")
    if kind == WARC:
        return [Source(path=path, size=status.st_size, packing=packing(head, path))]
    if kind == PAGE or (kind == DOCUMENT and account is None):  # in folders of pages, data lies about
        return [File(path, status.st_size, status.st_mtime, named=account is None)]
    if kind == ZIP:
        from pagedrift.archive import wacz

        try:
            return [*wacz.sources(path)]
        except InputError:
            if account is None or path.lower().endswith(".wacz"):
                raise
    if account is None:
        raise InputError(refusal(head, path))
    account.counts.passed_over[OTHER if kind in (ZIP, DOCUMENT) else kind] += 1
    return []


def _piped(name: str, stream: BinaryIO, limits: Limits) -> Input:
    """Take a page or a WARC from a stream that passes once."""
    head = stream.read(HEAD_BYTES)
    kind = recognise(head, name)
    if kind == WARC:
        return Source(
            path=name, size=0, stream=_Rejoined(head, stream, keep_open=name == "-"), packing=packing(head, name)
        )
    with nullcontext() if name == "-" else stream:
        if kind == ZIP:
            raise InputError(f"{name} is a ZIP, which cannot be read from a pipe; save it and give the file")
        body = files.page_body(name, head + stream.read(limits.body + 1 - len(head)), limits=limits)
    return files.as_page_or_document(PageVersion("stdin:" if name == "-" else files.url_of(name), body), name)


class _Rejoined:
    """A stream whose first bytes were taken to look at them."""

    def __init__(self, head: bytes, stream: BinaryIO, *, keep_open: bool) -> None:
        self._head = head
        self._stream = stream
        self._keep_open = keep_open
        self._given = 0

    def read(self, size: int, /) -> bytes:
        data, self._head = self._head or self._stream.read(size), b""
        self._given += len(data)
        return data

    def tell(self) -> int:
        return self._given

    def close(self) -> None:
        if not self._keep_open:
            self._stream.close()
