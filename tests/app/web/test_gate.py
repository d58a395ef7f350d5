import asyncio
import logging
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import httpx
import pytest
import uvicorn
from fastapi import APIRouter

from pagedrift.app.model.people import FIRST
from pagedrift.app.monitor.worker_pool import AnalysisPool
from pagedrift.app.settings import Settings
from pagedrift.app.store import tokens, watches
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import PersonRow
from pagedrift.app.web import auth, gate, limits, log_redaction
from pagedrift.app.web.application import create_app
from pagedrift.app.web.run import serving
from tests.app.web import asgi_client
from tests.app.web.conftest import HERE, log_in, token_of, visitor
from tests.app.web.route_list import named, routes
from tests.app.web.store_builder import Filled

NEW = {"url": "https://city.example/"}
PATIENCE = 600  # seconds: other programs run on this machine too


def test_this_machine_may_ask_without_a_password(client: httpx.Client) -> None:
    answer = client.get("/")

    assert answer.status_code == 200
    assert "<h1" in answer.text


def test_others_are_sent_to_the_login_and_come_back_to_what_they_wanted(guarded: httpx.Client) -> None:
    answer = guarded.get("/change/7?view=page")

    assert answer.status_code == 303
    assert answer.headers["location"] == "/login?next=%2Fchange%2F7%3Fview%3Dpage"
    form = {"csrf": token_of(guarded), "password": "correct horse battery", "next": "/change/7?view=page"}
    answer = guarded.post("/login", data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, "/change/7?view=page")
    assert log_in(guarded).get("/").status_code == 200


# --- whose name, whose page --------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8710", "", "a@127.0.0.1"])
def test_a_name_that_is_not_ours_is_refused_though_it_leads_here(client: httpx.Client, host: str) -> None:
    """A page of a stranger whose name suddenly leads here would be of one origin with us (DNS rebinding)."""
    for path in ("/", "/api/v1/watches", "/static/app.css", "/login"):
        answer = client.get(path, headers={"host": host})
        assert answer.status_code == 421
        assert "--public-url" in answer.text


def test_numbers_are_our_name_only_where_others_may_come(
    settings: Settings, store: Store, client: httpx.Client
) -> None:
    outside = visitor(replace(settings, host="0.0.0.0"), store)

    assert outside.get("/login", headers={"host": "192.0.2.7:8710"}).status_code == 200
    assert outside.get("/login", headers={"host": "[2001:db8::1]:8710"}).status_code == 200
    assert client.get("/", headers={"host": "192.0.2.7:8710"}).status_code == 421
    for name in ("localhost:8710", "127.0.0.1", "[::1]:8710"):
        assert client.get("/", headers={"host": name}).status_code == 200


def test_a_public_name_is_ours(settings: Settings, store: Store) -> None:
    client = visitor(replace(settings, public_url="https://drift.example"), store)

    assert client.get("/login", headers={"host": "drift.example"}).status_code == 200
    assert client.get("/login", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},  # another port of this machine
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "object"},
    ],
)
def test_pages_of_others_read_nothing(client: httpx.Client, headers: dict[str, str]) -> None:
    for path in ("/", "/api/v1/watches", "/health"):
        answer = client.get(path, headers=headers)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


