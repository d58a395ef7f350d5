import json
import random
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pagedrift.archive.locations import ArchiveError, Place
from pagedrift.archive.reader import attachments_at, notes_at, page_at, stored
from pagedrift.archive.record_format import Attachment
from pagedrift.archive.writer import ArchiveWriter, Capture, KeptCapture
from pagedrift.errors import InputError, LimitError
from pagedrift.http_exchange import Exchange
from pagedrift.limits import Limits
from pagedrift.page import PageVersion
from pagedrift.read_report import Account
from pagedrift.reading import read
from tests.builders import PAGE, URL

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
DAY = timedelta(days=1)
HTML = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"7"'))
LOOKS = (Attachment("fullPage", "image/png", b"\x89PNG"), Attachment("dom", "text/html", PAGE))


def capture(body: bytes = PAGE, url: str = URL, *, day: int = 0, status: int = 200) -> Exchange:
    return Exchange(
        url=url,
        status=status,
        headers=HTML,
        body=body,
        captured_at=NOON + day * DAY,
        request_headers=(("Host", "city.example"),),
    )


def kept(folder: Path) -> list[KeptCapture]:
    """Keep a page with all that belongs to it, unchanged, not modified, changed, and without HTTP."""
    moved = Exchange(
        url=f"{URL}/old", status=301, headers=(("Location", URL),), captured_at=NOON, request_headers=(("A", "1"),)
    )
    with ArchiveWriter(folder) as archive:
        return [
            archive.append(capture(), redirects=[moved], notes={"matters": True}, attachments=LOOKS),
            archive.append(capture(day=1)),
            archive.append(capture(b"", day=2, status=304), notes={"matters": False}),
            archive.append(capture(PAGE + b" new", day=3)),
            archive.append(PageVersion(f"{URL}/saved", PAGE, captured_at=NOON, content_type="text/html")),
        ]


def test_the_version_at_a_place_is_the_one_that_reading_the_folder_gives(tmp_path: Path) -> None:
    places = [each.place for each in kept(tmp_path)]

    assert [page_at(tmp_path, place) for place in places] == list(read(tmp_path, order="file"))
    assert [page_at(tmp_path, place).body for place in places] == [PAGE, PAGE, PAGE, PAGE + b" new", PAGE]
    assert page_at(tmp_path, places[1]).captured_at == NOON + DAY


def test_notes_and_attachments_are_found_by_the_place_of_their_capture(tmp_path: Path) -> None:
    first, second, third, *_ = (each.place for each in kept(tmp_path))

    assert attachments_at(tmp_path, first) == {each.name: (each.media_type, each.body) for each in LOOKS}
    assert attachments_at(tmp_path, second) == {}
    assert notes_at(tmp_path, first) == {"matters": True}
    assert notes_at(tmp_path, second) == {}
    assert notes_at(tmp_path, third)["status"] == 304


def test_what_is_no_page_is_given_as_it_came(tmp_path: Path) -> None:
    feed = Exchange(
        url=URL, status=200, headers=(("Content-Type", "application/rss+xml"),), body=b"<rss/>", captured_at=NOON
    )
    with ArchiveWriter(tmp_path) as archive:
        place = archive.append(feed).place

    assert page_at(tmp_path, place).body == b"<rss/>"
    assert page_at(tmp_path, place).content_type == "application/rss+xml"


def test_a_place_survives_json(tmp_path: Path) -> None:
    place = kept(tmp_path)[0].place

    assert Place(*json.loads(json.dumps(place))) == place
    assert page_at(tmp_path, Place(*json.loads(json.dumps(place)))).body == PAGE


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "pagedrift-main-000000-20261115120000.warc.gz/x", ""]
)
def test_a_place_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    kept(tmp_path)
    for ask in (page_at, attachments_at, notes_at):
        with pytest.raises(InputError, match="not a WARC of this archive"):
            ask(tmp_path, Place(name, 0, 10))


