# The hash of hashing_py, for other kernels.
from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #define PAGEDRIFT_SEED 0x243F6A8885A308D3ULL
    #define PAGEDRIFT_PRIME 0x9E3779B97F4A7C15ULL
    #define PAGEDRIFT_STIR 0xFF51AFD7ED558CCDULL
    """
    const uint64_t SEED "PAGEDRIFT_SEED"
    const uint64_t PRIME "PAGEDRIFT_PRIME"
    const uint64_t STIR "PAGEDRIFT_STIR"


cdef inline uint64_t step(uint64_t state, uint64_t word) noexcept nogil:
    state = (state ^ word) * PRIME
    return state ^ (state >> 32)


cdef inline uint64_t finish(uint64_t state) noexcept nogil:
    state = state * STIR
    return state ^ (state >> 29)


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    static inline uint64_t pagedrift_eight_bytes(const unsigned char *data) {
        uint64_t word;
        memcpy(&word, data, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);  // so that all machines agree
    #endif
        return word;
    }
    """
    uint64_t eight_bytes "pagedrift_eight_bytes"(const unsigned char* data) noexcept nogil


cdef inline uint64_t hash_buffer(const unsigned char* data, Py_ssize_t length) noexcept nogil:
    cdef uint64_t state = SEED
    cdef uint64_t word = 0
    cdef Py_ssize_t at = 0
    while at + 8 <= length:
        state = step(state, eight_bytes(data + at))
        at += 8
    if at < length:
        if length >= 8:
            word = eight_bytes(data + length - 8) >> (8 * (8 - (length - at)))  # without those that were read
        else:
            for at in range(length):
                word |= <uint64_t>data[at] << (8 * at)
        state = step(state, word)
    return finish(state ^ <uint64_t>length)
