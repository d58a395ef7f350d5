"""Frozen values made of what is known to fit their fields (readable twin)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


def make_record(cls: type[T], fields: Sequence[str], values: Sequence[Any]) -> T:
    """Make a value of a class by its fields, without calling the class; for classes whose constructor only stores.

    >>> from dataclasses import make_dataclass
    >>> make_record(make_dataclass("Fee", ["amount"], frozen=True), ("amount",), (40,))
    Fee(amount=40)
    """
    made = object.__new__(cls)
    for name, value in zip(fields, values, strict=True):
        object.__setattr__(made, name, value)
    return made
