from hypothesis import given
from hypothesis import strategies as st

from pagedrift import PageVersion, changes, judge, siblings_of
from pagedrift.crawls.keeping import KeepLevel, PageGate
from pagedrift.does_it_matter.audit import audit
from pagedrift.does_it_matter.changes import ChangeReason, JudgedChange, Level, SharedTexts, Zone
from pagedrift.does_it_matter.changes.histories import JudgedSeries
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.siblings import MAX_TEXTS, SHARED_BY
from pagedrift.report.change_reasons import change_reason

NAMES = ("parks", "pools", "halls", "libraries", "museums")
ABOUT = "Everything that people ask the town hall about {}, with answers by those who know them well."
TEASER = "<p>{} what the council plans for the old harbour, and tell us what you think about all of it.</p>"


def page(name: str, teaser: str = "Read", more: str = "") -> PageVersion:
    body = f"<main><h1>All about {name}</h1><p>{ABOUT.format(name)}</p>{TEASER.format(teaser)}{more}</main>"
    return PageVersion(f"https://city.example/{name}", body.encode())


OTHERS = tuple(map(page, NAMES))
FEES = page("fees")
BOUND = siblings_of(FEES, *OTHERS)


def only(found: tuple[JudgedChange, ...]) -> JudgedChange:
    assert len(found) == 1
    return found[0]


def test_a_text_that_other_pages_show_belongs_to_the_frame_of_the_site() -> None:
    new = PageVersion(FEES.url, FEES.body.replace(TEASER.format("Read").encode(), b""))
    alone, known = only(changes(FEES, new)), only(changes(FEES, new, siblings=BOUND))

    assert alone.level is Level.IMPORTANT
    assert (known.level, known.zone, known.reason) == (Level.NOISE, Zone.BOILERPLATE, ChangeReason.SHARED)
    assert change_reason(known) == "the same text stands on 5 other pages of the site"
    assert judge(FEES, new, siblings=BOUND).probability < judge(FEES, new).probability


def test_a_text_that_came_to_the_other_pages_first_is_told_once() -> None:
    siblings = siblings_of(FEES, *(page(name, "Discover") for name in NAMES))

    assert only(changes(FEES, page("fees", "Discover"), siblings=siblings)).reason is ChangeReason.SHARED


def test_a_text_of_few_other_pages_is_judged_as_before() -> None:
    few = siblings_of(FEES, *OTHERS[: SHARED_BY - 1])
    new = page("fees", "Discover")

    assert changes(FEES, new, siblings=few) == changes(FEES, new)


def test_copies_of_a_page_under_other_addresses_are_no_siblings() -> None:
    copies = [PageVersion(f"{FEES.url}?from={number}", FEES.body) for number in range(9)]
    new = PageVersion(FEES.url, FEES.body.replace(b"Everything that people ask", b"Nothing that anybody asks"))

    assert changes(FEES, new, siblings=siblings_of(FEES, *copies)) == changes(FEES, new)


def test_a_short_value_that_other_pages_have_too_is_judged_as_before() -> None:
    row = "<table><tr><th>Wheelchair access</th><td>{}</td></tr></table>"
    old, new = (page("fees", more=row.format(value)) for value in ("Yes", "Partly"))
    siblings = siblings_of(old, *(page(name, more=row.format("Yes")) for name in NAMES))

    assert changes(old, new, siblings=siblings) == changes(old, new)


@given(
    st.sampled_from(
        (
            ("costs $40", "costs $45"),
            ("until 1 March 2027", "until 1 April 2027"),
            ("Call 030 1234567", "Call 030 7654321"),
            ("Monday 9:00–17:00", "Monday 9:00–12:00"),
            ("Registration is open", "Registration is closed"),
            ("10 % off", "15 % off"),
        )
    ),
    st.sampled_from(("<p>{} for everybody who lives in this town.</p>", "<footer>{} for all in town</footer>")),
)
def test_a_fact_that_changed_is_never_lowered(fact: tuple[str, str], place: str) -> None:
    old, new = (page("fees", more=place.format(each)) for each in fact)
    siblings = siblings_of(old, *(page(name, more=place.format(fact[0])) for name in NAMES))

    assert changes(old, new, siblings=siblings) == changes(old, new)


def test_what_is_remembered_of_a_host_is_bounded_and_keeps_the_frame() -> None:
    shared = SharedTexts()
    for number in range(MAX_TEXTS // 40):
        name = "very " * number + "old things"
        unique = "".join(f"<p>Entry {number} of list {entry}, which no other page has</p>" for entry in range(50))
        shared.add(f"https://city.example/{number}", passages(page(name, more=unique)))

    siblings = shared.beside("https://city.example/fees")
    read = passages(PageVersion("", TEASER.format("Read").encode()))
    assert siblings.pages_with(read[0]) >= SHARED_BY
    first = passages(PageVersion("", b"<p>Entry 0 of list 0, which no other page has</p>"))
    assert siblings.pages_with(first[0]) == 0


def test_another_host_says_nothing_about_a_page() -> None:
    foreign = [PageVersion(each.url.replace("city", "town"), each.body) for each in OTHERS]

    assert siblings_of(FEES, *foreign).pages_with(passages(FEES)[-1]) == 0


def test_gates_of_several_pages_learn_the_frame_together() -> None:
    new = page("fees", "Find out")
    shared = SharedTexts()
    for other in OTHERS:
        PageGate(KeepLevel.CHANGED, shared=shared).decide(other)
    alone, among = PageGate(KeepLevel.CHANGED), PageGate(KeepLevel.CHANGED, shared=shared)

    assert [alone.decide(each).kept for each in (FEES, new)] == [True, True]
    assert [among.decide(each).kept for each in (FEES, new)] == [True, False]


def test_an_audit_and_a_series_know_the_other_pages() -> None:
    new = PageVersion(FEES.url, FEES.body.replace(TEASER.format("Read").encode(), b""))
    *_, alone = audit([FEES, new])
    *_, among = audit([*OTHERS, FEES, new])
    assert (alone.kept, among.why) == (True, "similar")
    assert among.reason == "what changed stands on other pages of the site as well"

    series = JudgedSeries()
    *_, levels = (series.judge(each) for each in (*OTHERS, FEES, new))
    assert levels == {"noise": 1, "minor": 0, "important": 0}
