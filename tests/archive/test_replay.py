import json
import random
import socket
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from pagedrift.archive.export import export
from pagedrift.archive.index import MAX_RECENT_LINES
from pagedrift.archive.record_format import Attachment
from pagedrift.archive.writer import ArchiveError, ArchiveWriter, Capture
from pagedrift.http_exchange import Exchange
from pagedrift.page import PageVersion
from pagedrift.reading import read
from tests.builders import PAGE, URL

WAYBACK = Path(sys.prefix, "players", "bin", "wayback")
SETTINGS = "collections:\n  pages:\n    index_paths: ./indexes\n    archive_paths: ./warc/\n"
DAYS = [datetime(2026, 11, day, 12, tzinfo=UTC) for day in range(1, 10)]
HTML = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"7"'))
NEW = PAGE + " – Grüße".encode()
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))

Replay = Callable[[str, datetime | None], tuple[int, bytes]]  # without a time: the list of captures


def kept(folder: Path) -> None:
    """Keep a page, unchanged, not modified, changed and moved, with a picture."""
    looks = [Attachment("fullPage", "image/png", PICTURE), Attachment("dom", "text/html", PAGE)]
    moved = Exchange(url=f"{URL}/old", status=302, headers=(("Location", URL),), captured_at=DAYS[4])
    with ArchiveWriter(folder) as archive:
        archive.append(
            Exchange(url=URL, status=200, headers=HTML, body=PAGE, captured_at=DAYS[0]),
            notes={"new": True},
            attachments=looks,
        )
        archive.append(Exchange(url=URL, status=200, headers=HTML, body=PAGE, captured_at=DAYS[1]))
        archive.append(Exchange(url=URL, status=304, headers=HTML[1:], captured_at=DAYS[2]))
        archive.append(Exchange(url=URL, status=200, headers=HTML, body=NEW, captured_at=DAYS[3]))
        archive.append(
            Exchange(url=URL, status=200, headers=HTML, body=NEW, captured_at=DAYS[4]), redirects=[moved]
        )
        archive.append(PageVersion(f"{URL}/plain", PAGE, captured_at=DAYS[5], content_type="text/html"))


@contextmanager
def replaying(folder: Path, settings: str | None = SETTINGS) -> Iterator[Replay]:
    """Let a real pywb play a folder, or its own collections; give a way to ask it for an address as of a time."""
    if not WAYBACK.exists():
        pytest.skip("there is no pywb beside the tests; install it with: make .venv/players/installed")
    if settings is not None:
        (folder / "config.yaml").write_text(settings)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [WAYBACK, "--port", str(port), "--bind", "127.0.0.1"]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def replay(url: str, moment: datetime | None) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", port, timeout=600)
        asked = f"/pages/{moment:%Y%m%d%H%M%S}id_/{url}" if moment else f"/pages/cdx?output=json&url={url}"
        connection.request("GET", asked)
        answer: HTTPResponse = connection.getresponse()
        try:
            return answer.status, answer.read()
        finally:
            connection.close()

    try:
        for _ in range(6_000):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield replay
    finally:
        server.kill()
        server.wait()


@pytest.mark.slow
def test_pywb_replays_what_was_kept(tmp_path: Path) -> None:
    kept(tmp_path)
    with replaying(tmp_path) as replay:
        assert [replay(URL, day) for day in DAYS[:5]] == [(200, PAGE)] * 3 + [(200, NEW)] * 2
        assert replay(f"{URL}/old", DAYS[4])[0] == 302
        assert replay(f"{URL}/plain", DAYS[5]) == (200, PAGE)
        assert replay(f"urn:fullPage:{URL}", DAYS[0]) == (200, PICTURE)
        assert replay("https://city.example/never", DAYS[0])[0] == 404


@pytest.mark.slow
def test_pywb_sees_what_is_kept_while_it_runs(tmp_path: Path) -> None:
    kept(tmp_path)
    with replaying(tmp_path) as replay, ArchiveWriter(tmp_path) as archive:
        before = replay(f"{URL}/late", DAYS[6])[0]
        archive.append(
            Exchange(
                url=f"{URL}/late", status=200, headers=HTML, body=NEW, captured_at=DAYS[6] + timedelta(hours=1)
            )
        )

        assert before == 404
        assert replay(f"{URL}/late", DAYS[6]) == (200, NEW)


def shown(replay: Replay, url: str) -> list[str]:
    """List the captures of an address as pywb shows them."""
    status, lines = replay(url, None)
    return [json.loads(line)["timestamp"] for line in lines.splitlines()] if status == 200 else []


@pytest.mark.slow
def test_pywb_shows_each_capture_once(tmp_path: Path) -> None:
    kept(tmp_path)
    with ArchiveWriter(tmp_path, writer="other") as other:
        other.append(Exchange(url=URL, status=200, headers=HTML, body=NEW, captured_at=DAYS[7]))
    with replaying(tmp_path) as replay:
        days = [*DAYS[:5], DAYS[7]]
        assert shown(replay, URL) == [f"{day:%Y%m%d%H%M%S}" for day in days]
        with ArchiveWriter(tmp_path) as archive:
            # More than one small index holds, so that some of it becomes a file of its own while pywb looks on.
            for number in range(MAX_RECENT_LINES + 2):
                archive.append(
                    Exchange(url=f"{URL}/{number}", status=200, headers=HTML, body=NEW, captured_at=DAYS[6])
                )
                if number % 32 == 0 or number >= MAX_RECENT_LINES - 2:
                    assert len(shown(replay, f"{URL}/{number}")) == 1, number
            assert [len(shown(replay, f"{URL}/{number}")) for number in range(0, MAX_RECENT_LINES, 16)] == [1] * 16
        assert [len(shown(replay, f"{URL}/{number}")) for number in range(0, MAX_RECENT_LINES, 16)] == [1] * 16


