"""The one line that sums a change up."""

from pagedrift import PageVersion, changes
from pagedrift.report.headlines import headline

PAGE = "<main><h1>News</h1><p>The bridge is {}, says the council.</p><p>A permit costs {} a year.</p>{}</main>"


def headline_of(old: str, new: str) -> str:
    return headline(changes(PageVersion("", old.encode()), PageVersion("", new.encode())))


def test_a_full_stop_is_left_out_before_and() -> None:
    old = PAGE.format("open", "$40", "")
    new = PAGE.format(
        "open",
        "$40",
        "<h2>Fire brigade</h2><p>It was out eleven times between four and seven.</p><ul><li>Rain.</ul>",
    )

    assert ". and" not in headline_of(old, new)


def test_a_price_comes_before_a_counter() -> None:
    page = "<main><p>A permit for a fence costs {} and is valid for a year.</p></main><footer>{} visitors</footer>"

    assert headline_of(page.format("$40", 17), page.format("$45", 18)) == "Price $40 → $45"
