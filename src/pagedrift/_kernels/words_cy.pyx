"""The words of a page that can be read, in lower case (native twin of words_py)."""

from array import array

from cpython cimport array as c_array
from cpython.unicode cimport PyUnicode_DecodeUTF8, PyUnicode_Substring
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free

from pagedrift._kernels.hashing_cy cimport SEED, finish, step
from pagedrift._kernels.page_cy cimport Page, open_page

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4)

cdef enum:
    ELEMENT = 2
    TEXT = 3
    NEAR = 4

cdef c_array.array INTS = array("i")


cdef inline bint stands_alone(Py_UCS4 sign) noexcept:
    return 0x3040 <= sign <= 0x30ff or 0x3400 <= sign <= 0x9fff or 0xac00 <= sign <= 0xd7af


cdef inline bint is_of_word(Py_UCS4 sign) noexcept:
    return sign == 0x5f or Py_UNICODE_ISALNUM(sign)


cdef int split_words(str text, list words, dict known) except -1:
    cdef Py_ssize_t at = 0, start, length = len(text)
    cdef Py_UCS4 sign
    while at < length:
        sign = text[at]
        start = at
        at += 1
        if not stands_alone(sign):
            if not is_of_word(sign):
                continue
            while at < length and is_of_word(text[at]) and not stands_alone(text[at]):
                at += 1
        word = PyUnicode_Substring(text, start, at)
        words.append(known.setdefault(word, word))
    return 0


def words_of(str text):
    """Split a text into words in lower case; ideographs stand for themselves."""
    cdef list words = []
    split_words(text.lower(), words, {})
    return words


cdef bint is_blank(const unsigned char* text, Py_ssize_t length) except -1:
    cdef Py_ssize_t at
    for at in range(length):
        if text[at] > 127:
            return not PyUnicode_DecodeUTF8(<const char*>text + at, length - at, b"surrogatepass").strip()
        if not (text[at] == 32 or 9 <= text[at] <= 13 or 28 <= text[at] <= 31):  # as str.strip has it
            return False
    return True


