# Sets of hashes as sorted arrays, for other kernels.
from cpython cimport array as c_array
from libc.stdint cimport uint64_t

cdef c_array.array sorted_set(uint64_t* hashes, uint64_t* spare, Py_ssize_t count)
