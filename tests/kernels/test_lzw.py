import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from pagedrift._kernels import lzw_py
from pagedrift.facets.tags import read_tags
from tests.strategies import pages

lzw_cy = pytest.importorskip("pagedrift._kernels.lzw_cy", reason="the native kernels are not built")

few = st.binary(max_size=6).map(lambda data: bytes(byte % 3 for byte in data))


@given(pages, st.sampled_from([0, 1, 5, 25, 255]))
def test_the_native_compression_equals_its_readable_twin(page: bytes, length: int) -> None:
    expected = lzw_py.lzw_references(page, length)
    assert lzw_cy.lzw_references(page, length) == expected
    among = bytearray(b"<i>" + page + b"\0<b></b>")
    for kernel in (lzw_py, lzw_cy):
        assert kernel.lzw_references(among, length, 3, 3 + len(page)) == expected


@given(pages)
def test_each_reference_leads_to_an_earlier_entry(page: bytes) -> None:
    references, _ = lzw_py.lzw_references(page, 25)

    assert all(reference <= at for at, reference in enumerate(references))


@given(pages, st.integers(1, 25))
def test_a_shorter_compression_is_the_beginning_of_a_longer_one(page: bytes, length: int) -> None:
    assert lzw_py.lzw_references(page, length)[0] == lzw_py.lzw_references(page, 255)[0][:length]


@given(pages)
def test_the_tags_of_the_beginning_of_a_page_are_the_beginning_of_its_tags(page: bytes) -> None:
    tags = list(read_tags(page))
    for end in range(0, len(page), 7):
        begun = list(read_tags(page[:end]))
        assert begun == tags[: len(begun)]


@given(few, few)
def test_one_edit_is_a_levenshtein_distance_of_one_at_most(one: bytes, other: bytes) -> None:
    expected = Levenshtein.distance(one, other) <= 1

    assert lzw_py.is_one_edit(one, other) == expected
    assert lzw_cy.is_one_edit(one, other) == expected
