"""The log of who changed what: everything people do, by all ways in, and no secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagedrift.app.model.actors import COMMAND, Actor, acting_as
from pagedrift.app.model.bulk import BulkAction
from pagedrift.app.model.log import MAX_ENTRIES
from pagedrift.app.model.rules import Rule
from pagedrift.app.model.watch import Watch
from pagedrift.app.store import (
    alert_settings,
    bulk,
    feedback,
    inbox,
    journal,
    lessons,
    log,
    people,
    restore,
    tokens,
    watches,
)
from pagedrift.app.store.tables import Base, LogRow
from pagedrift.app.web import auth
from pagedrift.archive.reader import stored
from pagedrift.archive.writer import ArchiveWriter
from tests.app.web.store_builder import Filled

if TYPE_CHECKING:
    import pytest

    from pagedrift.app.model.log import LogEntry
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

ANNA = Actor(kind="person", name="Anna", person="a", role="editor")
URL = "https://city.example/fees"


def logged(store: Store, **asked: Any) -> list[LogEntry]:
    with store.read() as session:
        return log.entries(session, **asked)[0][::-1]


def said(store: Store) -> list[tuple[str, str, str, str]]:
    return [(each.who, each.action, each.kind, each.title) for each in logged(store)]


def test_what_is_done_with_a_watch_is_logged_with_how_it_was(any_store: Store) -> None:
    with acting_as(ANNA):
        watch = watches.add(any_store, Watch(URL, name="Fees", options={"every": 3600.0}))
        watches.edit(any_store, watch.id, options={"every": 7200.0, "include": ("main",)})
    with acting_as(COMMAND):
        watches.pause(any_store, watch.id)
        watches.remove(any_store, watch.id)

    assert said(any_store) == [
        ("Anna", "added", "watch", "Fees"),
        ("Anna", "changed", "watch", "Fees"),
        ("command line", "changed", "watch", "Fees"),
        ("command line", "removed", "watch", "Fees"),
    ]
    _, changed, paused, _ = logged(any_store)
    assert (changed.before, changed.after) == ({"every": 3600.0}, {"every": 7200.0, "include": "main"})
    assert (paused.before, paused.after) == ({"paused": False}, {"paused": True})


def test_secrets_are_never_in_it(any_store: Store) -> None:
    secrets = {
        "headers": (("Authorization", "geheim-1"),),
        "notify": ("mailto://anna:geheim-2@mail.example",),
        "proxy": "http://p:geheim-3@proxy.example:3128",
    }
    watch = watches.add(any_store, Watch("https://city.example/", options=secrets))
    watches.edit(any_store, watch.id, options={"headers": (("Authorization", "geheim-5"),)})
    watches.set_group(any_store, "city", {"notify": ("slack://geheim-6/geheim-7",)})
    channels = {"channels": ["slack://geheim-9/b"], "tag_channels": {"city": ["mailto://a:geheim-10@mail.example"]}}
    alert_settings.save(any_store, channels)
    auth.set_password(any_store, "geheim-8-and-longer")
    auth.add_token(any_store, "mine", "api")
    auth.invite(any_store, "reader")

    with any_store.read() as session:
        rows = [
            {name: value for name, value in vars(row).items() if name != "_sa_instance_state"}
            for row in session.query(LogRow)
        ]
    assert len(rows) == 7
    assert "geheim" not in str(rows)
    assert "hash" not in str(rows)
    headers = [each.after["headers"] for each in logged(any_store) if "headers" in each.after]
    assert headers == ["Authorization: (hidden)"] * 2


def test_rules_feedback_people_tokens_and_settings_are_logged(
    settings: Settings, store: Store, request: pytest.FixtureRequest
) -> None:
    filled = Filled(settings, store)
    request.addfinalizer(filled.close)
    watch = filled.watch(URL)
    old, _ = filled.version(watch, b"<p>40")
    _, change = filled.version(watch, b"<p>45", hours=1, old=old)
    assert change is not None
    start = len(logged(store))
    with acting_as(ANNA):
        rule = feedback.add_rule(store, Rule(kind="text", value="ad", scope="all", of=""))
        feedback.remove_rule(store, rule.id)
        inbox.not_important(store, [change])
        feedback.unlabel(store, change)
        with store.begin() as session:
            bert = people.add(session, "Bert", "reader")
        people.set_role(store, bert.id, "editor")
        auth.add_token(store, "mine", "api")
        [token] = tokens.every(store)
        tokens.revoke(store, token.id)
        people.remove(store, bert.id)
        store.set(lessons.JUDGE_IS_OFF, True)
        bulk.apply(store, [watch], BulkAction("tag", "news"))

    found = logged(store)[start:]
    assert {each.who for each in found} == {"Anna"}
    assert [(each.action, each.kind) for each in found] == [
        ("added", "rule"),
        ("removed", "rule"),
        ("added", "feedback"),
        ("removed", "feedback"),
        ("added", "person"),
        ("changed", "person"),
        ("added", "token"),
        ("removed", "token"),
        ("removed", "person"),
        ("added", "setting"),
        ("changed", "watch"),
    ]
    assert (found[5].before, found[5].after) == ({"role": "reader"}, {"role": "editor"})
    assert found[-1].after == {"tags": "news"}


def test_what_the_application_does_for_itself_is_not_logged(settings: Settings, store: Store) -> None:
    """Visits, sessions and read marks; but not what it changes of what people set."""
    filled = Filled(settings, store)
    watch = filled.watch(URL)
    start = len(logged(store))
    old, _ = filled.version(watch, b"<p>40")
    _, change = filled.version(watch, b"<p>45", hours=1, old=old)
    auth.begin_session(settings, store)
    inbox.mark(store, [change or 0])
    filled.close()

    assert logged(store)[start:] == []


def test_it_is_searched_by_who_what_and_about_what_page_by_page(any_store: Store) -> None:
    with acting_as(ANNA):
        one = watches.add(any_store, Watch("https://a.example/"))
        watches.set_group(any_store, "city", {"every": 60.0})
    with acting_as(Actor(kind="token", name="robot (Bert)")):
        watches.add(any_store, Watch("https://b.example/"))

    assert [each.title for each in logged(any_store, who="robot (Bert)")] == ["https://b.example/"]
    assert [each.title for each in logged(any_store, kind="group")] == ["city"]
    assert [each.title for each in logged(any_store, subject=one.id)] == ["https://a.example/"]
    with any_store.read() as session:
        first, more = log.entries(session, size=2)
        second, end = log.entries(session, size=2, before=more)
        assert log.actors(session) == ["Anna", "robot (Bert)"]
    assert [each.title for each in (*first, *second)] == ["https://b.example/", "city", "https://a.example/"]
    assert end is None


def test_it_is_bounded_and_survives_a_rebuild_which_adds_nothing_to_it(settings: Settings, store: Store) -> None:
    for number in range(5):
        watches.add(store, Watch(f"https://{number}.example/"))
    log.trim(store, 3)
    assert [each.title for each in logged(store)] == [f"https://{number}.example/" for number in (2, 3, 4)]
    assert MAX_ENTRIES >= 1_000
    with ArchiveWriter(settings.archive) as archive:
        journal.write(store, archive)
    before = logged(store)

    notes = [found.notes for found in stored(settings.archive) if found.kind == "note"]
    restore.clear(store)
    restore.apply_settings(store, notes)

    assert len(watches.every(store)) == 5
    assert logged(store) == before


def test_every_kind_of_row_that_people_set_is_logged() -> None:
    """A table with a revision is one that people set: the journal writes it down, and so does the log."""
    set_by_people = {mapper.class_.__name__ for mapper in Base.registry.mappers if "revision" in mapper.columns}

    assert set_by_people - {each.__name__ for each in log._COLUMNS} == {"ReadRow"}  # one's own, and many
