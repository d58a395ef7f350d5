import gzip
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import pytest

import pagedrift
from pagedrift import PageVersion
from pagedrift.errors import InputError
from pagedrift.what_changed import history, introduced
from pagedrift.what_changed.introduced import Introduced
from tests.builders import DAYS, URL, record


def day(number: int) -> datetime:
    """Give noon of a day in November, when the versions of these tests are captured."""
    return datetime(2026, 11, number, 12, tzinfo=UTC)


def archive(folder: Path, *bodies: str, status: dict[int, str] | None = None) -> Path:
    """Write a version a day, from the first of November on."""
    path = folder / "crawl.warc.gz"
    path.write_bytes(
        b"".join(
            record(body=body.encode(), date=DAYS[place], packed=True, status=(status or {}).get(place, "200 OK"))
            for place, body in enumerate(bodies)
        )
    )
    return path


def items(*texts: str) -> str:
    return "<h1>News</h1><ul>" + "".join(f"<li>{text}</li>" for text in texts) + "</ul><p>The end"


def rows(*texts: str) -> str:
    cells = ("".join(f"<td>{cell}" for cell in text.split("|")) for text in texts)
    return "<table>" + "".join(f"<tr>{cell}" for cell in cells) + "</table>"


def found(path: Path, css: str = "li", *, since: int = 2) -> Introduced:
    return introduced(pagedrift.read(path), css, since=day(since).replace(hour=0))


def told(answer: Introduced) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    return (
        [item.value for item in answer.appeared],
        [item.value for item in answer.gone],
        [(edit.before.value, edit.after.value) for edit in answer.edited],
    )


def test_history_gives_the_value_at_each_version_and_says_when_it_changed(tmp_path: Path) -> None:
    path = archive(tmp_path, "<p>Fee: <b>$120</b>", "<p>A fee: <b> $120 </b>", "<p>None", "<p>Fee: <b>$145</b>")
    moments = list(history(pagedrift.read(path), "b"))

    assert [moment.value for moment in moments] == [("$120",), ("$120",), None, ("$145",)]
    assert [moment.changed for moment in moments] == [True, False, True, True]
    assert [moment.captured_at for moment in moments] == [day(number) for number in (1, 2, 3, 4)]
    assert {moment.url for moment in moments} == {URL}


def test_history_gives_the_values_of_all_elements_that_match(tmp_path: Path) -> None:
    path = archive(tmp_path, items("a", "b"), items("b", "a"))

    assert [moment.value for moment in history(pagedrift.read(path), "li")] == [("a", "b"), ("b", "a")]


def test_history_of_an_attribute_passes_over_elements_without_it(tmp_path: Path) -> None:
    path = archive(tmp_path, "<a href=/a>A</a><a>B</a><svg viewBox='0 0 1 1'></svg>", "<a>A</a>")
    read = pagedrift.read

    assert [moment.value for moment in history(read(path), "a", attribute="HREF")] == [("/a",), None]
    assert next(history(read(path), "svg", attribute="viewBox")).value == ("0 0 1 1",)


def test_a_selector_that_matches_nothing_has_a_history_of_nothing(tmp_path: Path) -> None:
    moments = list(history(pagedrift.read(archive(tmp_path, "<p>a", "<p>b")), ".missing"))

    assert [(moment.value, moment.changed) for moment in moments] == [(None, True), (None, False)]


def test_an_invalid_selector_is_refused_before_anything_is_read() -> None:
    with pytest.raises(InputError):
        history(iter([]), "p[")
    with pytest.raises(InputError):
        introduced(iter([]), "p[", since=day(1))


@pytest.mark.parametrize(
    "bodies",
    [
        (items("a b", "c d", "e f"), items("e f", "a b", "c d")),
        (items("one", "two", "three", "four"), items("four", "three", "two", "one")),
        (rows("Fence|$40", "Roof|$85", "Pool|$300"), rows("Pool|$300", "Fence|$40", "Roof|$85")),
        (items("a", "b"), items("a", "b") + "<aside>More to come"),
        (items("a", "b"), "<div class=new><h2>News</h2><main>" + items("a", "b") + "</main></div>"),
    ],
)
def test_what_only_stands_elsewhere_is_not_listed(bodies: tuple[str, str], tmp_path: Path) -> None:
    assert told(found(archive(tmp_path, *bodies), "li, tr")) == ([], [], [])


def test_inserting_at_the_top_lists_only_what_is_new(tmp_path: Path) -> None:
    path = archive(tmp_path, items("Fence", "Roof", "Pool"), items("Shed", "Fence", "Roof", "Pool"))

    assert told(found(path)) == (["Shed"], [], [])


