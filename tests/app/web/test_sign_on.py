"""Sign-on by a proxy's header: believed from its address, ignored from everywhere else."""

from dataclasses import replace
from typing import Any

import httpx
import pytest

from pagedrift.app.settings import Settings
from pagedrift.app.store import people
from pagedrift.app.store.store import Store
from pagedrift.app.web import auth
from pagedrift.app.web.application import create_app
from pagedrift.app.web.run import serving
from pagedrift.app.web.sign_on import check_settings
from pagedrift.errors import InputError
from tests.app.web import asgi_client
from tests.app.web.conftest import BROWSER, HERE, PASSWORD, token_of

PROXY = "192.0.2.7"
NAMED = {"remote-user": "anna"}


@pytest.fixture
def behind(settings: Settings, store: Store) -> Settings:
    """An installation behind a proxy that says who is logged in, with one editor."""
    auth.set_password(store, PASSWORD)
    with store.begin() as session:
        people.add(session, "Anna", "editor")
    return replace(settings, host="0.0.0.0", sign_on_header="Remote-User", trusted_proxies=(PROXY,))


def client(settings: Settings, store: Store, address: str = PROXY, **headers: str | bytes) -> httpx.Client:
    app: Any = create_app(settings, store)
    return asgi_client.client(app, base_url=HERE, headers={**BROWSER, **headers}, address=address)


def test_whoever_the_proxy_names_is_logged_in_with_their_role(behind: Settings, store: Store) -> None:
    anna = client(behind, store, **NAMED)

    assert anna.get("/watch/new").status_code == 200
    assert anna.get("/settings/people").status_code == 403
    assert anna.get("/api/v1/watches").status_code == 200
    form = {"csrf": token_of(anna, "/watch/new"), "url": "https://city.example/", "quick": "1"}
    assert anna.post("/watch/new", data=form).status_code == 303
    assert anna.post("/watch/new", data={**form, "csrf": "0" * 64}).status_code == 403


@pytest.mark.parametrize("address", ["192.0.2.8", "127.0.0.1", "::1", "10.0.0.1", "testclient", ""])
def test_the_header_from_any_other_address_is_ignored(behind: Settings, store: Store, address: str) -> None:
    stranger = client(behind, store, address=address, **NAMED)

    assert stranger.get("/").status_code == 303
    assert stranger.get("/api/v1/watches").status_code == 401


def test_a_stranger_does_not_pass_for_the_proxy_with_a_header_that_names_its_address(
    behind: Settings, store: Store
) -> None:
    """A real server, which counts clients by X-Forwarded-For: who is trusted is asked of the connection."""
    public = replace(behind, host="127.0.0.1", port=0, public_url="http://127.0.0.1:8710")
    spoofed = {"x-forwarded-for": PROXY, "forwarded": f"for={PROXY}", "x-real-ip": PROXY, "host": "127.0.0.1:8710"}
    with serving(public, store) as served:
        url = f"http://127.0.0.1:{served.port}/api/v1/watches"
        assert httpx.get(url, headers={**NAMED, **spoofed}).status_code == 401
    with serving(replace(public, trusted_proxies=("127.0.0.0/8",)), store) as served:
        url = f"http://127.0.0.1:{served.port}/api/v1/watches"
        assert httpx.get(url, headers={**NAMED, **spoofed}).status_code == 200


def test_two_headers_that_disagree_and_names_with_underscores_are_nobody(behind: Settings, store: Store) -> None:
    app: Any = create_app(behind, store)
    proxy = asgi_client.client(app, base_url=HERE, address=PROXY)

    for headers in (
        [("remote-user", "anna"), ("remote-user", "owner")],
        [("remote_user", "anna")],
        [("x-remote-user", "anna")],
        [("remote-user", "")],
    ):
        assert proxy.get("/api/v1/watches", headers=headers).status_code == 401, headers


def test_without_sign_on_the_header_means_nothing(settings: Settings, store: Store) -> None:
    auth.set_password(store, PASSWORD)

    for address in (PROXY, "127.0.0.1"):
        assert client(replace(settings, host="0.0.0.0"), store, address, **NAMED).get("/").status_code == 303


def test_accounts_are_made_for_new_names_only_where_a_role_is_set(behind: Settings, store: Store) -> None:
    new = {"remote-user": "bert@city.example"}
    assert client(behind, store, **new).get("/").status_code == 403
    assert people.find(store, "bert@city.example") is None

    making = replace(behind, sign_on_role="reader")
    bert = client(making, store, **new)
    assert bert.get("/").status_code == 200
    assert bert.get("/watch/new").status_code == 403
    made = people.find(store, "Bert@City.example")
    assert made is not None
    assert (made.role, made.has_password) == ("reader", False)
    assert client(making, store, **{"remote-user": "x" * 61}).get("/").status_code == 403
    assert client(making, store, **{"remote-user": "änne".encode()}).get("/").status_code == 200
    assert people.find(store, "Änne") is not None


def test_an_account_that_the_proxy_made_has_no_password_to_guess(behind: Settings, store: Store) -> None:
    making = replace(behind, sign_on_role="owner")
    client(making, store, **{"remote-user": "bert"}).get("/")
    stranger = client(making, store, address="198.51.100.1")

    for tried in ("", "None", "null", "bert"):
        form = {"csrf": token_of(stranger), "username": "bert", "password": tried}
        assert stranger.post("/login", data=form).status_code in (401, 422)


def test_this_machine_is_not_open_once_a_proxy_says_who_is_asking(settings: Settings, store: Store) -> None:
    local = replace(settings, sign_on_header="Remote-User", trusted_proxies=("127.0.0.1",))

    assert client(local, store, "127.0.0.1").get("/").status_code == 303
    assert client(local, store, "127.0.0.1", **{"remote-user": "owner"}).get("/").status_code == 200


@pytest.mark.parametrize(
    ("header", "proxies", "role", "said"),
    [
        ("Remote-User", (), "", "needs both"),
        ("", (PROXY,), "", "needs both"),
        ("Cookie", (PROXY,), "", "Remote-User"),
        ("Remote User", (PROXY,), "", "Remote-User"),
        ("Remote-User", ("proxy.example",), "", "not an address"),
        ("Remote-User", (PROXY,), "king", "not a role"),
    ],
)
def test_settings_that_are_wrong_are_refused_at_the_start(
    settings: Settings, header: str, proxies: tuple[str, ...], role: str, said: str
) -> None:
    wrong = replace(settings, sign_on_header=header, trusted_proxies=proxies, sign_on_role=role)
    with pytest.raises(InputError, match=said):
        check_settings(wrong)
