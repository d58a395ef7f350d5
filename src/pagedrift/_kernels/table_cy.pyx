# cython: boundscheck=True
"""Which entries have this text, and which share a key with it? (native twin of table_py)

Every number may come from a damaged file, so each is checked before it is followed.
"""

from array import array

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from pagedrift._kernels.hashing_cy cimport hash_buffer

from pagedrift._kernels.table_py import check, check_pieces, empty, room


cdef inline Py_ssize_t first(uint64_t hashed, Py_ssize_t slots) noexcept nogil:
    cdef int bits = 0
    while (<Py_ssize_t>1 << bits) < slots:
        bits += 1
    return <Py_ssize_t>(hashed >> (64 - bits))


cdef class Table:
    """Texts with a group each, found by themselves or by keys; see the twin."""

    cdef uint64_t[::1] starts
    cdef unsigned char[::1] texts
    cdef uint32_t[::1] groups
    cdef uint32_t[::1] slots
    cdef uint32_t[::1] keys
    cdef uint32_t[::1] heads
    cdef uint32_t[::1] entries
    cdef uint32_t[::1] olders
    cdef Py_ssize_t count, posted, keyed

    def __init__(self, parts=None):
        if parts is None:
            parts = empty()
        check(parts)
        self.starts, self.texts, self.groups = parts["starts"], parts["texts"], parts["groups"]
        self.slots, self.keys, self.heads = parts["slots"], parts["keys"], parts["heads"]
        self.entries, self.olders = parts["entries"], parts["olders"]
        self.count = self.groups.shape[0]
        self.posted = self.entries.shape[0]
        self.keyed = -1

    def __len__(self):
        return self.count

    def parts(self):
        """Give the arrays without the room at their ends."""
        return {
            "starts": memoryview(self.starts.base)[:self.count + 1],
            "texts": memoryview(self.texts.base)[:self.starts[self.count]],
            "groups": memoryview(self.groups.base)[:self.count],
            "slots": memoryview(self.slots.base),
            "keys": memoryview(self.keys.base),
            "heads": memoryview(self.heads.base),
            "entries": memoryview(self.entries.base)[:self.posted],
            "olders": memoryview(self.olders.base)[:self.posted],
        }

    cdef const unsigned char* see(self, Py_ssize_t entry, Py_ssize_t* length) except NULL:
        cdef uint64_t start, end
        if not 0 <= entry < self.count:
            raise IndexError(entry)
        start, end = self.starts[entry], self.starts[entry + 1]
        if not start <= end <= <uint64_t>self.texts.shape[0]:
            raise IndexError(entry)
        length[0] = <Py_ssize_t>(end - start)
        if not self.texts.shape[0]:
            return <const unsigned char*>b""
        return <const unsigned char*>(&self.texts[0]) + start

    def text(self, Py_ssize_t entry):
        """Give the text of an entry."""
        cdef Py_ssize_t length
        cdef const unsigned char* text = self.see(entry, &length)
        return PyBytes_FromStringAndSize(<const char*>text, length)

    def group(self, Py_ssize_t entry):
        """Give the group of an entry."""
        if not 0 <= entry < self.count:
            raise IndexError(entry)
        return self.groups[entry]

    def find(self, bytes text not None, uint32_t group):
        """Give the entry with exactly this text and group, or -1."""
        cdef const unsigned char* wanted = <const unsigned char*>text
        cdef Py_ssize_t length = len(text), slots = self.slots.shape[0], size
        cdef Py_ssize_t slot = first(hash_buffer(wanted, length), slots)
        cdef Py_ssize_t entry, _step
        cdef const unsigned char* seen
        for _step in range(slots):
            if not self.slots[slot]:
                return -1
            entry = <Py_ssize_t>self.slots[slot] - 1
            seen = self.see(entry, &size)
            if size == length and memcmp(seen, wanted, length) == 0 and self.groups[entry] == group:
                return entry
            slot = (slot + 1) & (slots - 1)
        raise IndexError(slot)

    def having(self, bytes text not None):
        """Give the entries with exactly this text, of all groups."""
        cdef const unsigned char* wanted = <const unsigned char*>text
        cdef Py_ssize_t length = len(text), slots = self.slots.shape[0], size
        cdef Py_ssize_t slot = first(hash_buffer(wanted, length), slots)
        cdef Py_ssize_t _step
        cdef const unsigned char* seen
        cdef list found = []
        for _step in range(slots):
            if not self.slots[slot]:
                return found
            seen = self.see(<Py_ssize_t>self.slots[slot] - 1, &size)
            if size == length and memcmp(seen, wanted, length) == 0:
                found.append(self.slots[slot] - 1)
            slot = (slot + 1) & (slots - 1)
        raise IndexError(slot)

    def add(self, bytes text not None, uint32_t group, keys):
        """Add an entry that is not there yet, to be found by these keys."""
        cdef Py_ssize_t entry = self.count, length = len(text)
        cdef uint64_t start = self.starts[entry], key
        if entry + 1 >= self.starts.shape[0]:
            held = self.starts.base
            self.starts = None  # or else it could not grow where it stands
            self.starts = room(held, "Q", entry + 1, 1)
        if entry >= self.groups.shape[0]:
            held = self.groups.base
            self.groups = None  # or else it could not grow where it stands
            self.groups = room(held, "I", entry, 1)
        if <Py_ssize_t>start + length > self.texts.shape[0]:
            held = self.texts.base
            self.texts = None  # or else it could not grow where it stands
            self.texts = room(held, "B", start, length)
        self.starts[entry + 1] = start + length
        self.groups[entry] = group
        if length:
            memcpy(&self.texts[start], <const unsigned char*>text, length)
        self.count += 1
        if 4 * self.count > 3 * self.slots.shape[0]:
            self.double_slots()
        else:
            self.place(entry)
        for key in keys:
            self.post(<uint32_t>(key >> 32), entry)
        return entry

    def sharing(self, keys, Py_ssize_t most):
        """Give the entries that share one of the keys, in order; None where there are more than so many."""
        cdef list found = []
        cdef Py_ssize_t posting, older
        cdef uint64_t key
        for key in keys:
            posting = self.heads[self.key_slot(<uint32_t>(key >> 32))]
            while posting:
                if len(found) == most:
                    return None
                found.append(self.entries[posting - 1])
                older = self.olders[posting - 1]
                if older >= posting:
                    raise IndexError(older)
                posting = older
        return sorted(set(found)) if len(found) > 1 else found

    cdef int place(self, Py_ssize_t entry) except -1:
        cdef Py_ssize_t length, slots = self.slots.shape[0]
        cdef const unsigned char* text = self.see(entry, &length)
        cdef Py_ssize_t slot = first(hash_buffer(text, length), slots)
        while self.slots[slot]:
            slot = (slot + 1) & (slots - 1)
        self.slots[slot] = <uint32_t>(entry + 1)
        return 0

    cdef int double_slots(self) except -1:
        cdef Py_ssize_t entry
        self.slots = array("I", [0]) * (2 * self.slots.shape[0])
        for entry in range(self.count):
            self.place(entry)
        return 0

    cdef int post(self, uint32_t key, Py_ssize_t entry) except -1:
        cdef Py_ssize_t posted = self.posted, slot = self.key_slot(key)
        if posted >= self.entries.shape[0]:
            held = self.entries.base
            self.entries = None  # or else it could not grow where it stands
            self.entries = room(held, "I", posted, 1)
        if posted >= self.olders.shape[0]:
            held = self.olders.base
            self.olders = None  # or else it could not grow where it stands
            self.olders = room(held, "I", posted, 1)
        if self.keyed < 0:
            self.count_keys()
        if not self.heads[slot]:
            self.keyed += 1
            if 4 * self.keyed > 3 * self.heads.shape[0]:
                self.double_keys()
                slot = self.key_slot(key)
        self.entries[posted] = <uint32_t>entry
        self.olders[posted] = self.heads[slot]
        self.keys[slot] = key
        self.heads[slot] = <uint32_t>(posted + 1)
        self.posted += 1
        return 0

    cdef int count_keys(self) except -1:
        cdef Py_ssize_t slot
        self.keyed = 0
        for slot in range(self.heads.shape[0]):
            self.keyed += self.heads[slot] != 0
        return 0

    cdef Py_ssize_t key_slot(self, uint32_t key) except -1:
        cdef Py_ssize_t _step, slots = self.heads.shape[0]
        cdef Py_ssize_t slot = first(<uint64_t>key << 32, slots)
        for _step in range(slots):
            if not self.heads[slot] or self.keys[slot] == key:
                return slot
            slot = (slot + 1) & (slots - 1)
        raise IndexError(slot)

    cdef int double_keys(self) except -1:
        cdef uint32_t[::1] keys = self.keys
        cdef uint32_t[::1] heads = self.heads
        cdef Py_ssize_t old, slot
        self.keys = array("I", [0]) * (2 * keys.shape[0])
        self.heads = array("I", [0]) * (2 * heads.shape[0])
        for old in range(heads.shape[0]):
            if heads[old]:
                slot = self.key_slot(keys[old])
                self.keys[slot] = keys[old]
                self.heads[slot] = heads[old]
        return 0


