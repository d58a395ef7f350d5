"""Feeds and sitemaps, real and broken, from a real server."""

import gzip
import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pagedrift import InputError, PageVersion
from pagedrift.capture.feed import parse_feed
from pagedrift.capture.feed_follower import Follower
from pagedrift.capture.http import Client, ClientConfig, FetchError
from pagedrift.capture.sitemap import parse_sitemap
from tests.server import Site

RSS = {"Content-Type": "application/rss+xml"}


def rss(*items: str) -> bytes:
    return f'<?xml version="1.0"?><rss version="2.0"><channel>{"".join(items)}</channel></rss>'.encode()


def item(number: int, *, link: str | None = None) -> str:
    link = link if link is not None else f"/news/{number}"
    date = f"<pubDate>Fri, {number:02} Feb 2024 10:00:00 GMT</pubDate>"
    return f"<item><title>News {number}</title><link>{link}</link>{date}</item>"


def feed_of(body: bytes, kind: str = "application/xml") -> list[tuple[str, str]]:
    found = parse_feed(PageVersion("https://city.example/feed", body, content_type=kind))
    return [(entry.url, f"{entry.published_at:%Y-%m-%d}" if entry.published_at else "") for entry in found.entries]


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(allow_private=["127.0.0.1"], config=ClientConfig(delay=0, backoff=0.01, retries=0)) as opened:
        yield opened


def test_rss_is_read_oldest_first() -> None:
    assert feed_of(rss(item(3), item(2), item(1))) == [
        ("https://city.example/news/1", "2024-02-01"),
        ("https://city.example/news/2", "2024-02-02"),
        ("https://city.example/news/3", "2024-02-03"),
    ]


def test_atom_is_read() -> None:
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>tag:1</id><link rel="alternate" href="/news/1"/>
        <updated>2024-02-01T10:00:00+02:00</updated></entry></feed>"""

    assert feed_of(atom) == [("https://city.example/news/1", "2024-02-01")]


def test_json_feeds_are_read() -> None:
    items = [{"id": 1, "url": "https://city.example/news/1", "date_published": "2024-02-01"}, {"id": "2"}, 3]
    told = json.dumps({"version": "https://jsonfeed.org/version/1", "items": items}).encode()

    assert feed_of(told) == [("https://city.example/news/1", "2024-02-01")]


def test_rdf_and_broken_markup_are_read() -> None:
    rdf = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
        <item rdf:about="x"><title>A & B</title><link>https://city.example/1</link></item>"""

    assert feed_of(rdf) == [("https://city.example/1", "")]


