"""What became of selectors between two versions of a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pagedrift import InputError, LimitError, PageVersion, relocate
from pagedrift.facets.tree import read_tree
from pagedrift.selectors import Relocator, SelectorStatus
from pagedrift.selectors.expressions import Selector, parse_selector
from pagedrift.selectors.robust_css import SelectorWriter
from pagedrift.selectors.selectable import SelectablePage

RULES = " ".join(
    f"Rule {number} says that nobody may park here for more than {number} hours." for number in range(9)
)
OLD = f"<title>Parking – Town</title><nav><a href=/>Home</a></nav><div id=rules><h1>Parking</h1><p>{RULES}</div>"
NEW = f"<title>Parking – Town</title><header><a href=/>Home</a></header><main class=css-1x2y3z><section class=text><h1>Parking</h1><p>{RULES}</section></main>"  # noqa: E501


def test_a_selector_that_means_the_same_works() -> None:
    assert relocate(OLD, OLD, "#rules").status is SelectorStatus.WORKS
    assert relocate(OLD, NEW, "h1").status is SelectorStatus.WORKS


def test_a_region_is_found_by_its_words_wherever_it_stands() -> None:
    found = relocate(OLD, NEW, "#rules")

    assert found.status is SelectorStatus.MOVED
    assert found.proposal is not None
    assert found.proposal.selector == ".text"
    assert found.probability > 0.9


def test_a_region_whose_words_are_nowhere_is_gone() -> None:
    found = relocate(OLD, "<title>Swimming – Town</title><h1>Swimming</h1><p>The pool opens at nine.", "#rules")

    assert (found.status, found.proposal) == (SelectorStatus.GONE, None)


def test_a_selector_that_matches_an_emptied_element_is_gone() -> None:
    assert relocate(OLD, "<div id=rules></div><p>Loading", "#rules").status is SelectorStatus.GONE


@pytest.mark.parametrize(("menu", "status"), [("menu", SelectorStatus.GONE), ("author-menu", SelectorStatus.MOVED)])
def test_an_unlikely_element_is_proposed_only_if_it_shares_a_name(menu: str, status: SelectorStatus) -> None:
    links = "".join(f"<li><a href=/{word}>{word}</a>" for word in ("Home", "Shop", "News", "Imprint", "Privacy"))
    old, new = (
        PageVersion(f"https://shop.example/{title}", f"<title>{title} – Shop</title>{body}".encode())
        for title, body in (
            ("Tulips", f"<ul>{links}</ul><h1>Tulips</h1><p>By <a class=author href=/ann>Ann</a></p><p>In May."),
            ("Roses", f"<ul class={menu}>{links}</ul><h1>Roses</h1><p>In June."),
        )
    )

    assert relocate(old, new, "a.author").status is status


def test_a_list_of_selectors_of_which_the_largest_broke_is_wrong() -> None:
    found = relocate(OLD, NEW, ["h1", "#rules p"])

    assert found.status is SelectorStatus.WRONG
    assert found.proposal is not None
    assert found.proposal.selector in (".text", ".text p", "p")


def test_what_is_removed_from_a_region_is_not_looked_for() -> None:
    old = OLD.replace("<h1>", "<aside>Related: a long list of other rules</aside><h1>")
    found = relocate(old, NEW, {"select": "#rules", "remove": "aside"})

    assert found.proposal is not None
    assert found.proposal.likeness > 0.95


def test_a_range_is_looked_for_as_a_range() -> None:
    sections = [" ".join(f"word{number}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz") for number in range(4)]
    body = "".join(f"<h2 id=s{number}>Part</h2><p>{text}" for number, text in enumerate(sections))
    old, new = f"<main>{body}</main>", f"<main>{body.replace('id=s', 'id=part-')}</main>"
    found = relocate(old, new, {"startBefore": "#s1", "endBefore": "#s3"})

    assert found.status is SelectorStatus.MOVED
    assert found.proposal is not None
    assert found.proposal.range is not None
    assert found.proposal.written.startswith("from #part-1 ")


def test_a_field_is_found_by_its_names_and_the_kind_of_its_value() -> None:
    old = "<h1 class=entry-title>Lantern</h1><span class=price>$40</span><p>A lantern for the garden."
    new = "<div><h2 class=title>Tent</h2><b class=product-price>$185</b></div><p>A tent for the garden."

    assert [relocate(old, new, css).proposal.selector for css in (".entry-title", ".price")] == [  # type: ignore[union-attr]
        ".title",
        ".product-price",
    ]


def test_rows_are_relocated_as_a_list() -> None:
    rows = ["Fence $40", "Roof $85", "Shed $20", "Pool $90"]
    old = "<ul class=fees>" + "".join(f"<li>{row}" for row in rows) + "</ul><ul><li>Home<li>Contact</ul>"
    new = "<div class=menu><a>Home</a><a>Contact</a></div><div class=fee-list>" + "".join(
        f"<div class=fee-row>{row}</div>" for row in rows
    )
    found = relocate(old, new, ".fees li")

    assert found.proposal is not None
    assert (found.proposal.selector, found.proposal.count) == (".fee-row", 4)


def test_long_rows_are_relocated_as_rows() -> None:
    rows = [f"Entry {number} says {' '.join(f'word{number}x{at}' for at in range(25))}" for number in range(6)]
    old = "<ul class=entries>" + "".join(f"<li class=entry>{row}" for row in rows) + "</ul><p>Other"
    new = "<p>Other</p><div class=posts>" + "".join(f"<div class=post>{row}</div>" for row in rows) + "</div>"
    found = relocate(old, new, ".entry")

    assert found.proposal is not None
    assert (found.proposal.selector, found.proposal.count) == (".post", 6)


def test_a_selector_that_means_one_of_many_now_is_wrong() -> None:
    old = "<title>Lamp – Shop</title><p>Shop</p><article><h2>Lamp</h2><p>It shines</article>"
    new = old.replace("It shines", "It shines</p><h2>Similar</h2><p>Tent")
    found = relocate(old, new, Selector("title", "article h2", "css"))

    assert found.status is SelectorStatus.WRONG
    assert found.proposal is not None
    assert found.proposal.text == "Lamp"


def test_a_list_without_names_is_named_by_its_place() -> None:
    rows = "".join(
        f"<ul><li><a href=/{letter}{number}>{letter}{number}</a>" + f"<li><a>{letter}x{number}</a></ul>"
        for letter in "ab"
        for number in range(2)
    )
    tree = read_tree(f"<main>{rows}</main>")
    second = list(tree.elements("a"))[2:4]

    assert SelectorWriter(tree).write(second) == "body > main > ul:nth-of-type(2) a"


@pytest.mark.parametrize("suffix", ["::text", "::attr(href)"])
def test_a_proposal_takes_the_same_part_of_the_element(suffix: str) -> None:
    old = "<a class=download href=/a.zip>Download version 2</a><p>Other"
    new = "<p>Other</p><div><a class=get-download href=/a.zip>Download version 2</a></div>"
    found = relocate(old, new, f".download{suffix}")

    assert found.proposal is not None
    assert found.proposal.selector == f".get-download{suffix}"


@pytest.mark.parametrize("expression", ["//b/text()", "//b/@id", "//b"])
def test_texts_and_attributes_that_xpath_finds_are_those_of_their_elements(expression: str) -> None:
    page = SelectablePage(PageVersion("", b"<p><b id=x>A</b>"))

    assert [page.tree.tag(node) for node in page.nodes(parse_selector("", expression))] == ["b"]


def test_a_selector_that_never_matched_has_no_answer() -> None:
    found = relocate(OLD, NEW, ".nothing")

    assert (found.status, found.broken, found.proposal) == (SelectorStatus.UNKNOWN, False, None)


@pytest.mark.parametrize("selector", ["li[", "", [], {"startBefore": "h1"}, 7, ["h1"] * 101])
def test_what_is_no_selector_is_refused_with_the_next_step(selector: object) -> None:
    with pytest.raises(InputError, match=";"):
        relocate(OLD, NEW, selector)  # type: ignore[arg-type]


def test_without_an_old_page_there_is_nothing_to_learn_from() -> None:
    with pytest.raises(InputError, match="at least one"):
        relocate([], NEW, "h1")


def test_several_old_pages_teach_what_stays() -> None:
    def old(number: int) -> str:
        return f"<h1 class=name>Lamp {number}</h1><p class=note>Ships in {number} days"

    new = "<div class=note-box>Lamp of the month</div><h2 class=product-name>Tent</h2><p>Ships today"
    found = relocate([old(1), old(2), old(3)], new, ".name")

    assert found.proposal is not None
    assert found.proposal.selector == ".product-name"


def test_a_page_of_a_hundred_thousand_elements_is_refused() -> None:
    with pytest.raises(LimitError, match="elements"):
        Relocator([PageVersion("", b"<p>A")], PageVersion("", b"<i></i>" * 100_001))


@pytest.mark.parametrize("selector", ["*", "//*", "body", "h1", "#rules", "nav a"])
def test_on_an_empty_page_everything_is_gone(selector: str) -> None:
    assert relocate(OLD, "", selector).status is SelectorStatus.GONE
    assert relocate(OLD, "<html><body></body></html>", selector).status is SelectorStatus.GONE


@pytest.mark.parametrize("selector", ["*", "//*", "html"])
def test_a_selector_that_matches_everything_works_on_every_version_of_a_page(selector: str) -> None:
    assert relocate(OLD, NEW, selector).status is SelectorStatus.WORKS


@given(
    some.text(max_size=200), some.text(max_size=200), some.sampled_from(["p", "h1", "//p", "*", "a::attr(href)"])
)
def test_whatever_the_pages_are_there_is_an_answer(one: str, other: str, selector: str) -> None:
    found = relocate(f"<p>{one}", f"<p>{other}", selector)

    assert 0 <= found.probability <= 1
    if found.proposal is not None and found.proposal.selector:
        page = SelectablePage(PageVersion("", f"<p>{other}".encode("utf-8", "replace")))
        assert page.nodes(parse_selector("", found.proposal.selector))


@given(
    some.lists(some.sampled_from(["<p>", "<b class=a>", "<i id=x>", "</p>", "<div class='css-1a2b3c n'>", "text "]))
)
def test_a_written_selector_means_just_the_elements_it_was_written_for(parts: list[str]) -> None:
    from pagedrift.selectors.robust_css import SelectorWriter

    page = SelectablePage(PageVersion("", "".join(parts).encode()))
    writer = SelectorWriter(page.tree)
    for node in page.tree.elements():
        if css := writer.write([node]):
            assert page.nodes(parse_selector("", css)) == [node]


SHOP = "<title>Lantern</title><h1>Lantern</h1><p class=price>$40</p><p>Made of tin, it burns for a whole night."


@pytest.mark.parametrize(
    "instead",
    [
        "<title>Before you continue</title><h1>Before you continue</h1><p>We use cookies. Accept all cookies or"
        " manage your cookie settings.<form><button>Accept all</button><button>Reject all</button></form>",
        "<title>Log in</title><h1>Log in</h1><form>Name <input> Password <input type=password></form>",
        "<title>503 Service Unavailable</title><h1>503 Service Unavailable</h1><p class=price>No server",
    ],
    ids=["consent wall", "login", "error"],
)
def test_a_page_that_stands_in_for_another_is_no_broken_selector(instead: str) -> None:
    found = relocate(SHOP, instead, ".price")

    assert (found.status, found.broken, found.proposal) == (SelectorStatus.NO_PAGE, False, None)
    assert found.reason
    assert found.old_text == "$40"


def test_a_page_that_always_had_a_login_is_judged() -> None:
    login = "<form>Name <input> Password <input type=password><button>Log in</button></form>"

    found = relocate(SHOP + login, SHOP.replace("class=price", "class=cost") + login, ".price")

    assert found.status is SelectorStatus.MOVED


def test_what_is_proposed_for_a_text_or_an_attribute_has_it() -> None:
    old = "<title>Lamp</title><p class=name>Lamp</p><a class=more href=/lamp>Read more</a><p>On sale now"
    new = "<title>Lamp</title><h2 class=name-of><b>Lamp</b></h2><p class=more-of><a href=/lamp>Read more</a></p>"

    name, more = (relocate(old, new, selector).proposal for selector in (".name::text", ".more::attr(href)"))

    assert name is not None
    assert more is not None
    page = SelectablePage(PageVersion("", new.encode()))
    for proposal, said in ((name, "Lamp"), (more, "Read more")):
        nodes = page.nodes(parse_selector("", proposal.selector))
        assert [page.tree.text_below(node) for node in nodes] == [said]
