"""The elements of a page that have the same attributes (native twin of attributes_py)."""

from array import array

from cpython cimport array as c_array
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp

from pagedrift._kernels.hashing_cy cimport SEED, finish, hash_buffer, step
from pagedrift._kernels.page_cy cimport Page, open_page

cdef c_array.array INTS = array("i")


cdef inline int32_t next_wanted(Page* page, const unsigned char* wanted, int32_t at, int32_t end) noexcept nogil:
    while at < end and not wanted[page.attribute_name[at]]:
        at += 1
    return at


cdef uint64_t hash_wanted(Page* page, const unsigned char* wanted, int32_t node) noexcept nogil:
    # 0 for a node that has none of them.
    cdef uint64_t state = SEED
    cdef int32_t end = page.attribute_start[node + 1], found = 0
    cdef int32_t at = next_wanted(page, wanted, page.attribute_start[node], end)
    while at < end:
        found = 1
        state = step(state, page.attribute_name[at])
        state = step(state, hash_buffer(
            page.values + page.value_start[at], page.value_start[at + 1] - page.value_start[at]
        ))
        at = next_wanted(page, wanted, at + 1, end)
    return finish(state) | 1 if found else 0


cdef bint are_same(Page* page, const unsigned char* wanted, int32_t one, int32_t other) noexcept nogil:
    cdef int32_t end = page.attribute_start[one + 1], stop = page.attribute_start[other + 1], size
    cdef int32_t at = next_wanted(page, wanted, page.attribute_start[one], end)
    cdef int32_t to = next_wanted(page, wanted, page.attribute_start[other], stop)
    while at < end and to < stop:
        size = page.value_start[at + 1] - page.value_start[at]
        if page.attribute_name[at] != page.attribute_name[to]:
            return False
        if size != page.value_start[to + 1] - page.value_start[to]:
            return False
        if memcmp(page.values + page.value_start[at], page.values + page.value_start[to], size):
            return False
        at = next_wanted(page, wanted, at + 1, end)
        to = next_wanted(page, wanted, to + 1, stop)
    return at >= end and to >= stop


def number_attributes(columns, bytes wanted):
    """Give numbers to nodes by their attributes of the wanted names."""
    cdef Page page
    open_page(&page, columns)
    cdef const unsigned char* counts = wanted
    cdef Py_ssize_t room = 16
    while room < 2 * page.count:
        room *= 2
    cdef c_array.array found = c_array.clone(INTS, page.count, zero=True)
    cdef c_array.array firsts = c_array.clone(INTS, page.count + 1, zero=True)
    cdef int32_t* slots = <int32_t*>calloc(room, sizeof(int32_t))
    if slots == NULL:
        raise MemoryError
    cdef int32_t node, count = 1
    cdef uint64_t hashed
    cdef Py_ssize_t slot
    for node in range(<int32_t>page.count):
        hashed = hash_wanted(&page, counts, node)
        if hashed == 0:
            continue
        slot = <Py_ssize_t>hashed & (room - 1)
        while slots[slot] and not are_same(&page, counts, firsts.data.as_ints[slots[slot]], node):
            slot = (slot + 1) & (room - 1)
        if slots[slot] == 0:
            slots[slot] = count
            firsts.data.as_ints[count] = node
            count += 1
        found.data.as_ints[node] = slots[slot]
    free(slots)
    c_array.resize(firsts, count)
    return found, firsts
