"""The one HTTP client, against a real server that is slow, rude, endless or lies."""

import gzip
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pagedrift.capture.http import Client, ClientConfig, FetchError
from pagedrift.capture.request_options import RequestOptions
from pagedrift.limits import Limits
from tests.server import HTML, Site

QUICK = ClientConfig(delay=0, backoff=0.01, timeout=600, step=300)  # seconds in which a busy machine answers
TOKEN = RequestOptions(headers=(("X-Token", "secret"),), cookies=(("a", "b"),))
PAGE = b"<title>Fees</title><p>A permit costs $120"


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(allow_private=["127.0.0.1"], config=QUICK) as opened:
        yield opened


def trouble(client: Client, url: str, kind: str, says: str) -> None:
    with pytest.raises(FetchError, match=says) as raised:
        client.fetch(url, robots="ignore")
    assert raised.value.kind == kind
    assert str(raised.value).startswith(url)
    assert "\n" not in str(raised.value)


def test_a_page_comes_with_its_time_status_and_headers(client: Client, site: Site) -> None:
    site.pages["/fees"] = (200, {**HTML, "ETag": '"7"'}, PAGE)
    before = time.time()
    fetched = client.fetch(f"{site.url}/fees#part", robots="ignore")
    page = fetched.page

    assert page is not None
    assert (page.url, page.body, page.status, page.header("etag")) == (f"{site.url}/fees", PAGE, 200, '"7"')
    assert page.content_type == "text/html; charset=utf-8"
    assert page.captured_at is not None
    assert before <= page.captured_at.timestamp() <= time.time()
    assert fetched.requests == 1


def test_statuses_of_trouble_are_answers(client: Client, site: Site) -> None:
    fetched = client.fetch(f"{site.url}/missing", robots="ignore")

    assert fetched.status == 404
    assert fetched.page
    assert fetched.page.status == 404


# --- addresses -------------------------------------------------------------------------------------------------


SPELLINGS = """
127.0.0.1 localhost LOCALHOST localhost. 127.0.0.1. 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.1
0 0.0.0.0 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1]
[2002:7f00:1::] [::ffff:0:127.0.0.1] [fe80::1] [fc00::1] 10.0.0.1 192.168.1.1 172.16.0.1 100.64.0.1
100.100.100.200 169.254.169.254 2852039166 0xa9fea9fe [::ffff:a9fe:a9fe] [fd00:ec2::254] 192.0.0.192
168.63.129.16 224.0.0.1 255.255.255.255 １２７.０.０.１ 127。0。0。1 ①②⑦.0.0.1 ⓛⓞⓒⓐⓛⓗⓞⓢⓣ 127.0.0.1%00.city.example
127.0.0.1%2f.city.example
""".split()


@pytest.mark.parametrize("host", SPELLINGS)
def test_this_machine_is_not_asked_unless_allowed(site: Site, host: str) -> None:
    says = r"PAGEDRIFT_ALLOW_PRIVATE|could not be found|not a valid address"
    with Client(config=QUICK) as client, pytest.raises(FetchError, match=says) as raised:
        client.fetch(f"http://{host}:{site.port}/", robots="ignore")

    assert raised.value.kind in ("address", "url")
    assert site.asked == []


def test_a_redirect_to_another_private_host_is_refused(client: Client, site: Site) -> None:
    site.pages["/"] = (302, {"Location": f"http://localhost:{site.port}/secret"}, b"")
    trouble(client, f"{site.url}/", "address", "localhost is not on the public internet")

    assert site.paths == ["/"]


def test_a_redirect_to_a_metadata_service_is_refused(client: Client, site: Site) -> None:
    site.pages["/"] = (302, {"Location": "http://169.254.169.254/latest/meta-data/"}, b"")
    trouble(client, f"{site.url}/", "address", "169.254.169.254 is not on the public internet")


