"""The lists of a page: elements reached in the same way from the same place (native twin of groups_py)."""

from array import array

from cpython cimport array as c_array
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memset

from pagedrift._kernels.hashing_cy cimport SEED, finish, step

from pagedrift._kernels.groups_py import Lists, NodeSurroundings

cdef enum:
    MANY = 1024  # slots and entries to begin with
    CHAIN = 3
    NOTHING = -1

cdef int64_t WAYS = <int64_t>1 << 40
cdef c_array.array INTS = array("i")


cdef struct Pairs:  # numbers of pairs, in order of appearance
    int64_t* first
    int64_t* second
    int32_t* slots  # one more than the number of the pair there; 0 for none
    Py_ssize_t count, room


cdef struct Group:
    int32_t head, tail, count  # entries
    int32_t* nodes


cdef struct Entries:
    int32_t* node
    int32_t* next
    Py_ssize_t count, room


cdef int open_pairs(Pairs* pairs) except -1:
    pairs.count, pairs.room = 0, MANY
    pairs.first = <int64_t*>malloc(MANY * sizeof(int64_t))
    pairs.second = <int64_t*>malloc(MANY * sizeof(int64_t))
    pairs.slots = <int32_t*>calloc(2 * MANY, sizeof(int32_t))
    if pairs.first == NULL or pairs.second == NULL or pairs.slots == NULL:
        raise MemoryError
    return 0


cdef void close_pairs(Pairs* pairs) noexcept:
    free(pairs.first)
    free(pairs.second)
    free(pairs.slots)


cdef inline Py_ssize_t slot_of(Pairs* pairs, int64_t first, int64_t second) noexcept nogil:
    cdef Py_ssize_t mask = 2 * pairs.room - 1, slot = <Py_ssize_t>finish(step(step(SEED, first), second)) & mask
    cdef int32_t number
    while True:
        number = pairs.slots[slot]
        if number == 0 or (pairs.first[number - 1] == first and pairs.second[number - 1] == second):
            return slot
        slot = (slot + 1) & mask


cdef int grow_pairs(Pairs* pairs) except -1:
    cdef int64_t* first = <int64_t*>realloc(pairs.first, 2 * pairs.room * sizeof(int64_t))
    if first == NULL:
        raise MemoryError
    pairs.first = first
    cdef int64_t* second = <int64_t*>realloc(pairs.second, 2 * pairs.room * sizeof(int64_t))
    if second == NULL:
        raise MemoryError
    pairs.second = second
    cdef int32_t* slots = <int32_t*>calloc(4 * pairs.room, sizeof(int32_t))
    if slots == NULL:
        raise MemoryError
    free(pairs.slots)
    pairs.slots, pairs.room = slots, 2 * pairs.room
    cdef Py_ssize_t number
    for number in range(pairs.count):
        pairs.slots[slot_of(pairs, pairs.first[number], pairs.second[number])] = <int32_t>number + 1
    return 0


cdef inline Py_ssize_t number_of(Pairs* pairs, int64_t first, int64_t second) except -1:
    cdef Py_ssize_t slot = slot_of(pairs, first, second)
    if pairs.slots[slot]:
        return pairs.slots[slot] - 1
    if pairs.count == pairs.room:
        grow_pairs(pairs)
        slot = slot_of(pairs, first, second)
    pairs.first[pairs.count], pairs.second[pairs.count] = first, second
    pairs.count += 1
    pairs.slots[slot] = <int32_t>pairs.count
    return pairs.count - 1


cdef class Gathering:
    """Lists of nodes that grow, each under a pair of numbers."""

    cdef Pairs keys, ways
    cdef Entries entries
    cdef Group* groups
    cdef Py_ssize_t room

    def __cinit__(self):
        memset(&self.keys, 0, sizeof(Pairs))
        memset(&self.ways, 0, sizeof(Pairs))
        memset(&self.entries, 0, sizeof(Entries))
        open_pairs(&self.keys)
        open_pairs(&self.ways)
        self.room = self.entries.room = MANY
        self.groups = <Group*>malloc(MANY * sizeof(Group))
        self.entries.node = <int32_t*>malloc(MANY * sizeof(int32_t))
        self.entries.next = <int32_t*>malloc(MANY * sizeof(int32_t))
        if self.groups == NULL or self.entries.node == NULL or self.entries.next == NULL:
            raise MemoryError

    def __dealloc__(self):
        close_pairs(&self.keys)
        close_pairs(&self.ways)
        free(self.groups)
        free(self.entries.node)
        free(self.entries.next)

    cdef int grow_groups(self) except -1:
        cdef Group* groups = <Group*>realloc(self.groups, 2 * self.room * sizeof(Group))
        if groups == NULL:
            raise MemoryError
        self.groups, self.room = groups, 2 * self.room
        return 0

    cdef int grow_entries(self) except -1:
        cdef Py_ssize_t room = 2 * self.entries.room
        cdef int32_t* node = <int32_t*>realloc(self.entries.node, room * sizeof(int32_t))
        if node == NULL:
            raise MemoryError
        self.entries.node = node
        cdef int32_t* following = <int32_t*>realloc(self.entries.next, room * sizeof(int32_t))
        if following == NULL:
            raise MemoryError
        self.entries.next, self.entries.room = following, room
        return 0

    cdef int add(self, int32_t above, int64_t key, int32_t node) except -1:
        cdef Py_ssize_t known = self.keys.count, number = number_of(&self.keys, above, key)
        if self.entries.count == self.entries.room:
            self.grow_entries()
        cdef int32_t at = <int32_t>self.entries.count
        self.entries.node[at], self.entries.next[at] = node, -1
        self.entries.count += 1
        if number < known:
            self.entries.next[self.groups[number].tail] = at
            self.groups[number].tail = at
            self.groups[number].count += 1
            return 0
        if number == self.room:
            self.grow_groups()
        self.groups[number].head = self.groups[number].tail = at
        self.groups[number].count = 1
        return 0


