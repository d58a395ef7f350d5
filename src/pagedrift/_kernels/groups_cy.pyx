"""The lists of a page: elements reached in the same way from the same place (native twin of groups_py)."""

from array import array

from cpython cimport array as c_array
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcpy, memset

from pagedrift._kernels.hashing_cy cimport SEED, step

from pagedrift._kernels.groups_py import Lists, NodeSurroundings

cdef enum:
    MANY = 1024  # slots and entries to begin with
    CHAIN = 3
    NOTHING = -1

cdef c_array.array INTS = array("i")


cdef struct Pairs:  # numbers of pairs, in order of appearance
    uint64_t* pair
    int32_t* slots  # one more than the number of the pair there; 0 for none
    Py_ssize_t count, room


cdef struct Group:
    int32_t first, last, count  # its first node, and the last entry of the others, behind which the first one comes


cdef struct NodeList:
    const int32_t* nodes
    int32_t count


cdef struct Entry:
    int32_t node, next


cdef inline uint64_t paired(int32_t first, int32_t second) noexcept nogil:
    return <uint64_t><uint32_t>first << 32 | <uint32_t>second


cdef int open_pairs(Pairs* pairs, Py_ssize_t room) except -1:
    pairs.count, pairs.room = 0, room
    pairs.pair = <uint64_t*>malloc(room * sizeof(uint64_t))
    pairs.slots = <int32_t*>calloc(2 * room, sizeof(int32_t))
    if pairs.pair == NULL or pairs.slots == NULL:
        raise MemoryError
    return 0


cdef void close_pairs(Pairs* pairs) noexcept:
    free(pairs.pair)
    free(pairs.slots)


cdef inline Py_ssize_t slot_of(Pairs* pairs, uint64_t pair) noexcept nogil:
    cdef Py_ssize_t mask = 2 * pairs.room - 1, slot = <Py_ssize_t>(step(SEED, pair) >> 32) & mask
    cdef int32_t number
    while True:
        number = pairs.slots[slot]
        if number == 0 or pairs.pair[number - 1] == pair:
            return slot
        slot = (slot + 1) & mask


cdef int grow_pairs(Pairs* pairs) except -1:
    cdef uint64_t* pair = <uint64_t*>realloc(pairs.pair, 2 * pairs.room * sizeof(uint64_t))
    if pair == NULL:
        raise MemoryError
    pairs.pair = pair
    cdef int32_t* slots = <int32_t*>calloc(4 * pairs.room, sizeof(int32_t))
    if slots == NULL:
        raise MemoryError
    free(pairs.slots)
    pairs.slots, pairs.room = slots, 2 * pairs.room
    cdef Py_ssize_t number
    for number in range(pairs.count):
        pairs.slots[slot_of(pairs, pairs.pair[number])] = <int32_t>number + 1
    return 0


cdef inline Py_ssize_t number_of(Pairs* pairs, uint64_t pair) except -1:
    cdef Py_ssize_t slot = slot_of(pairs, pair)
    if pairs.slots[slot]:
        return pairs.slots[slot] - 1
    if pairs.count == pairs.room:
        grow_pairs(pairs)
        slot = slot_of(pairs, pair)
    pairs.pair[pairs.count] = pair
    pairs.count += 1
    pairs.slots[slot] = <int32_t>pairs.count
    return pairs.count - 1


cdef class Gathering:
    """Lists of nodes that grow, each under a pair of numbers."""

    cdef Pairs keys, ways
    cdef Entry* entries
    cdef Group* groups
    cdef Py_ssize_t room, entry_count, entry_room

    def __cinit__(self, Py_ssize_t room):
        memset(&self.keys, 0, sizeof(Pairs))
        memset(&self.ways, 0, sizeof(Pairs))
        open_pairs(&self.keys, room)
        open_pairs(&self.ways, MANY)
        self.room, self.entry_room, self.entry_count = room, MANY, 0
        self.groups = <Group*>malloc(room * sizeof(Group))
        self.entries = <Entry*>malloc(MANY * sizeof(Entry))
        if self.groups == NULL or self.entries == NULL:
            raise MemoryError

    def __dealloc__(self):
        close_pairs(&self.keys)
        close_pairs(&self.ways)
        free(self.groups)
        free(self.entries)

    cdef int grow_groups(self) except -1:
        cdef Group* groups = <Group*>realloc(self.groups, 2 * self.room * sizeof(Group))
        if groups == NULL:
            raise MemoryError
        self.groups, self.room = groups, 2 * self.room
        return 0

    cdef int grow_entries(self) except -1:
        cdef Entry* entries = <Entry*>realloc(self.entries, 2 * self.entry_room * sizeof(Entry))
        if entries == NULL:
            raise MemoryError
        self.entries, self.entry_room = entries, 2 * self.entry_room
        return 0

    cdef int add(self, int32_t above, int32_t key, int32_t node) except -1:
        cdef Py_ssize_t known = self.keys.count, number = number_of(&self.keys, paired(above, key))
        if number == known:
            if number == self.room:
                self.grow_groups()
            self.groups[number].first, self.groups[number].count = node, 1  # as most lists stay
            return 0
        if self.entry_count == self.entry_room:
            self.grow_entries()
        cdef int32_t at = <int32_t>self.entry_count
        cdef Group* group = &self.groups[number]
        self.entries[at].node, self.entries[at].next = node, at
        self.entry_count += 1
        if group.count > 1:
            self.entries[at].next = self.entries[group.last].next
            self.entries[group.last].next = at
        group.last = at
        group.count += 1
        return 0


