"""Which tags and which visible text does a page have, in document order? (native twin of scan_py)

Read scan_py first: functions here have the names of theirs and differ only in how they look at bytes.
"""

from array import array

from cpython cimport array as c_array
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy, memset

from pagedrift._kernels.hashing_cy cimport SEED, finish, hash_buffer, step

from pagedrift._kernels import names as _names

cdef extern from "find.h" nogil:
    const int PAGEDRIFT_BLOCK
    const unsigned char* find_wide(const unsigned char* at, const unsigned char* end)
    int short_name(const unsigned char* at, uint64_t* word)
    const unsigned char* find_byte(const unsigned char* at, const unsigned char* end, int byte)
    const unsigned char* find_mark(const unsigned char* at, const unsigned char* end)

cdef enum:
    # Classes of bytes.
    IS_SPACE = 1
    ENDS_NAME = 2  # white space, / and >
    ENDS_ATTRIBUTE = 4  # the same and =
    ENDS_VALUE = 8  # white space and >
    IS_LETTER = 16
    OPENS_MARKUP = 32  # after a <
    IN_NAME = 64  # of an attribute, and never the first byte of one that is odd
    # Sizes.
    SLOTS = 1024
    RECENT = 256
    REACH = 256

cdef uint32_t VOID = _names.VOID, RAW = _names.RAW, SCRIPT = _names.SCRIPT, PLAINTEXT = _names.PLAINTEXT
cdef uint32_t FOREIGN = _names.FOREIGN, INTEGRATION = _names.INTEGRATION, BREAKOUT = _names.BREAKOUT
cdef uint32_t INLINE = _names.INLINE, INVISIBLE = _names.INVISIBLE, DECODED = _names.DECODED
cdef uint32_t BLOCK = _names.BLOCK, UNKNOWN = _names.UNKNOWN

cdef c_array.array NO_CODES = array("I")

cdef unsigned char[256] CLASS
cdef unsigned char[256] LOWER
cdef uint64_t[SLOTS] SLOT_HASH
cdef uint32_t[SLOTS] SLOT_NUMBER
cdef uint32_t[1024] FLAGS
cdef uint32_t[16][2] IDEOGRAPHS
cdef int IDEOGRAPH_RANGES = len(_names.IDEOGRAPHS)
cdef unsigned char[512][512] IMPLIED  # [start tag][open element]: the first ends the second

cdef _fill_tables():
    cdef int byte, slot
    for byte in range(256):
        CLASS[byte] = 0
        LOWER[byte] = byte
        if byte in b"\t\n\f\r ":
            CLASS[byte] |= IS_SPACE | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE
        if byte in b"/>":
            CLASS[byte] |= ENDS_NAME | ENDS_ATTRIBUTE
        if byte in b"=":
            CLASS[byte] |= ENDS_ATTRIBUTE
        if byte in b">":
            CLASS[byte] |= ENDS_VALUE
        if bytes([byte]).isalpha():
            CLASS[byte] |= IS_LETTER | OPENS_MARKUP
            LOWER[byte] = byte | 32
            CLASS[byte] |= IN_NAME
        if byte in b"0123456789-_:.@":
            CLASS[byte] |= IN_NAME
        if byte in b"/!?":
            CLASS[byte] |= OPENS_MARKUP
    for number, name in enumerate(_names.KNOWN):
        encoded = name.encode()
        hashed = hash_buffer(encoded, len(encoded))
        slot = hashed >> 54
        while SLOT_HASH[slot]:
            slot = (slot + 1) % SLOTS
        SLOT_HASH[slot] = hashed
        SLOT_NUMBER[slot] = number
        FLAGS[number] = _names.FLAGS[number]
    for slot, (first, last) in enumerate(_names.IDEOGRAPHS):
        IDEOGRAPHS[slot][0] = ord(first)
        IDEOGRAPHS[slot][1] = ord(last)
    for start, ended in _names.IMPLIED_ENDS.items():
        for name in ended:
            IMPLIED[_names.IDS[start]][_names.IDS[name]] = 1

_fill_tables()


cdef inline uint32_t number_of(uint64_t hashed) noexcept nogil:
    cdef int slot = hashed >> 54
    while SLOT_HASH[slot]:
        if SLOT_HASH[slot] == hashed:
            return SLOT_NUMBER[slot]
        slot = (slot + 1) % SLOTS
    return UNKNOWN | (hashed & (UNKNOWN - 1))


