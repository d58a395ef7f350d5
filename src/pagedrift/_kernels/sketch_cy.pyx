"""Which frame and which content is a page built of, in 136 bytes? (native twin of sketch_py)

Read sketch_py first. Repeated features change nothing: tags and features met lately are passed over by two small
tables. New features wait until there are many, since their products are cheapest together.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from pagedrift._kernels.hashing_cy cimport PRIME, SEED, finish, step
from pagedrift._kernels.scan_cy cimport END_OF_FILE, START, Scanner, advance, set_up

from pagedrift._kernels import names as _names
from pagedrift._kernels import sketch_py as _twin

cdef extern from "least.h" nogil:
    void least_products(uint64_t* least, const uint64_t* factors, int count, const uint64_t* numbers, int size)

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
    PARTS = 3
    WAITING = 256
    RECENT = 512
    LONGEST = 4096
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


cdef struct Tag:  # a start tag met lately, by what its features depend on
    Py_ssize_t start  # of its class names, or else of its id
    uint32_t length
    uint32_t number
    uint32_t outer
    uint32_t how  # weight, and more than 255 in any case


cdef struct Sketch:
    uint64_t[LENGTH] minima
    uint64_t[PARTS][WAITING] waiting  # features that the minima do not know yet
    int[PARTS] waits
    uint64_t[RECENT] features  # met lately; which are forgotten does not matter
    unsigned char[RECENT] weights
    Tag[RECENT] tags
    uint32_t[DEEPEST] open_tags
    int depth


cdef inline bint is_space(unsigned char byte) noexcept nogil:
    return byte == c" " or byte == c"\n" or byte == c"\t" or byte == c"\r" or byte == c"\f"


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


cdef void flush(Sketch* k, int part) noexcept nogil:
    cdef int start = STARTS[part], end = STARTS[part + 1]
    least_products(k.minima + start, ORDERS + start, end - start, k.waiting[part], k.waits[part])
    k.waits[part] = 0


cdef inline void put(Sketch* k, int part, uint64_t feature) noexcept nogil:
    if k.waits[part] == WAITING:
        flush(k, part)
    k.waiting[part][k.waits[part]] = feature
    k.waits[part] += 1


cdef inline void say(Sketch* k, int part, int weight, int kind, uint32_t number, uint64_t value) noexcept nogil:
    cdef uint64_t feature = step(step(step(SEED, kind), number), value)
    cdef int copy, at = (feature ^ feature >> 40) % RECENT
    if not k.weights[at] or k.features[at] != feature:
        k.features[at] = feature
        k.weights[at] = 0
    for copy in range(k.weights[at], weight):
        put(k, part, finish(step(feature, copy)))
    if k.weights[at] < weight:
        k.weights[at] = weight


cdef inline uint64_t glance(const unsigned char* at, Py_ssize_t length) noexcept nogil:
    # Both ends of some bytes: enough to choose a slot, where they are compared.
    cdef uint64_t first = 0, last = 0
    if length >= 8:
        memcpy(&first, at, 8)
        memcpy(&last, at + length - 8, 8)
    elif length >= 4:
        memcpy(&first, at, 4)
        memcpy(&last, at + length - 4, 4)
    elif length:
        first = at[0] | at[length >> 1] << 8 | at[length - 1] << 16
    return first * PRIME ^ last


cdef inline bint is_met(Sketch* k, Scanner* s, int part, int weight, uint32_t outer) noexcept nogil:
    # Tell whether such a tag was met before, whose features were the same, and remember this one.
    cdef Py_ssize_t start = s.class_start, end = s.class_end
    cdef uint32_t how = 256
    cdef uint64_t hashed
    cdef Tag* met
    if part == FRAME and (start < 0 or start == end):
        start, end, how = s.id_start, s.id_end, 512
    elif start >= 0 and is_space(s.data[start]):
        return False  # perhaps not a single name
    if start < 0:
        start = end = 0
    if part == WHOLE or end - start > LONGEST:
        return False
    how += 1024 if k.depth else 0
    hashed = step(glance(s.data + start, end - start), <uint64_t>outer << 32 | s.number ^ how)
    met = &k.tags[hashed % RECENT]
    if (
        met.how >> 8 == how >> 8 and met.how & 255 >= <uint32_t>weight and met.number == s.number
        and met.outer == outer and met.length == <uint32_t>(end - start)
        and memcmp(s.data + met.start, s.data + start, end - start) == 0
    ):
        return True
    met.start = start
    met.length = <uint32_t>(end - start)
    met.number = s.number
    met.outer = outer
    met.how = how | <uint32_t>weight
    return False


cdef void start_tag(Sketch* k, Scanner* s) noexcept nogil:
    cdef uint32_t number = s.number, outer
    cdef int weight = 1, part = PART[number] if number < UNKNOWN else CONTENT
    if number < UNKNOWN and ROWS[number] and k.depth and k.open_tags[k.depth - 1] == number:
        k.depth -= 1
    if part == NOTHING:
        return
    outer = k.open_tags[k.depth - 1] if k.depth else 0
    if part == FRAME and k.depth < 3 * (HEAVIEST - 1):
        weight = HEAVIEST - k.depth // 3
    if is_met(k, s, part, weight, outer):
        return
    say_names(k, s, part, weight)
    if part != WHOLE:
        say(k, part, weight, KIND_INSIDE, number, outer if k.depth else MASK)


cdef void say_names(Sketch* k, Scanner* s, int part, int weight) noexcept nogil:
    cdef bint has_class = False
    cdef const unsigned char* at = s.data + s.class_start
    cdef const unsigned char* end = s.data + s.class_end
    cdef const unsigned char* start
    while s.class_start >= 0 and at < end:
        if is_space(at[0]):
            at += 1
            continue
        start = at
        while at < end and not is_space(at[0]):
            at += 1
        has_class = True
        say(k, part, weight, KIND_CLASS, s.number, hash_words(start, at))
    if 0 <= s.id_start < s.id_end and (part == WHOLE or (part == FRAME and not has_class)):
        say(k, part, weight, KIND_ID, s.number, hash_words(s.data + s.id_start, s.data + s.id_end))


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
    memset(k.waits, 0, sizeof(k.waits))
    memset(k.weights, 0, sizeof(k.weights))
    memset(k.tags, 0, sizeof(k.tags))
    k.depth = 0
    set_up(&scanner, <const unsigned char*>data, len(data), False)
    scanner.note_names = True
    with nogil:
        run(&k, &scanner)
        for at in range(PARTS):
            flush(&k, at)
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
