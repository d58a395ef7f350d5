"""The twins that look at runs of gzip members."""

import gzip
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import glimpses_py
from pagedrift.archive.payload import names_page
from tests.builders import PAGE, URL, record

glimpses_cy = pytest.importorskip("pagedrift._kernels.glimpses_cy", reason="the native kernels are not built")
LARGEST = 1500
records = st.builds(
    record,
    st.sampled_from([URL, f"<{URL}>"]),
    st.sampled_from([PAGE, PAGE, b"", bytes(2000), b"no page"]),
    kind=st.sampled_from(["response", "response", "request"]),
    status=st.sampled_from(["200 OK", "200 OK", "404 Not Found"]),
    headers=st.sampled_from(
        [
            (("Content-Type", "text/html"),),
            (("Content-Type", "image/png"),),
            (),
            (("Content-Type", "text/html"), ("Content-Encoding", "gzip")),
        ]
    ),
)


def look(data: bytes, content_type: str | None, is_all: bool, start: int, end: int) -> Any:
    """Say what was asked; of a page without tags, that this is not enough."""
    body = bytes(data[start:end])
    return (body, content_type, is_all) if b"<" in body and data[end : end + 1] in (b"", b"\0") else None


@given(st.lists(records.map(gzip.compress) | st.just(b"damage"), max_size=6), st.sampled_from([300, 1 << 16]))
def test_the_native_glimpses_equal_their_readable_twins(members: list[bytes], size: int) -> None:
    data = bytearray(b"".join(members))
    rooms = bytearray(size), bytearray(size)
    plain, native = (
        each.glimpse_members(data, 0, len(data), room, names_page=names_page, largest=LARGEST, look=look)
        for each, room in zip((glimpses_py, glimpses_cy), rooms, strict=True)
    )
    assert plain == native
    if plain[1] and plain[1][0] > 0:  # what it stopped at is in the room, as it was packed
        assert rooms[0][: plain[1][0]] == rooms[1][: plain[1][0]]
    plain, native = (
        each.glimpse_starts(
            data, 0, len(data), 4096, names_page=names_page, largest=LARGEST, look=look, largest_member=1 << 20
        )
        for each in (glimpses_py, glimpses_cy)
    )
    assert plain == native


def test_a_look_that_is_not_enough_leaves_the_record_as_it_was() -> None:
    data = bytearray(gzip.compress(record(URL, b"no page", headers=(("Content-Type", "text/html"),))))
    for twin in (glimpses_py, glimpses_cy):
        room = bytearray(1 << 12)
        found, unpacked = twin.glimpse_members(
            data, 0, len(data), room, names_page=names_page, largest=LARGEST, look=look
        )
        assert not found
        assert unpacked is not None
        assert room[: unpacked[0]].endswith(b"no page\r\n\r\n")