cdef class PieceTable(Table):
    """Texts of one length whose keys are pieces of themselves; see the twin."""

    cdef Py_ssize_t start, size, pieces

    def __init__(self, parts=None, *, pieces):
        if parts is None:
            parts = {**empty(), "keys": array("I")}
        self.start, self.size, self.pieces = pieces
        check_pieces(parts, self.pieces)
        self.starts, self.texts, self.groups = parts["starts"], parts["texts"], parts["groups"]
        self.slots, self.heads, self.olders = parts["slots"], parts["heads"], parts["olders"]
        self.keys = self.entries = array("I")
        self.count = self.groups.shape[0]
        self.posted = self.olders.shape[0]
        self.keyed = -1

    def parts(self):
        """Give the arrays without the room at their ends."""
        return {
            "starts": memoryview(self.starts.base)[:self.count + 1],
            "texts": memoryview(self.texts.base)[:self.starts[self.count]],
            "groups": memoryview(self.groups.base)[:self.count],
            "slots": memoryview(self.slots.base),
            "keys": memoryview(array("I")),
            "heads": memoryview(self.heads.base),
            "entries": memoryview(array("I")),
            "olders": memoryview(self.olders.base)[:self.posted],
        }

    def add(self, bytes text not None, uint32_t group, keys=()):
        """Add an entry that is not there yet, to be found by its pieces."""
        cdef Py_ssize_t entry, number
        if len(text) < self.start + self.size * self.pieces:
            raise IndexError(len(text))
        entry = Table.add(self, text, group, keys)
        for number in range(self.pieces):
            self.post_piece(<const unsigned char*>text, number)
        return entry

    cdef int post_piece(self, const unsigned char* text, Py_ssize_t number) except -1:
        cdef Py_ssize_t posted = self.posted, slot = self.piece_slot(text, number)
        if posted >= self.olders.shape[0]:
            held = self.olders.base
            self.olders = None  # or else it could not grow where it stands
            self.olders = room(held, "I", posted, 1)
        if self.keyed < 0:
            self.count_keys()
        if not self.heads[slot]:
            self.keyed += 1
            if 4 * self.keyed > 3 * self.heads.shape[0]:
                self.double_heads()
                slot = self.piece_slot(text, number)
        self.olders[posted] = self.heads[slot]
        self.heads[slot] = <uint32_t>(posted + 1)
        self.posted += 1
        return 0

    cdef Py_ssize_t piece_slot(self, const unsigned char* text, Py_ssize_t number) except -1:
        cdef unsigned char[64] key
        cdef const unsigned char* piece = text + self.start + self.size * number
        cdef const unsigned char* other
        cdef Py_ssize_t _step, length, head, slots = self.heads.shape[0], slot
        if self.size > 63:
            raise IndexError(self.size)
        key[0] = <unsigned char>number
        memcpy(key + 1, piece, self.size)
        slot = first(hash_buffer(key, self.size + 1), slots)
        for _step in range(slots):
            head = self.heads[slot]
            if not head:
                return slot
            if (head - 1) % self.pieces == number:
                other = self.see((head - 1) // self.pieces, &length)
                if length < self.start + self.size * self.pieces:
                    raise IndexError(length)
                if memcmp(other + self.start + self.size * number, piece, self.size) == 0:
                    return slot
            slot = (slot + 1) & (slots - 1)
        raise IndexError(slot)

    cdef int double_heads(self) except -1:
        cdef uint32_t[::1] heads = self.heads
        cdef Py_ssize_t old, length
        cdef const unsigned char* text
        self.heads = array("I", [0]) * (2 * heads.shape[0])
        for old in range(heads.shape[0]):
            if heads[old]:
                text = self.see((heads[old] - 1) // self.pieces, &length)
                if length < self.start + self.size * self.pieces:
                    raise IndexError(length)
                self.heads[self.piece_slot(text, (heads[old] - 1) % self.pieces)] = heads[old]
        return 0

    cdef Py_ssize_t head_of(self, bytes text, Py_ssize_t number) except -1:
        if len(text) < self.start + self.size * self.pieces:
            raise IndexError(len(text))
        return self.heads[self.piece_slot(<const unsigned char*>text, number)]

    cdef Py_ssize_t older_of(self, Py_ssize_t posting) except -1:
        cdef Py_ssize_t older
        if posting > self.posted:
            raise IndexError(posting)
        older = self.olders[posting - 1]
        if older >= posting:
            raise IndexError(older)
        return older

    def sharing_piece(self, bytes text not None, Py_ssize_t most):
        """Give the entries that have a piece in common with a text; None where there are more than so many."""
        cdef list found = []
        cdef Py_ssize_t posting, number, older
        for number in range(self.pieces):
            posting = self.head_of(text, number)
            while posting:
                older = self.older_of(posting)
                if len(found) == most:
                    return None
                found.append((posting - 1) // self.pieces)
                posting = older
        return sorted(set(found))

    def newest_by_piece(self, bytes text not None, Py_ssize_t but):
        """Give the newest entry with each piece of a text, but for one."""
        cdef set found = set()
        cdef Py_ssize_t posting, number
        for number in range(self.pieces):
            posting = self.head_of(text, number)
            while posting:
                if (posting - 1) // self.pieces != but:
                    found.add((posting - 1) // self.pieces)
                    break
                posting = self.older_of(posting)
        return found
