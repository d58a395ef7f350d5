import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.app.imports import read
from pagedrift.app.imports.urlwatch import write
from pagedrift.app.watches import Watch
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
        "only": ("#fees div:nth-of-type(2)",),
        "without": (".ad",),
        "ignore_text": (".*(?:visitors).*", r"\d+ views"),
        "headers": (("X-Key", "12345"),),
        "cookies": (("seen", "1"),),
        "proxy": "http://proxy.example:3128",
    }
    assert (second.url, second.paused, second.group) == ("https://city.example/app", True, "prices")
    assert second.options == {"only": ('[id="main"]',), "browser": True}
    assert third.options == {"only": ('[class~="price"]',), "browser": True, "ignore_text": (r".*a\.b.*",)}
    notes = "\n".join(found.notes)
    for word in ("runs a program", "shellpipe", "execute", "ssl_no_verify", "sends something", "additions_only"):
        assert word in notes
    assert "which Pagedrift never does (home, https://x.example)" in notes
    assert "it cannot be watched; give an address with http:// or https:// (file:///etc/passwd)" in notes


def test_no_object_is_ever_made(tmp_path):
    mark = tmp_path / "mark"
    with pytest.raises(InputError, match="is no YAML in line 1"):
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
        Watch("https://city.example/fees", name="Fees", options={"only": ("#fees",), "without": (".ad", "nav")}),
        Watch("https://city.example/app", options={"browser": True, "ignore_text": (r"\d+ views",)}, paused=True),
    ]
    found = read(write(watches).encode(), kind="urlwatch")
    first, second = found.watches
    assert first.options == {"only": ("#fees",), "without": (".ad, nav",)}
    assert second.options == {"browser": True, "ignore_text": (r"\d+ views",)}
    assert second.paused
