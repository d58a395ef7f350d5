from datetime import UTC, datetime

import pytest

from pagedrift import PageVersion

HTML = "<title>Gebühren</title><p>Größe<pé>"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (HTML.encode(), None),
        (b"\xef\xbb\xbf" + HTML.encode(), None),
        (HTML.encode("utf-16"), None),
        (HTML.encode("utf-16-be"), "text/html; charset=utf-16be"),
        (HTML.encode("latin-1"), "text/html; charset=latin1"),
        (b"<meta charset=latin1>" + HTML.encode("latin-1"), None),
    ],
    ids=[
        "utf-8",
        "utf-8 with a mark",
        "utf-16 with a mark",
        "utf-16 by header",
        "latin-1 by header",
        "latin-1 by meta",
    ],
)
def test_facets_do_not_depend_on_the_encoding(body: bytes, content_type: str | None) -> None:
    page = PageVersion("https://city.example/", body, content_type=content_type)

    assert page.title == "Gebühren"
    assert page.words == ("Größe",)
    assert list(page.tags)[-2:] == ["p", "pé"]
    assert page.source.endswith(HTML)


def test_the_content_type_may_stand_in_the_headers() -> None:
    page = PageVersion("https://a.example/", b"\xe9", headers=(("Content-Type", "text/html; charset=latin1"),))

    assert page.source == "é"


def test_each_facet_is_computed_once() -> None:
    page = PageVersion("https://city.example/", HTML.encode())

    for facet in ("encoding", "source", "tags", "words", "tree", "links", "resources", "digest"):
        assert getattr(page, facet) is getattr(page, facet)


def test_versions_are_values() -> None:
    moment = datetime(2026, 11, 15, tzinfo=UTC)
    one = PageVersion("https://city.example/", b"<p>", captured_at=moment)
    other = PageVersion("https://city.example/", b"<p>", captured_at=moment)

    assert one == other
    assert len({one, other}) == 1
    with pytest.raises(AttributeError):
        one.url = "https://else.example/"  # type: ignore[misc]


@pytest.mark.parametrize(
    "body",
    [b"", b"\0", b"\xff\xfe", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), b"<" * 1000],
    ids=["nothing", "a zero", "a mark alone", "a picture", "half tags"],
)
def test_every_facet_of_any_bytes_can_be_read(body: bytes) -> None:
    page = PageVersion("", body)

    for facet in ("source", "tags", "words", "tree", "links", "resources", "title", "language", "canonical"):
        getattr(page, facet)


def test_headers_are_found_whatever_the_case() -> None:
    page = PageVersion("https://a.example/", b"", headers=(("etag", "7"),))

    assert page.header("ETag") == "7"
    assert page.header("Age") is None
