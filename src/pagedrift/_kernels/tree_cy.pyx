"""What is the tree of a page, as flat arrays with a signature per node? (native twin of tree_py)"""

from array import array

from cpython cimport array as c_array
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp, memcpy, strchr, strncmp, strstr

from pagedrift._kernels.hashing_cy cimport finish, hash_buffer, step

from pagedrift._kernels import tree_py as _twin

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    str PyUnicode_DecodeUTF8(const char* data, Py_ssize_t size, const char* errors)

cdef enum Trait:  # what a reader of written markup must know about an element
    PLAIN = 1
    VOID = 2  # has no end tag
    RAW = 3  # its content is written as it is
    LINED = 4  # a line break at the start of its content is written twice
    UNTOLD = 5  # markup does not tell where it ends, or in which namespace its content is
    FOREIGN = 6  # its content is of its own namespace

cdef enum Space:
    HTML = 0
    SVG = 1
    MATH = 2

cdef enum:
    REMEMBERED = 1024  # names
    MAX_REMEMBERED_BYTES = 64

cdef list NAMES = [None] * REMEMBERED
cdef const char* VOID_NAMES = (
    b" area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr "
)
cdef const char* RAW_NAMES = b" script style xmp iframe noembed noframes "
cdef const char* LINED_NAMES = b" pre textarea listing "
cdef const char* UNTOLD_NAMES = b" plaintext annotation-xml mglyph malignmark "
cdef const char* SVG_NAMES = b" foreignObject desc title "  # in SVG, and these in MathML, HTML comes back
cdef const char* MATH_NAMES = b" mi mo mn ms mtext "

cdef dict PREFIXES = _twin.PREFIXES
cdef c_array.array INTS = array("i"), BYTES = array("b"), WORDS = array("Q")

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


cdef str remembered(uint64_t key, const char* name, Py_ssize_t length):
    # Decode a name, unless it is one of those that were met last, on whatever page.
    cdef Py_ssize_t slot = <Py_ssize_t>(key & (REMEMBERED - 1)), known
    cdef str found = <str>NAMES[slot]
    cdef const char* written
    if found is not None:
        written = PyUnicode_AsUTF8AndSize(found, &known)
        if known == length and memcmp(written, name, length) == 0:
            return found
    found = name[:length].decode("utf-8")
    if length <= MAX_REMEMBERED_BYTES:
        NAMES[slot] = found
    return found


cdef int keep_escaped(Store* store, const char* data, Py_ssize_t length, uint64_t* hashed) except -1:
    # Put a text as it stands in written markup behind the others; 0 for a reference that no writer uses.
    cdef char* start = grow(store, length, 1)
    cdef char* to = start
    cdef const char* end = data + length
    cdef const char* at
    while True:
        at = <const char*>memchr(data, ord("&"), end - data)
        if at == NULL:
            at = end
        memcpy(to, data, at - data)
        to += at - data
        if at == end:
            break
        if end - at >= 5 and memcmp(at, b"&amp;", 5) == 0:
            to[0] = ord("&")
            data = at + 5
        elif end - at >= 4 and memcmp(at, b"&lt;", 4) == 0:
            to[0] = ord("<")
            data = at + 4
        elif end - at >= 4 and memcmp(at, b"&gt;", 4) == 0:
            to[0] = ord(">")
            data = at + 4
        elif end - at >= 6 and memcmp(at, b"&quot;", 6) == 0:
            to[0] = ord('"')
            data = at + 6
        elif end - at >= 6 and memcmp(at, b"&nbsp;", 6) == 0:
            to[0] = <char>0xC2
            to += 1
            to[0] = <char>0xA0
            data = at + 6
        else:
            return 0
        to += 1
    store.count -= length - (to - start)
    hashed[0] = hash_buffer(<const unsigned char*>start, to - start)
    return 1


cdef inline bint is_one_of(const char* names, const char* name, Py_ssize_t length) noexcept nogil:
    # Names stand between spaces.
    cdef const char* at = names
    while True:
        at = strchr(at, ord(" "))
        if at == NULL or at[1] == 0:
            return False
        at += 1
        if at[0] == name[0] and strncmp(at, name, length) == 0 and at[length] == ord(" "):
            return True


