"""What stands for a page, and what is refused with a word about what to give."""

import gzip
import pickle
from pathlib import Path

import pytest

import pagedrift
from pagedrift import InputError, PageVersion
from pagedrift.arguments import as_page
from pagedrift.what_changed import patch
from tests.builders import DAYS, record

HTML = "<meta charset=latin1><title>Gebühren</title><p>Eine Erlaubnis kostet 120 €"
QUESTIONS = {
    "diff": pagedrift.diff,
    "check": pagedrift.check,
    "judge": pagedrift.judge,
    "measure": pagedrift.measure,
    "fingerprint": lambda _, new: pagedrift.fingerprint(new),
    "patch": lambda old, _: patch(old, pagedrift.diff(HTML, HTML)),
    "update": lambda _, new: pagedrift.RedesignDetector().update(new),
}
WRONG = {
    "None": None,
    "a number": 7,
    "a list": [b"<p>"],
    "a file": open,
    "a fingerprint": pagedrift.fingerprint(HTML),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "fees.html"
    path.write_bytes(HTML.encode("latin-1", "xmlcharrefreplace"))
    return path


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_every_question_takes_text_bytes_paths_and_versions(ask, file: Path) -> None:
    for given in (HTML, HTML.encode(), file, PageVersion("https://city.example/", HTML.encode())):
        ask(given, given)


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_every_question_says_what_to_give_instead_of_anything_else(ask, wrong: object) -> None:
    with pytest.raises(
        TypeError, match=r"is not a page; give HTML as str or bytes, a pathlib\.Path, or a pagedrift\."
    ):
        ask(wrong, wrong)


def test_text_is_read_as_it_is_whatever_encoding_it_names() -> None:
    for page in (
        as_page(HTML),
        PageVersion("", HTML),
        PageVersion("", HTML, content_type="text/html; charset=big5"),
    ):
        assert page.title == "Gebühren"
        assert page.words[-2:] == ("120", "€")
    assert PageVersion("", HTML, content_type="application/xhtml+xml").content_type.startswith(
        "application/xhtml+xml;"
    )
    assert as_page("\ud800<p>x").words == ("?", "x")  # half a character


def test_a_path_is_read_as_the_command_line_reads_it(file: Path, tmp_path: Path) -> None:
    [read] = pagedrift.read(file)
    assert as_page(file) == read
    packed = tmp_path / "fees.html.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert as_page(packed).words == read.words


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_any_kind_of_bytes_is_kept_as_bytes(kind: type) -> None:
    page = PageVersion("", kind(b"<p>x"))

    assert (page.body, page.content_type) == (b"<p>x", None)
    assert pickle.loads(pickle.dumps(page)) == page == PageVersion("", b"<p>x")


def test_a_text_that_is_an_address_or_a_file_is_not_taken_for_html(file: Path, tmp_path: Path) -> None:
    for give in (as_page, lambda text: PageVersion("", text)):
        with pytest.raises(TypeError, match=r"is an address, not HTML; read the page with: pagedrift\.pick"):
            give(" HTTPS://city.example/fees ")
        with pytest.raises(TypeError, match=r"is a file, not HTML; read the page with: pagedrift\.pick"):
            give(str(file))
    for text in ("", "fees", f"{tmp_path}/missing.html", "See https://city.example/", "x" * 100_000, "a\0b"):
        assert as_page(text).source == text


def test_a_path_with_none_or_several_versions_says_how_to_choose(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="missing"):
        as_page(tmp_path / "missing.html")
    several = tmp_path / "several.warc"
    several.write_bytes(b"".join(record(body=f"<p>{day}".encode(), date=day) for day in DAYS[:2]))
    with pytest.raises(InputError, match=r"several versions; choose one with: pagedrift\.pick"):
        as_page(several)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="empty"):
        as_page(empty)


def test_a_version_of_no_html_is_refused_where_it_is_made(file: Path) -> None:
    with pytest.raises(TypeError, match=r"give its bytes: path\.read_bytes"):
        PageVersion("", file)
    with pytest.raises(TypeError, match="the body is NoneType; give HTML as str or bytes"):
        PageVersion("", None)
    with pytest.raises(TypeError, match="the url is bytes; give a str, and the HTML after it"):
        PageVersion(b"<p>", "https://city.example/")
