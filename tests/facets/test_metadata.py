import pytest

from pagedrift import PageVersion


def page(source: str, **fields) -> PageVersion:
    return PageVersion("https://city.example/permits", source.encode(), **fields)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<title> Fees \n and  permits </title>", "Fees and permits"),
        ("<title>A &amp; B</title><title>C</title>", "A & B"),
        ("<svg><title>Icon</title></svg><title>Page</title>", "Page"),
        ("<template><title>Not this</title></template><title>Page</title>", "Page"),
        ("<p>none", ""),
    ],
)
def test_the_title_is_that_of_the_page(source: str, expected: str) -> None:
    assert page(source).title == expected


@pytest.mark.parametrize(
    ("source", "headers", "expected"),
    [
        ("<html lang=de-AT>", (), "de-AT"),
        ("<meta http-equiv=Content-Language content='fr, en'>", (), "fr"),
        ("<p>", (("Content-Language", "pt"),), "pt"),
        ("<html lang=''>", (), None),
    ],
)
def test_the_language_is_that_of_the_root_or_the_header(source, headers, expected) -> None:
    assert page(source, headers=headers).language == expected


def test_canonical_url_and_generator_are_found() -> None:
    found = page("<link rel=canonical href=/Permits><meta name=Generator content='Hugo 0.1'>")

    assert found.canonical == "https://city.example/Permits"
    assert found.generator == "Hugo 0.1"
    assert page("<p>").canonical is None
    assert page("<p>").generator is None
