import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.app import imports
from pagedrift.app.imports import backup
from pagedrift.app.imports.backup import export, written
from pagedrift.app.imports.url_list import write
from pagedrift.app.model.options import HIDDEN, OPTIONS, SECRET
from pagedrift.app.model.rules import Rule
from pagedrift.app.model.rules import checked as checked_rule
from pagedrift.app.model.watch import Watch, checked
from pagedrift.app.store import watches
from pagedrift.app.store.tables import RuleRow
from pagedrift.errors import InputError


def test_a_list_is_taken_over():
    found = imports.read(b"# mine\r\n\r\nhttps://city.example/fees prices, more\ncity.example/x\nnonsense\n")
    assert [(watch.url, watch.group) for watch in found.watches] == [
        ("https://city.example/fees", "prices"),
        ("https://city.example/x", ""),
    ]
    assert len(found.notes) == 3
    assert imports.read(write(found.watches).encode()).watches[0].group == "prices"


def test_no_note_repeats_a_password():
    found = imports.read(b"https://city.example/\nhttps://anna:geheim@city.example/me\n")
    assert len(found.watches) == 1
    assert "//(hidden)@city.example/me" in found.notes[0]
    assert "geheim" not in str(found.notes)


def test_a_file_that_is_no_list_is_told_so():
    with pytest.raises(InputError, match="most lines of this file are not addresses"):
        imports.read(b"host: a\nport: 25\nhttps://a.example/\nuser: b\n")


@pytest.mark.parametrize("data", ["https://a.example/ü".encode("utf-16"), "https://a.example/ü".encode("cp1252")])
def test_a_list_is_read_whatever_wrote_it(data):
    assert imports.read(data).watches[0].url == "https://a.example/ü"


def test_an_export_of_distill_is_taken_over():
    frame = {"includes": [{"type": "xpath", "expr": "//*[@id='a']"}], "excludes": [{"type": "css", "expr": ".ad"}]}
    config = json.dumps({"selections": [{"frames": [frame]}]})
    told = {
        "client": {},
        "data": [{"uri": "https://a.example/", "name": "A", "tags": ["t", "u"], "config": config}, 5],
    }
    found = imports.read(json.dumps(told).encode())
    [watch] = found.watches
    assert (watch.name, watch.group, watch.tags) == ("A", "t", ("u",))
    assert watch.options == {"include": ('[id="a"]',), "exclude": (".ad",)}


def test_what_nobody_knows_is_told_so():
    with pytest.raises(InputError, match="name it with --from"):
        imports.read(b'{"a": 1}')
    with pytest.raises(InputError, match="choose from"):
        imports.read(b"", kind="nothing")


TEXT = st.text(st.characters(exclude_characters="\0\r\n", exclude_categories=("Cs",)), max_size=12)
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
CHOICES = {
    "every": st.floats(5, 1e6),
    "min_change": st.floats(0, 1),
    "keep_days": st.floats(0, 1e6),
    "conditions": st.lists(st.sampled_from(["below 20", "new low", "contains sold out"]), max_size=2).map(tuple),
    "proxy": st.sampled_from(["", "http://u:p@proxy.example:3128", "socks5://127.0.0.1:1080"]),
    "steps": st.lists(st.sampled_from(["fill #user = {secret:name}", "click button", "wait 3"]), max_size=2).map(
        tuple
    ),
    "selectors": st.lists(st.sampled_from(["price = .price", "title = h1"]), max_size=2).map(tuple),
    "ignore_text": st.lists(st.sampled_from([r"\d+ views", "(?i)ad"]), max_size=2).map(tuple),
    "headers": st.lists(
        st.tuples(st.sampled_from(["X-Key", "Accept"]), st.text("abc: ü", max_size=5)), max_size=2
    ).map(tuple),
    "cookies": st.lists(st.tuples(st.sampled_from(["a", "b"]), st.text("abc", max_size=5)), max_size=2).map(tuple),
    "notify": st.lists(st.sampled_from(["https://hooks.example/1", "mailto://a:b@c.org"]), max_size=2).map(tuple),
}
CSS = st.lists(st.sampled_from(["main", "#a > b", "li:has(a)"]), max_size=2).map(tuple)
CHOICES |= {"include": CSS, "exclude": CSS}
BY_WIDGET = {"check": st.booleans(), "text": TEXT, "number": st.integers(0, 9), "lines": TEXTS, "pairs": PAIRS}
CHOICES |= {name: st.sampled_from(option.values) for name, option in OPTIONS.items() if option.widget == "choice"}
FIELDS = {name: CHOICES[name] if name in CHOICES else BY_WIDGET[option.widget] for name, option in OPTIONS.items()}
OPTIONS = st.fixed_dictionaries({}, optional=FIELDS)
WATCHES = st.builds(
    lambda path, kind, name, group, options, paused: checked(
        Watch(f"https://a.example/{path}", kind=kind, name=name, group=group, options=options, paused=paused)
    ),
    st.integers(0, 50),
    st.sampled_from(["page", "feed", "sitemap", "list"]),
    TEXT,
    TEXT,
    OPTIONS,
    st.booleans(),
)
RULES = st.builds(
    lambda scope, of, value: checked_rule(Rule(scope=scope, of=of, kind="text", value=value, id="7")),
    st.sampled_from(["watch", "host", "group", "all"]),
    st.text("abc", min_size=1),
    st.text("abc", min_size=1),
)


