"""How does a gzip member begin? (native twin of inflate_py)

Read inflate_py first. The functions of libdeflate are those in the library of its Python binding, which itself can
only unpack whole members. Where a binding does not show them, or there is none, the readable twin does the work.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uintptr_t
from libc.string cimport memset

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

cdef Decompress gzip_decompress = NULL
cdef void* decompressor = NULL  # one for all, which the GIL guards
cdef unsigned char[ROOM] unpacked


cdef _find_libdeflate():
    global gzip_decompress, decompressor
    try:
        import ctypes

        from deflate import _deflate

        library = ctypes.CDLL(_deflate.__file__)
        addresses = [
            ctypes.cast(getattr(library, f"libdeflate_{name}"), ctypes.c_void_p).value
            for name in ("alloc_decompressor", "gzip_decompress")
        ]
    except (ImportError, AttributeError, OSError):
        return
    decompressor = (<Allocate><uintptr_t>addresses[0])()
    if decompressor != NULL:
        gzip_decompress = <Decompress><uintptr_t>addresses[1]


def unpack_start(bytes data not None, Py_ssize_t start, Py_ssize_t end, Py_ssize_t most):
    """Unpack the beginning of a member; see the twin."""
    cdef size_t size = 0
    cdef Py_ssize_t last
    cdef int result
    if decompressor == NULL and gzip_decompress == NULL:
        _find_libdeflate_once()
    if gzip_decompress == NULL or not 0 <= start <= end <= PyBytes_GET_SIZE(data):
        return _twin.unpack_start(data, start, end, most)
    most = min(most, ROOM - UNSURE) + UNSURE
    memset(unpacked, 0, most)
    result = gzip_decompress(
        decompressor, PyBytes_AS_STRING(data) + start, end - start, unpacked, most, &size
    )
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
