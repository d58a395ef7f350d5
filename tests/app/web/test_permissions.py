"""Who may do what: every route, by every role and method, against a table that is written down here by hand."""

from dataclasses import replace
from typing import Any

import httpx
import pytest

from pagedrift.app.model.people import ROLES, Role, allows
from pagedrift.app.settings import Settings
from pagedrift.app.store import people
from pagedrift.app.store.store import Store
from pagedrift.app.web import auth, permissions
from pagedrift.app.web.application import create_app
from tests.app.web import asgi_client
from tests.app.web.conftest import BROWSER, HERE, PASSWORD
from tests.app.web.route_list import Route, named, routes
from tests.app.web.store_builder import Filled

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
ANYBODY = """
GET /health
GET /join/{secret}
GET /login
GET /static/{name}
POST /join/{secret}
POST /login
"""
READERS = """
GET /
GET /alerts
GET /alerts/{number}
GET /api/v1/alert-settings
GET /api/v1/alert-settings/mine
GET /api/v1/alerts
GET /api/v1/alerts/{id}
GET /api/v1/changes
GET /api/v1/changes/{id}
GET /api/v1/docs
GET /api/v1/events
GET /api/v1/groups
GET /api/v1/ignored
GET /api/v1/inbox
GET /api/v1/changes/{id}/feedback/effects
GET /api/v1/lessons
GET /api/v1/lessons/{id}/effects
GET /change/{number}/feedback
GET /settings/lessons/{which}
GET /api/v1/log
GET /api/v1/metrics
GET /api/v1/openapi.json
GET /api/v1/rules
GET /api/v1/state
GET /api/v1/stories
GET /api/v1/stories/{id}
GET /api/v1/versions/{id}
GET /api/v1/versions/{id}/body
GET /api/v1/watches
GET /api/v1/watches/{id}
GET /api/v1/watches/{id}/failed-step
GET /api/v1/watches/{id}/selectors
GET /api/v1/watches/{id}/values
GET /api/v1/watches/{id}/versions
GET /change/{number}
GET /feed/{token}/all.atom
GET /feed/{token}/group/{name}.atom
GET /feed/{token}/watch/{id}.atom
GET /ignored
GET /log
GET /memento/timegate/{url:path}
GET /memento/timemap/{form}/{url:path}
GET /memento/{stamp}/{url:path}
GET /not-told
GET /queue
GET /settings
GET /settings/my-alerts
GET /site/{which}
GET /site/{which}/stripe.png
GET /stories
GET /stories/{number}
GET /version/{number}
GET /version/{number}/places
GET /watch/{which}
GET /watch/{which}/compare
GET /watch/{which}/failed-step.jpg
GET /watch/{which}/selectors
GET /watch/{which}/values.csv
PATCH /api/v1/alert-settings/mine
POST /api/v1/inbox/read
POST /inbox
POST /inbox/undo
POST /logout
POST /settings/my-alerts
POST /settings/name
POST /settings/password
POST /settings/sessions/end
POST /settings/sessions/{id}/end
POST /settings/tokens
POST /settings/tokens/{id}/revoke
POST /views
POST /views/remove
PUT /api/v1/changes/{id}/read
"""
EDITORS = """
DELETE /api/v1/changes/{id}/feedback
DELETE /api/v1/groups/{name}
DELETE /api/v1/lessons/{id}
DELETE /api/v1/rules/{id}
DELETE /api/v1/watches/{id}
GET /change/{number}/rule
GET /settings/alerts
GET /settings/group
GET /watch/new
GET /watch/{which}/choose
GET /watch/{which}/choose/element
GET /watch/{which}/choose/marks
GET /watch/{which}/choose/past
GET /watch/{which}/edit
GET /watch/{which}/matches
GET /watch/{which}/replay
GET /watch/{which}/steps
GET /watch/{which}/steps/picture/{name}
PATCH /api/v1/alert-settings
PATCH /api/v1/watches/{id}
POST /alerts/send-now
POST /alerts/{number}/again
POST /api/v1/actions
POST /api/v1/channels/test
POST /api/v1/import
POST /api/v1/rules
POST /api/v1/undo/{id}
POST /api/v1/watches
POST /api/v1/watches/{id}/check
POST /api/v1/watches/{id}/pause
POST /api/v1/watches/{id}/resume
POST /api/v1/watches/{id}/selectors
POST /api/v1/watches/{id}/steps/try
POST /api/v1/watches/{id}/visit
POST /change/{number}/label
POST /change/{number}/rule
POST /demo
POST /import
POST /inbox/feedback
POST /settings/alerts
POST /settings/channels/preview
POST /settings/channels/test
POST /settings/group
POST /settings/group/remove
POST /settings/lessons/{which}/forget
POST /settings/rules/{which}/remove
POST /undo
POST /watch/new
POST /watch/{which}/choose
POST /watch/{which}/edit
POST /watch/{which}/pause
POST /watch/{which}/remove
POST /watch/{which}/resume
POST /watch/{which}/selectors
POST /watch/{which}/steps
POST /watch/{which}/visit
POST /watches
PUT /api/v1/changes/{id}/feedback
PUT /api/v1/groups/{name}
"""
OWNERS = """
DELETE /api/v1/people/{id}
GET /api/v1/export
GET /api/v1/people
GET /settings/people
PATCH /api/v1/people/{id}
POST /api/v1/people
POST /export
POST /settings/lessons/judge
POST /settings/people
POST /settings/people/invitations/{id}/withdraw
POST /settings/people/{id}/logout
POST /settings/people/{id}/remove
POST /settings/people/{id}/role
"""
NEEDED: dict[Route, str] = {
    Route(*line.split()): needed
    for needed, lines in (("anybody", ANYBODY), ("reader", READERS), ("editor", EDITORS), ("owner", OWNERS))
    for line in lines.strip().splitlines()
}