def test_a_wrong_place_and_a_huge_page_are_clear_errors(tmp_path: Path) -> None:
    place = kept(tmp_path)[0].place

    with pytest.raises(InputError, match="no complete record starts at byte"):
        page_at(tmp_path, place._replace(offset=place.offset + 1))
    with pytest.raises(InputError, match="no longer holds"):
        page_at(tmp_path, place._replace(filename="pagedrift-main-000009-20261115120000.warc.gz"))
    with pytest.raises(LimitError, match="more than 10 bytes"):
        page_at(tmp_path, place, limits=Limits(body=10))


def test_walking_tells_everything_in_order(tmp_path: Path) -> None:
    places = [each.place for each in kept(tmp_path)]
    with ArchiveWriter(tmp_path) as archive:
        note = archive.note("watch:7", {"url": URL, "every": 60})

    found = list(stored(tmp_path))

    assert [each.place for each in found] == [*places, note]
    assert [each.kind for each in found] == ["capture"] * 5 + ["note"]
    assert [each.repeats for each in found] == [None, places[0], places[0], None, None, None]
    assert [each.status for each in found] == [200, 200, None, 200, None, None]
    assert [each.captured_at for each in found[:4]] == [NOON + day * DAY for day in range(4)]
    assert found[0].attachments == ("fullPage", "dom")
    assert found[0].notes == {"matters": True}
    assert found[0].mime == "text/html"
    assert found[0].digest == found[1].digest == found[2].digest != found[3].digest
    assert (found[5].url, found[5].notes) == ("urn:pagedrift:watch:7", {"url": URL, "every": 60})
    assert notes_at(tmp_path, note) == {"url": URL, "every": 60}
    assert len(list(read(tmp_path))) == 5


def test_notes_are_read_back_in_order(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, largest=2_000) as archive:
        for number in range(30):
            archive.note("label", {"number": number, "text": "Grüße \U0001f600"})

    assert [found.notes["number"] for found in stored(tmp_path)] == list(range(30))


