"""The health of a scraper's selectors."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pagedrift import InputError, PageVersion
from pagedrift.selectors.expressions import parse_selectors, read_selectors
from pagedrift.selectors.health import SelectorHealth
from pagedrift.selectors.selectable import SelectablePage


def page(body: str) -> PageVersion:
    return PageVersion("https://city.example/", body.encode())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("title h1.title", ("title", "h1.title", "css")),
        ("title: h1.title", ("title", "h1.title", "css")),
        ("title = h1 > a", ("title", "h1 > a", "css")),
        ("title\th1", ("title", "h1", "css")),
        ("price //span[@class='price']", ("price", "//span[@class='price']", "xpath")),
        ("price (//span)[1]", ("price", "(//span)[1]", "xpath")),
        ("price xpath: //a/@href", ("price", "//a/@href", "xpath")),
        ("a:b css:#main", ("a:b", "#main", "css")),
        ("links a[href^='http://']", ("links", "a[href^='http://']", "css")),
    ],
)
def test_a_line_is_a_name_and_a_selector(line: str, expected: tuple[str, str, str]) -> None:
    (found,) = parse_selectors(f"# scraper\n\n{line}\n")

    assert (found.name, found.expression, found.language) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no selectors found"),
        ("# only a remark", "no selectors found"),
        ("title", "line 1 has no selector"),
        ("ok h1\ntitle li[", "line 2, title: .* is not a valid CSS selector"),
        ("title //li[", "line 1, title: invalid XPath"),
        ("title //p[preceding-sibling::p]", "could run forever"),
        ("title //p[count(//p) > 2]", "could run forever"),
        ("title //p/following-sibling::p", "could run forever"),
        ("title //p/following :: p", "could run forever"),
        ("title :has(:has(a))", "could run forever"),
        ("title //" + "a" * 1001, "more than 1,000 characters"),
        ("a b\n" * 501, "more than 500 selectors"),
    ],
)
def test_what_is_no_list_of_selectors_is_refused_with_the_next_step(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        parse_selectors(text)


def test_trouble_with_a_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\0")
    with pytest.raises(InputError, match=r"bad\.txt is not a text in UTF-8"):
        read_selectors(tmp_path / "bad.txt")


@pytest.mark.parametrize(
    ("selector", "hit"),
    [
        ("x .a", True),
        ("x .b", False),
        ("x //p[@class='a']", True),
        ("x //p/text()", True),
        ("x //p/@class", True),
        ("x //b", False),
        ("x count(//p) > 0", False),  # a CSS selector to us, and one that matches nothing
        ("x xpath:count(//b)", False),
        ("x xpath:count(//p)", True),
    ],
)
def test_css_and_xpath_match_elements_texts_and_values(selector: str, hit: bool) -> None:
    if "> 0" in selector:
        with pytest.raises(InputError):
            parse_selectors(selector)
        return
    (parsed,) = parse_selectors(selector)

    assert SelectablePage(page("<p class=a>One<p>Two")).matches(parsed) is hit


def follow(text: str, bodies: list[str]) -> list[tuple[int, str, float, float, int]]:
    health = SelectorHealth(parse_selectors(text))
    return [
        (number, one.name, one.before, one.since, one.documents)
        for number, body in enumerate(bodies)
        for one in health.take(page(body))
    ]


def test_a_fall_is_told_once_and_again_after_it_worked() -> None:
    bodies = ["<p class=a>1"] * 10 + ["<p>1"] * 10 + ["<p class=a>1"] * 12 + ["<p>1"] * 5

    assert follow("x .a", bodies) == [(12, "x", 1.0, 0.0, 3), (34, "x", 1.0, 0.0, 3)]


def test_a_selector_that_matches_now_and_then_is_given_time() -> None:
    rare = ["<p class=a>1", "<p>1", "<p>1", "<p>1"] * 10

    assert follow("x .a", rare) == []
    ((number, *_),) = follow("x .a", ["<p class=a>1", "<p>1"] * 10 + ["<p>1"] * 30)
    assert 26 <= number <= 36


def test_a_rate_that_falls_to_a_third_is_told() -> None:
    bodies = ["<p class=a>1"] * 30 + ["<p>1", "<p>1", "<p class=a>1"] * 6
    ((_, name, before, since, _),) = follow("x .a", bodies)

    assert name == "x"
    assert before > 0.95
    assert since < 0.5


@settings(max_examples=20)
@given(some.lists(some.booleans(), min_size=60, max_size=120))
def test_state_can_be_saved_and_restored_anywhere(hits: list[bool]) -> None:
    bodies = [page("<p class=a>1" if hit else "<p>1") for hit in hits]
    straight, resumed = (SelectorHealth(parse_selectors("x .a")) for _ in range(2))
    for number, body in enumerate(bodies):
        if number == 30:
            state = json.loads(json.dumps(resumed.state()))
            resumed = SelectorHealth(parse_selectors("x .a"))
            resumed.restore(state)
        assert straight.take(body) == resumed.take(body)


@pytest.mark.parametrize(
    "state", [[], {"x": 1}, {".a": {"hits": 1}}, {".a": {"hits": [], "told": 0, "looks": {"tag": 1}}}]
)
def test_a_broken_state_is_refused(state) -> None:
    health = SelectorHealth(parse_selectors("x .a"))
    if state == {"x": 1}:
        health.restore(state)  # of another selector: nothing to take over
        return
    with pytest.raises(InputError, match="start again without it"):
        health.restore(state)


@pytest.mark.slow
def test_no_page_makes_a_selector_that_passed_run_for_ever() -> None:
    hostile = page("<div><p class=a>x</p>" * 10_000)
    started = time.process_time()
    for expression in ("//p//p//p", "//div//div//p[2]", "//div[contains(., 'z')]", ".a ~ .a", "//*[@class='b']"):
        SelectablePage(hostile).matches(parse_selectors(f"x {expression}")[0])

    assert time.process_time() - started < 60
