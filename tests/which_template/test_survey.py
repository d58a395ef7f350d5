import gzip
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagedrift.which_template.survey as survey_module
from pagedrift import PageVersion, TemplateClusterer, read
from pagedrift.archive.record import LOOK
from pagedrift.read_report import Account
from pagedrift.which_template import FINGERPRINTS
from pagedrift.which_template.survey import Batch, Rows, Survey, batches, survey, surveys
from tests.builders import DAYS, record, revisit
from tests.which_template.test_fingerprint import EXAMPLE, by_the_book

FULL = (
    b"<html><head><title>a</title></head><body>" + b"<div><p>x <b>y</b><i>z</i></p><ul><li>1</li></ul></div>" * 20
)
LATE = b"<html><head><script>" + b"x" * LOOK + b"</script></head>" + FULL
HTML, JAPANESE = ("Content-Type", "text/html"), "日本".encode("iso2022_jp")
RECORDS = [
    record("https://a.example/", FULL, packed=True),
    record("https://b.example/", b"<p>short", packed=True),
    record("https://c.example/", LATE, packed=True),
    record("https://d.example/", gzip.compress(FULL), headers=[HTML, ("Content-Encoding", "gzip")], packed=True),
    record("https://e.example/", FULL, headers=[("Content-Type", "image/png")], packed=True),
    record("https://f.example/", FULL.decode().encode("utf-16"), packed=True),
    record("https://g.example/", b"<title>" + JAPANESE + b"</title>" + FULL, packed=True),
    record("https://h.example/", FULL, status="301 Moved", packed=True),
    record("https://i.example/", EXAMPLE, status="404 Not Found", packed=True),
    record("https://j.example/", FULL, kind="resource", content_type="text/html", packed=True),
    record("https://k.example/", EXAMPLE, headers=(), packed=True),
    revisit("https://a.example/", refers_to_uri="https://a.example/", refers_to_date=DAYS[0], packed=True),
    record("https://l.example/", FULL * 3, packed=True),
]


def seen(path: Path, *, rows: bool = False, quick: bool = False) -> tuple[list[tuple[bytes, str, int]], Account]:
    """Look through an archive by whole pages, which rows need, or by glimpses, which can be quick."""
    (batch,) = batches([str(path)], account=Account())
    found, account = survey(batch, algorithm="lzw", rows=rows, quick=quick)
    return list(found), account


def same_both_ways(path: Path) -> list[tuple[bytes, str, int]]:
    by_pages, by_glimpses = seen(path, rows=True), seen(path, rows=False)

    assert by_glimpses == by_pages
    return by_glimpses[0]


def test_a_glimpse_gives_the_fingerprint_that_the_page_gives(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(RECORDS))
    found = same_both_ways(path)

    assert sum(pages for *_, pages in found) == 11
    assert found == list(Survey(algorithm="lzw").see(read(path)))


