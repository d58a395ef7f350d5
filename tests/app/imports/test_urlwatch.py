import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.app.imports import read
from pagedrift.app.imports.urlwatch import write
from pagedrift.app.model.watch import Watch
from pagedrift.errors import InputError

JOBS = """
name: "Fees"
url: "https://city.example/fees"
filter:
  - css:
      selector: "#fees"
      exclude: ".ad"
  - xpath: "./div[2]"
  - html2text
  - grepi: "visitors"
  - re.sub: '\\d+ views'
  - shellpipe: "sort"
headers:
  X-Key: 12345
cookies: {seen: "1"}
http_proxy: http://proxy.example:3128
max_tries: 3
ssl_no_verify: true
---
navigate: https://city.example/app
enabled: false
tags: [prices]
filter: element-by-id:main,strip
---
command: "ls -al ~"
name: home
---
kind: shell
url: https://x.example
---
url: https://city.example/search
data: {q: x}
---
url: file:///etc/passwd
---
# webchanges
url: https://city.example/w
use_browser: true
filters:
  - element-by-class: price
  - delete_lines_containing: "a.b"
  - execute: rm -rf /
additions_only: true
"""


def test_jobs_are_taken_over_as_far_as_they_go():
    found = read(JOBS.encode())
    first, second, third = found.watches
    assert (first.url, first.name) == ("https://city.example/fees", "Fees")
    assert first.options == {
        "include": ("#fees div:nth-of-type(2)",),
        "exclude": (".ad",),
        "ignore_text": (".*(?:visitors).*", r"\d+ views"),
        "headers": (("X-Key", "12345"),),
        "cookies": (("seen", "1"),),
        "proxy": "http://proxy.example:3128",
        "alert_after_failures": 3,
    }
    assert (second.url, second.paused, second.group) == ("https://city.example/app", True, "prices")
    assert second.options == {"include": ('[id="main"]',), "browser": True}
    assert third.options == {"include": ('[class~="price"]',), "browser": True, "ignore_text": (r".*a\.b.*",)}
    notes = "\n".join(found.notes)
    for word in ("runs a program", "shellpipe", "execute", "ssl_no_verify", "sends something"):
        assert word in notes
    assert [(rule.of, rule.value) for rule in found.rules] == [(third.id, "removed")]
    assert "which Pagedrift never does (home, https://x.example)" in notes
    assert "it cannot be watched; give an address with http:// or https:// (file:///etc/passwd)" in notes


# All that jobs can be told by urlwatch 2.29 and webchanges 3.37, as their classes list it.
JOB_OPTIONS = """
additions_only block_elements browser compared_versions connect_over_cdp contextlines cookies data data_as_json
deletions_only diff_filter diff_filters diff_tool differ empty_as_transient enabled encoding evaluate filter filters
fingerprints headers http_client http_credentials http_proxy http_version https_proxy ignore_cached
ignore_connection_errors ignore_default_args ignore_dh_key_too_small ignore_http_error_codes ignore_https_errors
ignore_incomplete_reads ignore_timeout_errors ignore_too_many_redirects impersonate index_number init_script
initialization_js initialization_url is_markdown kind markdown_padded_tables max_tries method monospace name
navigate no_conditional_request no_redirects note params proxy referer retries same_site_delay ssl_no_verify
suppress_error_ended suppress_errors suppress_repeated_errors switches tags timeout treat_new_as_changed url
use_browser user_data_dir user_visible_url useragent wait_for wait_for_function wait_for_navigation
wait_for_selector wait_for_timeout wait_for_url wait_until
""".split()
CHOSEN = {
    "cookies": {"seen": "1"},
    "enabled": False,
    "filter": "element-by-id:main",
    "filters": [{"css": "main"}],
    "http_proxy": "http://proxy.example:3128",
    "https_proxy": "http://proxy.example:3128",
    "headers": {"X-Key": "1"},
    "kind": "shell",
    "max_tries": 3,
    "method": "POST",
    "tags": ["a"],
    "wait_for_timeout": 3,
}
WRITES_NOTHING_DOWN = {  # how its reports look, numbers it gives itself, and when it does not compare
    *"contextlines is_markdown markdown_padded_tables monospace index_number ignore_cached".split(),
    "no_conditional_request",
}


def outcome(job):
    found = read(yaml.safe_dump(job).encode(), kind="urlwatch")
    told = [(each.url, each.name, each.group, dict(each.options), each.paused) for each in found.watches]
    return told, [rule.value for rule in found.rules], found.notes


@pytest.mark.parametrize("option", sorted({*JOB_OPTIONS} - WRITES_NOTHING_DOWN), ids=str)
def test_each_option_of_a_job_is_taken_over_or_named(option):
    usual = {"url": "https://city.example/"}
    chosen = usual | {option: CHOSEN.get(option, "chosen")}
    told, rules, notes = outcome(chosen)
    assert (told, rules) != outcome(usual)[:2] or any(option in note for note in notes), notes


def test_an_option_of_a_newer_release_is_named():
    _, _, notes = outcome({"url": "https://city.example/", "brand_new": False})
    assert notes == ("brand_new was not imported; Pagedrift has no setting like it (https://city.example/)",)


