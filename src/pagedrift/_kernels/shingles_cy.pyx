"""Which runs of tags does a page have, and how many do two pages share? (native twin of shingles_py)"""

from array import array

from cpython cimport array as c_array
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from pagedrift._kernels.hashing_cy cimport PRIME, SEED, finish, step

cdef enum:
    RECENT = 1024  # slots of the filter that takes out most repeated runs before they are sorted
    DIGITS = 8
    VALUES = 256

cdef c_array.array NO_HASHES = array("Q")


cdef Py_ssize_t roll(const uint32_t* codes, Py_ssize_t count, Py_ssize_t length, uint64_t* out) noexcept nogil:
    cdef uint64_t[RECENT] recent
    cdef uint64_t state = 0, last = 1, hashed
    cdef Py_ssize_t index, _index, found = 0
    memset(recent, 0, sizeof(recent))
    for _index in range(length):
        last *= PRIME
    for index in range(count):
        state = state * PRIME + step(SEED, codes[index])
        if index >= length:
            state -= step(SEED, codes[index - length]) * last
        if index >= length - 1:
            hashed = finish(state ^ (state >> 32))
            if recent[hashed % RECENT] != hashed or hashed == 0:
                recent[hashed % RECENT] = hashed
                out[found] = hashed
                found += 1
    return found


cdef uint64_t* sort(uint64_t* hashes, uint64_t* spare, Py_ssize_t count) noexcept nogil:
    # By digits of a byte: as long for hashes that an attacker chose as for any others.
    cdef Py_ssize_t[DIGITS][VALUES] starts
    cdef uint64_t hashed
    cdef Py_ssize_t index, before, here
    cdef int digit, value
    memset(starts, 0, sizeof(starts))
    for index in range(count):
        hashed = hashes[index]
        for digit in range(DIGITS):
            starts[digit][(hashed >> (8 * digit)) & 255] += 1
    for digit in range(DIGITS):
        before = 0
        for value in range(VALUES):
            here = starts[digit][value]
            starts[digit][value] = before
            before += here
        for index in range(count):
            hashed = hashes[index]
            value = (hashed >> (8 * digit)) & 255
            spare[starts[digit][value]] = hashed
            starts[digit][value] += 1
        hashes, spare = spare, hashes
    return hashes