def test_entries_without_links_are_counted_and_double_ones_given_once() -> None:
    body = rss(item(1), item(1), item(2, link=""), item(3, link="mailto:a@city.example"), item(4, link="http://["))
    found = parse_feed(PageVersion("https://city.example/feed", body))

    assert [entry.url for entry in found.entries] == ["https://city.example/news/1"]
    assert found.without_link == 3


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"<html><p>No feed", "is not a feed; give the address of an RSS"),
        (
            b"<html><link rel=alternate type=application/rss+xml href=/rss.xml>",
            "names one: https://city.example/rss",
        ),
        (b"", "is not a feed"),
        (b"/etc/passwd", "is not a feed"),
        (b'{"items": 1}', "is JSON, but not a feed"),
        (b"{", "is JSON, but not a feed"),
        (b"[" * 10 + b"{", "is not a feed"),
        (b"<rss>" + b" " * 5_000_001, "more than 5,000,000 bytes; follow a smaller one"),
        (b"<rss>" + b"<a>" * 50_000, "elements 100 deep"),
        (b"<rss>" + b"<a></b>" * 50_000, "is broken XML, and large; report it to the site"),
        (b"<rss>" + b"&lt;" * 300_000, "is broken XML, and large; report it to the site"),
    ],
)
def test_what_is_no_feed_is_refused_with_the_next_step(body: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        feed_of(body)


def test_a_feed_that_is_polled_again_gives_only_what_is_new(client: Client, site: Site) -> None:
    site.pages["/feed"] = (200, RSS, rss(item(2), item(1)))
    follower = Follower(client, f"{site.url}/feed")
    first = follower.poll()
    assert [page.status for _, page in follower.pages(first)] == [404, 404]
    site.pages["/feed"] = (200, RSS, rss(item(3), item(2)))

    assert [entry.url for entry in first] == [f"{site.url}/news/1", f"{site.url}/news/2"]
    assert [entry.url for entry in follower.poll()] == [f"{site.url}/news/3"]


def test_an_unchanged_feed_is_not_sent_again(client: Client, site: Site) -> None:
    def conditional(request):
        if request.headers.get("If-None-Match") == '"1"':
            return (304, {}, b"")
        return (200, {**RSS, "ETag": '"1"'}, rss(item(1)))

    site.pages["/feed"] = conditional
    follower = Follower(client, f"{site.url}/feed")
    assert len(list(follower.pages(follower.poll()))) == 1
    resumed = Follower(client, f"{site.url}/feed", state=json.loads(json.dumps(follower.state())))

    assert follower.poll() == resumed.poll() == []
    assert [headers.get("if-none-match") for path, headers, _ in site.asked if path == "/feed"] == [
        None,
        '"1"',
        '"1"',
    ]


def test_entries_whose_pages_were_not_fetched_are_given_again_after_an_interruption(client, site) -> None:
    site.pages["/feed"] = (200, {**RSS, "ETag": '"1"'}, rss(item(3), item(2), item(1)))
    follower = Follower(client, f"{site.url}/feed")
    next(follower.pages(follower.poll()))
    resumed = Follower(client, f"{site.url}/feed", state=follower.state())

    assert [entry.url for entry in resumed.poll()] == [f"{site.url}/news/2", f"{site.url}/news/3"]


@pytest.mark.parametrize("state", [{}, {"format": 1}, {"format": 1, "url": "x", "headers": [], "seen": []}, []])
def test_a_broken_state_is_refused(client: Client, state: object) -> None:
    with pytest.raises(InputError, match="start again without it"):
        Follower(client, "https://city.example/feed", state=state)


def test_pages_that_fail_and_pages_that_robots_forbid_are_given_as_trouble(client: Client, site: Site) -> None:
    site.pages["/robots.txt"] = (200, {}, b"User-agent: *\nDisallow: /news/2")
    site.pages["/feed"] = (200, RSS, rss(item(1), item(2), item(3, link="http://127.0.0.1:1/")))
    site.pages["/news/1"] = b"<p>One"
    follower = Follower(client, f"{site.url}/feed")
    got = [page for _, page in follower.pages(follower.poll())]

    assert [type(page) for page in got] == [PageVersion, FetchError, FetchError]
    assert "/news/2" not in site.paths


def test_only_the_newest_of_a_long_feed_are_given_and_the_rest_is_no_news_later(client, site) -> None:
    site.pages["/feed"] = (200, RSS, rss(*[item(day) for day in range(28, 0, -1)]))
    follower = Follower(client, f"{site.url}/feed", newest=3)

    assert [entry.url[-2:] for entry in follower.poll()] == ["26", "27", "28"]
    assert [entry.url[-2:] for entry in follower.poll()] == ["26", "27", "28"]  # their pages were not fetched


def test_a_server_that_wants_us_to_wait_longer_is_remembered(client: Client, site: Site) -> None:
    site.pages["/feed"] = (429, {"Retry-After": "7200"}, b"")
    follower = Follower(client, f"{site.url}/feed")
    with pytest.raises(InputError, match="answers with status 429"):
        follower.poll()

    assert follower.retry_after == 7200


def test_a_feed_that_fails_says_so(client: Client, site: Site) -> None:
    with pytest.raises(InputError, match="answers with status 404; check the address"):
        Follower(client, f"{site.url}/feed").poll()


# --- sitemaps --------------------------------------------------------------------------------------------------


def urlset(*urls: tuple[str, str]) -> bytes:
    inside = "".join(f"<url><loc>{url}</loc><lastmod>{day}</lastmod></url>" for url, day in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{inside}</urlset>'.encode()


def index(*urls: str) -> bytes:
    return (
        f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>".encode()
    )


def test_a_sitemap_gives_its_pages_by_their_last_change(client: Client, site: Site) -> None:
    body = urlset(
        (f"{site.url}/b", "2024-02-02"), (f"{site.url}/a", "2024-01-01T10:00:00Z"), ("http://other/", "2024")
    )
    site.pages["/sitemap.xml"] = (200, {"Content-Type": "text/xml"}, body)
    follower = Follower(client, f"{site.url}/sitemap.xml")
    found = follower.poll()

    assert [entry.url for entry in found] == [f"{site.url}/a", f"{site.url}/b"]
    assert (follower.told_by, follower.without_link) == ("sitemap", 1)
    assert len(list(follower.pages(found))) == 2
    site.pages["/sitemap.xml"] = (
        200,
        {},
        urlset((f"{site.url}/b", "2024-03-03"), (f"{site.url}/a", "2024-01-01T10:00:00Z")),
    )
    assert [entry.url for entry in follower.poll()] == [f"{site.url}/b"]


def test_indexes_are_followed_also_packed_ones(client: Client, site: Site) -> None:
    site.pages["/sitemap.xml"] = (200, {}, index(f"{site.url}/1.xml.gz", f"{site.url}/missing.xml"))
    site.pages["/1.xml.gz"] = (
        200,
        {"Content-Type": "application/gzip"},
        gzip.compress(urlset((f"{site.url}/a", "2024"))),
    )

    assert [entry.url for entry in Follower(client, f"{site.url}/sitemap.xml").poll()] == [f"{site.url}/a"]


def test_an_index_that_contains_itself_ends(client: Client, site: Site) -> None:
    site.pages["/sitemap.xml"] = (200, {}, index(f"{site.url}/sitemap.xml", f"{site.url}/2.xml"))
    site.pages["/2.xml"] = (200, {}, index(f"{site.url}/sitemap.xml", f"{site.url}/2.xml"))

    assert Follower(client, f"{site.url}/sitemap.xml").poll() == []
    assert len(site.asked) == 2


def test_an_endless_tree_of_indexes_ends(client: Client, site: Site) -> None:
    class Endless(dict):
        def get(self, path, _=None):
            return (200, {}, index(*[f"{site.url}{path.removesuffix('.xml')}-{child}.xml" for child in range(9)]))

    site.pages = Endless()

    assert Follower(client, f"{site.url}/s.xml").poll() == []
    assert len(site.asked) <= 50


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"<urlset><url><loc>", "is not a sitemap"),
        (
            b'<!DOCTYPE u [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><urlset><url><loc>&c;</loc></url></urlset>',
            "entities",
        ),
        (gzip.compress(b"<urlset>" + b" " * 70_000_000, mtime=0), "when unpacked|unpacks more"),
    ],
    ids=["cut off", "entities", "bomb"],
)
def test_broken_and_hostile_sitemaps_are_refused(body: bytes, says: str) -> None:
    from pagedrift.errors import PagedriftError

    with pytest.raises(PagedriftError, match=says):
        parse_sitemap(PageVersion("https://city.example/sitemap.xml", body))


