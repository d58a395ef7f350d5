"""Accounts: invitations, roles, sessions, and what stays as it was with one password."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from pagedrift.app.model.people import FIRST
from pagedrift.app.settings import Settings
from pagedrift.app.store import (
    alert_routes,
    alert_settings,
    inbox,
    invitations,
    people,
    queries,
    tokens,
    watches,
)
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import InvitationRow, WatchRow
from pagedrift.app.web import auth, limits
from pagedrift.app.web.application import create_app
from pagedrift.errors import InputError, NotFoundError
from tests.app.web import asgi_client
from tests.app.web.conftest import BROWSER, HERE, PASSWORD, log_in, token_of
from tests.app.web.store_builder import Filled

ANNA = "a good long password"


def browser(app: Any) -> httpx.Client:
    return asgi_client.client(app, base_url=HERE, headers=BROWSER)


@pytest.fixture
def app(settings: Settings, store: Store) -> Any:
    auth.set_password(store, PASSWORD)
    return create_app(replace(settings, host="0.0.0.0"), store)


def invited(owner: httpx.Client, role: str = "editor") -> str:
    """Invite somebody in the browser; give the path of the link."""
    shown = owner.post("/settings/people", data={"csrf": token_of(owner, "/settings/people"), "role": role})
    found = re.search(r"http://[^<\s]+(/join/[\w-]+)", shown.text)
    assert found, shown.text
    return found[1]


def joined(app: Any, path: str, name: str = "Anna", password: str = ANNA) -> httpx.Client:
    client = browser(app)
    answer = client.post(path, data={"csrf": token_of(client, path), "username": name, "password": password})
    assert answer.status_code == 303, answer.text
    return client


def test_somebody_who_is_invited_chooses_name_and_password_and_comes_back(app: Any, store: Store) -> None:
    owner = log_in(browser(app))
    anna = joined(app, invited(owner))

    assert anna.get("/").status_code == 200
    assert anna.get("/settings/people").status_code == 403
    assert [(each.name, each.role) for each in people.every(store)] == [("owner", "owner"), ("Anna", "editor")]
    again = browser(app)
    assert 'name="username"' in again.get("/login").text
    form = {"csrf": token_of(again), "username": "ANNA", "password": ANNA}
    assert again.post("/login", data=form).status_code == 303
    for wrong in ({"username": "owner"}, {"username": "nobody"}, {"username": ""}):
        answer = browser(app)
        form = {"csrf": token_of(answer), "password": ANNA, **wrong}
        assert answer.post("/login", data=form).status_code == 401


def test_a_link_works_once_for_some_days_and_only_its_digest_is_kept(app: Any, store: Store) -> None:
    owner = log_in(browser(app))
    path = invited(owner)
    with store.read() as session:
        assert path.removeprefix("/join/") not in str([vars(row) for row in session.query(InvitationRow)])
    joined(app, path)

    assert browser(app).get(path).status_code == 404
    with pytest.raises(NotFoundError, match="used or has expired"):
        auth.join(store, path.removeprefix("/join/"), "Eve", ANNA)
    expired = auth.invite(store, "owner", timedelta(seconds=-1)).removeprefix("/join/")
    with pytest.raises(NotFoundError, match="used or has expired"):
        auth.join(store, expired, "Eve", ANNA)
    assert invitations.every(store) == []


def test_an_invitation_is_withdrawn(app: Any, store: Store) -> None:
    owner = log_in(browser(app))
    path = invited(owner)
    [open_] = invitations.every(store)
    form = {"csrf": token_of(owner, "/settings/people")}

    assert owner.post(f"/settings/people/invitations/{open_.id}/withdraw", data=form).status_code == 303
    assert browser(app).get(path).status_code == 404


def test_a_name_that_is_taken_or_a_short_password_does_not_use_up_the_link(app: Any) -> None:
    owner = log_in(browser(app))
    path = invited(owner)
    client = browser(app)
    for name, password, said in (("OWNER", ANNA, "already"), ("Anna", "short", "characters"), (" ", ANNA, "name")):
        form = {"csrf": token_of(client, path), "username": name, "password": password}
        answer = client.post(path, data=form)
        assert (answer.status_code, said in answer.text) == (400, True)
    joined(app, path)


def test_nobody_is_invited_before_there_is_a_password(client: httpx.Client, store: Store) -> None:
    """Whoever is alone without one would lock themselves out."""
    form = {"csrf": token_of(client, "/settings/people"), "role": "reader"}

    assert client.post("/settings/people", data=form).status_code == 400
    assert invitations.every(store) == []


def test_the_last_owner_is_neither_removed_nor_demoted(any_store: Store) -> None:
    with pytest.raises(InputError, match="only owner"):
        people.remove(any_store, FIRST)
    with pytest.raises(InputError, match="only owner"):
        people.set_role(any_store, FIRST, "editor")
    with any_store.begin() as session:
        anna = people.add(session, "Anna", "owner")
    people.set_role(any_store, FIRST, "reader")
    with pytest.raises(InputError, match="only owner"):
        people.remove(any_store, anna.id)
    people.remove(any_store, FIRST)
    assert [each.name for each in people.every(any_store)] == ["Anna"]
    assert people.chosen(any_store).name == "Anna"


def test_an_owner_changes_roles_and_removes_people_in_the_browser(app: Any, store: Store) -> None:
    owner = log_in(browser(app))
    anna = joined(app, invited(owner, "reader"))
    who = people.find(store, "anna")
    assert who is not None
    form = {"csrf": token_of(owner, "/settings/people")}
    assert anna.get("/watch/new").status_code == 403

    assert owner.post(f"/settings/people/{who.id}/role", data={**form, "role": "editor"}).status_code == 303
    assert anna.get("/watch/new").status_code == 200
    shown = owner.post(f"/settings/people/{FIRST}/role", data={**form, "role": "reader"})
    assert (shown.status_code, "only owner" in shown.text) == (400, True)
    assert owner.post(f"/settings/people/{who.id}/remove", data=form).status_code == 303
    assert anna.get("/").status_code == 303


def test_sessions_are_listed_and_ended_one_by_one_and_everywhere(app: Any, store: Store) -> None:
    first, second, third = (log_in(browser(app)) for _ in range(3))
    mine = tokens.sessions(store, person=FIRST)
    assert len(mine) == 3
    page = first.get("/settings").text
    [own] = [each.id for each in mine if f"/settings/sessions/{each.id}/end" not in page]
    other = next(each.id for each in mine if each.id != own)

    assert first.post(f"/settings/sessions/{other}/end", data={"csrf": token_of(first)}).status_code == 303
    assert sorted(each.get("/").status_code for each in (first, second, third)) == [200, 200, 303]
    assert first.post("/settings/sessions/end", data={"csrf": token_of(first)}).status_code == 303
    assert [each.get("/").status_code for each in (first, second, third)] == [303] * 3


def test_nobody_ends_sessions_or_tokens_of_others_but_owners(app: Any, store: Store) -> None:
    owner = log_in(browser(app))
    anna = joined(app, invited(owner))
    [session] = tokens.sessions(store, person=FIRST)
    auth.add_token(store, "of the owner", "api")
    [token] = tokens.every(store)
    form = {"csrf": token_of(anna, "/settings")}

    assert "of the owner" not in anna.get("/settings").text
    assert anna.post(f"/settings/sessions/{session.id}/end", data=form).status_code == 404
    assert anna.post(f"/settings/tokens/{token.id}/revoke", data=form).status_code == 404
    made = anna.post("/settings/tokens", data={**form, "name": "of Anna", "use": "api"})
    assert made.status_code == 200
    [hers] = [each for each in tokens.every(store) if each.name == "of Anna"]
    assert hers.role == "editor"
    revoked = owner.post(f"/settings/tokens/{hers.id}/revoke", data={"csrf": token_of(owner, "/settings")})
    assert revoked.status_code == 303


def test_a_password_of_one_person_leaves_the_sessions_of_others(app: Any) -> None:
    owner = log_in(browser(app))
    anna = joined(app, invited(owner))
    form = {"csrf": token_of(anna, "/settings"), "old": ANNA, "password": "another good one"}

    assert anna.post("/settings/password", data=form).status_code == 303
    assert owner.get("/").status_code == 200


def test_wrong_passwords_are_counted_by_account_too(any_store: Store) -> None:
    attempts = limits.LoginLimiter(any_store, each=3, all_=50, account=4)
    for number in range(4):
        attempts.begin(limits.who_of(f"192.0.2.{number}"), FIRST)
    with pytest.raises(limits.RefusedError):
        attempts.begin(limits.who_of("198.51.100.1"), FIRST)

    attempts.begin(limits.who_of("198.51.100.1"), "anna")
    attempts.begin(limits.who_of("198.51.100.1", "known"), FIRST)


def test_each_person_reads_for_themselves(app: Any, store: Store, filled: Filled) -> None:
    owner = log_in(browser(app))
    watch = filled.watch("https://city.example/fees")
    old, before = filled.version(watch, b"<p>40")
    old, before = filled.version(watch, b"<p>45", hours=1, old=old, headline="first")
    anna = joined(app, invited(owner, "reader"))
    # Changes are recorded at the time of their capture: this one comes after Anna.
    _, after = filled.version(watch, b"<p>50", hours=24 * 365 * 20, old=old, headline="second")
    assert before is not None
    assert after is not None

    def unread(client: httpx.Client) -> list[int]:
        return [each["id"] for each in client.get("/api/v1/inbox").json()["changes"]]

    assert unread(owner) == [after, before]
    assert unread(anna) == [after]  # an inbox begins with the person
    form = {"csrf": token_of(anna, "/settings"), "do": f"read {after}", "back": "/"}
    answer = anna.post("/inbox", data=form)
    assert answer.status_code == 303
    assert unread(anna) == []
    assert unread(owner) == [after, before]
    done = answer.headers["location"].partition("done=")[2]
    with pytest.raises(NotFoundError):  # nobody undoes what somebody else marked
        inbox.undo_action(store, done, person=FIRST)
    again = anna.post("/inbox/undo", data={"csrf": form["csrf"], "action": done, "back": "/"})
    assert again.status_code == 303
    assert unread(anna) == [after]


def test_each_person_has_alerts_of_their_own_beside_those_of_the_installation(
    app: Any, store: Store, filled: Filled
) -> None:
    owner = log_in(browser(app))
    anna = joined(app, invited(owner, "reader"))
    alert_settings.save(store, {"channels": ["json://everybody.example/"]})
    form = {
        "csrf": token_of(anna, "/settings/my-alerts"),
        "channels": "json://anna.example/",
        "send": "immediately",
    }
    form |= {"tag_1": "boring", "tag_channels_1": "none", "digest_at": "08:00", "digest_day": "monday"}
    assert anna.post("/settings/my-alerts", data=form).status_code == 303
    assert "anna.example" not in anna.get("/settings/my-alerts").text

    def sent_to(**more: Any) -> set[str]:
        watch = filled.watch(f"https://city.example/{len(watches.every(store))}", **more)
        with store.read() as session:
            row = session.get_one(WatchRow, watch)
            return set(alert_routes.plan(session, [row], datetime.now(UTC), urgent=False))

    assert sent_to() == {"json://everybody.example/", "json://anna.example/"}
    assert sent_to(tags=("boring",)) == {"json://everybody.example/"}
    assert sent_to(options={"notify": ("json://watch.example/",)}) == {
        "json://watch.example/",
        "json://anna.example/",
    }
    whose = people.find(store, "anna")
    assert whose is not None
    people.remove(store, whose.id)
    assert sent_to() == {"json://everybody.example/"}


def test_everybody_reads_in_the_log_who_changed_what(app: Any, store: Store) -> None:
    owner = log_in(browser(app))
    anna = joined(app, invited(owner, "editor"))
    form = {"csrf": token_of(anna, "/settings"), "url": "https://city.example/<fees>", "quick": "1"}
    form |= {"url": "https://city.example/fees"}
    assert anna.post("/watch/new", data=form).status_code == 303
    token = auth.add_token(store, "robot", "api", person=people.find(store, "anna").id)
    program = asgi_client.client(app, base_url=HERE, headers={"authorization": f"Bearer {token}"})
    [watch] = program.get("/api/v1/watches").json()["watches"]
    program.patch(f"/api/v1/watches/{watch['id']}", json={"options": {"every": 7200}})

    entries = program.get("/api/v1/log").json()["entries"]
    assert [(each["who"], each["action"], each["kind"]) for each in entries][:4] == [
        ("token robot (Anna)", "changed", "watch"),
        ("the application", "added", "token"),  # made by this test
        ("Anna", "added", "watch"),
        ("Anna", "added", "person"),
    ]
    assert entries[0]["after"] == {"every": 7200.0}
    page = anna.get("/log", params={"who": "Anna", "kind": "watch"}).text
    assert "added the watch https://city.example/fees" in page
    assert "robot" not in page.partition("</form>")[2]


def test_a_search_with_its_filters_is_saved_by_a_name_for_oneself(app: Any, filled: Filled) -> None:
    owner = log_in(browser(app))
    anna = joined(app, invited(owner, "reader"))
    filled.watch("https://shop.example/", tags=("prices",))
    page = anna.get("/?tag=prices&sort=name").text
    form = {"csrf": token_of(anna, "/settings"), "name": "Prices <b>", "tag": "prices", "sort": "name"}
    assert 'name="tag" value="prices"' in page

    answer = anna.post("/views", data=form)
    assert answer.headers["location"] == "/?tag=prices&sort=name#watches"
    saved = anna.get("/?tag=prices&sort=name").text
    assert '<a href="/?tag=prices&amp;sort=name#watches" aria-current="true">Prices &lt;b&gt;</a>' in saved
    assert "Remove this view" in saved
    assert "Prices" not in owner.get("/").text
    anna.post("/views/remove", data=form)
    assert "Prices" not in anna.get("/").text
    assert anna.post("/views", data={**form, "name": " "}).status_code == 400


def test_a_reader_undoes_nothing_but_marks(app: Any, store: Store, filled: Filled) -> None:
    owner = log_in(browser(app))
    watch = filled.watch("https://city.example/fees")
    anna = joined(app, invited(owner, "reader"))
    form = {"csrf": token_of(owner, "/settings"), "do": "pause", "watch": watch, "back": "/"}
    done = owner.post("/watches", data=form).headers["location"].partition("done=")[2]
    undo = {"csrf": token_of(anna, "/settings"), "action": done, "back": "/"}

    assert anna.post("/undo", data=undo).status_code == 403
    assert anna.post("/inbox/undo", data=undo).status_code == 404
    with store.read() as session:
        assert queries.watch(session, watch).state == "paused"


def test_a_reader_sees_no_button_that_would_be_refused(app: Any, filled: Filled) -> None:
    owner = log_in(browser(app))
    anna = joined(app, invited(owner, "reader"))
    watch = filled.watch("https://city.example/fees", name="Fees", group="city")
    old, _ = filled.version(watch, b"<p>40")
    _, change = filled.version(watch, b"<p>45", hours=24 * 365 * 20, old=old)
    from pagedrift.app.web.permissions import needed_role

    for path in ("/", f"/watch/{watch}", f"/change/{change}", "/ignored", "/settings", "/queue", "/alerts"):
        page = anna.get(path).text
        posts = re.findall(r'<form[^>]*method="post"[^>]*action="([^"]+)"', page)
        posts += re.findall(r'formaction="([^"]+)"', page)
        assert {each for each in posts if needed_role("POST", each) != "reader"} == set(), path
        links = {each.partition("?")[0] for each in re.findall(r'<a[^>]*href="(/[^"#]*)', page)}
        assert {each for each in links if needed_role("GET", each) not in ("reader",)} == set(), path
