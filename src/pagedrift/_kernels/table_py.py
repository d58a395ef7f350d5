"""Hash tables of short texts: entries with a text, and entries that share a key with it (readable twin).

Two hash tables and the texts themselves, in flat arrays of numbers: ten million short texts fit in a gigabyte, the
arrays go to a file as they are, and a file mapped to memory is a table without being read. A damaged file raises
IndexError at worst.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from pagedrift._kernels.hashing_py import hash_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Numbers = array[int] | memoryview[int]

PARTS: Final = {  # each array and the type of its numbers
    "starts": "Q",  # where each text starts, and where the last one ends
    "texts": "B",
    "groups": "I",
    "slots": "I",  # by the hash of a text: the number of its entry, from 1; or 0
    "keys": "I",  # by the key itself: the upper half of a key, which nearly always distinguishes it from others ...
    "heads": "I",  # ... and its newest posting, from 1; or 0
    "entries": "I",  # of each posting: its entry, from 0 ...
    "olders": "I",  # ... and the next older posting of the same key, from 1; or 0
}
SMALLEST: Final = 16  # slots; always a power of two
FULL: Final = 0.75  # share of the slots that are taken before their number is doubled
GROWTH: Final = 1.0625  # little, as large arrays grow without being copied


def room(numbers: Numbers, kind: str, used: int, more: int) -> Numbers:
    """Give an array with room for more: the same, grown where it stands if nobody looks at it, or a copy."""
    if used + more <= len(numbers):
        return numbers
    wanted = max(SMALLEST, int(used * GROWTH), used + more)
    if isinstance(numbers, array):
        try:
            numbers.frombytes(bytes((wanted - len(numbers)) * numbers.itemsize))
        except BufferError:
            pass
        else:
            return numbers
    grown = array(kind, [0]) * wanted
    memoryview(grown)[:used] = memoryview(numbers)[:used]
    return grown


def empty() -> dict[str, Numbers]:
    """Make the arrays of a table without entries."""
    parts: dict[str, Numbers] = {name: array(kind) for name, kind in PARTS.items()}
    parts["starts"] = array("Q", [0])
    for name in ("slots", "keys", "heads"):
        parts[name] = array(PARTS[name], [0]) * SMALLEST
    return parts


def check(parts: Mapping[str, Numbers]) -> None:
    """Refuse arrays whose lengths do not fit together, by an IndexError."""
    size = {name: len(parts[name]) for name in PARTS}
    for slots in (size["slots"], size["heads"]):
        if slots < SMALLEST or slots & (slots - 1):
            raise IndexError(slots)
    fits = (size["starts"], size["keys"], size["olders"]) == (size["groups"] + 1, size["heads"], size["entries"])
    if not fits or parts["starts"][size["groups"]] > size["texts"]:
        raise IndexError(size["starts"])


def check_pieces(parts: Mapping[str, Numbers], count: int) -> None:
    """Refuse arrays of a table of pieces whose lengths do not fit together, by an IndexError."""
    check({**parts, "keys": parts["heads"], "entries": parts["olders"]})
    if len(parts["olders"]) != count * len(parts["groups"]) or len(parts["keys"]) or len(parts["entries"]):
        raise IndexError(count)


class Table:
    """Texts with a group each, found by themselves or by the 64-bit keys they were added with.

    Of different keys, one in a hundred may count as the same among forty million.

    >>> table = Table()
    >>> table.add(b"first", 0, [7 << 32, 8 << 32]), table.add(b"second", 0, [8 << 32, 9 << 32])
    (0, 1)
    >>> table.find(b"second", 0), table.find(b"second", 5)
    (1, -1)
    >>> table.sharing([8 << 32], 10), table.sharing([8 << 32], 1)
    ([0, 1], None)
    """

    def __init__(self, parts: Mapping[str, Numbers] | None = None) -> None:
        if parts is None:
            parts = empty()
        check(parts)
        self._parts = {name: parts[name] for name in PARTS}  # others belong to others
        self._count = len(parts["groups"])
        self._posted = len(parts["entries"])
        self._keyed = -1  # slots of keys that are taken: counted when the first entry is added

    def __len__(self) -> int:
        return self._count

    def parts(self) -> dict[str, memoryview[int]]:
        """Give the arrays without the room at their ends."""
        count, posted, parts = self._count, self._posted, self._parts
        used = {
            "starts": count + 1,
            "texts": parts["starts"][count],
            "groups": count,
            "entries": posted,
            "olders": posted,
        }
        return {name: memoryview(part)[: used.get(name, len(part))] for name, part in parts.items()}

    def text(self, entry: int) -> bytes:
        """Give the text of an entry."""
        if not 0 <= entry < self._count:
            raise IndexError(entry)
        start, end = self._parts["starts"][entry], self._parts["starts"][entry + 1]
        if not start <= end <= len(self._parts["texts"]):
            raise IndexError(entry)
        return bytes(self._parts["texts"][start:end])

    def group(self, entry: int) -> int:
        """Give the group of an entry."""
        return self._parts["groups"][entry]

    def find(self, text: bytes, group: int) -> int:
        """Give the entry with exactly this text and group, or -1."""
        for entry in self._along(text):
            if self.text(entry) == text and self.group(entry) == group:
                return entry
        return -1

    def having(self, text: bytes) -> list[int]:
        """Give the entries with exactly this text, of all groups."""
        return [entry for entry in self._along(text) if self.text(entry) == text]

    def _along(self, text: bytes) -> Iterator[int]:
        """Give the entries from where a text would stand to the next free slot."""
        slots = self._parts["slots"]
        slot = _first(hash_bytes(text), len(slots))
        for _ in range(len(slots)):
            if not slots[slot]:
                return
            yield slots[slot] - 1
            slot = (slot + 1) & (len(slots) - 1)
        raise IndexError(slot)

    def add(self, text: bytes, group: int, keys: Sequence[int]) -> int:
        """Add an entry that is not there yet, to be found by these keys."""
        entry, parts = self._count, self._parts
        start = parts["starts"][entry]
        for name, value, used in (("starts", start + len(text), entry + 1), ("groups", group, entry)):
            parts[name] = room(parts[name], PARTS[name], used, 1)
            parts[name][used] = value
        parts["texts"] = room(parts["texts"], "B", start, len(text))
        memoryview(parts["texts"])[start : start + len(text)] = text
        self._count += 1
        if self._count > FULL * len(parts["slots"]):
            self._double_slots()
        else:
            self._place(entry, text)
        for key in keys:
            self._post(key >> 32, entry)
        return entry

    def sharing(self, keys: Sequence[int], most: int) -> list[int] | None:
        """Give the entries that share one of the keys, in order; None where there are more than a number of."""
        found: list[int] = []
        for key in keys:
            posting = self._parts["heads"][self._key_slot(key >> 32)]
            while posting:
                if len(found) == most:
                    return None
                found.append(self._parts["entries"][posting - 1])
                older = self._parts["olders"][posting - 1]
                if older >= posting:
                    raise IndexError(older)  # an endless loop
                posting = older
        return sorted(set(found))

    def _place(self, entry: int, text: bytes) -> None:
        """Let the hash of a text lead to its entry."""
        slots = self._parts["slots"]
        slot = _first(hash_bytes(text), len(slots))
        while slots[slot]:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = entry + 1

    def _double_slots(self) -> None:
        self._parts["slots"] = array("I", [0]) * (2 * len(self._parts["slots"]))
        for entry in range(self._count):
            self._place(entry, self.text(entry))

    def _post(self, key: int, entry: int) -> None:
        """Let a key lead to an entry."""
        parts, posted = self._parts, self._posted
        for name in ("entries", "olders"):
            parts[name] = room(parts[name], "I", posted, 1)
        slot = self._key_slot(key)
        if self._keyed < 0:
            self._keyed = sum(map(bool, parts["heads"]))
        if not parts["heads"][slot]:
            self._keyed += 1
            if self._keyed > FULL * len(parts["heads"]):
                self._double_keys()
                slot = self._key_slot(key)
        parts["entries"][posted], parts["olders"][posted] = entry, parts["heads"][slot]
        parts["keys"][slot], parts["heads"][slot] = key, posted + 1
        self._posted += 1

    def _key_slot(self, key: int) -> int:
        """Find the slot of the upper half of a key, or the one it would take."""
        keys, heads = self._parts["keys"], self._parts["heads"]
        slot = _first(key << 32, len(heads))
        for _ in range(len(heads)):
            if not heads[slot] or keys[slot] == key:
                return slot
            slot = (slot + 1) & (len(heads) - 1)
        raise IndexError(slot)

    def _double_keys(self) -> None:
        old = self._parts["keys"], self._parts["heads"]
        for name in ("keys", "heads"):
            self._parts[name] = array(PARTS[name], [0]) * (2 * len(old[0]))
        for key, head in zip(*old, strict=True):
            if head:
                slot = self._key_slot(key)
                self._parts["keys"][slot], self._parts["heads"][slot] = key, head


class PieceTable(Table):
    """Texts of one length whose keys are pieces of themselves, each in its place; that saves half of the memory.

    A posting is the entry and the place in one number, and the key is read in the text: neither is stored.

    >>> table = PieceTable(pieces=(1, 2, 3))  # from byte 1 on, of two bytes each, three of them
    >>> table.add(b".aabbcc", 0), table.add(b".xxbbyy", 0), table.add(b".bbxxzz", 0)
    (0, 1, 2)
    >>> table.sharing_piece(b".qqbbqq", 10), table.sharing_piece(b".qqbbqq", 1)
    ([0, 1], None)
    >>> table.newest_by_piece(b".aabbqq", -1), table.newest_by_piece(b".aabbqq", 1)
    ({0, 1}, {0})
    """

    def __init__(self, parts: Mapping[str, Numbers] | None = None, *, pieces: tuple[int, int, int]) -> None:
        if parts is None:
            parts = {**empty(), "keys": array("I")}
        self._start, self._size, self._pieces = pieces
        check_pieces(parts, self._pieces)
        self._parts = {name: parts[name] for name in PARTS}
        self._count = len(parts["groups"])
        self._posted = len(parts["olders"])
        self._keyed = -1

    def parts(self) -> dict[str, memoryview[int]]:
        """Give the arrays without the room at their ends."""
        return {**super().parts(), "keys": memoryview(array("I")), "entries": memoryview(array("I"))}

    def add(self, text: bytes, group: int, keys: Sequence[int] = ()) -> int:
        """Add an entry that is not there yet, to be found by its pieces."""
        if len(text) < self._start + self._size * self._pieces:
            raise IndexError(len(text))
        entry = super().add(text, group, keys)
        for number in range(self._pieces):
            self._post_piece(text, number)
        return entry

    def _piece(self, text: bytes, number: int) -> bytes:
        start = self._start + self._size * number
        return text[start : start + self._size]

    def _post_piece(self, text: bytes, number: int) -> None:
        parts, posted = self._parts, self._posted
        parts["olders"] = room(parts["olders"], "I", posted, 1)
        slot = self._piece_slot(text, number)
        if self._keyed < 0:
            self._keyed = sum(map(bool, parts["heads"]))
        if not parts["heads"][slot]:
            self._keyed += 1
            if self._keyed > FULL * len(parts["heads"]):
                self._double_heads()
                slot = self._piece_slot(text, number)
        parts["olders"][posted], parts["heads"][slot] = parts["heads"][slot], posted + 1
        self._posted += 1

    def _piece_slot(self, text: bytes, number: int) -> int:
        """Find the slot of a piece, or the one it would take."""
        heads, piece = self._parts["heads"], self._piece(text, number)
        slot = _first(hash_bytes(bytes((number,)) + piece), len(heads))
        for _ in range(len(heads)):
            head = heads[slot]
            if not head:
                return slot
            entry, other = divmod(head - 1, self._pieces)
            if other == number and self._piece(self.text(entry), number) == piece:
                return slot
            slot = (slot + 1) & (len(heads) - 1)
        raise IndexError(slot)

    def _double_heads(self) -> None:
        old = self._parts["heads"]
        self._parts["heads"] = array("I", [0]) * (2 * len(old))
        for head in old:
            if head:
                entry, number = divmod(head - 1, self._pieces)
                self._parts["heads"][self._piece_slot(self.text(entry), number)] = head

    def _along_piece(self, text: bytes, number: int) -> Iterator[int]:
        """Give the entries that have a piece in common with a text, the newest first."""
        posting = self._parts["heads"][self._piece_slot(text, number)]
        while posting:
            if posting > self._posted:
                raise IndexError(posting)
            yield (posting - 1) // self._pieces
            older = self._parts["olders"][posting - 1]
            if older >= posting:
                raise IndexError(older)  # an endless loop
            posting = older

    def sharing_piece(self, text: bytes, most: int) -> list[int] | None:
        """Give the entries that have a piece in common with a text; None where there are more than a number of."""
        found: list[int] = []
        for number in range(self._pieces):
            for entry in self._along_piece(text, number):
                if len(found) == most:
                    return None
                found.append(entry)
        return sorted(set(found))

    def newest_by_piece(self, text: bytes, but: int) -> set[int]:
        """Give the newest entry with each piece of a text, but for one."""
        found = set()
        for number in range(self._pieces):
            for entry in self._along_piece(text, number):
                if entry != but:
                    found.add(entry)
                    break
        return found


def _first(hashed: int, slots: int) -> int:
    """Give the slot where the search for a hash begins: by its highest bits."""
    return hashed >> (65 - slots.bit_length()) & (slots - 1)
