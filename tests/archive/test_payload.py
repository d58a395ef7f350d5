import contextlib
import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.archive.payload import decode, names_page
from pagedrift.errors import InputError, LimitError
from pagedrift.limits import DEFAULT_LIMITS, Limits

PAGE = b"<!doctype html><title>Fees</title>" + b"<p>A permit costs $120" * 50
RAW_DEFLATE = zlib.compressobj(wbits=-15)
PACKED = {
    "gzip": gzip.compress(PAGE),
    "x-gzip": gzip.compress(PAGE),
    "deflate": zlib.compress(PAGE),
    "br": brotli.compress(PAGE),
    "zstd": zstandard.compress(PAGE),
}
BOMBS = {
    "gzip": gzip.compress(bytes(40_000_000)),
    "deflate": zlib.compress(bytes(40_000_000)),
    "br": brotli.compress(bytes(40_000_000), quality=5),
    "zstd": zstandard.compress(bytes(40_000_000)),
}


def undo(body: bytes, codings: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
    return decode(body, codings, limits=limits)


def chunked(*chunks: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in (*chunks, b""))


@pytest.mark.parametrize("coding", PACKED)
def test_every_content_coding_is_undone(coding: str) -> None:
    assert undo(PACKED[coding], coding) == PAGE
    assert undo(PACKED[coding], coding.upper()) == PAGE


def test_deflate_without_a_zlib_header_is_undone() -> None:
    assert undo(RAW_DEFLATE.compress(PAGE) + RAW_DEFLATE.flush(), "deflate") == PAGE


def test_several_codings_are_undone_from_the_last_to_the_first() -> None:
    assert undo(chunked(brotli.compress(gzip.compress(PAGE))), "gzip, br,chunked") == PAGE


@pytest.mark.parametrize("coding", ["identity", "none", "utf-8", "", ","])
def test_a_coding_that_changes_nothing_or_is_unknown_leaves_the_body_alone(coding: str) -> None:
    assert undo(PAGE, coding) == PAGE


@pytest.mark.parametrize("coding", [*PACKED, "chunked"])
def test_a_body_that_is_not_packed_as_claimed_is_kept(coding: str) -> None:
    assert undo(PAGE, coding) == PAGE
    assert undo(b"", coding) == b""


def test_gzip_members_and_zstd_frames_in_a_row_are_all_undone() -> None:
    assert undo(gzip.compress(PAGE) * 3, "gzip") == PAGE * 3
    assert undo(zstandard.compress(PAGE) * 3, "zstd") == PAGE * 3


def test_garbage_after_the_packed_data_is_ignored() -> None:
    assert undo(gzip.compress(PAGE) + b"\0\0garbage", "gzip") == PAGE
    assert undo(zstandard.compress(PAGE) + b"\0\0garbage", "zstd") == PAGE


@pytest.mark.parametrize("coding", PACKED)
def test_packed_data_that_ends_too_early_is_damage(coding: str) -> None:
    with pytest.raises(InputError, match=r"; fetch the page again$"):
        undo(PACKED[coding][:-9], coding)


@pytest.mark.parametrize("coding", PACKED)
@given(data=st.data())
def test_damaged_packed_data_never_raises_anything_else(coding: str, data: st.DataObject) -> None:
    body = bytearray(PACKED[coding])
    at = data.draw(st.integers(0, len(body) - 1))
    body[at : at + 4] = data.draw(st.binary(min_size=1, max_size=8))
    with contextlib.suppress(InputError, LimitError):
        undo(bytes(body), coding)


@pytest.mark.parametrize("coding", BOMBS)
def test_a_bomb_is_refused_by_its_ratio_and_by_its_size(coding: str) -> None:
    with pytest.raises(LimitError, match="ratio"):
        undo(BOMBS[coding], coding)
    with pytest.raises(LimitError, match="body"):
        undo(BOMBS[coding], coding, Limits(body=1_000_000))


def test_a_small_page_may_be_packed_a_thousandfold() -> None:
    page = b"<p>" + bytes(10_000_000)

    assert undo(gzip.compress(page), "gzip") == page


def test_chunks_are_joined() -> None:
    assert undo(chunked(PAGE[:7], PAGE[7:]), "chunked") == PAGE
    assert undo(b"4;name=value\r\n<p>H\r\n  4  \nello\n0\r\nTrailer: x\r\n\r\n", "chunked") == b"<p>Hello"


def test_a_missing_last_chunk_loses_nothing() -> None:
    assert undo(chunked(PAGE)[: -len(b"0\r\n\r\n")], "chunked") == PAGE


def test_a_chunk_that_is_cut_off_is_damage() -> None:
    with pytest.raises(InputError, match=r"; fetch the page again$"):
        undo(chunked(PAGE, PAGE)[:-50], "chunked")


@given(st.binary(max_size=200))
def test_any_body_can_be_chunked_and_joined(body: bytes) -> None:
    pieces = [body[at : at + 7] for at in range(0, len(body), 7)]

    assert undo(chunked(*pieces), "chunked") == body


@pytest.mark.parametrize(
    ("content_type", "answer"),
    [
        ("text/html", True),
        ("TEXT/HTML;charset=utf-8", True),
        (" application/xhtml+xml ; x=y", True),
        ("text/html, text/html", True),
        ("text/htmlx", False),
        ("image/png", False),
        ("text/plain", False),
        ("application/octet-stream", False),
        ("unknown/unknown", None),
        ("html", None),
        ("", None),
        (None, None),
    ],
)
def test_a_content_type_names_a_page_or_another_thing_or_nothing(
    content_type: str | None, answer: bool | None
) -> None:
    assert names_page(content_type) is answer
