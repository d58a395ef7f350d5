"""What feedback teaches is shown with its effect on the last 30 days, before it is saved and afterwards."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import update

from pagedrift.app.model.change import ChangeAnalysis, JudgedEdit
from pagedrift.app.model.lesson_effects import would_alert
from pagedrift.app.model.lessons import Lesson
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.store import feedback, lesson_effects, queries
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import ChangeRow
from pagedrift.errors import NotFoundError
from tests.app.web.conftest import token_of
from tests.app.web.store_builder import Filled
from tests.app.web.test_api import program  # noqa: F401 - a fixture

COUNTER = JudgedEdit(level="important", summary="Visitors 1 → 2", old="1", new="2", place="p", spot="s")
NEWS = JudgedEdit(level="important", summary="New: Bridge", new="Bridge", place="q", spot="t")


@pytest.fixture
def page(filled: Filled, store: Store) -> list[int]:
    """A page whose counter changed three times, once with news, and once before the last 30 days."""
    watch = filled.watch("https://city.example/fees", name="Fees")
    old, changes = None, []
    for at, edits in enumerate(((), (COUNTER,), (COUNTER, NEWS), (COUNTER,), (COUNTER,))):
        old, change = filled.version(watch, f"<p>{at}".encode(), hours=at, old=old, headline=f"v{at}", edits=edits)
        changes += [change] if change else []
    with store.begin() as session:
        now = datetime.now(UTC)
        for number in changes:
            session.execute(update(ChangeRow).where(ChangeRow.id == number).values(at=now - timedelta(days=number)))
        session.execute(update(ChangeRow).where(ChangeRow.id == changes[-1]).values(at=now - timedelta(days=40)))
    return changes


def effects(store: Store, *given: object, **named: object) -> list[tuple[int, bool]]:
    with store.read() as session:
        found = lesson_effects.of_feedback(session, *given, **named)
    assert found.looked_at == 3
    return sorted((each.change, each.alerts) for each in found.changes)


def test_what_feedback_would_silence_is_said_before_it_is_saved(store: Store, page: list[int]):
    first, with_news, third, _ = page
    assert effects(store, first, matters=False) == [(first, False), (third, False)]
    assert effects(store, with_news, matters=False, edit=1) == []  # the counter would still cause it
    assert effects(store, first, matters=True) == []
    with store.read() as session:
        assert queries.lessons(session) == ()


def test_the_same_is_said_of_a_lesson_afterwards_until_it_is_forgotten(store: Store, page: list[int]):
    feedback.label(store, page[0], matters=False)
    with store.read() as session:
        [lesson] = queries.lessons(session)
        found = lesson_effects.of_lesson(session, lesson.id)
    assert (found.silent, found.alerted) == (2, 0)
    with store.read() as session, pytest.raises(NotFoundError):
        lesson_effects.of_lesson(session, "nosuch")


def test_what_feedback_decided_is_seen_as_it_would_be_without():
    taught = JudgedEdit(level="noise", untaught="minor", taught={"matters": False}, place="p", spot="s")
    older = JudgedEdit(level="noise", taught={"matters": False}, place="p", spot="s")
    for edit, expected in ((taught, False), (older, True)):
        assert would_alert(ChangeAnalysis(edits=(edit,)), WatchOptions(), ()) is expected
    lesson = Lesson(scope="watch", of="w", spot="s", kind="text", matters=True, times=1)
    assert would_alert(ChangeAnalysis(edits=(taught,)), WatchOptions(), [lesson])
    assert would_alert(ChangeAnalysis(edits=(taught,)), WatchOptions(notify_on="anything"), ())
    assert not would_alert(ChangeAnalysis(edits=(NEWS,)), WatchOptions(notify_on="nothing"), ())


def test_pages_show_it_and_save_it(client: httpx.Client, store: Store, page: list[int]):
    assert f"/change/{page[0]}/feedback?matters=no" in client.get(f"/change/{page[0]}").text
    shown = client.get(f"/change/{page[0]}/feedback?matters=no").text
    assert "<b>2</b> would cause no alert" in shown
    client.post(f"/change/{page[0]}/label", data={"csrf": token_of(client, "/settings"), "matters": "no"})
    with store.read() as session:
        [lesson] = queries.lessons(session)
    assert f"/settings/lessons/{lesson.id}" in client.get("/settings").text
    assert "<b>2</b> would cause no alert" in client.get(f"/settings/lessons/{lesson.id}").text
    assert client.get("/settings/lessons/nosuch").status_code == 404
    assert client.get("/change/99999/feedback").status_code == 404


def test_programs_get_the_same(program: httpx.Client, store: Store, page: list[int]):  # noqa: F811
    found = program.get(f"/api/v1/changes/{page[0]}/feedback/effects", params={"matters": False}).json()
    assert [each["alerts"] for each in found["changes"]] == [False, False]
    feedback.label(store, page[0], matters=False)
    [lesson] = program.get("/api/v1/lessons").json()["lessons"]
    assert len(program.get(f"/api/v1/lessons/{lesson['id']}/effects").json()["changes"]) == 2
