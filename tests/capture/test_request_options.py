"""What is asked for one address only: headers, cookies, proxies, time, turns; and what connections cost."""

import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from pagedrift.capture.http import Client, ClientConfig, FetchError, Request
from pagedrift.capture.request_options import RequestOptions, check_request_options
from pagedrift.capture.transport import IDLE
from pagedrift.errors import InputError
from tests.capture.test_http import PAGE, QUICK
from tests.proxies import Http, Socks, proxying
from tests.server import HTML, Site


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(allow_private=["127.0.0.1"], config=QUICK) as opened:
        yield opened


def known_as(monkeypatch: pytest.MonkeyPatch, **names: str) -> None:
    """Let names stand for addresses."""
    real = socket.getaddrinfo

    def answer(host: str, *rest: object, **named: object) -> list:
        return real(names.get(host.replace(".", "_"), host), *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", answer)


# --- headers and cookies ---------------------------------------------------------------------------------------

OWN = RequestOptions(headers=(("X-Token", "t0ken"), ("User-Agent", "Own/1")), cookies=(("a", "1"), ("b", "2")))


def test_headers_and_cookies_are_sent_and_never_recorded(client: Client, site: Site) -> None:
    site.pages |= {"/": (302, {"Location": "/fees", "Set-Cookie": "b=3"}, b""), "/fees": PAGE}
    fetched = client.fetch(f"{site.url}/", robots="ignore", request_options=OWN)
    first, second = (headers for _, headers, _ in site.asked)

    assert (first["x-token"], first["cookie"], first["user-agent"]) == ("t0ken", "a=1; b=2", "Own/1")
    assert second["cookie"] == "a=1; b=3"  # the site changed one on the way
    recorded = repr([(each.request_headers, each.headers) for each in fetched.exchanges])
    assert not [secret for secret in ("t0ken", "a=1", "b=2", "b=3") if secret in recorded]
    assert "t0ken" not in repr(OWN)


def test_headers_are_not_sent_to_another_port_or_a_less_safe_way(client: Client, site: Site) -> None:
    with proxying(Http, 1) as other:
        site.pages["/"] = (302, {"Location": f"http://{other.address}/other"}, b"")
        with pytest.raises(FetchError):
            client.fetch(f"{site.url}/", robots="ignore", request_options=OWN)
    from httpx import URL

    from pagedrift.capture.http_messages import is_own

    assert is_own(URL("http://city.example/"), URL("https://city.example/"))
    assert not is_own(URL("https://city.example/"), URL("http://city.example/"))
    assert not is_own(URL("https://city.example/"), URL("https://city.example:8443/"))
    assert not is_own(URL("https://city.example/"), URL("https://city.example.evil.example/"))


def test_robots_txt_is_asked_without_what_is_secret(client: Client, site: Site) -> None:
    site.pages["/"] = PAGE
    client.fetch(f"{site.url}/", robots="obey", request_options=replace(OWN, user_agent="Checker/1"))
    sent = {path: headers for path, headers, _ in site.asked}

    assert sent["/robots.txt"]["user-agent"] == "Checker/1"
    assert "x-token" not in sent["/robots.txt"]
    assert "cookie" not in sent["/robots.txt"]


@pytest.mark.parametrize(
    "wrong",
    [
        RequestOptions(headers=(("X Token", "x"),)),
        RequestOptions(headers=(("X-Token", "x\r\nHost: inner"),)),
        RequestOptions(headers=(("Transfer-Encoding", "chunked"),)),
        RequestOptions(headers=(("host", "inner"),)),
        RequestOptions(cookies=(("a", "s3cret; path=/"),)),
        RequestOptions(cookies=(("a\n", "s3cret"),)),
        RequestOptions(user_agent="x\ny"),
        RequestOptions(timeout=0),
        RequestOptions(timeout=float("nan")),
        RequestOptions(proxy="ftp://127.0.0.1"),
        RequestOptions(proxy="socks5://"),
        RequestOptions(proxy="http://127.0.0.1:99999"),
        RequestOptions(proxy="http://user:s3cret@[::1"),
    ],
)
def test_what_cannot_be_sent_is_refused_without_telling_values(
    client: Client, site: Site, wrong: RequestOptions
) -> None:
    with pytest.raises(InputError) as raised:
        check_request_options(wrong)
    assert "s3cret" not in str(raised.value)
    with pytest.raises(FetchError):
        client.fetch(site.url, request_options=wrong)
    assert site.asked == []


def test_the_time_for_one_address_can_be_shorter(client: Client, site: Site) -> None:
    left = threading.Event()
    site.pages["/"] = lambda _: left.wait() and None
    with pytest.raises(FetchError, match="no complete response") as raised:
        client.fetch(f"{site.url}/", robots="ignore", request_options=RequestOptions(timeout=0.5))
    left.set()  # it said nothing until now

    assert raised.value.kind == "timeout"


def test_a_request_of_a_browser_is_sent_as_it_is(client: Client, site: Site) -> None:
    posted = []
    site.pages["/login"] = lambda request: (posted.append(request.sent), (303, {"Location": "/in"}, b""))[1]
    request = Request(f"{site.url}/login", "POST", (("Cookie", "s3ssion=1"), ("X-Note", "kept")), b"word=s3cret")
    answered = client.ask(request, request_options=OWN)
    exchange = answered.exchange

    assert posted == [b"word=s3cret"]
    assert (exchange.status, exchange.method) == (303, "POST")
    assert ("X-Note", "kept") in exchange.request_headers
    assert "s3" not in repr(exchange) + repr(exchange.request_headers) + repr(request)
    assert site.asked[0][1]["cookie"] == "s3ssion=1; a=1; b=2"


# --- proxies ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("password", ["", "anna:s3cret"])
@pytest.mark.parametrize(("speaks", "scheme"), [(Http, "http"), (Socks, "socks5"), (Socks, "socks5h")])
def test_a_page_comes_through_a_proxy(site: Site, monkeypatch, speaks, scheme: str, password: str) -> None:
    known_as(monkeypatch, city_example="93.184.215.14")
    site.pages["/fees"] = PAGE
    with proxying(speaks, site.port, password) as proxy, Client(config=QUICK) as client:
        told = f"{scheme}://{password}@{proxy.address}" if password else f"{scheme}://{proxy.address}"
        fetched = client.fetch(
            "http://city.example/fees", robots="obey", request_options=RequestOptions(proxy=told)
        )
        assert fetched.page is not None
        assert fetched.page.body == PAGE
        assert all("city.example" in each for each in proxy.asked)
        assert "s3cret" not in repr([each.request_headers for each in fetched.exchanges])
        assert site.asked[0][1]["host"] == "city.example"


@pytest.mark.parametrize("speaks", [Http, Socks])
@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "169.254.169.254", "[::1]", "inner.example", "100.64.0.1"]
)
def test_a_proxy_is_not_asked_for_what_is_inside(site: Site, monkeypatch, speaks, host: str) -> None:
    known_as(monkeypatch, inner_example="10.0.0.7")
    with proxying(speaks, site.port) as proxy, Client(config=QUICK) as client:
        scheme = "http" if speaks is Http else "socks5"
        with pytest.raises(FetchError, match="not on the public internet") as raised:
            client.fetch(
                f"http://{host}/",
                robots="ignore",
                request_options=RequestOptions(proxy=f"{scheme}://{proxy.address}"),
            )
        assert raised.value.kind == "address"
        assert proxy.asked == []


