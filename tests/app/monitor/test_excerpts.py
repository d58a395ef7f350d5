"""Large pages are compared by excerpts, with the same verdicts as for the whole pages."""

import pytest

from pagedrift import PageVersion
from pagedrift.app.model.change import ChangeAnalysis
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.monitor import analysis, excerpts
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.excerpts import excerpt
from tests.resource_bounds import bounded

WORDS = "permit fee office hours garden council street water form apply renew house tax passport room".split()
FRAME = (
    "<!doctype html>\n<title>Items</title>\n<nav><a href=/>Home</a></nav>\n<main>{}</main>\n<footer>City</footer>"
)


def item(number: int) -> str:
    text = " ".join(WORDS[(number * step + step) % len(WORDS)] for step in range(1, 13))
    heading = f"<h3><a href=/{number}>{text[:20]} {number}</a></h3>"
    return f"<div class=item>{heading}<p>{text}.</p><b>{number % 97} EUR</b></div>\n"


def of(items: list[str]) -> PageVersion:
    body = FRAME.format("".join(items)).encode()
    return PageVersion("https://city.example/", body, content_type="text/html; charset=utf-8")


def changed_in_one_place(size: int) -> tuple[bytes, bytes]:
    """Make a large page, and the same with one paragraph changed."""
    items = [item(number) for number in range(size // len(item(100_000)))]
    old = of(items).body
    items[len(items) // 2] = items[len(items) // 2].replace("<p>", "<p>Closed on Fridays: ")
    return old, of(items).body


def test_a_page_of_20_megabytes_with_one_changed_paragraph_costs_little() -> None:
    old, new = (PageVersion("https://city.example/", body) for body in changed_in_one_place(20_000_000))
    with bounded(megabytes=600, cpu_seconds=20):
        found = analyse(old, new, WatchOptions())

    assert found.headline == "Added: Closed on Fridays:"
    assert found.amount < 1e-4
    assert found.answers["note"].startswith("compared only around the changes")
    assert found.answers["new"]["digest"] == f"sha256:{new.digest}"


def edited(items: list[str]) -> list[str]:
    return [*items[:300], items[300].replace("EUR", "EUR, reduced"), *items[301:]]


def in_many_places(items: list[str]) -> list[str]:
    return [
        each.replace(" EUR", " USD") if number in (3, 150, 290, 500) else each for number, each in enumerate(items)
    ]


SHAPES = {
    "lines": lambda items: items,
    "one line": lambda items: [each.strip() for each in items],
    "an element around all": lambda items: ["<section id=all>", *items, "</section>"],
    "an element around half": lambda items: [
        "<section>",
        *items[:250],
        "</section><section>",
        *items[250:],
        "</section>",
    ],
    "tags that end by themselves": lambda items: ["<ul>", *(f"<li>{each}" for each in items), "</ul>"],
    "a script": lambda items: [
        *items[:100],
        "<script>",
        *("if (a < b) {}\n" for _ in range(900)),
        "</script>",
        *items[100:],
    ],
}
EDITS = {
    "edited": edited,
    "in many places": in_many_places,
    "removed": lambda items: [*items[:300], *items[302:]],
    "added": lambda items: [*items[:300], "<p>Closed on Fridays\n", *items[300:]],
    "at the start": lambda items: ["<p>Closed on Fridays\n", *items],
    "at the end": lambda items: [*items, "<p>Closed on Fridays\n"],
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_excerpts_say_what_the_whole_pages_say(monkeypatch: pytest.MonkeyPatch, edit, shape) -> None:
    items = [item(number) for number in range(600)]
    old, new = of(shape(items)), of(shape(edit(items)))
    monkeypatch.setattr(excerpts, "MAX_WHOLE_BYTES", 10_000)
    monkeypatch.setattr(excerpts, "AROUND_BYTES", 2_000)
    monkeypatch.setattr(excerpts, "ENDS_BYTES", 4_000)
    found = excerpt(old, new)
    assert found is not None
    part = analyse(old, new, WatchOptions())
    monkeypatch.setattr(analysis, "excerpt", lambda *_: None)
    whole = analyse(old, new, WatchOptions())

    assert max(len(page.body) for page in found) < len(old.body) / 2
    assert part.headline == whole.headline
    assert _told(part) == _told(whole)
    assert part.amount == pytest.approx(whole.amount, rel=0.5, abs=1e-3)
    assert (part.same_template, part.redesigned) == (whole.same_template, whole.redesigned)


def _told(found: ChangeAnalysis) -> list[tuple[str, str, str, bool]]:
    return [(block.kind, block.old, block.new, block.visible) for block in found.blocks]


def test_pages_that_have_little_in_common_are_compared_whole() -> None:
    old = of([item(number) for number in range(20_000)])
    new = of([item(number).upper() for number in range(20_000)])

    assert excerpt(old, new) is None


def test_pages_of_a_usual_size_are_compared_whole() -> None:
    items = [item(number) for number in range(600)]

    assert excerpt(of(items), of(edited(items))) is None
