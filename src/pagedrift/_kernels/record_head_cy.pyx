"""What does the head of a WARC record say, and where does a gzip member end? (native twin of record_head_py)

Read record_head_py first: functions here have the names of theirs.
"""

from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memset

from pagedrift._kernels.scan_cy cimport buffer_of

from pagedrift._kernels import record_head_py as _twin

cdef extern from "find.h" nogil:
    const unsigned char* find_member(const unsigned char* at, const unsigned char* end)

cdef enum:
    TRAILER_BYTES = 4
    LEAST_MEMBER_BYTES = 18
    MAX_RATIO = 1032
    NAME = 1  # classes of bytes: in the name of a header,
    VALUE = 2  # and in its value
    BLANK = 4

cdef unsigned char[256] CLASS
cdef object RecordHead = _twin.RecordHead
cdef object new_tuple = tuple.__new__  # three times as fast as RecordHead(…), which is Python
cdef object KINDS = {kind.encode(): kind for kind in _twin._KINDS}
cdef object NO_URL = ""
cdef object RESPONSE = "response"
cdef bytes last_type_bytes = b""
cdef str last_type = ""

cdef _fill_tables():
    cdef int byte
    for byte in range(256):
        CLASS[byte] = 0
        if byte < 128 and (chr(byte).isalnum() or byte in b"_-."):
            CLASS[byte] |= NAME
        if byte == 9 or 0x20 <= byte <= 0x7E:
            CLASS[byte] |= VALUE
        if byte in b"\t ":
            CLASS[byte] |= BLANK

_fill_tables()


cdef struct Line:
    const unsigned char* name
    Py_ssize_t name_length
    const unsigned char* value
    Py_ssize_t value_length
    const unsigned char* after  # the line


cdef bint read_line(const unsigned char* at, const unsigned char* end, Line* line) noexcept nogil:
    # The bytes end in a NUL, which is in no class.
    cdef const unsigned char* last
    line.name = at
    while CLASS[at[0]] & NAME:
        at += 1
    line.name_length = at - line.name
    if not line.name_length or at[0] != c":":
        return False
    at += 1
    while CLASS[at[0]] & BLANK:
        at += 1
    line.value = at
    while CLASS[at[0]] & VALUE:
        at += 1
    if end - at < 2 or at[0] != c"\r" or at[1] != c"\n":
        return False
    last = at
    while last > line.value and CLASS[(last - 1)[0]] & BLANK:
        last -= 1
    line.value_length = last - line.value
    line.after = at + 2
    return True


