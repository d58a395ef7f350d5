# cython: boundscheck=True
"""Which entries have this text, and which share a key with it? (native twin of table_py)

Every number may come from a damaged file, so each is checked before it is followed.
"""

from array import array

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from pagedrift._kernels.hashing_cy cimport hash_buffer

from pagedrift._kernels.table_py import check, empty, room


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
            self.starts = room(self.starts.base, "Q", entry + 1, 1)
        if entry >= self.groups.shape[0]:
            self.groups = room(self.groups.base, "I", entry, 1)
        if <Py_ssize_t>start + length > self.texts.shape[0]:
            self.texts = room(self.texts.base, "B", start, length)
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

    def newest(self, keys, holds):
        """Give the newest entry of each key of which it holds that it really has the key; see the twin."""
        cdef set found = set()
        cdef Py_ssize_t posting, older, index = 0
        cdef uint64_t key
        for key in keys:
            posting = self.heads[self.key_slot(<uint32_t>(key >> 32))]
            while posting and not holds(index, self.entries[posting - 1]):
                older = self.olders[posting - 1]
                if older >= posting:
                    raise IndexError(older)
                posting = older
            if posting:
                found.add(self.entries[posting - 1])
            index += 1
        return found

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
            self.entries = room(self.entries.base, "I", posted, 1)
        if posted >= self.olders.shape[0]:
            self.olders = room(self.olders.base, "I", posted, 1)
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