def test_a_list_of_fixed_length_that_moves_on_has_one_new_and_one_gone_a_day(tmp_path: Path) -> None:
    names = ["Monday", "Library", "Roads", "Winter", "Council", "Parks"]
    path = archive(tmp_path, *(items(*names[start : start + 3]) for start in (3, 2, 1, 0)))
    answer = found(path)

    assert told(answer) == (["Monday", "Library", "Roads"], ["Winter", "Council", "Parks"], [])
    assert [item.first_seen for item in answer.appeared] == [day(4), day(3), day(2)]
    assert {item.value: item.last_seen for item in answer.gone}["Winter"] == day(3)


def test_an_edited_row_is_the_same_row_also_when_it_moved(tmp_path: Path) -> None:
    path = archive(
        tmp_path,
        rows("Permit|Fee", "Fence|$40", "Roof|$85"),
        rows("Permit|Fee", "Roof|$90", "Pool|$300", "Fence|$45"),
    )
    answer = found(path, "tr")

    assert told(answer) == (["Pool $300"], [], [("Roof $85", "Roof $90"), ("Fence $40", "Fence $45")])
    assert answer.edited[0].changed_at == day(2)


def test_rows_that_are_numbered_anew_are_not_taken_for_one_another(tmp_path: Path) -> None:
    path = archive(tmp_path, rows("1|Alice", "2|Bob"), rows("1|Carol", "2|Alice", "3|Bob"))
    answer = found(path, "tr")

    assert told(answer) == (["1 Carol"], [], [("1 Alice", "2 Alice"), ("2 Bob", "3 Bob")])


def test_an_item_is_known_by_its_id_and_by_its_first_link(tmp_path: Path) -> None:
    path = archive(
        tmp_path,
        "<ul><li id=x>Sold out<li><a href=/a?utm_source=mail>First words</a></ul>",
        "<ul><li><a href=http://www.city.example/a>Quite another text</a><li id=z>Sold out<li id=x>On sale</ul>",
    )

    assert told(found(path)) == (
        ["Sold out"],
        [],
        [("First words", "Quite another text"), ("Sold out", "On sale")],
    )


def test_ids_that_number_the_places_do_not_hide_long_texts(tmp_path: Path) -> None:
    def numbered(*texts: str) -> str:
        return "<ul>" + "".join(f"<li id=row-{place}>{text}" for place, text in enumerate(texts)) + "</ul>"

    old = ["The library reopens on Monday", "Road works on Main Street begin"]
    path = archive(tmp_path, numbered(*old), numbered("Winter market on the town square", *old))

    assert told(found(path)) == (["Winter market on the town square"], [], [])


def test_a_link_that_all_cards_have_is_no_identity(tmp_path: Path) -> None:
    def cards(*texts: str) -> str:
        return items(*(f"<a href=/category/news>News</a> {text}" for text in texts))

    path = archive(
        tmp_path, cards("Library reopens", "Road works"), cards("Library reopens"), cards("Library reopens", "Snow")
    )

    assert told(found(path)) == (["News Snow"], ["News Road works"], [])


def test_an_item_that_was_edited_while_others_came_and_went_is_the_same(tmp_path: Path) -> None:
    path = archive(tmp_path, items("Fence: $40", "Roof"), items("Pool", "Fence: $45"))

    assert told(found(path)) == (["Pool"], ["Roof"], [("Fence: $40", "Fence: $45")])


def test_minutes_of_one_meeting_are_not_taken_for_those_of_another(tmp_path: Path) -> None:
    days = ["17 November", "10 November", "3 November", "27 October"]
    minutes = [f"Minutes of the council of {day}" for day in days]
    path = archive(tmp_path, items(*minutes[1:]), items(*minutes[:-1]))

    assert told(found(path)) == (minutes[:1], minutes[-1:], [])


def test_the_same_words_that_lead_elsewhere_were_edited(tmp_path: Path) -> None:
    path = archive(tmp_path, "<p>To <a href=/apply>Apply online</a>", "<p>To <a href=/online>Apply online</a>")
    (edit,) = found(path, "a").edited

    assert (edit.before.link, edit.after.link) == ("https://city.example/apply", "https://city.example/online")


def test_one_item_that_takes_the_place_of_another_is_new(tmp_path: Path) -> None:
    path = archive(tmp_path, items("Winter market", "Library"), items("Road works on Main Street", "Library"))

    assert told(found(path)) == (["Road works on Main Street"], ["Winter market"], [])


