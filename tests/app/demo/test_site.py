"""The demonstration site behaves like any other web site."""

import http.client
import socket
import time

import pytest

from pagedrift.app.demo import DemoSite
from pagedrift.app.demo.scenario import LAST
from pagedrift.capture.http import FetchError
from pagedrift.capture.request_options import RequestOptions
from pagedrift.errors import InputError
from tests.app.demo.conftest import Town
from tests.conftest import Beacon


def test_what_is_the_same_for_everybody_is_not_sent_twice(town: Town) -> None:
    for path in ("/feed.xml", "/sitemap.xml", "/market-hall", "/assets/first.css"):
        known = town.page(path, 0)
        assert known.header("etag")
        assert known.header("last-modified")
        assert town.fetch(path, 1, known=known).not_modified
    assert not town.fetch("/feed.xml", 2, known=town.page("/feed.xml", 1)).not_modified


def test_a_date_alone_is_condition_enough(town: Town) -> None:
    stamp = town.page("/market-hall", 6).header("last-modified")

    assert (
        town.fetch(
            "/market-hall", 6, request_options=RequestOptions(headers=(("If-Modified-Since", stamp),))
        ).status
        == 304
    )
    assert (
        town.fetch(
            "/market-hall", 7, request_options=RequestOptions(headers=(("If-Modified-Since", stamp),))
        ).status
        == 200
    )
    assert (
        town.fetch(
            "/market-hall", 7, request_options=RequestOptions(headers=(("If-Modified-Since", "yesterday"),))
        ).status
        == 200
    )


def test_a_page_that_differs_for_everybody_is_always_sent(town: Town) -> None:
    one, other = town.page("/", 0), town.page("/", 0)

    assert one.header("etag") is None
    assert one.header("cache-control") == "no-store"
    assert one.body != other.body


def test_consent_once_given_is_remembered_by_a_cookie(town: Town) -> None:
    agreed = town.fetch("/?consent=yes", 9)

    assert "Welcome to Ostermill" in agreed.page.source
    assert agreed.page.header("set-cookie").startswith("consent=yes")
    assert (
        "Welcome"
        in town.fetch("/", 9, request_options=RequestOptions(headers=(("Cookie", "a=b; consent=yes"),))).page.source
    )
    assert "Welcome" not in town.page("/", 9).source


@pytest.mark.parametrize(
    "path",
    ["/nowhere", "/ferry", "/news/", "/assets/../scenario.py", "/assets/%2e%2e/site.py", "/media/lantern-x.svg"],
)
def test_what_is_not_there_is_a_404(town: Town, path: str) -> None:
    assert town.fetch(path, 0).status == 404


def test_one_connection_serves_many_requests_of_either_kind(town: Town) -> None:
    connection = http.client.HTTPConnection(town.site.url.removeprefix("http://"), timeout=600)
    lengths = []
    for method in ("HEAD", "GET", "HEAD"):
        connection.request(method, "/market-hall")
        answer = connection.getresponse()
        body = answer.read()
        lengths.append(int(answer.headers["Content-Length"]))
        assert len(body) == (lengths[-1] if method == "GET" else 0)
    connection.close()

    assert len(set(lengths)) == 1


def test_the_story_goes_on_by_itself_ends_and_begins_again() -> None:
    seconds = iter(range(1_000))
    with DemoSite(pace=0.5, clock=lambda: next(seconds)) as site:  # two and a half of them for a step
        steps = [site.step for _ in range(3 * LAST)]
        assert sorted(set(steps)) == list(range(LAST + 1))
        assert steps == sorted(steps)

        site.restart()
        assert site.step == 0


def test_the_story_goes_on_by_the_clock_of_the_machine() -> None:
    with DemoSite(pace=0.002) as site:  # 10 ms for a step
        while site.step < LAST:
            time.sleep(0.001)


def test_closing_ends_open_connections_and_frees_the_port() -> None:
    site = DemoSite().start()
    port = int(site.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=600) as idle:
        idle.sendall(b"GET /robots.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert idle.recv(65536).startswith(b"HTTP/1.1 200")
        site.close()
        site.close()
        with pytest.raises(InputError, match="start it first"):
            _ = site.url
        with DemoSite(port=port) as again:
            assert again.url.endswith(f":{port}")


def test_a_port_that_is_taken_and_an_impossible_pace_are_told_with_the_next_step() -> None:
    with DemoSite() as site, pytest.raises(InputError, match="choose another"):
        DemoSite(port=int(site.url.rpartition(":")[2])).start()
    for pace in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="give a number above 0"):
            DemoSite(pace=pace)


def test_who_may_visit_the_site_may_not_visit_everything_on_this_machine(town: Town, beacon: Beacon) -> None:
    with pytest.raises(FetchError, match="not on the public internet"):
        town.client.fetch(beacon.url, robots="ignore")


def test_what_is_offered_to_watch_is_there(town: Town) -> None:
    for name, path, kind, shows in town.site.watches:
        page = town.page(path, 0)
        assert page.status == 200, name
        assert shows
        assert ("xml" in (page.content_type or "")) is (kind != "page")