URL_A, URL_B = (
    "<url><loc>https://city.example/a</loc></url>",
    "<url><loc>https://city.example/b?c=1&d=2</loc></url>",
)


@pytest.mark.parametrize(
    ("body", "paths", "flaw"),
    [
        pytest.param(
            '<sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9"><sm:url><sm:loc>https://city.example/a'
            "</sm:loc><sm:lastmod>2024-02-02</sm:lastmod><i:image><i:loc>https://city.example/i.png</i:loc></i:image>"
            "</sm:url></sm:urlset>",
            ["/a"],
            "",
            id="elements with a prefix",
        ),
        pytest.param(f"<urlset>{URL_A}<url><loc>https://city.e", ["/a"], "broken .*were read: 1", id="cut off"),
        pytest.param(f'\n\n<?xml version="1.0"?><urlset>{URL_A}</urlset>', ["/a"], "", id="a blank line first"),
        pytest.param(f"<urlset>{URL_B}{URL_A}</urlset>", ["/b?c=1&d=2", "/a"], "written as &amp;", id="a bare &"),
        pytest.param(
            f"<urlset>{URL_A}<url><loc><![CDATA[https://city.example/x?a=1&b=2]]></loc></url>{URL_B}</urlset>",
            ["/a", "/x?a=1&b=2", "/b?c=1&d=2"],
            "is not written as &amp;",
            id="a bare & beside one that may stand there",
        ),
        pytest.param(
            "\ufeffhttps://city.example/a\r\n\r\nhttps://city.example/b\nnothing\n",
            ["/a", "/b"],
            "1 lines of .* hold no address",
            id="plain text",
        ),
    ],
)  # fmt: skip
def test_sitemaps_are_read_as_far_as_they_go_and_what_is_wrong_is_said(
    body: str, paths: list[str], flaw: str
) -> None:
    found = parse_sitemap(PageVersion("https://city.example/sitemap.xml", body.encode()))

    assert [entry.url.removeprefix("https://city.example") for entry in found.pages] == paths
    assert re.search(flaw, found.flaw) if flaw else found.flaw == ""


