"""Options that had other names in older releases are read under those names, and shown under those of today."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from pagedrift.app import imports
from pagedrift.app.model.options import OLD_NAMES, checked_options, hidden, renamed, resolve
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import rebuild
from pagedrift.app.store import effective_options, journal, queries, watches
from pagedrift.app.store.tables import GroupRow, WatchRow
from pagedrift.app.web import auth, forms
from pagedrift.archive.reader import stored
from pagedrift.archive.writer import ArchiveWriter
from pagedrift.cli import cli
from pagedrift.errors import InputError
from tests.app.web.conftest import visitor

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

URL = "https://a.example/"
SAID: dict[str, Any] = {
    "only": ["main"],
    "without": [".ad"],
    "tell": "anything",
    "at_least": 0.2,
    "trouble_after": 5,
    "to": ["mailto://anna:t0p@mail.example"],
    "follow": 7,
}
PAIRS = [pytest.param(old, new, SAID[old], id=old) for old, new in OLD_NAMES.items()]
every_old_name = pytest.mark.parametrize(("old", "new", "value"), PAIRS)


def _stored_as_before(store: Store, options: dict[str, Any]) -> str:
    """Put a watch and its group into the database as an older release did."""
    watch = watches.add(store, Watch(URL, group="city"))
    with store.begin() as session:
        session.get_one(WatchRow, watch.id).options = options
        session.merge(GroupRow(name="city", options=options, revision=1, deleted=False))
    return watch.id


def test_the_old_names_are_these() -> None:
    assert OLD_NAMES == {
        "only": "include",
        "without": "exclude",
        "tell": "notify_on",
        "at_least": "min_change",
        "to": "notify",
        "follow": "max_pages",
        "trouble_after": "alert_after_failures",
    }


@every_old_name
def test_what_stands_in_the_database_is_read(any_store: Store, old: str, new: str, value: Any) -> None:
    which = _stored_as_before(any_store, {old: value})
    expected = checked_options({new: value})
    assert watches.get(any_store, which).options == watches.groups(any_store)["city"] == expected
    with any_store.read() as session:
        options = effective_options.options_of(session, session.get_one(WatchRow, which))
        assert getattr(options, new) == expected[new]
        assert list(queries.channels(session)) == (value if old == "to" else [])


@every_old_name
def test_what_was_written_lately_counts_under_either_name(old: str, new: str, value: Any) -> None:
    other = {"tell": "nothing", "at_least": 0.9, "trouble_after": 9, "follow": 9}.get(old, [])
    expected = checked_options({new: value})[new]
    assert getattr(resolve({new: value}, group={old: other}), new) == expected
    assert getattr(resolve({old: value}, group={new: other}), new) == expected
    assert renamed({old: other, new: value}) == renamed({new: value, old: other}) == {new: value}


@every_old_name
def test_the_journal_has_the_names_of_today_and_no_secret(
    store: Store, settings: Settings, old: str, new: str, value: Any
) -> None:
    _stored_as_before(store, {old: value})
    with ArchiveWriter(settings.archive) as archive:
        journal.write(store, archive)
    (told,) = (found.notes for found in stored(settings.archive) if found.kind == "note")
    assert "t0p" not in str(told)
    assert [list(told[name][0]["options"]) for name in ("watches", "groups")] == [[new], [new]]


@every_old_name
def test_a_journal_of_an_older_release_is_read(
    store: Store, settings: Settings, old: str, new: str, value: Any
) -> None:
    watch = watches.add(store, Watch(URL))
    shown = hidden({new: value})[new]
    told = {
        "id": watch.id, "url": URL, "host": "a.example", "kind": "page", "name": "", "group": "", "paused": False,
        "parent": None, "created_at": "2026-01-01T00:00:00+00:00", "revision": 1, "deleted": False,
        "options": {old: shown},
    }  # fmt: skip
    with ArchiveWriter(settings.archive) as archive:
        archive.note(journal.NAME, {"format": journal.FORMAT, "watches": [told]})
    rebuild.rebuild(store, settings)
    assert watches.get(store, watch.id).options == checked_options({new: shown})


@every_old_name
def test_a_secret_that_comes_back_hidden_stays_what_it_is(store: Store, old: str, new: str, value: Any) -> None:
    which = _stored_as_before(store, {old: value})
    for name in (old, new):
        watches.edit(store, which, options={name: hidden({new: value})[new]})
        assert watches.get(store, which).options == checked_options({new: value})


@every_old_name
def test_an_export_of_an_older_release_is_imported(old: str, new: str, value: Any) -> None:
    told = {
        "format": "pagedrift",
        "v": 1,
        "groups": {"city": {old: value}},
        "watches": [{"url": URL, "options": {old: value}}],
    }
    found = imports.read(json.dumps(told).encode())
    assert found.watches[0].options == found.groups["city"] == checked_options({new: value})
    told["watches"] = [{"url": URL, "options": {"to": ["mailto://(hidden)"]}}]
    assert imports.read(json.dumps(told).encode()).watches[0].options == {}


@every_old_name
def test_the_api_takes_the_old_name_and_answers_with_the_new(
    store: Store, settings: Settings, old: str, new: str, value: Any
) -> None:
    client = visitor(settings, store)
    client.headers = {"authorization": f"Bearer {auth.add_token(store, 'tests', 'api')}"}
    made = client.post("/api/v1/watches", json={"url": URL, "options": {old: value}})
    assert made.status_code == 201, made.text
    assert list(made.json()["options"]) == [new]
    changed = client.patch(made.headers["location"], json={"options": {old: value}})
    assert list(changed.json()["options"]) == [new]
    group = client.put("/api/v1/groups/city", json={"options": {old: value}})
    assert list(group.json()) == [new]
    assert watches.get(store, made.json()["id"]).options == checked_options({new: value})


@every_old_name
def test_a_command_takes_the_old_flag_and_answers_with_the_new_name(
    tmp_path: Path, old: str, new: str, value: Any
) -> None:
    def watch(*arguments: str) -> dict[str, Any]:
        ran = CliRunner().invoke(cli, ["watch", *arguments, "--json", "--data", str(tmp_path)])
        assert ran.exit_code == 0, ran.output
        told: dict[str, Any] = json.loads(ran.stdout)
        return told

    said = value[0] if isinstance(value, list) else str(value)
    added = watch("add", URL, f"--{old.replace('_', '-')}", said)
    assert list(added["options"]) == [new]
    assert watch("edit", URL, "--clear", old)["options"] == {}
    assert list(watch("group", "city", f"--{new.replace('_', '-')}", said)["options"]) == [new]
    assert watch("group", "city", "--clear", old)["options"] == {}


@every_old_name
def test_a_form_with_the_old_field_is_read(old: str, new: str, value: Any) -> None:
    text = "\n".join(value) if isinstance(value, list) else str(value)
    form = {old: text, "every": "1", "every_unit": "hours"}
    options, errors = forms.read(form)
    assert errors == {}
    assert options[new] == checked_options({new: value})[new]
    assert forms.refilled(form)[new] == text


@pytest.mark.parametrize(("old", "new"), [("any", "anything"), ("matters", "important")])
def test_choices_of_older_releases_are_read(old: str, new: str) -> None:
    assert checked_options({"tell": old}) == checked_options({"notify_on": new}) == {"notify_on": new}
    assert resolve({}, group={"notify_on": old}).notify_on == new
    assert renamed({"notify_on": old}) == {"notify_on": new}


def test_names_that_never_were_are_refused() -> None:
    with pytest.raises(InputError, match=r"unknown option 'olny'; choose from: (?!.*\bonly\b).*include"):
        checked_options({"olny": ["main"]})
