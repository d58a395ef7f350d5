"""Rules hide changes within their scope, and can be previewed on past changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pagedrift import PageVersion
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.model.rules import Rule, checked
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.rule_preview import preview
from pagedrift.app.store import feedback, visits, watches
from pagedrift.app.store.tables import WatchRow
from pagedrift.errors import InputError
from tests.interstitials.interstitial_pages import FEES

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store

NEWS = FEES.replace("$40", "$45").replace("href=/imprint", "href=/about")


def page(html: str) -> PageVersion:
    return PageVersion("https://city.example/fees", html.encode())


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (Rule(scope="planet", of="x", kind="kind", value="moved"), "not a valid scope"),  # type: ignore[arg-type]
        (Rule(scope="watch", of=" ", kind="kind", value="moved"), "which watch"),
        (Rule(scope="all", of="", kind="colour", value="red"), "not a valid kind of rule"),  # type: ignore[arg-type]
        (Rule(scope="all", of="", kind="block", value="div["), "not a valid CSS selector"),
        (Rule(scope="all", of="", kind="text", value="(a"), "invalid regular expression"),
        (Rule(scope="all", of="", kind="kind", value="exploded"), "not a valid kind of edit"),
        (Rule(scope="all", of="", kind="kind", value="added removed"), "not a valid kind of edit"),
        (Rule(scope="all", of="", kind="text", value="a" * 1001), "at most 1,000 characters"),
        (Rule(scope="all", of="", kind="text", value=""), "at most 1,000 characters"),
    ],
)
def test_a_rule_that_cannot_be_kept_is_refused(rule: Rule, told: str) -> None:
    with pytest.raises(InputError, match=told):
        checked(rule)


@pytest.mark.parametrize(
    ("scope", "of", "expected"),
    [
        ("all", "", True),
        ("host", "CITY.example", True),
        ("host", "town.example", False),
        ("watch", "w1", True),
        ("watch", "w2", False),
        ("group", "towns", True),
        ("group", "cities", False),
    ],
)
def test_a_rule_is_about_a_watch_a_host_a_group_or_all(store: Store, scope: Any, of: str, expected: bool) -> None:
    first, second = (watches.add(store, Watch(f"https://city.example/{n}", group="towns")) for n in "12")
    of = {"w1": first.id, "w2": second.id}.get(of, of)
    feedback.add_rule(store, Rule(scope=scope, of=of, kind="kind", value="moved"))

    with store.read() as session:
        assert bool(visits.rules_of(session, session.get_one(WatchRow, first.id))) is expected


def test_a_rule_for_a_group_names_it() -> None:
    with pytest.raises(InputError, match="does not say which group it is for; name it"):
        checked(Rule(scope="group", of="", kind="kind", value="moved"))


@pytest.mark.parametrize(
    ("kind", "value", "hidden"),
    [
        ("block", "table", 1),
        ("block", "body", 2),
        ("text", r"\$\d+", 1),
        ("kind", "changed link", 1),
        ("kind", "moved", 0),
    ],
)
def test_a_preview_says_what_would_have_been_hidden(kind: Any, value: str, hidden: int) -> None:
    (found,) = preview(
        Rule(scope="all", of="", kind=kind, value=value), [(7, page(FEES), page(NEWS))], options=WatchOptions()
    )

    assert (found.change, found.steps, found.hidden) == (7, 2, hidden)
    assert found.wholly is (hidden == 2)


def test_hiding_one_edit_leaves_the_others_as_important_as_they_were() -> None:
    advert = (
        "<aside class=ad>{} cars for sale, today only, with a discount that you cannot miss in town</aside><h1>"
    )
    old, new = (
        page(FEES.replace("<h1>", advert.format(n)).replace("$40", fee)) for n, fee in ((7, "$40"), (9, "$45"))
    )
    rule = Rule(scope="all", of="", kind="block", value=".ad")
    (found,) = preview(rule, [(7, old, new)], options=WatchOptions())

    assert (found.hidden, found.before, found.after, found.left) == (1, "important", "important", "Price $40 → $45")
    whole = {edit.summary: edit for edit in analyse(old, new, WatchOptions()).edits}
    for edit in analyse(old, new, WatchOptions(), [rule]).edits:
        assert edit.probability >= whole[edit.summary].probability


def test_what_was_hidden_already_is_not_counted_again() -> None:
    known = [Rule(scope="all", of="", kind="block", value="table")]
    (found,) = preview(
        Rule(scope="all", of="", kind="kind", value="link"),
        [(7, page(FEES), page(NEWS))],
        options=WatchOptions(),
        rules=known,
    )

    assert found.wholly
    assert found.steps == 1


def test_a_version_that_cannot_be_read_does_not_end_a_preview() -> None:
    past = [(1, page(FEES), page("<html>" * 20_000)), (2, page(FEES), page(NEWS))]
    refused, found = preview(Rule(scope="all", of="", kind="block", value="table"), past, options=WatchOptions())

    assert "leave it out" in refused.trouble
    assert found.hidden == 1


def test_text_is_tried_line_by_line_and_documents_as_a_whole() -> None:
    texts = [PageVersion("", body, content_type="text/plain") for body in (b"Fee 40\nOpen", b"Fee 45\nOpen")]
    files = [PageVersion("", body) for body in (b"%PDF-1", b"%PDF-2")]
    found = preview(
        Rule(scope="all", of="", kind="text", value="Fee .*"), [(1, *texts), (2, *files)], options=WatchOptions()
    )

    assert [each.wholly for each in found] == [True, False]


def test_an_expression_that_would_run_for_ever_is_stopped() -> None:
    long = page(FEES.replace("<h1>", f"<p>{'a' * 5_000}b</p><h1>"))
    (found,) = preview(
        Rule(scope="all", of="", kind="text", value="(a|a)*c"), [(1, page(FEES), long)], options=WatchOptions()
    )

    assert "takes too long" in found.trouble or found.hidden == 0
