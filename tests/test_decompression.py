"""What is packed to cost time and memory is refused early, whatever the coding."""

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.decompression import MAX_CODINGS, MAX_MEMBERS, pieces, unpack, unpack_all
from pagedrift.errors import InputError, LimitError
from pagedrift.limits import Limits
from tests.resource_bounds import bounded

LIMITS = Limits(body=64_000_000)
SIZE = 16_000_000
PACK = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstandard.compress}


def times(part: bytes) -> bytes:
    return part * (SIZE // len(part))


MANY = {
    "empty gzip members": ("gzip", times(gzip.compress(b""))),
    "gzip members of one byte": ("gzip", times(gzip.compress(b"a"))),
    "empty zstd frames": ("zstd", times(zstandard.compress(b""))),
    "zstd frames of one byte": ("zstd", times(zstandard.compress(b"a"))),
}
EMPTY = {
    "empty deflate blocks": ("deflate", times(b"\x00\x00\x00\xff\xff") + b"\x03\x00"),
    "empty brotli blocks": ("br", b"\x0c" + times(b"\x06") + b"\x03"),
    "empty zstd blocks": ("zstd", b"\x28\xb5\x2f\xfd\x00\x58" + times(b"\0\0\0") + b"\1\0\0"),
}


@pytest.mark.parametrize(("coding", "data"), MANY.values(), ids=MANY)
def test_a_body_of_countless_empty_parts_is_refused(coding: str, data: bytes) -> None:
    with bounded(megabytes=100, cpu_seconds=5), pytest.raises(LimitError, match=f"more than {MAX_MEMBERS:,} parts"):
        unpack(data, coding, limits=LIMITS)


@pytest.mark.parametrize(("coding", "data"), EMPTY.values(), ids=EMPTY)
def test_a_body_of_countless_empty_blocks_is_unpacked_in_linear_time(coding: str, data: bytes) -> None:
    with bounded(megabytes=100, cpu_seconds=20):
        assert unpack(data, coding, limits=LIMITS) == b""


@pytest.mark.parametrize("coding", PACK)
def test_what_is_only_counted_takes_no_memory_however_large_it_is(coding: str) -> None:
    packed = PACK[coding](bytes(60_000_000))
    with bounded(megabytes=40, cpu_seconds=20):
        found = sum(map(len, pieces(packed, (coding,), limits=Limits(body=64_000_000, ratio=10**9))))

    assert found == 60_000_000


def test_a_body_that_is_packed_over_and_over_is_refused() -> None:
    body = b"<p>Fees"
    for _ in range(MAX_CODINGS):
        body = gzip.compress(body)

    assert unpack_all(body, ("gzip",) * MAX_CODINGS, limits=LIMITS) == b"<p>Fees"
    with pytest.raises(LimitError, match="times over"):
        unpack_all(gzip.compress(body), ("gzip",) * (MAX_CODINGS + 1), limits=LIMITS)


def test_a_bomb_in_a_bomb_is_refused_before_the_inner_one_is_held() -> None:
    bomb = gzip.compress(gzip.compress(bytes(400_000_000)))
    with bounded(megabytes=40, cpu_seconds=20), pytest.raises(LimitError):
        for _ in pieces(bomb, ("gzip", "gzip"), limits=LIMITS):
            pass


def test_a_frame_that_wants_to_look_back_further_than_browsers_allow_is_refused() -> None:
    wide = zstandard.ZstdCompressionParameters(window_log=27)
    packer = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    packed = packer.compress(b"<p>Fees") + packer.flush()
    with bounded(megabytes=40, cpu_seconds=5), pytest.raises(InputError, match="damaged"):
        unpack(packed, "zstd", limits=LIMITS)


def test_unpacking_ends_with_the_time_for_a_visit() -> None:
    packed = gzip.compress(bytes(60_000_000))
    with pytest.raises(LimitError, match="in the time"):
        for _ in pieces(packed, ("gzip",), limits=Limits(ratio=10**9), seconds=0.0):
            pass


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=5), st.sampled_from(["gzip", "zstd"]), st.binary())
def test_parts_in_a_row_are_all_unpacked_wherever_slices_fall(
    parts: list[bytes], coding: str, after: bytes
) -> None:
    filler = b"x" * (65_536 * 2 - 20)  # so that ends of parts fall around the end of a slice
    packed = b"".join(PACK[coding](part) for part in (filler, *parts))

    assert unpack(packed + b"\0" + after, coding, limits=LIMITS) == filler + b"".join(parts)
