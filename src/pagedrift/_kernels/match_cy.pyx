"""Which node of the old page is which node of the new one? (native twin of match_py)"""

from array import array

from cpython cimport array as c_array
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcmp, memset

from pagedrift._kernels.hashing_cy cimport hash_buffer, step
from pagedrift._kernels.page_cy cimport Page, find_attribute, label, open_page, subtree_weight

from pagedrift._kernels import match_py as _twin

cdef enum:
    LOOKS = 16  # through a page, before a table of its signatures pays
    ELEMENT = 2
    TEXT = 3
    NONE = -1

cdef int64_t WEIGHT = _twin.WEIGHT
cdef int64_t LIGHT = _twin.LIGHT
cdef int64_t FULL = _twin.FULL
cdef int64_t SIMILAR = _twin.SIMILAR
cdef int64_t PAIRS = _twin.PAIRS
cdef int64_t TABLE = _twin.TABLE
cdef int32_t SAMPLE = _twin.SAMPLE
cdef int32_t READ = _twin.READ
cdef int32_t OWN = _twin.OWN
cdef uint64_t ID = _twin._ID
cdef uint64_t CLASS = _twin._CLASS
cdef uint64_t[4] KEYS = _twin._KEYS
cdef c_array.array INTS = array("i")

cdef struct Slot:  # of a table of hashes: a node of the old page that has it, and how often it is on each page
    uint64_t key
    int32_t old
    short old_times  # none, once or more often
    short new_times

cdef struct Ints:  # numbers, end to end
    int32_t* items
    Py_ssize_t count
    Py_ssize_t room

ctypedef uint64_t (*Key)(Page*, int32_t, int64_t) noexcept nogil

cdef struct Words:  # hashes of words, end to end
    uint64_t* items
    Py_ssize_t count
    Py_ssize_t room


cdef int put(Ints* ints, int32_t number) except -1:
    cdef int32_t* items
    if ints.count == ints.room:
        ints.room = ints.room * 2 + 64
        items = <int32_t*>realloc(ints.items, ints.room * sizeof(int32_t))
        if items == NULL:
            raise MemoryError
        ints.items = items
    ints.items[ints.count] = number
    ints.count += 1
    return 0


cdef int put_word(Words* words, uint64_t word) except -1:
    cdef uint64_t* items
    if words.count == words.room:
        words.room = words.room * 2 + 64
        items = <uint64_t*>realloc(words.items, words.room * sizeof(uint64_t))
        if items == NULL:
            raise MemoryError
        words.items = items
    words.items[words.count] = word
    words.count += 1
    return 0


cdef void* room_for(Py_ssize_t count, Py_ssize_t size) except NULL:
    # Zeroed, and never of no bytes at all.
    cdef void* found = calloc(count + 1, size)
    if found == NULL:
        raise MemoryError
    return found


