import gzip
import io
import json
import random
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from pagedrift.archive.fastwarc_compat import ArchiveIterator as FastIterator
from pagedrift.archive.index import MAX_RECENT_LINES, listed
from pagedrift.archive.locations import Place, warcs
from pagedrift.archive.reader import notes_at, page_at, stored
from pagedrift.archive.record_format import Attachment
from pagedrift.archive.writer import ArchiveError, ArchiveWriter, Capture
from pagedrift.http_exchange import Exchange
from pagedrift.page import PageVersion
from pagedrift.reading import pick, read
from tests.archive import killed_writers
from tests.builders import PAGE, URL

NOON = datetime(2026, 11, 15, 12, 0, 0, 123456, tzinfo=UTC)
HTML = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"7"'))
DAY = timedelta(days=1)


def capture(
    body: bytes = PAGE, url: str = URL, *, at: datetime = NOON, status: int = 200, **more: object
) -> Exchange:
    return Exchange(url=url, status=status, headers=more.pop("headers", HTML), body=body, captured_at=at, **more)


def passes_check(folder: Path) -> bool:
    """Tell whether warcio check finds nothing wrong, digests included."""

    class Arguments:
        inputs = tuple(map(str, sorted((folder / "warc").iterdir())))
        verbose = False

    checker = Checker(Arguments)
    checker.process_all()
    return checker.exit_value == 0


def kinds(folder: Path) -> list[str]:
    """List the types of all records, as warcio reads them."""
    found = []
    for path in sorted((folder / "warc").iterdir()):
        with path.open("rb") as file:
            found += [record.rec_type for record in ArchiveIterator(file)]
    return found


TEXT = st.text(st.characters(codec="latin-1", exclude_categories=["C", "Z"]), max_size=30)
NAMES = st.from_regex(r"X-[A-Za-z0-9-]{1,10}", fullmatch=True)
VERSIONS = st.builds(
    PageVersion,
    st.sampled_from([URL, f"{URL}/other?b=1&a=2", "https://bücher.example/ä"]),
    st.binary(max_size=200).map(PAGE.__add__),
    captured_at=st.datetimes(datetime(1995, 1, 1), datetime(2100, 1, 1)).map(lambda each: each.replace(tzinfo=UTC)),
    content_type=st.just("text/html"),
    status=st.sampled_from([200, 200, 404, 503]),
    headers=st.lists(st.tuples(NAMES, TEXT), max_size=4).map(lambda some: (("Content-Type", "text/html"), *some)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(VERSIONS, min_size=1, max_size=6))
def test_what_is_written_is_read_back_equal(tmp_path_factory: pytest.TempPathFactory, pages: list) -> None:
    folder = tmp_path_factory.mktemp("kept")
    pages += pages[:1]
    with ArchiveWriter(folder) as archive:
        for page in pages:
            archive.append(page)

    reading = read(folder, order="file")

    assert list(reading) == pages
    assert not reading.problems
    assert passes_check(folder)


def test_a_page_without_http_is_read_back_equal(tmp_path: Path) -> None:
    page = PageVersion("file:///saved/fees.html", PAGE, captured_at=NOON, content_type="text/html")
    with ArchiveWriter(tmp_path) as archive:
        assert archive.append(page).kind == "resource"

    assert list(read(tmp_path)) == [page]


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "br", "zstd", "deflate"])
def test_a_version_whose_body_was_unpacked_does_not_claim_to_be_packed(tmp_path: Path, coding: str) -> None:
    headers = (*HTML, ("Content-Encoding", coding), ("Transfer-Encoding", "chunked"), ("Content-Length", "7"))
    with ArchiveWriter(tmp_path) as archive:
        archive.append(PageVersion(URL, PAGE, captured_at=NOON, status=200, headers=headers))

    page = pick(tmp_path)

    assert page.body == PAGE
    assert page.header("content-encoding") is None
    assert page.header("x-archive-orig-content-encoding") == coding


def test_a_packed_answer_is_kept_packed_as_it_came(tmp_path: Path) -> None:
    packed = gzip.compress(PAGE)
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture(packed, headers=(*HTML, ("Content-Encoding", "gzip"))))

    assert pick(tmp_path).body == PAGE
    [path] = (tmp_path / "warc").iterdir()
    with path.open("rb") as file:
        assert [record.raw_stream.read() for record in ArchiveIterator(file) if record.rec_type == "response"] == [
            packed
        ]


