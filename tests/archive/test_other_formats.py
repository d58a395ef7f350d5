"""Archives that are packed by zstd or lz4, and ARC files, as they come from other programs."""

import gzip
import io
import struct
import warnings
from pathlib import Path

import pytest
import zstandard

from pagedrift.archive.other_formats import MAX_DICTIONARY_BYTES
from pagedrift.reading import Reading, read
from tests.builders import PAGE, days, record

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.stream_io import Lz4Writer

RECORDS = days(4)
TRAINED = zstandard.train_dictionary(4_000, [record(body=PAGE + b"%d" % at) for at in range(200)])


def lz4(data: bytes) -> bytes:
    buffer = io.BytesIO()
    writer = Lz4Writer(buffer)
    writer.write(data)
    writer.finish()
    writer.close()
    return buffer.getvalue()


def with_dictionary(*, packed: bool) -> bytes:
    """Write a .warc.zst as the Internet Archive does."""
    held = TRAINED.as_bytes()
    held = zstandard.compress(held) if packed else held
    packer = zstandard.ZstdCompressor(dict_data=TRAINED)
    return b"\x5d\x2a\x4d\x18" + struct.pack("<I", len(held)) + held + b"".join(map(packer.compress, RECORDS))


def arc(count: int = 4) -> bytes:
    """Write an ARC file as Heritrix 1 did."""
    about = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\n"
    parts = [b"filedesc://a.arc 0.0.0.0 20261101000000 text/plain %d\n" % len(about) + about]
    for day in range(count):
        message = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE + b" on day %d" % day
        line = b"https://city.example/fees 127.0.0.1 202611%02d120000 text/html %d\n" % (day + 1, len(message))
        parts.append(line + message + b"\n")
    return b"".join(parts)


ARCHIVES = {
    "zstd, a frame for each record": ("a.warc.zst", b"".join(map(zstandard.compress, RECORDS))),
    "zstd in one frame": ("a.warc.zst", zstandard.compress(b"".join(RECORDS))),
    "zstd with a dictionary": ("a.warc.zst", with_dictionary(packed=False)),
    "zstd with a packed dictionary": ("a.warc.zst", with_dictionary(packed=True)),
    "lz4, a frame for each record": ("a.warc.lz4", b"".join(map(lz4, RECORDS))),
    "ARC": ("a.arc", arc()),
    "ARC packed by gzip": ("a.arc.gz", gzip.compress(arc())),
}


def reading_of(folder: Path, name: str, data: bytes) -> Reading:
    (folder / name).write_bytes(data)
    return read(folder / name)


@pytest.mark.parametrize("packing", ARCHIVES)
def test_packed_archives_hold_what_was_packed(tmp_path: Path, packing: str) -> None:
    reading = reading_of(tmp_path, *ARCHIVES[packing])
    pages = list(reading)

    assert [page.body for page in pages] == [PAGE + b" on day %d" % day for day in range(4)]
    assert {page.url for page in pages} == {"https://city.example/fees"}
    assert [page.captured_at.day for page in pages if page.captured_at] == [1, 2, 3, 4]
    assert reading.problems == []


@pytest.mark.parametrize("packing", ARCHIVES)
def test_packed_archives_come_by_a_pipe(monkeypatch: pytest.MonkeyPatch, packing: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ARCHIVES[packing][1])))

    assert len(list(read("-"))) == 4


@pytest.mark.parametrize(
    ("packing", "whole"),
    [
        ("zstd, a frame for each record", 3),
        ("zstd in one frame", 0),
        ("zstd with a dictionary", 3),
        ("lz4, a frame for each record", 2),  # the one before the damage is lost too
        ("ARC", 3),
    ],
)
def test_packed_archives_that_are_cut_off_give_what_is_whole_and_say_so(
    tmp_path: Path, packing: str, whole: int
) -> None:
    name, data = ARCHIVES[packing]
    reading = reading_of(tmp_path, name, data[: len(data) - 20])

    assert [page.body for page in reading] == [PAGE + b" on day %d" % day for day in range(whole)]
    assert reading.counts.damaged >= 1


def test_a_dictionary_that_is_too_large_is_refused_without_unpacking_it(tmp_path: Path) -> None:
    bomb = zstandard.compress(bytes(MAX_DICTIONARY_BYTES * 4))
    data = b"\x5d\x2a\x4d\x18" + struct.pack("<I", len(bomb)) + bomb + zstandard.compress(RECORDS[0])
    reading = reading_of(tmp_path, "a.warc.zst", data)

    assert list(reading) == []
    assert reading.counts.damaged == 1


def test_a_line_of_an_arc_file_that_never_ends_is_not_read_to_its_end(tmp_path: Path) -> None:
    reading = reading_of(tmp_path, "a.arc.gz", gzip.compress(arc(1) + b"x" * 50_000_000))

    assert len(list(reading)) == 1
    assert reading.counts.damaged == 1


def test_pages_that_are_packed_by_lz4_are_refused_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="packed with lz4; unpack it first: unlz4 FILE"):
        reading_of(tmp_path, "a.html", lz4(PAGE))
