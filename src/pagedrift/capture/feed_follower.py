"""A feed follower: the entries of a feed or sitemap that are new since the last look."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from pagedrift.capture.feed import Feed, FeedEntry, kind_of, parse_feed
from pagedrift.capture.http import FETCH_LIMITS, Client, Fetched, FetchError
from pagedrift.capture.http_messages import page_of
from pagedrift.capture.request_options import PLAIN, RequestOptions
from pagedrift.capture.sitemap import ACCEPT as XML
from pagedrift.capture.sitemap import Apart, at_once, read_sitemap
from pagedrift.errors import InputError
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.http_exchange import Exchange

NEWEST: Final = 200  # entries that are taken of a long feed or sitemap
MAX_REMEMBERED_ENTRIES: Final = 20_000  # that are known again, far more than a feed holds
ACCEPT: Final = f"application/rss+xml,application/atom+xml,application/feed+json,{XML}"
FORMAT: Final = 1
PASSING: Final = ("network", "timeout", "robots")  # kinds of trouble that may be gone at the next look


class Follower:
    """One feed or sitemap, looked at again and again; each entry is given once, through one shared client.

    >>> Follower(Client(), "https://city.example/feed").state()["seen"]
    []
    """

    def __init__(
        self,
        client: Client,
        url: str,
        *,
        newest: int = NEWEST,
        state: dict[str, Any] | None = None,
        request_options: RequestOptions = PLAIN,
        tries: int = 1,
        apart: Apart = at_once,
    ) -> None:
        if newest < 1:
            raise InputError(f"{newest} entries is too few; use at least 1")
        self.client = client
        self.url = url
        self.newest = newest
        self.request_options = request_options
        self.tries = tries
        self._apart = apart  # who parses what came: hostile documents are not work for a server's own process
        self.without_link = 0  # entries of the last look that name no page
        self.flaws: tuple[str, ...] = ()  # what could not be read at the last look
        self.told_by = "feed"
        self.retry_after = 0.0  # seconds that the server asked us to wait before the next look
        self._known: PageVersion | None = None
        self._seen: dict[str, None] = {}
        self._open: set[str] = set()  # given, but their pages not yet fetched
        self._failed: dict[str, int] = {}  # how often the page of an entry could not be had
        if state is not None:
            self._restore(state)

    @property
    def waiting(self) -> int:
        """The entries that were given and whose pages were not fetched yet."""
        return len(self._open)

    def poll(self) -> list[FeedEntry]:
        """Fetch the feed if it changed, and give the entries that were not given before, oldest first."""
        known = None if self._open else self._known
        fetched = self.client.fetch(
            self.url,
            known=known,
            robots="ignore",
            accept=ACCEPT,
            request_options=self.request_options,
            unpack=False,
        )
        self.retry_after = fetched.retry_after or 0.0
        if fetched.not_modified:
            return []
        if fetched.failed:
            raise InputError(f"{self.url} answers with status {fetched.status}; check the address in a browser")
        answer = fetched.exchanges[-1]
        # Its headers are all that is asked about again.
        self._known = page_of(replace(answer, body=b""), limits=FETCH_LIMITS)
        feed = self._parsed(answer)
        self.without_link, self.flaws = feed.without_link, feed.flaws
        new = [entry for entry in feed.entries[-self.newest :] if _digest(entry.key) not in self._seen]
        self._open = {_digest(entry.key) for entry in new}
        for entry in feed.entries:  # also those before the newest: they are not news later
            if _digest(entry.key) not in self._open:
                self._remember(entry)
        return new

    def _remember(self, entry: FeedEntry) -> None:
        digest = _digest(entry.key)
        self._failed.pop(digest, None)
        self._seen.pop(digest, None)
        self._seen[digest] = None
        self._open.discard(digest)
        if len(self._seen) > MAX_REMEMBERED_ENTRIES:
            del self._seen[next(iter(self._seen))]

    def _parsed(self, answer: Exchange) -> Feed:
        feed: Feed | None = self._apart(_feed_in, answer)
        if feed is not None:
            return feed
        self.told_by = "sitemap"
        return read_sitemap(
            self.client, answer, newest=self.newest, request_options=self.request_options, apart=self._apart
        )

    def pages(self, entries: Iterable[FeedEntry]) -> Iterator[tuple[FeedEntry, PageVersion | FetchError]]:
        """Fetch the page of each entry, obeying robots.txt; trouble with one is given in its place."""
        for entry, got in self.fetched(entries, unpack=True):
            if isinstance(got, FetchError):
                yield entry, got
            else:
                yield (
                    entry,
                    got.page
                    or FetchError("the server sent no page; try again later", kind="network", url=entry.url),
                )

    def fetched(
        self, entries: Iterable[FeedEntry], *, unpack: bool = False
    ) -> Iterator[tuple[FeedEntry, Fetched | FetchError]]:
        """Fetch what each entry names, and leave it packed.

        One that failed is given again by a later look, until it was tried often enough.
        """
        after = self.url  # at least one page follows each look, however long its host wants us to wait
        for entry in entries:
            got: Fetched | FetchError
            try:
                request_options = self.request_options.passed_on(self.url, entry.url)
                got = self.client.fetch(
                    entry.url, robots="obey", request_options=request_options, after=after, unpack=unpack
                )
            except FetchError as error:
                got = error
            after = ""
            if not self._is_tried_again(entry, got):
                self._remember(entry)
            yield entry, got

    def _is_tried_again(self, entry: FeedEntry, got: Fetched | FetchError) -> bool:
        """Count what failed in a way that may pass, and say whether it has another try."""
        if not isinstance(got, FetchError) or got.kind not in PASSING:
            return False
        digest = _digest(entry.key)
        self._failed[digest] = self._failed.get(digest, 0) + 1
        return self._failed[digest] < self.tries

    def state(self) -> dict[str, Any]:
        """Give the state to continue from later, as JSON-compatible data."""
        headers = (
            []
            if self._known is None or self._open
            else [[name, value] for name, value in self._known.headers if name.lower() in ("etag", "last-modified")]
        )
        state = {"format": FORMAT, "url": self.url, "headers": headers, "seen": list(self._seen)}
        return {**state, "failed": self._failed} if self._failed else state

    def _restore(self, state: dict[str, Any]) -> None:
        try:
            if state["format"] != FORMAT or state["url"] != self.url:
                raise InputError(f"this state is of {json.dumps(state['url'])}; start again without it")
            headers = tuple((str(name), str(value)) for name, value in state["headers"])
            self._seen = dict.fromkeys(str(digest) for digest in state["seen"])
            self._failed = {str(digest): int(count) for digest, count in state.get("failed", {}).items()}
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InputError("this is not a saved feed state; start again without it") from None
        self._known = PageVersion(self.url, b"", status=200, headers=headers) if headers else None


def _feed_in(answer: Exchange) -> Feed | None:
    """Read a feed; None where it is a sitemap, which may lead to others."""
    page = page_of(answer, limits=FETCH_LIMITS)
    # A packed sitemap is recognised by its first bytes; a packed feed does not exist.
    return None if kind_of(page) == "sitemap" or page.body.startswith(b"\x1f\x8b") else parse_feed(page)


def _digest(key: str) -> str:
    """Shorten the key of an entry: some are whole texts."""
    return sha256(key.encode("utf-8", "replace")).hexdigest()[:16]
