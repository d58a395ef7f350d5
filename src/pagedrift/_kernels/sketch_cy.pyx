"""Which frame and which content is a page built of, in 136 bytes? (native twin of sketch_py)

Read sketch_py first. Repeated features change nothing and are passed over by a table of those met lately.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memchr, memset

from pagedrift._kernels.hashing_cy cimport SEED, finish, step
from pagedrift._kernels.scan_cy cimport END_OF_FILE, START, Scanner, advance, set_up

from pagedrift._kernels import names as _names
from pagedrift._kernels import sketch_py as _twin

cdef enum:
    CONTENT = 0
    FRAME = 1
    WHOLE = 2
    NOTHING = 3
    LENGTH = 136
    KEYS = 32
    CHOSEN = 13
    HEAVIEST = 4
    DEEPEST = 256
    REACH = 8
    RECENT = 4096
    KIND_CLASS = 1
    KIND_ID = 2
    KIND_INSIDE = 3

cdef uint64_t MASK = 0xFFFFFFFFFFFFFFFFULL
cdef uint32_t UNKNOWN = _names.UNKNOWN, VOID = _names.VOID, FOREIGN = _names.FOREIGN
cdef unsigned char[1024] PART
cdef unsigned char[1024] ROWS
cdef uint64_t[LENGTH] ORDERS
cdef int[4] STARTS
cdef unsigned char[KEYS][CHOSEN] CHOICES

cdef _fill_tables():
    cdef int at, key
    for at in range(1024):
        PART[at] = _twin.PART.get(at, CONTENT)
        ROWS[at] = at in _twin.ROWS
    for at in range(LENGTH):
        ORDERS[at] = _twin.ORDERS[at]
    for at in range(3):
        STARTS[at] = sum(_twin.SIZES[:at])
    STARTS[3] = LENGTH
    for key in range(KEYS):
        for at in range(CHOSEN):
            CHOICES[key][at] = _twin.CHOICES[key][at]

_fill_tables()


cdef struct Sketch:
    uint64_t[LENGTH] minima
    uint64_t[RECENT] recent  # features met lately; which it forgets does not matter
    uint32_t[DEEPEST] open_tags
    int depth


cdef inline bint is_space(unsigned char byte) noexcept nogil:
    return byte == c" " or byte == c"\n" or byte == c"\t" or byte == c"\r" or byte == c"\f"


cdef inline unsigned char lower(unsigned char byte) noexcept nogil:
    return byte | 32 if c"A" <= byte <= c"Z" else byte


cdef inline bint is_letter(unsigned char byte) noexcept nogil:
    return c"a" <= (byte | 32) <= c"z"


cdef uint64_t hash_words(const unsigned char* at, const unsigned char* end) noexcept nogil:
    cdef uint64_t state = SEED
    cdef const unsigned char* gap
    while at < end and not is_letter(at[0]):
        at += 1
    while at < end and is_letter(at[0]):
        state = step(state, at[0] | 32)
        at += 1
    gap = at
    while at < end and (at[0] == c"-" or at[0] == c"_" or at[0] == c":" or at[0] == c"."):
        at += 1
    if gap < at < end and is_letter(at[0]):
        state = step(state, c"-")
        while at < end and is_letter(at[0]):
            state = step(state, at[0] | 32)
            at += 1
    return finish(state)


cdef inline void put(Sketch* k, int part, uint64_t feature) noexcept nogil:
    cdef uint64_t value
    cdef int at
    for at in range(STARTS[part], STARTS[part + 1]):
        value = feature * ORDERS[at]
        if value < k.minima[at]:
            k.minima[at] = value


cdef inline void say(Sketch* k, int part, int kind, uint32_t number, uint64_t value) noexcept nogil:
    cdef uint64_t feature = step(step(step(SEED, kind), number), value)
    cdef uint64_t* met
    cdef int copy, weight = 1
    if part == FRAME and k.depth // 3 < HEAVIEST - 1:
        weight = HEAVIEST - k.depth // 3
    met = &k.recent[(feature ^ feature >> 40) % RECENT]
    if met[0] == feature + <uint64_t>weight:
        return
    met[0] = feature + <uint64_t>weight
    for copy in range(weight):
        put(k, part, finish(step(feature, copy)))


cdef struct Value:
    const unsigned char* start  # NULL where there is no such attribute
    const unsigned char* end


cdef inline bint is_named(const unsigned char* start, const unsigned char* end, const char* name, int length) noexcept nogil:
    cdef int at
    if end - start != length:
        return False
    for at in range(length):
        if lower(start[at]) != <unsigned char>name[at]:
            return False
    return True


cdef void read_names(Scanner* s, Value* classes, Value* name) noexcept nogil:
    # The scanner has found the end of the tag, so every quotation mark has its second.
    cdef const unsigned char* at = s.data + s.end
    cdef const unsigned char* end = s.data + s.position - 1
    cdef const unsigned char* start
    cdef const unsigned char* stop
    cdef Value value
    cdef unsigned char quote
    classes.start = NULL
    name.start = NULL
    while True:
        while at < end and (is_space(at[0]) or at[0] == c"/"):
            at += 1
        if at >= end:
            return
        start = at
        at += 1
        while at < end and not is_space(at[0]) and at[0] != c"/" and at[0] != c">" and at[0] != c"=":
            at += 1
        stop = at
        while at < end and is_space(at[0]):
            at += 1
        value.start = value.end = at
        if at < end and at[0] == c"=":
            at += 1
            while at < end and is_space(at[0]):
                at += 1
            value.start = at
            if at < end and (at[0] == c'"' or at[0] == c"'"):
                quote = at[0]
                at += 1
                value.start = at
                at = <const unsigned char*>memchr(at, quote, end - at)
                if at == NULL:
                    return
                value.end = at
                at += 1
            else:
                while at < end and not is_space(at[0]):
                    at += 1
                value.end = at
        if classes.start == NULL and is_named(start, stop, b"class", 5):
            classes[0] = value
        elif name.start == NULL and is_named(start, stop, b"id", 2):
            name[0] = value


cdef void start_tag(Sketch* k, Scanner* s) noexcept nogil:
    cdef uint32_t number = s.number
    cdef int part = PART[number] if number < UNKNOWN else CONTENT
    cdef bint has_class = False
    cdef Value classes, name
    cdef const unsigned char* at
    cdef const unsigned char* start
    if number < UNKNOWN and ROWS[number] and k.depth and k.open_tags[k.depth - 1] == number:
        k.depth -= 1
    if part == NOTHING:
        return
    if s.position - s.end > 1:
        read_names(s, &classes, &name)
        at = classes.start
        while at != NULL and at < classes.end:
            if is_space(at[0]):
                at += 1
                continue
            start = at
            while at < classes.end and not is_space(at[0]):
                at += 1
            has_class = True
            say(k, part, KIND_CLASS, number, hash_words(start, at))
        if name.start != NULL and name.start < name.end and (part == WHOLE or (part == FRAME and not has_class)):
            say(k, part, KIND_ID, number, hash_words(name.start, name.end))
    if part != WHOLE:
        say(k, part, KIND_INSIDE, number, k.open_tags[k.depth - 1] if k.depth else MASK)


cdef inline void close_tag(Sketch* k, uint32_t number) noexcept nogil:
    cdef int index = k.depth - 1
    while index >= 0 and index > k.depth - 1 - REACH:
        if k.open_tags[index] == number:
            k.depth = index
            return
        index -= 1


cdef void run(Sketch* k, Scanner* s) noexcept nogil:
    cdef int kind
    while True:
        kind = advance(s)
        if kind == END_OF_FILE:
            return
        if kind < START:
            continue
        if kind != START:
            close_tag(k, s.number)
            continue
        start_tag(k, s)
        if s.flags & VOID or (s.self_closing and (s.foreign or s.flags & FOREIGN)):
            continue
        if k.depth < DEEPEST:
            k.open_tags[k.depth] = s.number
            k.depth += 1


def sketch(bytes data not None):
    """Sum up the tags of a page; see the twin."""
    cdef Scanner scanner
    cdef Sketch k
    cdef unsigned char[LENGTH] found
    cdef int at
    memset(k.minima, 255, sizeof(k.minima))
    memset(k.recent, 0, sizeof(k.recent))
    k.depth = 0
    set_up(&scanner, <const unsigned char*>data, len(data), False)
    with nogil:
        run(&k, &scanner)
    for at in range(LENGTH):
        found[at] = 0 if k.minima[at] == MASK else (k.minima[at] >> 24) & 255
    return PyBytes_FromStringAndSize(<const char*>found, LENGTH)


def sketch_keys(bytes sketch not None):
    """Give the selections of the bytes that serve as keys; see the twin."""
    cdef const unsigned char* bytes_of = <const unsigned char*>sketch
    cdef unsigned char[CHOSEN + 1] key
    cdef int number, at
    cdef list found = []
    if len(sketch) != LENGTH:
        raise IndexError(len(sketch))
    for number in range(KEYS):
        key[0] = number
        for at in range(CHOSEN):
            key[at + 1] = bytes_of[CHOICES[number][at]]
        found.append(PyBytes_FromStringAndSize(<const char*>key, CHOSEN + 1))
    return found


def shares_key(bytes one not None, bytes other not None):
    """Tell whether two sketches have a key in common; see the twin."""
    cdef const unsigned char* first = <const unsigned char*>one
    cdef const unsigned char* second = <const unsigned char*>other
    cdef int number, at
    if len(one) != LENGTH or len(other) != LENGTH:
        return False
    for number in range(KEYS):
        at = 0
        while at < CHOSEN and first[CHOICES[number][at]] == second[CHOICES[number][at]]:
            at += 1
        if at == CHOSEN:
            return True
    return False
