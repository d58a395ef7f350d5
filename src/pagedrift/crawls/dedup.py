"""A thinned copy of a collection: captures that bring nothing new become revisits of what was kept.

Records are copied byte for byte; only what is not kept is replaced, by a revisit record that players of archives
resolve, with the reason in a field of its own. Afterwards the copy is read back: every address and time of the
collection must still give a page.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
from base64 import b32encode
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, Any, Final

from pagedrift.archive import recovery
from pagedrift.archive.fastwarc_compat import healthy_records, warc_records
from pagedrift.archive.payload import names_page
from pagedrift.archive.record import DATE, DIGEST, URL
from pagedrift.archive.record_format import SAME_BODY
from pagedrift.archive.source import Source
from pagedrift.atomic_files import atomic_file
from pagedrift.crawls.keeping import KeepLevel, gated_captures
from pagedrift.crawls.workers import inventory_of
from pagedrift.errors import InputError
from pagedrift.limits import DEFAULT_LIMITS
from pagedrift.read_report import Account, Problem
from pagedrift.reading import read
from pagedrift.reading.inputs import expand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from pagedrift.crawls.inventory import CaptureRow
    from pagedrift.crawls.keeping import GatedCapture
    from pagedrift.crawls.workers import OnProgress

    Capture = tuple[str, "datetime | None"]

SIMILAR: Final = "https://github.com/pagedrift/pagedrift/revisit/similar-content"  # the profile of such a revisit
REASON: Final = "Pagedrift-Reason"
OWN_DIGEST: Final = "Pagedrift-Skipped-Digest"  # SHA-256 of the body that was not kept
_CHUNK: Final = 1 << 20
_RECORD_ID: Final = "WARC-Record-ID"
_PACKED: Final = b"\x1f\x8b"
_CARRIED: Final = ("WARC-IP-Address", "WARC-Warcinfo-ID", "WARC-Concurrent-To")  # what stays true of a revisit
_MAX_REASON_CHARS: Final = 500


@dataclass(slots=True, kw_only=True)
class DedupReport:
    """What became of a collection."""

    captures: int = 0
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)  # of those that were kept
    skipped: Counter[str] = field(default_factory=Counter)  # of those that became revisits
    digests: dict[Capture, set[bytes]] = field(default_factory=dict)  # of the bodies that a page may give
    size: int = 0  # bytes of the archives before
    written: int = 0  # and after
    checked: int = 0  # captures that the copy was proved to give
    account: Account = field(default_factory=Account)

    @property
    def saved(self) -> int:
        """How many bytes less there are."""
        return self.size - self.written


@dataclass(frozen=True, slots=True)
class _Original:
    """The record that a revisit repeats, by what its fields say."""

    record_id: str
    url: str
    date: str
    digest: str


def dedup(
    paths: Sequence[str],
    target: Path,
    *,
    level: KeepLevel = KeepLevel.CHANGED,
    on_progress: OnProgress | None = None,
    on_decision: Callable[[GatedCapture], None] | None = None,
) -> DedupReport:
    """Write a thinned copy of archives into a new folder; give what was kept, and prove that all is still there."""
    tell = on_progress or (lambda *_: None)
    report = DedupReport()
    sources = _sources(paths, report.account)
    report.size = sum(source.size for source in sources)
    _check_target(target)
    skipped = _decide(paths, level, report=report, tell=tell, on_decision=on_decision)
    if not report.captures:
        problem = next(iter(report.account.problems), "it has none")
        raise InputError(f"no capture could be read in {paths[0]}: {problem}; give a complete archive")
    target.mkdir(parents=True, exist_ok=True)
    copier = _Copier(skipped, report)
    for number, (source, name) in enumerate(zip(sources, _names(sources), strict=True), 1):
        copier.copy(source, target / name)
        tell("writing archives", number, len(sources))
    report.checked = prove(paths, target, report.digests, tell)
    return report


def _sources(paths: Sequence[str], account: Account) -> list[Source]:
    found = [part for path in paths for part in expand(path, limits=DEFAULT_LIMITS, account=account)]
    sources = list({(part.path, part.member): part for part in found if isinstance(part, Source)}.values())
    if not sources:
        raise InputError(f"{paths[0]} holds no archive; give WARC or WACZ files, or folders of these")
    for source in sources:
        if not source.rereadable:
            raise InputError(
                f"{source.name} cannot be read at any place; unpack it first, or pack its records one by one with:"
                " warcio recompress OLD NEW"
            )
    return sources


def _check_target(target: Path) -> None:
    """Refuse a folder that holds something already: nothing stored before is ever touched."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target} already exists; name a new folder")


