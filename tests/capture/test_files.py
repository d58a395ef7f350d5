import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pagedrift.capture.files import read_page, walk
from pagedrift.errors import InputError, LimitError
from pagedrift.limits import Limits
from tests.builders import pack

PAGE = b"<!doctype html><title>Fees</title><p>A permit costs $120"


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_the_address_of_a_file_is_its_uri_and_its_time_is_that_of_its_last_change(tmp_path: Path) -> None:
    path = write(tmp_path, "größe & co.html", PAGE)
    os.utime(path, (0, 1_000_000_000))

    page = read_page(path)

    assert page.url == path.as_uri()
    assert page.captured_at == datetime(2001, 9, 9, 1, 46, 40, tzinfo=UTC)
    assert page.body == PAGE


def test_a_packed_file_is_unpacked(tmp_path: Path) -> None:
    assert read_page(write(tmp_path, "a.html.gz", pack(PAGE))).body == PAGE


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.html.gz", pack(PAGE)[:-4], "ends too early; fetch"),
        ("a.html.gz", pack(PAGE)[:20] + b"junk" + pack(PAGE)[24:], "is damaged; fetch"),
        ("a.html", b"", "is empty; save"),
        ("a.html", b"\x89PNG\r\n", "is a PNG picture; give"),
        ("a.html", b"%PDF-1.7", "the PDF cannot be read: it is damaged; open it"),
        ("a.html", b"\x7fELF\x02\x01", "is a program; give"),
        ("a.html", bytes(range(256)), "is binary"),
    ],
    ids=["cut off", "damaged", "empty", "picture", "PDF", "program", "binary"],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_page(write(tmp_path, name, data))


def test_a_file_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="check the name"):
        read_page(tmp_path / "missing.html")


@pytest.mark.parametrize("data", [b"<p>" * 400, pack(b"<p>" * 400)], ids=["plain", "packed"])
def test_a_page_beyond_the_limit_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(LimitError, match=r"Limits\(body="):
        read_page(write(tmp_path, "a.html", data), limits=Limits(body=1000))


def test_a_tree_is_walked_by_name_and_each_directory_once(tmp_path: Path) -> None:
    for name in ("b/2.html", "b/10.html", "a.html", "c.html", "b/d/x.html"):
        write(tmp_path, name, PAGE)
    (tmp_path / "b/d/loop").symlink_to(tmp_path)
    (tmp_path / "z").symlink_to(tmp_path / "b")

    found = [entry.path for entry in walk(str(tmp_path), lambda *_: None)]

    names = ["a.html", "b/10.html", "b/2.html", "b/d/x.html", "c.html"]
    assert found == [str(tmp_path / name) for name in names]