cdef inline bint is_named(Line* line, const char* name, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t index
    if line.name_length != length:
        return False
    for index in range(length):
        if (line.name[index] | 32) != <unsigned char>name[index]:
            return False
    return True


cdef inline bint is_value(Line* line, const char* value, Py_ssize_t length) noexcept nogil:
    return line.value_length == length and memcmp(line.value, value, length) == 0


cdef str type_of(Line* line):
    # Of an archive nearly all are the same, so the last one is kept.
    global last_type, last_type_bytes
    if not is_value(line, last_type_bytes, len(last_type_bytes)):
        last_type_bytes = line.value[:line.value_length]
        last_type = last_type_bytes.decode("ascii")
    return last_type


cdef inline str value_of(Line* line):
    return PyUnicode_DecodeASCII(<const char*>line.value, line.value_length, NULL)


def member_end(data not None, Py_ssize_t start, Py_ssize_t end, uint64_t largest):
    """Find where a gzip member ends; see the twin."""
    cdef Py_ssize_t length
    cdef const unsigned char* begin = buffer_of(data, 0, -1, &length)
    cdef const unsigned char* last = begin + min(end, length)
    cdef const unsigned char* at = begin + start + LEAST_MEMBER_BYTES
    while at < last:
        at = find_member(at, last)
        if at == NULL:
            return -1
        if size_before(begin + start, at) <= largest:
            return at - begin
        at += 1
    return -1


cdef inline uint64_t size_before(const unsigned char* start, const unsigned char* end) noexcept nogil:
    cdef const unsigned char* at = end - TRAILER_BYTES
    cdef uint64_t size = at[0] | <uint64_t>at[1] << 8 | <uint64_t>at[2] << 16 | <uint64_t>at[3] << 24
    return size if size <= <uint64_t>(end - start) * MAX_RATIO else <uint64_t>1 << 32


def member_size(data not None, Py_ssize_t start, Py_ssize_t end):
    """Read how many bytes a member says it unpacks to; see the twin."""
    cdef Py_ssize_t length
    cdef const unsigned char* begin = buffer_of(data, 0, -1, &length)
    if end - start < TRAILER_BYTES or end > length:
        return <uint64_t>1 << 32
    return size_before(begin + start, begin + end)


def read_head(data not None, Py_ssize_t length=-1, *, bint is_start=False):
    """Read the head of a record; see the twin."""
    cdef const unsigned char* begin = buffer_of(data, 0, length, &length)
    cdef const unsigned char* end = begin + length
    cdef const unsigned char* at = begin + 10
    cdef Line line
    cdef uint64_t claimed = 0
    cdef Py_ssize_t index
    cdef bint has_length = False
    cdef object kind = None, url = None, date = None
    cdef Line about  # the content type
    if length < 14 or memcmp(begin, b"WARC/1.", 7) != 0 or memcmp(begin + 8, b"\r\n", 2) != 0 or (
        begin[7] != c"0" and begin[7] != c"1"
    ):
        return None
    memset(&about, 0, sizeof(Line))
    while read_line(at, end, &line):
        at = line.after
        if is_named(&line, b"warc-type", 9):
            if kind is not None:
                return None
            if is_value(&line, b"response", 8):
                kind = RESPONSE
            else:
                kind = KINDS.get(line.value[:line.value_length])
            if kind is None:
                return None
        elif is_named(&line, b"warc-target-uri", 15):
            if url is not None:
                return None
            url = value_of(&line)
        elif is_named(&line, b"warc-date", 9):
            if date is not None:
                return None
            date = value_of(&line)
        elif is_named(&line, b"content-type", 12):
            if about.name != NULL:
                return None
            about = line
        elif is_named(&line, b"content-length", 14):
            if has_length or not 0 < line.value_length <= 10:
                return None
            has_length = True
            for index in range(line.value_length):
                if not c"0" <= line.value[index] <= c"9":
                    return None
                claimed = claimed * 10 + (line.value[index] - c"0")
    if kind is None or not has_length or end - at < 2 or memcmp(at, b"\r\n", 2) != 0:
        return None
    at += 2
    if not is_start and (<uint64_t>(end - at) != claimed + 4 or memcmp(end - 4, b"\r\n\r\n", 4) != 0):
        return None
    claimed += at - begin + 4
    url = NO_URL if url is None else url
    date = NO_URL if date is None else date
    if kind is not RESPONSE:
        content_type = None if about.name == NULL else value_of(&about)
        return new_tuple(RecordHead, (kind, url, date, 0, content_type, NO_URL, at - begin, at - begin, claimed))
    if about.name == NULL or not names_http(&about):
        return None
    if claimed - 4 < <uint64_t>length:
        end = begin + claimed - 4
    return response(begin, at, end, url, date, claimed)


cdef bint names_http(Line* line) noexcept nogil:
    cdef unsigned char behind = c" " if line.value_length <= 16 else line.value[16]
    if line.value_length < 16 or memcmp(line.value, b"application/http", 16) != 0:
        return False
    return behind == c";" or behind == c" "


cdef object response(
    const unsigned char* begin, const unsigned char* at, const unsigned char* end, url, date, uint64_t size
):
    cdef Line line
    cdef int status = 0, _digit
    cdef object content_type = None
    cdef str coding = "", transfer = ""
    cdef const unsigned char* fields
    if end - at < 14 or memcmp(at, b"HTTP/", 5) != 0 or not c"0" <= at[5] <= c"9":
        return None
    at += 6
    if at[0] == c"." and c"0" <= at[1] <= c"9":
        at += 2
    if at[0] != c" ":
        return None
    at += 1
    for _digit in range(3):
        if not c"0" <= at[0] <= c"9":
            return None
        status = status * 10 + (at[0] - c"0")
        at += 1
    if at[0] == c" ":
        while CLASS[at[0]] & VALUE:
            at += 1
    if at[0] != c"\r" or at[1] != c"\n":
        return None
    fields = at = at + 2
    while read_line(at, end, &line):
        at = line.after
        if is_named(&line, b"content-type", 12):
            content_type = type_of(&line)
        elif is_named(&line, b"content-encoding", 16):
            coding += value_of(&line) + ","
        elif is_named(&line, b"transfer-encoding", 17):
            transfer += value_of(&line) + ","
    if end - at < 2 or at[0] != c"\r" or at[1] != c"\n":
        return None
    return new_tuple(
        RecordHead,
        (RESPONSE, url, date, status, content_type, coding + transfer, fields - begin, at + 2 - begin, size),
    )


def header_fields(data not None, Py_ssize_t start, Py_ssize_t end):
    """Give the names and values of HTTP headers; see the twin."""
    cdef Py_ssize_t length
    cdef const unsigned char* begin = buffer_of(data, 0, -1, &length)
    cdef const unsigned char* at = begin + start
    cdef Line line
    cdef list found = []
    if not 0 <= start <= end <= length:
        return ()
    while read_line(at, begin + end, &line):
        at = line.after
        found.append((PyUnicode_DecodeASCII(<const char*>line.name, line.name_length, NULL), value_of(&line)))
    return tuple(found)
