import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import inflate_py

inflate_cy = pytest.importorskip("pagedrift._kernels.inflate_cy", reason="the native kernels are not built")

MOST_MISSING = 1024  # bytes that the native twin may give less of what is really packed
pieces = st.one_of(
    st.binary(max_size=40),
    st.builds(lambda piece, times: piece * times, st.binary(min_size=1, max_size=9), st.integers(1, 400)),
    st.builds(lambda seed: seed.randbytes(3000), st.randoms(use_true_random=False)),
    st.just(bytes(700)),
)


@given(st.lists(pieces, max_size=12), st.integers(0, 9), st.integers(1, 20_000), st.integers(0, 30))
def test_what_the_native_twin_unpacks_is_how_the_member_begins(
    parts: list[bytes], level: int, most: int, before: int
) -> None:
    body = b"".join(parts)
    member = gzip.compress(body, level)
    data = bytes(before) + member + b"behind it"
    found = inflate_cy.unpack_start(data, before, before + len(member), most)
    assert body[:most].startswith(found)
    assert inflate_py.unpack_start(data, before, before + len(member), most) == body[:most]
    if len(body) <= most:
        assert found == body


@given(
    st.lists(pieces, max_size=6),
    st.integers(0, 9),
    st.integers(0, 8_000),
    st.sampled_from([b"", b"\x1f", b"\x1f\x8b\x08more", b"behind it", b"\r\n"]),
    st.tuples(st.integers(0, 40), st.integers(0, 7)),
)
def test_the_native_unpacking_of_a_member_equals_its_readable_twin(
    parts: list[bytes], level: int, room: int, behind: bytes, harm: tuple[int, int]
) -> None:
    cut, flipped = harm
    body = b"".join(parts)
    data = bytearray(b"before" + gzip.compress(body, level))
    data[-1 - cut % 10] ^= flipped >> 1  # of the checksum or the size, sometimes
    data += behind
    end = len(data) - (cut if flipped == 0 else 0)
    known = bytearray(room)
    expected = inflate_py.unpack_member(data, 6, end, known)
    for unpack in (inflate_cy.unpack_member, inflate_py.unpack_by_binding):
        unpacked = bytearray(room)
        found = unpack(data, 6, end, unpacked)
        if expected and expected[0] >= 0:
            assert found == expected
            assert unpacked[: len(body) + 1] == known[: len(body) + 1] == body + b"\0"
        else:  # which of several things is wrong may be found out in another order
            assert not found or found[0] < 0


def test_of_a_page_the_native_twin_unpacks_nearly_as_much_as_it_may() -> None:
    body = b"".join(b"<li><a href='/permit/%d'>Permit %d</a></li>" % (at, at * at) for at in range(2000))
    data = gzip.compress(body)
    for most in (2000, 5000, 16_000):
        assert len(inflate_cy.unpack_start(data, 0, len(data), most)) > most - MOST_MISSING


@pytest.mark.parametrize("kernel", [inflate_py, inflate_cy])
def test_what_is_no_gzip_member_has_no_beginning(kernel: object) -> None:
    unpack_start = kernel.unpack_start  # type: ignore[attr-defined]
    assert unpack_start(b"WARC/1.0" * 9, 0, 72, 100) is None
    damaged = bytearray(gzip.compress(b"<p>A permit costs $120" * 90))
    damaged[10] ^= 7  # no kind of block is called that
    assert unpack_start(bytes(damaged), 0, len(damaged), 100) is None
