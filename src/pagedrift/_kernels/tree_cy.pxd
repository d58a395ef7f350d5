# The builder of trees, for the kernel that reads well-formed markup.
cimport cython
from cpython cimport array as c_array
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport realloc

cdef enum:
    DOCUMENT = 0
    DOCTYPE = 1
    ELEMENT = 2
    TEXT = 3
    COMMENT = 4
    INSTRUCTION = 5
    NONE = -1

cdef struct Node:
    uint64_t own  # hash of the node without its children
    uint64_t children  # hash of the children, from the last to the first
    int32_t name
    int32_t parent
    int32_t first_child
    int32_t last_child
    int32_t next_sibling
    int32_t end
    int32_t text_start
    int32_t attribute_start
    signed char kind

cdef struct Attribute:
    int32_t name
    int32_t value_start

cdef struct Slot:  # of the table that finds a name's number by its hash
    uint64_t key
    int32_t number

cdef struct Open:  # an element that has not ended
    const char* name  # as it stands in the markup
    Py_ssize_t length
    int32_t node
    int space  # of what stands in it

cdef struct Store:  # things of one size, end to end
    char* items
    Py_ssize_t count
    Py_ssize_t room


cdef inline char* grow(Store* store, Py_ssize_t more, Py_ssize_t size) except NULL:
    # Make room for some things more and return where the first of them goes.
    cdef char* items
    if store.count + more > store.room or store.items == NULL:
        store.room = (store.count + more) * 2 + 256
        items = <char*>realloc(store.items, store.room * size)
        if items == NULL:
            raise MemoryError
        store.items = items
    store.count += more
    return store.items + (store.count - more) * size


@cython.final  # so that its methods are called directly, and the short ones are part of their callers
cdef class TreeBuilder:
    cdef Store nodes, attributes, texts, values
    cdef Store traits  # of the names met so far, or 0
    cdef Py_ssize_t limit
    cdef c_array.array hashes  # of the names
    cdef Slot* slots
    cdef Py_ssize_t slot_count
    cdef str namespace, prefix  # of the last element
    cdef readonly dict names

    cdef int read_all(self, const char* at, const char* end, str doctype, Store* opened) except -1
    cdef int read_text(self, const char* data, Py_ssize_t length, int32_t parent) except -1
    cdef const char* read_other(
        self, const char* at, const char* end, str doctype, Store* opened, int32_t parent
    ) except? NULL
    cdef const char* read_start(self, const char* at, const char* end, Store* opened, int32_t parent) except? NULL
    cdef const char* read_attributes(self, const char* at, const char* end, int32_t node) except? NULL
    cdef const char* read_raw(
        self, const char* at, const char* end, const char* name, Py_ssize_t length, int32_t parent
    ) except? NULL
    cdef int add_raw(self, int kind, const char* data, Py_ssize_t length) except -1
    cdef int add_text(self, int kind, str text) except -1
    cdef int number_of(self, const char* name, Py_ssize_t length, int space) except -1
    cdef int number(self, str name) except -1
    cdef int add_name(self, str name, uint64_t key) except -1
    cdef void place(self, int number)
    cdef int enlarge(self, Py_ssize_t count) except -1

    cdef inline void link(self, Py_ssize_t parent) noexcept:
        cdef Node* nodes = <Node*>self.nodes.items
        cdef int32_t child = self.nodes.count - 1
        nodes[child].parent = parent
        if nodes[parent].last_child == NONE:
            nodes[parent].first_child = child
        else:
            nodes[nodes[parent].last_child].next_sibling = child
        nodes[parent].last_child = child

    cdef inline Node* add(self, int kind, int name) except NULL:
        cdef Node* node
        if self.nodes.count >= self.limit:
            raise OverflowError
        node = <Node*>grow(&self.nodes, 1, sizeof(Node))
        node.own = node.children = 0
        node.kind = kind
        node.name = name
        node.parent = node.first_child = node.last_child = node.next_sibling = NONE
        node.end = self.nodes.count
        node.text_start = self.texts.count
        node.attribute_start = self.attributes.count
        return node

    cdef inline int find(self, uint64_t key) noexcept:
        # The number of a known name, or 0.
        cdef Py_ssize_t slot = key & (self.slot_count - 1)
        while self.slots[slot].number:
            if self.slots[slot].key == key:
                return self.slots[slot].number
            slot = (slot + 1) & (self.slot_count - 1)
        return 0
