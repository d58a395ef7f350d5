"""Ignoring a part of a page takes what is about nothing else out of the inbox at once."""

import httpx

from pagedrift.app.model.change import JudgedEdit
from pagedrift.app.store import feedback, queries
from pagedrift.app.store.store import Store
from tests.app.web.conftest import token_of
from tests.app.web.store_builder import Filled

PAGE = "<main><p id=fee>A permit for a fence costs {} € a year.</p><p id=news>{}</p></main>"


def test_what_is_about_the_ignored_part_alone_is_read_and_the_rest_is_not(
    client: httpx.Client, filled: Filled, store: Store
) -> None:
    watch = filled.watch("https://city.example/fees", name="Fees")
    edit = JudgedEdit(level="important", summary="Fee", css="#fee")
    old, changes = None, []
    for at, texts in enumerate(((40, "a"), (45, "a"), (50, "The council opens the new bridge on Monday."))):
        old, change = filled.version(watch, PAGE.format(*texts).encode(), hours=at, old=old, edits=(edit,))
        changes += [change] if change else []
    path = f"/change/{changes[0]}/rule"
    shown = client.get(path, params={"kind": "block", "value": "#fee"}).text
    assert "You were alerted about 1 of these and would no longer be" in shown
    with store.read() as session:
        assert queries.unread_count(session) == 2
    form = {"csrf": token_of(client, "/settings"), "kind": "block", "value": "#fee", "scope": "watch"}
    assert client.post(path, data=form).status_code == 303
    assert [rule.value for rule in feedback.rules(store)] == ["#fee"]
    with store.read() as session:
        assert queries.unread_count(session) == 1
