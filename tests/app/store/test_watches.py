from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from pagedrift.app.model.options import hidden
from pagedrift.app.model.watch import Watch
from pagedrift.app.store import watches
from pagedrift.app.store.tables import WatchRow
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store

CITY = "https://city.example/"


def test_a_watch_is_given_back_as_it_was_added(any_store: Store) -> None:
    added = watches.add(
        any_store, Watch(CITY, name="City", group="towns", options={"every": 60, "headers": {"A": "b"}})
    )
    assert watches.get(any_store, added.id) == added
    assert watches.get(any_store, CITY) == added == watches.get(any_store, "City")
    assert added.options == {"every": 60.0, "headers": (("A", "b"),)}


def test_what_is_watched_already_is_not_added_again(any_store: Store) -> None:
    first = watches.add(any_store, Watch(CITY))
    with pytest.raises(InputError, match=f"watched already.*{first.id}"):
        watches.add(any_store, Watch(CITY))
    assert len(watches.add_all(any_store, [Watch(CITY), Watch(CITY + "a"), Watch(CITY + "a")])) == 1


def test_secrets_that_come_back_hidden_stay_what_they_are(any_store: Store) -> None:
    options = {
        "headers": [("X-Key", "12345")],
        "proxy": "http://me:pass@proxy.example",
        "notify": ["discord://a/b", "discord://c/d", "mailto://e"],
    }
    watch = watches.add(any_store, Watch(CITY, options=options))
    shown = hidden(watch.options)
    assert "12345" not in repr(shown)
    assert "pass" not in repr(shown)
    edited = watches.edit(any_store, watch.id, options={**shown, "every": 90})
    assert edited.options == {**watch.options, "every": 90.0}


def test_a_removed_watch_is_gone_and_may_be_added_again(any_store: Store) -> None:
    watch = watches.add(any_store, Watch(CITY))
    watches.remove(any_store, watch.id)
    assert watches.every(any_store) == []
    with pytest.raises(InputError, match="no watch"):
        watches.get(any_store, watch.id)
    assert watches.add(any_store, Watch(CITY)).id != watch.id


def test_the_options_of_a_group_are_kept_with_its_secrets(any_store: Store) -> None:
    watches.set_group(any_store, "towns", {"notify": ["discord://a/b"], "every": 60})
    watches.set_group(any_store, "towns", hidden(watches.groups(any_store)["towns"]))
    assert watches.groups(any_store)["towns"] == {"notify": ("discord://a/b",), "every": 60.0}


@pytest.mark.parametrize(
    "url",
    [
        "ftp://city.example/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "source:file:///etc/passwd",
        "http://",
        "http://inside\\@public.example/",
        "http://me:secret@city.example/",
        "https://city.example:99999/",
        'https://city.example/"><script>',
        "",
    ],
)
def test_an_address_that_is_none_is_refused(any_store: Store, url: str) -> None:
    with pytest.raises(InputError):
        watches.add(any_store, Watch(url))


@pytest.mark.parametrize(
    "options",
    [
        {"every": 1},
        {"every": "soon"},
        {"every": float("nan")},
        {"notify_on": "everything"},
        {"adaptive": "yes"},
        {"headers": [("A", "b\r\nC: d")]},
        {"include": "p"},
        {"processor": "../../x"},
        {"notify": ["x"] * 101},
    ],
)
def test_an_option_that_is_none_is_refused(any_store: Store, options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        watches.add(any_store, Watch(CITY, options=options))


def test_two_edits_at_once_are_two_revisions(any_store: Store) -> None:
    watch = watches.add(any_store, Watch("https://city.example/"))

    def edit(number: int) -> None:
        watches.edit(any_store, watch.id, name=str(number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(edit, range(40)))
    with any_store.read() as session:
        assert session.get_one(WatchRow, watch.id).revision == 41


def test_trouble_with_an_address_is_over_when_the_address_is_another(any_store: Store) -> None:
    watch = watches.add(any_store, Watch("https://city.example/"))
    with any_store.begin() as session:
        row = session.get_one(WatchRow, watch.id)
        row.state, row.trouble, row.failures = "trouble", "status 404", 7
    watches.edit(any_store, watch.id, url="https://city.example/new")
    with any_store.read() as session:
        row = session.get_one(WatchRow, watch.id)
        assert (row.state, row.trouble, row.failures) == ("new", "", 0)


def test_a_name_that_several_have_is_said_to_be_one(any_store: Store) -> None:
    for url in ("https://city.example/a", "https://city.example/b"):
        watches.add(any_store, Watch(url, name="Fees"))
    with pytest.raises(InputError, match="several watches match Fees; use an id from"):
        watches.get(any_store, "Fees")


def test_no_watch_is_given_the_address_of_another(any_store: Store) -> None:
    watches.add(any_store, Watch("https://city.example/a"))
    other = watches.add(any_store, Watch("https://city.example/b"))
    with pytest.raises(InputError, match="/a is watched already"):
        watches.edit(any_store, other.id, url="https://city.example/a")
    assert watches.edit(any_store, other.id, url="https://city.example/b").url == "https://city.example/b"


def test_a_group_has_a_name_that_the_database_can_hold(any_store: Store) -> None:
    with pytest.raises(InputError, match="at most 200 characters"):
        watches.add(any_store, Watch("https://city.example/", group="x" * 201))
    watches.set_group(any_store, " city ", {"notify_on": "anything"})
    assert watches.groups(any_store) == {"city": {"notify_on": "anything"}}
