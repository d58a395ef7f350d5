"""The pasts of many pages at a time: each version is judged after those before it."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Final

from pagedrift.arguments import as_readable
from pagedrift.does_it_matter.changes.levels import JudgedChange, Level, judge_changes, single_changes
from pagedrift.does_it_matter.changes.pairing import compare
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.past import Past
from pagedrift.does_it_matter.changes.siblings import SharedTexts
from pagedrift.reading.page_selection import loose

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.does_it_matter.changes.passages import Passage
    from pagedrift.page import PageVersion

MAX_PAGES: Final = 2_000  # whose pasts are kept; those used longest ago are forgotten first


class Histories:
    """The past of each page, for as many pages as there is room for.

    >>> histories = Histories()
    >>> histories.of("https://city.example/").versions
    0
    """

    def __init__(self, most: int = MAX_PAGES) -> None:
        self._most = most
        self._pasts: OrderedDict[str, Past] = OrderedDict()

    def of(self, url: str) -> Past:
        """Give the past of a page; empty for one that is not known."""
        return self._pasts.get(loose(url)) or Past()

    def add(self, url: str, found: Iterable[JudgedChange] = ()) -> None:
        """Add what a version brought; the first one brings nothing."""
        key = loose(url)
        past = self._pasts.pop(key, Past())
        self._pasts[key] = past.after(single_changes(found))
        if len(self._pasts) > self._most:
            self._pasts.popitem(last=False)


class JudgedSeries:
    """Counts, by level, the changes that each version of a page brought, while others read the versions.

    >>> from pagedrift import PageVersion
    >>> page = "<main><h1>Permits</h1><p>A permit for a fence costs {} and is valid for a year.</p></main>"
    >>> judged = JudgedSeries()
    >>> versions = (PageVersion("https://city.example/", page.format(fee).encode()) for fee in ("$8", "$9"))
    >>> for version in judged.watched(versions):
    ...     print(judged.levels)
    {'noise': 0, 'minor': 0, 'important': 0}
    {'noise': 0, 'minor': 0, 'important': 1}
    """

    def __init__(self) -> None:
        self._histories = Histories()
        self._shared = SharedTexts()
        self._read: OrderedDict[str, tuple[Passage, ...]] = OrderedDict()
        self.levels = dict.fromkeys(map(str, Level), 0)  # of the version that was read last

    def watched(self, versions: Iterable[PageVersion]) -> Iterator[PageVersion]:
        """Give the versions on as they come, judged."""
        for version in versions:
            if not version.failed:
                self.judge(version)
            yield version

    def judge(self, version: PageVersion) -> dict[str, int]:
        """Judge one more version of its page."""
        key, after = loose(version.url), passages(as_readable(version))
        before = self._read.pop(key, None)
        self._read[key] = after
        if len(self._read) > MAX_PAGES:
            self._read.popitem(last=False)
        past, found = self._histories.of(version.url), tuple[JudgedChange, ...]()
        if before is not None:
            siblings = self._shared.beside(version.url)
            found = judge_changes(compare(before, after), past, siblings=siblings)
        self._shared.add(version.url, after)
        self._histories.add(version.url, found)
        counts = Counter(str(change.level) for change in found)
        self.levels = {str(level): counts[str(level)] for level in Level}
        return self.levels
