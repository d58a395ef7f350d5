import io
from datetime import UTC, datetime
from pathlib import Path

import brotli
import pytest
import zstandard

from pagedrift.limits import Limits
from pagedrift.page import PageVersion
from pagedrift.reading import Reading, read
from tests.builders import DAYS, PAGE, URL, days, pack, record, revisit

HTML = ("Content-Type", "text/html")


@pytest.fixture(params=[False, True], ids=["plain", "packed"])
def packed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def write(folder: Path, *records: bytes, packed: bool = False) -> Path:
    path = folder / ("crawl.warc.gz" if packed else "crawl.warc")
    path.write_bytes(b"".join(pack(data) if packed else data for data in records))
    return path


def all_of(path: Path, **options: Limits) -> tuple[list[PageVersion], Reading]:
    reading = read(path, **options)
    return list(reading), reading


@pytest.mark.parametrize("version", ["WARC/1.0", "WARC/1.1"])
def test_a_response_becomes_a_version_with_all_that_is_known_of_it(
    tmp_path: Path, version: str, packed: bool
) -> None:
    path = write(tmp_path, record(version=version), packed=packed)

    (page,), reading = all_of(path)

    assert (page.url, page.body, page.status) == (URL, PAGE, 200)
    assert page.captured_at == datetime(2026, 11, 1, 12, tzinfo=UTC)
    assert page.content_type == "text/html; charset=utf-8"
    assert page.headers == (("Content-Type", "text/html; charset=utf-8"),)
    assert reading.counts.versions == 1
    assert not reading.problems


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", pack(PAGE)),
        ("br", brotli.compress(PAGE)),
        ("zstd", zstandard.compress(PAGE)),
        ("gzip", PAGE),
    ],
    ids=["gzip", "brotli", "zstd", "not packed at all"],
)
def test_a_packed_body_is_unpacked(tmp_path: Path, coding: str, body: bytes, packed: bool) -> None:
    path = write(tmp_path, record(body=body, headers=[HTML, ("content-encoding", coding)]), packed=packed)

    (page,), _ = all_of(path)

    assert page.body == PAGE


def test_chunks_are_joined(tmp_path: Path) -> None:
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(PAGE), PAGE)
    path = write(tmp_path, record(body=body, headers=[HTML, ("Transfer-Encoding", "chunked")]))

    (page,), _ = all_of(path)

    assert page.body == PAGE


def test_what_is_no_page_is_passed_over_and_counted_by_reason(tmp_path: Path, packed: bool) -> None:
    path = write(
        tmp_path,
        record(kind="warcinfo", body=b"software: test\r\n", content_type="application/warc-fields"),
        record(kind="request", body=b"", status="GET /fees"),
        record(kind="metadata", body=b"a: b\r\n", content_type="application/warc-fields"),
        record(status="301 Moved Permanently"),
        record(body=b"\x89PNG", headers=[("Content-Type", "image/png")]),
        record("dns:city.example", body=b"1.2.3.4", content_type="text/dns", kind="resource"),
        record(),
        packed=packed,
    )

    pages, reading = all_of(path)

    assert len(pages) == 1
    assert reading.counts.passed_over == {
        "warcinfo record": 1,
        "request record": 1,
        "metadata record": 1,
        "redirect": 1,
        "not HTML": 2,
    }
    assert not reading.problems


def test_a_resource_record_may_be_a_page(tmp_path: Path) -> None:
    path = write(tmp_path, record(kind="resource", content_type="text/html"))

    (page,), _ = all_of(path)

    assert (page.body, page.status, page.headers) == (PAGE, None, ())


@pytest.mark.parametrize("headers", [[], [("Content-Type", "")], [("Content-Type", "unknown/unknown")]])
def test_without_a_content_type_the_body_tells(tmp_path: Path, headers: list[tuple[str, str]]) -> None:
    path = write(tmp_path, record(headers=headers), record(body=b'{"fee": 120}', headers=headers))

    pages, reading = all_of(path)

    assert [page.body for page in pages] == [PAGE]
    assert reading.counts.passed_over == {"not HTML": 1}


def test_error_pages_are_kept_with_their_status(tmp_path: Path) -> None:
    path = write(tmp_path, record(status="404 Not Found"), record(status="503 Busy"))

    assert [page.status for page in all_of(path)[0]] == [404, 503]


