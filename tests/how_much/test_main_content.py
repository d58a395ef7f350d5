"""Words of the main content."""

import gzip
import sys
import time
from pathlib import Path

import pytest

from pagedrift import PagedriftError, PageVersion, measure
from pagedrift.how_much.main_content import main_words

PAGE = """<!doctype html><body><nav><a href=/>Home</a> <a href=/n>News {0}</a></nav>
<main><h1>Fees</h1><p>A permit for a fence costs {1} and is valid for one year after the day of issue.</p>
<p>Bring a drawing of the fence, and a letter in which all your neighbours agree to it.</p></main>
<footer>Visitor {0}</footer>"""


def page(visitor: str, fee: str) -> PageVersion:
    return PageVersion("", PAGE.format(visitor, fee).encode())


def test_a_counter_in_the_footer_is_no_change_of_the_main_content() -> None:
    old, new = page("48,112", "$40"), page("48,377", "$40")

    assert measure(old, new)["extended"] > 0
    assert measure(old, new, main_content=True)["extended"] == 0
    assert measure(old, new, main_content=True)["bytewise"] == 1


def test_a_new_fee_is_one_with_and_without_main_content() -> None:
    old, new = page("48,112", "$40"), page("48,112", "$45")

    assert measure(old, new, main_content=True).extended.replaced == (("$40", "$45"),)
    assert measure(old, new, main_content=True)["extended"] > measure(old, new)["extended"] > 0


def test_ideographs_are_words_as_they_are_among_all_visible_words() -> None:
    body = "<main><p>" + "許可證費用一年四十元。" * 20 + "</p></main>"

    assert main_words(PageVersion("", body.encode())) == PageVersion("", body.encode()).words


@pytest.mark.parametrize("body", [b"", b"<nav><a href=/>Home</a></nav>", b"<title>x</title>"])
def test_a_page_without_main_content_counts_as_a_whole(body: bytes) -> None:
    assert main_words(PageVersion("", body)) == PageVersion("", body).words


def test_a_page_nested_as_only_attacks_are_takes_no_longer_than_others() -> None:
    start = time.process_time()

    assert main_words(PageVersion("", b"<div>" * 100_000 + b"fee")) == ("fee",)
    assert time.process_time() - start < 5


def test_without_the_extra_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resiliparse.extract.html2text", None)

    with pytest.raises(PagedriftError, match=r"pip install 'pagedrift\[content\]'"):
        measure(page("1", "2"), page("3", "4"), main_content=True)


@pytest.mark.slow
def test_the_main_content_of_real_pages_is_a_part_of_their_words(data: Path) -> None:
    main = whole = 0
    for path in sorted(data.glob("pairs/*/a.html.gz"))[:100]:
        version = PageVersion("", gzip.decompress(path.read_bytes()))
        main += len(main_words(version))
        whole += len(version.words)

    assert 0.3 * whole < main < whole
