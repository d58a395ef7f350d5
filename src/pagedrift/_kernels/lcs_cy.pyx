"""Which words of two pages stay where they are, in order? (native twin of lcs_py)"""

from array import array

from cpython cimport array as c_array
from cpython.dict cimport PyDict_GetItem, PyDict_SetItem
from cpython.ref cimport PyObject
from libc.math cimport sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

cdef Py_ssize_t STORED = 1 << 20  # blocks of 64 bits: as long as all rows need no more, they are stored
cdef Py_ssize_t FIRST = 128       # words that may differ, for a start
cdef Py_ssize_t SMALL = 1 << 16   # blocks of all rows: no more, and the second try allows for all that may differ
cdef uint64_t _PRIME = <uint64_t>0x9E3779B97F4A7C15  # the golden ratio: odd, with no pattern in its bits

cdef c_array.array _EMPTY = array("i")


cdef enum:
    FAR = -2


cdef struct Masks:
    # Where each word occurs on the new page: as places in order, and, where these are many, as bits.
    const int* places
    const int* starts   # of the places of each word, and of the next
    const int* dense    # which of the rows of bits, or -1
    uint64_t* bits
    Py_ssize_t blocks


cdef struct Band:
    # Row i is computed from place i - before to i + after on the new page.
    Py_ssize_t before
    Py_ssize_t after
    Py_ssize_t width    # blocks that a row can have
    Py_ssize_t last     # the last block of the page


cdef struct Run:
    # A run of words on the old page, and how often it was seen on both.
    int place
    int old_count
    int new_count
    int new_place


cdef struct Runs:
    Run* table          # by hash; free where old_count is -1
    uint64_t mask
    const int* old
    Py_ssize_t length


def intern_words(old, new):
    """Give every word a number, in order of appearance; and tell how many there are."""
    cdef dict numbers = {}
    old_ids = _number(tuple(old), numbers)
    return old_ids, _number(tuple(new), numbers), len(numbers)


cdef _number(tuple words, dict numbers):
    cdef c_array.array ids = c_array.clone(_EMPTY, len(words), False)
    cdef int* view = ids.data.as_ints
    cdef Py_ssize_t place
    cdef PyObject* known
    for place in range(len(words)):
        word = words[place]
        known = PyDict_GetItem(numbers, word)
        if known is NULL:
            view[place] = <int>len(numbers)
            PyDict_SetItem(numbers, word, len(numbers))
        else:
            view[place] = <int><object>known
    return ids


def lcs_places(
    c_array.array old not None, c_array.array new not None, Py_ssize_t most, int old_start=0, int new_start=0
):
    """Find the places of a longest common subsequence, in order; None if more than `most` words differ."""
    cdef Py_ssize_t n = len(old)
    cdef Py_ssize_t m = len(new)
    cdef int* memory = <int*>malloc((3 * (n + m) + 1) * sizeof(int))
    if memory is NULL:
        raise MemoryError
    try:
        return _longest(old.data.as_ints, n, new.data.as_ints, m, most, memory, old_start, new_start)
    finally:
        free(memory)


cdef _longest(const int* one, Py_ssize_t n, const int* other, Py_ssize_t m, Py_ssize_t most, int* memory,
              int old_start, int new_start):
    cdef int* old = memory              # the words that both pages have, as new numbers from 0
    cdef int* old_places = old + n
    cdef int* new = old_places + n
    cdef int* new_places = new + m
    cdef int* kept_old = new_places + m
    cdef int* kept_new = kept_old + n
    cdef Py_ssize_t words = 0
    cdef Py_ssize_t head = 0
    cdef Py_ssize_t tail = 0
    cdef Py_ssize_t found, place
    words = _leave_out(one, &n, other, &m, old, old_places, new, new_places)
    if words < 0:
        raise MemoryError
    if _surplus(old, n, new, m, words, kept_old) > most:
        return None
    while head < n and head < m and old[head] == new[head]:
        kept_old[head] = old_places[head]
        kept_new[head] = new_places[head]
        head += 1
    while tail < n - head and tail < m - head and old[n - 1 - tail] == new[m - 1 - tail]:
        tail += 1
    found = _align(old + head, n - head - tail, new + head, m - head - tail, words, most,
                   kept_old + head, kept_new + head)
    if found == -1:
        raise MemoryError
    if found == FAR:
        return None
    for place in range(head, head + found):
        kept_old[place] = old_places[head + kept_old[place]]
        kept_new[place] = new_places[head + kept_new[place]]
    found += head
    for place in range(tail):
        kept_old[found + place] = old_places[n - tail + place]
        kept_new[found + place] = new_places[m - tail + place]
    found += tail
    return _array(kept_old, found, old_start), _array(kept_new, found, new_start)