cdef inline uint32_t flags_of(uint32_t number) noexcept nogil:
    return FLAGS[number] if number < UNKNOWN else 0


cdef const unsigned char* buffer_of(data, Py_ssize_t start, Py_ssize_t end, Py_ssize_t* size) except NULL:
    # The bytes of a page from one of them on, of a bytes object or a bytearray, both of which end in a NUL: all, or
    # those before an end, where a NUL must stand too.
    cdef const unsigned char* begin
    if isinstance(data, bytearray):
        begin = <const unsigned char*>PyByteArray_AS_STRING(data)
        size[0] = PyByteArray_GET_SIZE(data)
    else:
        begin = <const unsigned char*>PyBytes_AS_STRING(<bytes?>data)
        size[0] = PyBytes_GET_SIZE(data)
    if end < 0:
        end = size[0]
    if not 0 <= start <= end <= size[0] or begin[end] != 0:
        raise IndexError(start, end)
    size[0] = end - start
    return begin + start


cdef void set_up(Scanner* s, const unsigned char* data, Py_ssize_t length, bint read_attributes) noexcept nogil:
    memset(s, 0, sizeof(Scanner))
    s.data = data
    s.length = length
    s.read_attributes = read_attributes


cdef int advance(Scanner* s) noexcept nogil:
    cdef const unsigned char* data = s.data
    cdef Py_ssize_t at
    cdef int following
    if s.raw:
        following = raw_text(s)
        if following != START and not s.skip_text:
            return following
    while s.position < s.length:
        at = s.position
        if data[at] != c"<" or not CLASS[data[at + 1]] & OPENS_MARKUP:
            text(s, at)
            if not s.skip_text:
                return TEXT
            at = s.position
            if at >= s.length:
                break
        following = data[at + 1]
        if CLASS[following] & IS_LETTER:
            return tag(s, START, at + 1)
        if following == c"/":
            if at + 2 >= s.length:
                text(s, at)
                return END_OF_FILE if s.skip_text else TEXT
            if CLASS[data[at + 2]] & IS_LETTER:
                return tag(s, END, at + 2)
            skip_past_bracket(s, at + 2)
        elif following == c"?":
            skip_past_bracket(s, at + 2)
        elif declaration(s, at) and not s.skip_text:
            return RAW_TEXT
    return END_OF_FILE


cdef inline int text(Scanner* s, Py_ssize_t at) noexcept nogil:
    cdef const unsigned char* end = s.data + s.length
    cdef const unsigned char* found = s.data + at
    s.start = at
    while True:
        found = find_byte(found + 1, end, c"<")
        if found == NULL:
            found = end
            break
        if CLASS[found[1]] & OPENS_MARKUP:
            break
    s.end = s.position = found - s.data
    return TEXT


cdef inline void skip_past_bracket(Scanner* s, Py_ssize_t at) noexcept nogil:
    cdef const unsigned char* found = find_byte(s.data + at, s.data + s.length, c">")
    s.position = found - s.data + 1 if found != NULL else s.length


cdef bint declaration(Scanner* s, Py_ssize_t at) noexcept nogil:
    cdef const unsigned char* data = s.data
    if at + 3 < s.length and data[at + 2] == c"-" and data[at + 3] == c"-":
        comment(s, at + 4)
    elif s.foreign and at + 9 <= s.length and memcmp(data + at + 2, b"[CDATA[", 7) == 0:
        s.start = s.position = at + 9
        while s.position < s.length:
            skip_past_bracket(s, s.position)
            s.end = s.position - 3
            if s.end >= s.start and memcmp(data + s.end, b"]]>", 3) == 0:
                return True
        s.end = s.length
        return True
    else:
        skip_past_bracket(s, at + 2)
    return False


cdef void comment(Scanner* s, Py_ssize_t at) noexcept nogil:
    cdef const unsigned char* data = s.data
    cdef Py_ssize_t end
    if (at < s.length and data[at] == c">") or (
        at + 1 < s.length and data[at] == c"-" and data[at + 1] == c">"
    ):
        skip_past_bracket(s, at)
        return
    s.position = at
    while s.position < s.length:
        skip_past_bracket(s, s.position)
        end = s.position
        if end - 3 >= at and memcmp(data + end - 3, b"-->", 3) == 0:
            return
        if end - 4 >= at and memcmp(data + end - 4, b"--!>", 4) == 0:
            return


