"""What is the 64-bit hash of these bytes? (native twin of hashing_py)"""

from libc.stdint cimport uint64_t


cdef uint64_t hash_buffer(const unsigned char* data, Py_ssize_t length) noexcept nogil:
    # Words are put together byte by byte, which compilers turn into one load, so that
    # big-endian machines agree.
    cdef uint64_t state = SEED
    cdef uint64_t word
    cdef Py_ssize_t at = 0
    cdef int shift
    while at + 8 <= length:
        word = 0
        for shift in range(8):
            word |= <uint64_t>data[at + shift] << (8 * shift)
        state = step(state, word)
        at += 8
    if at < length:
        word = 0
        shift = 0
        while at < length:
            word |= <uint64_t>data[at] << shift
            shift += 8
            at += 1
        state = step(state, word)
    return finish(state ^ <uint64_t>length)


def hash_bytes(bytes data not None):
    """Hash bytes."""
    return hash_buffer(<const unsigned char*>data, len(data))
