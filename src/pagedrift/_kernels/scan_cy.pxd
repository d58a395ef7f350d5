# The scanner for other kernels: set_up a Scanner on a buffer, then pull tokens with advance.
#
# advance needs no GIL, no callback and no memory of its own, so a consumer that has enough simply stops.
from libc.stdint cimport uint32_t, uint64_t

cdef enum Kind:
    END_OF_FILE = 0
    TEXT = 1
    RAW_TEXT = 2
    START = 3
    END = 4

cdef enum:
    MAX_FRAMES = 16

cdef struct Frame:
    uint32_t number
    Py_ssize_t depth

cdef struct Scanner:
    const unsigned char* data  # must be followed by a NUL, as the buffer of a bytes object is
    Py_ssize_t length
    Py_ssize_t position
    bint read_attributes
    bint note_names  # class and id of each tag are wanted
    bint skip_text  # tags alone are wanted
    # of the current token:
    Py_ssize_t start  # of a text or of a tag's name
    Py_ssize_t end
    uint32_t number
    uint32_t flags
    bint self_closing
    bint hidden
    Py_ssize_t class_start  # where the values of class and id are: -1 without such an attribute
    Py_ssize_t class_end
    Py_ssize_t id_start
    Py_ssize_t id_end
    # state:
    bint raw  # the last tag opened a raw text element
    bint foreign
    int frame_count
    Frame[MAX_FRAMES] frames

cdef const unsigned char* buffer_of(data, Py_ssize_t start, Py_ssize_t end, Py_ssize_t* size) except NULL
cdef void set_up(Scanner* s, const unsigned char* data, Py_ssize_t length, bint read_attributes) noexcept nogil
cdef int advance(Scanner* s) noexcept nogil
