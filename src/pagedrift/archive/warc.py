"""Page versions from WARCs, however damaged these are."""

from __future__ import annotations

import io
from contextlib import closing, suppress
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import glimpse_members, glimpse_starts, member_size, read_head, unpack_start
from pagedrift.archive import recovery
from pagedrift.archive.fastwarc_compat import healthy_records, warc_records
from pagedrift.archive.members import MAX_MEMBER_BYTES, GzipMembers
from pagedrift.archive.payload import names_page
from pagedrift.archive.record import (
    REVISIT,
    Glimpse,
    Look,
    Outcome,
    Take,
    glimpse_of,
    glimpse_of_member,
    glimpse_of_start,
    page_of,
    page_of_member,
)
from pagedrift.archive.revisits import PagePlaces
from pagedrift.errors import InputError, PagedriftError
from pagedrift.file_types import HEAD_BYTES
from pagedrift.limits import DEFAULT_LIMITS, Limits
from pagedrift.page import PageVersion
from pagedrift.read_report import Account, Problem

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from pagedrift.archive.source import Readable, Source

_GZIP: Final = b"\x1f\x8b"
_AFTER_RECORD: Final = b"\r\n\r\n"
MIN_START_BYTES: Final = 1 << 11
MAX_START_BYTES: Final = 1 << 14
LONG_START_BYTES: Final = 60_000  # where that is not enough
Result = Outcome | PagedriftError  # what became of a record, damage included


class Shelf:
    """Archives that are read together, so that a revisit in one may repeat a page of another."""

    def __init__(
        self,
        *,
        account: Account | None = None,
        limits: Limits = DEFAULT_LIMITS,
        look: Look | None = None,
        take: Take | None = None,
        quick: bool = False,
    ) -> None:
        self.account = account or Account()
        self.limits = limits
        self.look = look  # where that is enough
        self.take = take  # what is wanted of each record, where that is not its page
        self.quick = quick and look is not None  # no more of a record is unpacked than the look takes
        self.places: PagePlaces | None = None  # known from the first revisit on: most archives hold none
        self._readers: list[_Reader] = []

    def versions(self, source: Source) -> Iterator[PageVersion | Glimpse]:
        """Give the page versions of a WARC as they stand, and account for the rest; damage never ends it."""
        reader = _Reader(source, self)
        self._readers.append(reader)
        self.account.under_way.append(reader)
        try:
            if source.rereadable:
                yield from reader.fast()
            if not reader.ended:
                yield from reader.careful()
        except OSError as error:
            reader.report(f"{error.strerror or error}; check that the file is there")
        self.account.under_way.remove(reader)
        self.account.finished += source.size

    def recall(self) -> PagePlaces:
        """Give the places of the pages read so far; look up, once, those before the first revisit."""
        if self.places is None:
            self.places = PagePlaces()
            for reader in self._readers:
                reader.recall()
        return self.places