def test_links_of_others_may_be_followed(client: httpx.Client) -> None:
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}

    assert client.get("/", headers=followed).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8711"},  # captured pages
        {"origin": "http://127.0.0.1"},
        {"origin": "http://127.0.0.1:8710.evil.example"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_pages_of_others_change_nothing_even_with_the_right_token(
    client: httpx.Client, store: Store, headers: dict[str, str]
) -> None:
    token = token_of(client)
    for how in ({"data": {"csrf": token, "name": "x"}}, {"json": NEW, "headers": {"x-csrf-token": token}}):
        path = "/api/v1/watches" if "json" in how else "/settings/tokens"
        sent = {**how, "headers": {**how.get("headers", {}), **headers}}
        assert client.post(path, **sent).status_code == 403
    assert tokens.every(store) == []
    assert watches.every(store) == []


def test_our_own_pages_may_change_things(client: httpx.Client, store: Store) -> None:
    own = {"origin": HERE, "x-csrf-token": token_of(client)}

    assert client.post("/api/v1/watches", json=NEW, headers=own).status_code == 201
    assert [watch.url for watch in watches.every(store)] == [NEW["url"]]


@pytest.mark.parametrize("logged_in", [False, True])
def test_every_route_that_changes_something_wants_the_token_of_a_page(
    settings: Settings, store: Store, filled: Filled, guarded: httpx.Client, logged_in: bool
) -> None:
    client = log_in(guarded) if logged_in else visitor(replace(settings, port=8710), store)
    if not logged_in:
        with store.begin() as session:  # this machine, without a password
            session.get_one(PersonRow, FIRST).password = None
    known = named(filled)
    unsafe = [route for route in routes(create_app(settings, store)) if route.method not in ("GET", "HEAD")]

    for route in unsafe:
        for given in (
            {},
            {"data": {"csrf": "0" * 64}},
            {"headers": {"x-csrf-token": "x"}},
            {"json": {"csrf": "0" * 64}},
        ):
            answer = client.request(route.method, route.filled(known), **given)
            expected = 401 if route.path.startswith(("/api/", "/feed/")) else 403
            assert answer.status_code == expected, route
            assert ("Bearer TOKEN" if route.path.startswith("/api/") else "reload the page") in answer.text
    assert len(unsafe) > 15


def test_the_token_of_one_browser_is_none_for_another(settings: Settings, store: Store) -> None:
    one, other = visitor(settings, store), visitor(settings, store)
    token_of(other)

    answer = other.post("/settings/tokens", data={"csrf": token_of(one), "name": "x"})

    assert answer.status_code == 403


def test_the_token_of_a_page_before_the_login_is_none_after_it(guarded: httpx.Client) -> None:
    before = token_of(guarded)
    log_in(guarded)

    assert guarded.post("/settings/tokens", data={"csrf": before, "name": "x"}).status_code == 403
    assert guarded.post("/settings/tokens", data={"csrf": token_of(guarded), "name": "x"}).status_code == 200


def test_a_form_with_a_file_carries_the_token_first(client: httpx.Client, store: Store) -> None:
    token = token_of(client)
    files = {"name": (None, "by upload"), "use": (None, "api")}

    assert client.post("/settings/tokens", files=files).status_code == 403
    assert client.post("/settings/tokens", files={**files, "csrf": (None, token)}).status_code == 403
    answer = client.post("/settings/tokens", files={"csrf": (None, token), **files})
    assert answer.status_code == 200, answer.text
    assert [each.name for each in tokens.every(store)] == ["by upload"]


def test_a_program_with_a_token_needs_no_page(client: httpx.Client, store: Store) -> None:
    token = auth.add_token(store, "program", "api")
    plain = {"json": NEW, "headers": {"accept": "*/*"}}

    refused = client.post("/api/v1/watches", **plain)
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    plain["headers"]["authorization"] = f"Bearer {token}"
    assert client.post("/api/v1/watches", **plain).status_code == 201


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "CONNECT", "PROPFIND"])
def test_other_methods_are_not_known(client: httpx.Client, method: str) -> None:
    answer = client.request(method, "/")

    assert answer.status_code == 405
    assert "access-control-allow-methods" not in answer.headers
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        pytest.param("DELETE", "/api/v1/watches", "GET, HEAD, POST", id="a path of two routes"),
        pytest.param("POST", "/api/v1/watches/1", "DELETE, GET, HEAD, PATCH", id="a path of three routes"),
        pytest.param("GET", "/api/v1/watches/1/pause", "POST", id="a path that is never read"),
        pytest.param("TRACE", "/api/v1/groups/city", "DELETE, PUT", id="a method that no path has"),
        pytest.param("PUT", "/api/v1/openapi.json", "GET, HEAD", id="a path that is only read"),
    ],
)
def test_a_refused_method_is_answered_with_those_of_the_path(
    client: httpx.Client, store: Store, method: str, path: str, allowed: str
) -> None:
    client.headers["authorization"] = f"Bearer {auth.add_token(store, 'program', 'api')}"

    answer = client.request(method, path)

    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


def test_a_method_that_is_not_known_leads_to_no_page_that_is_not_there(client: httpx.Client) -> None:
    assert client.request("TRACE", "/nowhere").status_code == 404


# --- what every answer says --------------------------------------------------------------------------------------


def test_every_answer_has_the_headers_that_keep_browsers_from_harm(
    settings: Settings, store: Store, filled: Filled, guarded: httpx.Client
) -> None:
    known = named(filled)
    log_in(guarded)
    addresses = [route.filled(known) for route in routes(create_app(settings, store)) if route.method == "GET"]
    for path in [*addresses, "/nothing", "/login?next=x", "/%00", "/api/v1/nothing"]:
        answer = guarded.get(path)
        for name, value in gate.HEADERS.items():
            assert answer.headers[name] == value, path
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "frame-src http://127.0.0.1:8711" in policy
        assert "server" not in answer.headers
        assert "cache-control" in answer.headers