cdef bint may_be_value(const unsigned char* text, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t at
    for at in range(length):
        if text[at] > 127 or 48 <= text[at] <= 58 or text[at] == 64 or text[at] == 40 or text[at] == 46:
            return True  # not in ASCII, a digit or one of :@(.
        if (text[at] | 32) == 99 and at + 3 < length:
            if (text[at + 1] | 32) == 111 and (text[at + 2] | 32) == 112 and (text[at + 3] | 32) == 121:
                return True  # as copyright begins
    return False


def find_texts(columns):
    """Give the texts that are not blank, and count them, and those that may be values."""
    cdef Page page
    open_page(&page, columns)
    cdef c_array.array before = c_array.clone(INTS, page.count + 1, zero=True)
    cdef c_array.array found = c_array.clone(INTS, page.count, zero=True)
    cdef c_array.array values = c_array.clone(INTS, page.count + 1, zero=True)
    cdef int32_t node, count = 0
    cdef const unsigned char* text
    cdef Py_ssize_t length
    for node in range(<int32_t>page.count):
        before.data.as_ints[node] = count
        if page.kind[node] == TEXT:
            text, length = page.texts + page.text_start[node], page.text_start[node + 1] - page.text_start[node]
            if not is_blank(text, length):
                found.data.as_ints[count] = node
                values.data.as_ints[count + 1] = values.data.as_ints[count] + may_be_value(text, length)
                count += 1
    before.data.as_ints[page.count] = count
    c_array.resize(found, count)
    c_array.resize(values, count + 1)
    return found, before, values


def join_texts(columns, c_array.array nodes, Py_ssize_t first, Py_ssize_t last, Py_ssize_t most):
    """Join the texts of some nodes, with single spaces, up to a number of characters."""
    cdef c_array.array text_start = columns.text_start
    cdef const unsigned char* texts = <bytes>columns.texts
    cdef const int32_t* starts = <const int32_t*>text_start.data.as_ints
    cdef Py_ssize_t at, length = 0
    cdef int32_t node
    cdef list found = []
    cdef str text
    for at in range(first, last):
        node = nodes.data.as_ints[at]
        text = PyUnicode_DecodeUTF8(
            <const char*>texts + starts[node], starts[node + 1] - starts[node], b"surrogatepass"
        )
        text = " ".join(text.split())
        found.append(text)
        length += len(text) + 1
        if length > most:
            break
    return (" ".join(found) if len(found) != 1 else text)[:most]


def number_spans(c_array.array before, c_array.array end):
    """Give numbers to nodes by what they take in: that of each, and the first node of each number."""
    cdef Py_ssize_t count = len(end), room = 16, slot
    while room < 2 * count:
        room *= 2
    cdef c_array.array found = c_array.clone(INTS, count, zero=True), firsts = c_array.clone(INTS, count, zero=True)
    cdef const int32_t* places = <const int32_t*>before.data.as_ints
    cdef const int32_t* ends = <const int32_t*>end.data.as_ints
    cdef int32_t* slots = <int32_t*>calloc(room, sizeof(int32_t))
    cdef int32_t node, known = 0, other
    if slots == NULL:
        raise MemoryError
    for node in range(<int32_t>count):
        slot = <Py_ssize_t>finish(step(step(SEED, places[node]), places[ends[node]])) & (room - 1)
        while slots[slot]:
            other = firsts.data.as_ints[slots[slot] - 1]
            if places[other] == places[node] and places[ends[other]] == places[ends[node]]:
                break
            slot = (slot + 1) & (room - 1)
        if slots[slot] == 0:
            firsts.data.as_ints[known] = node
            known += 1
            slots[slot] = known
        found.data.as_ints[node] = slots[slot] - 1
    free(slots)
    c_array.resize(firsts, known)
    return found, firsts


def add_words(str text, dict numbers, c_array.array words):
    """Add the numbers of the words of a text to others, each once; new words get a new number."""
    cdef list found = []
    split_words(text.lower(), found, {})
    cdef Py_ssize_t start = len(words), count = start, at
    cdef int32_t number
    c_array.resize_smart(words, start + len(found))
    for word in found:
        number = numbers.setdefault(word, len(numbers))
        for at in range(start, count):
            if words.data.as_ints[at] == number:
                break
        else:
            words.data.as_ints[count] = number
            count += 1
    c_array.resize_smart(words, count)


cdef int32_t find_attribute(Page* page, int32_t node, int32_t name) noexcept nogil:
    cdef int32_t at
    for at in range(page.attribute_start[node], page.attribute_start[node + 1]):
        if page.attribute_name[at] == name:
            return at
    return -1


cdef int32_t find_link(Page* page, int32_t node, int32_t link, int32_t target) noexcept nogil:
    cdef int32_t found = -1, _level, place = node
    for _level in range(3):
        if page.name[place] == link:
            found = find_attribute(page, place, target)
            if found >= 0:
                return found
        place = max(0, page.parent[place])
    for place in range(node + 1, min(page.end[node], node + NEAR)):
        if page.name[place] == link:
            return find_attribute(page, place, target)
    return -1


def find_links(columns, names):
    """Find the attribute with the address of each picture, or of the link that a node is, stands in or holds."""
    cdef Page page
    open_page(&page, columns)
    cdef int32_t link = names[0], picture = names[1], target = names[2], source = names[3], node
    cdef c_array.array found = c_array.clone(INTS, page.count, zero=True)
    for node in range(<int32_t>page.count):
        if picture > 0 and page.name[node] == picture:
            found.data.as_ints[node] = 1 + find_attribute(&page, node, source)
        else:
            found.data.as_ints[node] = 1 + find_link(&page, node, link, target) if link > 0 else 0
    return found


def read_words(columns, bytes silent):
    """Read the words of the texts, and count those before each node and at the end."""
    cdef Page page
    open_page(&page, columns)
    cdef const unsigned char* is_silent = silent
    cdef list words = []
    cdef dict known = {}
    cdef c_array.array before = c_array.clone(INTS, page.count + 1, zero=True)
    cdef int32_t node, silent_until = 0
    cdef str text
    for node in range(<int32_t>page.count):
        before.data.as_ints[node] = <int32_t>len(words)
        if node < silent_until:
            continue
        if page.kind[node] == TEXT:
            text = PyUnicode_DecodeUTF8(
                <const char*>page.texts + page.text_start[node],
                page.text_start[node + 1] - page.text_start[node],
                b"surrogatepass",
            )
            split_words(text.lower(), words, known)
        elif page.kind[node] == ELEMENT and is_silent[page.name[node]]:
            silent_until = page.end[node]
    before.data.as_ints[page.count] = <int32_t>len(words)
    return words, before