def members(store: Store) -> dict[Role, str]:
    """Make one account of each role, and an API token of each."""
    auth.set_password(store, PASSWORD)
    found: dict[Role, str] = {}
    for role in ROLES:
        with store.begin() as session:
            person = people.add(session, f"the {role}", role)
        found[role] = auth.add_token(store, role, "api", person=person.id)
    return found


def by_token(app: Any, token: str) -> httpx.Client:
    return asgi_client.client(app, base_url=HERE, headers={"authorization": f"Bearer {token}", "accept": "*/*"})


def test_every_route_has_an_entry_and_every_entry_a_route(settings: Settings, store: Store) -> None:
    assert set(routes(create_app(settings, store))) == set(NEEDED)


def test_the_gate_asks_of_every_route_for_the_role_in_the_table(filled: Filled) -> None:
    known = {**named(filled), "secret": "s"}
    for route, needed in NEEDED.items():
        path = route.filled(known)
        asked = "anybody" if permissions.is_public(path) else permissions.needed_role(route.method, path)
        assert asked == needed, route


def test_each_role_gets_what_it_may_with_every_method_and_nothing_else(
    settings: Settings, store: Store, filled: Filled
) -> None:
    """Real requests to all paths, by all methods; what no route answers is refused, or not there."""
    known, tokens = {**named(filled), "secret": "s"}, members(store)
    app = create_app(replace(settings, host="0.0.0.0"), store)
    paths = {route.path for route in NEEDED if route.path.startswith(("/api/", "/memento/"))}
    last = {"/api/v1/watches/{id}": 1}  # what removes something comes after what needs it

    for role, token in tokens.items():
        client = by_token(app, token)
        for path in sorted(paths, key=lambda each: (last.get(each, 0), each)):
            for method in METHODS:
                needed = NEEDED.get(Route(method, path))
                answer = client.request(method, Route(method, path).filled(known), json={})
                if needed is None:
                    assert answer.status_code in (403, 405), (role, method, path)
                else:
                    refused = answer.status_code == 403
                    assert refused != allows(role, needed), (role, method, path, answer.text)


def test_pages_are_refused_by_role_before_anything_of_them_is_looked_at(
    settings: Settings, store: Store, filled: Filled
) -> None:
    known = {**named(filled), "secret": "s"}
    members(store)
    everybody = {each.role: each.id for each in people.every(store)[1:]}
    app = create_app(replace(settings, host="0.0.0.0"), store)
    asked = [route for route in NEEDED if not route.path.startswith(("/api/", "/memento/", "/feed/"))]

    for role in ("reader", "editor"):
        cookie = f"pagedrift-8710={auth.begin_session(settings, store, person=everybody[role])}"
        client = asgi_client.client(app, base_url=HERE, headers={**BROWSER, "cookie": cookie})
        for route in asked:
            needed = NEEDED[route]
            answer = client.request(route.method, route.filled(known))
            if needed != "anybody" and not allows(role, needed):
                assert answer.status_code == 403, (role, route)
                assert f"needs the role {needed}" in answer.text, (role, route)
            else:
                assert "needs the role" not in answer.text, (role, route)


@pytest.mark.parametrize(
    "path",
    [
        "/new-page",
        "/settings/new",
        "/watch",
        "/settings/people\n",
        "/api/v1/people/",
        "/api/v2/watches",
        "/./",
        "//",
    ],
)
def test_what_is_not_in_the_table_is_for_owners(path: str) -> None:
    for method in (*METHODS, "OPTIONS", "TRACE", "get"):
        assert permissions.needed_role(method, path) == "owner"


def test_a_token_never_allows_more_than_its_person(settings: Settings, store: Store) -> None:
    members(store)
    anna = people.find(store, "The Editor")
    assert anna is not None
    app = create_app(replace(settings, host="0.0.0.0"), store)
    client = by_token(app, auth.add_token(store, "all rights", "api", person=anna.id, role="owner"))
    reading = by_token(app, auth.add_token(store, "reading", "api", person=anna.id, role="reader"))
    new = {"url": "https://city.example/"}

    assert client.get("/api/v1/people").status_code == 403
    assert client.post("/api/v1/watches", json=new).status_code == 201
    assert reading.post("/api/v1/watches", json=new).status_code == 403
    people.set_role(store, anna.id, "reader")
    app.app.state.doorkeeper.forget()
    assert client.post("/api/v1/watches", json={"url": "https://b.example/"}).status_code == 403
    people.remove(store, anna.id)
    app.app.state.doorkeeper.forget()
    assert client.get("/api/v1/watches").status_code == 401
