"""What is the 64-bit hash of these bytes? (native twin of hashing_py)"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy


cdef char* write_number(char* to, number) except NULL:
    cdef uint64_t value
    cdef char[20] digits
    cdef int count = 0
    if number is None:
        memcpy(to, b"False", 5)
        return to + 5
    value = number
    while value or count == 0:
        digits[count] = 48 + value % 10
        value //= 10
        count += 1
    while count:
        count -= 1
        to[0] = digits[count]
        to += 1
    return to


def step_id(str action not None, old, new, str name):
    """Make an id for a step out of what it does, the numbers of the places, and the name of an attribute."""
    cdef bytes begin = action.encode("utf-8")
    cdef bytes last = b"None" if name is None else name.encode("utf-8", "surrogatepass")
    cdef bytearray buffer = bytearray(len(begin) + len(last) + 50)
    cdef char* start = buffer
    cdef char* to = start
    memcpy(to, <const char*>begin, len(begin))
    to += len(begin)
    to[0] = 32
    to = write_number(to + 1, old)
    to[0] = 32
    to = write_number(to + 1, new)
    to[0] = 32
    to += 1
    memcpy(to, <const char*>last, len(last))
    cdef uint64_t hashed = hash_buffer(<const unsigned char*>start, to - start + len(last))
    cdef char[12] digits
    cdef int at
    for at in range(12):
        digits[at] = b"0123456789abcdef"[hashed >> (60 - 4 * at) & 15]
    return digits[:12].decode("ascii")


def hash_bytes(bytes data not None):
    """Hash bytes."""
    return hash_buffer(<const unsigned char*>data, len(data))
