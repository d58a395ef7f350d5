"""Documents of archives, folders, feeds and sitemaps, one after the other."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pagedrift import InputError, PageVersion
from pagedrift.capture.feed_follower import Follower
from pagedrift.capture.http import Client, ClientConfig
from pagedrift.redesigned.stream import documents, followed, publication
from tests.builders import DAYS, record
from tests.capture.test_feed import item, rss
from tests.server import Site


def archive(folder: Path, *records: bytes) -> Path:
    path = folder / "crawl.warc"
    path.write_bytes(b"".join(records))
    return path


def said(stream) -> list[tuple[str, str, str]]:
    return [
        (one.page.url.rpartition("/")[2], f"{one.published_at:%m-%d}" if one.published_at else "", one.told_by)
        for one in stream
    ]


def dated(number: int, published: str = "", day: int = 0, **more) -> bytes:
    body = f'<meta name="date" content="{published}"><p>{number}' if published else f"<p>{number}"
    return record(f"https://city.example/{number}", body.encode(), date=DAYS[day], **more)


def test_documents_come_by_capture_and_equal_times_keep_their_order(tmp_path: Path) -> None:
    path = archive(tmp_path, dated(1, day=1), dated(2, day=1), dated(3, day=0), dated(4, day=2))

    assert said(documents(path)) == [
        ("3", "11-01", "capture"),
        ("1", "11-02", "capture"),
        ("2", "11-02", "capture"),
        ("4", "11-03", "capture"),
    ]


def test_what_a_page_says_of_its_publication_can_order_them(tmp_path: Path) -> None:
    header = [("Content-Type", "text/html"), ("Last-Modified", "Fri, 06 Nov 2026 10:00:00 GMT")]
    path = archive(
        tmp_path, dated(1, "2026-11-09"), dated(2, "2026-11-03"), dated(3, day=4), dated(4, headers=header)
    )

    assert said(documents(path, order="published")) == [
        ("2", "11-03", "page"),
        ("3", "11-05", "capture"),
        ("4", "11-06", "header"),
        ("1", "11-09", "page"),
    ]


def test_a_page_comes_back_whole_from_the_shelf(tmp_path: Path) -> None:
    path = archive(tmp_path, dated(1, "2026-11-09"), record(body=b"<p>\xff\x00raw", date=DAYS[3]))
    (by_capture,) = [one.page for one in documents(path) if b"raw" in one.page.body]
    (by_publication,) = [one.page for one in documents(path, order="published") if b"raw" in one.page.body]

    assert by_publication == by_capture


def test_pages_taken_at_once_but_published_over_a_long_time_are_noted(tmp_path: Path) -> None:
    stream = documents(archive(tmp_path, dated(1, "2020-01-01"), dated(2, "2024-01-01"), dated(3, "2022-01-01")))

    assert len(list(stream)) == 3
    assert stream.notes == [
        "all pages were taken within two days, but say that they were published over 1461 days; put them into that "
        "order with --order published"
    ]


def test_a_page_beyond_the_limits_of_a_tree_has_no_date_of_its_own(tmp_path: Path) -> None:
    body = b"<meta name=date content=2020-01-01>" + b"<body>" * 10_001

    assert said(documents(archive(tmp_path, record(body=body)), order="published")) == [
        ("fees", "11-01", "capture")
    ]
    assert said(documents(archive(tmp_path, record(body=body)))) == [("fees", "11-01", "capture")]


def test_pages_that_failed_are_gaps(tmp_path: Path) -> None:
    stream = documents(
        archive(
            tmp_path, dated(1), dated(2, status="404 Not Found"), record(body=b" \n"), dated(4, status="503 Busy")
        )
    )

    assert said(stream) == [("1", "11-01", "capture")]
    assert stream.total.gaps == 3


def test_dates_out_of_order_and_missing_ones_are_counted(tmp_path: Path) -> None:
    far_apart = [dated(number, day=1) for number in range(300)]
    path = archive(tmp_path, *far_apart, dated(999, day=0), record("https://city.example/x", date="never"))
    stream = documents(path)

    assert len(list(stream)) == 302
    assert (stream.total.unordered, stream.total.undated) == (1, 1)


def test_versions_of_one_page_are_a_stream_too(tmp_path: Path) -> None:
    path = archive(tmp_path, dated(1), dated(2), dated(1, day=1))

    assert said(documents(path, url="https://city.example/1")) == [
        ("1", "11-01", "capture"),
        ("1", "11-02", "capture"),
    ]


def test_a_folder_is_a_stream_by_the_times_of_its_files(tmp_path: Path) -> None:
    for number, name in enumerate(("b.html", "a.html")):
        (tmp_path / name).write_bytes(b"<p>" + name.encode())
        moment = datetime(2026, 11, 1 + number, tzinfo=UTC).timestamp()
        os.utime(tmp_path / name, (moment, moment))

    assert said(documents(tmp_path)) == [("b.html", "11-01", "capture"), ("a.html", "11-02", "capture")]


def test_an_unknown_order_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="choose one of: captured, published"):
        documents(tmp_path, order="size")


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(allow_private=["127.0.0.1"], config=ClientConfig(delay=0, retries=0)) as opened:
        yield opened


def test_a_feed_tells_the_dates_and_pages_that_fail_are_gaps(client: Client, site: Site) -> None:
    site.pages["/feed"] = rss(item(1), item(2), item(3), item(4, link=""))
    site.pages["/news/1"] = site.pages["/news/3"] = b'<meta name="date" content="1999-01-01"><p>News'
    stream = followed(Follower(client, f"{site.url}/feed"))

    assert said(stream) == [("1", "02-01", "feed"), ("3", "02-03", "feed")]
    assert stream.total.gaps == 1
    assert stream.notes == [f"1 entries of {site.url}/feed name no page of the site; they are left out"]


def test_pictures_in_a_feed_are_gaps(client: Client, site: Site) -> None:
    site.pages["/feed"] = rss(item(1))
    site.pages["/news/1"] = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
    stream = followed(Follower(client, f"{site.url}/feed"))

    assert said(stream) == []
    assert stream.total.gaps == 1


def test_records_of_the_real_streams_come_in_their_order(data: Path) -> None:
    from pagedrift import read

    path = data / "streams" / "hibernate-org.warc.gz"

    assert [one.page.url for one in documents(path)] == [page.url for page in read(path, order="file")]


def test_a_huge_page_is_dated_by_its_top_alone() -> None:
    body = b'<meta name="date" content="2024-02-02">' + b"<p>fees" * 1_000_000
    page = PageVersion("https://city.example/", body)

    assert str(publication(page)[0])[:10] == "2024-02-02"
    assert "tree" not in vars(page)  # nobody built the tree of the whole
