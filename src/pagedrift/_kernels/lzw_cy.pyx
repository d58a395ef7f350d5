"""Which references does LZW compression of a page's tags begin with? (native twin of lzw_py)"""

from libc.stdint cimport uint32_t
from libc.string cimport memchr, memcmp

from pagedrift._kernels.scan_cy cimport END_OF_FILE, START, Scanner, advance, buffer_of, set_up

from pagedrift._kernels import names as _names

cdef enum:
    LONGEST = 255

cdef uint32_t UNKNOWN = _names.UNKNOWN


cdef struct Entry:
    int prefix
    uint32_t tag


cdef bint has_ascii_name(Scanner* s) noexcept nogil:
    cdef Py_ssize_t at
    for at in range(s.start, s.end):
        if s.data[at] == 0 or s.data[at] >= 0x80:  # NUL stands for U+FFFD
            return False
    return True


cdef int compress(Scanner* s, unsigned char* references, int length, bint* is_plain) noexcept nogil:
    cdef Entry[LONGEST] entries
    cdef int count = 0, current = 0, entry, kind
    is_plain[0] = True
    while count < length:
        kind = advance(s)
        if kind == END_OF_FILE:
            break
        if kind < START:
            continue
        if s.number >= UNKNOWN and is_plain[0]:
            is_plain[0] = has_ascii_name(s)
        # An entry comes after the one it extends.
        entry = current
        while entry < count and not (entries[entry].prefix == current and entries[entry].tag == s.number):
            entry += 1
        if entry < count:
            current = entry + 1
            continue
        entries[count].prefix = current
        entries[count].tag = s.number
        references[count] = current
        count += 1
        current = 0
    return count


def lzw_references(data not None, int length, Py_ssize_t start=0, Py_ssize_t end=-1):
    """Compress the tags up to so many entries; see the twin."""
    cdef Py_ssize_t size
    cdef const unsigned char* at = buffer_of(data, start, end, &size)
    cdef Scanner scanner
    cdef unsigned char[LONGEST] references
    cdef bint is_plain
    cdef int count
    cdef int most = min(length, LONGEST)
    cdef int opening = at[0] << 8 | at[1] if size > 1 else 0
    if opening == 0xFEFF or opening == 0xFFFE or opening == 0x3C00 or opening == 0x003C:  # of UTF-16
        return b"", False
    set_up(&scanner, at, size, False)
    scanner.skip_text = True
    with nogil:
        count = compress(&scanner, references, most, &is_plain)
    return references[:count], is_plain and memchr(at, 0x1B, scanner.position) == NULL


def is_one_edit(bytes one not None, bytes other not None):
    """Tell whether two sequences are equal but for one number; see the twin."""
    cdef const unsigned char* smaller = <const unsigned char*>one
    cdef const unsigned char* larger = <const unsigned char*>other
    cdef Py_ssize_t size = len(one), more = len(other) - size, at = 0
    if more < 0:
        smaller, larger = larger, smaller
        size, more = size + more, -more
    if more > 1:
        return False
    while at < size and smaller[at] == larger[at]:
        at += 1
    if at == size:
        return True
    return memcmp(smaller + at + 1 - more, larger + at + 1, size - at - 1 + more) == 0