def test_a_wacz_is_valid_and_holds_every_version(tmp_path: Path) -> None:
    kept(tmp_path / "kept")
    captures = export(tmp_path / "kept", tmp_path / "pages.wacz")
    with zipfile.ZipFile(tmp_path / "pages.wacz") as package:
        names = package.namelist()
        assert all(member.compress_type == zipfile.ZIP_STORED for member in package.infolist())
        lines = package.read("indexes/index.cdxj").splitlines()
        pages = package.read("pages/pages.jsonl").splitlines()
    command = [Path(sys.executable).with_name("wacz"), "validate", "-f", tmp_path / "pages.wacz"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)

    assert captures == 7
    assert len(lines) == 11  # with notes, picture, DOM, and the headers of what was not modified
    assert [json.loads(page)["url"] for page in pages[1:]] == [URL, f"{URL}/plain"]
    assert {"pages/pages.jsonl", "datapackage.json", "datapackage-digest.json"} < {*names}
    assert "Validation succeeded" in told.stdout
    assert list(read(tmp_path / "pages.wacz")) == list(read(tmp_path / "kept"))


def test_an_empty_folder_makes_no_wacz(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path / "kept"), pytest.raises(ArchiveError, match="pagedrift fetch URL --to"):
        export(tmp_path / "kept", tmp_path / "pages.wacz")


def test_a_wacz_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    kept(tmp_path / "kept")
    with pytest.raises(ArchiveError, match="choose another name"):
        export(tmp_path / "kept", tmp_path / "no such folder" / "pages.wacz")


def test_some_captures_make_a_wacz_of_their_own(tmp_path: Path) -> None:
    kept(tmp_path / "kept")
    wacz = tmp_path / "some.wacz"

    by_time = export(tmp_path / "kept", wacz, since=DAYS[1], until=DAYS[2])
    by_time_read = list(read(wacz))
    by_url = export(tmp_path / "kept", wacz, urls=[f"{URL}/plain"])
    by_url_read = list(read(wacz))
    both = export(tmp_path / "kept", wacz, urls=[URL, f"{URL}/old"], since=DAYS[3])
    with zipfile.ZipFile(wacz) as package:
        lines = package.read("indexes/index.cdxj").splitlines()
    command = [Path(sys.executable).with_name("wacz"), "validate", "-f", wacz]
    told = subprocess.run(command, capture_output=True, text=True, check=False)

    assert by_time == 3  # with the one that both repeat
    assert [page.captured_at for page in by_time_read] == DAYS[:3]
    assert by_url == 1
    assert [page.url for page in by_url_read] == [f"{URL}/plain"]
    assert both == 3
    assert [page.body for page in read(wacz)] == [NEW, NEW]
    assert lines == sorted(lines)
    assert "Validation succeeded" in told.stdout
    with pytest.raises(ArchiveError, match="no such capture"):
        export(tmp_path / "kept", wacz, urls=["https://never.example/"])
    assert wacz.exists()  # the one before


@pytest.mark.slow
def test_pywb_replays_what_several_writers_kept_and_one_compacted(tmp_path: Path) -> None:
    kept(tmp_path)
    with ArchiveWriter(tmp_path, writer="other") as other:
        assert (
            other.append(Exchange(url=URL, status=200, headers=HTML, body=NEW, captured_at=DAYS[7])).kind
            == "revisit"
        )
    with ArchiveWriter(tmp_path) as archive:
        archive.compact(lambda found: found.captured_at >= DAYS[4])
        archive.forget_moves()
    with replaying(tmp_path) as replay:
        assert replay(URL, DAYS[7]) == (200, NEW)
        assert replay(f"{URL}/plain", DAYS[5]) == (200, PAGE)
        assert replay(f"{URL}/old", DAYS[4])[0] == 302


@pytest.mark.slow
def test_exporting_takes_no_more_memory_for_more_captures(tmp_path: Path) -> None:
    chance = random.Random(3)
    with ArchiveWriter(tmp_path / "kept") as archive:
        for start in range(0, 400, 50):
            archive.append_all(
                Capture(
                    Exchange(
                        url=f"{URL}/{n}",
                        status=200,
                        headers=HTML,
                        body=PAGE + chance.randbytes(100_000),
                        captured_at=DAYS[n % 9],
                    )
                )
                for n in range(start, start + 50)
            )
    peaks = []
    for options in ({"since": DAYS[8]}, {"since": DAYS[0]}, {}):
        tracemalloc.start()
        export(tmp_path / "kept", tmp_path / "pages.wacz", **options)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    assert (tmp_path / "pages.wacz").stat().st_size > 40_000_000
    assert max(peaks[1:]) < max(2 * peaks[0], 8_000_000)