def test_all_that_belongs_to_a_capture_is_written_and_read_by_fastwarc(tmp_path: Path) -> None:
    moved = Exchange(url=f"{URL}/old", status=301, headers=(("Location", URL),), captured_at=NOON)
    answer = capture(request_headers=(("Host", "city.example"), ("Accept", "text/html")))
    attachments = [Attachment("fullPage", "image/png", b"\x89PNG"), Attachment("dom", "text/html", PAGE)]
    with ArchiveWriter(tmp_path) as archive:
        kept = archive.append(answer, redirects=[moved], notes={"matters": True}, attachments=attachments)

    with kept.path.open("rb") as file:
        records = [
            (str(record.record_type), record.headers.get("WARC-Target-URI"), record.verify_block_digest())
            for record in FastIterator(file, parse_http=False)
        ]

    assert records[1:] == [
        ("response", f"{URL}/old", True),
        ("response", URL, True),
        ("request", URL, True),
        ("metadata", f"urn:notes:{URL}", True),
        ("resource", f"urn:fullPage:{URL}", True),
        ("resource", f"urn:dom:{URL}", True),
    ]
    assert records[0][0] == "warcinfo"
    assert [page.body for page in read(tmp_path)] == [PAGE]


def test_an_unchanged_body_is_a_revisit_with_the_headers_of_its_own(tmp_path: Path) -> None:
    later = replace(capture(at=NOON + DAY), headers=(HTML[0], ("ETag", '"8"')))
    with ArchiveWriter(tmp_path) as archive:
        found = [archive.append(each).kind for each in (capture(), later)]

    old, new = read(tmp_path)

    assert found == ["response", "revisit"]
    assert old.body == new.body == PAGE
    assert new.captured_at == NOON + DAY
    assert (old.header("etag"), new.header("etag")) == ('"7"', '"8"')


def test_a_page_that_goes_back_to_what_it_was_is_a_revisit(tmp_path: Path) -> None:
    bodies = [PAGE, b"<p>Other", PAGE]
    with ArchiveWriter(tmp_path) as archive:
        found = [archive.append(capture(body, at=NOON + day * DAY)).kind for day, body in enumerate(bodies)]
        not_modified = archive.append(capture(b"", at=NOON + 3 * DAY, status=304, headers=HTML[1:]))

    assert [*found, not_modified.kind] == ["response", "response", "revisit", "revisit"]
    assert [page.body for page in read(tmp_path)] == [*bodies, PAGE]


def test_an_original_that_readers_would_mistake_is_not_referred_to(tmp_path: Path) -> None:
    bodies = [PAGE, b"<p>Other", PAGE]
    with ArchiveWriter(tmp_path) as archive:  # all in one moment, as by a clock that was set back
        assert [archive.append(capture(body)).kind for body in bodies] == ["response"] * 3

    assert [page.body for page in read(tmp_path, order="file")] == bodies


def test_the_same_body_under_another_address_or_as_an_error_is_no_revisit(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path) as archive:
        others = [capture(), capture(url=f"{URL}/other"), capture(status=404)]
        assert [archive.append(each).kind for each in others] == ["response"] * 3


def test_not_modified_repeats_the_newest_version_by_its_own_profile(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture())
        kept = archive.append(capture(b"", at=NOON + DAY, status=304, headers=(("ETag", '"7"'),)))
        newest = archive.newest(URL)

    with kept.path.open("rb") as file:
        revisits = [record for record in ArchiveIterator(file) if record.rec_type == "revisit"]
    fields = revisits[0].rec_headers

    assert fields.get_header("WARC-Profile").endswith("/server-not-modified")
    assert fields.get_header("WARC-Refers-To-Date") == "2026-11-15T12:00:00.123456Z"
    assert newest == pick(f"{tmp_path}@{URL}")
    assert newest.body == PAGE
    assert newest.status == 200


def test_not_modified_of_what_was_never_kept_is_written_as_it_came(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path) as archive:
        assert archive.append(capture(b"", status=304)).kind == "response"
        assert archive.newest(URL) is None
        archive.append(capture(at=NOON - DAY))
        assert archive.newest(URL).body == PAGE


