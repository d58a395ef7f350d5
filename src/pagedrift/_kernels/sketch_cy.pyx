"""What is the layout of a page built of, in constant size? (native twin of sketch_py)

Read sketch_py first. Repeated features change nothing: tags and features met lately are passed over by two small
tables. New features wait until there are many, since their products are cheapest together.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from pagedrift._kernels.hashing_cy cimport PRIME, SEED, finish, step
from pagedrift._kernels.scan_cy cimport END_OF_FILE, START, Scanner, advance, buffer_of, set_up

from pagedrift._kernels import names as _names
from pagedrift._kernels import sketch_py as _twin

cdef extern from "least.h" nogil:
    void least_products(uint64_t* least, const uint64_t* factors, int count, const uint64_t* numbers, int size)

cdef enum:
    CONTENT = 0
    FRAME = 1
    WHOLE = 2
    NOTHING = 3
    BITS_BYTES = 64
    LAYOUT_BITS = 448
    KEYS = 5
    ORDERS_OF_KEY = 16
    ALL_ORDERS = 80  # a multiple of eight, as least_products asks for
    KEY_BYTES = 6
    LENGTH = 94
    WEIGHT = 8
    DEEPEST = 256
    REACH = 8
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
cdef unsigned char[1024] TEXT
cdef uint64_t[ALL_ORDERS] ORDERS

cdef _fill_tables():
    cdef int at
    for at in range(1024):
        PART[at] = _twin.PART.get(at, CONTENT)
        ROWS[at] = at in _twin.ROWS
        TEXT[at] = at in _twin.TEXT
    for at in range(ALL_ORDERS):
        ORDERS[at] = _twin.ORDERS[at]

_fill_tables()


cdef struct Tag:  # a start tag met lately, by what its features depend on
    Py_ssize_t start  # of its class names, or else of its id
    uint32_t length
    uint32_t number
    uint32_t outer
    uint32_t how  # which of its names counts; never 0


cdef struct Sketch:
    uint64_t[ALL_ORDERS] minima
    uint64_t[WAITING] waiting  # features that the minima do not know yet
    int waits
    unsigned char[BITS_BYTES] bits
    uint64_t[RECENT] features  # met lately; which are forgotten does not matter
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


cdef void flush(Sketch* k) noexcept nogil:
    least_products(k.minima, ORDERS, ALL_ORDERS, k.waiting, k.waits)
    k.waits = 0


cdef inline void put(Sketch* k, uint64_t feature) noexcept nogil:
    if k.waits == WAITING:
        flush(k)
    k.waiting[k.waits] = feature
    k.waits += 1


cdef inline void say(Sketch* k, int part, int kind, uint32_t number, uint64_t value) noexcept nogil:
    cdef uint64_t feature = step(step(step(SEED, kind), number), value)
    cdef int copy, bit, at = (feature ^ feature >> 40) % RECENT
    if k.features[at] == feature:
        return
    k.features[at] = feature
    feature = finish(feature)
    if part == WHOLE:
        bit = LAYOUT_BITS + <int>(feature >> 58)
        for copy in range(WEIGHT):
            put(k, finish(step(feature, copy)))
    else:
        bit = <int>((feature >> 32) * LAYOUT_BITS >> 32)
        put(k, feature)
    k.bits[bit >> 3] |= 1 << (bit & 7)


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


cdef inline bint is_met(Sketch* k, Scanner* s, int part, uint32_t outer) noexcept nogil:
    # Tell whether such a tag was met before, whose features were the same, and remember this one.
    cdef Py_ssize_t start = s.class_start, end = s.class_end
    cdef uint32_t how = 1
    cdef uint64_t hashed
    cdef Tag* met
    if part == FRAME and (start < 0 or start == end):
        start, end, how = s.id_start, s.id_end, 2
    elif start >= 0 and is_space(s.data[start]):
        return False  # perhaps not a single name
    if start < 0:
        start = end = 0
    if part == WHOLE or end - start > LONGEST:
        return False
    how += 4 if k.depth else 0
    hashed = step(glance(s.data + start, end - start), <uint64_t>outer << 32 | s.number ^ how)
    met = &k.tags[hashed % RECENT]
    if (
        met.how == how and met.number == s.number and met.outer == outer
        and met.length == <uint32_t>(end - start)
        and memcmp(s.data + met.start, s.data + start, end - start) == 0
    ):
        return True
    met.start = start
    met.length = <uint32_t>(end - start)
    met.number = s.number
    met.outer = outer
    met.how = how
    return False


cdef void start_tag(Sketch* k, Scanner* s) noexcept nogil:
    cdef uint32_t number = s.number, outer
    cdef int part = PART[number] if number < UNKNOWN else CONTENT
    if number < UNKNOWN and ROWS[number] and k.depth and k.open_tags[k.depth - 1] == number:
        k.depth -= 1
    if part == NOTHING:
        return
    outer = k.open_tags[k.depth - 1] if k.depth else 0
    if part == CONTENT and k.depth and outer < UNKNOWN and TEXT[outer]:
        return
    if is_met(k, s, part, outer):
        return
    say_names(k, s, part)
    if part != WHOLE:
        say(k, part, KIND_INSIDE, number, outer if k.depth else MASK)


cdef void say_names(Sketch* k, Scanner* s, int part) noexcept nogil:
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
        say(k, part, KIND_CLASS, s.number, hash_words(start, at))
    if 0 <= s.id_start < s.id_end and (part == WHOLE or (part == FRAME and not has_class)):
        say(k, part, KIND_ID, s.number, hash_words(s.data + s.id_start, s.data + s.id_end))


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


def sketch(data not None, Py_ssize_t start=0, Py_ssize_t end=-1):
    """Sum up the tags of a page; see the twin."""
    cdef Py_ssize_t size
    cdef const unsigned char* begin = buffer_of(data, start, end, &size)
    cdef Scanner scanner
    cdef Sketch k
    cdef unsigned char[LENGTH] found
    cdef uint64_t state
    cdef int key, at
    memset(k.minima, 255, sizeof(k.minima))
    memset(k.bits, 0, sizeof(k.bits))
    memset(k.features, 0, sizeof(k.features))
    memset(k.tags, 0, sizeof(k.tags))
    k.waits = k.depth = 0
    set_up(&scanner, begin, size, False)
    scanner.note_names = True
    scanner.skip_text = True
    with nogil:
        run(&k, &scanner)
        flush(&k)
    memcpy(found, k.bits, BITS_BYTES)
    for key in range(KEYS):
        state = SEED
        for at in range(key * ORDERS_OF_KEY, (key + 1) * ORDERS_OF_KEY):
            state = step(state, k.minima[at])
        state = finish(state)
        for at in range(KEY_BYTES):
            found[BITS_BYTES + key * KEY_BYTES + at] = (state >> (8 * at)) & 255
    return PyBytes_FromStringAndSize(<const char*>found, LENGTH)


def sketch_keys(bytes sketch not None):
    """Give the keys, each with its number; see the twin."""
    cdef const unsigned char* bytes_of = <const unsigned char*>sketch
    cdef unsigned char[KEY_BYTES + 1] key
    cdef int number
    cdef list found = []
    if len(sketch) != LENGTH:
        raise IndexError(len(sketch))
    for number in range(KEYS):
        key[0] = number
        memcpy(key + 1, bytes_of + BITS_BYTES + number * KEY_BYTES, KEY_BYTES)
        found.append(PyBytes_FromStringAndSize(<const char*>key, KEY_BYTES + 1))
    return found


def shares_key(bytes one not None, bytes other not None):
    """Tell whether two sketches have a key in common; see the twin."""
    cdef const unsigned char* first = <const unsigned char*>one
    cdef const unsigned char* second = <const unsigned char*>other
    cdef int number, at
    if len(one) != LENGTH or len(other) != LENGTH:
        return False
    for number in range(KEYS):
        at = BITS_BYTES + number * KEY_BYTES
        if memcmp(first + at, second + at, KEY_BYTES) == 0:
            return True
    return False
