"""Live visits by a real Chromium, of which every request passes our own client."""

import gzip
import struct
from collections.abc import Iterator

import pytest

from pagedrift.capture.browser import Browser, RenderError, Window
from pagedrift.capture.browser_visit import StepError
from pagedrift.capture.http import Client, ClientConfig, FetchError
from pagedrift.capture.request_options import RequestOptions
from pagedrift.capture.steps import parse_steps
from pagedrift.errors import InputError
from tests.capture.test_browser import RED
from tests.conftest import CHROMIUM
from tests.server import HTML, Site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not CHROMIUM, reason="there is no Chromium on this machine; on Debian: apt-get install chromium"
    ),
]
QUICK = ClientConfig(delay=0, backoff=0.01, retries=0)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(allow_private=["127.0.0.1"], config=QUICK) as opened:
        yield opened


PAGE = b"""<!doctype html><title>Fees</title><link rel=stylesheet href=/city.css>
<p id=fee><img src=/red.png width=50 height=50><script>fee.append("A permit costs $" + 12 * 10)</script>"""


def test_a_live_page_is_seen_with_its_styles_and_pictures_after_its_scripts(chromium, client, site: Site) -> None:
    packed = {**HTML, "Content-Encoding": "gzip", "ETag": '"7"'}
    site.pages |= {
        "/": (301, {"Location": "/fees"}, b""),
        "/fees": (200, packed, gzip.compress(PAGE)),
        "/city.css": (200, {"Content-Type": "text/css"}, b"body { background: rgb(0, 0, 255) }"),
        "/red.png": (200, {"Content-Type": "image/png"}, RED),
    }
    seen = chromium.visit(f"{site.url}/", client=client)

    assert (seen.url, seen.status, seen.redirects) == (f"{site.url}/fees", 200, ((f"{site.url}/", 301),))
    assert seen.page.words == ("A", "permit", "costs", "$120")
    assert seen.page.content_type == "text/html; charset=utf-8"
    assert seen.page.header("etag") == '"7"'
    assert gzip.decompress(seen.document.body) == PAGE
    addresses = [exchange.url.removeprefix(site.url) for exchange in seen.exchanges]
    assert addresses[:2] == ["/", "/fees"]
    assert {"/city.css", "/red.png"} <= set(addresses[2:])
    assert b"".join(seen.page.body.split())[:15] == b"<!doctypehtml><"
    assert seen.page.view is not None
    assert seen.page.view.nodes[0].style.background == "rgb(0, 0, 255)"
    assert seen.refused == ()
    assert {(0, 0, 255), (255, 0, 0)} <= colours(seen.picture)
    assert seen.robots_allow is True


def colours(png: bytes) -> set[tuple[int, int, int]]:
    cv2, numpy = pytest.importorskip("cv2"), pytest.importorskip("numpy")
    image = cv2.imdecode(numpy.frombuffer(png, numpy.uint8), cv2.IMREAD_COLOR)
    return {tuple(map(int, colour[::-1])) for colour in numpy.unique(image.reshape(-1, 3), axis=0)}


# --- signing in ------------------------------------------------------------------------------------------------

FORM = b"""<form method=post action=/login><input id=user name=user><input id=word name=word type=password>
<select name=town><option>Ulm<option>Bonn</select><button>Enter</button></form>"""
STEPS = """
fill #user = anna
fill #word = {secret:WORD}
select [name=town] = Bonn
click button
wait .account
"""
WORD = "pa ss&wörd/1"


def members_only(site: Site) -> list[bytes]:
    posted: list[bytes] = []

    def login(request) -> tuple[int, dict[str, str], bytes]:
        posted.append(request.sent)
        return (303, {"Location": "/account", "Set-Cookie": "session=s3ss10n; HttpOnly; SameSite=Lax"}, b"")

    def account(request) -> tuple[int, dict[str, str], bytes]:
        if "session=s3ss10n" not in (request.headers.get("Cookie") or ""):
            return (302, {"Location": "/enter"}, b"")
        return (200, HTML, f"<p class=account>Hello anna, your word is {WORD}<p>12 permits".encode())

    site.pages |= {"/account": account, "/enter": FORM, "/login": login}
    return posted


