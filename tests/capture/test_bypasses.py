"""Every known way for a page in a browser to reach a machine that must not be asked is tried."""

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from pagedrift.capture.browser import Browser
from pagedrift.capture.browser_visit import Visited
from pagedrift.capture.http import Client, ClientConfig, FetchError
from tests.conftest import CHROMIUM, Beacon
from tests.server import Site, serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not CHROMIUM, reason="there is no Chromium on this machine; on Debian: apt-get install chromium"
    ),
]
QUICK = ClientConfig(delay=0, backoff=0.01, retries=0)

# Each asks for INNER/its-name, or PLAIN (host and port) for what has no path; INNER is closed, the page's site is open.
SUBREQUESTS = {
    "picture": "<img src=INNER/picture>",
    "picture-set": "<img srcset='INNER/picture-set 1x'>",
    "style-sheet": "<link rel=stylesheet href=INNER/style-sheet>",
    "style-import": "<style>@import url(INNER/style-import);</style>",
    "style-background": "<p style='background: url(INNER/style-background)'>x",
    "font": "<style>@font-face { font-family: f; src: url(INNER/font) }</style><p style='font-family: f'>x",
    "script": "<script src=INNER/script></script>",
    "module": "<script type=module>import 'INNER/module'</script>",
    "module-preload": "<link rel=modulepreload href=INNER/module-preload>",
    "frame": "<iframe src=INNER/frame></iframe>",
    "frame-of-frame": "<iframe srcdoc='<iframe src=INNER/frame-of-frame></iframe>'></iframe>",
    "object": "<object data=INNER/object></object>",
    "embed": "<embed src=INNER/embed type=text/html>",
    "video": "<video src=INNER/video autoplay muted></video>",
    "svg-use": "<svg><image href=INNER/svg-use width=9 height=9 /></svg>",
    "fetch": "<script>fetch('INNER/fetch').catch(() => 0)</script>",
    "fetch-no-cors": "<script>fetch('INNER/fetch-no-cors', {mode: 'no-cors', method: 'POST', body: 'x'})</script>",
    "xhr": "<script>x = new XMLHttpRequest; x.open('POST', 'INNER/xhr'); x.send('x')</script>",
    "event-source": "<script>new EventSource('INNER/event-source')</script>",
    "beacon": "<script>navigator.sendBeacon('INNER/beacon', 'x')</script>",
    "keep-alive": "<script>fetch('INNER/keep-alive', {keepalive: true})</script>",
    "worker": "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('INNER/worker')\"])))</script>",
    "redirect": "<img src='/to/redirect'>",
    "redirect-of-frame": "<iframe src='/to/redirect-of-frame'></iframe>",
    "decimal": "<img src='http://2130706433:PORT/decimal'>",
    "octal": "<img src='http://0177.0.0.01:PORT/octal'>",
    "hexadecimal": "<img src='http://0x7f.1:PORT/hexadecimal'>",
    "zero": "<img src='http://0.0.0.0:PORT/zero'>",
    "mapped": "<img src='http://[::ffff:127.0.0.2]:PORT/mapped'>",
    "full-width": "<img src='http://１２７.0.0.２:PORT/full-width'>",
    "trailing-dot": "<img src='http://127.0.0.1.:PORT/trailing-dot'>",
    "backslash": "<img src='http://127.0.0.1:PORT\\\\@localhost/backslash'>",
}
# These are not paused at all, or not seen by us: what matters is that nobody is reached.
UNSEEN = {
    "shared-worker": "<script>new SharedWorker(URL.createObjectURL(new Blob([\"fetch('INNER/shared-worker')\"])))</script>",
    "user-info": "<img src='http://localhost@127.0.0.1:PORT/user-info'>",
    "web-socket": "<script>new WebSocket('ws://PLAIN/web-socket')</script>",
    "web-socket-of-worker": "<script>new Worker(URL.createObjectURL(new Blob([\"new WebSocket('ws://PLAIN/web-socket-of-worker')\"])))</script>",
    "web-transport": "<script>try { new WebTransport('https://PLAIN/web-transport') } catch {}</script>",
    "service-worker": "<script>navigator.serviceWorker?.register('/worker.js')</script>",
    "prefetch": "<link rel=prefetch href=INNER/prefetch>",
    "preload": "<link rel=preload as=fetch href=INNER/preload>",
    "preconnect": "<link rel=preconnect href=INNER>",
    "dns-prefetch": "<link rel=dns-prefetch href=//name.of.nobody.invalid>",
    "speculation": '<script type=speculationrules>{"prefetch": [{"urls": ["INNER/speculation"], "eagerness": "immediate"}], "prerender": [{"urls": ["INNER/speculation-2"], "eagerness": "immediate"}]}</script>',
    "popup": "<script>window.open('INNER/popup')</script>",
    "manifest": "<link rel=manifest href=INNER/manifest>",
    "icon": "<link rel=icon href=INNER/icon>",
    "ping": "<a id=pinged href='#x' ping=INNER/ping>x</a><script>pinged.click()</script>",
    "report": "<script>new ReportingObserver(() => 0).observe()</script>",
    "file": "<iframe src='file:///etc/passwd'></iframe><img src='file:///etc/passwd'>",
    "web-rtc": """<script>c = new RTCPeerConnection({iceServers: [{urls: ['stun:127.0.0.1:UDP', 'stun:localhost:UDP']},
      {urls: 'turn:127.0.0.1:PORT?transport=tcp', username: 'u', credential: 'p'}]});
      c.createDataChannel('x'); c.createOffer().then((offer) => c.setLocalDescription(offer))</script>""",
}
MARK = "<p>The page"


