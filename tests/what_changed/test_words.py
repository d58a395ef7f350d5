"""The words that changed inside a text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift.what_changed.words import word_changes

texts = st.one_of(
    st.text(max_size=40), st.lists(st.sampled_from(["a", "b", "roof", " ", "\n", "日", "$4", "."])).map("".join)
)


@settings(deadline=None)
@given(texts, texts)
def test_the_pieces_make_up_both_texts(before: str, after: str) -> None:
    pieces = word_changes(before, after)

    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after


def test_ideographs_change_one_by_one() -> None:
    pieces = word_changes("今日は晴れです", "今日は雨です")

    assert [piece.text for piece in pieces if piece.kind == "same"] == ["今日は", "です"]


def test_texts_with_little_in_common_are_replaced_as_a_whole() -> None:
    pieces = word_changes("Now we close at noon every day", "Later a long and other sentence came to us")

    assert [piece.kind for piece in pieces] == ["removed", "added"]


def test_very_long_texts_keep_their_common_ends() -> None:
    pieces = word_changes("a " + "b " * 30_000 + "c", "a " + "d " * 30_000 + "c")

    assert [piece.kind for piece in pieces] == ["same", "removed", "added", "same"]
