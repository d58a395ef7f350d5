"""Texts that other pages of the same site show as well: they belong to the frame of the site, not to one page.

Of each host a bounded number of texts is remembered, and of each text a few of the pages that show it. Those of the
frame come with every page and stay; those of one page are forgotten first.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from pagedrift._kernels import hash_bytes
from pagedrift.does_it_matter.changes.pairing import without_numbers
from pagedrift.does_it_matter.changes.past import text_key
from pagedrift.reading.page_selection import loose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pagedrift.does_it_matter.changes.pairing import PassageChange
    from pagedrift.does_it_matter.changes.passages import Passage

SHARED_BY: Final = 3  # other pages that show a text, from which on it belongs to the frame
MAX_TEXTS: Final = 4_000  # of one host
MAX_HOSTS: Final = 500
MAX_HOLDERS: Final = 6  # pages remembered of each text
_MIN_WORDS: Final = 4  # of a text in the main part: shorter ones, such as values, may be alike on many pages


class TextHolder(NamedTuple):
    """A page that shows a text: by its address, and by what its main part says, so that copies count once."""

    address: int
    content: int


class SharedTexts:
    """Which texts stand on several pages of a host, learned page by page.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.does_it_matter.changes.passages import passages
    >>> shared = SharedTexts()
    >>> page = "<main><h1>{0}</h1><p>All there is to know about {0}, and more.</main><p>Try our new portal"
    >>> for name in ("parks", "pools", "halls", "fees"):
    ...     read = passages(PageVersion("", page.format(name).encode()))
    ...     shared.add(f"https://city.example/{name}", read)
    >>> siblings = shared.beside("https://city.example/fees")
    >>> [siblings.pages_with(passage) for passage in read]
    [0, 0, 3]
    """

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, OrderedDict[int, tuple[TextHolder, ...]]] = OrderedDict()

    def add(self, url: str, read: Sequence[Passage]) -> None:
        """Learn which texts a page shows."""
        host = _host(url)
        texts = self._hosts.pop(host, None) or OrderedDict()
        self._hosts[host] = texts
        holder = TextHolder(_address(url), _content(read))
        for key in {text_key(passage): None for passage in read}:
            known = texts.pop(key, ())
            texts[key] = known if holder in known else (*known, holder)[-MAX_HOLDERS:]
        while len(texts) > MAX_TEXTS:
            texts.popitem(last=False)
        while len(self._hosts) > MAX_HOSTS:
            self._hosts.popitem(last=False)

    def beside(self, url: str) -> Siblings:
        """Give the other pages of the host of a page."""
        return Siblings(self, url)

    def holders(self, host: str, key: int) -> tuple[TextHolder, ...]:
        """Give pages of a host that show a text."""
        return self._hosts[host].get(key, ()) if host in self._hosts else ()


@dataclass(frozen=True, slots=True)
class Siblings:
    """The other pages of the site of one page, by the texts they share."""

    shared: SharedTexts
    url: str

    def pages_with(self, passage: Passage) -> int:
        """Count the other pages that show a text, as far as is remembered; pages that say the same count once."""
        mine = _address(self.url)
        holders = self.shared.holders(_host(self.url), text_key(passage))
        others = [each for each in holders if each.address != mine]
        return min(len({each.address for each in others}), len({each.content for each in others}))

    def share(self, change: PassageChange) -> int:
        """Say how many other pages show the text that changed, before or after; 0 where it is not of the frame.

        A short text in the main part may be a value that other pages have as well, so it is never of the frame.
        """
        sides = [each for each in (change.old, change.new) if each is not None]
        if any(each.main and len(each.words) < _MIN_WORDS for each in sides):
            return 0
        most = max(map(self.pages_with, sides))
        return most if most >= SHARED_BY else 0


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.") if "//" in url else ""


def _address(url: str) -> int:
    return hash_bytes(loose(url).encode("utf-8", "surrogatepass"))


def _content(read: Iterable[Passage]) -> int:
    """Name what the main part of a page says, whatever its numbers."""
    said = "\n".join(without_numbers(passage) for passage in read if passage.main)
    return hash_bytes(said.encode("utf-8", "surrogatepass"))
