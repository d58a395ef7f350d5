import io
import json
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.app.imports import changedetection, read
from pagedrift.errors import InputError

ONE = "11111111-1111-4111-8111-111111111111"
TWO = "22222222-2222-4222-8222-222222222222"
TAG = "33333333-3333-4333-8333-333333333333"

WATCH = {  # as version 0.60 writes it, without what says nothing
    "url": "https://city.example/fees",
    "title": "Fees",
    "tags": [TAG],
    "paused": True,
    "method": "GET",
    "body": None,
    "fetch_backend": "html_webdriver",
    "headers": {"X-Key": "12345", "Accept-Language": "de"},
    "include_filters": ["#fees", "//*[@id='content']/div[2]", "json:$.price", "//h2[text()='x']"],
    "subtractive_selectors": [".ad"],
    "ignore_text": ["12 visitors", "/\\d+ views/i"],
    "time_between_check": {"weeks": None, "days": 1, "hours": 2, "minutes": None, "seconds": None},
    "time_between_check_use_default": False,
    "notification_urls": ["mailto://anna:secret@city.example", "syslog://"],
    "notification_muted": False,
    "processor": "text_json_diff",
    "proxy": "ui-0Berlin",
    "trigger_text": ["sold out"],
    "browser_steps": [
        {"operation": "Goto site", "selector": None, "optional_value": None},
        {"operation": "Enter text in field", "selector": "#user", "optional_value": "anna"},
        {"operation": "Enter text in field", "selector": "input[type=password]", "optional_value": "t0psecret"},
        {"operation": "Click element", "selector": "//*[@id='go']", "optional_value": None},
        {"operation": "Execute JS", "selector": None, "optional_value": "alert(1)"},
        {"operation": "Wait for seconds", "selector": None, "optional_value": "3"},
    ],
    "webdriver_js_execute_code": None,
    "time_schedule_limit": {"enabled": False},
}
SETTINGS = {
    "settings": {
        "headers": {"User-Agent": "Mine"},
        "requests": {
            "extra_proxies": [{"proxy_name": "Berlin", "proxy_url": "http://proxy.example:3128"}],
            "time_between_check": {"weeks": None, "days": None, "hours": 3, "minutes": None, "seconds": None},
            "proxy": None,
        },
        "application": {
            "fetch_backend": "html_requests",
            "notification_urls": ["https://hooks.example/all"],
            "global_subtractive_selectors": ["footer"],
            "tags": {TAG: {"title": "Prices", "notification_urls": ["https://hooks.example/prices"]}},
        },
    }
}


def backup(**members: object) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, told in members.items():
            archive.writestr(name, told if isinstance(told, bytes) else json.dumps(told))
    return written.getvalue()


def newer(**watches: object) -> bytes:
    members = {f"{name}/watch.json": watch for name, watch in watches.items()}
    return backup(**{"changedetection.json": SETTINGS, "secret.txt": b"s", **members})


def test_a_backup_of_today_is_taken_over():
    data = backup(
        **{
            "changedetection.json": SETTINGS,
            f"{ONE}/watch.json": WATCH,
            f"{ONE}/history.txt": b"1,a.txt",
            f"{ONE}/{'a' * 32}.txt.br": b"...",
            f"{TAG}/tag.json": {"title": "Prices", "notification_urls": ["https://hooks.example/prices"]},
        }
    )
    found = read(data)
    [watch] = found.watches
    assert (watch.url, watch.name, watch.group, watch.paused) == (
        "https://city.example/fees",
        "Fees",
        "Prices",
        True,
    )
    assert watch.options == {
        "include": ("#fees", '[id="content"] > div:nth-of-type(2)'),
        "exclude": (".ad", "footer"),
        "ignore_text": (r"(?i).*12\ visitors.*", r"(?i).*(?:\d+ views).*"),
        "every": 93_600.0,
        "adaptive": False,
        "browser": True,
        "headers": (("User-Agent", "Mine"), ("X-Key", "12345"), ("Accept-Language", "de")),
        "proxy": "http://proxy.example:3128",
        "steps": (
            "fill #user = anna",
            "fill input[type=password] = {secret:password1}",
            'click [id="go"]',
            "wait 3",
        ),
        "secrets": (("password1", "t0psecret"),),
        "notify": ("mailto://anna:secret@city.example",),
        "conditions": ("contains sold out",),
    }
    assert found.groups == {"Prices": {"notify": ("https://hooks.example/prices",)}}
    notes = "\n".join(found.notes)
    for word in ("1 snapshots", "JSON", "XPath", "Execute JS", "a channel", "notify_on to any"):
        assert word in notes
    assert "t0psecret" not in notes
    assert "anna:secret" not in notes


def test_an_older_backup_and_its_only_file_are_taken_over():
    told = {"watching": {ONE: WATCH, TWO: {"url": "https://town.example/", "tag": "a, b"}}, **SETTINGS}
    for data in (backup(**{"url-watches.json": told}), json.dumps(told).encode()):
        first, second = read(data).watches
        assert first.group == "Prices"
        assert second.group == "a"
        assert second.options == {
            "every": 10_800.0,
            "headers": (("User-Agent", "Mine"),),
            "notify": ("https://hooks.example/all",),
            "exclude": ("footer",),
        }