def test_an_empty_page_is_a_version_too(tmp_path: Path) -> None:
    path = write(tmp_path, record(body=b""), record())

    assert [page.body for page in all_of(path)[0]] == [b"", PAGE]


def test_a_header_in_latin_1_and_one_of_100_kilobytes_are_read(tmp_path: Path) -> None:
    headers = [HTML, ("X-City", "K__ln"), ("X-Long", "x" * 100_000)]
    path = write(tmp_path, record(headers=headers).replace(b"K__ln", b"K\xf6ln "))

    (page,), reading = all_of(path)

    assert page.headers[1] == ("X-City", "Köln")
    assert not reading.problems


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-11-15T12:00:00.123456789Z", datetime(2026, 11, 15, 12, 0, 0, 123456, tzinfo=UTC)),
        ("2026-11-15T14:00:00+02:00", datetime(2026, 11, 15, 12, tzinfo=UTC)),
        ("20261115120000", datetime(2026, 11, 15, 12, tzinfo=UTC)),
        ("2026-11", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-15", datetime(2026, 11, 15, tzinfo=UTC)),
    ],
)
def test_dates_are_read_in_every_way_they_are_written(tmp_path: Path, written: str, meant: datetime) -> None:
    (page,), reading = all_of(write(tmp_path, record(date=written)))

    assert page.captured_at == meant
    assert not reading.problems


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"WARC-Date", b"WARC-Dote"),
        (DAYS[0].encode(), b"yesterday"),
        (DAYS[0].encode(), b""),
        (DAYS[0].encode(), b"0001-01-01T00:00:00+05:00"),
    ],
)
def test_a_page_without_a_date_is_kept_and_reported(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = write(tmp_path, record(date=DAYS[1]), record().replace(old, new), record(date=DAYS[2]))

    pages, reading = all_of(path)

    assert [page.captured_at is None for page in pages] == [True, False, False]
    assert [(problem.offset, problem.path) for problem in reading.problems] == [(len(record()), str(path))]


def test_an_address_may_stand_in_angle_brackets(tmp_path: Path) -> None:
    (page,), _ = all_of(write(tmp_path, record(f"<{URL}>")))

    assert page.url == URL


def test_an_address_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path, record().replace(b"/fees", b"/f\xe4es"))

    (page,), reading = all_of(path)

    assert page.url == "https://city.example/f\N{REPLACEMENT CHARACTER}es"
    assert len(reading.problems) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"WARC-Target-URI", b"WARC-Target-Ure"),
        (b"HTTP/1.1 200 OK", b"HTTP/1.1 two OK"),
        (b"HTTP/1.1 200 OK", b"<p>no HTTP here"),
    ],
)
def test_a_record_without_address_or_status_is_damaged(
    tmp_path: Path, old: bytes, new: bytes, packed: bool
) -> None:
    first = record()
    path = write(tmp_path, first, record().replace(old, new), record(), packed=packed)

    pages, reading = all_of(path)

    assert len(pages) == 2
    assert [problem.offset for problem in reading.problems] == [len(pack(first)) if packed else len(first)]


def test_a_packed_body_that_is_cut_off_is_damage(tmp_path: Path) -> None:
    cut = record(body=pack(PAGE)[:-10], headers=[HTML, ("Content-Encoding", "gzip")])
    pages, reading = all_of(write(tmp_path, cut, record()))

    assert [page.body for page in pages] == [PAGE]
    assert reading.problems[0].reason == "the gzip data ends too early; fetch the page again"


def test_a_bomb_and_a_page_beyond_the_limit_are_problems(tmp_path: Path) -> None:
    bomb = record(body=pack(bytes(100_000)), headers=[HTML, ("Content-Encoding", "gzip")])
    path = write(tmp_path, bomb, record(body=bytes(50_001)), record())

    pages, reading = all_of(path, limits=Limits(body=50_000))

    assert [page.body for page in pages] == [PAGE]
    assert ["Limits(body=" in problem.reason for problem in reading.problems] == [True, True]


def test_types_in_small_letters_are_understood(tmp_path: Path) -> None:
    path = write(tmp_path, record().replace(b"WARC-Type", b"warc-type"), record())

    assert len(all_of(path)[0]) == 2