def test_headers_cannot_smuggle_lines_into_a_record(tmp_path: Path) -> None:
    hostile = (
        ("Content-Type", "text/html"),
        ("X-A\r\nX-B: 1", "2"),
        ("X-C", "3\r\n\r\n<p>Not the body"),
        ("", "x"),
    )
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture(headers=hostile, url="https://city.example/a\r\nWARC-Type: revisit"))

    [page] = read(tmp_path)

    assert page.body == PAGE
    assert page.header("x-b") is None
    assert page.url == "https://city.example/a%0D%0AWARC-Type:%20revisit"


def test_warcs_rotate_and_are_continued(tmp_path: Path) -> None:
    for start in (0, 20):
        with ArchiveWriter(tmp_path, largest=3_000) as archive:
            for number in range(start, start + 20):
                archive.append(capture(PAGE + b" %d" % number, at=NOON + number * DAY))
    files = sorted((tmp_path / "warc").iterdir())

    assert len(files) > 4
    assert all(path.stat().st_size <= 3_000 for path in files)
    assert kinds(tmp_path).count("warcinfo") == len(files)
    assert [page.body for page in read(tmp_path)] == [PAGE + b" %d" % number for number in range(40)]


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path), pytest.raises(ArchiveError, match="another process as 'main'; wait for it"):
        ArchiveWriter(tmp_path)

    ArchiveWriter(tmp_path).close()


def test_threads_share_a_writer(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path) as archive:

        def keep(thread: int) -> None:
            for number in range(10):
                archive.append(capture(PAGE + b" %d %d" % (thread, number), url=f"{URL}/{thread}"))

        threads = [threading.Thread(target=keep, args=(number,)) for number in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    assert len({page.body for page in read(tmp_path)}) == 40


def test_a_closed_archive_says_so(tmp_path: Path) -> None:
    archive = ArchiveWriter(tmp_path)
    archive.close()
    with pytest.raises(ArchiveError, match="open it again"):
        archive.append(capture())


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ArchiveError, match="choose another folder"):
        ArchiveWriter(tmp_path / "file" / "kept")


@pytest.mark.parametrize("cut", [1, 30, 200, 370])
def test_a_cut_tail_is_mended_and_put_aside(tmp_path: Path, cut: int) -> None:
    with ArchiveWriter(tmp_path) as archive:
        first = archive.append(capture())
        second = archive.append(capture(PAGE + b" new", at=NOON + DAY))
    whole = second.path.read_bytes()
    second.path.write_bytes(whole[: first.offset + first.length + cut])

    with ArchiveWriter(tmp_path) as archive:
        assert archive.mended == cut
        assert archive.append(capture(PAGE + b" newer", at=NOON + 2 * DAY)).offset == second.offset

    assert [page.body for page in read(tmp_path)] == [PAGE, PAGE + b" newer"]
    [aside] = (tmp_path / "damaged").iterdir()
    assert aside.read_bytes().partition(b"\n")[2] == whole[second.offset :][:cut]
    assert passes_check(tmp_path)


def test_a_warc_that_was_cut_before_its_first_record_is_begun_again(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path) as archive:
        kept = archive.append(capture())
    kept.path.write_bytes(kept.path.read_bytes()[:50])

    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture())

    assert kinds(tmp_path) == ["warcinfo", "response"]


def test_what_was_written_but_not_listed_is_listed_when_opened_again(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture())
    before = {path: path.read_bytes() for path in (tmp_path / "indexes").iterdir()}
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture(PAGE + b" new", at=NOON + DAY), notes={"matters": True})
        lines = list(listed(tmp_path))
    for path in (tmp_path / "indexes").iterdir():
        path.unlink()
    for path, data in before.items():
        path.write_bytes(data)

    with ArchiveWriter(tmp_path) as archive:
        assert list(listed(tmp_path)) == lines
        assert archive.newest(URL).body == PAGE + b" new"


@pytest.mark.parametrize("damage", [b"", b"\0" * 500, b"city 2026\n", b'a 20261115120000 {"url": "x"}\n'])
@pytest.mark.parametrize("file", ["main~00000001.cdxj", "main~segments.json", "main~recent.cdxj"])
def test_an_index_that_cannot_be_read_is_made_again(tmp_path: Path, damage: bytes, file: str) -> None:
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture())
        lines = list(listed(tmp_path))
    (tmp_path / "indexes" / file).write_bytes(damage)

    with ArchiveWriter(tmp_path):
        assert list(listed(tmp_path)) == lines


