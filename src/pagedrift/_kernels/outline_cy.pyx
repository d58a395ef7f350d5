"""Which tags does a page have, and which names do its classes, ids, style sheets and scripts?

The native twin of outline_py.
"""

from array import array

from cpython cimport array as c_array

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

from pagedrift._kernels.hashing_cy cimport finish, hash_buffer, step
from pagedrift._kernels.scan_cy cimport END, END_OF_FILE, START, Scanner, advance, set_up
from pagedrift._kernels.shingles_cy cimport sorted_set

from pagedrift._kernels import names as _names

cdef enum:
    LONGEST = 256
    RECENT = 1024  # slots of the filter that takes out most repeated names before they are sorted
    CLASS = 0
    ID = 1
    FILE = 2

    # Classes of bytes.
    IS_SPACE = 1
    BEFORE_KEY = 2  # white space, / and >
    ENDS_KEY = 4  # the same and =
    ENDS_VALUE = 8  # white space and >

cdef unsigned char[256] KIND

cdef _fill_table():
    cdef int byte
    for byte in range(256):
        KIND[byte] = 0
        if byte in b"\t\n\f\r ":
            KIND[byte] = IS_SPACE | BEFORE_KEY | ENDS_KEY | ENDS_VALUE
        if byte in b"/":
            KIND[byte] = BEFORE_KEY | ENDS_KEY
        if byte in b">":
            KIND[byte] = BEFORE_KEY | ENDS_KEY | ENDS_VALUE
        if byte in b"=":
            KIND[byte] = ENDS_KEY

_fill_table()

cdef c_array.array NO_CODES = array("I")
cdef uint32_t LINK = _names.IDS["link"], SCRIPT = _names.IDS["script"]

cdef struct Found:
    uint64_t* hashes
    Py_ssize_t count
    Py_ssize_t room
    uint32_t* codes
    Py_ssize_t code_count
    Py_ssize_t code_room
    bint failed
    uint64_t[RECENT] recent
    uint64_t[RECENT] tags  # with all their attributes


cdef void keep(Found* found, uint64_t hashed) noexcept nogil:
    cdef uint64_t* grown
    if found.failed or (hashed and found.recent[hashed % RECENT] == hashed):
        return
    found.recent[hashed % RECENT] = hashed
    if found.count == found.room:
        grown = <uint64_t*>realloc(found.hashes, 2 * found.room * sizeof(uint64_t))
        if grown == NULL:
            found.failed = True
            return
        found.hashes = grown
        found.room *= 2
    found.hashes[found.count] = hashed
    found.count += 1


cdef inline void keep_code(Found* found, uint32_t code) noexcept nogil:
    cdef uint32_t* grown
    if found.failed:
        return
    if found.code_count == found.code_room:
        grown = <uint32_t*>realloc(found.codes, 2 * found.code_room * sizeof(uint32_t))
        if grown == NULL:
            found.failed = True
            return
        found.codes = grown
        found.code_room *= 2
    found.codes[found.code_count] = code
    found.code_count += 1


cdef void add(
    Found* found, const unsigned char* name, Py_ssize_t length, uint32_t tag, int what
) noexcept nogil:
    cdef unsigned char[LONGEST] folded
    cdef Py_ssize_t at, size = 0
    cdef bint was_digit = False, is_digit
    for at in range(length):
        is_digit = c"0" <= name[at] <= c"9"
        if is_digit and was_digit:
            continue
        was_digit = is_digit
        if size == LONGEST:
            break
        folded[size] = c"0" if is_digit else name[at]
        size += 1
    keep(found, finish(step(hash_buffer(folded, size), <uint64_t>tag << 2 | what)))


cdef inline bint is_space(unsigned char byte) noexcept nogil:
    return KIND[byte] & IS_SPACE


cdef inline bint is_key(
    const unsigned char* name, Py_ssize_t length, const char* word, Py_ssize_t size
) noexcept nogil:
    cdef Py_ssize_t at
    if length != size:
        return False
    for at in range(size):
        if (name[at] | 32 if c"A" <= name[at] <= c"Z" else name[at]) != <unsigned char>word[at]:
            return False
    return True


cdef void classes(Found* found, const unsigned char* value, Py_ssize_t length, uint32_t tag) noexcept nogil:
    cdef Py_ssize_t at = 0, start
    while at < length:
        while at < length and is_space(value[at]):
            at += 1
        start = at
        while at < length and not is_space(value[at]):
            at += 1
        if at > start:
            add(found, value + start, at - start, tag, CLASS)