def test_steps_sign_in_and_no_secret_is_kept(chromium, client, site: Site) -> None:
    posted = members_only(site)
    seen = chromium.visit(
        f"{site.url}/account", client=client, steps=parse_steps(STEPS), secrets={"WORD": WORD, "OTHER": "x"}
    )

    assert posted == [b"user=anna&word=pa+ss%26w%C3%B6rd%2F1&town=Bonn"]
    assert seen.page.words[-2:] == ("12", "permits")
    assert seen.url == f"{site.url}/account"
    kept = repr([(each.url, each.headers, each.request_headers, each.body) for each in seen.exchanges])
    for secret in (WORD, "wörd", "w%C3%B6rd", "w\\xc3\\xb6rd"):
        assert secret not in kept + repr(seen) + seen.page.source + seen.dom + repr(seen.page.view.nodes)
    assert "s3ss10n" not in kept + repr(seen.page.headers)
    assert b"{secret:WORD}" in seen.document.body


def test_a_secret_in_an_address_is_taken_out(chromium, client, site: Site) -> None:
    site.pages |= {
        "/": b"<form action=/search><input name=key></form>",
        "/search?key=t0ps3cret": b"<p>found<img src=/x.png>",
    }
    seen = chromium.visit(
        f"{site.url}/",
        client=client,
        steps=parse_steps("fill input = {secret:KEY}\npress input = Enter\nwait p"),
        secrets={"KEY": "t0ps3cret"},
    )

    assert "/search?key=t0ps3cret" in site.paths
    assert seen.url == f"{site.url}/search?key={{secret:KEY}}"
    assert "t0ps3cret" not in repr([(each.url, each.request_headers) for each in seen.exchanges])


def test_a_secret_is_not_told_where_it_was_to_be_sent_inside(chromium, client, site: Site) -> None:
    site.pages["/"] = b"<form action=http://169.254.169.254/><input name=key></form>"
    with pytest.raises(FetchError, match="not on the public internet") as raised:
        chromium.visit(
            f"{site.url}/",
            client=client,
            steps=parse_steps("fill input = {secret:KEY}\npress input = Enter"),
            secrets={"KEY": "t0ps3cret"},
        )

    assert "t0ps3cret" not in str(raised.value)
    assert "{secret:KEY}" in str(raised.value)


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        (
            "click #there\nclick #nowhere",
            r"step 2 \(click #nowhere\) failed: nothing on the page answers to #nowhere",
        ),
        (
            "fill #there = {secret:KEY}",
            r"step 1 \(fill #there = \{secret:KEY\}\) failed: .*; look at the page",
        ),
        ("click ###", r"step 1 \(click ###\) failed: "),
        ("goto file:///etc/passwd", r"step 1 \(goto file:///etc/passwd\) failed: only http and https"),
        ("goto view-source:http://localhost/", r"step 1 .*failed: only http and https"),
        ("goto http://169.254.169.254/latest/", r"step 1 .*169\.254\.169\.254 is not on the public internet"),
    ],
)
def test_a_step_that_fails_says_which_and_why(chromium, client, site: Site, steps: str, says: str) -> None:
    site.pages["/"] = b"<p id=there>Fees"
    request_options = RequestOptions(timeout=60)
    with pytest.raises(StepError, match=says) as raised:
        chromium.visit(
            f"{site.url}/",
            client=client,
            steps=parse_steps(steps),
            secrets={"KEY": "t0ps3cret"},
            request_options=request_options,
        )

    assert "t0ps3cret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_unknown_secret_is_told_before_anything_is_asked(chromium, client, site: Site) -> None:
    with pytest.raises(InputError, match="no secret called KEY"):
        chromium.visit(site.url, client=client, steps=parse_steps("fill #a = {secret:KEY}"))

    assert site.asked == []


def test_a_visit_may_begin_elsewhere(chromium, client, site: Site) -> None:
    site.pages |= {"/a": b"<p>a", "/b": b"<p>b"}
    seen = chromium.visit(f"{site.url}/a", client=client, steps=parse_steps("goto /b"))

    assert seen.page.words == ("b",)
    assert "/a" not in site.paths


# --- what is the user's own ------------------------------------------------------------------------------------


