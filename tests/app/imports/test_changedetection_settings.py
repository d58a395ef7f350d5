"""Every setting of changedetection.io 0.60 is imported or reported: none is dropped silently."""

import copy
import io
import json
import zipfile
from pathlib import Path

import pytest

from pagedrift.app.imports import changedetection, read
from pagedrift.app.imports.changedetection_settings import APPLICATION, REQUESTS, TAG, WATCH
from pagedrift.app.model.rules import Rule
from pagedrift.errors import InputError

FOLDER = Path(__file__).parent / "changedetection"
MODEL = json.loads((FOLDER / "defaults.json").read_text())
ONE = "11111111-1111-4111-8111-111111111111"
TAGS = ["33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444"]

# Values that mean something there, where any other of the same type would not.
CHOSEN = {
    "body": "q=1",
    "browser_steps": [{"operation": "Click element", "selector": "#go", "optional_value": None}],
    "fetch_backend": "html_webdriver",
    "filter_text_added": False,
    "filter_text_removed": False,
    "filter_text_replaced": False,
    "headers": {"X-Key": "12345"},
    "history_snapshot_max_length": 7,
    "include_filters": ["#fees"],
    "method": "POST",
    "notification_urls": ["https://hooks.example/1"],
    "processor": "restock_diff",
    "proxy": "http://unknown",
    "subtractive_selectors": [".ad"],
    "tags": TAGS,
    "time_between_check": {"weeks": None, "days": 1, "hours": None, "minutes": None, "seconds": None},
    "time_schedule_limit": {"enabled": True},
    "url": "https://other.example/",
    "webdriver_delay": 7,
    "global_subtractive_selectors": [".ad"],
    "extra_proxies": [{"proxy_name": "Berlin", "proxy_url": "http://proxy.example:3128"}],
}
# What has a meaning only beside something else.
BESIDE = {
    "notification_muted": {"notification_urls": CHOSEN["notification_urls"]},
    "time_between_check": {"time_between_check_use_default": False},
    "time_between_check_use_default": {"time_between_check": CHOSEN["time_between_check"]},
    "webdriver_delay": {"fetch_backend": "html_webdriver"},
    "extra_proxies": {"proxy": "ui-0Berlin"},
}


def another(name, value):
    """Give a value that somebody chose instead of the default."""
    if name in CHOSEN:
        return CHOSEN[name]
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 7
    return {list: ["x"], dict: {"x": "y"}}.get(type(value), "chosen")


def exported(*, watch=None, tag=None, application=None, requests=None):
    """Write url-watches.json with every default of the release, and what somebody chose."""
    told = copy.deepcopy(MODEL["settings"])
    told["application"] |= application or {}
    told["requests"] |= requests or {}
    tags = {TAGS[0]: {**MODEL["tag"], "title": "Prices", **(tag or {})}, TAGS[1]: {**MODEL["tag"], "title": "More"}}
    told["application"]["tags"] = tags
    one = {**MODEL["watch"], "url": "https://city.example/", "tags": TAGS[:1], **(watch or {})}
    return json.dumps({"watching": {ONE: one}, "settings": told}).encode()


def outcome(found):
    """Give what came of an import, without the names of watches, which differ each time."""
    watches = [(each.url, each.name, each.group, dict(each.options), each.paused) for each in found.watches]
    return watches, found.groups, [rule.value for rule in found.rules]


def chosen(part, name, default):
    value = {name: another(name, default)}
    beside = BESIDE.get(name, {})
    if name == "extra_proxies":
        return exported(requests=value, watch=beside), exported(watch=beside)
    return exported(**{part: {**beside, **value}}), exported(**{part: beside})


def test_defaults_are_nothing_to_be_told_of():
    found = read(exported())
    assert len(found.watches) == 1
    assert [note for note in found.notes if "set notify_on to any" not in note] == []


WALK = [
    (part, name, value)
    for part, model, known in (
        ("watch", MODEL["watch"], WATCH),
        ("tag", MODEL["tag"], TAG),
        ("application", MODEL["settings"]["application"], APPLICATION),
        ("requests", MODEL["settings"]["requests"], REQUESTS),
    )
    for name, value in model.items()
    if name not in known.idle and (part, name) not in {("application", "tags"), ("tag", "title")}
]


@pytest.mark.parametrize(("part", "name", "default"), WALK, ids=[f"{part}-{name}" for part, name, _ in WALK])
def test_each_setting_is_taken_over_or_named(part, name, default):
    with_it, without_it = chosen(part, name, default)
    found, usual = read(with_it), read(without_it)
    news = set(found.notes) - set(usual.notes)
    assert outcome(found) != outcome(usual) or any(name in note for note in news), (name, found.notes)


@pytest.mark.parametrize("value", [True, False, 0, "x", ["x"], {"x": 1}], ids=repr)
def test_a_setting_of_a_newer_release_is_named(value):
    assert any(
        "brand_new was not imported" in note and "https://city.example/" in note
        for note in read(exported(watch={"brand_new": value})).notes
    )


