"""The words of a page that can be read, in lower case (native twin of words_py)."""

from array import array

from cpython cimport array as c_array
from cpython.unicode cimport PyUnicode_DecodeASCII, PyUnicode_DecodeUTF8, PyUnicode_Substring
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp

from pagedrift._kernels.hashing_cy cimport SEED, finish, step
from pagedrift._kernels.page_cy cimport Page, ints, open_page

from pagedrift._kernels.words_py import WordColumns

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4)
    bint PyUnicode_IS_ASCII(object)
    unsigned char* PyUnicode_1BYTE_DATA(object)
    object PyUnicode_New(Py_ssize_t, Py_UCS4)

cdef enum:
    ELEMENT = 2
    TEXT = 3
    NEAR = 4
    PLAIN_TEXT = 0
    PROSE = 1
    EMPTY = 2
    UNREAD = -1

cdef c_array.array INTS = array("i")


cdef unsigned char[128] LOWER  # by sign in ASCII that words have: it in lower case; 0 for others
for _sign in range(128):
    LOWER[_sign] = ord(chr(_sign).lower()) if chr(_sign).isalnum() or _sign == 0x5f else 0


cdef inline bint stands_alone(Py_UCS4 sign) noexcept:
    return 0x3040 <= sign <= 0x30ff or 0x3400 <= sign <= 0x9fff or 0xac00 <= sign <= 0xd7af


cdef inline bint is_of_word(Py_UCS4 sign) noexcept:
    return sign == 0x5f or Py_UNICODE_ISALNUM(sign)


cdef int split_ascii(const unsigned char* text, Py_ssize_t length, list words) except -1:
    cdef Py_ssize_t at = 0, start, place
    cdef unsigned char* written
    while at < length:
        start = at
        while at < length and LOWER[text[at]]:
            at += 1
        if at > start:
            word = PyUnicode_New(at - start, 127)
            written = PyUnicode_1BYTE_DATA(word)
            for place in range(at - start):
                written[place] = LOWER[text[start + place]]
            words.append(word)
        at += 1
    return 0


cdef int split_words(str text, list words) except -1:
    if PyUnicode_IS_ASCII(text):
        return split_ascii(PyUnicode_1BYTE_DATA(text), len(text), words)
    text = text.lower()
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
        words.append(word)
    return 0


cdef int split_bytes(const unsigned char* text, Py_ssize_t length, list words) except -1:
    cdef Py_ssize_t at
    for at in range(length):
        if text[at] > 127:
            return split_words(PyUnicode_DecodeUTF8(<const char*>text, length, b"surrogatepass"), words)
    return split_ascii(text, length, words)


def words_of(str text):
    """Split a text into words in lower case; ideographs stand for themselves."""
    cdef list words = []
    split_words(text, words)
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


def has_text(columns, int32_t node):
    """Return whether there is a text in a subtree that is not white space."""
    cdef Page page
    open_page(&page, columns)
    cdef int32_t each, start
    for each in range(node, page.end[node]):
        if page.kind[each] == TEXT:
            start = page.text_start[each]
            if not is_blank(page.texts + start, page.text_start[each + 1] - start):
                return True
    return False


cdef str join_ascii(const unsigned char* texts, const int32_t* starts, const int32_t* nodes, Py_ssize_t count,
                    char* joined, Py_ssize_t most):
    # None if there is anything but ASCII before enough is read.
    cdef Py_ssize_t at, length = 0, start
    cdef int32_t place
    cdef unsigned char sign
    cdef bint apart
    for at in range(count):
        if at and length < most:
            joined[length] = 32
            length += 1
        start, apart = length, False
        for place in range(starts[nodes[at]], starts[nodes[at] + 1]):
            sign = texts[place]
            if sign > 127:
                return None
            if sign == 32 or 9 <= sign <= 13 or 28 <= sign <= 31:  # as str.split has it
                apart = length > start
                continue
            if apart and length < most:
                joined[length] = 32
                length += 1
            apart = False
            if length >= most:
                return PyUnicode_DecodeASCII(joined, length, NULL)
            joined[length] = sign
            length += 1
    return PyUnicode_DecodeASCII(joined, length, NULL)