class _Reader:
    """One pass through one WARC: fast as long as it is healthy, then by looking at every byte."""

    def __init__(self, source: Source, shelf: Shelf) -> None:
        self.source = source
        self.shelf = shelf
        self.offset = 0  # of the record read last
        self.settled = 0  # records before that
        self.given = 0  # 1 where it was given itself
        self.last: Result | None = None  # what became of it, if it is whole
        self.ended = False  # nothing is left for the careful pass
        self.start_bytes = MAX_START_BYTES // 4  # unpacked of a record for a quick look

    def fast(self) -> Iterator[PageVersion | Glimpse]:
        """Give versions as long as the archive is healthy and packed in one of the usual ways."""
        with closing(self.source.open()) as file:
            is_packed = file.read(len(_GZIP)) == _GZIP
        return self._by_member() if is_packed else self._by_fastwarc()

    def _by_member(self) -> Iterator[PageVersion | Glimpse]:
        """Give the versions of gzip members that are one whole record each; let FastWARC look at any other."""
        ahead = None
        if self.shelf.look is not None and self.shelf.take is None:
            ahead = self._glance_ahead if self.shelf.quick else self._look_ahead
        members = GzipMembers(self.source, 0, ahead=ahead)
        common = PageVersion if self.shelf.look is None else Glimpse
        while not self.ended:
            offset = members.offset
            for at, found in members:
                if found.__class__ is int:
                    result = self._of_member(at, members.room, found)
                    if result is None:
                        break
                else:
                    result = found
                    self._pass(at)
                offset = members.offset
                if result.__class__ is common:
                    yield result
                else:
                    yield from self._settle(result)
            else:
                self.ended = members.ended
            if not self.ended:
                after = yield from self._one_by_fastwarc(offset)
                if after is None:
                    return
                members = GzipMembers(self.source, after, ahead=ahead)

    def _look_ahead(
        self, members: GzipMembers, data: bytearray, at: int, end: int, _is_last: bool
    ) -> tuple[list[tuple[int, Any]], tuple[int, int] | None]:
        """Look at plain pages, record after record, up to the first that is something else."""
        shelf = self.shelf
        if shelf.places is not None:
            return [], None
        assert shelf.look is not None
        seen, unpacked = glimpse_members(
            data, at, end, members.room, names_page=names_page, largest=shelf.limits.body, look=shelf.look
        )
        return [(after, Glimpse(url, value)) for after, url, value in seen], unpacked

    def _glance_ahead(
        self, members: GzipMembers, data: bytearray, at: int, end: int, is_last: bool
    ) -> tuple[list[tuple[int, Any]], None]:
        """Look at the beginnings of packed records, up to the first of which all must be unpacked."""
        shelf, found = self.shelf, list[tuple[int, Any]]()
        assert shelf.look is not None
        while at < end and shelf.places is None:
            seen, begun = glimpse_starts(
                data,
                at,
                end,
                self.start_bytes,
                names_page=names_page,
                largest=shelf.limits.body,
                look=shelf.look,
                largest_member=MAX_MEMBER_BYTES,
            )
            found += [(after, Glimpse(url, value)) for after, url, value in seen]
            # Pages of one site need about the same: what one of a hundred lacks is cheaper than more of each.
            self.start_bytes = max(self.start_bytes - 16 * len(seen), min(self.start_bytes, MIN_START_BYTES))
            at = seen[-1][0] if seen else at
            after = members.end_of(data, at, end, is_last) if at < end else 0
            result = self._glance(data, at, after, begun) if after else None
            if result is None:
                break
            found.append((after, result))
            at = after
        return found, None

    def _glance(self, data: bytearray, start: int, end: int, begun: bytes | None) -> Result | None:
        """Look at the beginning of a packed record; None where all of it must be unpacked.

        The size that stands at the end of its member must be the one that its head says: so a record is found to be
        whole, although not to be undamaged.
        """
        shelf = self.shelf
        assert shelf.look is not None
        if begun is None:
            begun = unpack_start(data, start, end, self.start_bytes)
        head = read_head(begun, is_start=True) if begun else None
        if begun is None or head is None or head.size != member_size(data, start, end):
            return None
        found = glimpse_of_start(begun, head, shelf.look, limits=shelf.limits)
        if found is None:
            self.start_bytes = min(self.start_bytes + 1600, MAX_START_BYTES)
            if head.size > len(begun) and (begun := unpack_start(data, start, end, LONG_START_BYTES)):
                found = glimpse_of_start(begun, head, shelf.look, limits=shelf.limits)
        return found

    def _of_member(self, offset: int, data: bytearray, size: int) -> Result | None:
        """Make of a gzip member, which some data begins with, what it is; None where it is not one whole record."""
        shelf, head = self.shelf, read_head(data, size)
        if head is None:
            whole = self._whole_record(data[:size])
            if whole is None:
                return None
            self._pass(offset)
            return self._parsed(whole)
        self.offset, self.given = offset, 1  # _pass(), at the price of no call
        self.settled += 1
        end = size - len(_AFTER_RECORD)
        data[end] = 0
        result = None
        try:
            if shelf.take is None and shelf.places is None:
                if shelf.look is None:
                    result = page_of_member(data, end, head, limits=shelf.limits)
                else:
                    result = glimpse_of_member(data, end, head, shelf.look, limits=shelf.limits)
        except PagedriftError as error:
            return error
        return self._parsed(data[:end]) if result is None else result

    def _pass(self, offset: int) -> None:
        """Note that a record was read and is given."""
        self.offset, self.given = offset, 1
        self.settled += 1

    def _whole_record(self, data: bytearray) -> bytes | None:
        """Give the one whole record that some bytes are, however it is written."""
        found = list(islice(recovery.records(io.BytesIO(data), largest=self.shelf.limits.body), 2))
        return found[0][1] if len(found) == 1 and isinstance(found[0][1], bytes) else None

    def _one_by_fastwarc(self, offset: int) -> Generator[PageVersion | Glimpse, None, int | None]:
        """Give the version of one record that another one follows, and say where that one is; None at damage."""
        last, self.offset = self.offset, offset
        result, after = None, 0
        with closing(self.source.open(offset)) as file, suppress(OSError, StopIteration):
            records = healthy_records(file)
            result = self._result(next(records))
            after = next(records).stream_pos
        self.offset = last
        if result is None or not after or not self._record_at(offset + after):
            return None  # why shows in the careful pass
        self._pass(offset)
        yield from self._settle(result)
        return offset + after

    def _by_fastwarc(self) -> Iterator[PageVersion | Glimpse]:
        """Give versions until FastWARC stops, all but the last.

        FastWARC may stop at damage in silence, and notices a wrong length at the next record only. So each
        record waits for its successor, and the last one is left for the careful pass to judge.
        """
        waiting: Result | None = None
        common = PageVersion if self.shelf.look is None and self.shelf.take is None else Glimpse
        with self.source.for_fastwarc() as file:
            try:
                for number, record in enumerate(healthy_records(file)):
                    at = record.stream_pos
                    if number and (at <= self.offset or (number == 1 and not self._record_at(at))):
                        waiting, self.offset = None, 0  # records share a gzip member: none has an offset of its own
                        break
                    if waiting.__class__ is common:
                        yield waiting
                    elif waiting is not None:
                        yield from self._settle(waiting)
                    self.settled, self.offset, waiting = number, at, None
                    waiting = self._result(record)
            except OSError:  # FastWARC's only error; what it was about shows in the careful pass
                pass
        self.last = waiting

    def careful(self) -> Iterator[PageVersion | Glimpse]:
        """Give the versions from the record read last on, or from that number on, whatever state the file is in."""
        skipped = self.given
        if not self.offset or not self._record_at(self.offset):
            self.offset, skipped = 0, self.settled
        with closing(self.source.open(self.offset)) as file:
            for at, data in islice(self._salvaged(file), skipped, None):
                self.offset = at
                known, self.last = self.last, None
                yield from self._settle(self._parsed(data) if known is None or isinstance(data, str) else known)

    def recall(self) -> None:
        """Remember the places of the pages up to the record read last."""
        last, self.offset = self.offset, 0
        if self.source.rereadable:
            with closing(self.source.open()) as file:
                for at, data in takewhile(lambda found: found[0] <= last, self._salvaged(file)):
                    self.offset = at
                    self._parsed(data)
        self.offset = last

    def _salvaged(self, file: Readable) -> Iterator[tuple[int, bytes | str]]:
        return recovery.records(file, offset=self.offset, largest=self.shelf.limits.body)

    def _record_at(self, offset: int) -> bool:
        with closing(self.source.open(offset)) as file:
            return recovery.opens_record(file.read(HEAD_BYTES))

    def _settle(self, result: Result) -> Iterator[PageVersion | Glimpse]:
        """Give the version, or account for what is none."""
        if isinstance(result, tuple):
            result, flaw = result
            self.report(flaw)
        if isinstance(result, (PageVersion, Glimpse)):
            yield result
        elif isinstance(result, PagedriftError):
            self.report(str(result))
        else:
            self.shelf.account.counts.passed_over[result] += 1

    def report(self, reason: str) -> None:
        """Account for a problem with the record read last."""
        self.shelf.account.report(Problem(self.source.name, self.offset, reason))

    def _parsed(self, data: bytes | bytearray | str) -> Result:
        """Make of the bytes of one record what they are."""
        if isinstance(data, str):
            return InputError(data)
        try:
            return self._result(next(warc_records(io.BytesIO(data))))
        except (OSError, StopIteration):
            return InputError(recovery.CUT)

    def _result(self, record: Any) -> Result:
        """Make of one record what it is, and connect revisits with what they repeat."""
        shelf = self.shelf
        try:
            if shelf.take is not None:
                result = shelf.take(record, limits=shelf.limits)
            elif shelf.look is None:
                result = page_of(record, limits=shelf.limits)
            else:
                result = glimpse_of(record, shelf.look, limits=shelf.limits)
            if result is REVISIT:
                return shelf.recall().repeat(record, self.source, limits=shelf.limits)
        except PagedriftError as error:
            return error
        if shelf.places is not None and not isinstance(result, str):
            shelf.places.remember(record, self.source, self.offset)
        return result