cdef int tag(Scanner* s, int kind, Py_ssize_t at) noexcept nogil:
    at = name(s, at)
    if at >= s.length:
        s.position = s.length
        return END_OF_FILE
    s.hidden = False
    s.class_start = s.id_start = -1
    if not (attributes(s, at) if s.read_attributes else skip_attributes(s, at)):
        return END_OF_FILE
    s.flags = flags_of(s.number)
    if kind == END:
        if s.frame_count:
            leave(s)
    elif s.frame_count or s.flags & FOREIGN:
        if enter(s) and s.flags & (RAW | SCRIPT | PLAINTEXT):
            s.raw = True
    elif s.flags & (RAW | SCRIPT | PLAINTEXT):
        s.raw = True
    return kind


cdef inline Py_ssize_t name(Scanner* s, Py_ssize_t at) noexcept nogil:
    # Hash the name while looking for its end, lower-case, with U+FFFD for NUL.
    cdef const unsigned char* data = s.data
    cdef uint64_t state = SEED, word = 0
    cdef int shift = 0, byte, rest
    cdef Py_ssize_t length = 0
    s.start = at
    if at + PAGEDRIFT_BLOCK <= s.length:
        shift = short_name(data + at, &word)
        if shift <= 8 and CLASS[data[at + shift]] & ENDS_NAME:
            s.end = at + shift
            s.number = number_of(finish(step(state, word) ^ <uint64_t>shift))
            return s.end
        word = 0
        shift = 0
    while at < s.length:
        byte = data[at]
        if CLASS[byte] & ENDS_NAME:
            break
        rest = 0
        if byte == 0:
            byte = 0xEF
            rest = 2
        while True:
            word |= <uint64_t>LOWER[byte] << shift
            shift += 8
            length += 1
            if shift == 64:
                state = step(state, word)
                word = 0
                shift = 0
            if not rest:
                break
            byte = 0xBF if rest == 2 else 0xBD
            rest -= 1
        at += 1
    if shift:
        state = step(state, word)
    s.end = at
    s.number = number_of(finish(state ^ <uint64_t>length))
    return at


cdef inline bint skip_attributes(Scanner* s, Py_ssize_t start) noexcept nogil:
    # The same as attributes, by looking for = and > alone: behind a letter, a = can only be that of an attribute,
    # and behind its value the next one is looked for. Whatever is written otherwise is left to attributes.
    cdef const unsigned char* data = s.data
    cdef const unsigned char* end = data + s.length
    cdef const unsigned char* at = data + start
    cdef const unsigned char* value = at  # the end of the last value
    cdef const unsigned char* begin  # of what is before the next =
    cdef const unsigned char* mark
    cdef const unsigned char* quoted
    while True:
        begin = at
        mark = at if at[0] == c">" else find_mark(at, end)
        if mark == NULL:
            s.position = s.length
            return False
        if mark[0] == c">":
            s.self_closing = mark > value and (mark - 1)[0] == c"/"
            s.position = mark + 1 - data
            return True
        if not CLASS[(mark - 1)[0]] & IN_NAME:
            s.class_start = s.id_start = -1
            return attributes(s, start)
        at = mark + 1
        while CLASS[at[0]] & IS_SPACE:
            at += 1
        quoted = at
        if at[0] == c'"' or at[0] == c"'":
            quoted = at + 1
            at = find_byte(quoted, end, at[0])
            if at == NULL:
                s.position = s.length
                return False
            value = at
            at += 1
        else:
            while at < end and not CLASS[at[0]] & ENDS_VALUE:
                at += 1
            value = at
        if s.note_names:
            note_mark(s, begin, mark, quoted - data, value - data)
        value = at


cdef inline void note_mark(
    Scanner* s, const unsigned char* begin, const unsigned char* mark, Py_ssize_t value, Py_ssize_t value_end
) noexcept nogil:
    cdef int last = (mark - 1)[0] | 32
    if last == c"s" and s.class_start < 0 and is_name(begin, mark, b"class", 5):
        s.class_start = value
        s.class_end = value_end
    elif last == c"d" and s.id_start < 0 and is_name(begin, mark, b"id", 2):
        s.id_start = value
        s.id_end = value_end


