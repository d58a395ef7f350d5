from hypothesis import given

from pagedrift import PageVersion, check
from pagedrift.testing import made_stream
from pagedrift.what_changed import Noise
from tests.strategies import pages


def test_an_equal_page_is_unchanged_in_every_respect() -> None:
    page = PageVersion("", b"<main><h1>Fees</h1><p>A permit costs $120")
    found = check(page, page)

    assert not found.changed
    assert set(found.measures.values()) == {0.0}
    assert not found.judgement.matters
    assert found.same_template
    assert not found.redesigned


def test_another_design_is_a_redesign_and_another_template() -> None:
    old, new = made_stream([0, 1])
    found = check(old, new)

    assert found.redesigned
    assert not found.same_template


def test_noise_is_no_change() -> None:
    old, new = (PageVersion("", f"<p class=ad>{text}<p>Fees".encode()) for text in ("Buy!", "Sell!"))

    assert check(old, new).changed
    assert not check(old, new, noise=Noise(selectors=(".ad",))).changed


@given(pages, pages)
def test_any_two_pages_get_all_answers(old: bytes, new: bytes) -> None:
    found = check(PageVersion("", old), PageVersion("", new))

    assert 0 <= found.judgement.probability <= 1
    assert 0 <= found.replaced <= 1
    assert found.same_template in (True, False)
