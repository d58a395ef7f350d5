"""One crawl against another: every address gets its fate, whatever state the archives are in."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.crawls.addresses import address_key
from pagedrift.crawls.comparison import ComparedAddress, compare
from pagedrift.errors import InputError
from tests.builders import record, revisit, wacz
from tests.crawls.crawl_pages import NOVEMBER, OCTOBER, SITE, crawls, page, write


def fates(old: str, new: str, **options: int) -> dict[str, ComparedAddress]:
    """Compare two crawls; give what became of each address, by its path."""
    with compare(old, new, **options) as found:
        return {each.url.removeprefix(SITE): each for each in found}


@pytest.fixture
def town(tmp_path: Path) -> tuple[str, str]:
    return crawls(tmp_path)


def test_every_address_of_either_crawl_gets_its_fate(town: tuple[str, str]) -> None:
    found = fates(*town)

    assert {path: str(each.state) for path, each in found.items()} == {
        "/same": "unchanged",
        "/counter": "noise only",
        "/price": "changed",
        "/missing": "gone",
        "/left-out": "gone",
        "/bees": "moved",
        "/bridge": "moved",
        "/choir": "moved",
        "/redesigned": "layout changed",
        "/walled": "blocked or error page",
        "/tracked?utm_source=chat": "unchanged",
        "/again": "unchanged",
        "/fresh": "new",
    }


def test_a_page_that_is_gone_says_what_the_later_crawl_has_instead(town: tuple[str, str]) -> None:
    found = fates(*town)

    assert (found["/missing"].detail, found["/left-out"].detail) == ("status 404", "not crawled")


def test_a_page_that_moved_says_where_it_is_now(town: tuple[str, str]) -> None:
    found = fates(*town)

    assert [found[path].other_url.removeprefix(SITE) for path in ("/bees", "/bridge", "/choir")] == [
        "/nature/bees",
        "/history/bridge",
        "/choir-of-the-town",
    ]


def test_a_change_is_measured_judged_and_put_into_words(town: tuple[str, str]) -> None:
    price = fates(*town)["/price"]

    assert (price.headline, price.level) == ("Price $40 → $45", "important")
    assert price.amount is not None
    assert 0 < price.amount < 0.2


@pytest.mark.parametrize(("status", "state"), [("404 Not Found", "gone"), ("503 Busy", "blocked or error page")])
def test_a_server_that_fails_says_nothing_about_the_page(tmp_path: Path, status: str, state: str) -> None:
    old = write(tmp_path / "a.warc", record(f"{SITE}/x", page("X", "What was there before."), date=OCTOBER))
    new = write(tmp_path / "b.warc", record(f"{SITE}/x", b"<p>Sorry", status=status, date=NOVEMBER))

    assert str(fates(old, new)["/x"].state) == state


def test_a_headline_counts_all_other_changes(tmp_path: Path) -> None:
    old, new = (
        "".join(f"<li>Permit number {at} costs ${fee + at} for everybody in town</li>" for at in range(60))
        for fee in (100, 300)
    )
    paths = [
        write(tmp_path / f"{day[:7]}.warc", record(f"{SITE}/list", page("List", f"<ul>{text}</ul>"), date=day))
        for text, day in ((old, OCTOBER), (new, NOVEMBER))
    ]

    assert fates(*paths)["/list"].headline.endswith("and 59 other changes")


def test_a_consent_wall_is_named(town: tuple[str, str]) -> None:
    assert fates(*town)["/walled"].detail.startswith("consent: ")


def test_one_change_on_many_pages_is_one_group(tmp_path: Path) -> None:
    names = [f"Page {number}" for number in range(5)]
    jobs = " <a href=/jobs>Jobs at the town hall</a>"
    notes = [f"This page is about subject number {number} and nothing else." for number in range(5)]
    old = [record(f"{SITE}/{at}", page(name, notes[at]), date=OCTOBER) for at, name in enumerate(names)]
    new = [
        record(
            f"{SITE}/{at}",
            page(name, notes[at] if at else "The council decided to close the swimming pool.", menu=jobs),
            date=NOVEMBER,
        )
        for at, name in enumerate(names)
    ]
    with compare(write(tmp_path / "a.warc", *old), write(tmp_path / "b.warc", *new)) as found:
        groups, rows = found.groups(), list(found)

    shared = [group for group in groups if group.pages == 5]
    own = [row for row in rows if row.group is None and row.important]
    assert all("Jobs" in group.headline for group in shared)
    assert [row.url for row in own] == [f"{SITE}/0"]
    assert "swimming pool" in own[0].headline


def test_two_dates_of_one_archive_are_two_crawls(town: tuple[str, str], tmp_path: Path) -> None:
    both = tmp_path / "both.warc"
    both.write_bytes(b"".join(Path(path).read_bytes() for path in town))

    dated = fates(f"{both}@2026-10", f"{both}@2026-11")

    assert {path: each.state for path, each in dated.items()} == {
        path: each.state for path, each in fates(*town).items()
    }


@pytest.mark.parametrize("reference", ["-", "https://town.example/"])
def test_what_is_read_once_is_not_a_crawl(town: tuple[str, str], reference: str) -> None:
    with pytest.raises(InputError, match="is not a crawl; give an archive"):
        compare(town[0], reference)


def test_dates_the_wrong_way_round_are_refused(town: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="name the earlier date first"):
        compare(f"{town[0]}@2026-11", f"{town[0]}@2026-10")


def test_wacz_and_plain_warc_give_the_same_answer(town: tuple[str, str], tmp_path: Path) -> None:
    packed = [
        str(wacz(tmp_path / f"{at}.wacz", {"archive/data.warc": Path(path).read_bytes()}, deflated=bool(at)))
        for at, path in enumerate(town)
    ]

    assert {path: each.state for path, each in fates(*packed).items()} == {
        path: each.state for path, each in fates(*town).items()
    }


def test_a_crawl_against_itself_is_unchanged(town: tuple[str, str]) -> None:
    assert {str(each.state) for each in fates(town[0], town[0]).values()} == {"unchanged"}


def test_a_folder_with_the_same_archive_twice_counts_each_page_once(town: tuple[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "twice"
    folder.mkdir()
    for name in ("one.warc", "other.warc"):
        shutil.copy(town[0], folder / name)

    assert len(fates(str(folder), town[1])) == len(fates(*town))


def test_folders_of_saved_pages_meet_by_their_names(tmp_path: Path) -> None:
    for name, fee in (("before", 40), ("after", 45)):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "fees.html").write_bytes(page("Fees", f"A permit for a fence costs ${fee}."))

    found = fates(str(tmp_path / "before"), str(tmp_path / "after"))

    assert [(url, each.headline) for url, each in found.items()] == [("deep/fees.html", "Price $40 → $45")]


def test_session_ids_do_not_make_new_addresses(tmp_path: Path) -> None:
    body = page("Session", "Everybody gets a number of their own.")
    old, new = (
        [record(f"{SITE}/a;jsessionid={at:032x}?sid={at + shift:032x}", body, date=day) for at in range(200)]
        for shift, day in ((0, OCTOBER), (500, NOVEMBER))
    )

    found = fates(write(tmp_path / "a.warc", *old), write(tmp_path / "b.warc", *new))

    assert [str(each.state) for each in found.values()] == ["unchanged"]


def test_damaged_records_are_counted_with_their_places(town: tuple[str, str], tmp_path: Path) -> None:
    cut = tmp_path / "cut.warc"
    cut.write_bytes(Path(town[1]).read_bytes()[:-300])

    with compare(town[0], str(cut)) as found:
        assert found.account.counts.damaged
        assert str(cut) in str(found.account.problems[0])
        assert found.counts["unchanged"]


def test_a_revisit_without_its_original_is_not_guessed(tmp_path: Path) -> None:
    old = write(tmp_path / "a.warc", record(f"{SITE}/x", page("X", "What was there before."), date=OCTOBER))
    new = write(tmp_path / "b.warc", revisit(f"{SITE}/x", date=NOVEMBER, digest="sha1:ELSEWHERE"))

    with compare(old, new) as found:
        (row,) = found
        assert (str(row.state), row.detail) == ("cannot be compared", "revisit without its original")
        assert "give the archive that holds it as well" in found.account.problems[0].reason


def test_the_noise_of_earlier_captures_is_learned(tmp_path: Path) -> None:
    quotes = ["Bread feeds many", "Rain falls softly", "Old men sleep", "Dogs bark at noon", "Winter comes early"]
    texts = [page("Quotes", "We sell bread.").replace(b"</h1>", f"</h1><p>{each}</p>".encode()) for each in quotes]
    days = [f"2026-10-{at + 1:02}T08:00:00Z" for at in range(5)]
    records = [record(f"{SITE}/q", text, date=day) for text, day in zip(texts, days, strict=True)]
    old, new = write(tmp_path / "a.warc", *records[:4]), write(tmp_path / "b.warc", records[4])

    assert str(fates(old, new)["/q"].state) == "noise only"


def test_processes_do_not_change_the_answer(tmp_path: Path) -> None:
    old, new = (
        write(
            tmp_path / f"{day[:7]}.warc",
            *(
                record(f"{SITE}/{at}", page(f"Page {at}", f"Costs ${at * factor} a year."), date=day)
                for at in range(1, 121)
            ),
        )
        for factor, day in ((3, OCTOBER), (4, NOVEMBER))
    )

    assert fates(old, new, processes=1) == fates(old, new, processes=2)


@given(st.sampled_from(["utm_source", "fbclid", "PHPSESSID", "gclid", "mc_cid"]), st.text("abc123", min_size=1))
def test_tracking_parameters_never_change_a_key(name: str, value: str) -> None:
    bare = "https://town.example/a?b=1"

    assert address_key(f"{bare}&{name}={value}") == address_key(f"https://www.town.example/a?{name}={value}&b=1")


@pytest.mark.parametrize(
    "query", ["session=spring", "sid=7", "s=bread", "token=gold", "version=2", "id=0123456789"]
)
def test_parameters_that_mean_something_are_kept(query: str) -> None:
    assert address_key(f"{SITE}/talks?{query}").endswith(f"?{query}")