def test_walking_goes_on_from_where_it_ended(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, largest=1_500) as archive:
        for number in range(5):
            archive.append(capture(PAGE + b" %d" % number, day=number))
        ends = {found.place.filename: found.end for found in stored(tmp_path)}
        more = [archive.append(capture(PAGE + b" %d" % number, day=number)).place for number in range(5, 9)]

        assert [found.place for found in stored(tmp_path, after=ends)] == more


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 4), st.floats(0, 0.999), st.floats(0, 1), st.sampled_from(["cut", "zeros", "noise"]))
def test_damage_in_the_middle_costs_what_it_touches_and_is_counted(
    tmp_path_factory: pytest.TempPathFactory, hit: int, where: float, share: float, how: str
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    with ArchiveWriter(folder) as archive:
        places = [
            archive.append(capture(PAGE + b" %d" % day, day=day), notes={"day": day}, attachments=LOOKS).place
            for day in range(5)
        ]
    path = folder / "warc" / places[0].filename
    written = bytearray(path.read_bytes())
    start = places[hit].offset + int(where * places[hit].length)
    size = 1 + int(share * (places[hit].offset + places[hit].length - start - 1))
    assume(how != "cut" or size < places[hit].length)  # a capture that was cut out whole leaves nothing to count
    noise = {"cut": b"", "zeros": b"\0" * size, "noise": random.Random(size).randbytes(size)}[how]
    written[start : start + size] = noise
    path.write_bytes(written)
    account = Account()

    days = [found.notes["day"] for found in stored(folder, account=account)]

    assert days in ([0, 1, 2, 3, 4], [day for day in range(5) if day != hit])  # some bits of gzip say nothing
    assert account.counts.damaged >= (len(days) < 5 and hit != 4)
    with ArchiveWriter(folder) as archive:
        archive.rebuild_index()
        archive.append(capture(PAGE + b" more", day=9), notes={"day": 9})
        assert archive.newest(URL).body == PAGE + b" more"
    assert [found.notes["day"] for found in stored(folder)] == [*days, 9]


def test_writers_of_different_names_write_side_by_side(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, writer="a") as a, ArchiveWriter(tmp_path, writer="b.example-2") as b:
        first = a.append(capture())
        second = b.append(capture(day=1))
        third = a.append(capture(b"", day=2, status=304))
        with pytest.raises(ArchiveError, match="as 'a'; wait for it, or choose another"):
            ArchiveWriter(tmp_path, writer="a")

        assert [first.kind, second.kind, third.kind] == ["response", "revisit", "revisit"]
        assert {path.name.rpartition("-")[0] for path in (tmp_path / "warc").iterdir()} == {
            "pagedrift-a-000000",
            "pagedrift-b.example-2-000000",
        }
    reading = read(tmp_path)
    assert [page.body for page in reading] == [PAGE] * 3
    assert not reading.problems
    assert [found.repeats for found in stored(tmp_path)] == [None, first.place, first.place]


def test_a_revisit_is_read_before_what_another_writer_kept(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, writer="z") as late, ArchiveWriter(tmp_path, writer="a") as early:
        original = late.append(capture()).place
        early.append(capture(day=1), repeats=original)

    reading = read(tmp_path, order="file")

    assert [page.body for page in reading] == [PAGE] * 2
    assert not reading.problems


@pytest.mark.parametrize("name", ["", "a b", "../a", "a/b", "ä", "a~b", "x" * 65, ".a"])
def test_a_writer_is_called_so_that_files_can_be(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArchiveError, match="is not a valid writer name"):
        ArchiveWriter(tmp_path, writer=name)


def test_names_of_writers_that_begin_alike_do_not_meet(tmp_path: Path) -> None:
    names = ["a", "a-000001", "a-000001-20261115120000", "000001", "main"]
    for _ in range(2):
        for name in names:
            with ArchiveWriter(tmp_path, writer=name) as archive:
                archive.append(capture(PAGE + name.encode(), url=f"{URL}/{name}"), repeats=None)

    assert len(list(stored(tmp_path))) == 10
    assert len(list((tmp_path / "warc").iterdir())) == 5


def test_a_folder_of_before_there_were_several_writers_is_taken_over(tmp_path: Path) -> None:
    kept(tmp_path)
    [path] = (tmp_path / "warc").iterdir()
    path.rename(path.with_name(path.name.replace("-main", "")))
    lines = (tmp_path / "indexes" / "main~00000001.cdxj").read_bytes()
    for each in (tmp_path / "indexes").iterdir():
        each.unlink()
    (tmp_path / "indexes" / "index.cdxj").write_bytes(lines)
    (tmp_path / "indexes" / "recent.cdxj").write_bytes(b"")

    with ArchiveWriter(tmp_path) as archive:
        assert archive.append(capture(PAGE + b" new", day=9)).kind == "revisit"

    assert [page.body for page in read(tmp_path)][-1] == PAGE + b" new"
    assert not [*(tmp_path / "indexes").glob("index.cdxj"), *(tmp_path / "indexes").glob("recent.cdxj")]
    assert len({found.place.filename for found in stored(tmp_path)}) == 1


def test_who_says_what_is_repeated_is_believed_as_far_as_it_is_true(tmp_path: Path) -> None:
    other = f"{URL}/other"
    with ArchiveWriter(tmp_path) as archive:
        first = archive.append(capture())
        new = archive.append(capture(PAGE + b" new", day=1), repeats=None)
        found = [
            archive.append(capture(day=2), repeats=first.place),
            archive.append(capture(url=other, day=2), repeats=first.place),
            archive.append(capture(day=3), repeats=new.place),  # another body
            archive.append(capture(day=4), repeats=first.place._replace(offset=1)),  # no record
            archive.append(capture(b"", day=5, status=304), repeats=first.place),
            archive.append(capture(day=6), repeats=None),
        ]
        again = archive.append(capture(day=7), repeats=found[0].place)  # itself a revisit

    assert [each.kind for each in found] == ["revisit", "revisit", "response", "response", "revisit", "response"]
    assert [page_at(tmp_path, each.place).body for each in found] == [PAGE] * 6
    assert [each.repeats for each in stored(tmp_path)][-1] == first.place
    assert page_at(tmp_path, again.place).captured_at == NOON + 7 * DAY


def test_several_captures_are_kept_with_one_flush(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    flushed = []
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture())
        real = os.fsync
        monkeypatch.setattr(os, "fsync", lambda number: flushed.append(number) or real(number))
        many = archive.append_all(Capture(capture(PAGE + b" %d" % day, day=day)) for day in range(1, 20))
        assert len(flushed) == 1

    assert [page_at(tmp_path, each.place).body for each in many] == [PAGE + b" %d" % day for day in range(1, 20)]


def test_many_captures_at_once_are_spread_over_files(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, largest=2_000) as archive:
        many = archive.append_all(Capture(capture(PAGE + b" %d" % day, day=day)) for day in range(20))

    assert len({each.place.filename for each in many}) > 3
    assert all(path.stat().st_size <= 2_000 for path in (tmp_path / "warc").iterdir())
    assert [found.place for found in stored(tmp_path)] == [each.place for each in many]


def test_threads_that_keep_at_once_share_flushes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    real, flushed, threads = os.fsync, [], list[threading.Thread]()
    places = {}
    with ArchiveWriter(tmp_path) as archive:
        archive.append(capture())

        def slow(number: int) -> None:
            while not flushed and len(archive._waiting) < len(threads) - 1:
                time.sleep(0.001)  # the first flush takes until all others wait for theirs
            flushed.append(number)
            real(number)

        monkeypatch.setattr(os, "fsync", slow)

        def keep(thread: int) -> None:
            for number in range(5):
                name = b" %d %d" % (thread, number)
                places[name] = archive.append(capture(PAGE + name, url=f"{URL}/{thread}"), repeats=None).place

        threads += [threading.Thread(target=keep, args=(number,)) for number in range(16)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        monkeypatch.undo()

    assert len(places) == 80
    assert all(page_at(tmp_path, place).body == PAGE + name for name, place in places.items())
    assert len(flushed) <= 80 - 14  # one flush for the fifteen that waited


@pytest.mark.parametrize("days", [[0, 0, 0], [3, 2, 1], [0, -400, 400, 0]])
def test_clocks_that_jump_lose_nothing(tmp_path: Path, days: list[int]) -> None:
    with ArchiveWriter(tmp_path) as archive:
        places = [archive.append(capture(PAGE + b" %d" % n, day=day)).place for n, day in enumerate(days)]
        places += [archive.append(capture(PAGE + b" %d" % n, day=day)).place for n, day in enumerate(days)]

    bodies = [PAGE + b" %d" % n for n in range(len(days))] * 2
    assert [page_at(tmp_path, place).body for place in places] == bodies
    assert [page.body for page in read(tmp_path, order="file")] == bodies


def test_what_is_asked_for_is_read_while_another_process_writes(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.archive.endless_writer", str(tmp_path), "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        for _ in range(5):
            child.stdout.readline()
        account = Account()
        found = list(stored(tmp_path, account=account))
        bodies = [page_at(tmp_path, each.place).body for each in found]
    finally:
        child.kill()
        child.wait()
        child.stdout.close()

    assert len(found) >= 5
    assert all(body.startswith(PAGE) for body in bodies)
    assert not account.problems


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_record_is_an_error_or_whole(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    body, notes = PAGE + chance.randbytes(5_000).hex().encode(), {"matters": True}
    with ArchiveWriter(tmp_path) as archive:
        place = archive.append(capture(body), notes=notes, attachments=LOOKS).place
        archive.append(capture(PAGE + b" behind", day=1))
    path = tmp_path / "warc" / place.filename
    whole = path.read_bytes()
    for _ in range(60):
        data, at = bytearray(whole), place.offset + chance.randrange(place.length)
        data[at : at + chance.randrange(1, 30)] = chance.randbytes(chance.randrange(30))
        path.write_bytes(data)
        for ask in (lambda: page_at(tmp_path, place).body == body, lambda: notes_at(tmp_path, place) == notes):
            with suppress(InputError):
                assert ask()
        with suppress(InputError):
            assert attachments_at(tmp_path, place)["fullPage"][1] == LOOKS[0].body