def _names(sources: Sequence[Source]) -> list[str]:
    """Name the copies like the archives; those of one name are numbered."""
    names: list[str] = []
    for source in sources:
        own = PurePath(source.member or source.path).name
        name = f"{PurePath(source.path).stem}-{own}" if source.member else own
        names.append(name if name not in names else f"{len(names):05}-{name}")
    return names


def _decide(
    paths: Sequence[str],
    level: KeepLevel,
    *,
    report: DedupReport,
    tell: OnProgress,
    on_decision: Callable[[GatedCapture], None] | None,
) -> dict[tuple[str, int], GatedCapture]:
    """Give the captures that are not kept, by their places."""
    skipped: dict[tuple[str, int], GatedCapture] = {}
    with inventory_of(paths, tell) as (database, account):
        report.account.add(account)
        for gated in gated_captures(database, level, lambda done, total: tell("comparing pages", done, total)):
            report.captures += 1
            report.kept += gated.decision.kept
            (report.reasons if gated.decision.kept else report.skipped)[gated.decision.reason] += 1
            _expect(report, gated)
            if on_decision is not None:
                on_decision(gated)
            if gated.original is not None and gated.capture.offset is not None:
                skipped[str(gated.capture.path), gated.capture.offset] = gated
    return skipped


def _expect(report: DedupReport, gated: GatedCapture) -> None:
    """Write down which body the copy must give for a page."""
    digest = (gated.original or gated.capture).digest
    if digest is not None and names_page(gated.capture.mime):
        report.digests.setdefault((gated.capture.where, gated.capture.time), set()).add(digest)


class _Copier:
    """Copies archives record by record, and puts revisits in the place of what is not kept."""

    def __init__(self, skipped: dict[tuple[str, int], GatedCapture], report: DedupReport) -> None:
        self._skipped = skipped
        self._report = report

    def copy(self, source: Source, target: Path) -> None:
        """Copy one archive."""
        with atomic_file(target) as file:
            offsets = _offsets(source)
            if offsets is None:
                self._copy_damaged(source, file)
            else:
                self._copy_whole(source, offsets, file)
            self._report.written += file.tell()

    def _copy_whole(self, source: Source, offsets: list[int], file: IO[bytes]) -> None:
        ends = [*offsets[1:], source.size]
        with closing(source.open()) as old:
            packed = old.read(2) == _PACKED
        with open(source.path, "rb") as old_file:  # noqa: PTH123 - as it was written
            for start, end in zip(offsets, ends, strict=True):
                old_file.seek(source.start + start)
                gated = self._skipped.get((source.path, source.start + start))
                if gated is None:
                    _pass_on(old_file, file, end - start)
                else:
                    data = revisit(gated, _parsed(old_file.read(end - start)))
                    file.write(gzip.compress(data, mtime=0) if packed else data)

    def _copy_damaged(self, source: Source, file: IO[bytes]) -> None:
        """Copy what can be saved of an archive that is damaged or packed as a whole."""
        with closing(source.open()) as old:
            for at, data in recovery.records(old, largest=DEFAULT_LIMITS.body):
                if isinstance(data, str):
                    self._report.account.report(Problem(source.name, at, data))
                    continue
                gated = self._skipped.get((source.path, source.start + at))
                whole = data + b"\r\n\r\n" if gated is None else revisit(gated, _parsed(data))
                file.write(gzip.compress(whole, mtime=0))


def _offsets(source: Source) -> list[int] | None:
    """Give where the records of an archive start; None where it is damaged, or they have no places of their own."""
    offsets: list[int] = []
    try:
        with source.for_fastwarc() as file:
            for record in healthy_records(file):
                if offsets and record.stream_pos <= offsets[-1]:
                    return None
                offsets.append(record.stream_pos)
    except OSError:
        return None
    if not offsets or offsets[0]:
        return None
    with closing(source.open(offsets[-1])) as file:  # FastWARC may stop at damage in silence
        last = list(recovery.records(file, largest=DEFAULT_LIMITS.body))
    return offsets if len(last) == 1 and not isinstance(last[0][1], str) else None


