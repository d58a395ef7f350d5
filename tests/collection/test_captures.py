"""Whatever a part holds, its healthy pages are given with their places, and the rest is counted."""

from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from pagedrift.collection import locations
from pagedrift.collection.captures import captures, page_at, record_at
from pagedrift.collection.manifest import Part, parts_of
from pagedrift.collection.tally import Tally
from pagedrift.errors import InputError
from tests.builders import DAYS, PAGE, URL, days, pack, record, revisit, wacz
from tests.server import Site


def read(*archives: Path) -> tuple[list, Tally]:
    tally = Tally()
    return list(captures(Part(number=0, archives=tuple(map(str, archives))), tally)), tally


def write(path: Path, *records: bytes) -> Path:
    path.write_bytes(b"".join(records))
    return path


@pytest.mark.parametrize("packed", [True, False])
def test_every_page_can_be_read_again_where_it_stands(tmp_path: Path, packed: bool) -> None:
    path = write(tmp_path / "a.warc", *days(5, packed=packed))

    found, tally = read(path)

    assert (len(found), tally.archives, tally.damaged) == (5, 1, 0)
    for capture in found:
        assert page_at(capture.archive, capture.offset, capture.page.digest) == capture.page


def test_pages_of_a_wacz_can_be_read_again_too(tmp_path: Path) -> None:
    path = wacz(tmp_path / "a.wacz", {"archive/data.warc.gz": b"".join(days(3, packed=True))})

    found, _ = read(path)

    assert [page_at(one.archive, one.offset, one.page.digest).body for one in found] == [
        one.page.body for one in found
    ]


def test_of_a_deflated_wacz_no_page_has_a_place_of_its_own(tmp_path: Path) -> None:
    path = wacz(tmp_path / "a.wacz", {"archive/data.warc.gz": b"".join(days(3, packed=True))}, deflated=True)

    found, _ = read(path)

    assert [one.offset for one in found] == [None] * 3
    with pytest.raises(InputError, match="warcio recompress"):
        page_at(found[0].archive, None, found[0].page.digest)


def test_a_folder_in_a_manifest_stands_for_its_archives(tmp_path: Path) -> None:
    (tmp_path / "crawl").mkdir()
    write(tmp_path / "crawl" / "a.warc.gz", *days(2, packed=True))
    write(tmp_path / "crawl" / "b.warc.gz", *days(4, packed=True)[2:])

    found, tally = read(tmp_path / "crawl")

    assert [page_at(one.archive, one.offset, one.page.digest).body for one in found] == [
        one.page.body for one in found
    ]
    assert (len(found), tally.damaged) == (4, 0)


def test_a_revisit_leads_to_what_it_repeats(tmp_path: Path) -> None:
    again = revisit(refers_to_uri=URL, refers_to_date=DAYS[0], packed=True)
    first = write(tmp_path / "a.warc.gz", record(date=DAYS[0], packed=True))
    second = write(tmp_path / "b.warc.gz", again)

    found, tally = read(first, second)

    assert [(one.page.body, one.archive, one.offset) for one in found] == [(PAGE, str(first), 0)] * 2
    assert tally.damaged == 0


def test_a_revisit_of_another_part_is_counted(tmp_path: Path) -> None:
    lone = write(
        tmp_path / "b.warc.gz",
        revisit(refers_to_uri=URL, refers_to_date=DAYS[0], packed=True),
        *days(1, packed=True),
    )

    found, tally = read(lone)

    assert (len(found), tally.damaged) == (1, 1)
    assert "was not read before it" in tally.problems[0]


def test_bad_archives_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    whole = b"".join(days(4, packed=True))
    good = write(tmp_path / "good.warc.gz", whole)
    cut = write(tmp_path / "cut.warc.gz", whole[:-30])
    empty = write(tmp_path / "empty.warc.gz")
    text = write(tmp_path / "text.warc", b"this is no archive\n" * 100)
    picture = write(tmp_path / "picture.png", b"\x89PNG\r\n" + bytes(100))
    page = write(tmp_path / "page.html", PAGE)

    found, tally = read(tmp_path / "missing.warc.gz", empty, text, picture, page, cut, good)

    assert sum(one.archive == str(good) for one in found) == 1  # what cut.warc.gz has stands there first
    assert len(found) == 7
    assert tally.unreadable == 4
    assert tally.damaged == 6
    assert all(
        any(name in problem for problem in tally.problems)
        for name in ("missing", "empty", "text", "picture", "page", "cut")
    )


def test_a_problem_names_the_archive_and_not_its_copy(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEDRIFT_ALLOW_PRIVATE", "127.0.0.1")
    locations.forget()
    site.pages["/cut.warc.gz"] = b"".join(days(3, packed=True))[:-30]

    tally = Tally()
    found = list(captures(Part(number=0, archives=(f"{site.url}/cut.warc.gz",)), tally))
    locations.forget()

    assert (len(found), tally.damaged) == (2, 1)
    assert tally.problems[0].startswith(f"{site.url}/cut.warc.gz, byte ")


def test_records_packed_together_have_no_place_of_their_own(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc.gz", pack(b"".join(days(3))))

    found, _ = read(path)

    assert len(found) == 3
    with pytest.raises(InputError, match="warcio recompress"):
        page_at(found[2].archive, found[2].offset, found[2].page.digest)


def test_an_index_reads_only_what_it_names(tmp_path: Path) -> None:
    records = [
        *days(3, packed=True),
        record(kind="request", packed=True),
        record(status="404 Not Found", packed=True),
    ]
    path = write(tmp_path / "a.warc.gz", *records)
    offsets = [sum(map(len, records[:number])) for number in range(len(records))]
    named = [
        (offsets[2], len(records[2])),
        (offsets[0], None),
        (offsets[3], len(records[3])),
        (offsets[4], len(records[4])),
    ]
    wrong = [(10**9, 500), (offsets[1] + 7, 300), (offsets[1], 20)]
    rows = [
        {"warc_filename": path.name, "warc_record_offset": offset, "warc_record_length": length}
        for offset, length in (*named, *wrong)
    ] + [{"warc_filename": "missing.warc.gz", "warc_record_offset": 0, "warc_record_length": 9}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "index.parquet")

    (part,) = parts_of(str(tmp_path / "index.parquet"))
    tally = Tally()
    found = list(captures(part, tally))

    assert [one.offset for one in found] == [offsets[2], offsets[0], offsets[4]]
    assert tally.passed_over == {"request record": 1}
    assert tally.damaged == 4
    assert sum("build the index again" in problem for problem in tally.problems) == 3


def test_a_length_that_cuts_a_record_off_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc", *days(1))

    with pytest.raises(InputError, match="build the index again"):
        record_at(str(path), 10**6)
