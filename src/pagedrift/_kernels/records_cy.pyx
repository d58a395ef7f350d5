"""Frozen values made of what is known to fit their fields (native twin of records_py)."""

from cpython.object cimport PyObject_GenericSetAttr

cdef object NEW = object.__new__


def make_record(cls, tuple fields not None, tuple values not None):
    """Make a value of a class by its fields, without calling the class."""
    cdef Py_ssize_t at, count = len(fields)
    if len(values) != count:
        raise ValueError(f"{count} fields do not take {len(values)} values")
    made = NEW(cls)
    for at in range(count):
        PyObject_GenericSetAttr(made, fields[at], values[at])
    return made