cdef inline bint is_name(
    const unsigned char* begin, const unsigned char* mark, const char* name, Py_ssize_t length
) noexcept nogil:
    # The name before a = is this one, not only its end.
    if mark - begin < length or not is_word(mark - length, name, length):
        return False
    return mark - length == begin or (CLASS[(mark - length - 1)[0]] & ENDS_NAME) != 0


cdef inline bint attributes(Scanner* s, Py_ssize_t at) noexcept nogil:
    # The byte after the last is a NUL, which is no space, no slash and no bracket: only
    # where one was found need the end of the file be looked at.
    cdef const unsigned char* data = s.data
    while True:
        s.self_closing = False
        while CLASS[data[at]] & ENDS_NAME and data[at] != c">":
            s.self_closing = data[at] == c"/"
            at += 1
        if data[at] == c">":
            s.position = at + 1
            return True
        if at >= s.length:
            s.position = s.length
            return False
        at = attribute(s, at)


cdef inline Py_ssize_t attribute(Scanner* s, Py_ssize_t at) noexcept nogil:
    cdef const unsigned char* data = s.data
    cdef const unsigned char* found
    cdef Py_ssize_t start = at, name_end, value = -1, value_end = -1, length = s.length
    cdef int quote
    at += 1
    while at < length and not CLASS[data[at]] & ENDS_ATTRIBUTE:
        at += 1
    name_end = at
    while CLASS[data[at]] & IS_SPACE:
        at += 1
    if data[at] == c"=":
        at += 1
        while CLASS[data[at]] & IS_SPACE:
            at += 1
        quote = data[at]
        value = value_end = at
        if quote == c'"' or quote == c"'":
            found = find_byte(data + at + 1, data + length, quote)
            if found == NULL:
                return length
            value = at + 1
            value_end = found - data
            at = value_end + 1
        elif quote != c">":
            while at < length and not CLASS[data[at]] & ENDS_VALUE:
                at += 1
            value_end = at
    if s.read_attributes:
        s.hidden = s.hidden or hides(data + start, name_end - start, data + value, value_end - value)
    elif s.note_names:
        note_name(s, data + start, name_end - start, value, value_end)
    return at


cdef inline void note_name(
    Scanner* s, const unsigned char* name, Py_ssize_t length, Py_ssize_t value, Py_ssize_t value_end
) noexcept nogil:
    # Of several attributes of one name the first with a value counts.
    if value < 0:
        return
    if length == 5 and s.class_start < 0 and is_word(name, b"class", 5):
        s.class_start = value
        s.class_end = value_end
    elif length == 2 and s.id_start < 0 and is_word(name, b"id", 2):
        s.id_start = value
        s.id_end = value_end