def test_lines_may_end_without_a_carriage_return(tmp_path: Path) -> None:
    head, _, rest = record(body=b"<p>Hello").partition(b"HTTP/1.1")
    path = write(tmp_path, head.replace(b"\r\n", b"\n") + b"HTTP/1.1" + rest, record())

    pages, reading = all_of(path)

    assert [page.body for page in pages] == [b"<p>Hello", PAGE]
    assert not reading.problems


def test_a_revisit_has_its_own_date_and_headers_and_the_old_body(tmp_path: Path, packed: bool) -> None:
    again = revisit(refers_to_uri=URL, refers_to_date=DAYS[1])
    pages, reading = all_of(write(tmp_path, *days(3), again, packed=packed))

    assert pages[-1].body == PAGE + b" on day 1"
    assert pages[-1].captured_at == datetime(2026, 11, 10, 12, tzinfo=UTC)
    assert pages[-1].headers == (("X-Seen", "again"),)
    assert pages[-1].content_type == "text/html; charset=utf-8"
    assert not reading.problems


def test_a_revisit_may_name_the_digest_only(tmp_path: Path) -> None:
    old = record(body=PAGE)
    digest = old.partition(b"WARC-Payload-Digest: ")[2].partition(b"\r\n")[0].decode()
    path = write(tmp_path, old, *days(3), revisit("https://city.example/copy", digest=digest))

    page = all_of(path)[0][-1]

    assert (page.url, page.body) == ("https://city.example/copy", PAGE)


def test_what_was_not_modified_is_the_last_version_of_that_page(tmp_path: Path) -> None:
    profile = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    unchanged = [revisit(date=DAYS[day], status="304 Not Modified", WARC_Profile=profile) for day in (9, 10)]
    path = write(tmp_path, *days(2), *unchanged, record("https://city.example/", date=DAYS[9]))

    pages, reading = all_of(path)

    assert [page.body for page in pages if page.url == URL][1:] == [PAGE + b" on day 1"] * 3
    assert [page.status for page in pages] == [200] * 5
    assert not reading.problems


def test_a_revisit_may_have_no_http_headers(tmp_path: Path) -> None:
    again = record(kind="revisit", body=b"", date=DAYS[9]).replace(
        b"WARC-Type",
        b"WARC-Refers-To-Target-URI: %b\r\nWARC-Refers-To-Date: %b\r\nWARC-Type" % (URL.encode(), DAYS[1].encode()),
    )
    page = all_of(write(tmp_path, *days(3), again))[0][-1]

    assert (page.body, page.status) == (PAGE + b" on day 1", 200)
    assert page.headers == (("Content-Type", "text/html; charset=utf-8"),)  # of what it repeats


def test_a_revisit_may_repeat_a_page_of_another_archive(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"".join(days(3)))
    (tmp_path / "b.warc.gz").write_bytes(pack(revisit(refers_to_uri=URL, refers_to_date=DAYS[1])))

    for order in ("time", "file"):
        assert list(read(tmp_path, order=order))[-1].body == PAGE + b" on day 1"


def test_revisits_of_other_things_than_pages_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path, revisit(http_type="image/png"), revisit(status="302 Found"))

    pages, reading = all_of(path)

    assert not pages
    assert reading.counts.passed_over == {"not HTML": 1, "redirect": 1}


def test_a_revisit_of_something_unknown_is_a_problem(tmp_path: Path) -> None:
    pages, reading = all_of(write(tmp_path, revisit(), record(date=DAYS[20])))

    assert len(pages) == 1
    assert reading.problems[0].reason.endswith("; give all archives concerned, as files packed by record")


def test_a_revisit_in_a_single_gzip_stream_never_gets_a_wrong_body(tmp_path: Path) -> None:
    again = revisit(refers_to_uri=URL, refers_to_date=DAYS[1])
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(pack(b"".join([*days(3), again])))

    pages, reading = all_of(path)

    assert len(pages) == 3
    assert reading.problems[0].reason.endswith("; give all archives concerned, as files packed by record")


def test_a_revisit_in_a_pipe_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    again = revisit(refers_to_uri=URL, refers_to_date=DAYS[1])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"".join([*days(3), again]))))

    reading = read("-")

    assert len(list(reading)) == 3
    assert reading.problems[0].reason.endswith("; give all archives concerned, as files packed by record")


@pytest.mark.parametrize("name", ["a::b.warc.gz", "größe.warc.gz", "http:.warc.gz", "a b@c.warc.gz"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"".join(days(3, packed=True)))

    assert len(list(read(tmp_path / name))) == 3
