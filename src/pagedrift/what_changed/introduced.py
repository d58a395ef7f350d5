"""Which items of a page are new since a day, which are gone, and which were edited?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from pagedrift.dates import EARLIEST
from pagedrift.reading.page_selection import loose, one_page
from pagedrift.what_changed.item_matching import Mark, SeenItem, ShownItems, follow, items_of
from pagedrift.what_changed.selection import check_expression

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from pagedrift.page import PageVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class PageItem:
    """A row, a card, a link: what it says, and in which versions of the page it was."""

    value: str
    link: str | None  # where its first link leads
    first_seen: datetime | None
    last_seen: datetime | None
    url: str  # of the page
    path: str


@dataclass(frozen=True, slots=True)
class Edited:
    """An item that stayed, with another text or link."""

    before: PageItem
    after: PageItem
    changed_at: datetime | None  # the last time


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduced:
    """What came, went and was edited between two versions."""

    compared_with: datetime | None  # the last version before the day, or the first of all
    until: datetime | None  # the newest version
    versions: int
    items: int  # all that were ever seen
    appeared: tuple[PageItem, ...]  # first seen earlier: it was away and came back
    gone: tuple[PageItem, ...]  # also what came after the day and went again
    edited: tuple[Edited, ...]
    url: str = ""  # of the page


def introduced(versions: Iterable[PageVersion], css: str, *, since: datetime, url: str | None = None) -> Introduced:
    """Find the items that are new since a day and those gone, over the versions of one page in order of time.

    Compared are the last version before `since`, or the first of all, and the newest one; the versions between
    show which item is which. Failed responses (status 400 and above) are left out. A `url` says which page.

    >>> from datetime import UTC, datetime
    >>> from pagedrift import PageVersion
    >>> bodies = {8: b"<ul><li>Library reopens</ul>", 15: b"<ul><li>Winter market<li>Library reopens</ul>"}
    >>> found = introduced(
    ...     [
    ...         PageVersion("https://city.example/", body, captured_at=datetime(2026, 11, day, tzinfo=UTC))
    ...         for day, body in bodies.items()
    ...     ],
    ...     "li",
    ...     since=datetime(2026, 11, 10, tzinfo=UTC),
    ... )
    >>> [item.value for item in found.appeared], found.gone, found.edited
    (['Winter market'], (), ())
    """
    check_expression(css)
    found = introduced_on_pages(one_page(versions, url=url), css, since=since)
    return found[0] if found else _Follower(css).found()


def introduced_on_pages(
    versions: Iterable[PageVersion], css: str, *, since: datetime, urls: Iterable[str] = ()
) -> list[Introduced]:
    """Find the same on every page there is, or on some of them, each by itself and in the order of addresses."""
    check_expression(css)
    since = since if since.tzinfo else since.replace(tzinfo=UTC)
    wanted = set(map(loose, urls))
    followers: dict[str, _Follower] = {}
    for version in versions:
        key = loose(version.url)
        if version.failed or (wanted and key not in wanted):
            continue
        follower = followers.setdefault(key, _Follower(css))
        if (version.captured_at or EARLIEST) >= since:
            follower.mark()
        follower.add(version)
    for follower in followers.values():
        follower.mark()
    return [followers[key].found() for key in sorted(followers)]


class _Track:
    """One item through all versions."""

    __slots__ = ("changed_at", "first_seen", "last_seen", "now", "present", "then")

    def __init__(self, first_seen: datetime | None) -> None:
        self.first_seen = self.last_seen = self.changed_at = first_seen
        self.now: SeenItem | None = None  # as last seen
        self.then: SeenItem | None = None  # in the version that is compared with
        self.present = False

    def see(self, item: SeenItem, moment: datetime | None) -> None:
        if self.now and self.now.differs(item):
            self.changed_at = moment
        self.now, self.last_seen, self.present = item, moment, True

    def item(self, seen: SeenItem, url: str) -> PageItem:
        return PageItem(
            value=seen.value,
            link=seen.link,
            first_seen=self.first_seen,
            last_seen=self.last_seen,
            url=url,
            path=seen.path,
        )


class _Follower:
    """Follow the items from version to version."""

    def __init__(self, css: str) -> None:
        self.css = css
        self.url, self.body, self.versions = "", b"", 0
        self.moment: datetime | None = None
        self.compared_with: datetime | None = None
        self.marked = False
        self.shown: ShownItems | None = None
        self.current: list[_Track] = []
        self.all: list[_Track] = []
        self.away: dict[Mark, _Track] = {}  # what may come back

    def mark(self) -> None:
        """Remember what there is, once, to compare with it."""
        if self.marked or not self.versions:
            return
        self.marked, self.compared_with = True, self.moment
        for track in self.current:
            track.then = track.now

    def add(self, page: PageVersion) -> None:
        """Follow the items into the next version."""
        if not self.versions or page.body != self.body:
            self._follow(items_of(page, self.css), page.captured_at)
        self.url, self.body, self.moment = page.url, page.body, page.captured_at
        self.versions += 1
        for track in self.current:
            track.last_seen = self.moment

    def _follow(self, shown: ShownItems, moment: datetime | None) -> None:
        old_of = follow(self.shown, shown) if self.shown else {}
        before = self.current
        self._leave(set(range(len(before))) - set(old_of.values()))
        marks = {place: mark for mark, place in reversed(shown.unique_marks().items())}  # the best of each
        self.current = [
            before[old_of[place]] if place in old_of else self._arrive(marks.get(place), moment)
            for place in range(len(shown.items))
        ]
        for track, item in zip(self.current, shown.items, strict=True):
            track.see(item, moment)
        self.shown = shown

    def _leave(self, places: set[int]) -> None:
        for place in places:
            self.current[place].present = False
        if places and self.shown:
            marks = self.shown.unique_marks()
            self.away.update({mark: self.current[place] for mark, place in marks.items() if place in places})

    def _arrive(self, mark: Mark | None, moment: datetime | None) -> _Track:
        """Know an item again that was away, or begin to follow a new one."""
        track = self.away.get(mark) if mark else None
        if track is None or track.present:
            track = _Track(moment)
            self.all.append(track)
        track.present = True
        return track

    def found(self) -> Introduced:
        """Compare what there was with what there is."""
        there = [(track, track.then, track.now) for track in self.current]
        return Introduced(
            compared_with=self.compared_with,
            until=self.moment,
            versions=self.versions,
            items=len(self.all),
            appeared=tuple(track.item(now, self.url) for track, then, now in there if now and not then),
            gone=tuple(self._gone()),
            edited=tuple(
                Edited(track.item(then, self.url), track.item(now, self.url), track.changed_at)
                for track, then, now in there
                if then and now and then.differs(now)
            ),
            url=self.url,
        )

    def _gone(self) -> Iterable[PageItem]:
        """List what is away now, but was there in the version that is compared with or came later."""
        for track in self.all:
            if not track.present and track.now and (track.then or self._came_later(track)):
                yield track.item(track.now, self.url)

    def _came_later(self, track: _Track) -> bool:
        return (track.last_seen or EARLIEST) > (self.compared_with or EARLIEST)