def test_an_index_that_was_overwritten_is_made_again_when_asked(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture())
    path = tmp_path / "indexes" / "main~00000001.cdxj"
    path.write_bytes(path.read_bytes().replace(b"{", b" "))

    with ArchiveWriter(tmp_path) as archive:
        assert archive.newest(URL).body == PAGE


@pytest.mark.parametrize("seed", range(12))
def test_damage_in_an_older_warc_does_not_keep_the_next_capture_from_being_kept(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with ArchiveWriter(tmp_path, largest=1_500) as archive:
        first = archive.append(capture(), notes={"matters": True})
        for number in range(6):
            archive.append(capture(PAGE + b" %d" % number, at=NOON + number * DAY))
    data, at = bytearray(first.path.read_bytes()), chance.randrange(first.length)
    data[at : at + chance.randrange(300)] = chance.randbytes(chance.randrange(3))
    first.path.write_bytes(data)

    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture(PAGE + b" more", at=NOON + 9 * DAY))
        archive.rebuild_index()
        assert archive.append(capture(PAGE + b" more", at=NOON + 10 * DAY)).kind == "revisit"

    assert [page.body for page in read(tmp_path)][-2:] == [PAGE + b" more"] * 2


def test_the_index_forgets_a_warc_that_was_taken_away(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, largest=600) as archive:
        first = archive.append(capture())
        archive.append(capture(url=f"{URL}/other"))
    first.path.unlink()

    with ArchiveWriter(tmp_path) as archive:
        assert archive.newest(URL) is None
        assert archive.newest(f"{URL}/other").body == PAGE
        assert len(list(listed(tmp_path))) == 1


def test_the_index_is_merged_and_can_be_made_again_from_the_warcs(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, largest=60_000) as archive:
        for number in range(MAX_RECENT_LINES + 40):
            archive.append(capture(PAGE + b" %d" % number, url=f"{URL}/{number % 100}", at=NOON + number * DAY))
        lines = list(listed(tmp_path))
        files = {path.name: path.read_bytes() for path in (tmp_path / "indexes").glob("*.cdxj")}
        archive.rebuild_index()

        assert list(listed(tmp_path)) == lines
    assert all(files.values())
    assert len(files) > 1
    assert all(data.splitlines() == sorted(data.splitlines()) for data in files.values())
    with ArchiveWriter(tmp_path) as archive:
        assert [archive.newest(f"{URL}/{number}").body for number in (0, 95, 99)] == [
            PAGE + b" 200",
            PAGE + b" 295",
            PAGE + b" 199",
        ]


def test_the_index_is_the_one_that_cdxj_indexer_makes(tmp_path: Path) -> None:
    from cdxj_indexer.main import CDXJIndexer

    moved = Exchange(url=f"{URL}/old", status=301, headers=(("Location", URL),), captured_at=NOON)
    attachments = [Attachment("fullPage", "image/png", b"\x89PNG"), Attachment("dom", "text/html", PAGE)]
    with ArchiveWriter(tmp_path) as archive:
        kept = archive.append(capture(), redirects=[moved], notes={"matters": True}, attachments=attachments)
        archive.append(capture(at=NOON + DAY))
        archive.append(capture(b"", at=NOON + 2 * DAY, status=304))
        lines = list(listed(tmp_path))
    made = io.StringIO()
    CDXJIndexer(made, [str(kept.path)], sort=True).process_all()

    assert [parsed(line.decode()) for line in lines] == [parsed(line) for line in made.getvalue().splitlines()]


def parsed(line: str) -> tuple[str, str, dict[str, str]]:
    key, moment, told = line.split(" ", 2)
    data = json.loads(told)
    return key, moment, {**data, "mime": data.get("mime", "").partition(";")[0]}