def test_pages_hold_nothing_that_their_policy_forbids(settings: Settings, store: Store, filled: Filled) -> None:
    """No script, style or handler stands in a page itself, so none that stands there is ours."""
    known, client = named(filled), visitor(settings, store)
    for route in routes(create_app(settings, store)):
        if route.method != "GET":
            continue
        answer = client.get(route.filled(known))
        if answer.headers.get("content-type", "").startswith("text/html"):
            assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", answer.text), route
            assert not re.search(r"<script(?![^>]*\ssrc=\"/static/)", answer.text), route
            loaded = re.findall(r"<(?!a\b)[^>]*\s(?:src|href)=\"([^\"]*)", answer.text)
            assert [each for each in loaded if not each.startswith(("/", "http://127.0.0.1:8711/"))] == [], route


def test_an_error_of_ours_shows_no_trace(settings: Settings, store: Store) -> None:
    app = create_app(settings, store)
    broken = APIRouter()

    @broken.get("/api/v1/broken")
    @broken.get("/broken")
    def fail() -> None:
        raise RuntimeError("a secret of ours")

    app.app.include_router(broken)
    client = asgi_client.client(app, base_url=HERE)

    for path, accept in (("/broken", "text/html"), ("/broken", "*/*"), ("/api/v1/broken", "*/*")):
        answer = client.get(path, headers={"accept": accept})
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert "Traceback" not in answer.text
        assert "see the log" in answer.text
        assert answer.headers["x-content-type-options"] == "nosniff"


# --- how much, how long ------------------------------------------------------------------------------------------


def test_a_request_that_is_too_large_is_refused_whether_it_says_so_or_not(
    client: httpx.Client, store: Store
) -> None:
    headers = {"authorization": f"Bearer {auth.add_token(store, 'program', 'api')}"}
    large = b" " * (limits.MAX_BODY_BYTES + 1)

    def in_pieces():
        yield from (large[at : at + 100_000] for at in range(0, len(large), 100_000))

    for body in (large, in_pieces()):
        answer = client.post("/api/v1/watches", content=body, headers=headers)
        assert answer.status_code == 413
        assert "send less" in answer.json()["error"]
    assert client.get("/" + "x" * (limits.MAX_PATH_BYTES + 1)).status_code == 414


def test_who_may_not_ask_is_not_even_listened_to(guarded: httpx.Client) -> None:
    def endless():
        raise AssertionError("the body was read")
        yield b""

    assert guarded.post("/api/v1/watches", content=endless(), headers={"accept": "*/*"}).status_code == 401