def test_what_was_removed_and_came_back_is_the_same_item(tmp_path: Path) -> None:
    path = archive(tmp_path, items("Fence", "Roof"), items("Fence"), items("Roof", "Fence"), items("Roof"))

    assert told(found(path, since=2)) == ([], ["Fence"], [])
    (back,) = found(
        archive(tmp_path, items("Fence", "Roof"), items("Fence"), items("Roof", "Fence")), since=3
    ).appeared
    assert (back.value, back.first_seen, back.last_seen) == ("Roof", day(1), day(3))


def test_what_came_and_went_since_the_day_is_gone(tmp_path: Path) -> None:
    path = archive(tmp_path, items("Fence"), items("Fence", "Sale today"), items("Fence"))
    answer = found(path)

    assert told(answer) == ([], ["Sale today"], [])
    assert (answer.gone[0].first_seen, answer.gone[0].last_seen) == (day(2), day(2))


def test_what_went_before_the_day_is_not_listed(tmp_path: Path) -> None:
    path = archive(tmp_path, items("Fence", "Roof"), items("Fence"), items("Fence", "Pool"))

    assert told(found(path, since=3)) == (["Pool"], [], [])


def test_an_edit_that_was_taken_back_is_none(tmp_path: Path) -> None:
    path = archive(tmp_path, items("Fence: $40"), items("Fence: $45"), items("Fence: $40"))

    assert told(found(path)) == ([], [], [])


def test_failed_responses_take_nothing_away(tmp_path: Path) -> None:
    path = archive(
        tmp_path,
        items("Fence: $40"),
        "<p>Sorry",
        items("Fence: $45"),
        "<p>Sorry",
        status={1: "503 No", 3: "404 No"},
    )

    assert told(found(path)) == ([], [], [("Fence: $40", "Fence: $45")])


def test_a_day_before_the_first_version_compares_with_the_first(tmp_path: Path) -> None:
    path = archive(tmp_path, items("Fence"), items("Fence", "Roof"))
    answer = introduced(pagedrift.read(path), "li", since=datetime(2000, 1, 1))  # UTC

    assert told(answer) == (["Roof"], [], [])
    assert answer.compared_with == day(1)


def test_with_one_version_nothing_is_new(tmp_path: Path) -> None:
    path = archive(tmp_path, items("Fence", "Roof"))
    for since in (1, 20):
        answer = found(path, since=since)

        assert told(answer) == ([], [], [])
        assert (answer.items, answer.versions, answer.compared_with, answer.until) == (2, 1, day(1), day(1))


def test_items_say_where_they_stand(tmp_path: Path) -> None:
    path = archive(tmp_path, items("Fence"), items("Roof", "Fence"))
    (item,) = found(path).appeared

    assert (item.path, item.url, item.link) == ("ul › li[1]", URL, None)


def versions_of(pages: Iterable[str]) -> list[PageVersion]:
    return [PageVersion(f"https://city.example/{name}", items(name).encode(), captured_at=day(1)) for name in pages]


def test_of_several_pages_one_must_be_chosen() -> None:
    versions = versions_of("abcdefgh")
    with pytest.raises(InputError, match=r"example/e and more; say which one with --url URL"):
        introduced(versions, "li", since=day(1))
    with pytest.raises(InputError, match=r"/a, https://city.example/b; say which"):
        list(history(versions[:2], "li"))
    with pytest.raises(
        InputError, match=r"no version of https://city.example/z found, only of .*example/e and more; say"
    ):
        list(history(versions, "li", url="https://city.example/z"))

    assert [moment.value for moment in history(versions, "li", url="city.example/h/")] == [("h",)]
    assert introduced(versions, "li", since=day(1), url="http://www.city.example/g").items == 1


@pytest.mark.parametrize("css", ["li", "tr", "a", "p"])
def test_on_real_pages_items_add_up(css: str, data: Path) -> None:
    for folder in sorted(path for path in (data / "pairs").iterdir() if path.is_dir()):
        old, new = (
            PageVersion(
                "https://site.example/", gzip.decompress((folder / name).read_bytes()), captured_at=day(number)
            )
            for number, name in ((1, "a.html.gz"), (2, "b.html.gz"))
        )
        forth = introduced([old, new], css, since=day(2))
        (before, after) = (len(moment.value or ()) for moment in history([old, new], css))

        assert after - before == len(forth.appeared) - len(forth.gone), folder.name
        assert forth.items == before + len(forth.appeared), folder.name
        assert told(introduced([old, old], css, since=day(2))) == ([], [], [])


def test_every_page_of_a_real_stream_has_a_history(data: Path) -> None:
    versions = list(pagedrift.read(data / "streams" / "react-blog.warc.gz"))
    for url, pages in groupby(sorted(versions, key=lambda version: version.url), key=lambda version: version.url):
        moments = list(history(pages, "title"))

        assert moments[0].changed
        assert all(moment.value for moment in moments), url
