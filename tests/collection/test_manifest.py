"""A manifest is read as it was meant, or refused with the next step."""

import gzip
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from pagedrift.collection.manifest import SMALL_PART, Part, parts_of, rows_of
from pagedrift.errors import InputError
from tests.builders import days


def index(path: Path, rows: list[dict], **options: int) -> Path:
    parquet.write_table(pyarrow.Table.from_pylist(rows), path, **options)
    return path


ROWS = [
    {"url": f"https://city.example/{n}", "url_host_name": "city.example" if n % 2 else "news.example",
     "warc_filename": "a.warc.gz", "warc_record_offset": 10 * n, "warc_record_length": 10}
    for n in range(10)
]  # fmt: skip


def test_lines_are_places_relative_to_the_manifest_or_to_a_base(tmp_path: Path) -> None:
    manifest = tmp_path / "warc.paths.gz"
    manifest.write_bytes(
        gzip.compress(
            b"# crawl\n\nsegments/a.warc.gz\n/data/b.warc.gz\ns3://other/c.warc.gz\r\nfile:///data/d%20e.warc"
        )
    )

    here = [part.archives[0] for part in parts_of(str(manifest))]
    there = [part.archives[0] for part in parts_of(str(manifest), base="s3://commoncrawl/")]

    assert here == [f"{tmp_path}/segments/a.warc.gz", "/data/b.warc.gz", "s3://other/c.warc.gz", "/data/d e.warc"]
    assert there[0] == "s3://commoncrawl/segments/a.warc.gz"


def test_archives_can_make_a_part_together(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest"
    manifest.write_text("\n".join(f"{n}.warc.gz" for n in range(7)))

    parts = parts_of(str(manifest), together=3)

    assert [(part.number, len(part.archives)) for part in parts] == [(0, 3), (1, 3), (2, 1)]


def test_small_archives_of_this_machine_share_a_part_and_others_have_their_own(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest"
    for name, size in (("a", 1), ("b", 2), ("c", SMALL_PART - 2), ("d", SMALL_PART + 1), ("e", 3), ("f", 4)):
        with (tmp_path / f"{name}.warc").open("wb") as file:
            file.truncate(size)
    manifest.write_text("a.warc\nb.warc\nc.warc\nd.warc\ns3://crawls/x.warc\nmissing.warc\ne.warc\nf.warc\n")

    parts = [[Path(place).stem for place in part.archives] for part in parts_of(str(manifest))]

    assert parts == [["a", "b"], ["c"], ["d"], ["x"], ["missing"], ["e", "f"]]


def test_a_folder_stands_for_the_archives_in_it(tmp_path: Path) -> None:
    for name in ("b.warc.gz", "a.warc", "deep/c.wacz", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"")

    [part] = parts_of(str(tmp_path))
    assert [Path(place).name for place in part.archives] == ["a.warc", "b.warc.gz", "c.wacz"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "lists no archive"),
        (b"# nothing\n\n", "lists no archive"),
        (b"\xff\xfe\x00", "not a list in UTF-8"),
        (b"\x1f\x8b broken", "not a list in UTF-8"),
        (days(1)[0], "is an archive, not a list"),
        (days(1, packed=True)[0], "is an archive, not a list"),
    ],
)
def test_what_is_no_manifest_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "manifest").write_bytes(content)

    with pytest.raises(InputError, match=message):
        parts_of(str(tmp_path / "manifest"))


def test_a_manifest_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="check its name"):
        parts_of("/nowhere/manifest")


def test_an_archive_in_place_of_a_manifest_is_refused() -> None:
    with pytest.raises(InputError, match="name a text file with its address"):
        parts_of("examples/permits.warc.gz")


def test_an_index_is_divided_by_rows_and_read_by_conditions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagedrift.collection.manifest.RECORDS", 4)
    path = index(tmp_path / "index.parquet", ROWS, row_group_size=6)

    parts = parts_of(str(path), where=["url_host_name=city.example"])

    assert [(part.group, part.start, part.stop) for part in parts] == [(0, 0, 4), (0, 4, 6), (1, 0, 4)]
    found = [row for part in parts for row in rows_of(part)]
    assert found == [(f"{tmp_path}/a.warc.gz", 10 * n, 10) for n in range(1, 10, 2)]


def test_a_manifest_may_list_the_files_of_an_index(tmp_path: Path) -> None:
    index(tmp_path / "one.parquet", ROWS)
    (tmp_path / "manifest").write_text("one.parquet\n")

    (part,) = parts_of(str(tmp_path / "manifest"), base=f"{tmp_path}/")

    assert len(list(rows_of(part))) == 10


@pytest.mark.parametrize(
    ("columns", "where", "message"),
    [
        (("url", "warc_filename"), [], "no column warc_record_offset"),
        (tuple(ROWS[0]), ["crawl=x"], "no column crawl"),
        (tuple(ROWS[0]), ["crawl"], "is not a valid condition"),
    ],
)
def test_an_index_without_what_is_needed_is_refused(
    tmp_path: Path, columns: tuple[str, ...], where: list[str], message: str
) -> None:
    path = index(tmp_path / "index.parquet", [{name: row[name] for name in columns} for row in ROWS])

    with pytest.raises(InputError, match=message):
        parts_of(str(path), where=where)


def test_a_damaged_index_is_refused(tmp_path: Path) -> None:
    path = index(tmp_path / "index.parquet", ROWS)
    path.write_bytes(path.read_bytes()[:-20])

    with pytest.raises(InputError, match="is not a valid Parquet file; create it again"):
        parts_of(str(path))


def test_other_work_has_another_identity() -> None:
    part = Part(number=0, archives=("a", "b"))

    assert part.identity("x") == Part(number=7, archives=("a", "b")).identity("x")
    assert (
        len(
            {
                part.identity("x"),
                part.identity("y"),
                Part(number=0, archives=("a",)).identity("x"),
                Part(number=0, archives=("ab",)).identity("x"),
            }
        )
        == 4
    )