class Heard(list[bytes]):
    """Datagrams that came to a port."""

    port = 0


@dataclass
class Tried:
    """What came of a page that tries everything."""

    seen: Visited
    inner: Beacon
    log: dict
    datagrams: Heard


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    folder = tmp_path_factory.mktemp("net")
    log, wrapper = folder / "net.json", folder / "chromium"
    wrapper.write_text(f'#!/bin/sh\nexec {CHROMIUM} --log-net-log={log} --net-log-capture-mode=Everything "$@"\n')
    wrapper.chmod(0o755)
    inner = Beacon()
    thread = threading.Thread(target=inner.serve_forever, args=(0.01,))
    thread.start()
    port = inner.server_address[1]
    with serving() as site, hearing() as heard:
        page = "".join((*SUBREQUESTS.values(), *UNSEEN.values()))
        for old, new in (
            ("INNER", f"http://127.0.0.1:{port}"),
            ("PLAIN", f"127.0.0.1:{port}"),
            ("PORT", str(port)),
            ("UDP", str(heard.port)),
        ):
            page = page.replace(old, new)
        site.pages["/"] = (200, {"Content-Type": "text/html; charset=utf-8"}, (page + MARK).encode())
        for name in ("redirect", "redirect-of-frame"):
            site.pages[f"/to/{name}"] = (302, {"Location": f"http://127.0.0.1:{port}/{name}"}, b"")
        site.pages["/worker.js"] = (
            200,
            {"Content-Type": "text/javascript"},
            f"fetch('http://127.0.0.1:{port}/service-worker')".encode(),
        )
        with (
            Client(allow_private=["localhost"], config=QUICK) as client,
            Browser(executable=str(wrapper)) as browser,
        ):
            seen = browser.visit(f"http://localhost:{site.port}/", client=client, robots="ignore")
        yield Tried(seen, inner, json.loads(log.read_text()), heard)
    inner.shutdown()
    thread.join()
    inner.server_close()


@contextmanager
def hearing() -> Iterator[Heard]:
    """Hear the datagrams that come to a port."""
    heard, over = Heard(), threading.Event()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.settimeout(0.1)
        heard.port = udp.getsockname()[1]

        def hear() -> None:
            while not over.is_set():
                try:
                    heard.append(udp.recv(2000))
                except TimeoutError:
                    continue

        thread = threading.Thread(target=hear)
        thread.start()
        try:
            yield heard
        finally:
            over.set()
            thread.join()


