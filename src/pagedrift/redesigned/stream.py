"""Which documents did a site publish, one after the other, and when?"""

from __future__ import annotations

import json
import tempfile
import zlib
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from pagedrift.capture.http import FetchError
from pagedrift.dates import EARLIEST, parse_date
from pagedrift.errors import InputError, LimitError
from pagedrift.facets.published import read_published
from pagedrift.file_types import HEAD_BYTES, PAGE, recognise
from pagedrift.page import PageVersion
from pagedrift.reading import Reading, read
from pagedrift.reading.page_selection import one_page
from pagedrift.sites import By, site_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    from pagedrift.capture.feed_follower import Follower

Order = Literal["captured", "published"]
ONE_CRAWL: Final = timedelta(days=2)  # captures this close together say nothing about the order of publication ...
LONG_AGO: Final = timedelta(days=60)  # ... if the pages say that they are that far apart
_NAMED: Final = (
    "page.html"  # pictures and the like are recognised by their bytes; what looks like nothing is a page
)
MAX_DATED_PAGES: Final = 200  # whose own dates are looked at for that
MAX_SEARCHED_BYTES: Final = 1_000_000  # of a page that are searched for its date


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a stream, and when it was published."""

    page: PageVersion
    published_at: datetime | None
    told_by: str  # "feed", "sitemap", "page", "header" or "capture"
    site: str = ""  # "" where sites are not separated


def publication(page: PageVersion) -> tuple[datetime | None, str]:
    """Say when a page was published and according to what: the page itself, its HTTP header, or its capture.

    >>> page = PageVersion("https://city.example/", b'<meta name="date" content="2024-02-02">')
    >>> publication(page)
    (datetime.datetime(2024, 2, 2, 0, 0, tzinfo=datetime.timezone.utc), 'page')
    """
    if (when := _own_date(page)) is not None:
        return when, "page"
    if (header := page.header("last-modified")) and (when := parse_date(header)) is not None:
        return when, "header"
    return page.captured_at, "capture"


def _own_date(page: PageVersion) -> datetime | None:
    """Read when a page says that it was published, at its top; one beyond the limits of a tree says nothing."""
    top = page if len(page.body) <= MAX_SEARCHED_BYTES else replace(page, body=page.body[:MAX_SEARCHED_BYTES])
    try:
        return read_published(top.tree)
    except LimitError:
        return None


@dataclass(slots=True)
class StreamCounts:
    """What became of the pages of a stream."""

    documents: int = 0
    gaps: int = 0  # pages that failed to load: error statuses, empty bodies
    undated: int = 0
    unordered: int = 0  # published before the document that came before them


@dataclass(slots=True, kw_only=True)
class Stream:
    """An iterator of documents that counts what it gives and what it leaves out."""

    documents: Iterable[Document]
    by: By = "site"  # what one stream is
    counts: dict[str, StreamCounts] = field(default_factory=dict)  # by site
    notes: list[str] = field(default_factory=list)  # what the reader may not expect, each with the next step
    lost: int = 0  # pages of a feed that could not be fetched

    def __iter__(self) -> Iterator[Document]:
        latest: dict[str, datetime] = {}
        for document in self.documents:
            site = site_of(document.page.url, by=self.by)
            counts = self.counts.setdefault(site, StreamCounts())
            if is_gap(document.page):
                counts.gaps += 1
                continue
            when = document.published_at
            before = latest.get(site, EARLIEST)
            counts.documents += 1
            counts.undated += when is None
            counts.unordered += when is not None and when < before
            latest[site] = max(before, when or EARLIEST)
            yield replace(document, site=site)

    @property
    def total(self) -> StreamCounts:
        """What became of all pages."""
        every = [asdict(counts) for counts in self.counts.values()]
        total = StreamCounts(**{name: sum(each[name] for each in every) for name in asdict(StreamCounts())})
        total.gaps += self.lost
        return total


def is_gap(page: PageVersion) -> bool:
    """Return whether a page failed to load.

    >>> is_gap(PageVersion("https://city.example/", b"<p>Not found", status=404))
    True
    """
    return page.failed or recognise(page.body[:HEAD_BYTES], _NAMED) != PAGE or not page.body.strip()


def documents(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    url: str | None = None,
    order: Order = "captured",
    by: By = "site",
    on_progress: Callable[[Reading], None] | None = None,
) -> Stream:
    """Give the documents of archives, folders and files in the order in which they came, each with its site.

    By default that is the time of capture, and the order of the records where it is the same: a page shows the
    design of the time when it was taken, whenever its text was written. `order="published"` goes by what the page
    says, then its HTTP header, then its capture; that takes a second pass, over a file on disk. With a `url` the
    stream is the versions of that one page.

    >>> import pagedrift
    >>> [str(document.published_at.date()) for document in documents("examples/permits.warc.gz")]
    ['2026-11-08', '2026-11-15']
    """
    if order not in ("captured", "published"):
        raise InputError(f"unknown order {order!r}; choose one of: captured, published")
    reading = read(paths, on_progress=on_progress)
    chosen = one_page(reading, url=url) if url else reading
    if order == "published":
        return Stream(documents=_by_publication(chosen), by=by)
    stream = Stream(documents=(), by=by)
    stream.documents = _by_capture(chosen, stream)
    return stream


def followed(follower: Follower, *, by: By = "site") -> Stream:
    """Give the documents that are new in a feed or sitemap, fetched one by one; those that fail are gaps."""
    stream = Stream(documents=(), by=by)
    stream.documents = _fetched(follower, stream)
    return stream


def _fetched(follower: Follower, stream: Stream) -> Iterator[Document]:
    for entry, page in follower.pages(follower.poll()):
        if isinstance(page, FetchError):
            stream.lost += 1
            stream.notes.append(str(page))
        elif entry.published_at is not None:
            yield Document(page, entry.published_at, follower.told_by)
        else:
            yield Document(page, *publication(page))
    stream.notes.extend(follower.flaws)
    if follower.without_link:
        stream.notes.append(
            f"{follower.without_link:,} entries of {follower.url} name no page of the site; they are left out"
        )


def _by_capture(versions: Iterable[PageVersion], stream: Stream) -> Iterator[Document]:
    """Give versions as they come; note where all were taken at once, though they were published one by one."""
    captures, dates = _Span(), _Span()
    for number, page in enumerate(versions):
        captures.add(page.captured_at)
        if number < MAX_DATED_PAGES and captures.length <= ONE_CRAWL and not is_gap(page):
            dates.add(_own_date(page))
        yield Document(page, page.captured_at, "capture")
    if captures.length <= ONE_CRAWL and dates.length >= LONG_AGO:
        stream.notes.append(
            "all pages were taken within two days, but say that they were published over "
            f"{dates.length.days} days; put them into that order with --order published"
        )


class _Span:
    """The stretch of time that some moments cover."""

    def __init__(self) -> None:
        self.first: datetime | None = None
        self.last: datetime | None = None

    def add(self, when: datetime | None) -> None:
        if when is not None:
            self.first = min(self.first or when, when)
            self.last = max(self.last or when, when)

    @property
    def length(self) -> timedelta:
        return self.last - self.first if self.first and self.last else timedelta()


def _by_publication(versions: Iterable[PageVersion]) -> Iterator[Document]:
    """Sort pages by their time of publication; they wait packed in a temporary file, only their times in memory."""
    keys: list[tuple[datetime, int, int]] = []
    with tempfile.TemporaryFile() as shelf:
        for number, page in enumerate(versions):
            when, told_by = publication(page) if not is_gap(page) else (page.captured_at, "capture")
            keys.append((when or EARLIEST, number, shelf.tell()))
            shelf.write(_packed(Document(page, when, told_by)))
        for _, _, place in sorted(keys):
            shelf.seek(place)
            head = json.loads(shelf.readline())
            yield _unpacked(head, shelf.read(head.pop("packed")))


def _packed(document: Document) -> bytes:
    page, body = document.page, zlib.compress(document.page.body, 1)
    head = {
        "packed": len(body),
        "url": page.url,
        "captured_at": _written(page.captured_at),
        "content_type": page.content_type,
        "status": page.status,
        "headers": page.headers,
        "published_at": _written(document.published_at),
        "told_by": document.told_by,
    }
    return json.dumps(head).encode() + b"\n" + body


def _unpacked(head: dict[str, Any], body: bytes) -> Document:
    page = PageVersion(
        head["url"],
        zlib.decompress(body),
        captured_at=_read(head["captured_at"]),
        content_type=head["content_type"],
        status=head["status"],
        headers=tuple((name, value) for name, value in head["headers"]),
    )
    return Document(page, _read(head["published_at"]), head["told_by"])


def _written(when: datetime | None) -> str | None:
    return when.isoformat() if when else None


def _read(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def dated(document: Document) -> PageVersion:
    """Give the page as of its time of publication, which is what detectors look at."""
    when = document.published_at
    if when is not None and when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return document.page if when == document.page.captured_at else replace(document.page, captured_at=when)
