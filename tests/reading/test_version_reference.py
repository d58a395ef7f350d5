import io
from pathlib import Path

import pytest

from pagedrift.errors import InputError
from pagedrift.reading import pick
from tests.builders import DAYS, PAGE, URL, days, record

OTHER = "https://www.city.example/contact/"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Five versions of one page, out of order, as in real archives."""
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(days(5, packed=True)[day] for day in (1, 0, 4, 3, 2)))
    return path


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The same, and another page."""
    path = tmp_path / "site@home.warc"
    path.write_bytes(b"".join([*days(5), record(OTHER, b"<p>contact", date=DAYS[2])]))
    return path


def day(reference: object, **options: str) -> int:
    return int(pick(str(reference), **options).body.removeprefix(PAGE + b" on day "))


def test_a_file_is_picked_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "fees@2026.html"
    path.write_bytes(PAGE)

    assert pick(path).body == pick(str(path)).body == PAGE


def test_a_page_may_come_by_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PAGE)))

    assert pick("-").body == PAGE


def test_the_newest_version_is_picked_where_there_is_one_page(crawl: Path) -> None:
    assert day(crawl) == 4


@pytest.mark.parametrize(
    ("date", "picked"),
    [
        ("2026", 4),
        ("202611", 4),
        ("2026-11-03", 2),
        ("20261103", 2),
        ("20261103120000", 2),
        ("20261103115959", 1),
        ("2026-11-03T11:59", 1),
        ("2026-11-03T12:00:00Z", 2),
        ("2026-11-03T12:00:00+01:00", 1),
        ("2026-11-03 12", 2),
        ("9998", 4),
    ],
)
def test_the_nearest_version_at_or_before_a_date_is_picked(crawl: Path, date: str, picked: int) -> None:
    assert day(f"{crawl}@{date}") == picked
    assert day(f"{crawl}@{URL}@{date}") == picked
    assert day(f"{crawl}@{date}", url=URL) == picked


@pytest.mark.parametrize(
    "url",
    [
        URL,
        URL + "/",
        "http://city.example/fees",
        "city.example/fees",
        "www.city.example/fees",
        "//CITY.example/fees",
    ],
)
def test_an_address_is_matched_as_people_write_it(site: Path, url: str) -> None:
    assert day(f"{site}@{url}") == 4
    assert day(f"{site}@{url}@2026-11-02") == 1


def test_the_very_address_is_preferred(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(
        record("http://a.example/", b"<p>1", date=DAYS[0]) + record("http://a.example", b"<p>2", date=DAYS[1])
    )

    assert pick(f"{path}@http://a.example/").body == b"<p>1"
    assert pick(f"{path}@http://a.example").body == b"<p>2"
    assert pick(f"{path}@a.example").body == b"<p>2"


def test_an_address_may_hold_an_at_sign(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(record("https://a.example/@city", b"<p>1") + record("https://a.example/@town", b"<p>2"))

    assert pick(f"{path}@https://a.example/@town").body == b"<p>2"
    assert pick(f"{path}@https://a.example/@city@2026").body == b"<p>1"


def test_without_an_address_several_pages_are_listed(site: Path) -> None:
    with pytest.raises(InputError) as error:
        pick(site)

    assert str(error.value) == f"{site} holds several pages: {URL}, {OTHER}; say which one with: {site}@URL"


def test_of_many_pages_five_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(b"".join(record(f"https://{host}.example/") for host in "abcdefgh"))

    with pytest.raises(InputError, match=r"https://e\.example/ and more; say which one with"):
        pick(path)


def test_an_unknown_address_is_answered_with_those_there_are(site: Path) -> None:
    with pytest.raises(
        InputError, match=f"no version of https://x.example/, but of {URL}, {OTHER}; pick one with: "
    ):
        pick(f"{site}@https://x.example/")


def test_a_date_before_the_first_version_is_answered_with_how_to_pick_that(crawl: Path) -> None:
    with pytest.raises(InputError, match="the first one is of 2026-11-01 12:00:00") as error:
        pick(f"{crawl}@2025")

    assert day(str(error.value).rpartition(": ")[2]) == 0


def test_a_missing_archive_is_named_without_the_rest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.warc cannot be read"):
        pick(f"{tmp_path}/missing.warc@https://a.example/@2026")


def test_an_archive_without_pages_says_why(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(record()[:100])
    with pytest.raises(InputError, match=r"holds no page that can be read: .* byte 0: .*; get a complete copy"):
        pick(path)
    path.write_bytes(record(kind="metadata"))
    with pytest.raises(InputError, match="holds no page; give"):
        pick(path)


def test_a_url_says_where_the_page_of_a_file_came_from(tmp_path: Path) -> None:
    page = tmp_path / "saved.html"
    page.write_bytes(PAGE)

    assert pick(page, url=URL).url == URL