def test_a_site_is_followed_by_a_sitemap_of_plain_text(client: Client, site: Site) -> None:
    site.pages["/sitemap.txt"] = (200, {"Content-Type": "text/plain"}, f"{site.url}/a\n{site.url}/b\n".encode())
    follower = Follower(client, f"{site.url}/sitemap.txt")

    assert [entry.url for entry in follower.poll()] == [f"{site.url}/a", f"{site.url}/b"]
    assert follower.flaws == ()


def test_parts_of_a_sitemap_that_cannot_be_read_are_named(client: Client, site: Site) -> None:
    parts = [f"{site.url}/{name}.xml" for name in ("good", "missing", "broken")]
    site.pages["/sitemap.xml"] = (200, {}, index(*parts))
    site.pages["/good.xml"] = (200, {}, f"<urlset><url><loc>{site.url}/a</loc></url></urlset>".encode())
    site.pages["/broken.xml"] = (200, {}, b"<html><p>Sorry")
    follower = Follower(client, f"{site.url}/sitemap.xml")

    assert [entry.url for entry in follower.poll()] == [f"{site.url}/a"]
    assert [flaw.startswith("a part of the sitemap is left out: ") for flaw in follower.flaws] == [True, True]


def test_loc_of_images_is_not_that_of_the_page() -> None:
    body = b"""<urlset xmlns:image="x"><url><loc>https://city.example/a</loc>
        <image:image><image:loc>https://city.example/a.png</image:loc></image:image></url></urlset>"""
    pages, _, _ = parse_sitemap(PageVersion("https://city.example/sitemap.xml", body))

    assert [entry.url for entry in pages] == ["https://city.example/a"]


TAGS = "<rss> <channel> <item> <entry> </item> <link> <pubDate> <urlset> <url> <loc> </loc> </url> <sitemapindex>"
ODD = (
    b"<feed xmlns='http://www.w3.org/2005/Atom'>",
    b"<link href='/a'/>",
    b"http://[",
    b"Fri, 99 Feb 2024",
    b"<updated>9999-99-99</updated>",
    b"<lastmod>0000</lastmod>",
    b'{"items": [',
    b'{"url": "//["}',
    b"]}",
    b"<![CDATA[",
    b"<?xml version='1.0' encoding='x'?>",
    b"&\0\xff",
)
PIECES = some.lists(some.sampled_from([*TAGS.encode().split(), *ODD]), max_size=12).map(b"".join)


@settings(deadline=None)
@given(PIECES)
def test_no_feed_or_sitemap_gives_anything_but_entries_or_a_clear_error(body: bytes) -> None:
    page = PageVersion("https://city.example/feed", body)
    for parse in (parse_feed, parse_sitemap):
        try:
            parse(page)
        except InputError as error:
            assert "; " in str(error)  # noqa: PT017 - most of them are refused


def test_a_feed_of_100_000_entries_ends_in_time_with_a_reason(client: Client, site: Site) -> None:
    item = b"<item><title>Fees</title><link>/news/%d</link><pubDate>Fri, 02 Feb 2024 10:00:00 GMT</pubDate></item>"
    entries = b"".join(item % number for number in range(100_000))
    site.pages["/feed"] = (200, {}, b"<rss version='2.0'><channel>" + entries + b"</channel></rss>")
    with pytest.raises(InputError, match="more than 5,000,000 bytes; follow a smaller one"):
        Follower(client, f"{site.url}/feed").poll()


def test_a_sitemap_of_100_000_pages_gives_its_newest(client: Client, site: Site) -> None:
    page = "<url><loc>%s/%d</loc><lastmod>%d-02-02</lastmod></url>"
    pages = "".join(page % (site.url, number, 1900 + number % 100) for number in range(100_000))
    site.pages["/sitemap.xml"] = (200, {}, f"<urlset>{pages}</urlset>".encode())
    entries = Follower(client, f"{site.url}/sitemap.xml", newest=5).poll()

    assert [entry.published_at.year for entry in entries if entry.published_at] == [1999] * 5
