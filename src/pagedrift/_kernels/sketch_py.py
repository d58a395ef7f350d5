"""The sketch of a page: the features of its frame and its content, in 136 bytes (readable twin).

Everything that can be said of one start tag is a feature: its class names, its id, and in what it stands. Features
go into three sets: those of the frame, of the content, and of the page as a whole. Each set is summed up by the
minima of random orders (MinHash): two sets agree in about as many bytes as they have features in common.
"""

from __future__ import annotations

import re
from typing import Final

from pagedrift._kernels.hashing_py import MASK, SEED, finish, step
from pagedrift._kernels.names import FOREIGN, IDS, VOID
from pagedrift._kernels.scan_py import END, END_OF_FILE, START, Tokens, flags_of

# What a tag is part of. The page as a whole: html and body. The frame: what layouts are built with.
CONTENT, FRAME, WHOLE, NOTHING = range(4)
_PARTS: Final = {
    WHOLE: "html body",
    FRAME: """article aside button center div fieldset footer form frame frameset header iframe input label main
        nav noscript section select table textarea ul""",
    NOTHING: "base head link meta script style title",
}
PART: Final = {IDS[name]: part for part, names in _PARTS.items() for name in names.split()}
# Their end tags are often left out: one ends the other.
ROWS: Final = frozenset(IDS[name] for name in "colgroup dd dt li option p tbody td tfoot th thead tr".split())

SIZES: Final = (64, 64, 8)  # bytes for content, frame and whole
LENGTH: Final = sum(SIZES)
KEYS: Final = 32
HEAVIEST: Final = 4  # how often a feature of the frame counts at depth 0; one less at each third level
DEEPEST: Final = 256  # open elements that are remembered
REACH: Final = 8  # how far an end tag looks for its start tag
ORDERS: Final = tuple(finish(step(SEED, number)) | 1 for number in range(LENGTH))  # odd: each is a permutation

_CLASS, _ID, _INSIDE = range(1, 4)  # kinds of features
_ATTRIBUTE = re.compile(
    rb"[\t\n\f\r /]*(=?[^\t\n\f\r />=]*)[\t\n\f\r ]*"
    rb"(?:=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r >]*)))?"
)
_WORDS = re.compile(rb"([a-z]+)(?:[-_:.]+([a-z]+))?")


class _Tokens(Tokens):
    """Tokens that remember where their attributes begin."""

    attributes = 0

    def _attributes(self, at: int) -> bool:
        self.attributes = at
        return super()._attributes(at)


def sketch(data: bytes) -> bytes:
    """Sum up the tags of a page.

    >>> sketch(b"<div class=menu>A</div>") == sketch(b"<div class='menu'>B</div>") != sketch(b"<div>A</div>")
    True
    """
    tokens = _Tokens(data, read_attributes=False)
    minima = [MASK] * LENGTH
    seen: set[tuple[int, int]] = set()
    open_tags: list[int] = []
    while (kind := tokens.advance()) != END_OF_FILE:
        if kind == START:
            if tokens.number in ROWS and open_tags[-1:] == [tokens.number]:
                open_tags.pop()
            for part, feature in _features(tokens, open_tags):
                if (part, feature) not in seen:
                    seen.add((part, feature))
                    _put(minima, part, feature)
            flags = flags_of(tokens.number)
            in_foreign = tokens.foreign.active or flags & FOREIGN
            if not flags & VOID and not (tokens.self_closing and in_foreign) and len(open_tags) < DEEPEST:
                open_tags.append(tokens.number)
        elif kind == END:
            _close(open_tags, tokens.number)
    return bytes(0 if least == MASK else least >> 24 & 255 for least in minima)


def _close(open_tags: list[int], number: int) -> None:
    for index in range(len(open_tags) - 1, max(-1, len(open_tags) - 1 - REACH), -1):
        if open_tags[index] == number:
            del open_tags[index:]
            return


def _features(tokens: _Tokens, open_tags: list[int]) -> list[tuple[int, int]]:
    """Give what can be said of a start tag, each with the part of the page it is about."""
    number = tokens.number
    part = PART.get(number, CONTENT)
    if part == NOTHING:
        return []
    classes, name = _names(tokens)
    said = [_feature(_CLASS, number, hash_name(each)) for each in classes]
    if name is not None and (part == WHOLE or (part == FRAME and not said)):
        said.append(_feature(_ID, number, hash_name(name)))
    if part != WHOLE:
        said.append(_feature(_INSIDE, number, open_tags[-1] if open_tags else MASK))
    weight = max(1, HEAVIEST - len(open_tags) // 3) if part == FRAME else 1
    return [(part, finish(step(feature, copy))) for feature in said for copy in range(weight)]


def _names(tokens: _Tokens) -> tuple[list[bytes], bytes | None]:
    """Read the class names and the id of a tag; of several attributes of one name the first counts."""
    found: dict[bytes, bytes] = {}
    at, end = tokens.attributes, tokens.position - 1
    while at < end:
        attribute = _ATTRIBUTE.match(tokens.data, at, end)
        assert attribute  # the pattern matches everything
        if attribute[1]:
            found.setdefault(attribute[1].lower(), attribute[2] or attribute[3] or attribute[4] or b"")
        at = attribute.end()
    names = re.split(rb"[\t\n\f\r ]+", found.get(b"class", b""))
    return [name for name in names if name], found.get(b"id") or None


def hash_name(name: bytes) -> int:
    """Hash the first two words of a name: what follows, and every digit, is often of one page only.

    >>> hash_name(b"post-1234") == hash_name(b"Post") != hash_name(b"post-title") == hash_name(b"post_title_new")
    True
    """
    words = _WORDS.search(name.lower())
    state = SEED
    for byte in b"-".join(word for word in words.groups() if word) if words else b"":
        state = step(state, byte)
    return finish(state)


def _feature(kind: int, number: int, value: int) -> int:
    return step(step(step(SEED, kind), number), value)


def _put(minima: list[int], part: int, feature: int) -> None:
    start = sum(SIZES[:part])
    for at in range(start, start + SIZES[part]):
        minima[at] = min(minima[at], feature * ORDERS[at] & MASK)


def sketch_keys(sketch: bytes) -> list[bytes]:
    """Give 32 selections of the bytes: eight of the content, four of the frame and one of the whole in each.

    Each byte of the content is in four of them, in a different company each time, each byte of the frame in two.
    """
    return [bytes((key,)) + bytes(sketch[at] for at in chosen) for key, chosen in enumerate(CHOICES)]


def _choice(key: int) -> tuple[int, ...]:
    """Choose bytes for one key: runs of a walk through all of them, with wider steps in each round."""
    content = [(8 * key + step) * (2 * (key // 8) + 1) % 64 for step in range(8)]
    frame = [64 + (4 * key + step) * (2 * (key // 16) + 1) % 64 for step in range(4)]
    return (*content, *frame, 128 + key % 8)


CHOICES: Final = tuple(map(_choice, range(KEYS)))


def shares_key(one: bytes, other: bytes) -> bool:
    """Return whether two sketches have a key in common."""
    return len(one) == len(other) == LENGTH and any(all(one[at] == other[at] for at in key) for key in CHOICES)