def test_headers_and_cookies_go_to_the_host_of_the_address_only(chromium, site: Site) -> None:
    site.pages["/"] = f"<img src=/own.png><img src=http://localhost:{site.port}/other.png>".encode()
    request_options = RequestOptions(
        headers=(("X-Token", "secret"),), cookies=(("a", "secret-b"),), user_agent="Checker/1"
    )
    with Client(allow_private=["127.0.0.1", "localhost"], config=QUICK) as client:
        seen = chromium.visit(f"{site.url}/", client=client, request_options=request_options)
    sent = {path: headers for path, headers, _ in site.asked}

    assert sent["/"]["x-token"] == sent["/own.png"]["x-token"] == "secret"
    assert sent["/"]["cookie"] == sent["/own.png"]["cookie"] == "a=secret-b"
    assert "x-token" not in sent["/other.png"]
    assert "cookie" not in sent["/other.png"]
    assert {sent[path]["user-agent"] for path in ("/", "/own.png", "/other.png")} == {"Checker/1"}
    assert "secret" not in repr([(each.request_headers, each.headers) for each in seen.exchanges])


def test_nothing_is_left_for_the_next_visit(chromium, client, site: Site) -> None:
    site.pages["/"] = (200, {**HTML, "Set-Cookie": "seen=1"}, b"<p>x<script>localStorage.x = 1</script>")
    chromium.visit(f"{site.url}/", client=client)
    site.pages["/"] = b"<p><script>document.querySelector('p').append(String(localStorage.x))</script>"
    seen = chromium.visit(f"{site.url}/", client=client)

    assert seen.page.words == ("undefined",)
    assert "cookie" not in [headers for path, headers, _ in site.asked if path == "/"][-1]


def test_what_is_left_out_is_not_in_the_picture(chromium, client, site: Site) -> None:
    site.pages["/"] = b"<body style='margin:0'><p class=ad style='background:rgb(255,0,0)'>Buy<p>Fees"
    shown = chromium.visit(f"{site.url}/", client=client)
    hidden = chromium.visit(f"{site.url}/", client=client, leave_out=[".ad"])

    assert (255, 0, 0) in colours(shown.picture)
    assert (255, 0, 0) not in colours(hidden.picture)
    assert hidden.page.words == ("Buy", "Fees")  # the page itself is whole
    with pytest.raises(InputError, match="'!!' is not a valid CSS selector"):
        chromium.visit(f"{site.url}/", client=client, leave_out=["!!"])


# --- limits and trouble ----------------------------------------------------------------------------------------


def test_requests_and_bytes_of_a_visit_are_limited(client, site: Site) -> None:
    site.pages |= {
        "/": b"<p>Fees" + b"".join(b"<img src=/%d.png>" % each for each in range(30)),
        "/large": b"<p>Fees<link rel=stylesheet href=/1.css><link rel=stylesheet href=/2.css>",
        "/1.css": b"p{}" + b" " * 200_000,
    }
    with Browser(window=Window(most_requests=10, most_bytes=100_000)) as small:
        many = small.visit(f"{site.url}/", client=client)
        large = small.visit(f"{site.url}/large", client=client)

    assert sum(path.endswith(".png") for path in site.paths) == 9
    assert any("more than 10 requests" in why for _, why in many.refused)
    assert any("more than 100,000 bytes" in why for _, why in large.refused) or "/2.css" in site.paths


@pytest.mark.parametrize(
    ("url", "kind", "says"),
    [
        ("http://169.254.169.254/latest/", "address", "not on the public internet"),
        ("http://localhost/", "address", "not on the public internet"),
        ("file:///etc/passwd", "url", "only http and https"),
        ("view-source:http://city.example/", "url", "only http and https"),
        ("data:text/html,<p>x", "url", "only http and https"),
        ("javascript:alert(1)", "url", "only http and https"),
        ("http://127.0.0.1:1/", "network", "the connection failed"),
    ],
)
def test_an_address_that_must_not_or_cannot_be_opened_says_why(chromium, client, url, kind, says) -> None:
    with pytest.raises(FetchError, match=says) as raised:
        chromium.visit(url, client=client, robots="ignore")

    assert raised.value.kind == kind
    assert str(raised.value).startswith(url)


