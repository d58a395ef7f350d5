"""What can go wrong, in few kinds; every message ends with the next step."""


class PagedriftError(Exception):
    """Anything Pagedrift refuses to do, said so that the reader knows what to do next."""


class InputError(PagedriftError):
    """An input that cannot be read as versions of pages."""


class LimitError(PagedriftError):
    """An input beyond one of the limits that keep hostile pages from taking the machine."""
