"""What was done to the words that did not stay? (native twin of operations_py)"""

from array import array

from cpython cimport array as c_array
from libc.stdlib cimport calloc, free

cdef c_array.array _EMPTY = array("i")


cdef enum:  # what became of a word
    LEFT, KEPT, MOVED, AGAIN, REPLACED


cdef struct Page:
    const int* ids
    Py_ssize_t length
    int* counts     # how often each word occurs
    int* left       # how many of them are left over
    char* fate      # of each place


def operations(
    c_array.array old not None,
    c_array.array new not None,
    c_array.array kept_old not None,
    c_array.array kept_new not None,
    Py_ssize_t words,
    *,
    bint spare,
    bint together,
):
    """Tell at which places words were added, dropped, copied, shrunk, replaced and moved."""
    cdef Page one, other
    one.length, other.length = len(old), len(new)
    cdef char* memory = <char*>calloc(5 * words * sizeof(int) + one.length + other.length + 1, 1)
    cdef int* moves = <int*>memory
    if memory is NULL:
        raise MemoryError
    try:
        one.counts, one.left = moves + words, moves + 2 * words
        other.counts, other.left = moves + 3 * words, moves + 4 * words
        one.fate = <char*>(moves + 5 * words)
        other.fate = one.fate + one.length
        _open(&one, old, kept_old)
        _open(&other, new, kept_new)
        _count_moves(&one, &other, moves, words, spare)
        _move(&one, moves)
        _move(&other, moves)
        _repeat(&one)
        _repeat(&other)
        _replace(&one, &other, together)
        return (_places(&other, LEFT), _places(&one, LEFT), _places(&other, AGAIN), _places(&one, AGAIN),
                _places(&other, REPLACED), _places(&other, MOVED))
    finally:
        free(memory)


cdef void _open(Page* page, c_array.array ids, c_array.array kept) noexcept:
    cdef Py_ssize_t place
    page.ids = ids.data.as_ints
    for place in range(len(kept)):
        page.fate[kept.data.as_ints[place]] = KEPT
    for place in range(page.length):
        page.counts[page.ids[place]] += 1
        page.left[page.ids[place]] += page.fate[place] == LEFT


cdef void _count_moves(Page* one, Page* other, int* moves, Py_ssize_t words, bint spare) noexcept:
    cdef Py_ssize_t word
    for word in range(words):
        moves[word] = min(one.left[word], other.left[word])
        if spare and moves[word]:
            moves[word] -= min(moves[word], min(one.counts[word], other.counts[word]) - 1)


cdef void _move(Page* page, const int* moves) noexcept:
    cdef Py_ssize_t place
    cdef int word
    # From the end, since the first ones are moved: those after which no more than the moves are left.
    for place in range(page.length - 1, -1, -1):
        word = page.ids[place]
        if page.fate[place] == LEFT:
            if page.left[word] <= moves[word]:
                page.fate[place] = MOVED
            page.left[word] -= 1


cdef void _repeat(Page* page) noexcept:
    cdef Py_ssize_t place
    cdef int word
    for place in range(page.length):  # `left` is 0 everywhere again
        page.left[page.ids[place]] += page.fate[place] == LEFT
    for place in range(page.length):
        word = page.ids[place]
        if page.fate[place] == LEFT:
            if page.left[word] < page.counts[word]:
                page.fate[place] = AGAIN
            page.left[word] = 0


cdef void _replace(Page* one, Page* other, bint together) noexcept:
    cdef Py_ssize_t place
    for place in range(min(one.length, other.length)):
        if one.fate[place] == other.fate[place] and (
            one.fate[place] == LEFT or (together and one.fate[place] == AGAIN)
        ):
            one.fate[place] = other.fate[place] = REPLACED


cdef c_array.array _places(const Page* page, char fate):
    cdef Py_ssize_t place
    cdef Py_ssize_t many = 0
    for place in range(page.length):
        many += page.fate[place] == fate
    cdef c_array.array places = c_array.clone(_EMPTY, many, False)
    many = 0
    for place in range(page.length):
        if page.fate[place] == fate:
            places.data.as_ints[many] = <int>place
            many += 1
    return places
