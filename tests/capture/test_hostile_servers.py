"""Servers that answer so that it costs time and memory."""

import gzip
import itertools
from collections.abc import Iterator

import pytest

from pagedrift.capture.http import ROBOTS_SIZE, Client, ClientConfig, FetchError
from pagedrift.capture.http_messages import MAX_TINY_CHUNKS
from tests.resource_bounds import bounded
from tests.server import HTML, Site

MANNERS = ClientConfig(delay=0, retries=0, timeout=120)


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(allow_private=["127.0.0.1"], config=MANNERS) as opened:
        yield opened


def sending(start: bytes, part: bytes, *, most: int | None = None):
    """Answer with a start, and then with the same again and again."""

    def answer(request) -> None:
        request.close_connection = True
        request.wfile.write(start)
        for _ in itertools.count() if most is None else range(most):
            request.wfile.write(part)

    return answer


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
ENDLESS = {
    "chunks of one byte": (CHUNKED, b"1\r\na\r\n" * 10_000, f"{MAX_TINY_CHUNKS:,} pieces"),
    "a header without an end": (b"HTTP/1.1 200 OK\r\nX: ", b"a" * 10_000, "connection failed"),
    "headers without an end": (b"HTTP/1.1 200 OK\r\n", b"X: a\r\n" * 1_000, "connection failed"),
    "a size of a chunk without an end": (CHUNKED, b"0" * 10_000, "connection failed"),
    "trailers without an end": (CHUNKED + b"1\r\na\r\n0\r\n", b"X: a\r\n" * 1_000, "connection failed"),
    "a status without an end": (b"HTTP/1.1 200 ", b"O" * 10_000, "connection failed"),
}


@pytest.mark.parametrize(("start", "part", "said"), ENDLESS.values(), ids=ENDLESS)
def test_an_answer_of_countless_parts_is_given_up(
    client: Client, site: Site, start: bytes, part: bytes, said: str
) -> None:
    site.pages["/"] = sending(start, part)
    with bounded(megabytes=200, cpu_seconds=60), pytest.raises(FetchError, match=said):
        client.fetch(f"{site.url}/", robots="ignore")


def test_a_page_that_comes_in_small_chunks_as_honest_servers_send_them_is_taken(client: Client, site: Site) -> None:
    site.pages["/"] = sending(CHUNKED, b"13\r\n<p>A permit: $120\n\n\r\n" * 1_000 + b"0\r\n\r\n", most=1)

    assert len(client.fetch(f"{site.url}/", robots="ignore").page.body) == 19_000


@pytest.mark.parametrize("unpack", [True, False], ids=["unpacked", "left packed"])
def test_a_body_of_countless_gzip_members_is_trouble_of_its_page(
    client: Client, site: Site, *, unpack: bool
) -> None:
    empty = gzip.compress(b"")
    site.pages["/"] = (200, {**HTML, "Content-Encoding": "gzip"}, empty * (16_000_000 // len(empty)))
    with bounded(megabytes=200, cpu_seconds=20), pytest.raises(FetchError, match="10,000 parts") as raised:
        client.fetch(f"{site.url}/", robots="ignore", unpack=unpack)

    assert raised.value.kind == "size"


def test_a_page_that_is_left_packed_is_known_by_its_digest_and_not_held(client: Client, site: Site) -> None:
    body = b"<p>" + bytes(60_000_000)
    packed = gzip.compress(body) + b"\0" * 400_000
    site.pages["/"] = (200, {**HTML, "Content-Encoding": "gzip"}, packed)
    with bounded(megabytes=50, cpu_seconds=20):
        left = client.fetch(f"{site.url}/", robots="ignore", unpack=False)
    whole = client.fetch(f"{site.url}/", robots="ignore")

    assert (left.page, left.digest) == (None, whole.page.digest)
    assert left.exchanges[-1].body == packed


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_of_a_giant_robots_txt_only_the_start_is_read(client: Client, site: Site, coding: str) -> None:
    rules = b"User-agent: *\nDisallow: /private\n"
    body = rules + b"#" * 40_000_000
    packed = gzip.compress(body) if coding == "gzip" else body
    site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain", "Content-Encoding": coding}, packed)
    with bounded(megabytes=100, cpu_seconds=20):
        found = [client.may_fetch(f"{site.url}{path}") for path in ("/private/a", "/open")]

    assert found == [False, True]
    assert len(body) > ROBOTS_SIZE