cdef inline Py_ssize_t slots_for(Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t slots = 16
    while 2 * slots < 3 * count:
        slots *= 2
    return slots


cdef inline Slot* find(Slot* slots, Py_ssize_t room, uint64_t key) noexcept nogil:
    # The slot of a key, or the free one where it belongs; a free slot has the key 0.
    cdef Py_ssize_t at = key & (room - 1)
    while slots[at].key and slots[at].key != key:
        at = (at + 1) & (room - 1)
    return &slots[at]


cdef struct Known:  # the signatures of a page, to be asked for one
    Page* page
    uint64_t* keys  # a table of them, made when the page has been looked through a few times
    Py_ssize_t room
    int asked


cdef bint has(Known* known, uint64_t key) except -1:
    cdef Py_ssize_t at
    if known.keys == NULL and known.asked < LOOKS:
        known.asked += 1
        return look_through(known.page.signature, known.page.count, key)
    if known.keys == NULL:
        known.room = slots_for(known.page.count)
        known.keys = signatures_of(known.page, known.room)
    at = key & (known.room - 1)
    while known.keys[at] and known.keys[at] != key:
        at = (at + 1) & (known.room - 1)
    return known.keys[at] == key


cdef bint look_through(const uint64_t* signatures, Py_ssize_t count, uint64_t key) noexcept nogil:
    # By blocks, which compilers compare several at a time.
    cdef Py_ssize_t at = 0, end
    cdef uint64_t found = 0
    while at < count and not found:
        end = min(at + 256, count)
        while at < end:
            found |= signatures[at] == key
            at += 1
    return found != 0


cdef uint64_t* signatures_of(Page* page, Py_ssize_t room) except NULL:
    cdef uint64_t* keys = <uint64_t*>room_for(room, sizeof(uint64_t))
    cdef Py_ssize_t node, at
    for node in range(page.count):
        at = page.signature[node] & (room - 1)
        while keys[at] and keys[at] != page.signature[node]:
            at = (at + 1) & (room - 1)
        keys[at] = page.signature[node]
    return keys


cdef int compare_words(const void* one, const void* other) noexcept nogil:
    cdef uint64_t a = (<const uint64_t*>one)[0], b = (<const uint64_t*>other)[0]
    return (a > b) - (a < b)


cdef inline bint is_space(unsigned char sign) noexcept nogil:
    return sign == 32 or (9 <= sign <= 13)


cdef int words_of(Page* page, int32_t node, Words* words) except -1:
    # Put the hashes of a subtree's words behind the others, sorted, each once; count them.
    cdef Py_ssize_t first = words.count, kept, index
    cdef int32_t below, end = min(page.end[node], node + SAMPLE), at, start, stop
    for below in range(node, end):
        if page.kind[below] != TEXT and page.kind[below] != page.kind[node]:
            continue
        at = page.text_start[below]
        stop = min(page.text_start[below + 1], at + READ)
        while at < stop:
            if is_space(page.texts[at]):
                at += 1
                continue
            start = at
            while at < stop and not is_space(page.texts[at]):
                at += 1
            put_word(words, hash_buffer(page.texts + start, at - start))
    if words.count == first:
        return 0
    qsort(words.items + first, words.count - first, sizeof(uint64_t), compare_words)
    kept = first + 1
    for index in range(first + 1, words.count):
        if words.items[index] != words.items[kept - 1]:
            words.items[kept] = words.items[index]
            kept += 1
    words.count = kept
    return kept - first


cdef int64_t overlap(
    const uint64_t* one, Py_ssize_t rows, const uint64_t* other, Py_ssize_t columns
) noexcept nogil:
    cdef Py_ssize_t a = 0, b = 0, shared = 0
    while a < rows and b < columns:
        if one[a] == other[b]:
            shared += 1
            a += 1
            b += 1
        elif one[a] < other[b]:
            a += 1
        else:
            b += 1
    return FULL * shared // (rows + columns - shared) if rows + columns else FULL


cdef inline bint same_value(Page* old, int32_t one, Page* new, int32_t other) noexcept nogil:
    # Compare the values of two attributes by their places; NONE for one that is not there.
    cdef int32_t size
    if one == NONE or other == NONE:
        return one == other
    size = old.value_start[one + 1] - old.value_start[one]
    if size != new.value_start[other + 1] - new.value_start[other]:
        return False
    return memcmp(old.values + old.value_start[one], new.values + new.value_start[other], size) == 0


cdef uint64_t value_hash(Page* page, int32_t place) noexcept nogil:
    return hash_buffer(page.values + page.value_start[place], page.value_start[place + 1] - page.value_start[place])


cdef uint64_t look(Page* page, int32_t node) noexcept nogil:
    cdef int32_t place = find_attribute(page, node, CLASS)
    return step(step(0, label(page, node)), 0 if place == NONE else value_hash(page, place))


cdef int common(uint64_t* one, Py_ssize_t rows, uint64_t* other, Py_ssize_t columns, Ints* found) except -1:
    # Put the places of a longest common subsequence, by twos, into found.
    cdef Py_ssize_t start = 0, end = 0, least = min(rows, columns), at
    while start < least and one[start] == other[start]:
        put(found, start)
        put(found, start)
        start += 1
    while end < least - start and one[rows - 1 - end] == other[columns - 1 - end]:
        end += 1
    if start + end < rows and start + end < columns:
        if (rows - start - end) * (columns - start - end) <= TABLE:
            common_table(one + start, rows - start - end, other + start, columns - start - end, start, found)
        else:
            for a, b in _twin.common_of_many(
                _numbers(one + start, rows - start - end), _numbers(other + start, columns - start - end)
            ):
                put(found, start + a)
                put(found, start + b)
    for at in range(end, 0, -1):
        put(found, rows - at)
        put(found, columns - at)
    return 0


cdef list _numbers(uint64_t* items, Py_ssize_t count):
    return [items[at] for at in range(count)]


cdef int common_table(
    uint64_t* one, Py_ssize_t rows, uint64_t* other, Py_ssize_t columns, Py_ssize_t start, Ints* found
) except -1:
    cdef Py_ssize_t a, b, width = columns + 1
    cdef int32_t* longest = <int32_t*>room_for((rows + 1) * width, sizeof(int32_t))
    for a in range(rows - 1, -1, -1):
        for b in range(columns - 1, -1, -1):
            if one[a] == other[b]:
                longest[a * width + b] = longest[(a + 1) * width + b + 1] + 1
            else:
                longest[a * width + b] = max(longest[(a + 1) * width + b], longest[a * width + b + 1])
    a = b = 0
    try:
        while a < rows and b < columns:
            if one[a] == other[b]:
                put(found, start + a)
                put(found, start + b)
                a += 1
                b += 1
            elif longest[(a + 1) * width + b] >= longest[a * width + b + 1]:
                a += 1
            else:
                b += 1
    finally:
        free(longest)
    return 0


cdef class Matcher:
    """Two trees, and what has been matched so far; see the twin."""

    cdef Page old, new
    cdef tuple columns  # keeps the arrays alive
    cdef readonly object new_array, old_array
    cdef readonly bytearray same_old_bytes, same_new_bytes
    cdef int32_t* new_of
    cdef int32_t* old_of
    cdef unsigned char* same_old
    cdef unsigned char* same_new
    cdef unsigned char* aligned
    # Scratch: children of the two parents at hand, what is left of them, and what is asked about those.
    cdef Ints before, after, found, one, other, gaps
    cdef Words keys, facing, words

    def __cinit__(self, old, new):
        cdef c_array.array partners
        self.columns = (old, new)
        open_page(&self.old, old)
        open_page(&self.new, new)
        partners = self.new_array = c_array.clone(INTS, self.old.count, zero=False)
        self.new_of = <int32_t*>partners.data.as_ints
        partners = self.old_array = c_array.clone(INTS, self.new.count, zero=False)
        self.old_of = <int32_t*>partners.data.as_ints
        memset(self.new_of, 0xFF, self.old.count * sizeof(int32_t))  # -1 everywhere
        memset(self.old_of, 0xFF, self.new.count * sizeof(int32_t))
        self.same_old_bytes = bytearray(self.old.count)
        self.same_new_bytes = bytearray(self.new.count)
        self.same_old = self.same_old_bytes
        self.same_new = self.same_new_bytes
        self.aligned = <unsigned char*>room_for(self.new.count, 1)

    def __dealloc__(self):
        free(self.aligned)
        free(self.before.items)
        free(self.after.items)
        free(self.found.items)
        free(self.one.items)
        free(self.other.items)
        free(self.gaps.items)
        free(self.keys.items)
        free(self.facing.items)
        free(self.words.items)

    cdef void pair(self, int32_t i, int32_t j) noexcept nogil:
        cdef int32_t at, size = self.old.end[i] - i
        if self.old.signature[i] == self.new.signature[j] and self.is_free(i, j, size):
            for at in range(size):
                self.new_of[i + at] = j + at
                self.old_of[j + at] = i + at
            memset(self.same_old + i, 1, size)
            memset(self.same_new + j, 1, size)
        else:
            self.new_of[i] = j
            self.old_of[j] = i

    cdef bint is_free(self, int32_t i, int32_t j, int32_t size) noexcept nogil:
        cdef int32_t at
        if self.new.end[j] - j != size:
            return False
        for at in range(size):
            if self.new_of[i + at] != NONE or self.old_of[j + at] != NONE:
                return False
        return True

    cdef int run(self) except -1:
        self.pair(0, 0)
        if self.old.signature[0] == self.new.signature[0]:
            return 0
        self.in_place()
        self.round(WEIGHT)
        self.round(LIGHT)
        return 0

    cdef int round(self, int64_t least) except -1:
        cdef Ints before, after
        before.items = after.items = NULL
        before.count = before.room = after.count = after.room = 0
        try:
            self.list_free(&self.old, self.new_of, self.same_old, &before)
            self.list_free(&self.new, self.old_of, self.same_new, &after)
            if before.count and after.count:
                self.pair_unique(&before, &after, subtree_key, least)
                self.pair_unique(&before, &after, id_key, least)
                self.pair_unique(&before, &after, element_key, least)
                self.parents(&after)
        finally:
            free(before.items)
            free(after.items)
        return self.children()

    cdef int in_place(self) except -1:
        cdef Known all_old, all_new
        cdef int32_t* seen = NULL
        all_old.page, all_new.page = &self.old, &self.new
        all_old.keys = all_new.keys = NULL
        all_old.asked = all_new.asked = 0
        try:
            seen = <int32_t*>room_for(self.old.names + 8, sizeof(int32_t))
            self.descend(&all_old, &all_new, seen)
        finally:
            free(all_old.keys)
            free(all_new.keys)
            free(seen)
        return 0

    cdef int descend(self, Known* all_old, Known* all_new, int32_t* seen) except -1:
        cdef Ints* pending = &self.gaps  # pairs of parents
        cdef int32_t i, j, visit = 0
        cdef Py_ssize_t start, rows, columns, at
        pending.count = 0
        put(pending, 0)
        put(pending, 0)
        while pending.count:
            pending.count -= 2
            i, j = pending.items[pending.count], pending.items[pending.count + 1]
            list_children(&self.old, i, &self.before)
            list_children(&self.new, j, &self.after)
            rows, columns, start = self.before.count, self.after.count, 0
            while rows and columns and self.is_same(rows - 1, columns - 1):
                rows -= 1
                columns -= 1
                self.pair(self.before.items[rows], self.after.items[columns])
            while start < min(rows, columns) and self.is_same(start, start):
                self.pair(self.before.items[start], self.after.items[start])
                start += 1
            visit += 1
            if rows != columns or not self.is_plain(start, rows, seen, visit):
                continue
            for at in range(start, rows):
                i, j = self.before.items[at], self.after.items[at]
                if not has(all_new, self.old.signature[i]) and not has(all_old, self.new.signature[j]):
                    self.pair(i, j)
                    put(pending, i)
                    put(pending, j)
        return 0

    cdef bint is_same(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        return self.old.signature[self.before.items[a]] == self.new.signature[self.after.items[b]]

    cdef bint is_plain(self, Py_ssize_t start, Py_ssize_t end, int32_t* seen, int32_t visit) noexcept nogil:
        # The labels are the same on both sides, and no two of them are.
        cdef Py_ssize_t at
        cdef int32_t node, number
        for at in range(start, end):
            node = self.before.items[at]
            if label(&self.old, node) != label(&self.new, self.after.items[at]):
                return False
            number = self.old.name[node] if self.old.kind[node] == ELEMENT else self.old.names + self.old.kind[node]
            if seen[number] == visit:
                return False
            seen[number] = visit
        return True

    cdef int list_free(self, Page* page, int32_t* partner, unsigned char* same, Ints* nodes) except -1:
        cdef int32_t node = 1
        while node < page.count:
            if partner[node] == NONE and page.kind[node] == ELEMENT:
                put(nodes, node)
            node = page.end[node] if same[node] else node + 1
        return 0

    cdef int pair_unique(self, Ints* before, Ints* after, Key key, int64_t least) except -1:
        # Match what has a key that is once among what is free on each page; a key of 0 is none.
        cdef Py_ssize_t at, count = 0, room
        cdef Slot* slots
        cdef Slot* slot
        self.keys.count = self.facing.count = 0
        for at in range(before.count):
            put_word(&self.keys, 0)
            if self.new_of[before.items[at]] == NONE:
                self.keys.items[at] = key(&self.old, before.items[at], least)
                count += self.keys.items[at] != 0
        if not count:
            return 0
        for at in range(after.count):
            put_word(&self.facing, 0)
            if self.old_of[after.items[at]] == NONE:
                self.facing.items[at] = key(&self.new, after.items[at], least)
        room = slots_for(count)
        slots = <Slot*>room_for(room, sizeof(Slot))
        for at in range(before.count):
            if self.keys.items[at]:
                slot = find(slots, room, self.keys.items[at])
                slot.key = self.keys.items[at]
                slot.old = before.items[at]
                slot.old_times = min(slot.old_times + 1, 2)
        for at in range(after.count):
            if self.facing.items[at]:
                slot = find(slots, room, self.facing.items[at])
                slot.new_times = min(slot.new_times + 1, 2)
        for at in range(after.count):
            if self.facing.items[at] and self.old_of[after.items[at]] == NONE:
                slot = find(slots, room, self.facing.items[at])
                if slot.old_times == 1 and slot.new_times == 1 and self.new_of[slot.old] == NONE:
                    self.pair(slot.old, after.items[at])
        free(slots)
        return 0

    cdef int parents(self, Ints* after) except -1:
        cdef int64_t* votes = <int64_t*>room_for(self.old.count, sizeof(int64_t))
        cdef Ints* able = &self.one
        cdef int32_t j, child, above, best
        cdef Py_ssize_t at, index
        for index in range(after.count - 1, -1, -1):
            j = after.items[index]
            if self.old_of[j] != NONE:
                continue
            able.count = 0
            child = self.new.first_child[j]
            while child != NONE:
                if self.old_of[child] != NONE:
                    above = self.old.parent[self.old_of[child]]
                    if not votes[above]:
                        put(able, above)
                    votes[above] += 1 + subtree_weight(&self.new, child)
                child = self.new.next_sibling[child]
            best = NONE
            for at in range(able.count):
                above = able.items[at]
                if above > 0 and self.new_of[above] == NONE and label(&self.old, above) == label(&self.new, j):
                    if best == NONE or votes[above] > votes[best]:
                        best = above
            if best != NONE:
                self.pair(best, j)
            for at in range(able.count):
                votes[able.items[at]] = 0
        free(votes)
        return 0

    cdef int children(self) except -1:
        cdef int32_t j = 0
        while j < self.new.count:
            if self.same_new[j]:
                j = self.new.end[j]
                continue
            if self.old_of[j] != NONE and not self.aligned[j]:
                self.aligned[j] = 1
                self.align(self.old_of[j], j)
            j += 1
        return 0

    cdef int align(self, int32_t i, int32_t j) except -1:
        cdef int32_t child, partner
        cdef bint free_old = False, free_new = False
        self.before.count = self.after.count = 0
        child = self.old.first_child[i]
        while child != NONE:
            partner = self.new_of[child]
            free_old |= partner == NONE
            if partner == NONE or self.new.parent[partner] == j:
                put(&self.before, child)
            child = self.old.next_sibling[child]
        if not free_old:
            return 0
        child = self.new.first_child[j]
        while child != NONE:
            partner = self.old_of[child]
            free_new |= partner == NONE
            if partner == NONE or self.old.parent[partner] == i:
                put(&self.after, child)
            child = self.new.next_sibling[child]
        if free_new:
            self.in_order()
            self.out_of_order()
            self.wrapped()
            self.between()
            self.by_own_words()
        return 0

    cdef int in_order(self) except -1:
        # Afterwards found holds the places of what the two lists have in common, then those of their ends.
        cdef Py_ssize_t at
        cdef int32_t child, partner
        self.keys.count = self.facing.count = self.found.count = 0
        for at in range(self.before.count):
            child = self.before.items[at]
            partner = self.new_of[child]
            put_word(&self.keys, self.old.signature[child] if partner == NONE else ~<uint64_t>partner)
        for at in range(self.after.count):
            child = self.after.items[at]
            put_word(&self.facing, self.new.signature[child] if self.old_of[child] == NONE else ~<uint64_t>child)
        common(self.keys.items, self.keys.count, self.facing.items, self.facing.count, &self.found)
        put(&self.found, self.before.count)
        put(&self.found, self.after.count)
        for at in range(0, self.found.count - 2, 2):
            child = self.before.items[self.found.items[at]]
            if self.new_of[child] == NONE:
                self.pair(child, self.after.items[self.found.items[at + 1]])
        return 0

    cdef int out_of_order(self) except -1:
        self.free_of(&self.before, 0, self.before.count, self.new_of, &self.one)
        self.free_of(&self.after, 0, self.after.count, self.old_of, &self.other)
        return self.pair_same()

    cdef int wrapped(self) except -1:
        self.free_of(&self.before, 0, self.before.count, self.new_of, &self.one)
        keep_heavy(&self.old, &self.one)
        self.free_below(&self.new, &self.after, self.old_of, &self.other)
        self.pair_same()
        self.free_below(&self.old, &self.before, self.new_of, &self.one)
        self.free_of(&self.after, 0, self.after.count, self.old_of, &self.other)
        keep_heavy(&self.new, &self.other)
        return self.pair_same()

    cdef int free_below(self, Page* page, Ints* nodes, int32_t* partner, Ints* chosen) except -1:
        # The free children of free nodes.
        cdef Py_ssize_t at
        cdef int32_t child
        chosen.count = 0
        for at in range(nodes.count):
            if partner[nodes.items[at]] == NONE:
                child = page.first_child[nodes.items[at]]
                while child != NONE:
                    if partner[child] == NONE:
                        put(chosen, child)
                    child = page.next_sibling[child]
        return 0

    cdef int pair_same(self) except -1:
        # Match what is unchanged in the two lists, the first with the first.
        cdef Ints* one = &self.one
        cdef Ints* other = &self.other
        cdef Py_ssize_t at, room
        cdef Slot* slots
        cdef Slot* slot
        cdef int32_t* following  # for each of the old ones the next of the same signature, from 1
        if not one.count or not other.count:
            return 0
        room = slots_for(one.count)
        slots = <Slot*>room_for(room, sizeof(Slot))
        following = <int32_t*>malloc((one.count + 1) * sizeof(int32_t))
        if following == NULL:
            free(slots)
            raise MemoryError
        for at in range(one.count - 1, -1, -1):
            slot = find(slots, room, self.old.signature[one.items[at]])
            slot.key = self.old.signature[one.items[at]]
            following[at] = slot.old
            slot.old = at + 1
        for at in range(other.count):
            slot = find(slots, room, self.new.signature[other.items[at]])
            if slot.old:
                self.pair(one.items[slot.old - 1], other.items[at])
                slot.old = following[slot.old - 1]
        free(slots)
        free(following)
        return 0

    cdef int free_of(
        self, Ints* nodes, Py_ssize_t start, Py_ssize_t end, int32_t* partner, Ints* chosen
    ) except -1:
        cdef Py_ssize_t at
        chosen.count = 0
        for at in range(start, end):
            if partner[nodes.items[at]] == NONE:
                put(chosen, nodes.items[at])
        return 0

    cdef int between(self) except -1:
        cdef Py_ssize_t at, a = 0, b = 0, next_a, next_b
        for at in range(0, self.found.count, 2):
            next_a, next_b = self.found.items[at], self.found.items[at + 1]
            if next_a > a and next_b > b:
                self.free_of(&self.before, a, next_a, self.new_of, &self.one)
                self.free_of(&self.after, b, next_b, self.old_of, &self.other)
                if self.one.count and self.other.count:
                    self.similar()
            a, b = next_a + 1, next_b + 1
        return 0

    cdef int similar(self) except -1:
        cdef Ints* one = &self.one
        cdef Ints* other = &self.other
        cdef Py_ssize_t at
        if one.count * other.count > PAIRS:
            self.gaps.count = self.keys.count = self.facing.count = 0
            for at in range(one.count):
                put_word(&self.keys, look(&self.old, one.items[at]))
            for at in range(other.count):
                put_word(&self.facing, look(&self.new, other.items[at]))
            common(self.keys.items, one.count, self.facing.items, other.count, &self.gaps)
            for at in range(0, self.gaps.count, 2):
                self.pair(one.items[self.gaps.items[at]], other.items[self.gaps.items[at + 1]])
            return 0
        if one.count == 1 and other.count == 1:
            if label(&self.old, one.items[0]) == label(&self.new, other.items[0]):
                self.pair(one.items[0], other.items[0])  # like enough, whatever they say
                return 0
        return self.align_by_score()

    cdef int by_own_words(self) except -1:
        cdef Py_ssize_t* ends = NULL  # of the words of each child, the old ones first
        cdef int32_t* numbers = NULL  # of the words that only an old child has
        cdef int32_t* shared = NULL
        cdef Slot* slots = NULL
        cdef Py_ssize_t room, at, rows, columns
        keep_elements(&self.old, &self.before)
        keep_elements(&self.new, &self.after)
        rows, columns = self.before.count, self.after.count
        self.free_of(&self.before, 0, rows, self.new_of, &self.one)
        self.free_of(&self.after, 0, columns, self.old_of, &self.other)
        if not self.one.count or not self.other.count:
            return 0
        try:
            ends = <Py_ssize_t*>room_for(rows + columns, sizeof(Py_ssize_t))
            numbers = <int32_t*>room_for(rows, sizeof(int32_t))
            shared = <int32_t*>room_for(rows, sizeof(int32_t))
            self.words.count = 0
            for at in range(rows):
                words_of(&self.old, self.before.items[at], &self.words)
                ends[at] = self.words.count
            for at in range(columns):
                words_of(&self.new, self.after.items[at], &self.words)
                ends[rows + at] = self.words.count
            room = slots_for(self.words.count)
            slots = <Slot*>room_for(room, sizeof(Slot))
            self.count_words(slots, room, ends, numbers)
            self.pair_owners(slots, room, ends, numbers, shared)
        finally:
            free(ends)
            free(numbers)
            free(shared)
            free(slots)
        return 0

    cdef void count_words(self, Slot* slots, Py_ssize_t room, Py_ssize_t* ends, int32_t* numbers) noexcept nogil:
        # How many children of each side have a word; the last old one that has it; how many are an old one's own.
        cdef Py_ssize_t at, word = 0, rows = self.before.count
        cdef Slot* slot
        for at in range(rows + self.after.count):
            while word < ends[at]:
                slot = find(slots, room, self.words.items[word])
                slot.key = self.words.items[word]
                if at < rows:
                    slot.old = at
                    slot.old_times = min(slot.old_times + 1, 2)
                else:
                    slot.new_times = min(slot.new_times + 1, 2)
                word += 1
        for word in range(room):
            if slots[word].old_times == 1:
                numbers[slots[word].old] += 1

    cdef int pair_owners(
        self, Slot* slots, Py_ssize_t room, Py_ssize_t* ends, int32_t* numbers, int32_t* shared
    ) except -1:
        cdef Py_ssize_t at, word, rows = self.before.count
        cdef int32_t own, best
        cdef Ints* owners = &self.gaps
        cdef Slot* slot
        for at in range(self.after.count):
            if self.old_of[self.after.items[at]] != NONE:
                continue
            own = owners.count = 0
            for word in range(ends[rows + at - 1], ends[rows + at]):
                slot = find(slots, room, self.words.items[word])
                own += slot.new_times == 1
                if slot.new_times == 1 and slot.old_times == 1:
                    if not shared[slot.old]:
                        put(owners, slot.old)
                    shared[slot.old] += 1
            best = NONE
            for word in range(owners.count):
                if self.is_able(owners.items[word], at, shared, numbers, own):
                    if best == NONE or shared[owners.items[word]] > shared[best] or (
                        shared[owners.items[word]] == shared[best] and owners.items[word] < best
                    ):
                        best = owners.items[word]
            if best != NONE:
                self.pair(self.before.items[best], self.after.items[at])
            for word in range(owners.count):
                shared[owners.items[word]] = 0
        return 0

    cdef bint is_able(
        self, int32_t row, Py_ssize_t column, int32_t* shared, int32_t* numbers, int32_t own
    ) noexcept nogil:
        cdef int32_t i = self.before.items[row], j = self.after.items[column]
        if self.new_of[i] != NONE or label(&self.old, i) != label(&self.new, j):
            return False
        if self.old.end[i] - i > SAMPLE or self.new.end[j] - j > SAMPLE:
            return False
        return shared[row] * OWN >= numbers[row] + own - shared[row]

    cdef int align_by_score(self) except -1:
        cdef Py_ssize_t rows = self.one.count, columns = self.other.count, width = columns + 1, a, b
        cdef int64_t* scores = NULL
        cdef int64_t* best = NULL
        cdef Py_ssize_t* starts = NULL
        cdef int64_t paired
        try:
            scores = <int64_t*>room_for(rows * columns, sizeof(int64_t))
            best = <int64_t*>room_for((rows + 1) * width, sizeof(int64_t))
            starts = <Py_ssize_t*>room_for(rows + columns + 1, sizeof(Py_ssize_t))
            self.words.count = 0
            for a in range(rows):
                words_of(&self.old, self.one.items[a], &self.words)
                starts[a + 1] = self.words.count
            for b in range(columns):
                words_of(&self.new, self.other.items[b], &self.words)
                starts[rows + b + 1] = self.words.count
            for a in range(rows):
                for b in range(columns):
                    scores[a * columns + b] = self.similarity(a, b, starts, starts + rows)
            for a in range(rows - 1, -1, -1):
                for b in range(columns - 1, -1, -1):
                    paired = 0
                    if scores[a * columns + b] >= SIMILAR:
                        paired = best[(a + 1) * width + b + 1] + scores[a * columns + b]
                    best[a * width + b] = max(paired, best[(a + 1) * width + b], best[a * width + b + 1])
            self.take(scores, best, rows, columns)
        finally:
            free(scores)
            free(best)
            free(starts)
        return 0

    cdef void take(self, int64_t* scores, int64_t* best, Py_ssize_t rows, Py_ssize_t columns) noexcept nogil:
        cdef Py_ssize_t a = 0, b = 0, width = columns + 1
        cdef int64_t score
        while a < rows and b < columns:
            score = scores[a * columns + b]
            if score >= SIMILAR and best[a * width + b] == best[(a + 1) * width + b + 1] + score:
                self.pair(self.one.items[a], self.other.items[b])
                a += 1
                b += 1
            elif best[a * width + b] == best[(a + 1) * width + b]:
                a += 1
            else:
                b += 1

    cdef int64_t similarity(
        self, Py_ssize_t a, Py_ssize_t b, Py_ssize_t* one, Py_ssize_t* other
    ) noexcept nogil:
        cdef int32_t i = self.one.items[a], j = self.other.items[b], before, after
        cdef int64_t words, tenths = 3
        cdef int index
        if self.old.kind[i] != self.new.kind[j]:
            return 0
        words = overlap(
            self.words.items + one[a], one[a + 1] - one[a], self.words.items + other[b], other[b + 1] - other[b]
        )
        if self.old.kind[i] != ELEMENT:
            return (3 * FULL + 7 * words) // 10
        if label(&self.old, i) != label(&self.new, j):
            return 8 * words // 10 if 2 * words > FULL else 0
        for index in range(4):
            before = find_attribute(&self.old, i, KEYS[index])
            after = find_attribute(&self.new, j, KEYS[index])
            if before != NONE and self.old.value_start[before + 1] > self.old.value_start[before]:
                if same_value(&self.old, before, &self.new, after):
                    tenths += 2
                    break
        tenths += same_value(
            &self.old, find_attribute(&self.old, i, CLASS), &self.new, find_attribute(&self.new, j, CLASS)
        )
        return (tenths * FULL + 4 * words) // 10


cdef int list_children(Page* page, int32_t node, Ints* children) except -1:
    cdef int32_t child = page.first_child[node]
    children.count = 0
    while child != NONE:
        put(children, child)
        child = page.next_sibling[child]
    return 0


cdef void keep_elements(Page* page, Ints* nodes) noexcept nogil:
    cdef Py_ssize_t at, kept = 0
    for at in range(nodes.count):
        if page.kind[nodes.items[at]] == ELEMENT:
            nodes.items[kept] = nodes.items[at]
            kept += 1
    nodes.count = kept


cdef void keep_heavy(Page* page, Ints* nodes) noexcept nogil:
    cdef Py_ssize_t at, kept = 0
    for at in range(nodes.count):
        if subtree_weight(page, nodes.items[at]) >= LIGHT:
            nodes.items[kept] = nodes.items[at]
            kept += 1
    nodes.count = kept


cdef uint64_t subtree_key(Page* page, int32_t node, int64_t least) noexcept nogil:
    return page.signature[node] if subtree_weight(page, node) >= least else 0


cdef uint64_t id_key(Page* page, int32_t node, int64_t least) noexcept nogil:
    cdef int32_t place = find_attribute(page, node, ID)
    if place == NONE or page.value_start[place] == page.value_start[place + 1]:
        return 0
    return step(step(0, label(page, node)), value_hash(page, place)) or 1


cdef uint64_t element_key(Page* page, int32_t node, int64_t least) noexcept nogil:
    cdef int32_t first = page.attribute_start[node], last = page.attribute_start[node + 1], index
    cdef int32_t start = page.value_start[first], child = page.first_child[node]
    cdef int64_t size = page.value_start[last] - start
    cdef uint64_t key
    if subtree_weight(page, node) < least:  # before anything is hashed
        return 0
    key = hash_buffer(page.values + start, size)
    for index in range(first, last):
        key = step(key, page.name_hash[page.attribute_name[index]])
    while child != NONE:
        if page.kind[child] == TEXT and not is_blank(page, child):
            key = step(key, page.signature[child])
            size += page.text_start[child + 1] - page.text_start[child]
        child = page.next_sibling[child]
    return (key or 1) if size >= least else 0


cdef bint is_blank(Page* page, int32_t node) noexcept nogil:
    cdef int32_t at
    for at in range(page.text_start[node], page.text_start[node + 1]):
        if not is_space(page.texts[at]):
            return False
    return page.text_start[node] < page.text_start[node + 1]  # as bytes.isspace has it


def match_columns(old, new):
    """Match the nodes of two trees."""
    cdef Matcher matcher = Matcher(old, new)
    matcher.run()
    return _twin.Partners(matcher.new_array, matcher.old_array, matcher.same_old_bytes, matcher.same_new_bytes)
