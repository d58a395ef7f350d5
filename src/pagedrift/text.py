"""Texts for people: counts, sizes, and long texts cut to what a reader needs to see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LINE_CHARS: Final = 300  # of one line at a terminal: some pages are one word
_READ_PER_CHAR: Final = 10  # characters that are read for each one that is kept, where white space is folded


def counted(number: int, one: str, many: str = "") -> str:
    """Count things.

    >>> counted(1, "page"), counted(2_000, "page"), counted(2, "watch", "watches")
    ('1 page', '2,000 pages', '2 watches')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(count: int) -> str:
    """Write a number of bytes.

    >>> size(512), size(48_100), size(3_200_000)
    ('512 B', '48.1 kB', '3.2 MB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def printable(text: str) -> str:
    r"""Make text of a page safe for a terminal: no characters that move the cursor or change colours.

    >>> printable("a\x1b[31mb")
    'a�[31mb'
    """
    return (
        text
        if text.isprintable()
        else "".join(character if character.isprintable() else "\ufffd" for character in text)
    )


def shorten(text: str, longest: int) -> str:
    """Cut a text to a number of characters.

    >>> shorten("a permit", 5), shorten("a permit", 8)
    ('a pe…', 'a permit')
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def shorten_between_words(text: str, longest: int) -> str:
    """Cut a text to a number of characters, between two words where there are any.

    >>> shorten_between_words("a permit costs 120 €", 12), shorten_between_words("a" * 9, 5)
    ('a permit …', 'aaaa…')
    """
    if len(text) <= longest:
        return text
    start = text[: longest - 1].rpartition(" ")[0]
    return f"{start} …" if start else shorten(text, longest)


def shorten_middle(text: str, longest: int) -> str:
    """Cut a long text in its middle: addresses differ at their ends.

    >>> shorten_middle("https://city.example/departments/fees", 20)
    'https://ci…ents/fees'
    """
    if len(text) <= longest:
        return text
    return f"{text[: longest // 2]}…{text[len(text) - (longest - longest // 2 - 1) :]}"


def fold(text: str, longest: int) -> str:
    """Make every white space a single space, and cut the text to a number of characters.

    >>> fold("  A  permit costs   $120 ", 100)
    'A permit costs $120'
    """
    return shorten(" ".join(text[: _READ_PER_CHAR * longest].split()), longest)


def cut(text: str, longest: int = MAX_LINE_CHARS) -> str:
    """Make text of a page safe for a terminal, and no longer than a paragraph or a number of characters.

    >>> cut("a" * 1000)[-3:]
    'aa…'
    """
    return printable(shorten(text, longest))


def shared_start(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Count the characters or words with which both begin.

    >>> shared_start("permit", "person"), shared_start(["a", "fee"], ["a", "fee"])
    (3, 2)
    """
    shared, limit = 0, min(len(one), len(other))
    while shared < limit:  # halving: comparing one by one takes a second for a text of megabytes
        middle = (shared + limit + 1) // 2
        if one[shared:middle] == other[shared:middle]:
            shared = middle
        else:
            limit = middle - 1
    return shared


def around_difference(before: str, after: str, longest: int) -> tuple[str, str]:
    """Leave out a long common start, so that the difference shows within a number of characters.

    >>> around_difference("a" * 50 + "b", "a" * 50 + "c", 9)
    ('…aaab', '…aaac')
    >>> around_difference("A permit costs 1234567 €", "A permit costs 1234568 €", 12)
    ('…1234567 €', '…1234568 €')
    """
    if max(len(before), len(after)) <= longest:
        return before, after
    start = shared_start(before, after) - longest // 3
    word = before.rfind(" ", 0, max(0, start)) + 1
    start = word if word > 0 and start - word < longest else start  # half a number would read like another
    return (f"…{before[start:]}", f"…{after[start:]}") if start > 0 else (before, after)
