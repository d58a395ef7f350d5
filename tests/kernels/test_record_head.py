import gzip

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagedrift._kernels import record_head_py

record_head_cy = pytest.importorskip("pagedrift._kernels.record_head_cy", reason="the native kernels are not built")

MAGIC = b"\x1f\x8b\x08"
VALUES = [
    "",
    "response",
    "request",
    "Response",
    "text/html",
    "gzip",
    "chunked",
    "a b ",
    "\t7",
    "caf\xe9",
    "\0",
    "12",
    "-1",
]
TYPES = ["application/http; msgtype=response", "application/http", "application/httpx", "99999999999"]
WANTED = ["WARC-Type", "warc-target-uri", "WARC-Date", "Content-Type", "Content-Encoding", "Transfer-Encoding"]
OTHERS = ["X-Other", "X.Y_z-1", "Content-Length", "", "Odd Name", "content-typf"]
names, values = (
    st.sampled_from([text.encode("latin-1") for text in texts]) for texts in ((*WANTED, *OTHERS), (*VALUES, *TYPES))
)
fields = st.lists(st.tuples(names, st.sampled_from([b": ", b":", b" : ", b""]), values), max_size=6)
ends = st.sampled_from([b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r\n ", b""])


@st.composite
def heads(draw: st.DrawFn) -> bytes:
    lines = b"".join(name + colon + value + draw(ends) for name, colon, value in draw(fields))
    return lines + draw(st.sampled_from([b"\r\n", b"\r\n", b"\n", b""]))


@st.composite
def records(draw: st.DrawFn) -> bytes:
    status = draw(
        st.sampled_from([b"HTTP/1.1 200 OK\r\n", b"HTTP/2 304\r\n", b"HTTP/1.1 200", b"HTTP/1.0 2x0 OK\r\n", b""])
    )
    content = status + draw(heads()) + draw(st.sampled_from([b"", b"<p>Hi", b"\r\n\r\n", b"A: b\r\n\r\n"]))
    length = b"Content-Length: %d\r\n" % (len(content) + draw(st.sampled_from([0, 0, 0, 1, -1])))
    about = b"WARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Type: application/http; x=y\r\n"
    opening = draw(st.sampled_from([b"WARC/1.0\r\n", b"WARC/1.1\r\n", b"WARC/1.2\r\n", b"WARC/1.0\n"]))
    about = draw(st.sampled_from([about, about, b""]))
    end = draw(st.sampled_from([b"\r\n\r\n", b"\r\n\r\n", b"\r\n", b""]))
    return opening + about + length + draw(heads()) + content + end


@given(records() | st.binary(max_size=60))
@example(
    b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\n"
    b"Content-Length: 12\r\n\r\nHTTP/1.1 200\r\n\r\n"
)
@example(b"WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
def test_the_native_head_equals_its_readable_twin(data: bytes) -> None:
    expected = record_head_py.read_head(data)
    assert record_head_cy.read_head(data) == expected
    assert record_head_cy.read_head(bytearray(data)) == expected
    room = bytearray(data + b"\0WARC/1.0\r\n\r\n")
    assert record_head_cy.read_head(room, len(data)) == record_head_py.read_head(room, len(data)) == expected
    if expected:
        places = expected.fields, expected.body
        assert record_head_cy.header_fields(data, *places) == record_head_py.header_fields(data, *places)


@given(records(), st.integers(0, 400))
def test_the_native_head_of_a_start_equals_its_readable_twin(data: bytes, cut: int) -> None:
    start = data[: max(0, len(data) - cut)]
    expected = record_head_py.read_head(start, is_start=True)
    assert record_head_cy.read_head(start, is_start=True) == expected
    whole = record_head_py.read_head(data)
    if whole and len(start) >= whole.body:
        assert expected == whole


@given(st.lists(st.sampled_from([MAGIC, b"\x1f\x8b", b"\x1f", b"\0\0\0\0", b"\x07\0\0\0", b"some more bytes"])))
def test_the_native_end_of_a_member_equals_its_readable_twin(parts: list[bytes]) -> None:
    data = MAGIC + bytes(15) + b"".join(parts)
    for largest in (0, 100, 1 << 31):
        for start in (0, 3, len(data) // 2, len(data)):
            for last in (len(data), len(data) - 4):
                expected = record_head_py.member_end(data, start, last, largest)
                assert record_head_cy.member_end(data, start, last, largest) == expected
            for end in (start, expected, len(data)):
                sizes = [kernel.member_size(data, start, end) for kernel in (record_head_py, record_head_cy)]
                assert sizes[0] == sizes[1]


@given(st.lists(st.binary(max_size=300), min_size=2, max_size=4))
def test_members_end_where_the_next_one_begins(bodies: list[bytes]) -> None:
    members = [gzip.compress(body, mtime=0) for body in bodies]
    data, at = b"".join(members), 0
    for member in members[:-1]:
        end = record_head_py.member_end(data, at, len(data), 1000)
        while end < at + len(member):  # by chance, a member may look as if it ended in its middle
            end = record_head_py.member_end(data, end - 17, len(data), 1000)
        assert end == at + len(member)
        at = end
