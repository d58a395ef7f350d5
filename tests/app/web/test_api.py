import html
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from pagedrift.app.model.change import ChangedBlock
from pagedrift.app.settings import Settings
from pagedrift.app.store import tokens
from pagedrift.app.store.store import Store
from pagedrift.app.web import auth
from tests.app.model.test_change import FIRST_FORMAT
from tests.app.web.conftest import token_of, visitor
from tests.app.web.store_builder import Filled


@pytest.fixture
def program(settings: Settings, store: Store) -> httpx.Client:
    """A program with a token."""
    client = visitor(settings, store)
    token = auth.add_token(store, "tests", "api")
    client.headers = {"authorization": f"Bearer {token}", "accept": "application/json"}
    return client


def test_a_watch_is_added_read_changed_and_removed(program: httpx.Client) -> None:
    made = program.post(
        "/api/v1/watches", json={"url": "https://city.example/fees", "name": "Fees", "group": "city"}
    )
    assert made.status_code == 201, made.text
    address = made.headers["location"]
    assert made.json() == program.get(address).json()

    changed = program.patch(address, json={"name": "All fees", "options": {"every": 60, "notify_on": "anything"}})
    assert changed.json()["name"] == "All fees"
    assert changed.json()["options"] == {"every": 60.0, "notify_on": "anything"}
    assert changed.json()["group"] == "city"

    assert program.post(f"{address}/pause").json()["paused"] is True
    assert program.post(f"{address}/resume").json()["paused"] is False
    assert program.post(f"{address}/check").status_code == 202
    assert program.delete(address).status_code == 204
    assert program.get(address).status_code == 404


def test_secrets_go_in_and_never_come_out(program: httpx.Client) -> None:
    options = {
        "headers": {"X-Key": "geheim-1"},
        "cookies": [["sid", "geheim-2"]],
        "proxy": "http://user:geheim-3@proxy.example",
        "secrets": {"pw": "geheim-4"},
        "notify": ["mailto://me:geheim-5@mail.example"],
    }
    made = program.post("/api/v1/watches", json={"url": "https://city.example/", "options": options})
    program.put("/api/v1/groups/city", json={"options": options})

    answers = [made, program.get("/api/v1/watches"), program.get("/api/v1/groups")]
    assert not any("geheim" in answer.text for answer in answers)
    assert "X-Key" in made.text
    # What is sent back as it was shown leaves the secrets as they are.
    again = program.patch(made.headers["location"], json={"options": made.json()["options"]})
    assert again.status_code == 200, again.text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"url": "javascript:alert(1)"}, "http"),
        ({"url": "file:///etc/passwd"}, "http"),
        ({"url": "https://city.example/", "kind": "shell"}, "'list' or 'auto'"),
        ({"url": "https://city.example/", "options": {"command": "x"}}, "unknown option"),
        ({"url": "https://city.example/", "colour": "red"}, "colour"),
        ({"name": "no address"}, "url"),
        ({"url": 7}, "url"),
    ],
)
def test_what_is_wrong_is_said_with_the_next_step(program: httpx.Client, body: object, said: str) -> None:
    answer = program.post("/api/v1/watches", json=body)

    assert answer.status_code in (400, 422)
    assert list(answer.json()) == ["error"]
    assert said in answer.json()["error"]
    assert ";" in answer.json()["error"]


@pytest.mark.parametrize(
    ("call", "status"),
    [
        pytest.param(
            ("POST", "/watches", {"url": "https://a.example/", "options": {"include": ["li["]}}), 400, id="selector"
        ),
        pytest.param(
            ("POST", "/watches", {"url": "https://a.example/", "options": {"selectors": [" "]}}),
            400,
            id="no selector",
        ),
        pytest.param(("POST", "/watches", {"url": "https://city.example/"}), 409, id="watched already"),
        pytest.param(
            ("POST", "/watches", {"url": "https://a.example/", "options": {"evry": 60}}), 422, id="unknown option"
        ),
        pytest.param(("PATCH", "/watches/none", {"name": "x"}), 404, id="no watch"),
        pytest.param(("DELETE", "/rules/none", None), 404, id="no rule"),
        pytest.param(("PUT", "/changes/4711/feedback", {"matters": True}), 404, id="no change"),
        pytest.param(("POST", "/import", None), 400, id="no file"),
        pytest.param(("POST", "/import", {"who": "knows"}), 400, id="no format that is known"),
    ],
)
def test_the_status_follows_the_kind_of_error(
    program: httpx.Client, call: tuple[str, str, object], status: int
) -> None:
    program.post("/api/v1/watches", json={"url": "https://city.example/"})
    method, path, body = call

    answer = (
        program.request(method, f"/api/v1{path}", json=body) if body else program.request(method, f"/api/v1{path}")
    )

    assert (answer.status_code, list(answer.json())) == (status, ["error"])
    assert ";" in answer.json()["error"]


