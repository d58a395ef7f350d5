import gzip
import io
import json
import os
import resource
import subprocess
import sys
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift.errors import InputError, LimitError
from pagedrift.limits import Limits
from pagedrift.reading import PageSummary, read, summarise
from tests.builders import DAYS, PAGE, URL, days, pack, record, wacz


def write(folder: Path, name: str, data: bytes, changed: int | None = None) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if changed is not None:
        os.utime(path, (changed, changed))
    return path


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_files_directories_and_archives_are_read_together_by_time(tmp_path: Path) -> None:
    new = int(datetime(2026, 11, 3, tzinfo=UTC).timestamp())
    write(tmp_path, "site/new.html", b"<p>new", new)
    write(tmp_path, "site/deep/old.html.gz", gzip.compress(b"<p>old"), 1)
    crawl = write(tmp_path, "crawl.warc.gz", b"".join(days(4, packed=True)))
    package = wacz(tmp_path / "crawl.wacz", {"archive/a.warc.gz": record(body=b"<p>z", date=DAYS[3], packed=True)})
    named = write(tmp_path, "page.html", b"<p>named", 0)

    reading = read([crawl, str(package), tmp_path / "site", named])

    bodies = [page.body.removeprefix(PAGE) for page in reading]
    assert bodies == [
        b"<p>named",
        b"<p>old",
        b" on day 0",
        b" on day 1",
        b"<p>new",
        b" on day 2",
        b" on day 3",
        b"<p>z",
    ]
    assert (reading.counts.versions, reading.counts.late) == (8, 0)
    assert reading.position == reading.total


def test_order_file_leaves_all_as_it_stands(tmp_path: Path) -> None:
    crawl = write(tmp_path, "crawl.warc", b"".join(reversed(days(4))))
    page = write(tmp_path, "page.html", b"<p>x 9", 1)

    assert [version.body[-1:] for version in read([crawl, page], order="file")] == [b"3", b"2", b"1", b"0", b"9"]


def test_a_directory_is_read_whatever_else_is_in_it(tmp_path: Path) -> None:
    write(tmp_path, "a.html", PAGE, 1)
    write(tmp_path, "b", PAGE, 2)
    write(tmp_path, "c.warc", record())
    write(tmp_path, "logo.png", b"\x89PNG")
    write(tmp_path, "style.css", b"body {}")
    write(tmp_path, "data.zip", b"PK\x03\x04")
    write(tmp_path, "page.mhtml", b"MIME-Version: 1.0")
    write(tmp_path, ".gitkeep", b"")
    write(tmp_path, "empty.html", b"")
    write(tmp_path, "cut.html.gz", gzip.compress(PAGE)[:-4])
    write(tmp_path, "cut.wacz", b"PK\x03\x04")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")

    reading = read(tmp_path)

    assert len(list(reading)) == 3
    assert reading.counts.passed_over == {"not HTML": 4, "MHTML": 1, "not a file": 1}
    assert sorted(Path(problem.path).name for problem in reading.problems) == [
        "cut.html.gz",
        "cut.wacz",
        "empty.html",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read_is_a_problem_in_a_directory_and_an_error_by_name(tmp_path: Path) -> None:
    write(tmp_path, "a.html", PAGE)
    secret = write(tmp_path, "b.html", PAGE)
    secret.chmod(0)

    reading = read(tmp_path)

    assert len(list(reading)) == 1
    assert [problem.path for problem in reading.problems] == [str(secret)]
    with pytest.raises(InputError, match="permissions"):
        read(secret)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.html", b"", "is empty; save it again"),
        ("a.warc.gz", b"", "is empty; save it again"),
        ("a.png", b"\x89PNG", "is a PNG picture; give"),
        ("a.css", b"Hello", "does not look like HTML; give"),
        ("a.mht", b"", "is empty"),
        ("a.mht", b"MIME-Version: 1.0", "save it as HTML"),
    ],
)
def test_a_named_file_without_pages_is_an_error(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(write(tmp_path, name, data))


def test_a_named_file_that_is_cut_off_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "a.html.gz", gzip.compress(PAGE)[:-4])

    with pytest.raises(InputError, match=r"a\.html\.gz: the gzip data ends too early; fetch"):
        list(read(path))


def test_a_missing_file_a_missing_page_and_an_address_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="check its name"):
        read(tmp_path / "missing.html")
    with pytest.raises(InputError, match="holds no HTML file and no archive; give"):
        read(tmp_path)
    with pytest.raises(InputError, match=r"localhost is not on the public internet"):
        read("http://localhost/")


def test_a_page_comes_by_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (PAGE, gzip.compress(PAGE), b"Hello"):
        pipe(monkeypatch, data)

        (page,) = read("-")

        assert page.body == (b"Hello" if data == b"Hello" else PAGE)
        assert (page.url, page.captured_at) == ("stdin:", None)


@pytest.mark.parametrize("data", [b"".join(days(9)), b"".join(days(9, packed=True)), pack(b"".join(days(9)))])
def test_a_warc_comes_by_a_pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    pipe(monkeypatch, data)

    reading = read("-")

    assert len(list(reading)) == 9
    assert not reading.problems


def test_an_empty_pipe_and_a_picture_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, b"")
    with pytest.raises(InputError, match="is empty"):
        read("-")
    pipe(monkeypatch, b"\x89PNG")
    with pytest.raises(InputError, match="is a PNG picture"):
        read("-")


