import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from fastapi import APIRouter
from sqlalchemy import select, update

from pagedrift.app.model.people import FIRST
from pagedrift.app.settings import Settings
from pagedrift.app.store import tokens
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import Base, PersonRow, TokenRow
from pagedrift.app.web import auth, limits
from pagedrift.app.web.application import create_app
from pagedrift.app.web.error_responses import RefusedError
from pagedrift.app.web.limits import LoginLimiter, who_of
from pagedrift.app.web.run import serving
from pagedrift.errors import InputError
from tests.app.web import asgi_client
from tests.app.web.conftest import BROWSER, COST, HERE, PASSWORD, log_in, token_of, visitor
from tests.app.web.route_list import named, routes
from tests.app.web.store_builder import Filled

OPEN = {"/login", "/health", "/static/{name}", "/join/{secret}"}


def others(settings: Settings) -> Settings:
    return replace(settings, host="0.0.0.0")


@pytest.mark.parametrize("password", [True, False])
def test_every_route_asks_for_credentials_but_those_on_the_list(
    settings: Settings, store: Store, filled: Filled, password: bool
) -> None:
    if password:
        auth.set_password(store, PASSWORD)
    known, client = named(filled), visitor(others(settings), store)

    for route in routes(create_app(settings, store)):
        answer = client.request(route.method, route.filled(known))
        if route.path not in OPEN:
            assert answer.status_code in (401, 303), route
            assert answer.status_code == 401 or answer.headers["location"].startswith("/login?next="), route


def test_a_route_that_is_added_later_in_any_way_asks_for_credentials(settings: Settings, store: Store) -> None:
    app = create_app(others(settings), store)
    later = APIRouter()

    @later.get("/later")
    def answer() -> str:
        return "secret"

    app.app.include_router(later)
    app.app.add_route("/plain", lambda _: None)
    app.app.mount("/mounted", app.app)
    client = asgi_client.client(app, base_url=HERE)

    for path in ("/later", "/plain", "/mounted/later", "/later/", "//later", "/login/../later", "/static/../later"):
        assert client.get(path).status_code == 401, path
        assert "secret" not in client.get(path).text


@pytest.mark.parametrize(
    "path",
    [
        "/login/",
        "/Login",
        "/login;x",
        "/login%00",
        "/static/",
        "/static/a/b",
        "/static",
        "/healthz",
        "/login/x",
        "//login",
    ],
)
def test_what_only_looks_like_a_public_path_is_none(guarded: httpx.Client, path: str) -> None:
    assert guarded.get(path, headers={"accept": "*/*"}).status_code in (401, 404)
    if guarded.get(path, headers={"accept": "*/*"}).status_code == 404:
        assert path.count("/") == 2
        assert path.startswith("/static/")


def test_no_get_changes_anything(settings: Settings, store: Store, filled: Filled) -> None:
    known = named(filled)
    app = create_app(settings, store)
    client = asgi_client.client(app, base_url=HERE, headers={"accept": "text/html"})
    known["token"] = auth.add_token(store, "tests", "feed")
    before = everything(store)

    asked = [route for route in routes(app) if route.method == "GET"]
    for route in asked:
        for path in (route.filled(known), f"{route.filled(known)}?view=page&paused=1&delete=1&matters=true"):
            assert client.get(path).status_code < 500, path

    assert everything(store) == before
    assert len(asked) > 15


def test_everything_is_answered_from_postgresql_too(shared_settings: Settings) -> None:
    with Store(shared_settings) as store, closing(Filled(shared_settings, store)) as filled:
        known, app = named(filled), create_app(shared_settings, store)
        known["token"] = auth.add_token(store, "tests", "feed")
        client = asgi_client.client(app, base_url=HERE, headers={"accept": "text/html"})
        answers = {route.path: client.get(route.filled(known)) for route in routes(app) if route.method == "GET"}

    assert [path for path, answer in answers.items() if answer.status_code >= 500] == []
    assert answers["/api/v1/state"].json()["watches"] == 2
    assert answers["/api/v1/changes/{id}"].status_code == 200