def test_a_name_that_changes_its_address_after_the_check_gains_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, answers = socket.getaddrinfo, ["203.0.113.7", "127.0.0.1", "127.0.0.1"]

    def rebinding(host: str, *rest: object, **named: object) -> list:
        return real(answers.pop(0) if host == "rebind.example" else host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    config = ClientConfig(delay=0, timeout=0.3, step=0.3, retries=0)
    with Client(allow_private=["203.0.113.0/24"], config=config) as client, pytest.raises(FetchError):
        client.fetch(f"http://rebind.example:{site.port}/", robots="ignore")

    assert site.asked == []
    assert len(answers) >= 2  # looked up once at most: what was checked is what was connected to


def test_a_name_that_is_public_first_and_private_for_the_next_connection_is_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, answers = socket.getaddrinfo, ["127.0.0.1", "127.0.0.2"]

    def rebinding(host: str, *rest: object, **named: object) -> list:
        return real(answers.pop(0) if host == "rebind.example" else host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)

    def leave(request) -> tuple[int, dict[str, str], bytes]:
        request.close_connection = True
        return (302, {"Location": "/secret", "Connection": "close"}, b"")

    site.pages["/"] = leave
    with Client(allow_private=["127.0.0.1/32"], config=QUICK) as client:
        trouble(client, f"http://rebind.example:{site.port}/", "address", r"rebind\.example is not on the public")

    assert site.paths == ["/"]


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("file:///etc/passwd", "only http and https"),
        ("file:/etc/passwd", "only http and https"),
        ("source:file:///etc/passwd", "only http and https"),
        ("view-source:http://127.0.0.1/", "only http and https"),
        ("data:text/html,<p>x", "only http and https"),
        (" http://127.0.0.1/", "only http and https"),
        ("chrome://settings", "only http and https"),
        ("blob:http://127.0.0.1/x", "only http and https"),
        ("//127.0.0.1/", "only http and https"),
        ("city.example", "only http and https"),
        ("", "only http and https"),
        ("gopher://127.0.0.1/", "only http and https"),
        ("javascript:alert(1)", "only http and https"),
        ("http://", "not a valid address"),
        ("http:///fees", "not a valid address"),
        ("http://127.0.0.1:99999/", "not a valid address"),
        ("http://[::1/", "not a valid address"),
        ("http://xn--localhost-/", "not a valid address"),
        ("http://city.example@127.0.0.1/", "name or password"),
        ("http://127.0.0.1\\@city.example/", "name or password"),
        ("http://user:secret@127.0.0.1/", "name or password"),
    ],
)
def test_addresses_that_trick_or_are_none_are_refused(client: Client, url: str, says: str) -> None:
    trouble(client, url, "url", says)


@pytest.mark.parametrize("url", ["http://127.0.0.1\r\nHost: x/", "http://" + "a" * 70_000 + ".example/"])
def test_the_message_about_a_strange_address_is_one_short_line(client: Client, url: str) -> None:
    with pytest.raises(FetchError, match="not a valid address") as raised:
        client.fetch(url)

    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 700


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/", "http://a:b@127.0.0.1/", "http://xn--a-/"]
)
def test_a_redirect_to_such_an_address_is_refused(client: Client, site: Site, target: str) -> None:
    site.pages["/"] = (302, {"Location": target}, b"")
    with pytest.raises(FetchError, match=r"only http and https|name or password|nowhere"):
        client.fetch(f"{site.url}/", robots="ignore")


