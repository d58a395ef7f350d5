"""Line ends in HTTP headers: every reader finds the same page behind CRLF, LF, and any mix of them."""

import io
import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from pagedrift.archive.locations import Place
from pagedrift.archive.reader import page_at
from pagedrift.archive.resource_index import Holdings
from pagedrift.archive.source import Source
from pagedrift.collection.captures import record_at
from pagedrift.page import PageVersion
from pagedrift.reading import read
from tests.builders import pack, wacz

NAME = "pagedrift-main-000000-20261115120000.warc.gz"
URL = "https://city.example/fees"
WARC = (
    f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {URL}\r\nWARC-Date: 2026-11-15T12:00:00Z\r\n"
    "Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n"
)
HEADERS = ("HTTP/1.1 200 OK", "Content-Type: text/html", "X-From: here", "")

line_ends = st.lists(st.sampled_from(["\r\n", "\n"]), min_size=4, max_size=4)
bodies = st.one_of(
    st.lists(st.sampled_from(["<p>one</p>", "\r\n\r\n", "\n\n", "\n\r\n", "\r", " x: y", "\n"])).map("".join),
    st.just("<p>one</p>\r\n\r\n<p>two</p>"),
)


def response(ends: list[str], body: bytes) -> bytes:
    message = "".join(map("".join, zip(HEADERS, ends, strict=True))).encode() + body
    return WARC.format(len(message)).encode() + message + b"\r\n\r\n"


def by_every_reader(folder: Path, record: bytes) -> dict[str, PageVersion]:
    """Read the first of two records by all ways there are."""
    packed = pack(record)
    path = folder / "warc" / NAME
    path.parent.mkdir()
    path.write_bytes(packed * 2)
    (folder / "plain.warc").write_bytes(record * 2)
    (folder / "whole.warc.gz").write_bytes(pack(record * 2))
    (folder / "cut.warc").write_bytes(record + record[:-9])
    zipped = wacz(folder / "deflated.wacz", {f"archive/{NAME}": packed * 2}, deflated=True)
    found: dict[str, object] = {
        str(each): next(iter(read(each, order="file")))
        for each in (path, folder / "plain.warc", folder / "whole.warc.gz", folder / "cut.warc", zipped)
    }
    found["page_at"] = page_at(folder, Place(NAME, 0, len(packed)))
    found["record_at"] = record_at(str(path), 0)
    assert all(isinstance(each, PageVersion) for each in found.values()), found
    return found  # type: ignore[return-value]


@settings(deadline=None)
@given(line_ends, bodies)
@example(["\n"] * 4, "<p>one</p>\r\n\r\n<p>two</p>")
@example(["\r\n", "\r\n", "\n", "\n"], "<p>one</p>\r\n\r\n<p>two</p>")
def test_all_readers_find_the_page_behind_any_line_ends(ends: list[str], text: str) -> None:
    body = text.encode()
    record = response(ends, body)
    with tempfile.TemporaryDirectory() as folder:
        found = by_every_reader(Path(folder), record)
        path = Path(folder, "plain.warc")
        held = Holdings([Source(path=str(path), size=path.stat().st_size)]).near(None)[URL]

    expected = (body, (("Content-Type", "text/html"), ("X-From", "here")), 200)
    assert {name: (page.body, page.headers, page.status) for name, page in found.items()} == dict.fromkeys(
        found, expected
    )
    assert held == ("text/html", body)
    other = next(iter(ArchiveIterator(io.BytesIO(record))))
    assert other.content_stream().read() == body