def test_what_counts_as_bookkeeping_is_what_its_own_api_lets_nobody_set():
    by_itself = {name for name in MODEL["written by itself"] if not name.startswith("processor_config_")}
    assert by_itself <= WATCH.idle
    of_older_releases = {"extract_title_as_title", "history", "in_stock", "newest_history_key"}
    changes_nothing_here = {"last_viewed", "llm_backend_profile", "trim_text_whitespace", "use_page_title_in_list"}
    assert WATCH.idle - by_itself == of_older_releases | changes_nothing_here


def test_kinds_of_change_that_were_left_out_become_rules():
    told = {"filter_text_added": False, "filter_text_replaced": False, "sort_text_alphabetically": True}
    found = read(exported(watch=told))
    [watch] = found.watches
    assert found.rules == tuple(
        Rule(scope="watch", of=watch.id, kind="kind", value=value) for value in ("added", "edited", "moved")
    )


def test_tags_give_their_filters_to_a_watch_that_has_its_own():
    tag = {"subtractive_selectors": [".ad"], "ignore_text": ["visitors"]}
    found = read(exported(tag=tag, watch={"subtractive_selectors": [".menu"]}))
    assert found.watches[0].options["exclude"] == (".menu", ".ad")
    assert "ignore_text" not in found.watches[0].options
    assert found.groups["Prices"]["ignore_text"] == ("(?i).*visitors.*",)


def test_tags_are_given_by_address_within_bounds():
    found = read(exported(tag={"url_match_pattern": "*city.example*"}, watch={"tags": []}))
    assert found.watches[0].group == "Prices"
    found = read(exported(tag={"url_match_pattern": "*a" * 1000}, watch={"tags": []}))
    assert found.watches[0].group == ""
    assert any("url_match_pattern was not tried" in note for note in found.notes)


def test_a_real_backup_of_release_0_60_is_taken_over():
    found = read((FOLDER / "backup.zip").read_bytes())
    by_url = {watch.url: watch for watch in found.watches}
    fees = by_url["https://city.example/fees"]
    assert fees.options == {
        "include": ("#fees",),
        "ignore_text": (r"(?i).*(?:\d+ views).*",),
        "every": 86_400.0,
        "adaptive": False,
        "browser": True,
        "steps": ("wait 4",),
        "keep_versions": 20,
        "conditions": ("above 10",),
        "value": "number",
    }
    assert {(rule.of, rule.value) for rule in found.rules} == {(fees.id, "removed"), (fees.id, "moved")}
    assert by_url["https://shop.example/shoes"].group == "Shops"
    assert found.groups == {"Shops": {"notify": ("https://hooks.example/shops",), "exclude": (".ad",)}}
    assert fees.tags  # those after the first, which is its group
    named = {note.split()[0] for note in found.notes if note.endswith("(https://city.example/fees)")}
    assert named >= {
        "ignore_status_codes",
        "notification_format",
        "remove_duplicate_lines",
        "strip_ignored_lines",
    }
    assert any(
        "the options of these tags do not apply" in note and "https://city.example/fees" in note
        for note in found.notes
    )
    prices = [note for note in found.notes if "https://shop.example/shoes" in note]
    assert [note.partition(" (")[0] for note in prices] == [
        "price and availability are read off the whole page; select them with include"
    ]
    assert by_url["https://shop.example/shoes"].options["conditions"] == ("in stock", "below 50.0")


def test_settings_alone_say_where_the_watches_are():
    with zipfile.ZipFile(FOLDER / "backup.zip") as archive:
        settings = archive.read("changedetection.json")
    with pytest.raises(InputError, match="import the backup that changedetection"):
        read(settings)


def test_one_watch_alone_is_taken_over():
    told = {**MODEL["watch"], "url": "https://city.example/", "title": "City"}
    assert [watch.name for watch in read(json.dumps(told).encode()).watches] == ["City"]


def test_a_data_folder_is_taken_over_like_its_backup(tmp_path):
    backup = (FOLDER / "backup.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(backup)) as archive:
        archive.extractall(tmp_path / "datastore")
    assert sorted(read(changedetection.packed(tmp_path / "datastore")).notes) == sorted(read(backup).notes)
    by_hand = io.BytesIO()
    with zipfile.ZipFile(by_hand, "w") as archive:
        for path in (tmp_path / "datastore").rglob("*"):
            archive.write(path, path.relative_to(tmp_path))
    assert len(read(by_hand.getvalue()).watches) == 3
    with pytest.raises(InputError, match="holds no watches of changedetection"):
        changedetection.packed(tmp_path)


def test_headers_in_files_beside_the_watches_are_taken_over():
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(
            f"{ONE}/watch.json", json.dumps({"url": "https://city.example/", "headers": {"X-One": "2"}})
        )
        archive.writestr(f"{ONE}/headers.txt", "# mine\nX-One: 1\nX-Two: a:b\n")
    [watch] = read(written.getvalue()).watches
    assert watch.options["headers"] == (("X-One", "2"), ("X-Two", "a:b"))
