from datetime import UTC, datetime

from pagedrift import PageVersion
from pagedrift.does_it_matter.audit import Total, audit
from tests.does_it_matter.test_judge import ARTICLE

NEWS = "<h2>Town hall closed</h2><p>" + "The town hall is closed until further notice, says the mayor. " * 8


def version(main: str, day: int, url: str = "https://city.example/", status: int = 200) -> PageVersion:
    when = datetime(2026, 11, day, tzinfo=UTC)
    return PageVersion(url, f"<main>{main}</main>".encode(), captured_at=when, status=status)


def test_a_version_is_compared_with_the_last_one_that_was_kept() -> None:
    versions = [
        version(ARTICLE, 1),
        version(ARTICLE, 2),
        version(ARTICLE + "<p>Visitors: 7", 3),
        version(NEWS + ARTICLE, 4),
        version(NEWS + ARTICLE, 5),
        version(ARTICLE, 6),
    ]
    found = list(audit(versions))

    assert [each.why for each in found] == [
        "first",
        "identical",
        "similar",
        "dissimilar",
        "identical",
        "unsure",
    ]
    assert [each.kept for each in found] == [True, False, False, True, False, True]
    assert [each.since.day for each in found[1:] if each.since] == [1, 1, 1, 4, 4]


def test_changes_too_small_to_keep_add_up_until_they_are_kept() -> None:
    words = ("fence", "roof", "extension", "shed", "wall", "gate", "pool", "tree", "sign", "well")
    growing = [
        ARTICLE + "".join(f"<p>A {word} needs a permit since this year too." for word in words[:count])
        for count in range(len(words) + 1)
    ]
    found = list(audit(version(body, day + 1) for day, body in enumerate(growing)))

    assert any(each.kept for each in found[1:])


def test_pages_are_told_apart_and_failures_left_out() -> None:
    other = "https://city.example/other"
    versions = [
        version(ARTICLE, 1),
        version(NEWS, 2, other),
        version("Sorry", 3, status=503),
        version(NEWS, 4, other),
    ]
    found = list(audit(versions))

    assert [(each.url, each.why) for each in found] == [
        ("https://city.example/", "first"),
        (other, "first"),
        (other, "identical"),
    ]


def test_the_total_counts_bytes_of_what_was_skipped() -> None:
    total = Total()
    for found in audit([version(ARTICLE, 1), version(ARTICLE, 2)]):
        total.add(found)

    size = len(version(ARTICLE, 1).body)
    assert (total.versions, total.kept, total.identical) == (2, 1, 1)
    assert (total.size, total.saved) == (2 * size, size)
