import os
import random
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pagedrift.archive import compaction, relocations
from pagedrift.archive.index import listed
from pagedrift.archive.locations import ArchiveError, Place
from pagedrift.archive.reader import Stored, attachments_at, notes_at, page_at, stored
from pagedrift.archive.writer import ArchiveWriter
from pagedrift.errors import InputError
from pagedrift.http_exchange import Exchange
from pagedrift.reading import read
from tests.archive.test_writer import passes_check
from tests.builders import PAGE, URL

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
DAY = timedelta(days=1)
HTML = (("Content-Type", "text/html"),)


def capture(body: bytes, *, day: int, url: str = URL, status: int = 200) -> Exchange:
    return Exchange(url=url, status=status, headers=HTML, body=body, captured_at=NOON + day * DAY)


def since(day: int) -> Callable[[Stored], bool]:
    return lambda found: found.kind == "note" or found.captured_at >= NOON + day * DAY


def fill(folder: Path, days: int = 30, **options: object) -> list[Place]:
    with ArchiveWriter(folder, largest=3_000, **options) as archive:
        archive.note("watch:1", {"url": URL})
        return [
            archive.append(capture(PAGE + b" %d" % day, day=day), notes={"day": day}).place for day in range(days)
        ]


def test_what_is_not_kept_is_gone_and_its_bytes_are_free(tmp_path: Path) -> None:
    places = fill(tmp_path)
    before = sum(path.stat().st_size for path in (tmp_path / "warc").iterdir())
    with ArchiveWriter(tmp_path) as archive:
        done = archive.compact(since(20))
        archive.append(capture(PAGE + b" 30", day=30), notes={"day": 30})

        assert [page.body for page in read(tmp_path)] == [PAGE + b" %d" % day for day in range(20, 31)]
        assert archive.newest(URL).body == PAGE + b" 30"
    size = sum(path.stat().st_size for path in (tmp_path / "warc").iterdir())
    assert done.dropped == 20
    assert before - done.freed < size < before
    assert [found.notes.get("day") for found in stored(tmp_path)] == [None, *range(20, 31)]
    assert len(list(listed(tmp_path))) == 1 + 2 * 11
    assert passes_check(tmp_path)
    for day, place in enumerate(places):
        if day < 20:
            with pytest.raises(InputError, match="no longer holds"):
                page_at(tmp_path, place)
        else:
            assert page_at(tmp_path, place).body == PAGE + b" %d" % day
            assert notes_at(tmp_path, place) == {"day": day}
            assert attachments_at(tmp_path, place) == {}
            assert page_at(tmp_path, done.moved.get(place, place)) == page_at(tmp_path, place)


def test_moves_are_followed_over_several_compactions_until_they_are_forgotten(tmp_path: Path) -> None:
    places = fill(tmp_path)
    with ArchiveWriter(tmp_path) as archive:
        moved = places[29]
        for day in (10, 20, 29):
            done = archive.compact(since(day))
            moved = done.moved.get(moved, moved)
        assert page_at(tmp_path, places[29]).body == PAGE + b" 29"
        archive.forget_moves()
        assert page_at(tmp_path, moved).body == PAGE + b" 29"
        with pytest.raises(InputError, match="no longer holds"):
            page_at(tmp_path, places[29])


def test_what_a_kept_capture_repeats_stays_whoever_wrote_it(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path) as archive, ArchiveWriter(tmp_path, writer="other") as other:
        first = archive.append(capture(PAGE, day=0)).place
        archive.append(capture(PAGE + b" dropped", day=1))
        second = archive.append(capture(b"", day=5, status=304)).place
        third = other.append(capture(PAGE + b" dropped", day=6)).place
        gone = archive.append(capture(PAGE + b" gone", day=2), repeats=None).place
        done = archive.compact(since(6))

        assert done.dropped == 3  # all but the one that is repeated
        assert page_at(tmp_path, third).body == PAGE + b" dropped"
        for place in (first, second, gone):
            with pytest.raises(InputError):
                page_at(tmp_path, place)
        archive.forget_moves()
        assert page_at(tmp_path, third).body == PAGE + b" dropped"
        [found] = [each for each in stored(tmp_path) if each.repeats]
        assert page_at(tmp_path, found.repeats).body == PAGE + b" dropped"
    reading = read(tmp_path)
    assert [page.body for page in reading] == [PAGE + b" dropped"] * 2
    assert not reading.problems


def test_a_capture_that_repeats_what_is_just_being_dropped_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ArchiveWriter(tmp_path) as archive, ArchiveWriter(tmp_path, writer="other") as other:
        original = archive.append(capture(PAGE, day=0)).place
        archive.append(capture(PAGE + b" new", day=1))
        late = []
        settle = relocations.settle

        def keep_meanwhile(folder: Path, old: str) -> None:
            late.append(other.append(capture(PAGE, day=9), repeats=original))
            settle(folder, old)

        monkeypatch.setattr(relocations, "settle", keep_meanwhile)
        archive.compact(since(1))

        assert late[0].kind == "response"
        assert page_at(tmp_path, late[0].place).body == PAGE


