import io
import random
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count

import boto3
import pytest
from moto.server import ThreadedMotoServer
from warcio.archiveiterator import ArchiveIterator

from pagedrift.archive import s3_reader
from pagedrift.archive.locations import ArchiveError, Place, shelf
from pagedrift.archive.reader import attachments_at, notes_at, page_at, stored
from pagedrift.archive.record_format import Attachment
from pagedrift.archive.writer import ArchiveWriter, Capture
from pagedrift.errors import InputError
from pagedrift.http_exchange import Exchange
from tests.builders import PAGE, URL

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
DAY = timedelta(days=1)
HTML = (("Content-Type", "text/html"),)
_numbers = count()


def capture(body: bytes = PAGE, *, day: int = 0, status: int = 200) -> Exchange:
    return Exchange(url=URL, status=status, headers=HTML, body=body, captured_at=NOON + day * DAY)


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """Run a real server that speaks S3."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        patched.setenv("AWS_ACCESS_KEY_ID", "test")
        patched.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patched.setenv("AWS_DEFAULT_REGION", "us-east-1")
        yield f"http://127.0.0.1:{port}"
    server.stop()


@pytest.fixture
def place(service: str) -> str:
    assert service
    name = f"pages-{next(_numbers)}"
    boto3.client("s3").create_bucket(Bucket=name)
    return f"s3://{name}/kept"


def objects(place: str) -> list[str]:
    name, _, prefix = place.removeprefix("s3://").partition("/")
    listed = boto3.client("s3").list_objects_v2(Bucket=name, Prefix=prefix)
    return [each["Key"] for each in listed.get("Contents", [])]


def test_what_is_kept_in_a_bucket_is_read_back_by_range(place: str) -> None:
    large = PAGE + random.Random(1).randbytes(1_000_000)
    picture = Attachment("fullPage", "image/png", b"\x89PNG" * 1000)
    with ArchiveWriter(place, writer="berlin") as archive:
        first = archive.append(capture(), notes={"matters": True}, attachments=[picture])
        second = archive.append(capture(day=1), repeats=first.place)
        third = archive.append(capture(b"", day=2, status=304), repeats=first.place)
        fourth = archive.append(capture(large, day=3))
        note = archive.note("watch:1", {"url": URL})

    found = list(stored(place))

    assert [each.kind for each in (first, second, third, fourth)] == ["response", "revisit", "revisit", "response"]
    assert [page_at(place, each.place).body for each in (first, second, third, fourth)] == [PAGE, PAGE, PAGE, large]
    assert page_at(place, second.place).captured_at == NOON + DAY
    assert attachments_at(place, first.place) == {"fullPage": ("image/png", b"\x89PNG" * 1000)}
    assert notes_at(place, first.place) == {"matters": True}
    assert notes_at(place, note) == {"url": URL}
    assert [each.place for each in found] == [first.place, second.place, third.place, fourth.place, note]
    assert [each.repeats for each in found] == [None, first.place, first.place, None, None]
    ends = {each.place.filename: each.end for each in found[:3]}
    assert [each.place for each in stored(place, after=ends)] == [fourth.place, note]


def test_what_was_walked_is_not_asked_for_again(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with ArchiveWriter(place) as archive:
        for day in range(5):
            archive.append(capture(PAGE + b" %d" % day, day=day))
        ends = {each.place.filename: each.end for each in stored(place)}
        asked, real = [], s3_reader.Bucket.range
        monkeypatch.setattr(s3_reader.Bucket, "range", lambda *given: asked.append(given[1]) or real(*given))
        new = archive.append(capture(PAGE + b" new", day=9)).place

        assert [each.place for each in stored(place, after=ends)] == [new]
        assert {*asked} == {new.filename}


def test_captures_that_are_kept_at_once_are_one_object_that_warcio_reads(place: str) -> None:
    with ArchiveWriter(place) as archive:
        kept = archive.append_all(Capture(capture(PAGE + b" %d" % day, day=day)) for day in range(20))

    [key] = objects(place)
    body = boto3.client("s3").get_object(Bucket=place.split("/")[2], Key=key)["Body"].read()
    assert [page_at(place, each.place).body for each in kept] == [PAGE + b" %d" % day for day in range(20)]
    assert [record.rec_type for record in ArchiveIterator(io.BytesIO(body))] == ["warcinfo", *["response"] * 20]


def test_threads_and_processes_of_one_name_never_overwrite_each_other(place: str) -> None:
    places: list[Place] = []
    archives = [ArchiveWriter(place) for _ in range(2)]

    def keep(archive: ArchiveWriter, thread: int) -> None:
        places.extend(archive.append(capture(PAGE + b" %d %d" % (thread, day), day=day)).place for day in range(5))

    threads = [threading.Thread(target=keep, args=(archives[each % 2], each)) for each in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert len({*places}) == 30
    assert len({page_at(place, each).body for each in places}) == 30
    assert {each.place for each in stored(place)} == {*places}


def test_trouble_with_a_bucket_is_a_clear_error(place: str) -> None:
    with ArchiveWriter(place) as archive:
        kept = archive.append(capture())
        with pytest.raises(ArchiveError, match="cannot be compacted"):
            archive.compact(lambda _: True)
    with pytest.raises(ArchiveError, match="open it again"):
        archive.append(capture())
    with pytest.raises(InputError, match="no longer holds"):
        page_at(place, kept.place._replace(filename="pagedrift-main-000009-20261115120000.warc.gz"))
    with pytest.raises(InputError, match=r"cannot be read.*check its name"):
        list(stored("s3://no-such-bucket/kept"))
    with pytest.raises(ArchiveError, match="names no bucket"):
        ArchiveWriter("s3://")


def test_a_bucket_that_goes_away_acknowledges_nothing(place: str) -> None:
    with ArchiveWriter(place) as archive:
        client = boto3.client("s3")
        client.delete_bucket(Bucket=place.split("/")[2])
        with pytest.raises(ArchiveError, match="this capture was not stored"):
            archive.append(capture())


def test_a_place_is_read_with_one_request(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with ArchiveWriter(place) as archive:
        kept = archive.append(capture())
    asked, real = [], s3_reader.Bucket.range
    monkeypatch.setattr(s3_reader.Bucket, "range", lambda *given: asked.append(given) or real(*given))

    assert page_at(place, kept.place).body == PAGE
    assert len(asked) <= 2
    assert isinstance(shelf(place), s3_reader.Bucket)
