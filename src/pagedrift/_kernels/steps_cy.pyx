"""Which nodes were added, removed, moved or changed, and where does each node stand? (native twin of steps_py)"""

from array import array

from cpython cimport array as c_array
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp

from pagedrift._kernels.hashing_cy cimport step
from pagedrift._kernels.page_cy cimport Page, label, open_page

from pagedrift._kernels import steps_py as _twin

cdef enum:
    DELETED = 0
    INSERTED = 1
    MOVED = 2
    CHANGED = 3
    ELEMENT = 2
    NONE = -1

cdef uint64_t BEGIN = _twin.BEGIN
cdef c_array.array INTS = array("i"), LONGS = array("Q")


def place_nodes(columns):
    """Count the children of each node, and each of them as it comes."""
    cdef Page page
    cdef int32_t parent, child, key, position
    open_page(&page, columns)
    cdef c_array.array positions = c_array.clone(INTS, page.count, zero=True)
    cdef c_array.array ranks = c_array.clone(INTS, page.count, zero=True)
    cdef c_array.array numbers = c_array.clone(INTS, page.count, zero=True)
    cdef c_array.array places = c_array.clone(LONGS, page.count, zero=True)
    cdef uint64_t* place = <uint64_t*>places.data.as_ulonglongs
    cdef int32_t* times = <int32_t*>calloc(page.names + 8, sizeof(int32_t))
    if times == NULL:
        raise MemoryError
    place[0] = BEGIN
    for parent in range(page.count):
        position = 0
        child = page.first_child[parent]
        while child != NONE:
            key = sort_of(&page, child)
            times[key] += 1
            positions.data.as_ints[child] = position
            ranks.data.as_ints[child] = times[key]
            place[child] = step(step(place[parent], label(&page, child)), times[key])
            position += 1
            child = page.next_sibling[child]
        child = page.first_child[parent]
        while child != NONE:
            numbers.data.as_ints[child] = times[sort_of(&page, child)]
            child = page.next_sibling[child]
        child = page.first_child[parent]
        while child != NONE:
            times[sort_of(&page, child)] = 0
            child = page.next_sibling[child]
    free(times)
    return _twin.Placed(positions, ranks, numbers, places)


cdef inline int32_t sort_of(Page* page, int32_t node) noexcept nogil:
    # A small number for a node's label.
    return page.name[node] if page.kind[node] == ELEMENT else page.names + page.kind[node]


def find_steps(old_columns, new_columns, partners):
    """List what happened to which old and new node, in the order of the new page."""
    cdef Page old, new
    cdef c_array.array new_array = partners[0], old_array = partners[1]
    cdef const int32_t* new_of = <const int32_t*>new_array.data.as_ints
    cdef const int32_t* old_of = <const int32_t*>old_array.data.as_ints
    cdef bytearray same_bytes = partners[3]
    cdef const unsigned char* same = same_bytes
    cdef int32_t i, j = 0, child
    cdef list found = []
    open_page(&old, old_columns)
    open_page(&new, new_columns)
    cdef bytearray moved_bytes = bytearray(new.count)
    cdef unsigned char* moved = moved_bytes
    while j < new.count:
        i = old_of[j]
        if i == NONE:
            if old_of[new.parent[j]] != NONE:
                found.append((INSERTED, NONE, j))
            child = new.first_child[j]
            while child != NONE:
                moved[child] = old_of[child] != NONE
                child = new.next_sibling[child]
            j += 1
            continue
        if same[j]:
            if moved[j]:
                found.append((MOVED, i, j))
            j = new.end[j]
            continue
        child = old.first_child[i]
        while child != NONE:
            if new_of[child] == NONE:
                found.append((DELETED, child, NONE))
            child = old.next_sibling[child]
        mark_moved(&old, &new, old_of, moved, i, j)
        if moved[j]:
            found.append((MOVED, i, j))
        if differ(&old, &new, i, j):
            found.append((CHANGED, i, j))
        j += 1
    return found


cdef int mark_moved(
    Page* old, Page* new, const int32_t* old_of, unsigned char* moved, int32_t i, int32_t j
) except -1:
    # Those under another parent; and those in another order, by the twin, which is seldom needed.
    cdef int32_t child = new.first_child[j], last = NONE
    cdef bint in_order = True
    while child != NONE:
        if old_of[child] != NONE:
            if old.parent[old_of[child]] != i:
                moved[child] = 1
            else:
                in_order = in_order and old_of[child] > last
                last = old_of[child]
        child = new.next_sibling[child]
    if in_order:
        return 0
    before = []
    child = new.first_child[j]
    while child != NONE:
        if old_of[child] != NONE and not moved[child]:
            before.append(old_of[child])
        child = new.next_sibling[child]
    kept = _twin.longest_increasing(before)
    child = new.first_child[j]
    while child != NONE:
        if old_of[child] != NONE and not moved[child]:
            moved[child] = old_of[child] not in kept
        child = new.next_sibling[child]
    return 0


cdef bint differ(Page* old, Page* new, int32_t i, int32_t j) noexcept nogil:
    cdef int32_t before = old.attribute_start[i], after = new.attribute_start[j], index, size
    cdef int32_t count = old.attribute_start[i + 1] - before
    if old.kind[i] != ELEMENT:
        size = old.text_start[i + 1] - old.text_start[i]
        if size != new.text_start[j + 1] - new.text_start[j]:
            return True
        return memcmp(old.texts + old.text_start[i], new.texts + new.text_start[j], size) != 0
    if label(old, i) != label(new, j) or count != new.attribute_start[j + 1] - after:
        return True
    for index in range(count):
        if old.name_hash[old.attribute_name[before + index]] != new.name_hash[new.attribute_name[after + index]]:
            return True
        size = old.value_start[before + index + 1] - old.value_start[before + index]
        if size != new.value_start[after + index + 1] - new.value_start[after + index]:
            return True
        if memcmp(
            old.values + old.value_start[before + index], new.values + new.value_start[after + index], size
        ) != 0:
            return True
    return False
