"""What is the tree of a page, as flat arrays with a signature per node? (native twin of tree_py)"""

from array import array

from cpython cimport array as c_array
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

from pagedrift._kernels.hashing_cy cimport finish, hash_buffer, step

from pagedrift._kernels import tree_py as _twin

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)

cdef enum:
    DOCUMENT = 0
    DOCTYPE = 1
    ELEMENT = 2
    TEXT = 3
    COMMENT = 4
    INSTRUCTION = 5
    NONE = -1

cdef dict PREFIXES = _twin.PREFIXES
cdef c_array.array INTS = array("i"), BYTES = array("b"), WORDS = array("Q")

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


cdef uint64_t keep(Store* store, str text) except? 0:
    # Put a text behind the others, in UTF-8, unless there is no store, and return its hash.
    cdef const char* data
    cdef Py_ssize_t length
    cdef bytes encoded
    if PyUnicode_IS_ASCII(text):
        data = <const char*>PyUnicode_DATA(text)
        length = PyUnicode_GET_LENGTH(text)
    else:
        encoded = text.encode("utf-8", "surrogatepass")
        data = encoded
        length = len(encoded)
    if store != NULL:
        memcpy(grow(store, length, 1), data, length)
    return hash_buffer(<const unsigned char*>data, length)


cdef class TreeBuilder:
    """Collect the nodes of one page; see the twin."""

    cdef Store nodes, attributes, texts, values
    cdef Py_ssize_t limit
    cdef c_array.array hashes  # of the names
    cdef Slot* slots
    cdef Py_ssize_t slot_count
    cdef str namespace, prefix  # of the last element
    cdef readonly dict names

    def __cinit__(self, Py_ssize_t limit):
        self.limit = limit
        self.names = {"": 0}
        self.hashes = array("Q", [hash_buffer(b"", 0)])
        self.enlarge(256)

    def __dealloc__(self):
        free(self.slots)
        free(self.nodes.items)
        free(self.attributes.items)
        free(self.texts.items)
        free(self.values.items)

    # A handle is asked for again only to put a child under its node, so nodes that have
    # no children need none; append puts the node made last under its parent.

    def create_document(self):
        self.add(DOCUMENT, 0)
        return 0

    def create_doctype(self, str name, public, system):
        self.add_text(DOCTYPE, " ".join([part for part in (name, public, system) if part]))

    def create_element(self, str name, str namespace, tuple attributes):
        cdef uint64_t mixed = 0, key_hash
        cdef int number
        cdef Node* node
        cdef Attribute* attribute
        if namespace is not self.namespace:
            self.namespace = namespace
            self.prefix = PREFIXES.get(namespace, "")
        number = self.number(self.prefix + name if self.prefix else name)
        node = self.add(ELEMENT, number)
        for key, value in attributes:
            attribute = <Attribute*>grow(&self.attributes, 1, sizeof(Attribute))
            attribute.name = self.number(key)
            attribute.value_start = self.values.count
            key_hash = step(0, self.hashes.data.as_ulonglongs[attribute.name])
            mixed += finish(step(key_hash, keep(&self.values, value or "")))
        node.own = finish(step(self.hashes.data.as_ulonglongs[number], mixed))
        return self.nodes.count - 1

    def create_text(self, str data):
        self.add_text(TEXT, data)

    def create_comment(self, str data):
        self.add_text(COMMENT, data)

    def create_pi(self, str target, str data):
        self.add_text(INSTRUCTION, f"{target} {data}")

    def create_leaf(self, int kind, str text):
        self.add_text(kind, text)

    def append(self, Py_ssize_t parent, _):
        cdef Node* nodes = <Node*>self.nodes.items
        cdef int32_t child = self.nodes.count - 1
        nodes[child].parent = parent
        if nodes[parent].last_child == NONE:
            nodes[parent].first_child = child
        else:
            nodes[nodes[parent].last_child].next_sibling = child
        nodes[parent].last_child = child

    cdef Node* add(self, int kind, int name) except NULL:
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

    cdef int add_text(self, int kind, str text) except -1:
        cdef Node* node = self.add(kind, 0)
        node.own = keep(&self.texts, text)
        return 0

    cdef int number(self, str name) except -1:
        cdef uint64_t key = keep(NULL, name)
        cdef Py_ssize_t slot = key & (self.slot_count - 1)
        while self.slots[slot].number:
            if self.slots[slot].key == key:
                return self.slots[slot].number
            slot = (slot + 1) & (self.slot_count - 1)
        if not name:
            return 0
        self.names[name] = len(self.names)
        self.hashes.append(key)
        self.slots[slot].key = key
        self.slots[slot].number = len(self.hashes) - 1
        if len(self.hashes) * 2 > self.slot_count:
            self.enlarge(self.slot_count * 2)
        return len(self.hashes) - 1

    cdef int enlarge(self, Py_ssize_t count) except -1:
        cdef Py_ssize_t number, slot
        cdef Slot* slots = <Slot*>calloc(count, sizeof(Slot))
        if slots == NULL:
            raise MemoryError
        free(self.slots)
        self.slots = slots
        self.slot_count = count
        for number in range(1, len(self.hashes)):
            slot = self.hashes.data.as_ulonglongs[number] & (count - 1)
            while slots[slot].number:
                slot = (slot + 1) & (count - 1)
            slots[slot].key = self.hashes.data.as_ulonglongs[number]
            slots[slot].number = number
        return 0

    def finish(self):
        cdef Py_ssize_t count = self.nodes.count, index
        cdef c_array.array kind = c_array.clone(BYTES, count, zero=False)
        cdef c_array.array name = c_array.clone(INTS, count, zero=False)
        cdef c_array.array parent = c_array.clone(INTS, count, zero=False)
        cdef c_array.array first_child = c_array.clone(INTS, count, zero=False)
        cdef c_array.array next_sibling = c_array.clone(INTS, count, zero=False)
        cdef c_array.array end = c_array.clone(INTS, count, zero=False)
        cdef c_array.array signature = c_array.clone(WORDS, count, zero=False)
        cdef c_array.array text_start = c_array.clone(INTS, count + 1, zero=False)
        cdef c_array.array attribute_start = c_array.clone(INTS, count + 1, zero=False)
        cdef c_array.array attribute_name = c_array.clone(INTS, self.attributes.count, zero=False)
        cdef c_array.array value_start = c_array.clone(INTS, self.attributes.count + 1, zero=False)
        cdef Node* nodes = <Node*>self.nodes.items
        cdef Node* node
        cdef Attribute* attributes = <Attribute*>self.attributes.items
        cdef uint64_t signed_as
        for index in range(count - 1, -1, -1):
            node = &nodes[index]
            signed_as = finish(step(node.own ^ <uint64_t>node.kind, node.children))
            if node.parent != NONE:
                nodes[node.parent].children = step(nodes[node.parent].children, signed_as)
                if node.end > nodes[node.parent].end:
                    nodes[node.parent].end = node.end
            kind.data.as_schars[index] = node.kind
            name.data.as_ints[index] = node.name
            parent.data.as_ints[index] = node.parent
            first_child.data.as_ints[index] = node.first_child
            next_sibling.data.as_ints[index] = node.next_sibling
            end.data.as_ints[index] = node.end
            signature.data.as_ulonglongs[index] = signed_as
            text_start.data.as_ints[index] = node.text_start
            attribute_start.data.as_ints[index] = node.attribute_start
        for index in range(self.attributes.count):
            attribute_name.data.as_ints[index] = attributes[index].name
            value_start.data.as_ints[index] = attributes[index].value_start
        text_start.data.as_ints[count] = self.texts.count
        attribute_start.data.as_ints[count] = self.attributes.count
        value_start.data.as_ints[self.attributes.count] = self.values.count
        return _twin.Columns(
            kind, name, parent, first_child, next_sibling, end, signature,
            text_start, self.texts.items[:self.texts.count] if self.texts.count else b"",
            attribute_start, attribute_name,
            value_start, self.values.items[:self.values.count] if self.values.count else b"",
            self.hashes[:],
        )
