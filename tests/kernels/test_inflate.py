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