def test_an_answer_that_takes_too_long_is_given_up(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_ANSWER_SECONDS", 0.2)
    app = create_app(settings, store)
    slow, done = APIRouter(), threading.Event()

    @slow.get("/slow")
    async def wait() -> None:
        await asyncio.Event().wait()

    @slow.get("/slow-thread")
    def hold() -> None:
        done.wait()

    app.app.include_router(slow)
    with serving_app(app) as address:
        for path in ("/slow", "/slow-thread"):
            answer = httpx.get(f"{address}{path}", timeout=None)
            assert answer.status_code == 503
            assert "try again later" in answer.text
        done.set()


@contextmanager
def serving_app(app: object) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def test_a_request_that_never_arrives_is_given_up(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_REQUEST_SECONDS", 0.3)
    with (
        serving(replace(settings, port=0), store) as running,
        socket.create_connection(("127.0.0.1", running.port), PATIENCE) as line,
    ):
        line.sendall(b"POST /settings/tokens HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\nx")
        assert b" 408 " in line.recv(200)


# --- no path to a file -------------------------------------------------------------------------------------------

TRICKS = [
    "../key",
    "..%2fkey",
    "..%252fkey",
    "%2e%2e/key",
    "..\\key",
    "..%5ckey",
    "....//key",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "app.css/../../auth.py",
    "app.css%00.png",
    "..;/key",
    "file:///etc/passwd",
    "%c0%ae%c0%ae/key",
    "C:\\key",
    "__init__.py",
    ".",
    "..",
    "",
    "app.css.",
    "APP.CSS",
]


def test_no_address_leads_to_a_file(settings: Settings, store: Store) -> None:
    """Sent as they are, by a client that does not tidy them up."""
    key, running_key = settings.key, b"def test_no_address"
    with serving(replace(settings, port=0), store) as running:
        for trick in TRICKS:
            for start in (
                "/static/",
                "/",
                "/api/v1/versions/",
                "/feed/",
                "/login/",
                "/site/",
                "/memento/20260101000000/",
            ):
                answer = raw(running.port, f"{start}{trick}".encode())
                assert key not in answer
                assert running_key not in answer
                assert b"root:" not in answer
                assert not answer.startswith(b"HTTP/1.1 500"), (start, trick)
                if start == "/static/":
                    assert not answer.startswith(b"HTTP/1.1 200"), trick
            assert raw(running.content_port, f"/version/{trick}/1/x".encode()).startswith(
                (b"HTTP/1.1 404", b"HTTP/1.1 400")
            )
        assert raw(running.port, b"/static/app.css").startswith(b"HTTP/1.1 200")


def raw(port: int, path: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as line:
        line.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        answer = b""
        while piece := line.recv(65536):
            answer += piece
        return answer


def test_the_data_is_closed_to_other_users_of_the_machine(settings: Settings, store: Store) -> None:
    assert settings.data.stat().st_mode & 0o077 == 0
    assert settings.key
    assert (settings.data / "key").stat().st_mode & 0o077 == 0
    assert store.settings is settings


# --- the log -----------------------------------------------------------------------------------------------------


def test_secrets_do_not_reach_the_log(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("pagedrift.tests")
    hide = log_redaction.Hide()
    caplog.handler.addFilter(hide)
    try:
        logger.error("GET /feed/%s/all.atom", "pd_feed_geheim")
        logger.error("proxy http://anna:geheim@proxy.example failed")
        logger.error("sent Authorization: Bearer geheim")
        logger.error({"password": "geheim", "Cookie": "sid=geheim"})
        logger.error("mailto://user:geheim@mail.example and /highlighted/7/1790000000/%s", "geheim" * 8)
        try:
            raise ValueError("token=geheim")
        except ValueError:
            logger.exception("it failed")
    finally:
        caplog.handler.removeFilter(hide)

    assert "geheim" not in caplog.text
    assert "proxy.example failed" in caplog.text
    assert "ValueError" in caplog.text


# --- both origins at once ----------------------------------------------------------------------------------------


def test_what_looks_into_captured_pages_is_worked_out_elsewhere(
    settings: Settings, store: Store, filled: Filled
) -> None:
    """By a process for people, who do not wait behind what the scheduler has to do."""
    known, asked = named(filled), []

    class Noting(AnalysisPool):
        def run(self, work, *given, **more):
            asked.append(work.__name__)
            return super().run(work, *given, **more)

    with Noting(0) as analysis_pool:
        client = asgi_client.client(create_app(settings, store, analysis_pool=analysis_pool), base_url=HERE)
        assert client.get(f"/change/{known['change']}?view=links").status_code == 200
    assert asked


def test_both_origins_answer_in_one_process_and_stop_when_told(settings: Settings, store: Store) -> None:
    with serving(replace(settings, port=0), store) as running:
        page = httpx.get(f"http://127.0.0.1:{running.port}/", headers={"accept": "text/html"}, timeout=PATIENCE)
        content = httpx.get(f"http://127.0.0.1:{running.content_port}/", timeout=PATIENCE)
        assert page.status_code == 200
        assert content.status_code == 404
        assert f"frame-src http://127.0.0.1:{running.content_port};" in page.headers["content-security-policy"]
        port = running.port
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), PATIENCE)
    assert not [thread for thread in threading.enumerate() if thread.name == "pagedrift-web"]


@pytest.mark.parametrize(
    "path", ["/change/{}", "/version/{}", "/alerts/{}", "/alerts?before={}", "/ignored?before={}"]
)
def test_a_number_that_no_database_holds_is_refused(client: httpx.Client, path: str) -> None:
    answer = client.get(path.format(10**24))
    assert answer.status_code == 422
    assert "correct it and send it again" in answer.text


def test_a_program_without_a_token_is_told_to_send_one(client: httpx.Client) -> None:
    answer = client.post("/api/v1/watches", json={"url": "https://city.example/"})
    assert answer.status_code == 401
    assert "send it as Bearer TOKEN" in answer.text