def test_a_circle_of_redirects_ends(chromium, client, site: Site) -> None:
    site.pages |= {"/a": (302, {"Location": "/b"}, b""), "/b": (302, {"Location": "/a"}, b"")}
    with pytest.raises(FetchError, match="redirects; check the address") as raised:
        chromium.visit(f"{site.url}/a", client=client)
    assert raised.value.kind == "redirects"


def test_a_file_is_not_opened(chromium, client, site: Site) -> None:
    site.pages["/x.zip"] = (200, {"Content-Type": "application/zip"}, b"PK\3\4")
    with pytest.raises(FetchError, match="it is a file, not a page; fetch it without a browser"):
        chromium.visit(f"{site.url}/x.zip", client=client)


def test_a_server_that_says_nothing_is_left_in_time_and_the_next_page_is_seen(chromium, client, site: Site) -> None:
    import threading

    silent = threading.Event()
    site.pages |= {"/": lambda _: silent.wait() and None, "/next": b"<p>Next"}
    # A busy browser may need more than the time there is to close the window, too.
    with pytest.raises((FetchError, RenderError), match=r"no complete response|within|in time"):
        chromium.visit(f"{site.url}/", client=client, request_options=RequestOptions(timeout=2), robots="ignore")
    silent.set()

    assert chromium.visit(f"{site.url}/next", client=client, robots="ignore").page.words == ("Next",)


def test_a_page_that_hangs_or_crashes_costs_only_itself(client, site: Site) -> None:
    import os
    import signal

    site.pages |= {"/": b"<p>Next", "/hang": b"<p>x<script>for (;;);</script>"}
    with Browser() as browser:
        with pytest.raises((RenderError, FetchError), match=r"within|in time|no whole"):
            browser.visit(f"{site.url}/hang", client=client, request_options=RequestOptions(timeout=3))
        assert browser.visit(f"{site.url}/", client=client).page.words == ("Next",)
        os.kill(browser._process, signal.SIGKILL)
        assert browser.visit(f"{site.url}/", client=client).page.words == ("Next",)


def test_a_browser_that_has_shown_many_pages_is_replaced(client, site: Site) -> None:
    site.pages["/"] = b"<p>Fees"
    with Browser(pages_each=2) as browser:
        processes = []
        for _ in range(5):
            browser.visit(f"{site.url}/", client=client, robots="ignore")
            processes.append(browser._process)

    assert [processes.index(each) for each in processes] == [0, 0, 2, 2, 4]


def test_robots_are_obeyed_where_asked(chromium, client, site: Site) -> None:
    site.pages |= {"/robots.txt": (200, {}, b"User-agent: *\nDisallow: /private"), "/private": b"<p>x"}

    assert chromium.visit(f"{site.url}/private", client=client).robots_allow is False
    with pytest.raises(FetchError, match=r"robots\.txt does not allow it"):
        chromium.visit(f"{site.url}/private", client=client, robots="obey")


def test_a_picture_is_a_png_without_metadata(chromium, client, site: Site) -> None:
    site.pages["/"] = b"<p>Fees"
    data, kinds = chromium.visit(f"{site.url}/", client=client).picture, []
    at = 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kinds.append(data[at + 4 : at + 8])
        at += 12 + length

    assert not {b"tEXt", b"iTXt", b"zTXt", b"eXIf"} & set(kinds)


def test_what_scripts_write_into_the_address_bar_is_not_the_address(chromium, client, site: Site) -> None:
    site.pages["/"] = b"<p>Fees<script>history.pushState({}, '', '/elsewhere?t=' + Date.now())</script>"

    assert chromium.visit(f"{site.url}/", client=client).url == f"{site.url}/"


def test_a_page_that_leaves_for_nowhere_is_seen_as_it_is(chromium, client, site: Site) -> None:
    site.pages["/"] = b"<p>Fees<script>setTimeout(() => location = 'about:blank', 50)</script>"

    assert chromium.visit(f"{site.url}/", client=client).url == f"{site.url}/"


def test_a_browser_that_is_stopped_is_replaced(client, site: Site) -> None:
    import os
    import signal

    site.pages["/"] = b"<p>Next"
    with Browser() as browser:
        browser.visit(f"{site.url}/", client=client)
        os.kill(browser._process, signal.SIGSTOP)

        assert browser.visit(f"{site.url}/", client=client).page.words == ("Next",)
        assert browser.restarts == 1


