import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagedrift._kernels import hashing_py

hashing_cy = pytest.importorskip("pagedrift._kernels.hashing_cy", reason="the native kernels are not built")


@given(st.binary(max_size=100))
def test_the_native_hash_equals_its_readable_twin(data: bytes) -> None:
    assert hashing_cy.hash_bytes(data) == hashing_py.hash_bytes(data)


places = st.none() | st.integers(0, 2**64 - 1)


@given(st.sampled_from(["Move", "Rename"]), places, places, st.none() | st.text(max_size=40))
@example("Move", 0, None, "\ud800")
def test_the_native_id_of_a_step_equals_that_of_its_readable_twin(
    action: str, old: int | None, new: int | None, name: str | None
) -> None:
    assert hashing_cy.step_id(action, old, new, name) == hashing_py.step_id(action, old, new, name)


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_different_bytes_have_different_hashes(one: bytes, other: bytes) -> None:
    assert (one == other) == (hashing_py.hash_bytes(one) == hashing_py.hash_bytes(other))


def test_the_hash_is_the_same_on_every_machine_and_for_ever() -> None:
    assert hashing_py.hash_bytes(b"my-widget") == 0xBA977C4C19260F91