cdef Py_ssize_t drop_repeated(uint64_t* hashes, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t index, kept = 0
    for index in range(count):
        if index == 0 or hashes[index] != hashes[index - 1]:
            hashes[kept] = hashes[index]
            kept += 1
    return kept


cdef c_array.array sorted_set(uint64_t* hashes, uint64_t* spare, Py_ssize_t count):
    cdef c_array.array result
    cdef uint64_t* ordered
    with nogil:
        ordered = sort(hashes, spare, count)
        count = drop_repeated(ordered, count)
    result = c_array.clone(NO_HASHES, count, zero=False)
    if count:
        memcpy(result.data.as_chars, ordered, count * sizeof(uint64_t))
    return result


def shingles(c_array.array codes not None, Py_ssize_t length):
    """Hash every run of so many codes, and give the different ones in order; see the twin."""
    cdef Py_ssize_t count = len(codes), found
    cdef uint64_t* room
    if codes.typecode != "I":
        raise TypeError("codes are an array of type I, as the codes of a page's tags are")
    if length < 1:
        raise ValueError("a shingle has at least one tag; give a length of 1 or more")
    if count < length:
        return array("Q")
    room = <uint64_t*>malloc(2 * count * sizeof(uint64_t))
    if room == NULL:
        raise MemoryError
    try:
        with nogil:
            found = roll(codes.data.as_uints, count, length, room)
        return sorted_set(room, room + count, found)
    finally:
        free(room)


cdef Py_ssize_t count_shared(
    const uint64_t* left, Py_ssize_t left_count, const uint64_t* right, Py_ssize_t right_count
) noexcept nogil:
    cdef Py_ssize_t i = 0, j = 0, shared = 0
    cdef uint64_t a, b
    while i < left_count and j < right_count:  # without a branch that the processor could guess wrong
        a = left[i]
        b = right[j]
        shared += a == b
        i += a <= b
        j += b <= a
    return shared


def count_common(c_array.array one not None, c_array.array other not None):
    """Count what two sorted arrays of different hashes share."""
    if one.typecode != "Q" or other.typecode != "Q":
        raise TypeError("hashes are an array of type Q, as shingles gives it")
    return count_shared(
        <const uint64_t*>one.data.as_voidptr, len(one), <const uint64_t*>other.data.as_voidptr, len(other)
    )


def overlaps(c_array.array one not None, sets not None):
    """Count what one shares with each of some; see the twin."""
    cdef c_array.array other
    cdef list shared = []
    if one.typecode != "Q":
        raise TypeError("hashes are an array of type Q, as shingles gives it")
    for other in sets:
        if other.typecode != "Q":
            raise TypeError("hashes are an array of type Q, as shingles gives it")
        shared.append(
            count_shared(
                <const uint64_t*>one.data.as_voidptr, len(one), <const uint64_t*>other.data.as_voidptr, len(other)
            )
        )
    return shared


def partition(c_array.array one not None, c_array.array other not None):
    """Part the first into what the second has too, and what it has not; see the twin."""
    cdef const uint64_t* left = <const uint64_t*>one.data.as_voidptr
    cdef const uint64_t* right = <const uint64_t*>other.data.as_voidptr
    cdef Py_ssize_t i, j = 0, left_count = len(one), right_count = len(other), both = 0, alone = 0
    cdef c_array.array shared, rest
    cdef uint64_t* shared_to
    cdef uint64_t* rest_to
    if one.typecode != "Q" or other.typecode != "Q":
        raise TypeError("hashes are an array of type Q, as shingles gives it")
    shared = c_array.clone(NO_HASHES, left_count, zero=False)
    rest = c_array.clone(NO_HASHES, left_count, zero=False)
    shared_to = <uint64_t*>shared.data.as_voidptr
    rest_to = <uint64_t*>rest.data.as_voidptr
    with nogil:
        for i in range(left_count):
            while j < right_count and right[j] < left[i]:
                j += 1
            if j < right_count and right[j] == left[i]:
                shared_to[both] = left[i]
                both += 1
            else:
                rest_to[alone] = left[i]
                alone += 1
    c_array.resize(shared, both)
    c_array.resize(rest, alone)
    return shared, rest


cdef void count_in(
    const uint64_t* kept, Py_ssize_t* counts, Py_ssize_t size, const uint64_t* other, Py_ssize_t other_size
) noexcept nogil:
    cdef Py_ssize_t i = 0, j = 0
    cdef uint64_t a, b
    while i < size and j < other_size:  # without a branch that the processor could guess wrong
        a = kept[i]
        b = other[j]
        counts[i] += a == b
        i += a <= b
        j += b <= a


def in_at_least(sets not None, Py_ssize_t least):
    """Give the hashes, in order, that at least so many of some sets have; see the twin.

    Such a hash is missing in few sets, so it is in one of the first few: only those are put together and sorted.
    """
    cdef Py_ssize_t count = 0, kept = 0, at = 0, index, first
    cdef c_array.array one, result
    cdef uint64_t* room
    cdef uint64_t* ordered
    cdef Py_ssize_t* counts
    first = max(0, len(sets) - max(least, 1) + 1)
    for one in sets:
        if one.typecode != "Q":
            raise TypeError("hashes are an array of type Q, as shingles gives it")
    for one in sets[:first]:
        count += len(one)
    room = <uint64_t*>malloc((3 * count + 1) * sizeof(uint64_t))
    if room == NULL:
        raise MemoryError
    try:
        for one in sets[:first]:
            memcpy(room + at, one.data.as_voidptr, len(one) * sizeof(uint64_t))
            at += len(one)
        with nogil:
            ordered = sort(room, room + count, count)
            count = drop_repeated(ordered, count)
        counts = <Py_ssize_t*>(room + 2 * at)
        memset(counts, 0, count * sizeof(Py_ssize_t))
        for one in sets:
            count_in(ordered, counts, count, <const uint64_t*>one.data.as_voidptr, len(one))
        for index in range(count):
            if counts[index] >= least:
                ordered[kept] = ordered[index]
                kept += 1
        result = c_array.clone(NO_HASHES, kept, zero=False)
        if kept:
            memcpy(result.data.as_voidptr, ordered, kept * sizeof(uint64_t))
        return result
    finally:
        free(room)


cdef Py_ssize_t take_out(uint64_t* kept, Py_ssize_t count, const uint64_t* other, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t i, j = 0, left = 0
    for i in range(count):
        while j < size and other[j] < kept[i]:
            j += 1
        if j == size or other[j] != kept[i]:
            kept[left] = kept[i]
            left += 1
    return left


def in_none_of(c_array.array one not None, sets not None, Py_ssize_t least):
    """Give what none of some sets has of one; see the twin."""
    cdef c_array.array other, result
    cdef Py_ssize_t left = len(one)
    if one.typecode != "Q":
        raise TypeError("hashes are an array of type Q, as shingles gives it")
    result = c_array.copy(one)
    for other in sets:
        if left < least:
            break
        if other.typecode != "Q":
            raise TypeError("hashes are an array of type Q, as shingles gives it")
        left = take_out(
            <uint64_t*>result.data.as_voidptr, left, <const uint64_t*>other.data.as_voidptr, len(other)
        )
    c_array.resize(result, left)
    return result