cdef c_array.array _array(const int* places, Py_ssize_t length, int start):
    cdef c_array.array made = c_array.clone(_EMPTY, length, False)
    cdef Py_ssize_t at
    for at in range(length):
        made.data.as_ints[at] = start + places[at]
    return made


cdef Py_ssize_t _leave_out(const int* one, Py_ssize_t* n, const int* other, Py_ssize_t* m,
                           int* old, int* old_places, int* new, int* new_places) noexcept:
    # Keep only words of both pages, numbered from 0; tell how many different ones, -1 without memory.
    cdef Py_ssize_t words = 0
    cdef Py_ssize_t place, many
    cdef int top = 0
    cdef int* numbers
    for place in range(n[0]):
        top = max(top, one[place])
    for place in range(m[0]):
        top = max(top, other[place])
    numbers = <int*>calloc(top + 1, sizeof(int))
    if numbers is NULL:
        return -1
    for place in range(n[0]):
        numbers[one[place]] = -1
    many = 0
    for place in range(m[0]):
        if numbers[other[place]]:
            if numbers[other[place]] < 0:
                words += 1
                numbers[other[place]] = <int>words
            new[many] = numbers[other[place]] - 1
            new_places[many] = <int>place
            many += 1
    m[0] = many
    many = 0
    for place in range(n[0]):
        if numbers[one[place]] > 0:
            old[many] = numbers[one[place]] - 1
            old_places[many] = <int>place
            many += 1
    n[0] = many
    free(numbers)
    return words


cdef Py_ssize_t _surplus(const int* old, Py_ssize_t n, const int* new, Py_ssize_t m, Py_ssize_t words,
                         int* counts) noexcept:
    # How many words differ at least: those that one page has more of. There are fewer words than places.
    cdef Py_ssize_t place
    cdef Py_ssize_t many = 0
    memset(counts, 0, words * sizeof(int))
    for place in range(n):
        counts[old[place]] += 1
    for place in range(m):
        counts[new[place]] -= 1
    for place in range(words):
        many += abs(counts[place])
    return many


cdef Py_ssize_t _align(const int* old, Py_ssize_t n, const int* new, Py_ssize_t m, Py_ssize_t words,
                       Py_ssize_t most, int* kept_old, int* kept_new) noexcept:
    # Write the places that are kept; give their number, FAR if more words differ than allowed, -1 without memory.
    cdef Masks masks
    cdef Py_ssize_t differ = -1
    cdef Py_ssize_t found
    cdef int* memory
    if n == 0 or m == 0:
        return 0 if n + m <= most else FAR
    masks.blocks = (m + 63) // 64
    memory = <int*>malloc((m + 2 * words + 2) * sizeof(int))
    masks.bits = NULL
    if memory is NULL or not _index(&masks, memory, new, m, words):
        free(memory)
        return -1
    found = ~max(FIRST, abs(n - m))
    while found < -1 and differ < most:  # ~ of how many words may differ
        differ = ~found if differ < 0 or n * masks.blocks <= SMALL else min(4 * differ, ~found)
        differ = min(differ, most)
        found = _within(old, n, m, &masks, differ, kept_old, kept_new)
    free(masks.bits)
    free(memory)
    return FAR if found < -1 else found


