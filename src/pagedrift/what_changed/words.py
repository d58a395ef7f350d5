"""Which words of a text changed?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.text import shared_start

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TOKENS: Final = 20_000  # longer texts are replaced as a whole, apart from their common ends
LEAST_SHARED: Final = 0.2  # of the tokens; below, single words that stayed by chance would read like confetti

# Ideographs and kana stand for themselves: sentences of them have no spaces.
_TOKEN = re.compile(
    r"\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|."
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that stayed, went or came."""

    kind: Literal["same", "removed", "added"]
    text: str


def word_changes(before: str, after: str) -> tuple[Piece, ...]:
    """Split two texts into what they share and what only one of them has.

    >>> for piece in word_changes("Fence: $40 a year", "Fence: $45 a year"):
    ...     print(f"{piece.kind:<8}{piece.text!r}")
    same    'Fence: $'
    removed '40'
    added   '45'
    same    ' a year'
    """
    return tuple(Piece(kind, text) for kind, text in _pieces(_TOKEN.findall(before), _TOKEN.findall(after)) if text)


def _pieces(old: list[str], new: list[str]) -> Iterator[tuple[Literal["same", "removed", "added"], str]]:
    head = shared_start(old, new)
    tail = shared_start(old[head:][::-1], new[head:][::-1])
    yield "same", "".join(old[:head])
    yield from _middle(old[head : len(old) - tail], new[head : len(new) - tail])
    yield "same", "".join(old[len(old) - tail :])


def _middle(old: list[str], new: list[str]) -> Iterator[tuple[Literal["same", "removed", "added"], str]]:
    from rapidfuzz.distance import Indel

    if (
        not old
        or not new
        or max(len(old), len(new)) > MAX_TOKENS
        or Indel.normalized_similarity(old, new) < LEAST_SHARED
    ):
        yield "removed", "".join(old)
        yield "added", "".join(new)
        return
    gone, come = "", ""
    for step in Indel.opcodes(old, new):
        same = "".join(old[step.src_start : step.src_end]) if step.tag == "equal" else ""
        if same.strip():
            yield from (("removed", gone), ("added", come), ("same", same))
            gone, come = "", ""
        else:  # white space between two changed words changes with them
            gone += "".join(old[step.src_start : step.src_end])
            come += "".join(new[step.dest_start : step.dest_end])
    yield from (("removed", gone), ("added", come))
