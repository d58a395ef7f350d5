import re
import struct
import time
import zlib
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser

from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from pagedrift.app.web import content
from pagedrift.app.web.content import create_content_app
from pagedrift.app.web.run import serving
from pagedrift.archive.record_format import Attachment
from tests.app.web import asgi_client
from tests.app.web.conftest import visitor
from tests.app.web.store_builder import Filled
from tests.conftest import Beacon
from tests.hostile_pages import ATTACKS

OLD = b"<!doctype html><title>Fees</title><h1>Fees</h1><p onclick=steal()>Fence: $40</p><script>steal()</script>"
NEW = b"<!doctype html><title>Fees</title><h1>Fees</h1><p onclick=steal()>Fence: $45</p><script>steal()</script>"


@pytest.fixture
def shown(settings: Settings, store: Store) -> httpx.Client:
    """A browser that looks at the origin of captured pages."""
    return asgi_client.client(create_content_app(settings, store), base_url="http://127.0.0.1:8711")


@pytest.fixture
def change(filled: Filled) -> int:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, OLD)
    _, change = filled.version(watch, NEW, hours=1, old=old)
    assert change is not None
    return change


def png(width: int, height: int, colour: bytes = b"\xff\xff\xff") -> bytes:
    """Draw a page of one colour with a dark line of text across it."""
    rows = [
        b"\0" + (b"\x10\x10\x10" * width if at % 40 in (20, 21, 22, 23) else colour * width) for at in range(height)
    ]

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"".join(rows)))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("kind", ["highlighted", "old", "new", "source"])
def test_a_change_is_shown_without_anything_that_runs(
    settings: Settings, shown: httpx.Client, change: int, kind: str
) -> None:
    answer = shown.get(content.url(settings, kind, change))

    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<script" not in answer.text
    assert "onclick=" not in answer.text or kind == "source"
    assert ("40" in answer.text) or ("45" in answer.text)


def test_a_mark_can_be_linked_to(settings: Settings, shown: httpx.Client, change: int) -> None:
    answer = shown.get(content.url(settings, "highlighted", change))

    assert f'id="{content.mark(settings, change, 1)}"' in answer.text


@pytest.mark.parametrize("kind", list(content.KINDS))
def test_every_answer_says_that_nothing_may_run_or_be_reached(
    settings: Settings, shown: httpx.Client, change: int, kind: str
) -> None:
    for address in (
        content.url(settings, kind, change),
        f"http://127.0.0.1:8711/{kind}/1/2/3",
        "http://127.0.0.1:8711/",
    ):
        answer = shown.get(address)
        policy = answer.headers["content-security-policy"]
        if kind == "selectable" and answer.status_code == 200:  # where a script of ours runs, without an origin
            assert policy.startswith("sandbox allow-scripts; default-src 'none'; script-src 'sha256-")
            assert "allow-same-origin" not in policy
        else:
            assert policy.startswith("sandbox; default-src 'none'; ")
            assert "script-src" not in policy
            assert "allow-" not in policy
        assert policy.endswith("frame-ancestors http://127.0.0.1:8710")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers


def test_an_address_that_was_not_signed_for_this_leads_nowhere(
    settings: Settings, shown: httpx.Client, change: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = urlsplit(content.url(settings, "highlighted", change)).path
    _, kind, number, expires, signature = path.split("/")
    wrong = [
        f"/old/{number}/{expires}/{signature}",
        f"/{kind}/{change + 1}/{expires}/{signature}",
        f"/{kind}/0{number}/{expires}/{signature}",
        f"/{kind}/{number}/{int(expires) + 1}/{signature}",
        f"/{kind}/{number}/{expires}/{signature[:-1]}",
        f"/{kind}/{number}/{expires}/",
        f"/{kind}/{number}/{expires}/{signature}/x",
        f"//{kind}/{number}/{expires}/{signature}",
        f"/{kind}/{number}/{expires}/ü",
        f"/{kind}/..%2f..%2fkey/{expires}/{signature}",
        "/",
        "/key",
        "/../key",
    ]
    assert [shown.get(each).status_code for each in wrong] == [404] * len(wrong)
    refused = shown.post(path)
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
    assert shown.get(path).status_code == 200

    later = time.time() + content.VALID + 1
    monkeypatch.setattr(time, "time", lambda: later)
    answer = shown.get(path)
    assert answer.status_code == 410
    assert answer.text.endswith("again\n")


def test_another_key_signs_other_addresses(settings: Settings, tmp_path) -> None:
    other = Settings(tmp_path / "other")

    assert content.url(settings, "raw", 1).split("/")[:4] == content.url(other, "raw", 1).split("/")[:4]
    assert content.url(settings, "raw", 1) != content.url(other, "raw", 1)


def test_what_is_not_kept_any_more_is_said_to_be_gone(settings: Settings, shown: httpx.Client) -> None:
    answer = shown.get(content.url(settings, "highlighted", 4711))

    assert answer.status_code == 404
    assert "no longer stored" in answer.text


def test_pictures_are_shown_and_laid_over_each_other(
    settings: Settings, shown: httpx.Client, filled: Filled
) -> None:
    watch = filled.watch("https://city.example/fees")
    dom = Attachment("dom", "text/html; charset=utf-8", b"<p>After its scripts ran: 40")
    old, _ = filled.version(watch, OLD, attachments=(Attachment("fullPage", "image/png", png(200, 160)), dom))
    new, change = filled.version(
        watch, NEW, hours=1, old=old, attachments=(Attachment("fullPage", "image/png", png(200, 240)), dom)
    )

    picture = shown.get(content.url(settings, "picture", new))
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
    assert picture.content == png(200, 240)
    for kind in ("overlay", "aligned"):
        answer = shown.get(content.url(settings, kind, change))
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp"), answer.text
    assert "After its scripts ran" in shown.get(content.url(settings, "version", new)).text


def test_where_there_is_no_picture_the_next_step_is_said(
    settings: Settings, shown: httpx.Client, change: int
) -> None:
    answer = shown.get(content.url(settings, "overlay", change))

    assert answer.status_code == 404
    assert answer.text == "this version has no screenshot; use a browser for this watch\n"


def test_the_same_view_is_worked_out_once_and_known_again(settings: Settings, store: Store, change: int) -> None:
    app = create_content_app(settings, store)
    client = asgi_client.client(app, base_url="http://127.0.0.1:8711")
    asked: list[str] = []
    work = app._ask
    app._ask = lambda wanted: (asked.append(wanted.kind), work(wanted))[1]
    address = content.url(settings, "highlighted", change)

    first, second = client.get(address), client.get(address)
    assert first.content == second.content
    assert asked == ["highlighted"]
    again = client.get(address, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_cache_stays_within_its_bounds() -> None:
    cache = content.ViewCache(most=100)
    for number in range(50):
        cache.get(str(number), lambda: ("text/plain", b"x" * 20))
    cache.get("huge", lambda: ("text/plain", b"x" * 1000))

    assert cache._size == sum(len(body) for _, body in cache._known.values()) <= 100
    assert not cache._under_way


def test_what_a_page_loaded_is_shown_from_the_archive_as_of_its_time(
    settings: Settings, shown: httpx.Client, filled: Filled
) -> None:
    watch = filled.watch("https://city.example/fees")
    page = b"<!doctype html><link rel=stylesheet href=/city.css><img src=/logo.png><p>Fees"
    css = "https://city.example/city.css"
    filled.version(watch, b"p{color:red}", url=css, content_type="text/css")
    filled.version(watch, b"p{color:blue}", url=css, content_type="text/css", hours=20)
    filled.version(watch, png(3, 3), url="https://city.example/logo.png", content_type="image/png", hours=19)
    number, _ = filled.version(watch, page, hours=21)

    answer = shown.get(content.url(settings, "version", number))

    assert "color:blue" in answer.text.replace(" ", "")
    assert "color:red" not in answer.text.replace(" ", "")
    assert 'src="data:image/png;base64,' in answer.text


def test_the_icon_of_a_page_is_shown_if_the_archive_has_it_and_is_a_picture(
    settings: Settings, shown: httpx.Client, filled: Filled
) -> None:
    watch = filled.watch("https://city.example/fees")
    page = b"<!doctype html><link rel=apple-touch-icon href=/large.png><link rel='shortcut icon' href=/%s><p>Fees"
    filled.version(watch, png(4, 4), url="https://city.example/small.png", content_type="text/html")
    filled.version(watch, b"<script>", url="https://city.example/wrong.png", content_type="image/png")
    named, lacking, hostile = (
        filled.version(watch, page % name, hours=hours)[0]
        for hours, name in enumerate((b"small.png", b"gone.png", b"wrong.png"), 1)
    )

    icon = shown.get(content.url(settings, "icon", named))
    assert (icon.headers["content-type"], icon.content) == ("image/png", png(4, 4))
    for without in (lacking, hostile):
        other = shown.get(content.url(settings, "icon", without))
        assert (other.status_code, other.headers["content-type"]) == (200, "image/svg+xml")
        assert b"script" not in other.content
        assert other.headers["content-security-policy"].startswith("sandbox; default-src 'none'")


def test_json_and_text_are_shown_too(settings: Settings, shown: httpx.Client, filled: Filled) -> None:
    watch = filled.watch("https://city.example/fees.json")
    old, _ = filled.version(watch, b'{"fee": 40}', content_type="application/json")
    _, change = filled.version(watch, b'{"fee": 45}', content_type="application/json", hours=1, old=old)

    answer = shown.get(content.url(settings, "highlighted", change))
    assert answer.status_code == 200
    assert "45" in re.sub("<[^>]*>", "", answer.text)


def test_no_cookie_of_the_application_is_looked_at(settings: Settings, shown: httpx.Client, change: int) -> None:
    shown.cookies.set("pagedrift-8710", "whatever")

    assert shown.get("/").status_code == 404
    assert shown.get(content.url(settings, "new", change)).status_code == 200


@pytest.mark.usefixtures("change")
def test_the_application_itself_never_gives_out_captured_html(settings: Settings, store: Store) -> None:
    client = visitor(settings, store)
    for path in ("/api/v1/versions/1/body", "/api/v1/versions/2/body"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/plain")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-disposition"].startswith("attachment")
        assert b"<script>" in answer.content


@pytest.mark.slow
def test_hostile_pages_run_nothing_and_reach_nothing_in_a_real_browser(
    settings: Settings, store: Store, filled: Filled, browser: Browser, beacon: Beacon
) -> None:
    watch = filled.watch("https://city.example/fees")
    everything = "".join(ATTACKS.values()).replace("RUN", "document.title=1").replace("BEACON", beacon.url)
    bodies = [f"<!doctype html><p>{at}</p>{everything}".encode() for at in (40, 45)]
    old, _ = filled.version(watch, bodies[0])
    new, change = filled.version(watch, bodies[1], hours=1, old=old)
    with serving(settings, store) as running:
        page = browser.new_page()
        ran: list[str] = []
        page.on("console", lambda message: ran.append(message.text) if message.text.startswith("ran") else None)
        page.on("dialog", lambda dialog: (ran.append("dialog"), dialog.dismiss()))
        for kind, number in (
            ("highlighted", change),
            ("old", change),
            ("new", change),
            ("version", new),
            ("raw", new),
        ):
            page.goto(content.url(running, kind, number))
            page.wait_for_timeout(200)
            assert page.evaluate("document.title") != "1"
        page.close()

    assert beacon.asked == []
    assert ran == []