cdef Trait trait_of(const char* name, Py_ssize_t length, int space) noexcept nogil:
    if space == SVG:
        return PLAIN if is_one_of(SVG_NAMES, name, length) else FOREIGN
    if is_one_of(UNTOLD_NAMES, name, length):
        return UNTOLD
    if space == MATH:
        return PLAIN if is_one_of(MATH_NAMES, name, length) else FOREIGN
    if is_one_of(VOID_NAMES, name, length):
        return VOID
    if is_one_of(RAW_NAMES, name, length):
        return RAW
    if is_one_of(LINED_NAMES, name, length):
        return LINED
    return PLAIN


cdef class TreeBuilder:
    """Collect the nodes of one page; see the twin."""

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
        free(self.traits.items)

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
        self.link(parent)

    def read(self, str markup not None, str doctype not None):
        """Read the tree off the markup that a parser wrote of it; False where that does not tell it.

        Written markup has all tags and five character references; only raw text and namespaces need care.
        """
        cdef Store opened
        cdef Py_ssize_t length
        cdef const char* data
        opened.items = NULL
        opened.count = opened.room = 0
        self.add(DOCUMENT, 0)
        try:
            data = PyUnicode_AsUTF8AndSize(markup, &length)
            return bool(self.read_all(data, data + length, doctype, &opened))
        except UnicodeEncodeError:  # half a surrogate pair
            return False
        finally:
            free(opened.items)

    cdef int read_all(self, const char* at, const char* end, str doctype, Store* opened) except -1:
        cdef const char* stop
        cdef Open* top = NULL
        cdef int32_t parent = 0
        while at < end:
            if at[0] != ord("<"):
                stop = <const char*>memchr(at, ord("<"), end - at)
                if stop == NULL:
                    stop = end
                if not self.read_text(at, stop - at, parent):
                    return 0
                at = stop
            elif at[1] == ord("/"):
                if not opened.count:
                    return 0
                top = <Open*>opened.items + opened.count - 1
                if end - at < top.length + 3 or at[top.length + 2] != ord(">"):
                    return 0
                if memcmp(at + 2, top.name, top.length):
                    return 0
                at += top.length + 3
                opened.count -= 1
                parent = (top - 1).node if opened.count else 0
            else:
                at = self.read_other(at, end, doctype, opened, parent)
                if at == NULL:
                    return 0
                parent = (<Open*>opened.items + opened.count - 1).node if opened.count else 0
        return not opened.count

    cdef int read_text(self, const char* data, Py_ssize_t length, int32_t parent) except -1:
        cdef Node* node = self.add(TEXT, 0)
        self.link(parent)
        return keep_escaped(&self.texts, data, length, &node.own)

    cdef const char* read_other(
        self, const char* at, const char* end, str doctype, Store* opened, int32_t parent
    ) except? NULL:
        # Read a comment, the doctype or a start tag, and return where it ends.
        cdef const char* stop
        if at[1] == ord("?"):
            return NULL
        if at[1] != ord("!"):
            return self.read_start(at + 1, end, opened, parent)
        if end - at >= 7 and memcmp(at, b"<!--", 4) == 0:
            stop = strstr(<char*>at + 4, b"-->")  # a NUL ends the search, and no parser leaves one in a comment
            if stop == NULL:
                return NULL
            self.add_raw(COMMENT, at + 4, stop - at - 4)
            self.link(parent)
            return stop + 3
        stop = <const char*>memchr(at, ord(">"), end - at)
        if stop == NULL or memcmp(at, b"<!DOCTYPE", 9):
            return NULL
        self.add_text(DOCTYPE, doctype)
        self.link(parent)
        return stop + 1

    cdef const char* read_start(self, const char* at, const char* end, Store* opened, int32_t parent) except? NULL:
        cdef Open* above = <Open*>opened.items + opened.count - 1 if opened.count else NULL
        cdef int space = above.space if above != NULL else HTML
        cdef Open* top
        cdef const char* name = at
        cdef Py_ssize_t length
        cdef int32_t node, number
        cdef int trait
        while at < end and at[0] != ord(" ") and at[0] != ord(">"):
            at += 1
        length = at - name
        if length > 200:
            return NULL
        if space == HTML and length == 3 and memcmp(name, b"svg", 3) == 0:
            space = SVG
        elif space == HTML and length == 4 and memcmp(name, b"math", 4) == 0:
            space = MATH
        number = self.number_of(name, length, space)
        self.add(ELEMENT, number)
        self.link(parent)
        node = self.nodes.count - 1
        at = self.read_attributes(at, end, node)
        if at == NULL or at >= end or at[0] != ord(">"):
            return NULL
        at += 1
        while self.traits.count <= number:
            grow(&self.traits, 1, 1)[0] = 0
        if not self.traits.items[number]:
            self.traits.items[number] = trait_of(name, length, space)
        trait = self.traits.items[number]
        if trait == VOID:
            return at
        if trait == RAW:
            return self.read_raw(at, end, name, length, node)
        if trait == UNTOLD:
            return NULL
        if trait == LINED and at[0] == ord("\n"):
            at += 1
        top = <Open*>grow(opened, 1, sizeof(Open))
        top.name = name
        top.length = length
        top.node = node
        top.space = space if trait == FOREIGN else HTML
        return at

    cdef const char* read_attributes(self, const char* at, const char* end, int32_t node) except? NULL:
        cdef uint64_t mixed = 0, value
        cdef const char* stop
        cdef Attribute* attribute
        cdef int32_t number
        while at < end and at[0] == ord(" "):
            at += 1
            stop = <const char*>memchr(at + 1, ord("="), end - at - 1)  # a name may begin with =
            if stop == NULL or end - stop < 3 or stop[1] != ord('"'):
                return NULL
            number = self.number_of(at, stop - at, HTML)
            at = stop + 2
            stop = <const char*>memchr(at, ord('"'), end - at)
            if stop == NULL:
                return NULL
            attribute = <Attribute*>grow(&self.attributes, 1, sizeof(Attribute))
            attribute.name = number
            attribute.value_start = self.values.count
            if not keep_escaped(&self.values, at, stop - at, &value):
                return NULL
            mixed += finish(step(step(0, self.hashes.data.as_ulonglongs[number]), value))
            at = stop + 1
        number = (<Node*>self.nodes.items)[node].name
        (<Node*>self.nodes.items)[node].own = finish(step(self.hashes.data.as_ulonglongs[number], mixed))
        return at

    cdef const char* read_raw(
        self, const char* at, const char* end, const char* name, Py_ssize_t length, int32_t parent
    ) except? NULL:
        # Read the content of a script, style and the like, up to its own end tag.
        cdef const char* stop = at
        cdef bint escaped = False
        while True:
            stop = <const char*>memchr(stop, ord("<"), end - stop)
            if stop == NULL or end - stop < length + 3:
                return NULL
            if stop[1] == ord("/") and memcmp(stop + 2, name, length) == 0 and stop[length + 2] == ord(">"):
                break
            # A script in a script in a comment has an end tag of its own.
            escaped = escaped or memcmp(stop, b"<!--", 4) == 0
            if escaped and (stop[1] | 32) == ord("s"):
                return NULL
            stop += 1
        if stop > at:
            self.add_raw(TEXT, at, stop - at)
            self.link(parent)
        return stop + length + 3

    cdef int add_raw(self, int kind, const char* data, Py_ssize_t length) except -1:
        cdef Node* node = self.add(kind, 0)
        memcpy(grow(&self.texts, length, 1), data, length)
        node.own = hash_buffer(<const unsigned char*>data, length)
        return 0

    cdef int add_text(self, int kind, str text) except -1:
        cdef Node* node = self.add(kind, 0)
        node.own = keep(&self.texts, text)
        return 0

    cdef int number_of(self, const char* name, Py_ssize_t length, int space) except -1:
        # Number a name that stands in UTF-8; those of elements are short.
        cdef char[256] prefixed
        cdef int prefix = 3 + space
        if space:
            memcpy(prefixed, b"svg:" if space == SVG else b"math:", prefix)
            memcpy(prefixed + prefix, name, length)
            name = prefixed
            length += prefix
        cdef uint64_t key = hash_buffer(<const unsigned char*>name, length)
        cdef int found = self.find(key)
        return found if found or not length else self.add_name(remembered(key, name, length), key)

    cdef int number(self, str name) except -1:
        cdef uint64_t key = keep(NULL, name)
        cdef int number = self.find(key)
        return number if number or not name else self.add_name(name, key)

    cdef int add_name(self, str name, uint64_t key) except -1:
        cdef int number = <int>len(self.hashes)
        self.names[name] = number
        c_array.resize_smart(self.hashes, number + 1)
        self.hashes.data.as_ulonglongs[number] = key
        self.place(number)
        if number * 2 > self.slot_count:
            self.enlarge(self.slot_count * 2)
        return number

    cdef void place(self, int number):
        cdef uint64_t key = self.hashes.data.as_ulonglongs[number]
        cdef Py_ssize_t slot = key & (self.slot_count - 1)
        while self.slots[slot].number:
            slot = (slot + 1) & (self.slot_count - 1)
        self.slots[slot].key = key
        self.slots[slot].number = number

    cdef int enlarge(self, Py_ssize_t count) except -1:
        cdef int number
        cdef Slot* slots = <Slot*>calloc(count, sizeof(Slot))
        if slots == NULL:
            raise MemoryError
        free(self.slots)
        self.slots = slots
        self.slot_count = count
        for number in range(1, len(self.hashes)):
            self.place(number)
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


