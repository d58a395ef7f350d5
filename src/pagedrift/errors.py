"""Exceptions: the few kinds of failure; every message ends with what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


class PagedriftError(Exception):
    """Anything Pagedrift refuses to do, said so that the reader knows what to do next."""


class InputError(PagedriftError):
    """An input that is not valid: a page that cannot be read, an invalid selector, an unknown option."""


class NotFoundError(InputError):
    """Something that was asked for by its name and is not there, or not anymore."""


class ConflictError(InputError):
    """Something that is valid by itself, and contradicts what is there: an address that is watched already."""


class LimitError(PagedriftError):
    """An input beyond one of the limits that keep hostile pages from taking the machine."""


class UnavailableError(PagedriftError):
    """Something that this needs and that does not work here or now: a disk, a database, a browser, an extra."""


@dataclass(frozen=True, slots=True)
class ErrorCodes:
    """How an error is reported to programs."""

    status: int  # of HTTP
    exit: int  # of a command


# The one table: a kind that is not in it is answered as the kind it is derived from.
ANSWERS: Final[dict[type[PagedriftError], ErrorCodes]] = {
    PagedriftError: ErrorCodes(500, 2),
    InputError: ErrorCodes(400, 2),
    NotFoundError: ErrorCodes(404, 2),
    ConflictError: ErrorCodes(409, 2),
    LimitError: ErrorCodes(413, 2),
    UnavailableError: ErrorCodes(503, 2),
}


def answer_to(error: PagedriftError) -> ErrorCodes:
    """Return how an error is answered, by its kind alone.

    >>> answer_to(NotFoundError("there is no such watch; list them")).status
    404
    """
    return next(ANSWERS[kind] for kind in type(error).__mro__ if kind in ANSWERS)