def everything(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """Read the whole database."""
    with store.read() as session:
        return {
            table.name: sorted(map(tuple, session.execute(select(table))), key=repr)
            for table in Base.metadata.sorted_tables
        }


def test_a_password_is_kept_as_a_hash_that_is_slow_to_try(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "SCRYPT", COST)
    auth.set_password(store, PASSWORD)

    with store.read() as session:
        kept = session.get(PersonRow, FIRST).password
    assert PASSWORD not in str(kept)
    assert kept["n"] * kept["r"] * 128 >= 32 * 2**20
    assert auth.right_password(store, PASSWORD)
    assert not auth.right_password(store, PASSWORD + "x")
    assert not auth.right_password(store, "")
    with pytest.raises(InputError, match="choose another one"):
        auth.set_password(store, "short")


def test_the_first_start_beyond_this_machine_makes_a_password_and_shows_it_once(
    settings: Settings, store: Store
) -> None:
    assert auth.first_password(settings, store) is None

    made = auth.first_password(others(settings), store)
    assert made is not None
    assert len(made) >= 20
    assert auth.right_password(store, made)
    assert auth.first_password(others(settings), store) is None


def test_without_a_password_nobody_gets_in_from_outside(settings: Settings, store: Store) -> None:
    client = visitor(others(settings), store)

    assert client.get("/").status_code == 303
    for tried in ("", "None", "password"):
        answer = client.post("/login", data={"csrf": token_of(client), "password": tried})
        assert answer.status_code in (401, 422)


def test_a_password_closes_this_machine_too(settings: Settings, store: Store) -> None:
    auth.set_password(store, PASSWORD)

    assert visitor(settings, store).get("/").status_code == 303


def test_the_cookie_of_a_session_is_read_by_no_script_and_sent_by_no_other_site(
    settings: Settings, store: Store, guarded: httpx.Client
) -> None:
    answer = guarded.post("/login", data={"csrf": token_of(guarded), "password": PASSWORD})

    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("pagedrift-8710=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    encrypted = visitor(replace(settings, public_url="https://drift.example"), store)
    encrypted.base_url = "https://drift.example"
    answer = encrypted.post("/login", data={"csrf": token_of(encrypted), "password": PASSWORD})
    assert answer.headers["set-cookie"].startswith("__Host-pagedrift=")
    assert "; Secure" in answer.headers["set-cookie"]


def test_a_session_ends_with_the_logout(guarded: httpx.Client) -> None:
    log_in(guarded)
    kept = dict(guarded.cookies)
    assert guarded.get("/").status_code == 200

    answer = guarded.post("/logout", data={"csrf": token_of(guarded)})

    assert answer.headers["location"] == "/login"
    guarded.cookies.update(kept)  # a thief who kept it
    assert guarded.get("/").status_code == 303


def test_another_password_ends_all_other_sessions(store: Store, guarded: httpx.Client) -> None:
    log_in(guarded)
    stolen = asgi_client.client(
        guarded._transport.app, base_url=HERE, headers=guarded.headers, cookies=dict(guarded.cookies)
    )
    assert stolen.get("/").status_code == 200
    new = {"csrf": token_of(guarded), "old": PASSWORD, "password": "another good one"}

    assert guarded.post("/settings/password", data={**new, "old": "wrong"}).status_code == 403
    assert guarded.post("/settings/password", data=new).status_code == 303

    assert guarded.get("/").status_code == 200
    assert stolen.get("/").status_code == 303
    assert auth.right_password(store, "another good one")


def test_a_session_that_is_forged_expired_or_revoked_is_none(
    settings: Settings, guarded: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in(guarded)
    name = "pagedrift-8710"
    value = guarded.cookies[name]
    id_, expires, mac = value.split(".")
    for forged in (
        f"{id_}.{int(expires) + 9}.{mac}",
        f"x{id_}.{expires}.{mac}",
        f"{id_}.{expires}.",
        "..",
        "ü.1.x",
    ):
        assert not auth.signed(settings, forged)
    # One that is signed but not in the database is none either.
    body = f"abc.{expires}"
    forged = f"{body}.{auth._mac(settings, body)}"
    assert auth.signed(settings, forged)
    guarded.cookies.set(name, forged, domain="127.0.0.1")
    assert guarded.get("/", headers={"cookie": f"{name}={forged}"}).status_code == 303

    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + auth.SESSION.total_seconds() + 1)
    assert not auth.signed(settings, value)


def test_sessions_of_long_ago_are_swept_away(settings: Settings, store: Store) -> None:
    auth.begin_session(settings, store)
    with store.begin() as session:
        session.execute(update(TokenRow).values(created_at=datetime.now(UTC) - auth.SESSION - timedelta(days=1)))

    auth.begin_session(settings, store)

    with store.read() as session:
        assert len(session.scalars(select(TokenRow)).all()) == 1


def test_tokens_are_kept_as_digests_and_open_only_what_they_are_for(
    settings: Settings, store: Store, filled: Filled
) -> None:
    known = named(filled)
    api, feed = auth.add_token(store, "program", "api"), auth.add_token(store, "reader", "feed")
    with store.read() as session:
        assert not any(
            value in str(vars(row)) for row in session.scalars(select(TokenRow)) for value in (api, feed)
        )
    client = visitor(others(settings), store)
    client.headers["accept"] = "*/*"

    def status(path: str, token: str = "") -> int:
        return client.get(path, headers={"authorization": f"Bearer {token}"} if token else {}).status_code

    assert status("/api/v1/watches", api) == 200
    assert status("/api/v1/watches", feed) == 401
    assert status("/", api) == 401
    assert status("/settings", api) == 401
    assert status(f"/feed/{feed}/all.atom") == 200
    assert status(f"/feed/{feed}/watch/{known['watch']}.atom") == 200
    assert status(f"/feed/{feed}/group/city.atom") == 200
    assert status(f"/feed/{api}/all.atom") == 401
    assert status("/feed//all.atom") == 401
    assert status(f"/feed/{feed[:-1]}/all.atom") == 401
    assert status(f"/feed/{auth.digest_of(feed)}/all.atom") == 401
    assert status(f"/memento/timegate/{known['url']}", api) == 302


def test_a_feed_needs_its_token_on_this_machine_too(client: httpx.Client, store: Store) -> None:
    assert client.get("/feed/guess/all.atom").status_code == 401

    token = auth.add_token(store, "reader", "feed")
    answer = client.get(f"/feed/{token}/all.atom")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/atom+xml; charset=utf-8")
    again = client.get(f"/feed/{token}/all.atom", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_tokens_are_made_and_revoked_in_the_browser(guarded: httpx.Client, store: Store) -> None:
    token = token_of(guarded)
    log_in(guarded)
    token = token_of(guarded)
    shown = guarded.post("/settings/tokens", data={"csrf": token, "name": "mine", "use": "api"})
    assert "pd_api_" in shown.text
    [made] = tokens.every(store)
    assert (made.name, made.use) == ("mine", "api")

    assert guarded.post(f"/settings/tokens/{made.id}/revoke", data={"csrf": token}).status_code == 303
    assert tokens.every(store) == []
    assert guarded.post(f"/settings/tokens/{made.id}/revoke", data={"csrf": token}).status_code == 404


def test_wrong_passwords_are_counted_by_address(settings: Settings, store: Store) -> None:
    auth.set_password(store, PASSWORD)
    client = visitor(others(settings), store)
    form = {"csrf": token_of(client), "password": "wrong"}

    codes = [client.post("/login", data=form).status_code for _ in range(limits.MAX_WRONG_PER_CLIENT + 2)]

    assert codes == [401] * limits.MAX_WRONG_PER_CLIENT + [429] * 2
    answer = client.post("/login", data={**form, "password": PASSWORD})
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= limits.WINDOW_SECONDS + 1
    assert "try again in" in answer.text


def test_wrong_passwords_are_counted_over_networks_and_altogether(any_store: Store) -> None:
    attempts = LoginLimiter(any_store, each=3, all_=5)
    for number in range(3):
        attempts.begin(who_of(f"2001:db8::{number}"))
    with pytest.raises(RefusedError):
        attempts.begin(who_of("2001:db8::ffff"))
    for number in range(2):
        attempts.begin(who_of(f"192.0.2.{number}"))
    with pytest.raises(RefusedError):
        attempts.begin(who_of("198.51.100.1"))
    attempts.window = 0.0
    attempts.begin(who_of("2001:db8::1"))


def test_a_stranger_who_uses_up_the_attempts_of_all_does_not_lock_out_who_is_known(any_store: Store) -> None:
    attempts = LoginLimiter(any_store, each=3, all_=5)
    attempts.right(attempts.begin(who_of("203.0.113.7")))
    for number in range(5):
        attempts.begin(who_of(f"192.0.2.{number}"))
    with pytest.raises(RefusedError):
        attempts.begin(who_of("198.51.100.1"))

    for known in (who_of("203.0.113.7"), who_of("127.0.0.1"), who_of("::1"), who_of("198.51.100.1", "browser")):
        for _ in range(3):
            attempts.begin(known)
        with pytest.raises(RefusedError):  # nor may they guess without end
            attempts.begin(known)


def test_a_browser_that_logged_in_before_gets_in_though_its_address_is_used_up(
    settings: Settings, store: Store
) -> None:
    auth.set_password(store, PASSWORD)
    owner, stranger = (visitor(others(settings), store, address="192.0.2.1") for _ in range(2))
    log_in(owner)
    owner.post("/logout", data={"csrf": token_of(owner)})
    form = {"csrf": token_of(stranger), "password": "wrong"}
    codes = [stranger.post("/login", data=form).status_code for _ in range(limits.MAX_WRONG_PER_CLIENT + 1)]
    assert codes[-1] == 429

    log_in(owner)
    forged = {name: value[:-1] + "x" for name, value in owner.cookies.items() if name.endswith("-known")}
    stranger.cookies.update(forged)
    assert stranger.post("/login", data=form).status_code == 429


@pytest.mark.slow
def test_of_sixty_passwords_that_come_at_once_no_more_than_allowed_are_looked_at(
    any_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty connections to two servers that share a database, as two processes do."""
    looked_at, at_once, most = [], set[int](), [0]
    hashed = auth.hashlib.scrypt

    def counted(*given: object, **named: object) -> bytes:
        at_once.add(threading.get_ident())
        most[0] = max(most[0], len(at_once))
        looked_at.append(1)
        try:
            return hashed(*given, **named)
        finally:
            at_once.discard(threading.get_ident())

    shared = replace(others(any_settings), port=0)
    with Store(shared) as one, Store(shared) as two:
        auth.set_password(one, PASSWORD)
        monkeypatch.setattr(auth.hashlib, "scrypt", counted)
        with serving(shared, one) as first, serving(shared, two) as second:
            for each in (
                first,
                second,
            ):  # routes are made ready by the first request, which is not made for threads
                with _visiting(each.port) as client:
                    assert client.post("/login", data={"csrf": token_of(client)}).status_code == 422
            ready = threading.Barrier(60)
            with ThreadPoolExecutor(60) as threads:
                codes = list(threads.map(lambda port: _guess(port, ready), [first.port, second.port] * 30))

    assert sorted(codes) == [401] * limits.MAX_WRONG_PER_CLIENT + [429] * (60 - limits.MAX_WRONG_PER_CLIENT)
    assert len(looked_at) == limits.MAX_WRONG_PER_CLIENT
    assert most[0] <= 2


def _visiting(port: int) -> httpx.Client:
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=BROWSER, timeout=300)


def _guess(port: int, ready: threading.Barrier) -> int:
    with _visiting(port) as client:
        form = {"csrf": token_of(client), "password": "wrong"}
        ready.wait(300)
        return client.post("/login", data=form).status_code


def test_a_link_from_another_site_finds_the_session_after_all(guarded: httpx.Client) -> None:
    """Browsers hold a strict cookie back behind a link of another site; asked again from here they send it."""
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}

    answer = guarded.get('/change/7?view="><script>', headers=followed)

    assert answer.status_code == 200
    assert 'content="0;url=/change/7?view=%22%3E%3Cscript%3E"' in answer.text
    assert "<script" not in answer.text
    answer = guarded.get(f"{HERE}//evil.example/", headers=followed)
    assert 'content="0;url=/"' in answer.text


@pytest.mark.parametrize(
    "wanted",
    ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "\t//evil.example"],
)
def test_the_login_leads_nowhere_but_here(guarded: httpx.Client, wanted: str) -> None:
    page = guarded.get("/login", params={"next": wanted})
    assert 'name="next" value="/"' in page.text

    answer = guarded.post("/login", data={"csrf": token_of(guarded), "password": PASSWORD, "next": wanted})
    assert answer.headers["location"] == "/"