@contextmanager
def little_room(size: int) -> Iterator[None]:
    """Let no file grow beyond a size, as a full disk does: the write fails in the middle."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, old)


def test_without_room_nothing_that_was_acknowledged_is_lost(tmp_path: Path) -> None:
    large = random.Random(1).randbytes(60_000)
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture())
        with (
            little_room(20_000),
            pytest.raises(ArchiveError, match=r"this capture was not stored.*free some space"),
        ):
            archive.append(capture(PAGE + large, at=NOON + DAY))
        archive.append(capture(PAGE + b" new", at=NOON + 2 * DAY))

    assert [page.body for page in read(tmp_path)] == [PAGE, PAGE + b" new"]
    assert passes_check(tmp_path)


def test_without_room_only_the_capture_that_needs_it_fails(tmp_path: Path) -> None:
    large = random.Random(1).randbytes(60_000)
    bodies = [PAGE + b" 1", PAGE + large, PAGE + b" 2"]
    with ArchiveWriter(tmp_path) as archive, little_room(20_000):
        with pytest.raises(ArchiveError, match=r"this capture was not stored.*free some space"):
            archive.append_all(Capture(capture(body, at=NOON + n * DAY)) for n, body in enumerate(bodies))
        archive.append(capture(PAGE + b" 3", at=NOON + 3 * DAY))
        archive.note("watch:1", {"url": URL})
        archive.compact(lambda found: found.kind == "note")

    assert [found.kind for found in stored(tmp_path)] == ["note"]
    assert passes_check(tmp_path)


def test_without_room_a_compaction_fails_and_nothing_is_lost(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path) as archive:
        places = [
            archive.append(capture(PAGE + random.Random(n).randbytes(9_000), at=NOON + n * DAY)).place
            for n in range(6)
        ]
        with little_room(20_000), pytest.raises(ArchiveError, match="cannot be written to"):
            archive.compact(lambda found: found.place != places[0])
        assert all(page_at(tmp_path, place).body.startswith(PAGE) for place in places)
    with ArchiveWriter(tmp_path) as archive:
        assert archive.compact(lambda found: found.place != places[0]).dropped == 1
        assert all(page_at(tmp_path, place).body.startswith(PAGE) for place in places[1:])
    assert len(list(read(tmp_path))) == 5


def test_a_capture_that_cannot_be_listed_now_is_listed_with_the_next(tmp_path: Path) -> None:
    in_the_way = tmp_path / "indexes" / "main~recent.cdxj.new"
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture())
        in_the_way.mkdir()
        archive.append(capture(PAGE + b" new", at=NOON + DAY))
        assert archive.newest(URL).body == PAGE + b" new"
        in_the_way.rmdir()
        archive.append(capture(PAGE + b" newer", at=NOON + 2 * DAY))
        assert len(list(listed(tmp_path))) == 3

    assert [page.body for page in read(tmp_path)] == [PAGE, PAGE + b" new", PAGE + b" newer"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_every_acknowledged_capture_survives_kills_at_any_instant(tmp_path: Path, seed: int) -> None:
    """Two writers keep captures, merge indexes and compact; 50 times both are killed (killed_writers.py)."""
    command = [sys.executable, "-m", "tests.archive.killed_writers", str(tmp_path), "50", str(seed)]
    told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    lasting = {int(number): Place(*place) for number, place in told.items() if int(number) % 4}
    assert len(lasting) > 20
    assert list((tmp_path / "moves").iterdir())
    assert list((tmp_path / "damaged").iterdir())

    for writer in killed_writers.WRITERS:
        ArchiveWriter(tmp_path, writer=writer).close()

    for number, place in lasting.items():
        assert page_at(tmp_path, place).body == killed_writers.body_of(number)
        assert notes_at(tmp_path, place)["number"] == number
    reading = read(tmp_path)
    assert {killed_writers.body_of(number) for number in lasting} <= {page.body for page in reading}
    assert not reading.problems
    assert passes_check(tmp_path)
    for numbers in (numbers_by_warcio(tmp_path), numbers_by_fastwarc(tmp_path)):
        assert lasting.keys() <= {*numbers}
        assert len(numbers) == len({*numbers})
        assert numbers == [found.notes["number"] for found in stored(tmp_path)]


def numbers_by_warcio(folder: Path) -> list[int]:
    """List the captures that have notes, as warcio reads them."""
    found = []
    for path in warcs(folder):
        with path.open("rb") as file:
            found += [
                json.loads(record.content_stream().read())["number"]
                for record in ArchiveIterator(file)
                if record.rec_type == "metadata"
            ]
    return found


def numbers_by_fastwarc(folder: Path) -> list[int]:
    found = []
    for path in warcs(folder):
        with path.open("rb") as file:
            found += [
                json.loads(record.reader.read())["number"]
                for record in FastIterator(file)
                if str(record.record_type) == "metadata"
            ]
    return found