def test_a_call_without_a_token_is_told_how_to_send_one(guarded: httpx.Client) -> None:
    for given in ({}, {"authorization": "Bearer pd_api_wrong"}, {"authorization": "Basic eDp5"}):
        answer = guarded.get("/api/v1/watches", headers={"accept": "application/json", **given})

        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[]", b"null", b'"x"', b"{" * 100_000])
def test_what_is_no_json_is_said_to_be_none(program: httpx.Client, body: bytes) -> None:
    answer = program.post("/api/v1/watches", content=body, headers={"content-type": "application/json"})

    assert answer.status_code in (400, 422)
    assert list(answer.json()) == ["error"]


def test_a_list_is_read_piece_by_piece(program: httpx.Client) -> None:
    added = {
        program.post("/api/v1/watches", json={"url": f"https://city.example/{number}"}).json()["id"]
        for number in range(7)
    }

    found, after = [], ""
    while True:
        answer = program.get("/api/v1/watches", params={"limit": 3, "after": after}).json()
        found += [watch["id"] for watch in answer["watches"]]
        if answer["next"] is None:
            break
        after = answer["next"]

    assert len(found) == 7
    assert set(found) == added


def test_groups_are_set_and_forgotten(program: httpx.Client) -> None:
    program.put("/api/v1/groups/city", json={"options": {"every": 120}})

    assert program.get("/api/v1/groups").json() == {"city": {"every": 120.0}}
    assert program.delete("/api/v1/groups/city").status_code == 204
    assert program.delete("/api/v1/groups/city").status_code == 404


def test_rules_are_checked_kept_once_and_removed(program: httpx.Client) -> None:
    rule = {"scope": "host", "of": "City.Example", "kind": "text", "value": r"\d+ views"}
    made = program.post("/api/v1/rules", json=rule)
    again = program.post("/api/v1/rules", json=rule)

    assert made.status_code == 201, made.text
    assert made.json() == again.json()
    assert program.get("/api/v1/rules").json() == [made.json()]
    assert made.json()["of"] == "city.example"
    wrong = program.post("/api/v1/rules", json={**rule, "value": "("})
    assert (wrong.status_code, list(wrong.json())) == (400, ["error"])
    assert program.delete(f"/api/v1/rules/{made.json()['id']}").status_code == 204
    assert program.get("/api/v1/rules").json() == []


def test_prometheus_reads_the_state_of_the_watcher(program: httpx.Client) -> None:
    program.post("/api/v1/watches", json={"url": "https://city.example/fees"})
    answer = program.get("/api/v1/metrics")

    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "# TYPE pagedrift_watches gauge\npagedrift_watches 1\n" in answer.text
    assert all(line.startswith(("# ", "pagedrift_")) for line in answer.text.splitlines())


def test_the_state_counts_what_is_due(program: httpx.Client) -> None:
    made = program.post("/api/v1/watches", json={"url": "https://city.example/"})
    program.post(f"{made.headers['location']}/pause")
    program.post("/api/v1/watches", json={"url": "https://city.example/2"})

    state = program.get("/api/v1/state").json()

    assert (state["watches"], state["paused"], state["due"], state["running"]) == (2, 1, 1, False)


def test_the_description_names_every_call_and_its_error(program: httpx.Client) -> None:
    described = program.get("/api/v1/openapi.json").json()

    assert described["openapi"].startswith("3.")
    assert {"/api/v1/watches", "/api/v1/versions/{id}/body", "/api/v1/changes/{id}/feedback"} <= set(
        described["paths"]
    )
    assert all(path.startswith("/api/v1/") for path in described["paths"])
    assert all("default" in call["responses"] for calls in described["paths"].values() for call in calls.values())
    calls = [call for methods in described["paths"].values() for call in methods.values()]
    assert all("401" in call["responses"] for call in calls)
    assert described["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}
    assert described["components"]["schemas"]["NewWatch"]["properties"]["kind"]["enum"] == [
        "page", "feed", "sitemap", "list", "auto"
    ]  # fmt: skip
    page = program.get("/api/v1/docs")
    assert page.status_code == 200, page.text
    assert "https://cdn" not in page.text
    assert all(path in page.text for path in described["paths"])


def test_the_description_says_which_calls_need_a_token(program: httpx.Client, store: Store) -> None:
    def needed() -> dict[tuple[str, str], object]:
        paths = program.get("/api/v1/openapi.json").json()["paths"]
        return {(method, path): call["security"] for path, calls in paths.items() for method, call in calls.items()}

    on_this_machine = needed()
    auth.set_password(store, "correct horse battery")
    program._transport.app.doorkeeper.forget()
    by_others = needed()

    assert on_this_machine["get", "/api/v1/watches"] == [{"token": []}, {}]
    assert on_this_machine["post", "/api/v1/watches"] == [{"token": []}]
    assert all(security == [{"token": []}] for security in by_others.values())


BACKUP = Path(__file__).parents[1] / "imports" / "changedetection" / "backup.zip"  # of changedetection.io 0.60


def test_what_an_import_left_behind_is_said_by_the_api_and_on_the_page(
    program: httpx.Client, client: httpx.Client
) -> None:
    answer = program.post("/api/v1/import", content=BACKUP.read_bytes())
    notes = answer.json()["notes"]
    assert len(answer.json()["added"]) == 3
    assert any("remove_duplicate_lines was not imported" in note and "city.example/fees" in note for note in notes)
    shown = client.post(
        "/import", data={"csrf": token_of(client)}, files={"file": ("backup.zip", BACKUP.read_bytes())}
    )
    said = html.unescape(shown.text)
    assert [note for note in notes if note[1:] not in said] == []
    assert sorted(rule["value"] for rule in program.get("/api/v1/rules").json()) == ["moved", "removed"]


def test_what_is_exported_is_imported_again_without_its_secrets(program: httpx.Client) -> None:
    secret = {"headers": {"X-Key": "geheim"}}
    made = program.post("/api/v1/watches", json={"url": "https://city.example/", "options": secret})
    exported = program.get("/api/v1/export")
    assert exported.headers["content-disposition"].startswith("attachment")
    assert "geheim" not in exported.text
    program.delete(made.headers["location"])

    taken = program.post("/api/v1/import", content=exported.content)

    assert taken.status_code == 201, taken.text
    assert len(taken.json()["added"]) == 1
    again = program.post(
        "/api/v1/import", content=b"https://city.example/\njavascript:alert(1)\nhttps://city.example/2"
    )
    assert (len(again.json()["added"]), again.json()["present"]) == (1, 1)
    assert any("javascript" in note for note in again.json()["notes"])
    assert program.post("/api/v1/import", content=b"PK\x03\x04nothing").status_code == 400


def test_a_token_that_was_revoked_is_worth_nothing(program: httpx.Client, store: Store) -> None:
    assert program.get("/api/v1/watches").status_code == 200
    [token] = tokens.every(store)

    assert tokens.revoke(store, token.id)
    program._transport.app.doorkeeper.forget()
    answer = program.get("/api/v1/watches")
    assert answer.status_code == 401
    assert answer.json()["error"].endswith("log in")
    assert token.created_at > datetime.now(UTC) - timedelta(minutes=10)


def test_every_call_is_in_the_documents(program: httpx.Client) -> None:
    document = (Path(__file__).parents[3] / "docs" / "reference" / "rest-api.md").read_text()
    described = program.get("/api/v1/openapi.json").json()["paths"]
    calls = {f"`{method.upper()} {path}`" for path, methods in described.items() for method in methods}

    assert calls == set(re.findall(r"`(?:GET|POST|PUT|PATCH|DELETE) /api/v1/[^`]*`", document))


def test_versions_and_changes_are_read_newest_first_and_piece_by_piece(
    program: httpx.Client, filled: Filled
) -> None:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, b"<p>0")
    changes = []
    for number in range(1, 6):
        old, change = filled.version(watch, b"<p>%d" % number, hours=number, old=old)
        changes.append(change)

    found: list[int] = []
    before: int | None = None
    while before is not None or not found:
        asked = {"limit": 2, "watch": watch} | ({"before": before} if before is not None else {})
        answer = program.get("/api/v1/changes", params=asked).json()
        found += [each["id"] for each in answer["changes"]]
        before = answer["next"]
        if before is None:
            break
    assert found == changes[::-1]
    versions = program.get(f"/api/v1/watches/{watch}/versions").json()["versions"]
    assert [version["captured_at"] for version in versions] == sorted(
        (version["captured_at"] for version in versions), reverse=True
    )
    body = program.get(f"/api/v1/versions/{versions[0]['id']}/body")
    assert body.content == b"<p>5"
    same = program.get(
        f"/api/v1/versions/{versions[0]['id']}/body", headers={"if-none-match": body.headers["etag"]}
    )
    assert (same.status_code, same.content) == (304, b"")
    assert program.get("/api/v1/versions/4711").status_code == 404
    assert program.get("/api/v1/versions/-1").status_code == 422
    assert program.get(f"/api/v1/versions/{2**70}").status_code == 422


def test_a_change_has_the_names_that_it_has_since_the_first_release(program: httpx.Client, filled: Filled) -> None:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, b"<p>40")
    block = ChangedBlock(action="edited", target="text", old="40", new="45")
    _, change = filled.version(watch, b"<p>45", hours=1, old=old, blocks=(block,))
    before = FIRST_FORMAT["change"]

    read = program.get(f"/api/v1/changes/{change}").json()
    assert read.keys() >= before.keys() - {"signature"}
    assert read["card"].keys() == before["card"].keys() | {"headline", "edits", "more_edits", "redesign", "value"}
    assert read["card"]["blocks"][0].keys() >= before["card"]["blocks"][0].keys()
    assert read["card"]["blocks"][0]["kind"] == "edited text"


