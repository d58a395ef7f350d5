"""The inbox and actions on many watches, for programs."""

import httpx
import pytest

from pagedrift.app.model.change import JudgedEdit
from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from pagedrift.app.web import auth
from tests.app.web.conftest import visitor
from tests.app.web.store_builder import Filled


@pytest.fixture
def program(settings: Settings, store: Store) -> httpx.Client:
    """A program with a token."""
    client = visitor(settings, store)
    client.headers = {
        "authorization": f"Bearer {auth.add_token(store, 'tests', 'api')}",
        "accept": "application/json",
    }
    return client


def test_the_inbox_is_listed_searched_and_marked_as_read(program: httpx.Client, filled: Filled) -> None:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, b"<p>40")
    edit = JudgedEdit(level="important", new="A fence costs 45")
    _, change = filled.version(watch, b"<p>45", hours=1, old=old, edits=(edit,))
    found = program.get("/api/v1/inbox").json()
    assert ([each["id"] for each in found["changes"]], found["unread"], found["newest"]) == ([change], 1, change)
    assert (
        program.get("/api/v1/inbox", params={"show": "all", "find": "FENCE"}).json()["changes"] == found["changes"]
    )
    assert program.get("/api/v1/inbox", params={"find": "roof"}).json()["changes"] == []
    assert program.put(f"/api/v1/changes/{change}/read", json={"read": True}).json()["unread"] is False
    assert program.get("/api/v1/inbox").json()["changes"] == []
    assert program.put(f"/api/v1/changes/{change}/read", json={"read": False}).json()["unread"] is True
    done = program.post("/api/v1/inbox/read", json={"up_to": found["newest"]}).json()
    assert (done["action"], done["count"], done["can_be_undone"]) == ("read", 1, True)
    assert program.post(f"/api/v1/undo/{done['id']}").json()["count"] == 1
    assert program.get("/api/v1/inbox").json()["unread"] == 1
    assert program.put("/api/v1/changes/999/read", json={"read": True}).status_code == 404
    assert program.get("/api/v1/ignored").json() == {"causes": []}


def test_several_watches_are_tagged_at_once_and_found_by_a_tag(program: httpx.Client, filled: Filled) -> None:
    ids = [filled.watch(f"https://city.example/{number}") for number in range(3)]
    given = {"watches": ids[:2], "action": "tag", "value": "prices, city"}
    done = program.post("/api/v1/actions", json=given).json()
    assert done["count"] == 2
    tagged = program.get("/api/v1/watches", params={"tag": "prices"}).json()["watches"]
    assert {each["id"]: each["tags"] for each in tagged} == {id_: ["prices", "city"] for id_ in ids[:2]}
    assert program.patch(f"/api/v1/watches/{ids[2]}", json={"tags": ["own"]}).json()["tags"] == ["own"]
    assert program.post(f"/api/v1/undo/{done['id']}").status_code == 200
    assert program.get("/api/v1/watches", params={"tag": "prices"}).json()["watches"] == []
    again = program.post(f"/api/v1/undo/{done['id']}")
    assert (again.status_code, again.json()["error"]) == (404, "this can no longer be undone; set it again by hand")
    assert program.post("/api/v1/actions", json={**given, "action": "explode"}).status_code == 422
    assert program.post("/api/v1/actions", json={**given, "value": ""}).status_code == 400


def test_an_address_without_a_scheme_is_taken_for_https(program: httpx.Client) -> None:
    made = program.post("/api/v1/watches", json={"url": "city.example/fees", "tags": ["a", "A", "b"]})
    assert (made.json()["url"], made.json()["tags"]) == ("https://city.example/fees", ["a", "b"])