cdef bint _index(Masks* masks, int* memory, const int* new, Py_ssize_t m, Py_ssize_t words) noexcept:
    # Sort the places of the new page by word; words that occur in every other block of 64 get rows of bits.
    cdef int* places = memory
    cdef int* starts = memory + m
    cdef int* dense = starts + words + 1
    cdef Py_ssize_t place, word
    cdef int rows = 0
    memset(starts, 0, (words + 1) * sizeof(int))
    for place in range(m):
        starts[new[place] + 1] += 1
    for word in range(words):
        dense[word] = -1
        if 2 * starts[word + 1] > masks.blocks:
            dense[word] = rows
            rows += 1
        starts[word + 1] += starts[word]
    for place in range(m):  # starts of words become their ends, which are the starts of the next
        places[starts[new[place]]] = <int>place
        starts[new[place]] += 1
    for word in range(words, 0, -1):
        starts[word] = starts[word - 1]
    starts[0] = 0
    masks.places, masks.starts, masks.dense = places, starts, dense
    masks.bits = <uint64_t*>calloc(max(1, rows * masks.blocks), sizeof(uint64_t))
    if masks.bits is NULL:
        return False
    for place in range(m):
        if dense[new[place]] >= 0:
            masks.bits[dense[new[place]] * masks.blocks + (place >> 6)] |= <uint64_t>1 << (place & 63)
    return True


cdef inline Py_ssize_t _low(const Band* band, Py_ssize_t row) noexcept nogil:
    return max(0, row - 1 - band.before) >> 6


cdef inline Py_ssize_t _high(const Band* band, Py_ssize_t row) noexcept nogil:
    return min(band.last, (row - 1 + band.after) >> 6)


