"""The sketch of a page: what its layout is built of, in 94 bytes (readable twin).

Everything that can be said of one start tag is a feature: its class names, its id, and in what it stands. What
stands in text is left out, since authors write it and templates do not. The set of features is summed up twice. In
512 bits, each feature sets one: so pages can be compared, and it can be seen what many have in common. In five keys
of six bytes: each stands for the least features in sixteen random orders (MinHash), so pages with nearly the same
features are likely to share one. What the page says of itself, by the names of html and body, has bits of its own
and counts eightfold in the keys.
"""

from __future__ import annotations

import re
from operator import eq
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
# Content that stands in one of these is text, with which pages of one template differ.
TEXT: Final = frozenset(
    IDS[name]
    for name in """a b blockquote code dd dt em figure h1 h2 h3 h4 h5 h6 i math p pre span strong svg td
        th""".split()
)
# Their end tags are often left out: one ends the other.
ROWS: Final = frozenset(IDS[name] for name in "colgroup dd dt li option p tbody td tfoot th thead tr".split())

BITS: Final = 512
LAYOUT_BITS: Final = 448  # the others are for the names of html and body
BITS_BYTES: Final = BITS // 8
KEYS: Final = 5
ORDERS_OF_KEY: Final = 16
KEY_BYTES: Final = 6
LENGTH: Final = BITS_BYTES + KEYS * KEY_BYTES
WEIGHT: Final = 8  # how often a name of html or body counts
DEEPEST: Final = 256  # open elements that are remembered
REACH: Final = 8  # how far an end tag looks for its start tag
# Odd factors: each puts all numbers into another order.
ORDERS: Final = tuple(finish(step(SEED, number)) | 1 for number in range(KEYS * ORDERS_OF_KEY))

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


def sketch(data: bytes | bytearray, start: int = 0, end: int = -1) -> bytes:
    """Sum up the tags of a page, which begins at an offset, or is between two, at the second of which a NUL stands.

    >>> sketch(b"<div class=menu>A</div>") == sketch(b"<div class='menu'>B</div>") != sketch(b"<div>A</div>")
    True
    """
    features, names = _all_features(bytes(data[start : end if end >= 0 else len(data)]))
    bits = 0
    for feature in features:
        bits |= 1 << ((feature >> 32) * LAYOUT_BITS >> 32)
    for name in names:
        bits |= 1 << (LAYOUT_BITS + (name >> 58))
    features.update(finish(step(name, copy)) for name in names for copy in range(WEIGHT))
    minima = [min((feature * order & MASK for feature in features), default=MASK) for order in ORDERS]
    keys = (minima[start : start + ORDERS_OF_KEY] for start in range(0, len(minima), ORDERS_OF_KEY))
    return bits.to_bytes(BITS_BYTES, "little") + b"".join(map(_key, keys))


def _key(minima: list[int]) -> bytes:
    state = SEED
    for least in minima:
        state = step(state, least)
    return finish(state).to_bytes(8, "little")[:KEY_BYTES]


def _all_features(data: bytes) -> tuple[set[int], set[int]]:
    """Read the features of all start tags: of the layout, and what html and body are called."""
    tokens = _Tokens(data, read_attributes=False)
    found: tuple[set[int], set[int]] = set(), set()
    open_tags: list[int] = []
    while (kind := tokens.advance()) != END_OF_FILE:
        if kind == START:
            if tokens.number in ROWS and open_tags[-1:] == [tokens.number]:
                open_tags.pop()
            found[PART.get(tokens.number) == WHOLE].update(_features(tokens, open_tags))
            flags = flags_of(tokens.number)
            in_foreign = tokens.foreign.active or flags & FOREIGN
            if not flags & VOID and not (tokens.self_closing and in_foreign) and len(open_tags) < DEEPEST:
                open_tags.append(tokens.number)
        elif kind == END:
            _close(open_tags, tokens.number)
    return found


def _close(open_tags: list[int], number: int) -> None:
    for index in range(len(open_tags) - 1, max(-1, len(open_tags) - 1 - REACH), -1):
        if open_tags[index] == number:
            del open_tags[index:]
            return


def _features(tokens: _Tokens, open_tags: list[int]) -> list[int]:
    """Give what can be said of a start tag."""
    number, outer = tokens.number, open_tags[-1] if open_tags else MASK
    part = PART.get(number, CONTENT)
    if part == NOTHING or (part == CONTENT and outer in TEXT):
        return []
    classes, name = _names(tokens)
    said = [_feature(_CLASS, number, hash_name(each)) for each in classes]
    if name is not None and (part == WHOLE or (part == FRAME and not said)):
        said.append(_feature(_ID, number, hash_name(name)))
    if part != WHOLE:
        said.append(_feature(_INSIDE, number, outer))
    return list(map(finish, said))


def _names(tokens: _Tokens) -> tuple[list[bytes], bytes | None]:
    """Read the class names and the id of a tag; of several attributes of one name the first with a value."""
    found: dict[bytes, bytes] = {}
    at, end = tokens.attributes, tokens.position - 1
    while at < end:
        attribute = _ATTRIBUTE.match(tokens.data, at, end)
        assert attribute  # the pattern matches everything
        value = next((group for group in attribute.groups()[1:] if group is not None), None)
        if attribute[1] and value is not None:
            found.setdefault(attribute[1].lower(), value)
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


def sketch_keys(sketch: bytes) -> list[bytes]:
    r"""Give the five keys, each with its number before it.

    >>> sketch_keys(bytes(range(94)))[:2]
    [b'\x00@ABCDE', b'\x01FGHIJK']
    """
    starts = range(BITS_BYTES, LENGTH, KEY_BYTES)
    return [bytes((number,)) + sketch[start : start + KEY_BYTES] for number, start in enumerate(starts)]


def shares_key(one: bytes, other: bytes) -> bool:
    """Return whether two sketches have a key in common."""
    return len(one) == len(other) == LENGTH and any(map(eq, sketch_keys(one), sketch_keys(other)))
