"""Reader and writer for plain lists of addresses: one on each line, followed by its group."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pagedrift.app.imports.results import ImportBuilder, ImportedWatches, text_of
from pagedrift.app.model.watch import Watch
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOST: Final = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#].*)?", re.IGNORECASE)


def read(data: bytes) -> ImportedWatches:
    r"""Read a list; empty lines and those that begin with # are left out.

    >>> [(watch.url, watch.group) for watch in read(b"# mine\nhttps://city.example/fees prices").watches]
    [('https://city.example/fees', 'prices')]
    """
    gathering, lines = ImportBuilder(), 0
    for line in text_of(data).splitlines():
        url, _, rest = line.strip().partition(" ")
        if not url or url.startswith("#"):
            continue
        lines += 1
        if _HOST.fullmatch(url):
            gathering.note("https:// was put in front", url)
            url = f"https://{url}"
        group, *others = (tag.strip(" []'\"") for tag in rest.split(","))
        if any(others):
            gathering.note("only the first of several groups was taken over", url)
        gathering.add(Watch(url, group=group))
    if lines > 2 * len(gathering):
        raise InputError(
            "most lines of this file are not addresses; write one per line, or name the format with --from"
        )
    return gathering.done()


def write(watches: Iterable[Watch]) -> str:
    """Write the addresses of watches, with their groups."""
    return "".join(f"{watch.url} {watch.group}".strip() + "\n" for watch in watches)
