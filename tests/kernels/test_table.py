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


PIECES = (1, 1, 3)
pieced = st.lists(st.binary(min_size=4, max_size=4).map(lambda data: bytes(byte % 3 for byte in data)), max_size=60)


@pytest.mark.parametrize("kind", [table_py.PieceTable, table_cy.PieceTable])
@given(added=pieced, asked=st.binary(min_size=4, max_size=4), but=st.integers(-1, 5))
def test_a_table_of_pieces_finds_all_that_have_one_in_common(
    kind: Any, added: list[bytes], asked: bytes, but: int
) -> None:
    table, texts = kind(pieces=PIECES), list(dict.fromkeys(added))
    for text in texts:
        table.add(text, 0)
    reopened = kind(table.parts(), pieces=PIECES)
    for wanted in [*texts[:5], asked]:
        shared = [[n for n, text in enumerate(texts) if text[at] == wanted[at]] for at in (1, 2, 3)]
        assert table.sharing_piece(wanted, 1000) == sorted(set().union(*shared))
        newest = [[n for n in having if n != but][-1:] for having in shared]
        assert table.newest_by_piece(wanted, but) == reopened.newest_by_piece(wanted, but) == set().union(*newest)
        assert (table.sharing_piece(wanted, 3) is None) == (sum(map(len, shared)) > 3)


@given(pieced)
def test_the_native_table_of_pieces_equals_its_readable_twin(added: list[bytes]) -> None:
    tables = [table_cy.PieceTable(pieces=PIECES), table_py.PieceTable(pieces=PIECES)]
    for table in tables:
        for text in dict.fromkeys(added):
            table.add(text, 0)
    native, readable = ({name: list(part) for name, part in table.parts().items()} for table in tables)

    assert native == readable


@pytest.mark.parametrize("kind", [table_py.PieceTable, table_cy.PieceTable])
def test_texts_without_all_pieces_are_refused(kind: Any) -> None:
    with pytest.raises(IndexError):
        kind(pieces=PIECES).add(b"abc", 0)
    with pytest.raises(IndexError):
        kind(table_py.Table().parts(), pieces=PIECES)
