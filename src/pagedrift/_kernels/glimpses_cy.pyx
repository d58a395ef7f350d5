"""What do looks at the pages in a run of gzip members give? (native twin of glimpses_py)

Read glimpses_py first: this calls the same functions, at the price of no interpreter between them.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_GET_SIZE

from pagedrift._kernels.inflate_cy import unpack_member, unpack_start
from pagedrift._kernels.record_head_cy import member_end, member_size, read_head

cdef enum:
    AFTER_RECORD = 4
    OK = 200
    KIND = 0  # fields of a RecordHead
    URL = 1
    STATUS = 3
    CONTENT_TYPE = 4
    CODINGS = 5
    BODY = 7
    SIZE = 8


cdef bint is_plain(object record_head, names_page, Py_ssize_t largest) except -1:
    cdef tuple head = <tuple>record_head  # of a class of its own, which Cython would not take
    cdef str url = head[URL]
    return (
        <int>head[STATUS] == OK
        and head[KIND] == "response"
        and not <str>head[CODINGS]
        and len(url) > 0
        and url[0] != c"<"
        and <Py_ssize_t>head[SIZE] - AFTER_RECORD - <Py_ssize_t>head[BODY] <= largest
        and bool(names_page(head[CONTENT_TYPE]))
    )


def glimpse_members(
    bytearray data not None, Py_ssize_t at, Py_ssize_t end, bytearray room not None, *, names_page,
    Py_ssize_t largest, look,
):
    """Look at member after member; see the twin."""
    cdef list found = []
    cdef tuple unpacked
    cdef object head
    cdef Py_ssize_t size
    cdef char* last
    cdef char kept
    while at < end:
        unpacked = unpack_member(data, at, end, room)
        if unpacked is None or <Py_ssize_t>unpacked[0] <= 0:
            return found, unpacked
        size = unpacked[0]
        head = read_head(room, size)
        if head is None or not is_plain(head, names_page, largest):
            return found, unpacked
        at = unpacked[1]
        last = PyByteArray_AS_STRING(room) + size - AFTER_RECORD
        kept = last[0]
        last[0] = 0
        value = look(room, (<tuple>head)[CONTENT_TYPE], True, (<tuple>head)[BODY], size - AFTER_RECORD)
        if value is None:
            last[0] = kept
            return found, unpacked
        found.append((at, (<tuple>head)[URL], value))
    return found, None


def glimpse_starts(
    bytearray data not None, Py_ssize_t at, Py_ssize_t end, Py_ssize_t most, *, names_page,
    Py_ssize_t largest, look, largest_member,
):
    """Look at the beginning of member after member; see the twin."""
    cdef list found = []
    cdef object head
    cdef bytes begun
    cdef Py_ssize_t after, size, length
    while at < end:
        after = member_end(data, at, end, largest_member)
        if after <= 0:
            return found, None
        begun = unpack_start(data, at, after, most)
        if not begun:
            return found, begun
        head = read_head(begun, is_start=True)
        if head is None or (<tuple>head)[SIZE] != member_size(data, at, after):
            return found, begun
        if not is_plain(head, names_page, largest):
            return found, begun
        size = <Py_ssize_t>(<tuple>head)[SIZE] - AFTER_RECORD
        length = PyBytes_GET_SIZE(begun)
        page = begun
        if length > size:
            page = begun[:size]
            length = size
        value = look(page, (<tuple>head)[CONTENT_TYPE], length == size, (<tuple>head)[BODY], length)
        if value is None:
            return found, begun
        found.append((after, (<tuple>head)[URL], value))
        at = after
    return found, None