def test_a_change_is_read_with_its_answers_and_judged_by_the_user(program: httpx.Client, filled: Filled) -> None:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, b"<p>40")
    _, change = filled.version(watch, b"<p>45", hours=1, old=old)
    alert = filled.alert(watch, change)

    read = program.get(f"/api/v1/changes/{change}").json()
    assert read["headline"] == "a fee was raised"
    assert read["card"]["lines"] == ["a fee was raised"]
    assert read["reason"] == "Important, 80 % sure: a fee was raised"
    assert read["reason_name"] == "matters"
    assert read["details"] == {"probability": 0.8, "headline": "a fee was raised"}
    assert read["pages"]["highlighted"].startswith("http://127.0.0.1:8711/highlighted/")
    assert read["feedback"] is None
    for said in (True, False):
        answer = program.put(f"/api/v1/changes/{change}/feedback", json={"matters": said})
        assert answer.json()["feedback"] is said
    assert program.put(f"/api/v1/changes/{change}/feedback", json={"matters": "perhaps"}).status_code == 422
    assert program.put("/api/v1/changes/4711/feedback", json={"matters": True}).status_code == 404

    [listed] = program.get("/api/v1/alerts").json()["alerts"]
    assert (listed["id"], listed["watches"], listed["title"]) == (alert, [watch], "a fee was raised")
    assert program.get(f"/api/v1/alerts/{alert}").json() == listed
    assert program.get("/api/v1/alerts/4711").json()["error"] == "no alert with id 4711; list the alerts first"


