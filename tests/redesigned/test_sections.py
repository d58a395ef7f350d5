import json

from hypothesis import given
from hypothesis import strategies as st

from pagedrift.redesigned.sections import MAX_REMEMBERED_SECTIONS, SectionPlaces, folders


def places(*paths: str, size: int = 40) -> SectionPlaces:
    known = SectionPlaces(size=size)
    for index, path in enumerate(paths):
        known.add(f"https://site.example{path}", index)
    return known


def is_home(known: SectionPlaces, path: str, first: int) -> bool:
    return known.is_home(f"https://site.example{path}", first)


def test_a_folder_that_had_documents_is_home_and_a_new_one_is_not() -> None:
    known = places(*["/news/a.html", "/guides/b.html"] * 10)

    assert is_home(known, "/news/c.html", 20)
    assert not is_home(known, "/shop/c.html", 20)


def test_a_folder_whose_first_documents_came_just_before_is_not_home() -> None:
    known = places(*["/news/a.html", "/guides/b.html"] * 10, "/shop/1.html", "/shop/2.html")

    assert not is_home(known, "/shop/3.html", 21)


def test_a_new_folder_below_a_known_one_is_not_home() -> None:
    known = places(*["/content/news/a.html", "/content/guides/b.html"] * 10)

    assert is_home(known, "/content/news/c.html", 20)
    assert not is_home(known, "/content/api/c.html", 20)


def test_where_each_document_has_a_folder_of_its_own_folders_tell_nothing() -> None:
    known = places(*(f"/{chr(97 + number)}/page.html" for number in range(20)), size=10)

    assert is_home(known, "/zzz/page.html", 20)


def test_numbers_in_a_folder_do_not_make_it_another() -> None:
    assert folders("http://a.example/2025/01/x.html") == folders("http://a.example/2026/11/y/index.html")


@given(st.text(max_size=30))
def test_any_url_has_a_place(url: str) -> None:
    near, far = folders(url)
    assert far.startswith(near)


def test_what_is_remembered_is_bounded_and_survives_saving() -> None:
    known = SectionPlaces(size=5)
    for index in range(2 * MAX_REMEMBERED_SECTIONS):
        name = "".join(chr(97 + int(digit)) for digit in str(index))
        known.add(f"https://site.example/{name}/x/y.html", index)
    restored = SectionPlaces(size=5)
    restored.restore(json.loads(json.dumps(known.state())))

    assert len(known.state()["known"]) <= MAX_REMEMBERED_SECTIONS
    assert json.dumps(restored.state()) == json.dumps(known.state())