@given(
    st.lists(WATCHES, max_size=4, unique_by=lambda watch: (watch.url, watch.kind)),
    st.dictionaries(st.text("abc", min_size=1), OPTIONS.filter(bool), max_size=2),
    st.lists(RULES, max_size=2),
)
def test_what_is_exported_with_its_secrets_is_imported_as_it_was(found, groups, rules):
    back = imports.read(json.dumps(written(found, groups, rules, secrets=True)).encode())
    assert back.watches == tuple(found)
    assert back.groups == groups
    assert back.rules == tuple(rules)
    assert back.notes == ()


@given(st.lists(WATCHES, max_size=4, unique_by=lambda watch: (watch.url, watch.kind)))
def test_without_them_all_is_there_but_the_secrets(found):
    told = json.dumps(written(found, {}))
    back = imports.read(told.encode())
    for old, new in zip(found, back.watches, strict=True):
        assert {name: value for name, value in old.options.items() if name not in SECRET} == {
            name: value for name, value in new.options.items() if name not in SECRET
        }
        assert HIDDEN not in str(new)


def test_no_secret_is_in_an_export_unless_it_is_asked_for(store):
    secret = {
        "headers": {"X-Key": "t0p1"},
        "cookies": {"sid": "t0p2"},
        "proxy": "http://u:t0p3@p.example",
        "secrets": {"password": "t0p4"},
        "notify": ["mailto://a:t0p5@c.example"],
    }
    watches.add(store, Watch("https://a.example/", options=secret))
    watches.set_group(store, "g", secret)
    assert "t0p" not in json.dumps(export(store))
    assert json.dumps(export(store, secrets=True)).count("t0p") == 10


def test_an_import_adds_what_is_new_and_leaves_what_is_there(any_store):
    found = imports.read(b"https://a.example/1 g\nhttps://a.example/2")
    first = imports.take(any_store, found, group="rest", paused=True)
    assert [watch.group for watch in first.added] == ["g", "rest"]
    assert all(watch.paused for watch in watches.every(any_store))
    again = imports.take(any_store, found)
    assert (again.added, again.present) == ((), 2)


def test_an_export_comes_back_whole(any_store, tmp_path):
    from dataclasses import replace

    from pagedrift.app.store.store import Store

    kept = watches.add(any_store, Watch("https://a.example/", options={"headers": {"a": "b"}}, group="g"))
    watches.set_group(any_store, "g", {"every": 60})
    told = export(any_store, secrets=True)
    told["rules"] = [{"scope": "watch", "of": kept.id, "kind": "text", "value": "x", "id": "1"}]
    data = json.dumps(told).encode()
    with Store(replace(any_store.settings, data=tmp_path / "other", database="")) as other:
        imports.take(other, imports.read(data))
        assert watches.every(other) == [kept]
        assert watches.groups(other) == {"g": {"every": 60.0}}
        again = imports.take(other, imports.read(data))
        assert again.present == 1
        with other.read() as session:
            assert [(row.of, row.value) for row in session.query(RuleRow)] == [(kept.id, "x")]
        watches.remove(other, kept.id)
        [back] = imports.take(other, imports.read(data)).added
        assert back.id != kept.id


@pytest.mark.parametrize("secrets", [True, False])
def test_settings_of_alerts_come_back_without_secrets_that_were_not_exported(store, tmp_path, secrets):
    from dataclasses import replace

    from pagedrift.app.store import alert_settings
    from pagedrift.app.store.store import Store

    channels = ["https://hooks.example/t0p"]
    given = {"channels": channels, "tag_channels": {"x": channels}, "send": "daily", "time_zone": "Europe/Berlin"}
    kept = alert_settings.save(store, given)
    data = json.dumps(export(store, secrets=secrets)).encode()
    with Store(replace(store.settings, data=tmp_path / "other")) as other:
        taken = imports.take(other, imports.read(data))
        found = alert_settings.get(other)
        assert (found.send, found.time_zone) == ("daily", "Europe/Berlin")
        assert found == (kept if secrets else kept.model_copy(update={"channels": (), "tag_channels": {}}))
        assert any("set them again" in note for note in taken.notes) is not secrets
        alert_settings.save(other, {"send": "weekly"})
        assert "stay as they are" in imports.take(other, imports.read(data)).notes[-1]
        assert alert_settings.get(other).send == "weekly"


def test_several_watches_of_one_page_come_back_as_several(any_store, tmp_path):
    from dataclasses import replace

    from pagedrift.app.store.store import Store

    parts = ({"include": ["#a"]}, {"include": ["#b"], "conditions": ["below 20"]}, {})
    kept = [watches.add(any_store, Watch("https://a.example/", options=options)) for options in parts]
    data = json.dumps(export(any_store)).encode()
    watches.edit(any_store, kept[0].id, options={"include": ["#c"]})
    assert imports.take(any_store, imports.read(data)).added == ()  # the one that was edited is known by its id
    with Store(replace(any_store.settings, data=tmp_path / "other", database="")) as other:
        assert imports.take(other, imports.read(data)).added == tuple(kept)
        listed = imports.take(other, imports.read(b"https://a.example/"))
        assert (listed.added, listed.present) == ((), 1)  # an address alone is watched already


def test_exports_that_are_none_are_refused():
    for told in ({"format": "pagedrift", "v": 2}, {"format": "other"}, []):
        with pytest.raises(InputError):
            backup.read(json.dumps(told).encode())
    assert backup.read(b'{"format": "pagedrift", "v": 1, "watches": 5}').watches == ()
