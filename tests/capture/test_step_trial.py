"""Trials of steps by a real Chromium: what becomes of each, and what stands on the page afterwards."""

from collections.abc import Iterator

import pytest

from pagedrift.capture.browser import Browser
from pagedrift.capture.browser_visit import StepError
from pagedrift.capture.http import Client, FetchError
from pagedrift.capture.snapshot import MAX_PHOTO_BYTES
from pagedrift.capture.steps import parse_steps
from pagedrift.facets.tree import read_tree
from tests.capture.test_browser_visit import QUICK, STEPS, WORD, members_only
from tests.conftest import CHROMIUM
from tests.server import HTML, Site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not CHROMIUM, reason="there is no Chromium on this machine; on Debian: apt-get install chromium"
    ),
]
JPEG = b"\xff\xd8\xff"
# With names that hide what scripts usually call.
FIELDS = b"""<!doctype html><title>Fields</title><body>
<form id=f><label>Town <select name=town><option>Ulm<option>Bonn</select></label>
<input type=password aria-label=Word><input name=getAttribute placeholder=Search><input name=childNodes>
<input type=hidden name=token value=1><input type=checkbox id=c><label for=c>I agree</label>
<textarea title=Remarks></textarea><input type=submit value=Send><button hidden>Never seen</button></form>
<img name=querySelectorAll alt=x width=9 height=9><img name=createTreeWalker alt=y width=9 height=9>
<a href=/more>Read <b>more</b></a><div role=button>Open</div><p>Plain text.<script>1</script>"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(allow_private=["127.0.0.1"], config=QUICK) as opened:
        yield opened


def test_fields_buttons_and_links_have_kinds_names_and_places(chromium: Browser, client, site: Site) -> None:
    site.pages["/"] = FIELDS
    trial = chromium.try_steps(f"{site.url}/", (), client=client)

    found = {(target.kind, target.name): target for target in trial.targets}
    assert list(found) == [
        ("text", "Town"), ("list", "Town"), ("password", "Word"), ("field", "Search"), ("field", "childNodes"),
        ("checkbox", "I agree"), ("text", "I agree"), ("field", "Remarks"), ("button", "Send"), ("text", "x"),
        ("text", "y"), ("link", "Read more"), ("text", "more"), ("button", "Open"), ("text", "Plain text."),
    ]  # fmt: skip
    assert found["list", "Town"].options == ("Ulm", "Bonn")
    assert all(target.box.area > 0 for target in trial.targets)
    assert trial.picture.startswith(JPEG)
    assert trial.title == "Fields"
    tree = read_tree(trial.html)
    numbered = {
        int(value): tree.tag(node)
        for node in tree.elements()
        for name, value in tree.attributes(node)
        if name == trial.attribute
    }
    assert numbered.keys() == {target.number for target in trial.targets}
    assert numbered[found["list", "Town"].number] == "select"


def test_a_login_is_tried_step_by_step_with_a_picture_after_each(chromium: Browser, client, site: Site) -> None:
    posted = members_only(site)
    steps = parse_steps(STEPS)
    trial = chromium.try_steps(
        f"{site.url}/account", steps, client=client, secrets={"WORD": WORD}, each_picture=True
    )

    assert posted == [b"user=anna&word=pa+ss%26w%C3%B6rd%2F1&town=Bonn"]
    assert [(each.step, each.outcome) for each in trial.steps] == [(str(step), "done") for step in steps]
    assert all(each.picture.startswith(JPEG) for each in trial.steps)
    assert [target.name for target in trial.targets][-1] == "12 permits"
    assert WORD not in repr(trial) + trial.html
    assert "your word is {secret:WORD}" in trial.html


def test_steps_after_one_that_fails_are_not_tried_and_its_picture_is_there(
    chromium: Browser, client, site: Site
) -> None:
    site.pages["/"] = b"<h1 id=there>Fees</h1><button>Press</button>"
    steps = parse_steps("click button\nfill #there = 1\nclick button")
    trial = chromium.try_steps(f"{site.url}/", steps, client=client)

    assert [each.outcome for each in trial.steps] == ["done", "failed", "not tried"]
    assert trial.failed is not None
    assert "not an <input>" in trial.failed.problem
    assert trial.failed.picture == trial.picture
    assert trial.picture.startswith(JPEG)
    assert ("button", "Press") in {(target.kind, target.name) for target in trial.targets}


def test_a_visit_that_fails_at_a_step_brings_its_picture(chromium: Browser, client, site: Site) -> None:
    site.pages["/"] = b"<h1 id=there>Fees</h1>"
    with pytest.raises(StepError) as raised:
        chromium.visit(f"{site.url}/", client=client, steps=parse_steps("wait #there\nfill #there = 1"))

    error = raised.value
    assert (error.number, error.step) == (2, "fill #there = 1")
    assert error.picture.startswith(JPEG)


def test_a_field_that_was_filled_with_a_secret_shows_dots(chromium: Browser, client, site: Site) -> None:
    site.pages["/"] = b"<input id=code><button>Next</button>"

    def shown(value: str, secret: str = "x") -> bytes:
        # With the focus elsewhere: a cursor blinks.
        steps = parse_steps(f"fill #code = {value}\npress #code = Tab")
        return chromium.try_steps(f"{site.url}/", steps, client=client, secrets={"CODE": secret}).picture

    assert shown("{secret:CODE}", "iiii") == shown("{secret:CODE}", "WWWW")
    assert shown("iiii") != shown("WWWW")


def test_private_addresses_are_refused_wherever_a_step_leads(chromium: Browser, client, site: Site) -> None:
    site.pages["/"] = b"<a href=http://169.254.169.254/latest/>Credentials</a>"
    with pytest.raises(FetchError, match=r"169\.254\.169\.254 is not on the public internet"):
        chromium.try_steps("http://169.254.169.254/", (), client=client)
    led = chromium.try_steps(f"{site.url}/", parse_steps("click a"), client=client)
    gone = chromium.try_steps(f"{site.url}/", parse_steps("goto http://169.254.169.254/"), client=client)

    assert "169.254.169.254 is not on the public internet" in led.trouble
    assert gone.failed is not None
    assert "169.254.169.254 is not on the public internet" in gone.failed.problem


def test_nothing_is_left_of_a_trial_for_the_next(chromium: Browser, client, site: Site) -> None:
    site.pages["/"] = lambda request: (
        200, {**HTML, "Set-Cookie": "seen=1"}, (request.headers.get("Cookie") or "a stranger").encode(),
    )  # fmt: skip
    for _ in range(2):
        assert "a stranger" in chromium.try_steps(f"{site.url}/", (), client=client).html


def test_pictures_are_of_a_bounded_size(chromium: Browser, client, site: Site) -> None:
    site.pages["/"] = b"""<body style="margin:0"><canvas width=1024 height=5000></canvas><script>
        const canvas = document.querySelector("canvas").getContext("2d"), data = canvas.createImageData(1024, 5000);
        let seed = 1;
        for (let at = 0; at < data.data.length; at++)
          data.data[at] = (seed = seed * 48271 % 2147483647) & 255 | 128;
        canvas.putImageData(data, 0, 0)</script>"""
    picture = chromium.try_steps(f"{site.url}/", (), client=client).picture

    assert 0 < len(picture) <= MAX_PHOTO_BYTES
