"""The inbox: what is unread, searched for, folded by cause, and done with many watches at once."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from pagedrift.app.model.bulk import MAX_BULK, BulkAction
from pagedrift.app.model.change import ChangeAnalysis, ChangeRecord, JudgedEdit
from pagedrift.app.model.decision import Decision, Reason
from pagedrift.app.model.results import VersionMetadata, VisitResult
from pagedrift.app.model.watch import Watch
from pagedrift.app.store import bulk, inbox, journal, queries, restore, undo, visits, watches
from pagedrift.app.store.tables import AlertRow, ChangeRow, ReadRow, WatchRow
from pagedrift.archive.locations import Place
from pagedrift.archive.reader import stored
from pagedrift.archive.writer import ArchiveWriter
from pagedrift.errors import InputError, NotFoundError
from tests.app.web.populated_store import NOW

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

COUNTER = JudgedEdit(
    level="noise",
    place="f00",
    summary="Visitors: 17 → 19",
    zone="boilerplate",
    old="Visitors: 17",
    new="Visitors: 19",
)


def _watch(store: Store, path: str = "", **more: Any) -> str:
    return watches.add(store, Watch(f"https://city.example/{path}", **more)).id


def _change(
    store: Store, watch: str, at: int, *, notify: bool = True, headline: str = "Fee 24 € → 29 €", **more: Any
) -> int:
    """Write down two versions and the change between them, `at` minutes ago."""
    place = None
    for step in (1, 0):
        when = NOW - timedelta(minutes=at, seconds=step)
        version = VersionMetadata(url="https://city.example/", captured_at=when, digest=f"{watch}{at}{step}")
        change = None
        if not step:
            found = ChangeAnalysis(headline=headline, level="important" if notify else "noise", **more)
            reason = Reason.MATTERS if notify else Reason.MATTERS_TOO_LITTLE
            details = {"probability": 0.8, "headline": headline}
            change = ChangeRecord(analysis=found, decision=Decision(notify, reason, details))
        result = VisitResult(
            watch=watch,
            at=when,
            outcome="new" if step else "changed",
            kept=True,
            version=version,
            change=change,
            compared_with=(place.filename, place.offset) if place else None,
        )
        place = Place(f"{watch}.warc.gz", at * 10 + step, 1)
        with store.begin() as session:
            recorded = visits.record(session, result, place)
    assert recorded is not None
    assert recorded.change is not None
    return recorded.change


def _entries(store: Store, **asked: Any) -> list[int]:
    with store.read() as session:
        return [entry.change.id for entry in queries.inbox(session, **asked).entries]


def _unread(store: Store) -> int:
    with store.read() as session:
        return queries.unread_count(session)


def test_what_caused_an_alert_is_unread_until_it_is_marked_and_again_after_undo(any_store: Store) -> None:
    watch = _watch(any_store)
    old, new = _change(any_store, watch, 20), _change(any_store, watch, 10)
    ignored = _change(any_store, watch, 5, notify=False)
    assert _entries(any_store) == [new, old]
    done = inbox.mark(any_store, [new, ignored])
    assert done.count == 1
    assert _entries(any_store) == [old]
    assert _entries(any_store, show="important") == [new, old]
    assert _entries(any_store, show="ignored") == [ignored]
    inbox.undo_action(any_store, done.id)
    assert _entries(any_store) == [new, old]
    with pytest.raises(NotFoundError, match="no longer be undone"):
        inbox.undo_action(any_store, done.id)


def test_marking_all_leaves_out_what_came_after_the_page_was_shown(store: Store) -> None:
    watch = _watch(store)
    seen = _change(store, watch, 20)
    later = _change(store, watch, 10)
    assert inbox.mark_all(store, up_to=seen).count == 1
    assert _entries(store) == [later]


def test_one_alert_about_several_pages_is_one_entry_and_counts_once(any_store: Store) -> None:
    pages = [_watch(any_store, path) for path in ("front", "news")]
    changes = [_change(any_store, page, 10 - at) for at, page in enumerate(pages)]
    with any_store.begin() as session:
        alert = AlertRow(uid="u", kind="change", opened_at=NOW)
        session.add(alert)
        session.flush()
        for change in changes:
            session.get_one(ChangeRow, change).alert_id = alert.id
    with any_store.read() as session:
        [entry] = queries.inbox(session).entries
    assert (entry.pages, set(entry.ids)) == (2, set(changes))
    assert _unread(any_store) == 1
    inbox.mark(any_store, entry.ids)
    assert _unread(any_store) == 0


def test_entries_stand_by_site_and_that_with_the_newest_comes_first(store: Store) -> None:
    other = watches.add(store, Watch("https://shop.example/")).id
    watch = _watch(store)
    _change(store, watch, 30)
    _change(store, other, 20)
    _change(store, watch, 10)
    with store.read() as session:
        found = queries.inbox(session)
    assert [(site.host, len(site.entries)) for site in found.sites] == [("city.example", 2), ("shop.example", 1)]


def test_a_search_finds_words_of_headlines_and_texts_whatever_their_capitals(any_store: Store) -> None:
    watch = _watch(any_store)
    edit = JudgedEdit(level="important", old="Die Brücke ist offen", new="Die BRÜCKE bleibt 50 % länger zu_")
    one = _change(any_store, watch, 20, headline="Bridge closed", edits=(edit,))
    _change(any_store, watch, 10, headline="Pool opens")
    assert _entries(any_store, show="all", find="brücke BRIDGE") == [one]
    assert _entries(any_store, show="all", find="50 %") == [one]
    assert _entries(any_store, show="all", find="zu_") == [one]
    assert _entries(any_store, show="all", find="50_%") == []
    assert _entries(any_store, show="ignored", find="bridge") == []


def test_the_inbox_goes_on_page_by_page_without_leaving_anything_out(store: Store) -> None:
    watch = _watch(store)
    made = [_change(store, watch, 50 - at) for at in range(5)]
    found, before = list[int](), None
    while True:
        with store.read() as session:
            page = queries.inbox(session, before=before, size=2)
        found += [entry.change.id for entry in page.entries]
        before = page.older
        if before is None:
            break
    assert found == made[::-1]


def test_ignored_changes_are_folded_by_place_over_the_pages_of_a_site(any_store: Store) -> None:
    pages = [_watch(any_store, str(number)) for number in range(3)]
    for number, page in enumerate(pages):
        for at in range(2):
            _change(any_store, page, 90 - 10 * number - at, notify=False, edits=(COUNTER,))
    hidden = _change(any_store, pages[0], 1, notify=False)
    with any_store.read() as session:
        counter, without = queries.ignored_causes(session)
    assert (counter.title, counter.changes, counter.pages) == ("“Visitors: 17 → 19” in the boilerplate", 6, 3)
    assert (counter.edit, counter.host) == (0, "city.example")
    assert (without.newest.id, without.changes, without.edit) == (hidden, 1, None)
    with any_store.read() as session:
        assert queries.ignored_causes(session, now=NOW + timedelta(days=31)) == ()


def test_saying_that_a_cause_is_important_teaches_it_and_undo_forgets_it(store: Store) -> None:
    change = _change(store, _watch(store), 10, notify=False, edits=(COUNTER,))
    done = inbox.important(store, change, edit=0)
    with store.read() as session:
        [lesson] = queries.lessons(session)
    assert lesson.matters
    inbox.undo_action(store, done.id)
    with store.read() as session:
        assert queries.lessons(session) == ()


def test_not_important_is_feedback_marks_as_read_and_comes_back_with_undo(store: Store) -> None:
    change = _change(store, _watch(store), 10, edits=(JudgedEdit(level="important", place="a", spot="a"),))
    done = inbox.not_important(store, [change])
    with store.read() as session:
        assert [lesson.matters for lesson in queries.lessons(session)] == [False]
    assert _entries(store) == []
    inbox.undo_action(store, done.id)
    with store.read() as session:
        assert queries.lessons(session) == ()
    assert _entries(store) == [change]


def test_read_marks_and_tags_come_back_from_the_archive(settings: Settings, store: Store) -> None:
    watch = _watch(store, tags=("news", "prices"))
    read, unread = _change(store, watch, 20), _change(store, watch, 10)
    inbox.mark(store, [read, unread])
    inbox.mark(store, [unread], unread=True)
    with ArchiveWriter(settings.archive) as archive:
        journal.write(store, archive)
    notes = [found.notes for found in stored(settings.archive) if found.kind == "note"]
    with store.begin() as session:  # as if both were read off the archive anew
        for row in session.query(ReadRow):
            row.unread = True
        session.get_one(WatchRow, watch).tags = []
    restore.apply_settings(store, notes)
    restore.apply_feedback(store, notes)
    assert _entries(store) == [unread]
    assert watches.get(store, watch).tags == ("news", "prices")


# --- many watches at once --------------------------------------------------------------------------------------


def _how(store: Store, watch: str) -> tuple[bool, tuple[str, ...], dict[str, Any]]:
    found = watches.get(store, watch)
    return found.paused, found.tags, dict(found.options)


@pytest.mark.parametrize(
    ("action", "after"),
    [
        (BulkAction("pause"), (True, ("old",), {"every": 60.0})),
        (BulkAction("tag", "New, OLD"), (False, ("old", "New"), {"every": 60.0})),
        (BulkAction("untag", "Old"), (False, (), {"every": 60.0})),
        (BulkAction("every", "2h"), (False, ("old",), {"every": 7200.0})),
        (BulkAction("notify_on", "anything"), (False, ("old",), {"every": 60.0, "notify_on": "anything"})),
    ],
)
def test_several_watches_are_changed_at_once_and_undo_sets_each_back(
    any_store: Store, action: BulkAction, after: Any
) -> None:
    one = _watch(any_store, "1", tags=("old",), options={"every": 60.0})
    other = _watch(any_store, "2", paused=True)
    before = _how(any_store, one), _how(any_store, other)
    done = bulk.apply(any_store, [one, other], action)
    assert _how(any_store, one) == after
    assert done.count == 2
    inbox.undo_action(any_store, done.id)
    assert (_how(any_store, one), _how(any_store, other)) == before


def test_a_removed_site_comes_back_with_its_pages(any_store: Store) -> None:
    site = watches.add(any_store, Watch("https://city.example/feed.xml", kind="feed")).id
    [page] = watches.add_all(any_store, [Watch("https://city.example/1")], parent=site)
    gone = watches.add_all(any_store, [Watch("https://city.example/2")], parent=site)[0]
    watches.remove(any_store, gone.id)
    done = bulk.apply(any_store, [site], BulkAction("remove"))
    assert (watches.every(any_store), done.count) == ([], 1)
    inbox.undo_action(any_store, done.id)
    assert {each.id for each in watches.every(any_store)} == {site, page.id}
    assert not watches.get(any_store, page.id).paused


def test_wrong_actions_say_so_and_change_nothing(store: Store) -> None:
    watch = _watch(store)
    for action in (BulkAction("every", "soon"), BulkAction("tag", " , "), BulkAction("notify_on", "x")):
        with pytest.raises(InputError):
            bulk.apply(store, [watch], action)
    with pytest.raises(InputError, match="no watch is selected"):
        bulk.apply(store, [], BulkAction("pause"))
    with pytest.raises(InputError, match="at most"):
        bulk.apply(store, map(str, range(MAX_BULK + 1)), BulkAction("pause"))
    with pytest.raises(InputError, match="is not an action"):
        bulk.apply(store, [watch], BulkAction("explode"))  # type: ignore[arg-type]
    assert _how(store, watch) == (False, (), {})


def test_only_the_last_actions_are_remembered(store: Store) -> None:
    watch = _watch(store)
    first = bulk.apply(store, [watch], BulkAction("pause"))
    for _ in range(undo.MAX_REMEMBERED):
        bulk.apply(store, [watch], BulkAction("check"))
    assert undo.last(store, first.id) is None


def test_watches_are_found_by_whole_tags(any_store: Store) -> None:
    one = _watch(any_store, "1", tags=("news",))
    _watch(any_store, "2", tags=("old news", 'a"news"b', "ne%s"))
    with any_store.read() as session:
        assert [line.id for line in queries.overview(session, tag="news").lines] == [one]
        assert [status.watch.id for status in queries.statuses(session, tag="news")] == [one]
    assert watches.tags(any_store) == ['a"news"b', "ne%s", "news", "old news"]
