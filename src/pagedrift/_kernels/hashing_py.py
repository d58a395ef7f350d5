"""The 64-bit hash of some bytes (readable twin).

Eight bytes at a time, little-endian, zero-padded, with the length mixed in: the same on every machine and in
every process. It spreads well; it does not resist an attacker, so nothing that must be safe may rest on it.
"""

from __future__ import annotations

import struct
from typing import Final

MASK: Final = (1 << 64) - 1
SEED: Final = 0x243F6A8885A308D3  # the first digits of pi
PRIME: Final = 0x9E3779B97F4A7C15  # the golden ratio: odd, with no pattern in its bits
_STIR: Final = 0xFF51AFD7ED558CCD


def step(state: int, word: int) -> int:
    """Mix one 64-bit word into the state."""
    state = ((state ^ word) * PRIME) & MASK
    return state ^ (state >> 32)


def finish(state: int) -> int:
    """Spread the last words over all bits."""
    state = (state * _STIR) & MASK
    return state ^ (state >> 29)


def step_id(action: str, old: int | None, new: int | None, name: str | None) -> str:
    """Make an id for a step out of what it does, the numbers of the places, and the name of an attribute.

    >>> step_id("Rename", 7, None, "href")
    '5c36a4e1ce6f'
    """
    parts = action, old if old is not None else False, new if new is not None else False, name
    return f"{hash_bytes(' '.join(map(str, parts)).encode('utf-8', 'surrogatepass')):016x}"[:12]


def hash_bytes(data: bytes) -> int:
    """Hash bytes.

    >>> hash_bytes(b"div") == hash_bytes(b"div"), hash_bytes(b"div") == hash_bytes(b"vid")
    (True, False)
    """
    state = SEED
    padded = data + b"\0" * (-len(data) % 8)
    for word in struct.unpack(f"<{len(padded) // 8}Q", padded):
        state = step(state, word)
    return finish(state ^ len(data))