@given(cut=st.integers(0, sum(map(len, RECORDS))), byte=st.integers(0, 255))
def test_damage_makes_no_difference_between_pages_and_glimpses(
    cut: int, byte: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = bytearray(b"".join(RECORDS))
    path = tmp_path_factory.mktemp("damaged") / "crawl.warc.gz"
    path.write_bytes(data[: max(cut, len(RECORDS[0]))])
    same_both_ways(path)
    data[cut % len(data)] = byte
    path.write_bytes(data)
    same_both_ways(path)


@given(cut=st.integers(len(RECORDS[0]), sum(map(len, RECORDS))))
def test_beginnings_give_the_fingerprints_that_pages_give_also_where_an_archive_is_cut_off(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "crawl.warc.gz"
    path.write_bytes(b"".join(RECORDS)[:cut])
    assert seen(path, quick=True) == seen(path)


@pytest.mark.parametrize("size", [1, 3000, 20_000, 100_000])
def test_a_page_is_unpacked_as_far_as_its_fingerprint_needs(size: int, tmp_path: Path) -> None:
    late = b"<html><script>" + bytes(at % 251 for at in range(size)).replace(b"<", b" ") + b"</script>" + FULL
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(record(f"https://{at}.example/", late, packed=True) for at in range(30)))
    assert seen(path, quick=True) == seen(path)


def test_beginnings_are_not_taken_from_an_archive_inside_a_record(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.gz"
    inner = b"".join(RECORDS)  # kept as it is, since it cannot be packed once more
    outer = record("https://archive.example/crawl.warc.gz", inner, headers=[("Content-Type", "application/warc")])
    path.write_bytes(gzip.compress(outer, 0) + RECORDS[0])
    assert seen(path, quick=True) == seen(path)
    assert seen(path)[0][0][2] == 1


def test_damage_behind_the_beginning_of_a_page_is_not_noticed_by_its_beginning(tmp_path: Path) -> None:
    body = FULL + b"".join(b"<p>%d" % (at * at) for at in range(20_000))
    damaged = bytearray(record("https://a.example/", body, packed=True))
    damaged[len(damaged) // 2] ^= 0xFF
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(damaged + RECORDS[1])
    whole, begun = seen(path), seen(path, quick=True)
    assert [example for _, example, _ in whole[0]] == ["https://b.example/"]
    assert len(whole[1].problems) == 1
    assert [example for _, example, _ in begun[0]] == ["https://a.example/", "https://b.example/"]
    assert not begun[1].problems


def test_several_processes_see_the_same(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.warc.gz").write_bytes(b"".join(RECORDS[number:]))
        (tmp_path / f"{number}.html").write_bytes(FULL)
    every = list(batches([str(tmp_path)], account=Account()))
    clusterers = [TemplateClusterer("lzw"), TemplateClusterer("lzw")]
    tables = [Rows(), Rows()]
    for jobs, clusterer, table in zip((1, 2), clusterers, tables, strict=True):
        for _, found, _ in surveys(every, algorithm="lzw", rows=True, jobs=jobs):
            table.extend(found.rows or Rows(), found.cluster(clusterer))

    assert [batch.name for batch in every] == [tmp_path.name, "0", tmp_path.name, "1", tmp_path.name, "2"]
    assert list(clusterers[0].index_) == list(clusterers[1].index_)
    assert clusterers[0].clusters() == clusterers[1].clusters()
    assert tables[0] == tables[1]


@pytest.mark.slow
def test_real_pages_have_the_fingerprints_of_the_paper_s_algorithm(data: Path) -> None:
    for page in read(sorted((data / "templates").glob("*.warc.gz")), order="file"):
        assert FINGERPRINTS["lzw"].references(page) == by_the_book(page), page.url


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", FINGERPRINTS)
def test_a_look_at_the_beginning_of_real_pages_gives_their_fingerprint_or_nothing(
    data: Path, algorithm: str
) -> None:
    how = FINGERPRINTS[algorithm]
    for page in read(sorted((data / "streams").glob("*.warc.gz")), order="file") if how.look else ():
        given = how.look(page.body[:LOOK], page.content_type, len(page.body) <= LOOK)
        assert given in (None, how.references(page)), page.url


def test_pages_are_counted_with_the_first_as_an_example() -> None:
    pages = [PageVersion(f"https://a.example/{n}", FULL) for n in range(3)]

    assert list(Survey(algorithm="lzw").see(pages)) == [(by_the_book(pages[0]), "https://a.example/0", 3)]


def test_who_stops_early_does_not_wait_for_what_was_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, cancelled = [], threading.Event()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            cancelled.set()
            super().shutdown(wait=wait)

    def slowly(batch: Batch, **_: object) -> tuple[Survey, Account]:
        begun.append(batch)
        if batch.name != "0":
            cancelled.wait()
        return Survey(algorithm="lzw"), Account()

    monkeypatch.setattr(survey_module, "survey", slowly)
    monkeypatch.setattr(survey_module, "ProcessPoolExecutor", lambda jobs, **_: Pool(jobs))
    found = surveys([Batch(str(number), (), 0) for number in range(100)], algorithm="lzw", jobs=2)
    next(found)
    found.close()  # type: ignore[attr-defined]

    assert 1 <= len(begun) <= 3
