"""Columns of numbers: taken by place, counted, numbered, gathered by number (native twin of numbering_py)."""

from array import array

from cpython cimport array as c_array
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free

from pagedrift._kernels.hashing_cy cimport SEED, finish, step
from pagedrift._kernels.page_cy cimport ints

from pagedrift._kernels.groups_py import Lists

cdef c_array.array INTS = array("i"), DOUBLES = array("d")


def take(c_array.array values, c_array.array places):
    """Give the values at some places."""
    cdef Py_ssize_t at, count = len(places)
    cdef c_array.array found = c_array.clone(INTS, count, zero=False)
    cdef const int32_t* all_values = ints(values)
    cdef const int32_t* wanted = ints(places)
    cdef int32_t* out = <int32_t*>found.data.as_ints
    for at in range(count):
        out[at] = all_values[wanted[at]]
    return found


def nearest(c_array.array numbers, c_array.array parents, bytes wanted, int32_t place):
    """Give what is wanted of the numbers at a place, at its parent and so on, the first that is not 0."""
    cdef const unsigned char* is_wanted = wanted
    while place > 0 and not is_wanted[numbers.data.as_ints[place]]:
        place = parents.data.as_ints[place]
    return is_wanted[numbers.data.as_ints[place]] if place > 0 else 0


def total(c_array.array values, c_array.array places):
    """Add up the values at some places."""
    cdef Py_ssize_t at, count = len(places)
    cdef const int32_t* all_values = ints(values)
    cdef const int32_t* wanted = ints(places)
    cdef int64_t found = 0
    for at in range(count):
        found += all_values[wanted[at]]
    return found


def count_before(bytes marks):
    """Count the marks before each place, and at the end."""
    cdef const unsigned char* marked = marks
    cdef Py_ssize_t at, count = len(marks)
    cdef c_array.array found = c_array.clone(INTS, count + 1, zero=False)
    cdef int32_t* out = <int32_t*>found.data.as_ints
    out[0] = 0
    for at in range(count):
        out[at + 1] = out[at] + marked[at]
    return found


def compare_spans(c_array.array marked, c_array.array starts, c_array.array stops, int32_t wanted):
    """Give the F1 of each span of words with a text of `wanted` words; `marked` counts the words that are of it."""
    cdef Py_ssize_t at, count = len(starts)
    cdef c_array.array found = c_array.clone(DOUBLES, count, zero=False)
    cdef const int32_t* before = ints(marked)
    cdef const int32_t* start = ints(starts)
    cdef const int32_t* stop = ints(stops)
    cdef int32_t common
    for at in range(count):
        common = min(before[stop[at]] - before[start[at]], wanted)
        found.data.as_doubles[at] = 2.0 * common / (stop[at] - start[at] + wanted)
    return found


def find_wanted(c_array.array numbers, bytes wanted):
    """Give the places of the numbers that are wanted."""
    cdef const unsigned char* is_wanted = wanted
    cdef const int32_t* number = ints(numbers)
    cdef Py_ssize_t at, count = 0, total = len(numbers)
    cdef c_array.array found = c_array.clone(INTS, total, zero=False)
    cdef int32_t* out = <int32_t*>found.data.as_ints
    for at in range(total):
        out[count] = <int32_t>at
        count += is_wanted[number[at]] != 0
    c_array.resize(found, count)
    return found


def count_covered(c_array.array starts, c_array.array stops, Py_ssize_t size):
    """Count the places before each, and at the end, that stand in one of some spans; the spans come in order."""
    cdef c_array.array found = c_array.clone(INTS, size + 1, zero=False)
    cdef const int32_t* start = ints(starts)
    cdef const int32_t* stop = ints(stops)
    cdef int32_t* out = <int32_t*>found.data.as_ints
    cdef Py_ssize_t place = 0, at, spans = len(starts)
    cdef int32_t count = 0
    for at in range(spans):
        while place < start[at]:
            out[place] = count
            place += 1
        while place < stop[at]:
            out[place] = count
            count += 1
            place += 1
    while place <= size:
        out[place] = count
        place += 1
    return found


def number_pairs(c_array.array one, c_array.array other):
    """Give numbers to the pairs of two columns, up to the end of the second."""
    cdef Py_ssize_t count = len(other), room = 16, slot
    while room < 2 * count:
        room *= 2
    cdef c_array.array found = c_array.clone(INTS, count, zero=False)
    cdef c_array.array firsts = c_array.clone(INTS, count, zero=False)
    cdef const int32_t* a = ints(one)
    cdef const int32_t* b = ints(other)
    cdef int32_t* first = <int32_t*>firsts.data.as_ints
    cdef int32_t* slots = <int32_t*>calloc(room, sizeof(int32_t))  # one more than a number; 0 for none
    cdef int32_t place, known = 0
    if slots == NULL:
        raise MemoryError
    for place in range(<int32_t>count):
        slot = <Py_ssize_t>finish(step(step(SEED, a[place]), b[place])) & (room - 1)
        while slots[slot] and (a[first[slots[slot] - 1]] != a[place] or b[first[slots[slot] - 1]] != b[place]):
            slot = (slot + 1) & (room - 1)
        if slots[slot] == 0:
            first[known] = place
            known += 1
            slots[slot] = known
        found.data.as_ints[place] = slots[slot] - 1
    free(slots)
    c_array.resize(firsts, known)
    return found, firsts


def gather(c_array.array numbers, Py_ssize_t count):
    """Give the places of each number below `count`, in order."""
    cdef Py_ssize_t at, total = len(numbers)
    cdef c_array.array starts = c_array.clone(INTS, count + 1, zero=True)
    cdef c_array.array places = c_array.clone(INTS, total, zero=False)
    cdef const int32_t* number = ints(numbers)
    cdef int32_t* ends = <int32_t*>starts.data.as_ints
    for at in range(total):
        ends[number[at] + 1] += 1
    for at in range(count):
        ends[at + 1] += ends[at]
    for at in range(total - 1, -1, -1):  # from the end of each on, so that its start is left
        ends[number[at] + 1] -= 1
        places.data.as_ints[ends[number[at] + 1]] = <int32_t>at
    # What was the end of one is now its start: move them one back.
    for at in range(count):
        ends[at] = ends[at + 1]
    ends[count] = <int32_t>total
    return Lists(starts, places)