cdef int in_order(const void* one, const void* other) noexcept nogil:
    cdef const Group* a = <const Group*>one
    cdef const Group* b = <const Group*>other
    cdef int32_t at
    for at in range(min(a.count, b.count)):
        if a.nodes[at] != b.nodes[at]:
            return -1 if a.nodes[at] < b.nodes[at] else 1
    return (a.count > b.count) - (a.count < b.count)


cdef finish_lists(Gathering gathering):
    """Put the lists of two and more nodes end to end, in order, each once."""
    cdef Py_ssize_t number, kept = 0, size = 0
    cdef int32_t at
    cdef int32_t* nodes = <int32_t*>malloc((gathering.entries.count + 1) * sizeof(int32_t))
    if nodes == NULL:
        raise MemoryError
    cdef Group* groups = gathering.groups
    for number in range(gathering.keys.count):
        if groups[number].count > 1:
            groups[kept] = groups[number]
            groups[kept].nodes = nodes + size
            at = groups[kept].head
            while at >= 0:
                nodes[size] = gathering.entries.node[at]
                size += 1
                at = gathering.entries.next[at]
            kept += 1
    qsort(groups, kept, sizeof(Group), in_order)
    try:
        return write_lists(groups, kept)
    finally:
        free(nodes)


cdef write_lists(Group* groups, Py_ssize_t kept):
    cdef Py_ssize_t number, count = 0, size = 0
    cdef int32_t at
    for number in range(kept):
        if count == 0 or in_order(&groups[count - 1], &groups[number]) != 0:
            groups[count] = groups[number]
            size += groups[count].count
            count += 1
    cdef c_array.array starts = c_array.clone(INTS, count + 1, zero=True)
    cdef c_array.array nodes = c_array.clone(INTS, size, zero=False)
    size = 0
    for number in range(count):
        for at in range(groups[number].count):
            nodes.data.as_ints[size] = groups[number].nodes[at]
            size += 1
        starts.data.as_ints[number + 1] = <int32_t>size
    return Lists(starts, nodes)


def look_around(c_array.array parent, c_array.array names, c_array.array headings, c_array.array parts):
    """Go down a tree; `names`, `headings` and `parts` are each element's own, by node, names -1 for other nodes."""
    cdef Py_ssize_t count = len(parent)
    cdef c_array.array depth = c_array.clone(INTS, count, zero=True)
    cdef c_array.array heading = c_array.clone(INTS, count, zero=True)
    cdef c_array.array part = c_array.clone(INTS, count, zero=True), chain = c_array.clone(INTS, count, zero=True)
    cdef int32_t node, above, level
    cdef int32_t[CHAIN] way
    cdef Gathering found = Gathering()
    cdef list chains = [()]
    cdef Py_ssize_t number
    number_of(&found.keys, NOTHING, <int64_t>NOTHING << 32 | <uint32_t>NOTHING)
    for node in range(1, <int32_t>count):
        if names.data.as_ints[node] < 0:
            continue
        above = parent.data.as_ints[node]
        depth.data.as_ints[node] = depth.data.as_ints[above] + 1 if above > 0 else 0
        heading.data.as_ints[node] = headings.data.as_ints[node] or heading.data.as_ints[above]
        part.data.as_ints[node] = parts.data.as_ints[node] or part.data.as_ints[above]
        for level in range(CHAIN):
            way[level] = names.data.as_ints[above] if above > 0 else NOTHING
            above = parent.data.as_ints[above] if above > 0 else 0
        number = number_of(&found.keys, way[0], <int64_t>way[1] << 32 | <uint32_t>way[2])
        if number == len(chains):
            chains.append(tuple([way[level] for level in range(CHAIN) if way[level] != NOTHING]))
        chain.data.as_ints[node] = <int32_t>number
    return NodeSurroundings(depth, heading, part, chain, chains)


def group_elements(c_array.array parent, kinds, int levels):
    """Gather the elements that one way leads to from an element above, and those of one kind there."""
    cdef c_array.array of_node = kinds.of_node, bare = kinds.bare, own_start = kinds.own_start, own = kinds.own
    cdef int32_t root = kinds.root, node, kind, above, around, _level, at, shared
    cdef int64_t way, tags, number
    cdef Gathering found = Gathering()
    for node in range(<int32_t>len(of_node)):
        kind = of_node.data.as_ints[node]
        if kind < 0:
            continue
        above, way, tags = parent.data.as_ints[node], kind, bare.data.as_ints[kind]
        for _level in range(levels):
            around = of_node.data.as_ints[above] if above >= 0 else -1
            if around == -1 or around == root:
                break
            found.add(above, way, node)
            if tags != way:
                found.add(above, tags, node)
            for at in range(own_start.data.as_ints[kind], own_start.data.as_ints[kind + 1]):
                found.add(above, -1 - own.data.as_ints[at], node)
            above, shared = parent.data.as_ints[above], bare.data.as_ints[around]
            number = number_of(&found.ways, around, way) + WAYS
            if tags == way and shared == around:
                tags = number
            else:
                tags = number_of(&found.ways, shared, tags) + WAYS
            way = number
    return finish_lists(found)
