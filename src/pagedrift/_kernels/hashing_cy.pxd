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


cdef uint64_t hash_buffer(const unsigned char* data, Py_ssize_t length) noexcept nogil