def test_two_watches_of_one_page_stay_two_and_those_of_one_part_share_their_channels():
    told = {
        "url": "https://a.example/",
        "include_filters": ["#a"],
        "notification_urls": ["https://hooks.example/1"],
    }
    other = told | {"include_filters": ["#b"], "notification_urls": ["https://hooks.example/2"]}
    found = read(backup(**{f"{ONE}/watch.json": told, f"{TWO}/watch.json": other}))
    assert [watch.options for watch in found.watches] == [
        {"include": ("#a",), "notify": ("https://hooks.example/1",)},
        {"include": ("#b",), "notify": ("https://hooks.example/2",)},
    ]
    assert not any("more than once" in note for note in found.notes)
    [watch] = read(
        backup(**{f"{ONE}/watch.json": told, f"{TWO}/watch.json": other | {"include_filters": ["#a"]}})
    ).watches
    assert watch.options["notify"] == ("https://hooks.example/1", "https://hooks.example/2")


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ({"url": "file:///etc/passwd"}, "cannot be watched"),
        ({"url": "javascript:alert(1)"}, "cannot be watched"),
        ({"url": "https://a.example/{{ 7*7 }}"}, "template"),
        ({"method": "POST"}, "sends something"),
        ({"url": 5}, "cannot be watched"),
    ],
)
def test_what_cannot_be_watched_is_left_out_with_a_note(more, note):
    found = read(newer(**{ONE: WATCH | more}))
    assert found.watches == ()
    assert any(note in line for line in found.notes)


def test_a_header_that_cannot_be_sent_costs_the_header_and_not_the_watch():
    found = read(newer(**{ONE: WATCH | {"headers": {"bad name": "t0p"}}}))
    assert "headers" not in found.watches[0].options
    assert any("headers was left out" in note and "t0p" not in note for note in found.notes)


def test_nothing_is_written_and_no_other_member_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ("../../evil/watch.json", "/etc/watch.json", f"../{ONE}/watch.json", f"{ONE}/../../watch.json")
    assert read(backup(**dict.fromkeys(names, WATCH))).watches == ()
    assert list(tmp_path.iterdir()) == []


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(changedetection, "MAX_MEMBER_BYTES", 1_000_000)
    with pytest.raises(InputError, match="too large"):
        read(newer(**{ONE: b" " * 50_000_000}))
    monkeypatch.setattr(changedetection, "MAX_TOTAL_BYTES", 1_500_000)
    with pytest.raises(InputError, match="too large"):
        read(newer(**{ONE: b" " * 900_000 + b"{}", TWO: b" " * 900_000 + b"{}"}))


def test_a_size_that_is_a_lie_helps_nobody(monkeypatch):
    monkeypatch.setattr(changedetection, "MAX_MEMBER_BYTES", 1_000_000)
    data = bytearray(newer(**{ONE: b" " * 5_000_000}))
    for at in range(len(data) - 4):
        if data[at : at + 4] == struct.pack("<I", 5_000_000):
            data[at : at + 4] = struct.pack("<I", 10)
    with pytest.raises(InputError):
        read(bytes(data))


@pytest.mark.parametrize("data", [b"PK", b"PK\x03\x04" + b"\x00" * 100, newer(**{ONE: WATCH})[:-30]])
def test_what_is_no_zip_is_told_so(data):
    with pytest.raises(InputError, match="backup cannot be read"):
        read(data)


def test_what_is_no_json_is_told_so():
    with pytest.raises(InputError, match="is not valid JSON"):
        read(newer(**{ONE: b"[" * 100_000}))


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from([*WATCH, "tag"]), ODD), st.dictionaries(st.sampled_from(["a", *SETTINGS]), ODD)
)
def test_whatever_stands_in_a_backup_it_is_read_or_refused(watch, settings):
    told = {"watching": {ONE: {"url": "https://a.example/"} | watch}, **settings}
    read(json.dumps(told).encode(), kind="changedetection")


@pytest.mark.parametrize(
    ("settings", "conditions"),
    [
        ({"trigger_text": ["sold out", "closed"]}, ("contains sold out", "contains closed")),
        ({"trigger_text": ["/sold.out/"]}, None),
        ({"text_should_not_be_present": ["sold out"]}, ("lacks sold out",)),
        ({"conditions": [{"field": "extracted_number", "operator": ">", "value": "10"}]}, ("above 10",)),
        ({"conditions": [{"field": "page_filtered_text", "operator": "in", "value": "x y"}]}, ("contains x y",)),
        ({"conditions": [{"field": "extracted_number", "operator": "~", "value": "10"}]}, None),
        ({"conditions": [{"field": "extracted_number", "operator": ">", "value": "ten"}]}, None),
        (
            {"conditions": [{"field": "extracted_number", "operator": each, "value": "10"} for each in "<>"]},
            None,  # both must hold there
        ),
        ({"processor": "restock_diff"}, ("in stock", "changes by 0%")),
        (
            {
                "processor": "restock_diff",
                "restock_settings": {"in_stock_processing": "off", "price_change_max": 9},
            },
            ("above 9",),
        ),
    ],
)
def test_conditions_come_over_where_they_mean_the_same_and_are_named_otherwise(
    settings: dict[str, object], conditions: tuple[str, ...] | None
) -> None:
    backup = {"watching": {"0" * 8: {"url": "https://a.example/", **settings}}, "settings": {"application": {}}}
    found = read(json.dumps(backup).encode())
    [watch] = found.watches
    assert watch.options.get("conditions") == conditions
    assert any("was not imported" in note for note in found.notes) is (conditions is None)