def test_settings_of_proxies_are_not_followed(client: Client, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    site.pages["/"] = PAGE

    assert client.fetch(f"{site.url}/", robots="ignore").status == 200


# --- redirects, conditions, cookies ----------------------------------------------------------------------------


def test_redirects_are_followed_and_recorded(client: Client, site: Site) -> None:
    site.pages["/a"] = (301, {"Location": "/b"}, b"")
    site.pages["/b"] = (302, {"Location": "/fees"}, b"")
    site.pages["/fees"] = PAGE
    fetched = client.fetch(f"{site.url}/a", robots="ignore")

    assert fetched.redirects == ((f"{site.url}/a", 301), (f"{site.url}/b", 302))
    assert fetched.url == fetched.page.url == f"{site.url}/fees"
    assert fetched.requests == 3


def test_a_circle_of_redirects_ends(client: Client, site: Site) -> None:
    site.pages["/a"] = (302, {"Location": "/b"}, b"")
    site.pages["/b"] = (302, {"Location": "/a"}, b"")
    trouble(client, f"{site.url}/a", "redirects", "more than 10 redirects")


def test_a_site_that_wants_its_cookie_back_gets_it_and_nobody_else(client: Client, site: Site) -> None:
    def gate(request) -> tuple[int, dict[str, str], bytes]:
        if "seen=1" in (request.headers.get("Cookie") or ""):
            return (200, HTML, PAGE)
        return (302, {"Location": "/", "Set-Cookie": "seen=1"}, b"")

    site.pages["/"] = gate
    assert client.fetch(f"{site.url}/", robots="ignore").status == 200
    assert len(client.fetch(f"{site.url}/", robots="ignore").redirects) == 1  # the jar was emptied


def test_headers_of_the_user_go_to_the_first_host_only(site: Site) -> None:
    site.pages["/"] = (302, {"Location": f"http://localhost:{site.port}/other"}, b"")
    site.pages["/other"] = PAGE
    with Client(allow_private=["127.0.0.1", "localhost"], config=QUICK) as client:
        client.fetch(f"{site.url}/", robots="ignore", request_options=TOKEN)
    sent = {path: headers for path, headers, _ in site.asked}

    assert sent["/"]["x-token"] == "secret"
    assert sent["/"]["cookie"] == "a=b"
    assert "x-token" not in sent["/other"]
    assert "cookie" not in sent["/other"]


def test_a_known_version_is_asked_about(client: Client, site: Site) -> None:
    def conditional(request) -> tuple[int, dict[str, str], bytes]:
        held = request.headers.get("If-None-Match") == '"7"' and request.headers.get("If-Modified-Since")
        headers = {**HTML, "ETag": '"7"', "Last-Modified": "Fri, 02 Feb 2024 10:00:00 GMT"}
        return (304, headers, b"") if held else (200, headers, PAGE)

    site.pages["/"] = conditional
    first = client.fetch(f"{site.url}/", robots="ignore")
    again = client.fetch(f"{site.url}/", robots="ignore", known=first.page)

    assert not first.not_modified
    assert again.not_modified
    assert again.page is None


# --- retries ---------------------------------------------------------------------------------------------------


def test_passing_trouble_is_tried_again(client: Client, site: Site) -> None:
    site.pages["/"] = [(503, HTML, b""), (502, HTML, b""), (200, HTML, PAGE)]
    fetched = client.fetch(f"{site.url}/", robots="ignore")

    assert fetched.status == 200
    assert fetched.requests == 3


def test_lasting_trouble_is_an_answer_after_the_last_retry(client: Client, site: Site) -> None:
    site.pages["/"] = (503, HTML, b"<p>Down")

    assert client.fetch(f"{site.url}/", robots="ignore").status == 503
    assert len(site.asked) == 3


def test_retry_after_is_waited_for(site: Site) -> None:
    waited: list[float] = []
    site.pages["/"] = [(429, {"Retry-After": "7"}, b""), (200, HTML, PAGE)]
    with Client(allow_private=["127.0.0.1"], config=QUICK, sleep=waited.append) as client:
        assert client.fetch(f"{site.url}/", robots="ignore").status == 200

    assert max(waited) == 7


def test_a_retry_after_of_hours_is_told_and_not_waited_for(client: Client, site: Site) -> None:
    site.pages["/"] = (429, {"Retry-After": "7200"}, b"")
    fetched = client.fetch(f"{site.url}/", robots="ignore")

    assert (fetched.status, fetched.retry_after, fetched.requests) == (429, 7200.0, 1)


def test_a_server_that_hangs_up_is_trouble(client: Client, site: Site) -> None:
    def hang_up(request) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<p>Half")
        request.close_connection = True

    site.pages["/"] = hang_up
    trouble(client, f"{site.url}/", "network", "the connection failed .*; try again later")
    assert len(site.asked) == 3


def test_nobody_listening_is_trouble(client: Client) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    trouble(client, f"http://127.0.0.1:{port}/", "network", "the connection failed")


def test_what_is_not_http_is_trouble(client: Client, site: Site) -> None:
    def nonsense(request) -> None:
        request.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
        request.close_connection = True

    site.pages["/"] = nonsense
    trouble(client, f"{site.url}/", "network", "the connection failed")


# --- limits ----------------------------------------------------------------------------------------------------

SMALL = replace(QUICK, retries=0, limits=Limits(body=100_000, ratio_from=50_000))
HASTY = ClientConfig(delay=0, timeout=1.0, step=0.5, retries=0)


@pytest.fixture
def strict() -> Iterator[Client]:
    with Client(allow_private=["127.0.0.1"], config=SMALL) as opened:
        yield opened


@pytest.fixture
def hasty() -> Iterator[Client]:
    with Client(allow_private=["127.0.0.1"], config=HASTY) as opened:
        yield opened


def test_a_page_beyond_the_limit_is_refused(strict: Client, site: Site) -> None:
    site.pages["/"] = b"x" * 100_001
    trouble(strict, f"{site.url}/", "size", "more than 100,000 bytes")


def test_a_page_of_500_megabytes_is_refused_at_its_first_byte(client: Client, site: Site) -> None:
    written = []

    def huge(request) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500000000\r\n\r\n")
        written.extend(request.wfile.write(b"x" * 1_000_000) for _ in range(500))

    site.pages["/"] = huge
    trouble(client, f"{site.url}/", "size", "more than 64,000,000 bytes|more than 67,108,864 bytes")
    assert len(written) < 20  # what lies in the buffers of the system


def test_a_page_of_500_megabytes_that_does_not_say_so_ends_at_the_limit(client: Client, site: Site) -> None:
    def huge(request) -> None:
        request.close_connection = True
        request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(500):
            request.wfile.write(b"x" * 1_000_000)

    site.pages["/"] = huge
    trouble(client, f"{site.url}/", "size", "more than 64,000,000 bytes|more than 67,108,864 bytes")


def test_an_endless_stream_ends(strict: Client, site: Site) -> None:
    def endless(request) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            request.wfile.write(b"1000\r\n" + b"x" * 0x1000 + b"\r\n")

    site.pages["/"] = endless
    trouble(strict, f"{site.url}/", "size", "more than 100,000 bytes")


@pytest.mark.parametrize("coding", ["gzip", "gzip, gzip"])
def test_a_bomb_is_refused(strict: Client, site: Site, coding: str) -> None:
    bomb = gzip.compress(b"\0" * 20_000_000)
    body = gzip.compress(bomb) if "," in coding else bomb
    site.pages["/"] = (200, {**HTML, "Content-Encoding": coding}, body)
    trouble(strict, f"{site.url}/", "size", "when unpacked|unpacks more")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_packed_pages_are_unpacked(client: Client, site: Site, coding: str) -> None:
    import zlib

    import brotli
    import zstandard

    pack = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "br": brotli.compress,
        "zstd": zstandard.ZstdCompressor().compress,
    }
    site.pages["/"] = (200, {**HTML, "Content-Encoding": coding}, pack[coding](PAGE))

    assert client.fetch(f"{site.url}/", robots="ignore").page.body == PAGE
    assert coding in site.asked[0][1]["accept-encoding"]