def test_the_names_of_older_releases_are_answered_and_marked_as_deprecated(
    program: httpx.Client, filled: Filled
) -> None:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, b"<p>40")
    _, change = filled.version(watch, b"<p>45", hours=1, old=old)
    alert = filled.alert(watch, change)

    [story] = program.get("/api/v1/stories").json()["stories"]
    assert story == program.get(f"/api/v1/stories/{alert}").json()
    assert story["told"] == program.get(f"/api/v1/alerts/{alert}").json()["message"]
    [listed] = program.get("/api/v1/changes?told=true").json()["changes"]
    assert listed == program.get("/api/v1/changes?alerted=true").json()["changes"][0]
    assert (listed["told"], listed["story"]) == (listed["alerted"], listed["alert"])
    assert program.get("/api/v1/changes?told=false").json()["changes"] == []
    state = program.post(f"/api/v1/watches/{watch}/visit").json()
    assert (state["visits"], state["visited_at"]) == (state["checks"], state["checked_at"])

    described = program.get("/api/v1/openapi.json").json()
    paths, schemas = described["paths"], described["components"]["schemas"]
    old_paths = {("/stories", "get"), ("/stories/{id}", "get"), ("/watches/{id}/visit", "post")}
    deprecated = {
        (path.removeprefix("/api/v1"), method)
        for path, calls in paths.items()
        for method, call in calls.items()
        if call.get("deprecated")
    }
    assert deprecated == old_paths
    for schema, names in (
        ("Change", ("told", "story")),
        ("WatchState", ("visits", "visited_at")),
        ("Story", ("told",)),
    ):
        assert all(schemas[schema]["properties"][name]["deprecated"] for name in names)