# The filters of both, and what each can be told.
FILTERS = {
    "ascii85": [],
    "base64": [],
    "between": ["start", "end"],
    "css": ["selector", "exclude", "namespaces", "skip", "maxitems", "sort"],
    "csv2text": ["format_message", "ignore_header", "has_header"],
    "delete_lines_containing": ["re", "text"],
    "element-by-class": ["class"],
    "element-by-id": ["id"],
    "element-by-style": ["style"],
    "element-by-tag": ["tag"],
    "execute": ["command", "escape_characters"],
    "grep": ["re"],
    "grepi": ["re"],
    "hexdump": [],
    "ical2text": [],
    "jq": ["query"],
    "jsontoyaml": ["indentation"],
    "keep_lines_containing": ["re", "text"],
    "ocr": ["language", "timeout"],
    "pdf2text": ["password", "physical", "raw"],
    "pypdf": ["extraction_mode", "password"],
    "re.findall": ["pattern", "repl"],
    "re.sub": ["pattern", "repl"],
    "remove-duplicate-lines": ["separator"],
    "remove_repeated": ["adjacent", "ignore_case", "separator"],
    "sha1sum": [],
    "sha256sum": [],
    "shellpipe": ["command", "escape_characters"],
    "sort": ["separator"],
    "strip": ["chars"],
    "xpath": ["path", "exclude", "namespaces", "skip", "maxitems", "sort"],
}
NEEDED = {"css": {"selector": "#fees"}, "xpath": {"path": "//main"}}
WALK = [(kind, option) for kind, options in FILTERS.items() for option in options or [None]]


@pytest.mark.parametrize(("kind", "option"), WALK, ids=[f"{kind}-{option or 'alone'}" for kind, option in WALK])
def test_each_filter_is_taken_over_or_named(kind, option):
    value = {"path": "//p", "exclude": "//p" if kind == "xpath" else "p"}.get(option, "chosen")
    needed = NEEDED.get(kind, {})
    usual = {"url": "https://city.example/", "filter": [{kind: needed}] if needed else []}
    chosen = usual | {"filter": [{kind: {**needed, option: value}} if option else kind]}
    told, rules, notes = outcome(chosen)
    assert (told, rules) != outcome(usual)[:2] or any(kind in note for note in notes), notes


def test_filters_are_read_however_they_are_written():
    several = {
        "url": "https://city.example/",
        "filter": [{"css": "#fees", "sha1sum": None}],
        "filters": {"grep": "x"},
    }
    told, _, notes = outcome(several)
    assert told[0][3] == {"include": ("#fees",)}
    assert [note.split(" was")[0] for note in notes] == ["the filter grep", "the filter sha1sum"]
    assert "its filters cannot be read" in outcome({"url": "https://city.example/", "filter": 5})[2][0]


def test_what_is_sorted_there_may_move_here():
    assert outcome({"url": "https://city.example/", "filter": ["sort"]})[1] == ["moved"]


def test_reporters_and_defaults_of_a_configuration_are_named():
    told = {
        "display": {"error": True},
        "report": {"telegram": {"enabled": True, "bot_token": "t0p"}, "slack": {"enabled": False}},
        "job_defaults": {"all": {"ssl_no_verify": True}, "browser": {}},
    }
    found = read(yaml.safe_dump(told).encode())
    notes = "\n".join(found.notes)
    assert found.watches == ()
    assert "the reporter telegram was not imported; add a channel with to" in notes
    assert "ssl_no_verify for all jobs was not imported" in notes
    assert "slack" not in notes
    assert "t0p" not in notes


def test_no_object_is_ever_made(tmp_path):
    mark = tmp_path / "mark"
    with pytest.raises(InputError, match="invalid YAML in line 1"):
        read(f"url: !!python/object/apply:os.system ['touch {mark}']".encode())
    assert not mark.exists()


def test_references_to_references_take_no_memory():
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    found = read(f"{bomb}url: https://city.example/\nheaders: {{x: *i}}\nname: *i\ntags: *i".encode())
    assert [watch.url for watch in found.watches] == ["https://city.example/"]


@pytest.mark.parametrize("data", [b"url: [", b"url: 'x", b"name: a\nurl: " + b"[" * 2000, b"url: a\n\tb"])
def test_what_is_no_yaml_is_told_so(data):
    with pytest.raises(InputError, match="YAML"):
        read(data, kind="urlwatch")


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = "name url navigate command kind filter headers cookies proxy tags data method enabled use_browser".split()


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), ODD), max_size=3))
def test_whatever_stands_in_a_job_it_is_read_or_noted(jobs):
    read(yaml.safe_dump_all(jobs).encode(), kind="urlwatch")


@given(st.lists(st.sampled_from(["css", "xpath", "grepi", "re.sub", "element-by-style"]), max_size=3), ODD)
def test_whatever_filters_are_told_they_are_read_or_noted(kinds, told):
    job = {"url": "https://a.example/", "filter": [{kind: told} for kind in kinds]}
    assert len(read(yaml.safe_dump(job).encode(), kind="urlwatch").watches) == 1


def test_what_is_written_is_read_back():
    watches = [
        Watch("https://city.example/fees", name="Fees", options={"include": ("#fees",), "exclude": (".ad", "nav")}),
        Watch("https://city.example/app", options={"browser": True, "ignore_text": (r"\d+ views",)}, paused=True),
    ]
    found = read(write(watches).encode(), kind="urlwatch")
    first, second = found.watches
    assert first.options == {"include": ("#fees",), "exclude": (".ad, nav",)}
    assert second.options == {"browser": True, "ignore_text": (r"\d+ views",)}
    assert second.paused
