"""Files that are written wholly or not at all."""

import stat
from pathlib import Path

import pytest

from pagedrift.atomic_files import atomic_file, write_atomically


def test_a_failure_half_way_leaves_what_was_there_and_nothing_beside_it(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    report.write_bytes(b"old")

    with pytest.raises(TypeError), atomic_file(report) as file:
        file.writelines([b"new", "no bytes"])  # type: ignore[list-item]

    assert report.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [report]


def test_a_link_leads_to_the_file_that_is_written(tmp_path: Path) -> None:
    report, link = tmp_path / "report.html", tmp_path / "newest.html"
    report.write_bytes(b"old")
    link.symlink_to(report)

    write_atomically(link, b"new")

    assert link.is_symlink()
    assert report.read_bytes() == b"new"


def test_a_private_file_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    write_atomically(tmp_path / "watches.json", b"{}", private=True)

    assert stat.S_IMODE((tmp_path / "watches.json").stat().st_mode) == 0o600


def test_a_file_that_cannot_be_written_is_named_as_the_user_named_it(tmp_path: Path) -> None:
    report = tmp_path / "missing" / "report.html"

    with pytest.raises(FileNotFoundError) as raised:
        write_atomically(report, b"new")

    assert raised.value.filename == str(report)


def test_a_device_is_written_directly() -> None:
    write_atomically(Path("/dev/null"), b"new")

    assert Path("/dev/null").is_char_device()
