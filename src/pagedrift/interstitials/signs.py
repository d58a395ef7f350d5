"""Sentences about how it is known that something else came instead of the page."""

from __future__ import annotations

from typing import Final

from pagedrift.text import counted, cut


def status(code: int | None) -> str:
    """Say which status the server gave."""
    return f"status {code}"


def titled(title: str, words: int | None = None) -> str:
    """Say what a page is titled, and how short it is where that counts."""
    return f"its title is “{cut(title, 60)}”" + (
        f" and it has {counted(words, 'word')}" if words is not None else ""
    )


def marked(mark: str, words: int) -> str:
    """Say which mark the source of a short page contains."""
    return f"its source contains {mark} and it has {counted(words, 'word')}"


def parked(mark: str) -> str:
    """Say by which mark a domain is known to be parked."""
    return f"the domain is parked: its source contains {mark}"


def asks_for_password(words: int) -> str:
    """Say that a short page wants a password."""
    return f"it asks for a password and has {counted(words, 'word')}"


def says(text: str, words: int) -> str:
    """Say which words of a short page give it away."""
    return f"it says “{text}” and has {counted(words, 'word')}"


def empty(text: str, *, scripted: bool) -> str:
    """Say that there is nothing to read, or only that something is on its way."""
    hint = "; it may need JavaScript, so use a browser for this watch" if scripted else ""
    return f"it says “{cut(text, 60)}”{hint}" if text else f"it has no words{hint}"


def shown_by_others(pages: int) -> str:
    """Say that other pages of the host are replaced by the same."""
    return f"{counted(pages, 'other page')} of the site show the same short page"


def taken_anyway(visits: int, why: str) -> str:
    """Say why something that looks like a block or error page is accepted as the page."""
    return f"accepted as the page after {counted(visits, 'check')}, although {why}"


ONLY_HEADERS: Final = "the server sent headers but no content"