cdef Py_ssize_t _within(const int* old, Py_ssize_t n, Py_ssize_t m, Masks* masks, Py_ssize_t differ,
                        int* kept_old, int* kept_new) noexcept:
    # Align if at most so many words differ. Gives the number kept; ~ of how many may differ; -1 without memory.
    cdef Band band
    cdef Py_ssize_t step
    cdef Py_ssize_t kept = -1
    cdef uint64_t* row
    cdef uint64_t* stored
    cdef uint64_t* block
    band.before = min(n, (differ - (m - n)) // 2)
    band.after = min(m, (differ + (m - n)) // 2)
    band.last = masks.blocks - 1
    band.width = min(masks.blocks, (band.before + band.after) // 64 + 2)
    step = 1 if n * band.width <= STORED else <Py_ssize_t>sqrt(<double>n) + 1
    row = <uint64_t*>malloc(masks.blocks * sizeof(uint64_t))
    stored = <uint64_t*>malloc((n // step + 1) * band.width * sizeof(uint64_t))
    block = <uint64_t*>malloc((step + 1) * band.width * sizeof(uint64_t))
    if row is not NULL and stored is not NULL and block is not NULL:
        memset(row, 0xFF, masks.blocks * sizeof(uint64_t))
        memset(stored, 0xFF, band.width * sizeof(uint64_t))
        _advance(old, 0, n, masks, &band, row, stored, 0, step)
        kept = _zeros(row, m)
        if n + m - 2 * kept > differ:
            kept = ~(n + m - 2 * kept)
        elif step == 1:
            _back(stored, 0, &band, &n, &m, kept, kept_old, kept_new)
        else:
            _back_by_blocks(old, n, m, masks, &band, row, stored, block, step, kept, kept_old, kept_new)
    free(row)
    free(stored)
    free(block)
    return kept


cdef void _back_by_blocks(const int* old, Py_ssize_t n, Py_ssize_t m, const Masks* masks, const Band* band,
                          uint64_t* row, const uint64_t* stored, uint64_t* block, Py_ssize_t step, Py_ssize_t left,
                          int* kept_old, int* kept_new) noexcept nogil:
    # Walk back where only every so manieth row is stored: compute those after it again.
    cdef Py_ssize_t start = (n // step) * step
    while left > 0:
        memset(row, 0xFF, masks.blocks * sizeof(uint64_t))
        memcpy(block, stored + (start // step) * band.width, band.width * sizeof(uint64_t))
        _restore(row, block, band, start)
        _advance(old, start, n, masks, band, row, block, start, 1)
        left = _back(block, start, band, &n, &m, left, kept_old, kept_new)
        start -= step


cdef void _restore(uint64_t* row, const uint64_t* block, const Band* band, Py_ssize_t at) noexcept nogil:
    cdef Py_ssize_t low, high
    if at > 0:
        low, high = _low(band, at), _high(band, at)
        memcpy(row + low, block, (high - low + 1) * sizeof(uint64_t))


cdef Py_ssize_t _zeros(const uint64_t* row, Py_ssize_t m) noexcept nogil:
    # How many of the first m bits are 0.
    cdef Py_ssize_t place
    cdef Py_ssize_t many = 0
    for place in range(m):
        many += not (row[place >> 6] >> (place & 63)) & 1
    return many


cdef void _advance(const int* old, Py_ssize_t start, Py_ssize_t end, const Masks* masks, const Band* band,
                   uint64_t* row, uint64_t* stored, Py_ssize_t base, Py_ssize_t step) noexcept nogil:
    # Compute the rows after start up to end; store every so manieth.
    cdef Py_ssize_t i, low, high
    cdef int word
    for i in range(start + 1, end + 1):
        word = old[i - 1]
        low, high = _low(band, i), _high(band, i)
        if masks.dense[word] >= 0:
            _update_all(row, masks.bits + masks.dense[word] * masks.blocks, low, high)
        else:
            _update_some(row, masks, word, low, high)
        if (i - base) % step == 0:
            memcpy(stored + ((i - base) // step) * band.width, row + low, (high - low + 1) * sizeof(uint64_t))


cdef inline uint64_t _add(uint64_t* block, uint64_t mask, uint64_t carry) noexcept nogil:
    # One block of a row; gives what is carried to the next.
    cdef uint64_t row = block[0]
    cdef uint64_t here = row & mask
    cdef uint64_t total = row + here
    cdef uint64_t out = total < row
    total += carry
    out |= total < carry
    block[0] = total | (row - here)
    return out


cdef void _update_all(uint64_t* row, const uint64_t* mask, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    cdef uint64_t carry = 0
    cdef Py_ssize_t block
    for block in range(low, high + 1):
        carry = _add(row + block, mask[block], carry)


cdef void _update_some(uint64_t* row, const Masks* masks, int word, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    # Blocks without the word change only by what is carried into them, which the first block with a 0 takes.
    cdef Py_ssize_t at = masks.starts[word]
    cdef Py_ssize_t end = masks.starts[word + 1]
    cdef Py_ssize_t block = low
    cdef Py_ssize_t next_block, middle, top
    cdef uint64_t mask
    cdef uint64_t carry = 0
    if low > 0:
        top = end
        while at < top:
            middle = (at + top) // 2
            if masks.places[middle] >> 6 < low:
                at = middle + 1
            else:
                top = middle
    while at < end:
        next_block = masks.places[at] >> 6
        if next_block > high:
            break
        while carry and block < next_block:
            if ~row[block]:
                row[block] |= row[block] + 1
                carry = 0
            block += 1
        block = next_block
        mask = 0
        while at < end and masks.places[at] >> 6 == block:
            mask |= <uint64_t>1 << (masks.places[at] & 63)
            at += 1
        carry = _add(row + block, mask, carry)
        block += 1
    while carry and block <= high:
        if ~row[block]:
            row[block] |= row[block] + 1
            carry = 0
        block += 1


cdef inline bint _bit(const uint64_t* stored, Py_ssize_t base, const Band* band, Py_ssize_t i, Py_ssize_t place)\
        noexcept nogil:
    # A bit of row i; beyond what was computed, and in row 0, all are 1.
    cdef Py_ssize_t block = place >> 6
    if i == 0 or block > _high(band, i):
        return True
    return (stored[(i - base) * band.width + block - _low(band, i)] >> (place & 63)) & 1


cdef Py_ssize_t _back(const uint64_t* stored, Py_ssize_t base, const Band* band, Py_ssize_t* i, Py_ssize_t* j,
                      Py_ssize_t left, int* kept_old, int* kept_new) noexcept nogil:
    # Walk back to the row `base`; write what is kept, the last first; give how many are still to be found.
    while i[0] > base and left > 0:
        if _bit(stored, base, band, i[0], j[0] - 1):
            j[0] -= 1
        elif not _bit(stored, base, band, i[0] - 1, j[0] - 1):
            i[0] -= 1
        else:
            i[0] -= 1
            j[0] -= 1
            left -= 1
            kept_old[left] = <int>i[0]
            kept_new[left] = <int>j[0]
    return left


def unique_runs(c_array.array old not None, c_array.array new not None, Py_ssize_t length, Py_ssize_t apart):
    """Find runs of so many words that occur once on both pages: of old, those at every so manieth place."""
    cdef Py_ssize_t n = len(old) - length + 1
    cdef Py_ssize_t m = len(new) - length + 1
    cdef Py_ssize_t place, many
    cdef Runs runs
    cdef Run* run
    cdef c_array.array one, other
    if n < 1 or m < 1:
        return array("i"), array("i")
    runs.old, runs.length, runs.mask = old.data.as_ints, length, 1
    while runs.mask < 2 * <uint64_t>(n // apart + 1):
        runs.mask *= 2
    runs.table = <Run*>malloc(runs.mask * sizeof(Run))
    if runs.table is NULL:
        raise MemoryError
    memset(runs.table, 0xFF, runs.mask * sizeof(Run))
    runs.mask -= 1
    _count(&runs, runs.old, n, apart, 0)
    _count(&runs, runs.old, n, 1, 1)
    _count(&runs, new.data.as_ints, m, 1, 2)
    many = 0
    for place in range(runs.mask + 1):
        many += runs.table[place].old_count == 1 and runs.table[place].new_count == 1
    one, other = c_array.clone(_EMPTY, many, False), c_array.clone(_EMPTY, many, False)
    many = 0
    for place in range(0, n, apart):
        run = _find(&runs, runs.old + place, _hash(runs.old + place, length))
        if run.old_count == 1 and run.new_count == 1:
            one.data.as_ints[many] = <int>place
            other.data.as_ints[many] = run.new_place
            many += 1
    free(runs.table)
    return one, other


cdef void _count(Runs* runs, const int* ids, Py_ssize_t places, Py_ssize_t apart, int what) noexcept nogil:
    # Put runs into the table (0), or count those that are in it: on the old (1) or on the new page (2).
    cdef uint64_t hashed = 0
    cdef uint64_t highest = 1
    cdef Py_ssize_t place, _
    cdef Run* run
    for _ in range(runs.length - 1):
        highest *= _PRIME
    for place in range(places):
        if place == 0:
            hashed = _hash(ids, runs.length)
        else:
            hashed = (hashed - <uint64_t>(ids[place - 1] + 1) * highest) * _PRIME
            hashed += <uint64_t>(ids[place + runs.length - 1] + 1)
        if place % apart:
            continue
        run = _find(runs, ids + place, hashed)
        if what == 0:
            run.place, run.old_count, run.new_count = <int>place, 0, 0
        elif run.old_count >= 0 and what == 1:
            run.old_count += 1
        elif run.old_count >= 0:
            run.new_count += 1
            run.new_place = <int>place


cdef uint64_t _hash(const int* ids, Py_ssize_t length) noexcept nogil:
    cdef uint64_t hashed = 0
    cdef Py_ssize_t place
    for place in range(length):
        hashed = hashed * _PRIME + <uint64_t>(ids[place] + 1)
    return hashed


cdef Run* _find(const Runs* runs, const int* ids, uint64_t hashed) noexcept nogil:
    # The entry of a run, or the free one that it would take.
    cdef uint64_t at = (hashed ^ (hashed >> 29)) * _PRIME
    at = (at ^ (at >> 32)) & runs.mask
    while runs.table[at].old_count >= 0:
        if memcmp(runs.old + runs.table[at].place, ids, runs.length * sizeof(int)) == 0:
            break
        at = (at + 1) & runs.mask
    return runs.table + at