cdef class TreeReader:
    """What stands in the columns of a tree; see the twin."""

    cdef readonly object columns
    cdef readonly tuple names
    cdef c_array.array name, text_start, attribute_start, attribute_name, value_start
    cdef bytes texts, values

    def __init__(self, columns not None, tuple names not None):
        self.columns, self.names = columns, names
        self.name, self.text_start, self.texts = columns.name, columns.text_start, columns.texts
        self.attribute_start, self.attribute_name = columns.attribute_start, columns.attribute_name
        self.value_start, self.values = columns.value_start, columns.values

    cdef Py_ssize_t checked(self, Py_ssize_t place, c_array.array starts) except -1:
        # As lists do: from the end where it is negative, and an error beyond.
        cdef Py_ssize_t count = len(starts) - 1
        if place < 0:
            place += count
        if not 0 <= place < count:
            raise IndexError(f"a tree has no place {place}")
        return place

    cdef str decoded(self, bytes data, int32_t start, int32_t end):
        return PyUnicode_DecodeUTF8(<const char*>data + start, end - start, b"surrogatepass")

    cpdef str tag(self, Py_ssize_t node):
        """Name an element; empty for other nodes."""
        return <str>self.names[self.name.data.as_ints[self.checked(node, self.text_start)]]

    cpdef str text(self, Py_ssize_t node):
        """Read a text, comment, doctype or instruction; empty for elements."""
        cdef int* starts = self.text_start.data.as_ints
        node = self.checked(node, self.text_start)
        return self.decoded(self.texts, starts[node], starts[node + 1])

    cpdef tuple attributes(self, Py_ssize_t node):
        """List the attributes of an element as they stand in the source."""
        cdef int* starts = self.attribute_start.data.as_ints
        cdef int* values = self.value_start.data.as_ints
        cdef Py_ssize_t index
        cdef list found = []
        node = self.checked(node, self.text_start)
        if starts[node] == starts[node + 1]:
            return ()
        for index in range(starts[node], starts[node + 1]):
            name = self.names[self.attribute_name.data.as_ints[index]]
            found.append((name, self.decoded(self.values, values[index], values[index + 1])))
        return tuple(found)

    cpdef attribute(self, Py_ssize_t node, str name):
        """Look up one attribute of an element."""
        cdef int* starts = self.attribute_start.data.as_ints
        cdef int* values = self.value_start.data.as_ints
        cdef Py_ssize_t index
        node = self.checked(node, self.text_start)
        for index in range(starts[node], starts[node + 1]):
            if <str>self.names[self.attribute_name.data.as_ints[index]] == name:
                return self.decoded(self.values, values[index], values[index + 1])
        return None

    cpdef str value(self, Py_ssize_t index):
        """Read the value of an attribute by its place in the columns."""
        cdef int* starts = self.value_start.data.as_ints
        index = self.checked(index, self.value_start)
        return self.decoded(self.values, starts[index], starts[index + 1])