cdef bint is_word(const unsigned char* data, const char* word, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t index
    for index in range(length):
        if LOWER[data[index]] != <unsigned char>word[index]:
            return False
    return True


cdef bint hides(
    const unsigned char* name, Py_ssize_t length, const unsigned char* value, Py_ssize_t size
) noexcept nogil:
    if length == 6:
        return is_word(name, b"hidden", 6)
    if length != 5 or not is_word(name, b"style", 5):
        return False
    return declares(value, size, b"display", 7, b"none", 4) or declares(
        value, size, b"visibility", 10, b"hidden", 6
    )


cdef bint declares(
    const unsigned char* style, Py_ssize_t size,
    const char* prop, Py_ssize_t prop_length, const char* value, Py_ssize_t value_length,
) noexcept nogil:
    # The property, white space, a colon, white space, the value: as the expression of the twin.
    cdef Py_ssize_t start, at
    for start in range(size - prop_length - value_length):
        if not is_word(style + start, prop, prop_length):
            continue
        if start and style[start - 1] != c";" and not is_style_space(style[start - 1]):
            continue  # the end of another word, as in backface-visibility
        at = skip_style_space(style, start + prop_length, size)
        if at == size or style[at] != c":":
            continue
        at = skip_style_space(style, at + 1, size)
        if size - at < value_length or not is_word(style + at, value, value_length):
            continue
        at += value_length
        if at == size or style[at] == c";" or style[at] == c"!" or is_style_space(style[at]):
            return True
    return False


cdef inline Py_ssize_t skip_style_space(const unsigned char* style, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    while at < size and is_style_space(style[at]):
        at += 1
    return at


cdef inline bint is_style_space(unsigned char sign) noexcept nogil:
    return sign == c" " or 9 <= sign <= 13


cdef int raw_text(Scanner* s) noexcept nogil:
    cdef uint32_t flags = s.flags
    cdef Py_ssize_t name_start = s.start, name_length = s.end - s.start
    s.start = s.position
    if flags & PLAINTEXT:
        s.end = s.length
    elif flags & SCRIPT:
        s.end = script_end(s)
    else:
        s.end = raw_end(s, name_start, name_length)
    s.position = s.end
    s.raw = False
    if s.start == s.end:
        return START
    return TEXT if flags & DECODED else RAW_TEXT


cdef bint closes(Scanner* s, Py_ssize_t at, const unsigned char* name, Py_ssize_t length) noexcept nogil:
    # A name and what may follow it stand here; both are compared without case.
    cdef Py_ssize_t index
    if at + length >= s.length or not CLASS[s.data[at + length]] & ENDS_NAME:
        return False
    for index in range(length):
        if LOWER[s.data[at + index]] != LOWER[name[index]]:
            return False
    return True


cdef Py_ssize_t raw_end(Scanner* s, Py_ssize_t name_start, Py_ssize_t length) noexcept nogil:
    cdef const unsigned char* end = s.data + s.length
    cdef const unsigned char* found = s.data + s.position
    while True:
        found = find_byte(found, end, c"<")
        if found == NULL:
            return s.length
        if found[1] == c"/" and closes(s, found - s.data + 2, s.data + name_start, length):
            return found - s.data
        found += 1


cdef Py_ssize_t script_end(Scanner* s) noexcept nogil:
    cdef const unsigned char* data = s.data
    cdef const unsigned char* script = <const unsigned char*>b"script"
    cdef const unsigned char* found
    cdef Py_ssize_t at = s.position
    cdef bint escaped = False, nested = False
    while at < s.length:
        if not escaped:
            found = find_byte(data + at, data + s.length, c"<")
            if found == NULL:
                break
            at = found - data
        if data[at] == c"<":
            if data[at + 1] == c"/":
                if closes(s, at + 2, script, 6):
                    if not nested:
                        return at
                    nested = False
            elif escaped:
                nested = nested or closes(s, at + 1, script, 6)
            elif data[at + 1] == c"!" and at + 4 <= s.length and memcmp(data + at, b"<!--", 4) == 0:
                escaped = True
                at += 1  # its two dashes may be those of -->
        elif data[at] == c"-" and at + 3 <= s.length and memcmp(data + at, b"-->", 3) == 0:
            escaped = nested = False
            at += 2
        at += 1
    return s.length


cdef bint enter(Scanner* s) noexcept nogil:
    cdef bint was_foreign = s.foreign
    if s.foreign and s.flags & BREAKOUT:
        pop_frames(s, 1)
        return True
    if s.foreign and s.self_closing:
        return False
    if s.frame_count and s.number == s.frames[s.frame_count - 1].number:
        s.frames[s.frame_count - 1].depth += 1
    elif (
        s.flags & (INTEGRATION if was_foreign else FOREIGN)
        and not s.self_closing
        and s.frame_count < MAX_FRAMES
    ):
        s.frames[s.frame_count].number = s.number
        s.frames[s.frame_count].depth = 1
        s.frame_count += 1
        s.foreign = not was_foreign
    return not was_foreign


cdef void leave(Scanner* s) noexcept nogil:
    cdef Frame* top = &s.frames[s.frame_count - 1]
    if s.number == top.number:
        top.depth -= 1
        if not top.depth:
            pop_frames(s, 1)
    elif s.foreign:
        if s.flags & (BLOCK | BREAKOUT):
            pop_frames(s, 1)
    elif s.number == s.frames[s.frame_count - 2].number:
        pop_frames(s, 2)


cdef inline void pop_frames(Scanner* s, int count) noexcept nogil:
    s.frame_count -= count
    s.foreign = s.frame_count and flags_of(s.frames[s.frame_count - 1].number) & FOREIGN != 0


cdef struct Buffer:
    char* bytes
    Py_ssize_t length
    Py_ssize_t room
    bint failed


cdef inline bint reserve(Buffer* buffer, Py_ssize_t more) noexcept nogil:
    # Make room; once memory is out, everything written after is dropped and failed stays set.
    cdef char* grown
    if buffer.length + more <= buffer.room:
        return True
    buffer.room = (buffer.length + more) * 2 + 1024
    grown = <char*>realloc(buffer.bytes, buffer.room)
    if grown == NULL:
        buffer.failed = True
        buffer.room = 0
        buffer.length = 0
        free(buffer.bytes)
        buffer.bytes = NULL
        return False
    buffer.bytes = grown
    return True


cdef inline void push_number(Buffer* buffer, uint32_t number) noexcept nogil:
    if reserve(buffer, 4):
        (<uint32_t*>(buffer.bytes + buffer.length))[0] = number
        buffer.length += 4


cdef inline void push_bytes(Buffer* buffer, const unsigned char* data, Py_ssize_t length) noexcept nogil:
    if reserve(buffer, length):
        memcpy(buffer.bytes + buffer.length, data, length)
        buffer.length += length


cdef struct Visible:
    Buffer out
    Buffer open  # numbers of the elements open since one that hides its content
    bint has_nul
    bint reference


cdef bint hidden_start(Visible* v, Scanner* s, bint empty) noexcept nogil:
    cdef uint32_t* open = <uint32_t*>v.open.bytes
    cdef bint shown
    while v.open.length and s.number < UNKNOWN and open[v.open.length // 4 - 1] < UNKNOWN and (
        IMPLIED[s.number][open[v.open.length // 4 - 1]]
    ):
        v.open.length -= 4
    shown = v.open.length == 0
    if not empty and (not shown or s.hidden or s.flags & INVISIBLE):
        push_number(&v.open, s.number)
    return shown and not s.flags & INVISIBLE


cdef bint hidden_end(Visible* v, Scanner* s) noexcept nogil:
    cdef uint32_t* open = <uint32_t*>v.open.bytes
    cdef Py_ssize_t index = v.open.length // 4 - 1
    cdef Py_ssize_t last = index - REACH
    while index >= 0 and index > last:
        if open[index] == s.number:
            v.open.length = index * 4
            return False
        index -= 1
    if s.flags & BLOCK:
        v.open.length = 0
    return v.open.length == 0


cdef void visible_text(Visible* v, Scanner* s, bint raw) noexcept nogil:
    cdef const unsigned char* at = s.data + s.start
    cdef const unsigned char* end = s.data + s.end
    cdef bint reference = find_byte(at, end, c"&") != NULL
    cdef const unsigned char* wide
    cdef int width
    if v.reference:
        push_bytes(&v.out, <const unsigned char*>b"\0", 1)
    v.reference = reference
    if v.has_nul or (raw and reference):
        push_careful(v, at, end, raw)
        return
    while at < end:
        wide = find_wide(at, end)
        width = wide_length(wide, end)
        push_bytes(&v.out, at, wide - at)
        push_apart(v, wide, width)
        if not width and wide < end:
            width = 1
            push_bytes(&v.out, wide, 1)
        at = wide + width


cdef void push_careful(Visible* v, const unsigned char* at, const unsigned char* end, bint raw) noexcept nogil:
    # The same byte by byte: without NULs, and with one after each & in raw text.
    cdef int width
    while at < end:
        width = wide_length(at, end)
        push_apart(v, at, width)
        if not width:
            width = 1
            if at[0] != 0:
                push_bytes(&v.out, at, 1)
            if raw and at[0] == c"&":
                push_bytes(&v.out, <const unsigned char*>b"\0", 1)
        at += width


cdef inline void push_apart(Visible* v, const unsigned char* at, int width) noexcept nogil:
    # An ideograph is a word of its own.
    if width:
        push_bytes(&v.out, <const unsigned char*>b"\n", 1)
        push_bytes(&v.out, at, width)
        push_bytes(&v.out, <const unsigned char*>b"\n", 1)


cdef int wide_length(const unsigned char* at, const unsigned char* end) noexcept nogil:
    # How many bytes the ideograph or kana here has; 0 if there is none.
    cdef uint32_t sign
    if end - at >= 3 and 0xE3 <= at[0] <= 0xEF and at[1] & 0xC0 == 0x80 and at[2] & 0xC0 == 0x80:
        sign = (at[0] & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)
        return 3 if is_ideograph(sign) else 0
    if end - at >= 4 and at[0] == 0xF0 and 0x90 <= at[1] <= 0xBF and at[2] & 0xC0 == 0x80 and at[3] & 0xC0 == 0x80:
        sign = (at[1] & 0x3F) << 12 | (at[2] & 0x3F) << 6 | (at[3] & 0x3F)
        return 4 if is_ideograph(sign) else 0
    return 0


cdef inline bint is_ideograph(uint32_t sign) noexcept nogil:
    cdef int index
    for index in range(IDEOGRAPH_RANGES):
        if IDEOGRAPHS[index][0] <= sign <= IDEOGRAPHS[index][1]:
            return True
    return False


cdef void visible_token(Visible* v, Scanner* s, int kind) noexcept nogil:
    cdef bint ends_word
    if kind == TEXT or kind == RAW_TEXT:
        if not v.open.length:
            visible_text(v, s, kind == RAW_TEXT)
        return
    if kind == START:
        ends_word = hidden_start(
            v, s, s.flags & VOID or (s.self_closing and (s.foreign or s.flags & FOREIGN))
        )
    else:
        ends_word = hidden_end(v, s)
    if ends_word and not s.flags & INLINE:
        v.reference = False
        push_bytes(&v.out, <const unsigned char*>b"\n", 1)


cdef struct Unknown:
    Py_ssize_t start
    Py_ssize_t end
    uint32_t number


cdef void run(
    Scanner* s, Py_ssize_t limit, bint want_text, Buffer* codes, Buffer* unknown, Visible* visible
) noexcept nogil:
    cdef uint32_t[RECENT] recent  # unknown names met lately: each is noted about once, not a million times
    cdef Py_ssize_t count = 0
    cdef Unknown note
    cdef int kind
    memset(recent, 0, sizeof(recent))
    while count != limit:
        kind = advance(s)
        if kind == END_OF_FILE:
            break
        if kind >= START:
            count += 1
            push_number(codes, s.number << 1 | (kind == END))
            if s.number >= UNKNOWN and recent[s.number % RECENT] != s.number:
                recent[s.number % RECENT] = s.number
                note.start = s.start
                note.end = s.end
                note.number = s.number
                push_bytes(unknown, <const unsigned char*>&note, sizeof(Unknown))
        if want_text:
            visible_token(visible, s, kind)


def name_id(bytes name not None):
    """Give a lower-case tag name its number."""
    return number_of(hash_buffer(<const unsigned char*>name, len(name)))


def scan(bytes data not None, Py_ssize_t limit=-1, bint want_text=False):
    """Read the tags and, if wanted, the visible text; see the twin."""
    cdef Scanner scanner
    cdef Buffer codes, unknown
    cdef Visible visible
    cdef Unknown* note
    cdef Py_ssize_t index
    cdef c_array.array result
    memset(&codes, 0, sizeof(Buffer))
    memset(&unknown, 0, sizeof(Buffer))
    memset(&visible, 0, sizeof(Visible))
    visible.has_nul = want_text and b"\0" in data
    set_up(&scanner, <const unsigned char*>data, len(data), want_text)
    scanner.skip_text = not want_text
    try:
        with nogil:
            run(&scanner, limit, want_text, &codes, &unknown, &visible)
        if codes.failed or unknown.failed or visible.out.failed or visible.open.failed:
            raise MemoryError
        result = c_array.clone(NO_CODES, codes.length // 4, zero=False)
        if codes.length:
            memcpy(result.data.as_chars, codes.bytes, codes.length)
        names = {}
        for index in range(unknown.length // <Py_ssize_t>sizeof(Unknown)):
            note = &(<Unknown*>unknown.bytes)[index]
            if note.number not in names:
                names[note.number] = data[note.start:note.end].lower().replace(b"\0", b"\xef\xbf\xbd")
        return result, names, visible.out.bytes[:visible.out.length] if visible.out.length else b""
    finally:
        free(codes.bytes)
        free(unknown.bytes)
        free(visible.out.bytes)
        free(visible.open.bytes)