def test_a_redirect_behind_a_proxy_is_looked_at_too(site: Site, monkeypatch) -> None:
    known_as(monkeypatch, city_example="93.184.215.14")
    site.pages["/"] = (302, {"Location": "http://169.254.169.254/latest/meta-data/"}, b"")
    with proxying(Http, site.port) as proxy, Client(config=QUICK) as client:
        with pytest.raises(FetchError, match=r"169\.254\.169\.254 is not on the public internet"):
            client.fetch(
                "http://city.example/",
                robots="ignore",
                request_options=RequestOptions(proxy=f"http://{proxy.address}"),
            )
        assert proxy.asked == ["GET http://city.example/"]


def test_a_host_that_only_the_proxy_knows_is_the_proxys_to_find(site: Site) -> None:
    site.pages["/"] = PAGE
    with proxying(Socks, site.port) as proxy, Client(config=QUICK) as client:
        request_options = RequestOptions(proxy=f"socks5://{proxy.address}")
        assert (
            client.fetch("http://hidden.invalid/", robots="ignore", request_options=request_options).status == 200
        )
        assert proxy.asked == ["hidden.invalid:80"]


@pytest.mark.parametrize(
    ("speaks", "password", "told"),
    [
        (Http, "anna:right", "http://anna:wr0ng@"),
        (Socks, "anna:right", "socks5://anna:wr0ng@"),
        (Http, "", "socks5://"),
    ],
)
def test_a_proxy_that_refuses_or_speaks_otherwise_is_told(site: Site, monkeypatch, speaks, password, told) -> None:
    known_as(monkeypatch, city_example="93.184.215.14")
    config = ClientConfig(delay=0, backoff=0.01, timeout=3, step=1, retries=0)
    with proxying(speaks, site.port, password) as proxy, Client(config=config) as client:
        try:
            fetched = client.fetch(
                "http://city.example/",
                robots="ignore",
                request_options=RequestOptions(proxy=f"{told}{proxy.address}"),
            )
        except FetchError as error:
            said, kind = str(error), error.kind
        else:
            said, kind = "", str(fetched.status)
    assert kind in ("proxy", "407", "network", "timeout")
    assert "wr0ng" not in said


