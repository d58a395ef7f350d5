"""What shows the design of a page: tags, names of classes, ids and files, and where it leads?

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
cdef uint32_t LINK_TAG = _names.IDS["link"], A_TAG = _names.IDS["a"], SCRIPT = _names.IDS["script"]

cdef struct Hashes:
    uint64_t* hashes
    Py_ssize_t count
    Py_ssize_t room
    uint64_t[RECENT] recent

cdef struct Found:
    Hashes names
    Hashes links
    uint32_t* codes
    Py_ssize_t code_count
    Py_ssize_t code_room
    bint failed
    uint64_t[RECENT] tags  # with all their attributes


cdef bint keep(Hashes* kept, uint64_t hashed) noexcept nogil:
    # False where memory ran out.
    cdef uint64_t* grown
    if hashed and kept.recent[hashed % RECENT] == hashed:
        return True
    kept.recent[hashed % RECENT] = hashed
    if kept.count == kept.room:
        grown = <uint64_t*>realloc(kept.hashes, 2 * (kept.room + 64) * sizeof(uint64_t))
        if grown == NULL:
            return False
        kept.hashes = grown
        kept.room = 2 * (kept.room + 64)
    kept.hashes[kept.count] = hashed
    kept.count += 1
    return True


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
    if not keep(&found.names, finish(step(hash_buffer(folded, size), <uint64_t>tag << 2 | what))):
        found.failed = True


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


cdef inline bint ends_with(
    const unsigned char* data, Py_ssize_t length, const char* end, Py_ssize_t size
) noexcept nogil:
    return length >= size and memcmp(data + length - size, end, size) == 0


cdef inline bint is_letter(unsigned char byte) noexcept nogil:
    return c"a" <= (byte | 32) <= c"z"


cdef inline bint is_of_scheme(unsigned char byte) noexcept nogil:
    return is_letter(byte) or c"0" <= byte <= c"9" or byte == c"+" or byte == c"." or byte == c"-"


cdef Py_ssize_t host_end(const unsigned char* href, Py_ssize_t length) noexcept nogil:
    # The end of `scheme://host` or `//host`; 0 where there is none.
    cdef Py_ssize_t at = 0
    if length and is_letter(href[0]):
        while at < length and is_of_scheme(href[at]):
            at += 1
        if at == length or href[at] != c":":
            return 0
        at += 1
    if at + 2 > length or href[at] != c"/" or href[at + 1] != c"/":
        return 0
    at += 2
    while at < length and href[at] != c"/" and href[at] != c"?" and href[at] != c"#":
        at += 1
    return at


cdef void link(Found* found, const unsigned char* href, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t start = host_end(href, length), end
    end = start
    while end < length and href[end] != c"?" and href[end] != c"#":
        if href[end] == c":":
            return
        end += 1
    while start < end and (href[start] == c"." or href[start] == c"/"):
        start += 1
    href += start
    length = end - start
    if ends_with(href, length, b"index.html", 10):
        length -= 10
    while length and href[length - 1] == c"/":
        length -= 1
    if ends_with(href, length, b".html", 5):
        length -= 5
    if ends_with(href, length, b".htm", 4):
        length -= 4
    if length and not keep(&found.links, hash_buffer(href, length)):
        found.failed = True


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
    elif tag == A_TAG and is_key(key, key_length, b"href", 4):
        link(found, value, length)
    elif (tag == LINK_TAG and is_key(key, key_length, b"href", 4)) or (
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


cdef inline void attributes_once(
    Found* found, uint32_t tag, const unsigned char* data, Py_ssize_t length
) noexcept nogil:
    # A tag that was just seen, letter for letter, brings nothing new; links are seldom the same.
    cdef uint64_t hashed
    if tag != A_TAG:
        hashed = step(hash_buffer(data, length), tag)
        if found.tags[hashed % RECENT] == hashed:
            return
        found.tags[hashed % RECENT] = hashed
    attributes(found, tag, data, length)


cdef void collect(Found* found, const unsigned char* data, Py_ssize_t length) noexcept nogil:
    cdef Scanner scanner
    cdef int kind
    set_up(&scanner, data, length, False)
    while True:
        kind = advance(&scanner)
        if kind == END_OF_FILE:
            return
        if kind == START or kind == END:
            keep_code(found, scanner.number << 1 | (kind == END))
        if kind == START and scanner.position - 1 > scanner.end:
            attributes_once(found, scanner.number, data + scanner.end, scanner.position - 1 - scanner.end)


cdef c_array.array as_set(Hashes* kept):
    cdef uint64_t* spare = <uint64_t*>malloc((kept.count + 1) * sizeof(uint64_t))
    if spare == NULL:
        raise MemoryError
    try:
        return sorted_set(kept.hashes, spare, kept.count)
    finally:
        free(spare)


def outline(bytes data not None):
    """Read the code of each tag, and the different names and links, as hashes in order; see the twin."""
    cdef Found found
    cdef const unsigned char* start = <const unsigned char*>data
    cdef Py_ssize_t length = len(data)
    cdef c_array.array codes
    memset(&found, 0, sizeof(Found))
    found.code_room = 1024
    found.codes = <uint32_t*>malloc(found.code_room * sizeof(uint32_t))
    try:
        if found.codes == NULL:
            raise MemoryError
        with nogil:
            collect(&found, start, length)
        if found.failed:
            raise MemoryError
        codes = c_array.clone(NO_CODES, found.code_count, zero=False)
        if found.code_count:
            memcpy(codes.data.as_voidptr, found.codes, found.code_count * sizeof(uint32_t))
        return codes, as_set(&found.names), as_set(&found.links)
    finally:
        free(found.names.hashes)
        free(found.links.hashes)
        free(found.codes)