cdef void file(Found* found, const unsigned char* value, Py_ssize_t length, uint32_t tag) noexcept nogil:
    cdef const unsigned char* end = <const unsigned char*>memchr(value, c"?", length)
    cdef Py_ssize_t start
    if end != NULL:
        length = end - value
    end = <const unsigned char*>memchr(value, c"#", length)
    if end != NULL:
        length = end - value
    start = length
    while start and value[start - 1] != c"/":
        start -= 1
    if start == length:
        return
    if tag == SCRIPT or (length - start >= 4 and memcmp(value + length - 4, b".css", 4) == 0):
        add(found, value + start, length - start, tag, FILE)


cdef void attribute(
    Found* found, uint32_t tag, const unsigned char* key, Py_ssize_t key_length,
    const unsigned char* value, Py_ssize_t length,
) noexcept nogil:
    if not length:
        return
    if is_key(key, key_length, b"class", 5):
        classes(found, value, length, tag)
    elif is_key(key, key_length, b"id", 2):
        add(found, value, length, tag, ID)
    elif (tag == LINK and is_key(key, key_length, b"href", 4)) or (
        tag == SCRIPT and is_key(key, key_length, b"src", 3)
    ):
        file(found, value, length, tag)


cdef void attributes(Found* found, uint32_t tag, const unsigned char* data, Py_ssize_t length) noexcept nogil:
    # As the expression of the twin: a key, and a value in quotes that are closed, or without quotes.
    cdef Py_ssize_t at = 0, key, key_end, value, value_end, after
    cdef const unsigned char* close
    while True:
        while at < length and KIND[data[at]] & BEFORE_KEY:
            at += 1
        if at >= length:
            return
        key = at
        at += 1
        while at < length and not KIND[data[at]] & ENDS_KEY:
            at += 1
        key_end = after = at
        while after < length and is_space(data[after]):
            after += 1
        if after >= length or data[after] != c"=":
            continue
        after += 1
        while after < length and is_space(data[after]):
            after += 1
        value = value_end = at = after
        close = NULL
        if after < length and (data[after] == c'"' or data[after] == c"'"):
            close = <const unsigned char*>memchr(data + after + 1, data[after], length - after - 1)
        if close != NULL:
            value = after + 1
            value_end = close - data
            at = value_end + 1
        else:
            while at < length and not KIND[data[at]] & ENDS_VALUE:
                at += 1
            value_end = at
        attribute(found, tag, data + key, key_end - key, data + value, value_end - value)


cdef void collect(Found* found, const unsigned char* data, Py_ssize_t length) noexcept nogil:
    cdef Scanner scanner
    cdef uint64_t hashed
    cdef int kind
    set_up(&scanner, data, length, False)
    while True:
        kind = advance(&scanner)
        if kind == END_OF_FILE:
            return
        if kind == START or kind == END:
            keep_code(found, scanner.number << 1 | (kind == END))
        if kind == START and scanner.position - 1 > scanner.end:
            # A tag that was just seen, letter for letter, brings no name.
            hashed = step(hash_buffer(data + scanner.end, scanner.position - 1 - scanner.end), scanner.number)
            if found.tags[hashed % RECENT] != hashed:
                found.tags[hashed % RECENT] = hashed
                attributes(found, scanner.number, data + scanner.end, scanner.position - 1 - scanner.end)


def outline(bytes data not None):
    """Read the code of each tag, and the different names in start tags, as hashes in order; see the twin."""
    cdef Found found
    cdef uint64_t* spare = NULL
    cdef const unsigned char* start = <const unsigned char*>data
    cdef Py_ssize_t length = len(data)
    cdef c_array.array codes
    memset(&found, 0, sizeof(Found))
    found.room = 256
    found.code_room = 1024
    found.hashes = <uint64_t*>malloc(found.room * sizeof(uint64_t))
    found.codes = <uint32_t*>malloc(found.code_room * sizeof(uint32_t))
    try:
        if found.hashes == NULL or found.codes == NULL:
            raise MemoryError
        with nogil:
            collect(&found, start, length)
        spare = <uint64_t*>malloc((found.count + 1) * sizeof(uint64_t))
        if found.failed or spare == NULL:
            raise MemoryError
        codes = c_array.clone(NO_CODES, found.code_count, zero=False)
        if found.code_count:
            memcpy(codes.data.as_voidptr, found.codes, found.code_count * sizeof(uint32_t))
        return codes, sorted_set(found.hashes, spare, found.count)
    finally:
        free(found.hashes)
        free(found.codes)
        free(spare)