def test_a_proxy_that_is_not_there_is_told(monkeypatch) -> None:
    known_as(monkeypatch, city_example="93.184.215.14")
    with Client(config=QUICK) as client, pytest.raises(FetchError) as raised:
        client.fetch(
            "http://city.example/", robots="ignore", request_options=RequestOptions(proxy="http://127.0.0.1:1")
        )
    assert raised.value.kind == "network"


# --- turns -----------------------------------------------------------------------------------------------------


class Book:
    """Somebody else who keeps turns."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, float]] = []

    def wait(self, host: str, delay: float) -> None:
        self.asked.append((host, delay))

    def follow(self, host: str, delay: float, gap: float) -> None:
        assert gap == 2
        self.asked.append((host, delay))


def test_turns_can_be_kept_by_somebody_else(site: Site) -> None:
    book = Book()
    site.pages |= {"/": PAGE, "/robots.txt": (200, {}, b"User-agent: *\nCrawl-delay: 7")}
    with Client(allow_private=["127.0.0.1"], config=ClientConfig(delay=2), turns=book) as client:
        assert client.delay_of("127.0.0.1") == 2
        client.fetch(f"{site.url}/", robots="obey")
        assert client.delay_of("127.0.0.1") == 7
        assert client.delay_of("city.example") == 2

    assert book.asked == [("127.0.0.1", 2), ("127.0.0.1", 7)]


# --- connections -----------------------------------------------------------------------------------------------


def test_threads_share_connections_and_ask_for_robots_once(site: Site) -> None:
    addresses = set()
    site.pages["/"] = lambda request: (addresses.add(request.client_address), (200, HTML, PAGE))[1]
    with Client(allow_private=["127.0.0.1"], config=QUICK) as client, ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: client.fetch(f"{site.url}/").status, range(100)))

    assert statuses == [200] * 100
    assert len(addresses) <= 9
    assert site.paths.count("/robots.txt") == 1


def test_a_connection_that_the_server_closed_meanwhile_costs_nothing(site: Site) -> None:
    def once(request) -> tuple[int, dict[str, str], bytes]:
        request.close_connection = True
        return (200, HTML, PAGE)  # and does not say that it closes

    site.pages["/"] = once
    with Client(allow_private=["127.0.0.1"], config=replace(QUICK, retries=0)) as client:
        for _ in range(5):
            assert client.fetch(f"{site.url}/", robots="ignore").status == 200


def test_connections_that_wait_are_bounded_and_leave(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *rest, **named: real("127.0.0.1", *rest, **named))
    site.pages["/"] = PAGE
    with Client(allow_private=["127.0.0.0/8"], config=QUICK) as client:
        waiting = client._wires.way(None, verify=True)._idle._since
        for number in range(IDLE + 30):
            client.fetch(f"http://host-{number}.example:{site.port}/", robots="ignore")
        assert len(waiting) == IDLE
        monkeypatch.setattr("pagedrift.capture.transport.EXPIRY", 0.0)
        for _ in range(IDLE):
            client.fetch(f"http://last.example:{site.port}/", robots="ignore")
        assert len(waiting) <= 2


@pytest.mark.parametrize("verify", [True, False])
def test_a_certificate_counts_unless_the_user_says_otherwise(site: Site, tmp_path, verify: bool) -> None:
    from tests.capture.test_http import certified

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certified(tmp_path))
    site.socket = context.wrap_socket(site.socket, server_side=True)
    site.pages["/"] = PAGE
    with Client(allow_private=["localhost"], config=QUICK) as client:
        request_options = RequestOptions(verify=verify)
        if verify:
            with pytest.raises(FetchError, match="certificate is not valid"):
                client.fetch(f"https://localhost:{site.port}/", robots="ignore", request_options=request_options)
        else:
            assert (
                client.fetch(
                    f"https://localhost:{site.port}/", robots="ignore", request_options=request_options
                ).status
                == 200
            )
            # The next one, who wants certificates, does not get the connection of this one.
            with pytest.raises(FetchError, match="certificate is not valid"):
                client.fetch(f"https://localhost:{site.port}/", robots="ignore")


def test_a_name_server_that_says_nothing_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    real, over = socket.getaddrinfo, threading.Event()

    def slow(host: str, *rest: object, **named: object) -> list:
        if host == "slow.example":
            over.wait()
        return real("127.0.0.1", *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    with Client(config=replace(QUICK, retries=0)) as client:
        try:
            with pytest.raises(FetchError) as raised:
                client.fetch("http://slow.example/", robots="ignore", request_options=RequestOptions(timeout=0.5))
        finally:
            over.set()  # it said nothing until now

    assert raised.value.kind == "timeout"