def test_a_pipe_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, b"<p>" * 9000)

    with pytest.raises(LimitError, match=r"Limits\(body="):
        read("-", limits=Limits(body=20_000))


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_a_named_pipe_is_read_like_any_other(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    crawl = write(tmp_path, "crawl.warc", b"".join(days(3)))
    with subprocess.Popen(["cp", crawl, fifo]):
        assert len(list(read(fifo))) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
@pytest.mark.parametrize("data", [b"PK\x03\x04", b"\x89PNG", PAGE])
def test_a_named_pipe_is_closed_whatever_comes(tmp_path: Path, data: bytes) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    source = write(tmp_path, "source", data)
    with subprocess.Popen(["cp", source, fifo]):
        if data == PAGE:
            assert [page.url for page in read(fifo)] == [fifo.as_uri()]
        else:
            with pytest.raises(InputError):
                read(fifo)


def test_a_reading_is_an_iterator(tmp_path: Path) -> None:
    reading = read(write(tmp_path, "crawl.warc", b"".join(days(3))))

    assert next(reading).body == PAGE + b" on day 0"
    assert len(list(reading)) == 2
    assert next(reading, None) is None


def test_progress_grows_to_the_total(tmp_path: Path) -> None:
    path = write(tmp_path, "crawl.warc.gz", b"".join(days(28, packed=True)))
    reading = read(path, order="file")

    positions = [reading.position for _ in reading]

    assert positions == sorted(positions)
    assert 0 < positions[5] < positions[20] < path.stat().st_size
    assert reading.position == reading.total == path.stat().st_size


def test_a_reading_reports_how_far_it_is_and_that_it_ended(tmp_path: Path) -> None:
    path = write(tmp_path, "crawl.warc.gz", b"".join(days(28, packed=True)))
    reports: list[tuple[int, bool]] = []

    versions = list(read(path, on_progress=lambda reading: reports.append((reading.position, reading.ended))))

    assert len(versions) == 28
    assert reports == sorted(reports)
    assert reports[-1] == (path.stat().st_size, True)
    assert not any(ended for _, ended in reports[:-1])


dates = st.datetimes(datetime(2026, 1, 1), datetime(2026, 1, 9)).map(lambda moment: moment.replace(microsecond=0))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("abc"), dates, st.binary(max_size=30)), max_size=60), st.booleans())
def test_what_was_written_is_given_back_sorted_and_complete(
    tmp_path_factory: pytest.TempPathFactory, captures: list[tuple[str, datetime, bytes]], packed: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "crawl.warc"
    written = [
        record(f"https://{host}.example/", body, date=f"{moment.isoformat()}Z", packed=packed)
        for host, moment, body in captures
    ]
    path.write_bytes(b"".join(written) or record(kind="warcinfo"))

    reading = read(path)

    given_back = [(page.url[8], page.captured_at, page.body) for page in reading]
    utc = [(host, moment.replace(tzinfo=UTC), body) for host, moment, body in captures]
    assert given_back == sorted(utc, key=lambda capture: capture[1])
    assert (reading.counts.versions, reading.counts.late, reading.counts.damaged) == (len(captures), 0, 0)


def test_the_pages_of_an_archive_are_summarised_by_address(tmp_path: Path) -> None:
    other = "https://city.example/"
    path = write(tmp_path, "crawl.warc", b"".join([*days(3), record(other, date=DAYS[7])]))

    first, last, only = (datetime(2026, 11, day, 12, tzinfo=UTC) for day in (1, 3, 8))
    assert summarise(read(path)) == [PageSummary(other, 1, only, only), PageSummary(URL, 3, first, last)]


def big_warc(path: Path, records: int) -> Path:
    """Write pages that do not pack, out of order, so that the window is as full as it gets."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    with path.open("wb") as file:
        for number in range(records):
            moment = start + timedelta(seconds=number ^ 7)
            body = b"<p>" + os.urandom(100_000)
            file.write(record(f"https://city.example/{number}", body, date=moment.strftime("%Y-%m-%dT%H:%M:%SZ")))
    return path


@pytest.mark.slow
def test_memory_does_not_grow_with_the_archive(tmp_path: Path) -> None:
    peaks = []
    for records in (500, 1000):
        path = big_warc(tmp_path / f"{records}.warc", records)
        tracemalloc.start()
        assert sum(1 for _ in read(path)) == records
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        path.unlink()

    assert peaks[1] < 1.05 * peaks[0]
    assert peaks[1] < 36_000_000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at the memory of the process as Linux counts it")
def test_a_bomb_takes_no_memory(tmp_path: Path) -> None:
    bomb = record(body=gzip.compress(bytes(200_000_000)), headers=[("Content-Encoding", "gzip")])
    path = write(tmp_path, "bomb.warc.gz", pack(bomb) + record(packed=True))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    reading = read(path)

    assert len(list(reading)) == 1
    assert "Limits(ratio=" in reading.problems[0].reason
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


@pytest.mark.slow
def test_every_document_of_the_real_streams_is_given(data: Path) -> None:
    names = sorted((data / "streams").glob("*.json"))
    assert names
    for name in names:
        reading = read(name.with_suffix(".warc.gz"))
        versions = list(reading)

        assert len(versions) == json.loads(name.read_text())["documents"]
        assert (reading.counts.damaged, reading.counts.late) == (0, 0)
        assert versions == list(read(name.with_suffix(".warc.gz"), order="file"))


def test_an_order_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="time, file"):
        read(tmp_path, order="size")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="name of a file"):
        read("\0")
