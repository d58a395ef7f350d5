# The columns of a tree as C arrays, for other kernels.
from cpython cimport array as c_array
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef struct Page:
    Py_ssize_t count
    int32_t names
    const signed char* kind
    const int32_t* name
    const int32_t* parent
    const int32_t* first_child
    const int32_t* next_sibling
    const int32_t* end
    const uint64_t* signature
    const int32_t* text_start
    const unsigned char* texts
    const int32_t* attribute_start
    const int32_t* attribute_name
    const int32_t* value_start
    const unsigned char* values
    const uint64_t* name_hash


cdef inline const int32_t* ints(c_array.array column):
    return <const int32_t*>column.data.as_ints


cdef inline int open_page(Page* page, columns) except -1:
    # In the order of Columns, which must outlive the page.
    cdef c_array.array kind = columns[0], signature = columns[6], name_hash = columns[13]
    page.count = len(kind)
    page.kind = kind.data.as_schars
    page.name = ints(columns[1])
    page.parent = ints(columns[2])
    page.first_child = ints(columns[3])
    page.next_sibling = ints(columns[4])
    page.end = ints(columns[5])
    page.signature = <const uint64_t*>signature.data.as_ulonglongs
    page.text_start = ints(columns[7])
    page.texts = <bytes>columns[8]
    page.attribute_start = ints(columns[9])
    page.attribute_name = ints(columns[10])
    page.value_start = ints(columns[11])
    page.values = <bytes>columns[12]
    page.names = len(name_hash)
    page.name_hash = <const uint64_t*>name_hash.data.as_ulonglongs
    return 0


cdef inline uint64_t label(Page* page, int32_t node) noexcept nogil:
    return page.name_hash[page.name[node]] if page.kind[node] == 2 else <uint64_t>page.kind[node]


cdef inline int32_t find_attribute(Page* page, int32_t node, uint64_t name) noexcept nogil:
    # The place of an attribute, or -1.
    cdef int32_t index
    for index in range(page.attribute_start[node], page.attribute_start[node + 1]):
        if page.name_hash[page.attribute_name[index]] == name:
            return index
    return -1


cdef inline int64_t subtree_weight(Page* page, int32_t node) noexcept nogil:
    cdef int32_t end = page.end[node]
    cdef int64_t texts = page.text_start[end] - page.text_start[node]
    return texts + page.value_start[page.attribute_start[end]] - page.value_start[page.attribute_start[node]]