def test_damaged_packing_is_trouble(strict: Client, site: Site) -> None:
    site.pages["/"] = (200, {**HTML, "Content-Encoding": "gzip"}, gzip.compress(PAGE)[:20])
    with pytest.raises(FetchError, match="ends too early"):
        strict.fetch(f"{site.url}/", robots="ignore")


@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_server_that_drips_is_left_in_time(hasty: Client, site: Site, part: str) -> None:
    left = threading.Event()

    def drip(request) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n" + (b"Content-Length: 9999\r\n\r\n" if part == "body" else b""))
        while not left.wait(0.1):
            request.wfile.write(b"X: y\r\n" if part == "headers" else b"x")
            request.wfile.flush()

    site.pages["/"] = drip
    trouble(hasty, f"{site.url}/", "timeout", r"no complete response within \d+ s; try again later")
    left.set()  # it dripped until now


def test_a_server_that_says_nothing_is_left_in_time(hasty: Client, site: Site) -> None:
    left = threading.Event()
    site.pages["/"] = lambda _: left.wait() and None
    trouble(hasty, f"{site.url}/", "timeout", "no complete response")
    left.set()


# --- politeness ------------------------------------------------------------------------------------------------


def test_requests_to_one_host_take_turns_also_from_threads(site: Site) -> None:
    site.pages["/"] = PAGE
    waited: list[float] = []
    with Client(allow_private=["127.0.0.1"], config=ClientConfig(delay=100), sleep=waited.append) as client:
        threads = [
            threading.Thread(target=client.fetch, args=(f"{site.url}/",), kwargs={"robots": "ignore"})
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert [round(seconds / 100) for seconds in sorted(waited)] == [1, 2, 3]
    assert len(site.asked) == 4


def test_robots_are_obeyed_or_reported_as_asked(client: Client, site: Site) -> None:
    site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private")
    site.pages["/private/a"] = site.pages["/open"] = PAGE

    assert client.fetch(f"{site.url}/open", robots="obey").robots_allow is True
    assert client.fetch(f"{site.url}/private/a", robots="report").robots_allow is False
    assert client.fetch(f"{site.url}/private/a", robots="ignore").robots_allow is None
    with pytest.raises(FetchError, match=r"robots\.txt does not allow it") as raised:
        client.fetch(f"{site.url}/private/a", robots="obey")
    assert raised.value.kind == "robots"
    assert site.paths.count("/robots.txt") == 1
    with pytest.raises(FetchError, match=r"^http://localhost/: localhost is not on the") as raised:
        client.fetch("http://localhost/", robots="obey")
    assert raised.value.kind == "address"


@pytest.mark.parametrize(
    ("answer", "allowed"),
    [
        ((404, HTML, b""), True),
        ((403, HTML, b""), True),
        ((500, HTML, b""), False),
        ((200, {}, b"\xff\xfe\0garbage"), True),
        ((200, {}, b"\xef\xbb\xbfUser-agent: pagedrift\nDisallow: /"), False),
        ((200, {}, b"User-agent: other\nDisallow: /"), True),
    ],
)
def test_a_missing_or_broken_robots_txt_means_what_the_standard_says(client, site, answer, allowed) -> None:
    site.pages["/robots.txt"] = answer

    assert client.may_fetch(f"{site.url}/fees") is allowed


def test_the_delay_that_a_robots_txt_asks_for_is_kept(site: Site) -> None:
    waited: list[float] = []
    site.pages["/robots.txt"] = (200, {}, b"User-agent: *\nCrawl-delay: 9")
    site.pages["/"] = PAGE
    with Client(allow_private=["127.0.0.1"], config=ClientConfig(delay=0.01), sleep=waited.append) as client:
        client.fetch(f"{site.url}/", robots="obey")
        client.fetch(f"{site.url}/", robots="obey")

    assert max(waited) == pytest.approx(9, abs=1)


def certified(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for localhost that nobody vouches for, and its key."""
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the certificate; install it")
    key, certificate = folder / "key.pem", folder / "cert.pem"
    made = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {key} -out {certificate}"
    subprocess.run(made.split(), check=True, capture_output=True)
    return certificate, key


def test_a_certificate_nobody_vouches_for_is_refused(site: Site, tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certified(tmp_path))
    site.socket = context.wrap_socket(site.socket, server_side=True)
    with Client(allow_private=["localhost"], config=QUICK) as client:
        trouble(client, f"https://localhost:{site.port}/", "certificate", r"certificate is not valid \(self")


@pytest.mark.parametrize(
    ("status", "says"),
    [
        pytest.param(206, "a part of the page though all of it was asked for .status 206.; try again", id="a part"),
        pytest.param(304, "as before though no version was named .status 304.; try again", id="not modified"),
    ],
)
def test_an_answer_to_what_was_not_asked_is_a_failure(client: Client, site: Site, status: int, says: str) -> None:
    site.pages["/"] = (
        status,
        {"Content-Type": "text/html", "Content-Range": "bytes 0-3/999"},
        b"<p>x" if status == 206 else b"",
    )

    with pytest.raises(FetchError, match=says) as caught:
        client.fetch(f"{site.url}/")
    assert caught.value.kind == "status"


def test_a_part_that_was_asked_for_is_a_page(client: Client, site: Site) -> None:
    site.pages["/"] = (206, {"Content-Type": "text/html", "Content-Range": "bytes 0-3/999"}, b"<p>x")

    fetched = client.fetch(f"{site.url}/", request_options=RequestOptions(headers=(("Range", "bytes=0-3"),)))
    assert fetched.page is not None
    assert fetched.page.body == b"<p>x"
