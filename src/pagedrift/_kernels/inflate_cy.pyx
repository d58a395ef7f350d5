"""What is in a gzip member, or how does it begin? (native twin of inflate_py)

Read inflate_py first. The functions of libdeflate are those in the library of its Python binding, which itself can
only unpack whole members. Where a binding does not show them, or there is none, the readable twin does the work.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uintptr_t
from libc.string cimport memcmp, memset

from pagedrift._kernels.scan_cy cimport buffer_of

from pagedrift._kernels import inflate_py as _twin

cdef enum:
    ROOM = 1 << 16
    # Bytes before the last one written that may be more than what was unpacked: copies are made in whole words, and
    # the longest has 258 bytes.
    UNSURE = 512
    SUCCESS = 0
    INSUFFICIENT_SPACE = 3

ctypedef void* (*Allocate)() noexcept nogil
ctypedef int (*Decompress)(
    void* decompressor, const void* packed, size_t size, void* out, size_t room, size_t* written
) noexcept nogil

ctypedef int (*DecompressOne)(
    void* decompressor, const void* packed, size_t size, void* out, size_t room, size_t* used, size_t* written
) noexcept nogil

cdef const char* MAGIC = b"\x1f\x8b\x08"
cdef Decompress gzip_decompress = NULL
cdef DecompressOne gzip_decompress_one = NULL
cdef void* decompressor = NULL  # one for all, which the GIL guards
cdef unsigned char[ROOM] unpacked


cdef _find_libdeflate():
    global gzip_decompress, gzip_decompress_one, decompressor
    try:
        import ctypes

        from deflate import _deflate

        library = ctypes.CDLL(_deflate.__file__)
        addresses = [
            ctypes.cast(getattr(library, f"libdeflate_{name}"), ctypes.c_void_p).value
            for name in ("alloc_decompressor", "gzip_decompress", "gzip_decompress_ex")
        ]
    except (ImportError, AttributeError, OSError):
        return
    decompressor = (<Allocate><uintptr_t>addresses[0])()
    if decompressor != NULL:
        gzip_decompress = <Decompress><uintptr_t>addresses[1]
        gzip_decompress_one = <DecompressOne><uintptr_t>addresses[2]


def unpack_member(data not None, Py_ssize_t start, Py_ssize_t end, bytearray room not None):
    """Unpack a member into some room; see the twin."""
    cdef size_t size = 0, used = 0
    cdef Py_ssize_t length, most = PyByteArray_GET_SIZE(room) - 1
    cdef const unsigned char* begin = buffer_of(data, 0, -1, &length)
    cdef char* out = PyByteArray_AS_STRING(room)
    cdef int result
    if decompressor == NULL and gzip_decompress == NULL:
        _find_libdeflate_once()
    if gzip_decompress == NULL or most < 0 or not 0 <= start <= end <= length:
        return _twin.unpack_by_binding(data, start, end, room)
    result = gzip_decompress_one(decompressor, begin + start, end - start, out, most, &used, &size)
    if result == INSUFFICIENT_SPACE:
        return -1, start
    start += used
    if result != SUCCESS or memcmp(begin + start, MAGIC, min(end - start, 3)) != 0:
        return None
    out[size] = 0
    return size, start


def unpack_start(data not None, Py_ssize_t start, Py_ssize_t end, Py_ssize_t most):
    """Unpack the beginning of a member; see the twin."""
    cdef size_t size = 0
    cdef Py_ssize_t length, last
    cdef const unsigned char* begin = buffer_of(data, 0, -1, &length)
    cdef int result
    if decompressor == NULL and gzip_decompress == NULL:
        _find_libdeflate_once()
    if gzip_decompress == NULL or not 0 <= start <= end <= length:
        return _twin.unpack_start(data, start, end, most)
    most = min(most, ROOM - UNSURE) + UNSURE
    memset(unpacked, 0, most)
    result = gzip_decompress(decompressor, begin + start, end - start, unpacked, most, &size)
    if result == SUCCESS:
        return PyBytes_FromStringAndSize(<const char*>unpacked, min(<Py_ssize_t>size, most - UNSURE))
    if result != INSUFFICIENT_SPACE:
        return None
    last = most
    while last and not unpacked[last - 1]:
        last -= 1
    return PyBytes_FromStringAndSize(<const char*>unpacked, max(0, last - UNSURE))


cdef bint asked = False


cdef _find_libdeflate_once():
    global asked
    if not asked:
        asked = True
        _find_libdeflate()
