"""Archives read member by member: the same versions as by FastWARC, whatever unpacks them."""

import gzip
import io
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import inflate_py, read_head
from pagedrift.archive import members
from pagedrift.archive.fastwarc_compat import warc_records
from pagedrift.archive.members import GzipMembers
from pagedrift.archive.record import page_of, page_of_member
from pagedrift.archive.source import Source
from pagedrift.errors import PagedriftError
from pagedrift.limits import Limits
from pagedrift.reading import read
from tests.builders import DAYS, PAGE, URL, days, record, revisit

texts = st.text(st.sampled_from("abcAZ09-_:/;,.= \t()\"'"), max_size=20)
names = st.sampled_from(
    ["Content-Type", "content-type", "Content-Encoding", "Transfer-Encoding", "ETag", "X-a_b.c"]
)
plain_values = st.sampled_from(
    ["text/html", "text/html; charset=latin1", "image/png", "gzip", "chunked", "html", "br"]
)
bodies = st.sampled_from([PAGE, b"", b"{}", gzip.compress(PAGE), b"4\r\n<p>H\r\n0\r\n\r\n", bytes(2000)])
dates = st.sampled_from([*DAYS[:2], "2026-11-01T12:00:00+02:00", "20261101", "yesterday", "2026"])


def source(path: Path, data: bytes) -> Source:
    path.write_bytes(data)
    return Source(path=str(path), size=len(data))


@given(
    st.builds(
        record,
        st.sampled_from([URL, f"<{URL}>", "urn:x:y", "http://a/b c"]),
        bodies,
        date=dates,
        kind=st.sampled_from(["response", "request", "resource", "metadata"]),
        status=st.sampled_from(["200 OK", "200", "301 Moved", "404 Not Found"]),
        headers=st.lists(st.tuples(names, plain_values | texts), max_size=5),
    )
)
def test_what_is_read_off_a_plain_head_is_what_fastwarc_reads(data: bytes) -> None:
    limits = Limits(body=1500)
    try:
        expected: object = page_of(next(warc_records(io.BytesIO(data))), limits=limits)
    except PagedriftError as error:
        expected = str(error)
    head = read_head(bytearray(data))
    try:
        found: object = page_of_member(bytearray(data), len(data) - 4, head, limits=limits) if head else None
    except PagedriftError as error:
        found = str(error)
    assert found is None or found == expected


def test_every_member_is_given_with_its_offset(tmp_path: Path) -> None:
    packed = days(5, packed=True)
    found = GzipMembers(source(tmp_path / "a.warc.gz", b"".join(packed)), 0)
    assert [(at, bytes(found.room[:size])) for at, size in found] == [
        (len(b"".join(packed[:day])), zlib.decompress(member, 31)) for day, member in enumerate(packed)
    ]
    assert found.ended


@pytest.mark.parametrize("after", [b"\0" * 20, b"\x1f\x8b\x08", b"garbage", gzip.compress(b"x", mtime=0)[:-1]])
def test_what_is_not_a_member_ends_them(tmp_path: Path, after: bytes) -> None:
    packed = days(3, packed=True)
    found = GzipMembers(source(tmp_path / "a.warc.gz", b"".join(packed) + after), 0)
    assert len(list(found)) == (3 if after.startswith(b"\x1f") else 2)  # nobody knows where the last one ends
    assert not found.ended


def test_members_of_the_same_size_with_a_broken_one_between_them_are_told_apart(tmp_path: Path) -> None:
    packed = days(3, packed=True)
    broken = b"".join([packed[0], b"\0\0" + packed[1][2:], packed[2]])
    found = GzipMembers(source(tmp_path / "a.warc.gz", broken), 0)
    assert list(found) == []
    assert not found.ended


def test_members_larger_than_what_is_read_at_once_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "_CHUNK", 64)
    monkeypatch.setattr(members, "_ROOM", 16)
    packed = days(4, packed=True)
    found = GzipMembers(source(tmp_path / "a.warc.gz", b"".join(packed)), 0)
    assert len(list(found)) == 4
    assert found.ended


def test_a_large_record_costs_no_other_and_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = record(f"{URL}/large", PAGE + bytes(range(256)) * 40, date=DAYS[1], packed=True)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join([*days(1, packed=True), large, *days(3, packed=True)[2:]]))
    expected = list(read(path, order="file"))
    monkeypatch.setattr(members, "MAX_MEMBER_BYTES", 5_000)
    assert list(read(path, order="file")) == expected
    assert [len(page.body) > 5_000 for page in expected] == [False, True, False]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_odd_headers_cost_no_record(tmp_path: Path, ending: str) -> None:
    odd = record(headers=[("Content-Type", "text/html"), ("X-Name", "Größe"), ("X-Folded", "abcde")], date=DAYS[1])
    odd = odd.replace(b"X-Folded: abcde", b"X-Folded: a\r\n b")
    if ending == "\n":
        about, _, rest = odd.partition(b"\r\n\r\n")
        odd = about.replace(b"\r\n", b"\n") + b"\n\n" + rest
    first, _, third = days(3, packed=True)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(first + gzip.compress(odd) + third)
    reading = read(path, order="file")
    assert [page.captured_at.day for page in reading if page.captured_at] == [1, 2, 3]
    assert reading.counts.damaged == 0


def test_without_deflate_zlib_unpacks_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = revisit(WARC_Refers_To_Target_URI=URL, WARC_Refers_To_Date=DAYS[0], packed=True)
    packed = [*days(3, packed=True), again]
    packed[1] = packed[1][:-6] + b"\0\0" + packed[1][-4:]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(packed))
    expected = read(path)
    pages = list(expected)
    monkeypatch.setattr(members, "unpack_member", inflate_py.unpack_member)
    reading = read(path)
    assert list(reading) == pages
    assert len(pages) == 3
    assert reading.problems == expected.problems
    assert len(reading.problems) == 1