@pytest.mark.parametrize("name", SUBREQUESTS)
def test_a_page_cannot_reach_inside_by(tried: Tried, name: str) -> None:
    assert [path for path in tried.inner.asked if path.startswith(f"/{name}")] == []
    assert any(url.endswith(f"/{name}") for url, _ in tried.seen.refused)  # it did try


@pytest.mark.parametrize("name", UNSEEN)
def test_a_page_cannot_reach_inside_unseen_by(tried: Tried, name: str) -> None:
    assert [path for path in tried.inner.asked if path.startswith(f"/{name}")] == []
    assert tried.datagrams == []
    assert b"root:" not in tried.seen.page.body


def test_the_page_itself_is_seen_all_the_same(tried: Tried) -> None:
    assert tried.seen.page.words[-2:] == ("The", "page")
    assert tried.inner.asked == []


def test_the_browser_itself_connects_to_nobody_and_looks_up_no_name(tried: Tried) -> None:
    kinds = {number: name for name, number in tried.log["constants"]["logEventTypes"].items()}
    events = [(kinds[event["type"]], event.get("params", {})) for event in tried.log["events"]]
    reached = {
        params["address"]
        for name, params in events
        if name in ("TCP_CONNECT_ATTEMPT", "UDP_CONNECT") and "address" in params
    }
    sent = [name for name, _ in events if name in ("UDP_BYTES_SENT", "HOST_RESOLVER_DNS_TASK", "DNS_TRANSACTION")]

    assert len(events) > 100
    # Where no proxy is; and a socket on which nothing is sent, by which Chromium learns whether there is IPv6.
    assert reached <= {"127.0.0.1:9", "[2001:4860:4860::8888]:443"}
    assert sent == []


# --- ways to lead the page itself elsewhere --------------------------------------------------------------------

ELSEWHERE = {
    "redirect": (302, {"Location": "INNER/redirect"}, b""),
    "redirect-to-metadata": (302, {"Location": "http://169.254.169.254/latest/meta-data/"}, b""),
    "redirect-to-file": (302, {"Location": "file:///etc/passwd"}, b""),
    "refresh-header": (
        200,
        {"Content-Type": "text/html", "Refresh": "0; url=INNER/refresh-header"},
        b"<p>The page",
    ),
    "meta-refresh": b"<meta http-equiv=refresh content='0; url=INNER/meta-refresh'><p>The page",
    "location": b"<p>The page<script>location = 'INNER/location'</script>",
    "location-later": b"<p>The page<script>setTimeout(() => location.replace('INNER/later'), 300)</script>",
    "form": b"<p>The page<form method=post action=INNER/form><input name=x></form><script>document.forms[0].submit()</script>",
    "top-of-frame": b"<p>The page<iframe srcdoc=\"<script>top.location='INNER/top'</script>\"></iframe>",
    "view-source": b"<p>The page<script>location = 'view-source:INNER/view-source'</script>",
    "javascript": b"<p>The page<script>location = 'javascript:fetch(\"INNER/javascript\")'</script>",
    "data": b"<p>The page<iframe src='data:text/html,<script>fetch(\"INNER/data\")</script>'></iframe>",
}


STAYING = {"view-source", "javascript", "data"}  # the browser itself goes nowhere


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_page_cannot_lead_inside_by(chromium: Browser, site: Site, beacon: Beacon, name: str) -> None:
    inner = f"http://127.0.0.1:{beacon.server_address[1]}"
    page = ELSEWHERE[name]
    if isinstance(page, tuple):
        page = (page[0], {key: value.replace("INNER", inner) for key, value in page[1].items()}, page[2])
    else:
        page = page.replace(b"INNER", inner.encode())
    site.pages["/"] = page
    with Client(allow_private=["localhost"], config=QUICK) as client:
        refused, body = "", b""
        try:
            body = chromium.visit(f"http://localhost:{site.port}/", client=client, robots="ignore").page.body
        except FetchError as error:
            refused = str(error)

    assert beacon.asked == []
    assert bool(refused) is (name not in STAYING)
    assert (b"The page" in body) is not bool(refused)
    assert not refused or re.search("not on the public internet|not http or https", refused)