cdef str join_run(const unsigned char* texts, const int32_t* starts, const int32_t* nodes, Py_ssize_t count,
                  Py_ssize_t most):
    cdef Py_ssize_t at, length = 0
    cdef list found = []
    cdef str text = ""
    for at in range(count):
        text = PyUnicode_DecodeUTF8(
            <const char*>texts + starts[nodes[at]], starts[nodes[at] + 1] - starts[nodes[at]], b"surrogatepass"
        )
        text = " ".join(text.split())
        found.append(text)
        length += len(text) + 1
        if length > most:
            break
    if len(found) != 1:
        text = " ".join(found)
    return text if len(text) <= most else text[:most]


def join_texts(columns, c_array.array nodes, c_array.array starts, c_array.array stops, Py_ssize_t most):
    """Join the texts of each run of some nodes, with single spaces, up to a number of characters."""
    cdef const unsigned char* texts = <bytes>columns.texts
    cdef const int32_t* text_start = ints(columns.text_start)
    cdef const int32_t* all_nodes = ints(nodes)
    cdef Py_ssize_t at, count
    cdef int32_t start
    cdef list found = []
    cdef str text
    cdef bytearray buffer = bytearray(most + 1)
    cdef char* joined = buffer
    for at in range(len(starts)):
        start = starts.data.as_ints[at]
        count = stops.data.as_ints[at] - start
        text = join_ascii(texts, text_start, all_nodes + start, count, joined, most)
        found.append(join_run(texts, text_start, all_nodes + start, count, most) if text is None else text)
    return found


def join_words(list words, c_array.array starts, c_array.array stops, Py_ssize_t most):
    """Join each run of some words with spaces, up to a number of words."""
    cdef Py_ssize_t at, start
    cdef list found = []
    for at in range(len(starts)):
        start = starts.data.as_ints[at]
        found.append(" ".join(words[start:min(stops.data.as_ints[at], start + most)]))
    return found


cdef c_array.array known_numbers(list words, dict numbers, bint add):
    # -1 for a word without a number, unless it is to be added.
    cdef c_array.array found = c_array.clone(INTS, len(words), zero=False)
    cdef Py_ssize_t at
    for at in range(len(words)):
        if add:
            found.data.as_ints[at] = numbers.setdefault(words[at], len(numbers))
        else:
            found.data.as_ints[at] = numbers.get(words[at], -1)
    return found


cdef inline uint64_t hash_triple(const int32_t* words) noexcept nogil:
    return finish(step(step(step(SEED, words[0]), words[1]), words[2]))


def mark_triples(list words, list sought):
    """Mark the words that stand in three that stand in a row among others as well."""
    cdef dict numbers = {}
    cdef c_array.array wanted = known_numbers(sought, numbers, True), own = known_numbers(words, numbers, False)
    cdef const int32_t* look_for = ints(wanted)
    cdef const int32_t* there = ints(own)
    cdef Py_ssize_t count = len(sought) - 2, total = len(words), room = 16, slot, at
    marks = bytearray(total)
    cdef unsigned char* marked = marks
    while room < 2 * count:
        room *= 2
    cdef int32_t* slots = <int32_t*>calloc(room, sizeof(int32_t))  # one more than where three begin; 0 for none
    if slots == NULL:
        raise MemoryError
    for at in range(count):
        slot = <Py_ssize_t>hash_triple(look_for + at) & (room - 1)
        while slots[slot] and memcmp(look_for + slots[slot] - 1, look_for + at, 3 * sizeof(int32_t)):
            slot = (slot + 1) & (room - 1)
        slots[slot] = <int32_t>at + 1
    for at in range(total - 2):
        slot = <Py_ssize_t>hash_triple(there + at) & (room - 1)
        while slots[slot] and memcmp(look_for + slots[slot] - 1, there + at, 3 * sizeof(int32_t)):
            slot = (slot + 1) & (room - 1)
        if slots[slot]:
            marked[at] = marked[at + 1] = marked[at + 2] = 1
    free(slots)
    return bytes(marks)


