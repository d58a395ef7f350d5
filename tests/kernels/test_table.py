from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import table_py

table_cy = pytest.importorskip("pagedrift._kernels.table_cy", reason="the native kernels are not built")

texts = st.binary(max_size=2).map(lambda data: bytes(byte % 4 for byte in data))
keys = st.lists(
    st.integers(0, 3).map(lambda n: n << 32) | st.integers(0, 2**32 - 1).map(lambda n: n << 32), max_size=3
)
additions = st.lists(st.tuples(texts, st.integers(0, 2), keys), max_size=60)


def filled(table: Any, added: list[tuple[bytes, int, list[int]]]) -> Any:
    for text, group, leads in added:
        if table.find(text, group) < 0:
            table.add(text, group, leads)
    return table


@given(additions)
def test_the_native_table_equals_its_readable_twin(added: list[tuple[bytes, int, list[int]]]) -> None:
    native, readable = filled(table_cy.Table(), added), filled(table_py.Table(), added)

    assert {name: list(part) for name, part in native.parts().items()} == {
        name: list(part) for name, part in readable.parts().items()
    }
    for key in (0, 1 << 32, 2 << 32):
        assert native.sharing([key, 3 << 32], 7) == readable.sharing([key, 3 << 32], 7)
        for holds in (lambda _, entry: entry % 3 == 0, lambda index, entry: index == 1 and entry > 0):
            assert native.newest([key, 3 << 32], holds) == readable.newest([key, 3 << 32], holds)
    for text, group, _ in added:
        assert native.find(text, group) == readable.find(text, group) >= 0
        assert native.having(text) == readable.having(text)


@pytest.mark.parametrize("kind", [table_py.Table, table_cy.Table])
@given(added=additions)
def test_a_table_finds_what_was_added(kind: Any, added: list[tuple[bytes, int, list[int]]]) -> None:
    table, model = kind(), {}
    for text, group, leads in added:
        if (text, group) not in model:
            model[text, group] = (table.add(text, group, leads), leads)

    assert len(table) == len(model)
    for (text, group), (entry, leads) in model.items():
        assert (table.find(text, group), table.text(entry), table.group(entry)) == (entry, text, group)
        assert all(entry in table.sharing([key], 1000) for key in leads)
    for key in (0, 1 << 32, 2 << 32, 3 << 32):
        having = [entry for entry, leads in model.values() if key in leads]
        assert table.sharing([key], 1000) == having
        assert table.newest([key], lambda _, entry: entry % 2 == 0) == set([e for e in having if e % 2 == 0][-1:])


@pytest.mark.parametrize("kind", [table_py.Table, table_cy.Table])
@given(added=additions, more=additions)
def test_a_table_goes_on_from_its_parts(kind: Any, added: list[Any], more: list[Any]) -> None:
    parts = {name: array(table_py.PARTS[name], part) for name, part in filled(kind(), added).parts().items()}
    again = filled(kind({**parts, "of another": array("I")}), more)
    at_once = filled(kind(), added + more)

    assert {name: list(part) for name, part in again.parts().items()} == {
        name: list(part) for name, part in at_once.parts().items()
    }


@pytest.mark.parametrize("kind", [table_py.Table, table_cy.Table])
@given(part=st.sampled_from(sorted(table_py.PARTS)), at=st.integers(0, 200), value=st.integers(0, 2**64 - 1))
def test_damaged_numbers_raise_an_index_error_at_worst(kind: Any, part: str, at: int, value: int) -> None:
    table = filled(kind(), [(bytes([n]), 0, [n % 5 << 32, n << 32]) for n in range(30)])
    parts = {name: array(table_py.PARTS[name], numbers) for name, numbers in table.parts().items()}
    parts[part][at % len(parts[part])] = value % 2 ** (8 * parts[part].itemsize)
    try:
        damaged = kind(parts)
        for n in range(30):
            damaged.find(bytes([n]), 0)
            damaged.having(bytes([n]))
            for entry in damaged.sharing([n << 32], 1000):
                damaged.text(entry)
    except IndexError:
        pass