cdef int in_order(const void* one, const void* other) noexcept nogil:
    cdef const NodeList* a = <const NodeList*>one
    cdef const NodeList* b = <const NodeList*>other
    cdef int32_t at
    for at in range(min(a.count, b.count)):
        if a.nodes[at] != b.nodes[at]:
            return -1 if a.nodes[at] < b.nodes[at] else 1
    return (a.count > b.count) - (a.count < b.count)


cdef finish_lists(Gathering gathering):
    """Put the lists of two and more nodes end to end, in order, each once."""
    cdef Py_ssize_t number, kept = 0, size = 0
    cdef Group* groups = gathering.groups
    for number in range(gathering.keys.count):
        if groups[number].count > 1:
            groups[kept] = groups[number]
            size += groups[kept].count
            kept += 1
    cdef int32_t* nodes = <int32_t*>malloc((size + 1) * sizeof(int32_t))
    cdef NodeList* lists = <NodeList*>malloc((kept + 1) * sizeof(NodeList))
    try:
        if nodes == NULL or lists == NULL:
            raise MemoryError
        collect_nodes(gathering, lists, nodes, kept)
        qsort(lists, kept, sizeof(NodeList), in_order)
        return write_lists(lists, kept)
    finally:
        free(nodes)
        free(lists)


cdef void collect_nodes(Gathering gathering, NodeList* lists, int32_t* nodes, Py_ssize_t kept) noexcept:
    cdef Py_ssize_t number
    cdef int32_t at, place
    for number in range(kept):
        lists[number].nodes, lists[number].count = nodes, gathering.groups[number].count
        nodes[0] = gathering.groups[number].first
        at = gathering.groups[number].last
        for place in range(1, lists[number].count):
            at = gathering.entries[at].next
            nodes[place] = gathering.entries[at].node
        nodes += lists[number].count


cdef write_lists(NodeList* lists, Py_ssize_t kept):
    cdef Py_ssize_t number, count = 0, size = 0
    for number in range(kept):
        if count == 0 or in_order(&lists[count - 1], &lists[number]) != 0:
            lists[count] = lists[number]
            size += lists[count].count
            count += 1
    cdef c_array.array starts = c_array.clone(INTS, count + 1, zero=True)
    cdef c_array.array nodes = c_array.clone(INTS, size, zero=False)
    size = 0
    for number in range(count):
        memcpy(nodes.data.as_ints + size, lists[number].nodes, lists[number].count * sizeof(int32_t))
        size += lists[number].count
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
    cdef Gathering found = Gathering(MANY)
    cdef list chains = [()]
    cdef Py_ssize_t number = number_of(&found.ways, paired(NOTHING, NOTHING))
    number_of(&found.keys, paired(<int32_t>number, NOTHING))
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
        number = number_of(&found.ways, paired(way[0], way[1]))
        number = number_of(&found.keys, paired(<int32_t>number, way[2]))
        if number == len(chains):
            chains.append(tuple([way[level] for level in range(CHAIN) if way[level] != NOTHING]))
        chain.data.as_ints[node] = <int32_t>number
    return NodeSurroundings(depth, heading, part, chain, chains)


def group_elements(c_array.array parent, kinds, int levels):
    """Gather the elements that one way leads to from an element above, and those of one kind there."""
    cdef c_array.array of_node = kinds.of_node, bare = kinds.bare, own_start = kinds.own_start, own = kinds.own
    cdef int32_t root = kinds.root, node, kind, above, around, _level, at, shared
    cdef int32_t way, tags, number
    cdef int32_t ways = 1 + max(max(bare, default=0), max(own, default=0))  # from here on, of longer ways
    cdef Py_ssize_t room = MANY
    while room < 4 * len(of_node):
        room *= 2
    cdef Gathering found = Gathering(room)
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
            number = <int32_t>number_of(&found.ways, paired(around, way)) + ways
            if tags == way and shared == around:
                tags = number
            else:
                tags = <int32_t>number_of(&found.ways, paired(shared, tags)) + ways
            way = number
    return finish_lists(found)
