import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pagedrift.errors import InputError
from pagedrift.reading import read
from tests.builders import DAYS, PAGE, URL, days, pack, revisit, wacz

WARC = b"".join(days(5, packed=True))


@pytest.mark.parametrize("deflated", [False, True], ids=["stored", "deflated"])
@pytest.mark.parametrize("name", ["archive/data.warc.gz", "archive/data.warc"])
def test_a_wacz_is_read_where_it_stands(tmp_path: Path, name: str, deflated: bool) -> None:
    data = WARC if name.endswith("gz") else b"".join(days(5))
    path = wacz(tmp_path / "crawl.wacz", {name: data, "pages/pages.jsonl": b"{}"}, deflated=deflated)

    reading = read(path)

    assert [page.body for page in reading] == [PAGE + b" on day %d" % day for day in range(5)]
    assert not reading.problems
    assert reading.position == reading.total == len(data)
    assert list(tmp_path.iterdir()) == [path]


def test_all_warcs_of_a_wacz_are_merged_by_time(tmp_path: Path) -> None:
    records = days(8, packed=True)
    members = {f"archive/{odd}.warc.gz": b"".join(records[odd::2]) for odd in (1, 0)}

    pages = list(read(wacz(tmp_path / "crawl.wacz", members)))

    assert [page.body for page in pages] == [PAGE + b" on day %d" % day for day in range(8)]


def test_a_revisit_is_looked_up_in_the_wacz(tmp_path: Path) -> None:
    again = revisit(refers_to_uri=URL, refers_to_date=DAYS[1], packed=True)
    path = wacz(tmp_path / "crawl.wacz", {"archive/a.warc.gz": WARC, "archive/b.warc.gz": again})

    assert list(read(path))[-1].body == PAGE + b" on day 1"


def test_a_revisit_in_a_deflated_member_is_a_problem(tmp_path: Path) -> None:
    again = revisit(refers_to_uri=URL, refers_to_date=DAYS[1], packed=True)
    path = wacz(tmp_path / "crawl.wacz", {"archive/a.warc.gz": WARC + again}, deflated=True)

    reading = read(path)

    assert len(list(reading)) == 5
    assert reading.problems[0].path == f"{path}/archive/a.warc.gz"


def test_damage_in_a_wacz_is_reported_by_member_and_offset(tmp_path: Path) -> None:
    members = days(5, packed=True)
    start = len(b"".join(members[:2]))
    members[2] = members[2][:100]
    path = wacz(tmp_path / "crawl.wacz", {"archive/data.warc.gz": b"".join(members)})

    reading = read(path)

    assert len(list(reading)) == 4
    assert [(problem.path, problem.offset) for problem in reading.problems] == [
        (f"{path}/archive/data.warc.gz", start)
    ]


def test_a_wacz_is_known_by_its_content(tmp_path: Path) -> None:
    assert len(list(read(wacz(tmp_path / "crawl.zip", {"archive/data.warc.gz": WARC})))) == 5


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04 and then nothing", "not a complete ZIP; get a complete copy"),
        (b"PK\x05\x06" + bytes(18), "not a WACZ; unpack it"),
        (b"this is not a ZIP", "not a complete ZIP"),
    ],
)
def test_what_is_no_wacz_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "crawl.wacz"
    path.write_bytes(data)

    with pytest.raises(InputError, match=message):
        read(path)


def test_a_wacz_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = wacz(tmp_path / "crawl.wacz", {"archive/data.warc.gz": WARC})
    path.write_bytes(path.read_bytes()[:-30])

    with pytest.raises(InputError, match="get a complete copy"):
        read(path)


def test_a_zip_without_warcs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a WACZ"):
        read(wacz(tmp_path / "crawl.wacz", {"page.html": PAGE}))


def test_a_member_whose_header_is_damaged_is_refused(tmp_path: Path) -> None:
    path = wacz(tmp_path / "crawl.wacz", {"archive/data.warc.gz": WARC})
    with zipfile.ZipFile(path) as package:
        start = package.getinfo("archive/data.warc.gz").header_offset
    data = bytearray(path.read_bytes())
    data[start : start + 4] = b"junk"
    path.write_bytes(data)

    with pytest.raises(InputError, match="get a complete copy"):
        read(path)


@pytest.mark.parametrize("size", [100, 2000])
def test_a_deflated_member_that_is_damaged_gives_what_it_can(tmp_path: Path, size: int) -> None:
    path = wacz(tmp_path / "crawl.wacz", {"archive/data.warc": b"".join(days(5) * 400)}, deflated=True)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + size] = bytes(size)
    path.write_bytes(data)

    reading = read(path)

    assert 500 < len(list(reading)) < 2000
    assert reading.counts.damaged >= 1


def test_a_list_of_wacz_files_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "crawl.json"
    path.write_bytes(b'{"profile": "multi-wacz-package", "resources": []}')

    with pytest.raises(InputError, match="give the WACZ files it lists"):
        read(path)


@pytest.mark.slow
def test_what_the_wacz_tool_writes_is_read(tmp_path: Path) -> None:
    pytest.importorskip("wacz", reason="the wacz tool is not installed")
    (tmp_path / "crawl.warc.gz").write_bytes(WARC)
    create = [
        sys.executable,
        "-c",
        "from wacz.main import main; main()",
        "create",
        "-o",
        "crawl.wacz",
        "crawl.warc.gz",
    ]
    subprocess.run(create, cwd=tmp_path, check=True, capture_output=True)

    assert len(list(read(tmp_path / "crawl.wacz"))) == 5


def test_a_wacz_in_a_pipe_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = wacz(tmp_path / "crawl.wacz", {"archive/data.warc.gz": pack(b"")})
    with path.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        with pytest.raises(InputError, match="save it and give the file"):
            read("-")


@pytest.mark.parametrize("bit", [0, 5, 6])
def test_a_member_whose_header_claims_what_zip_readers_lack_is_a_problem(tmp_path: Path, bit: int) -> None:
    path = wacz(tmp_path / "crawl.wacz", {"archive/data.warc": b"".join(days(3))}, deflated=True)
    content = bytearray(path.read_bytes())
    content[6] |= 1 << bit  # the flags of the first local header
    path.write_bytes(content)
    reading = read(path)

    assert len(list(reading)) in (0, 3)
    assert reading.counts.versions or reading.counts.damaged