def _pass_on(old: IO[bytes], new: IO[bytes], size: int) -> None:
    while size and (part := old.read(min(size, _CHUNK))):
        size -= len(part)
        new.write(part)


def _parsed(data: bytes) -> Any:
    return next(warc_records(io.BytesIO(data)))


def revisit(gated: GatedCapture, record: Any) -> bytes:
    """Write the revisit record that takes the place of a capture; it has the name and the time of that one."""
    assert gated.original is not None
    same = gated.decision.reason == "identical"
    original = _original(gated.original)
    fields = {
        "WARC-Type": "revisit",
        _RECORD_ID: record.headers.get(_RECORD_ID),
        "WARC-Target-URI": record.headers.get(URL),
        "WARC-Date": record.headers.get(DATE),
        "WARC-Profile": SAME_BODY if same else SIMILAR,
        "WARC-Refers-To": original.record_id,
        "WARC-Refers-To-Target-URI": original.url,
        "WARC-Refers-To-Date": original.date,
        "WARC-Payload-Digest": original.digest,
        **{name: record.headers.get(name) for name in _CARRIED},
        REASON: "identical" if same else _reason(gated),
        OWN_DIGEST: "" if same else f"sha256:{(gated.capture.digest or b'').hex()}",
    }
    # Players send the headers of a revisit, if there are some, with the body of the other: these belong together.
    block = _http_head(record) if same else b""
    if block:
        fields["Content-Type"] = "application/http; msgtype=response"
    fields["Content-Length"] = str(len(block))
    head = "".join(f"{name}: {_in_line(value)}\r\n" for name, value in fields.items() if value)
    return b"WARC/1.1\r\n" + head.encode("utf-8", "replace") + b"\r\n" + block + b"\r\n\r\n"


def _http_head(record: Any) -> bytes:
    http = record.http_headers
    if http is None:
        return b""
    lines = [http.status_line, *(f"{name}: {_in_line(value)}" for name, value in http.to_tuples())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def _reason(gated: GatedCapture) -> str:
    return f"{gated.decision.reason}: {gated.decision.said}".rstrip(": ")[:_MAX_REASON_CHARS]


def _in_line(value: str) -> str:
    return " ".join(value.split())


def _original(row: CaptureRow) -> _Original:
    """Read what a kept record says of itself; a digest that it does not state is computed."""
    assert row.path is not None
    assert row.offset is not None
    with open(row.path, "rb") as file:  # noqa: PTH123 - as it was written
        file.seek(row.offset)
        record = next(warc_records(file))
        fields = record.headers
        digest = fields.get(DIGEST)
        if not digest:
            digest = (
                "sha1:" + b32encode(hashlib.sha1(record.reader.read(), usedforsecurity=False).digest()).decode()
            )
        url = (fields.get(URL) or "").strip("<>")
        return _Original(fields.get(_RECORD_ID) or "", url, fields.get(DATE) or "", digest)


def prove(paths: Sequence[str], target: Path, digests: Mapping[Capture, set[bytes]], tell: OnProgress) -> int:
    """Read the copy back: it must give the right body wherever the collection has one; give how many."""
    wanted = Counter(capture for capture, _ in _captures(paths, "checking the copy", tell))
    for capture, digest in _captures([os.fspath(target)], "checking the copy", tell):
        if digest in digests.get(capture, {digest}):
            wanted.subtract([capture])
    lost = [url for (url, _), count in wanted.items() if count > 0]
    if lost:
        raise InputError(
            f"the copy in {target} does not give {lost[0]} and {len(lost) - 1:,} more; keep the original archives,"
            " and please report this"
        )
    return len(wanted)


def _captures(paths: Sequence[str], what: str, tell: OnProgress) -> Iterator[tuple[Capture, bytes]]:
    reading = read(paths, order="file", documents=True, on_progress=lambda now: tell(what, now.position, now.total))
    for version in reading:
        yield (version.url, version.captured_at), bytes.fromhex(version.digest)