cdef bint has_sign(str text) noexcept:
    cdef Py_UCS4 sign
    for sign in text:
        if sign > 127 or sign == 60 or sign == 62:
            return True
    return False


def add_words(list texts, dict numbers, lists, c_array.array meant):
    """Add a list for each text: the numbers of its words, each once; and say which texts may mean something."""
    cdef c_array.array starts = lists[0], words = lists[1]
    cdef Py_ssize_t start, count = len(words), at, place = len(starts), first = len(starts), known = len(meant)
    cdef bytearray flags = bytearray(len(texts))
    cdef bint may
    cdef int32_t number
    cdef list found
    cdef str text
    c_array.resize_smart(starts, place + len(texts))
    for text in texts:
        found = []
        split_words(text, found)
        start, may = count, has_sign(text)
        c_array.resize_smart(words, start + len(found))
        for word in found:
            number = numbers.setdefault(word, len(numbers))
            for at in range(start, count):
                if words.data.as_ints[at] == number:
                    break
            else:
                words.data.as_ints[count] = number
                count += 1
                may = may or number >= known or meant.data.as_ints[number]
        flags[place - first] = may
        c_array.resize_smart(words, count)
        starts.data.as_ints[place] = <int32_t>count
        place += 1
    return bytes(flags)


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
    """Read the words of the texts; `silent` has a byte per name, 1 for elements in which nothing is read."""
    cdef Page page
    open_page(&page, columns)
    cdef const unsigned char* is_silent = silent
    cdef list words = [], different = []
    cdef dict numbers = {}
    cdef c_array.array before = c_array.clone(INTS, page.count + 1, zero=False)
    cdef c_array.array texts = c_array.clone(INTS, page.count, zero=False)
    cdef c_array.array texts_before = c_array.clone(INTS, page.count + 1, zero=False)
    cdef int32_t node, start, silent_until = 0, count = 0
    for node in range(<int32_t>page.count):
        before.data.as_ints[node] = <int32_t>len(words)
        texts_before.data.as_ints[node] = count
        if node < silent_until:
            continue
        if page.kind[node] == TEXT:
            start = page.text_start[node]
            split_bytes(page.texts + start, page.text_start[node + 1] - start, words)
            if before.data.as_ints[node] < len(words):
                texts.data.as_ints[count] = node
                count += 1
        elif page.kind[node] == ELEMENT and is_silent[page.name[node]]:
            silent_until = page.end[node]
    before.data.as_ints[page.count] = <int32_t>len(words)
    texts_before.data.as_ints[page.count] = count
    c_array.resize(texts, count)
    cdef c_array.array number = c_array.clone(INTS, len(words), zero=False)
    cdef Py_ssize_t at
    for at in range(len(words)):
        found = numbers.get(words[at])
        if found is None:
            found = numbers[words[at]] = len(different)
            different.append(words[at])
        number.data.as_ints[at] = found
        words[at] = different[<Py_ssize_t>found]  # one object for all that are the same
    return WordColumns(words, number, numbers, before, texts, texts_before)


def guess_shapes(texts, c_array.array values, words, Py_ssize_t most):
    """Say what kinds of texts stand at some places, as far as they need not be read for that."""
    cdef c_array.array starts = texts[0]
    cdef const int32_t* start = ints(starts)
    cdef const int32_t* stop = ints(texts[1])
    cdef const int32_t* first = ints(words[0])
    cdef const int32_t* last = ints(words[1])
    cdef const int32_t* before = ints(values)
    cdef Py_ssize_t at, count = len(starts)
    cdef c_array.array found = c_array.clone(INTS, count, zero=False)
    cdef int32_t* out = <int32_t*>found.data.as_ints
    for at in range(count):
        if last[at] - first[at] > most:
            out[at] = PROSE
        elif start[at] == stop[at]:
            out[at] = EMPTY
        else:
            out[at] = PLAIN_TEXT if before[start[at]] == before[stop[at]] else UNREAD
    return found