def test_a_capture_that_repeats_something_in_time_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ArchiveWriter(tmp_path) as archive, ArchiveWriter(tmp_path, writer="other") as other:
        original = archive.append(capture(PAGE, day=0)).place
        archive.append(capture(PAGE + b" too", day=0, url=f"{URL}/2"))
        early, begin = [], relocations.begin

        def keep_meanwhile(*arguments: object) -> None:
            if not early:
                early.append(other.append(capture(PAGE, day=9), repeats=original))
            begin(*arguments)

        monkeypatch.setattr(relocations, "begin", keep_meanwhile)
        done = archive.compact(since(1))

        assert early[0].kind == "revisit"
        assert page_at(tmp_path, early[0].place).body == PAGE
        assert done.dropped == 1


def test_damage_is_put_aside(tmp_path: Path) -> None:
    places = fill(tmp_path, 4)
    path = tmp_path / "warc" / places[1].filename
    data = bytearray(path.read_bytes())
    data[places[1].offset + 20 : places[1].offset + 40] = b"\0" * 20
    path.write_bytes(data)

    with ArchiveWriter(tmp_path) as archive:
        archive.compact(lambda found: found.notes.get("day") != 0)

    assert [page.body for page in read(tmp_path)] == [PAGE + b" 2", PAGE + b" 3"]
    [aside] = (tmp_path / "damaged").iterdir()
    assert bytes(data[places[1].offset :][:100]) in aside.read_bytes()


def test_nothing_to_drop_moves_nothing(tmp_path: Path) -> None:
    fill(tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "warc").iterdir()}
    with ArchiveWriter(tmp_path) as archive:
        assert archive.compact(lambda _: True) == compaction.Compaction()

    assert {path.name: path.read_bytes() for path in (tmp_path / "warc").iterdir()} == before


def test_one_compaction_at_a_time(tmp_path: Path) -> None:
    fill(tmp_path)
    with ArchiveWriter(tmp_path) as archive, ArchiveWriter(tmp_path, writer="other") as other:

        def meanwhile(_: Stored) -> bool:
            with pytest.raises(ArchiveError, match="being compacted by another writer; wait"):
                other.compact(lambda _: True)
            return True

        archive.compact(meanwhile)


def test_everything_may_be_dropped_and_numbers_go_on(tmp_path: Path) -> None:
    places = fill(tmp_path)
    with ArchiveWriter(tmp_path) as archive:
        archive.compact(lambda _: False)
        place = archive.append(capture(PAGE, day=50)).place

    assert place.filename > max(each.filename for each in places)
    assert [page.body for page in read(tmp_path)] == [PAGE]


@pytest.mark.parametrize("seed", range(2))
def test_a_compaction_that_breaks_off_anywhere_loses_nothing(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call that changes the disk fails once: the first, then the second, and so on."""
    chance = random.Random(seed)
    places, allowed, broken = fill(tmp_path, 12), 0, True
    while broken:
        calls, broken = 0, False

        def stop(real: Callable[..., object], allowed: int = allowed) -> Callable[..., object]:
            def step(*arguments: object, **options: object) -> object:
                nonlocal calls, broken
                calls += 1
                if calls > allowed:
                    broken = True
                    raise OSError(28, "No space left on device")
                return real(*arguments, **options)

            return step

        with ArchiveWriter(tmp_path) as archive:
            with monkeypatch.context() as patched:
                for name in ("fsync", "replace", "unlink"):
                    patched.setattr(os, name, stop(getattr(os, name)))
                with suppress(ArchiveError):
                    archive.compact(lambda found: found.notes.get("day", 99) not in (0, 1, 2, 5, 7))
                patched.undo()
            for day, place in enumerate(places):
                if day not in (0, 1, 2, 5, 7):
                    assert page_at(tmp_path, place).body == PAGE + b" %d" % day
            if chance.random() < 0.5:
                archive.append(capture(PAGE + b" 99", day=99), notes={"day": 99}, repeats=None)
        days = [found.notes["day"] for found in stored(tmp_path) if found.kind == "capture"]
        assert len({*days} - {99}) == len([day for day in days if day != 99])
        assert {3, 4, 6, 8, 9, 10, 11} <= {*days}
        allowed += 1
    assert allowed > 10
    assert sorted({*days} - {99}) == [3, 4, 6, 8, 9, 10, 11]
    assert not list((tmp_path / "warc").glob("*.new"))
    assert passes_check(tmp_path)