def test_threads_share_a_browser(chromium, client, site: Site) -> None:
    from concurrent.futures import ThreadPoolExecutor

    for number in range(4):
        site.pages[f"/{number}"] = b"<p>Page %d" % number
    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(lambda number: chromium.visit(f"{site.url}/{number}", client=client), range(4)))

    assert [each.page.words[1] for each in seen] == ["0", "1", "2", "3"]


def test_what_another_host_allows_the_page_to_read_is_read(chromium, site: Site) -> None:
    def answer(request) -> tuple[int, dict[str, str], bytes]:
        allowed = {"Origin": request.headers.get("Origin", "none"), "Headers": "X-Own"}
        return (200, {f"Access-Control-Allow-{name}": value for name, value in allowed.items()}, b"from elsewhere")

    def closed(_) -> tuple[int, dict[str, str], bytes]:
        return (200, {"Content-Type": "text/plain"}, b"not for you")

    other = f"http://localhost:{site.port}"
    script = f"""const say = (text) => document.body.append(` ${{text}} `)
      for (const path of ["/open", "/asked", "/closed"])
        fetch("{other}" + path, path == "/asked" ? {{headers: {{"X-Own": "1"}}}} : {{}})
          .then((answer) => answer.text()).then((text) => say(path + ":" + text), () => say(path + ":refused"))"""
    site.pages |= {
        "/": f"<body><script>{script}</script>".encode(),
        "/open": answer,
        "/asked": answer,
        "/closed": closed,
    }
    with Client(allow_private=["127.0.0.1", "localhost"], config=QUICK) as client:
        seen = chromium.visit(f"{site.url}/", client=client, robots="ignore")
    said = " ".join(seen.page.words)

    assert "/open:from elsewhere" in said
    assert "/closed:refused" in said
    assert "/asked:from elsewhere" in said


def test_a_form_with_a_file_and_many_fields_is_sent_whole(chromium, client, site: Site) -> None:
    posted: list[bytes] = []
    site.pages |= {
        "/": b"""<form method=post action=/in enctype=multipart/form-data><input name=a value=1><textarea name=b>"""
        + b"x" * 100_000
        + b"</textarea><button>Go</button></form>",
        "/in": lambda request: (posted.append(request.sent), (200, HTML, b"<p class=done>Done"))[1],
    }
    seen = chromium.visit(
        f"{site.url}/", client=client, steps=parse_steps("click button\nwait .done"), robots="ignore"
    )

    assert seen.page.words == ("Done",)
    assert seen.document.method == "POST"
    assert posted[0].count(b"x") >= 100_000


@pytest.mark.parametrize("status", [206, 304])
def test_a_browser_too_refuses_an_answer_to_what_was_not_asked(chromium, client, site: Site, status: int) -> None:
    site.pages["/"] = (status, HTML, b"<p>A part" if status == 206 else b"")

    with pytest.raises(FetchError, match=f"status {status}.; try again"):
        chromium.visit(f"{site.url}/", client=client)


def test_secrets_that_a_page_writes_in_its_own_way_are_not_kept(chromium, client, site: Site) -> None:
    site.pages["/"] = (
        200,
        HTML,
        b"<input><p id=a></p><p id=b></p><script>document.querySelector('input').oninput = event => {"
        b"const told = event.target.value; a.textContent = btoa('anna:' + told);"
        b"b.title = [...told].map(sign => '%' + sign.charCodeAt(0).toString(16)).join('');"
        b"document.body.dataset.told = [...told].map(sign => '&#' + sign.charCodeAt(0) + ';').join('') }</script>",
    )
    seen = chromium.visit(
        f"{site.url}/", client=client, steps=parse_steps("fill input = {secret:KEY}"), secrets={"KEY": "t0ps3cret"}
    )
    kept = seen.dom + repr(seen.page.view.nodes)

    assert seen.dom.count("{secret:KEY}") == 3
    for written in ("DBwczNjcmV0", "%74%30%70", "#116;&amp;#48;", "#116;&#48;"):
        assert written not in kept
