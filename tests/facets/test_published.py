"""When a page says it was published."""

import pytest

from pagedrift.facets.published import read_published
from pagedrift.facets.tree import read_tree


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<meta property="article:published_time" content="2024-02-02T10:00:00+01:00">', "2024-02-02 09:00"),
        ('<meta name="DC.date" content="2020"><meta name=date content="2024-02-02">', "2024-02-02 00:00"),
        ("<meta itemprop=datePublished content=20240202>", "2024-02-02 00:00"),
        ('<meta name=date content=x><meta name=pubdate content="2 Feb 2024 10:00:00 GMT">', "2024-02-02 10:00"),
        (
            '<script type=application/ld+json>{"@graph":[{"datePublished": "2024-02-02"}]}</script>',
            "2024-02-02 00:00",
        ),
        ("<script type=application/ld+json>{broken</script><time pubdate datetime=2024-02-02>", "2024-02-02 00:00"),
        ("<time datetime=2001-01-01>old</time><time class='dt-published'>2024-02-02</time>", "2024-02-02 00:00"),
        ("<article><header><time datetime=2024-02-02></header></article>", "2024-02-02 00:00"),
        ("<template><meta name=date content=2024></template><footer><time datetime=2024-02-02></footer>", None),
        ("<meta name=date content='2024-02-30'><p>2024-02-02", None),
        ("<meta name=date content=1706866200>", "2024-02-02 09:30"),
        ("<meta name=date content=1706866200000>", "2024-02-02 09:30"),
        ("<meta name=date content=1815-06-18><time pubdate>2024-02-02</time>", "2024-02-02 00:00"),
        ("<script type=application/ld+json>" + "[" * 100_000 + "</script>datePublished", None),
    ],
)
def test_the_date_is_found_where_pages_tell_it(source: str, expected: str | None) -> None:
    found = read_published(read_tree(source))

    assert (f"{found:%Y-%m-%d %H:%M}" if found else None) == expected


def test_deep_json_does_no_harm() -> None:
    deep = '{"a":' * 50_000 + '{"datePublished": "2024"}' + "}" * 50_000

    assert read_published(read_tree(f"<script type=application/ld+json>{deep}</script>")) is None
