"""The words that changed inside a text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift.what_changed.words import tokens, word_changes

texts = st.one_of(
    st.text(max_size=40), st.lists(st.sampled_from(["a", "b", "roof", " ", "\n", "日", "$4", "."])).map("".join)
)
number = st.integers(0, 9_999).map(str)
amounts = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "£", "$", "US$ ", "EUR ", "−", "+"]),
    number,
    st.sampled_from(["", ".00", ",50", ".5", ",000"]),
    st.sampled_from(["", " €", "%", " %", " kg", " °C", " km/h"]),
)
dates = st.builds(
    str.format,
    st.sampled_from(
        [
            "{0} May {2}",
            "{2}-0{1}-{0}",
            "{0}/{1}/{2}",
            "May {0}, {2}",
            "{0}. Januar {2}",
            "{0}:0{1} pm",
            "{0}:0{1} UTC",
        ]
    ),
    st.integers(10, 28),
    st.integers(1, 9),
    st.integers(2020, 2029),
)
whole = st.one_of(amounts, dates, st.sampled_from(["roof", "don't", "cafe\u0301", "city.example", "well-known"]))
sentences = st.lists(st.tuples(st.sampled_from(["(", ""]), whole, st.sampled_from([" for ", ", ", "; ", ") "])))


@settings(deadline=None)
@given(texts, texts)
def test_the_pieces_make_up_both_texts(before: str, after: str) -> None:
    pieces = word_changes(before, after)

    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after


@settings(deadline=None)
@given(sentences, sentences)
def test_no_mark_begins_or_ends_inside_an_amount_a_date_or_a_word(
    before: list[tuple[str, str, str]], after: list[tuple[str, str, str]]
) -> None:
    pieces = word_changes(*("".join(map("".join, side)) for side in (before, after)))

    for side, other in ((before, "added"), (after, "removed")):
        edges = _edges([piece.text for piece in pieces if piece.kind != other])
        assert not edges & _inside(side)


def _edges(parts: list[str]) -> set[int]:
    return {sum(map(len, parts[:at])) for at in range(len(parts) + 1)}


def _inside(side: list[tuple[str, str, str]]) -> set[int]:
    """Give the positions between two characters of the same amount, date or word."""
    found, start = set[int](), 0
    for opening, thing, rest in side:
        first = start + len(opening)
        found |= set(range(first + 1, first + len(thing)))
        start = first + len(thing) + len(rest)
    return found


def test_a_price_is_struck_and_written_as_a_whole() -> None:
    pieces = word_changes("A permit costs £49.00 a year", "A permit costs £59.00 a year")

    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("same", "A permit costs "),
        ("removed", "£49.00"),
        ("added", "£59.00"),
        ("same", " a year"),
    ]


@given(st.text())
def test_the_tokens_make_up_the_text(text: str) -> None:
    assert "".join(tokens(text)) == text


def test_ideographs_change_one_by_one() -> None:
    pieces = word_changes("今日は晴れです", "今日は雨です")

    assert [piece.text for piece in pieces if piece.kind == "same"] == ["今日は", "です"]


def test_texts_with_little_in_common_are_replaced_as_a_whole() -> None:
    pieces = word_changes("Now we close at noon every day", "Later a long and other sentence came to us")

    assert [piece.kind for piece in pieces] == ["removed", "added"]


def test_very_long_texts_keep_their_common_ends() -> None:
    pieces = word_changes("a " + "b " * 30_000 + "c", "a " + "d " * 30_000 + "c")

    assert [piece.kind for piece in pieces] == ["same", "removed", "added", "same"]
