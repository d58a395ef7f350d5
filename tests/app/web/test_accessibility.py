"""Accessibility and validity of the pages, checked with axe-core and html-validate from npm."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.store import watches
from tests.app.web.conftest import token_of
from tests.app.web.test_browser import SECONDS, Town, everything, opened, past  # noqa: F401 - a fixture
from tests.app.web.test_steps import served  # noqa: F401 - a fixture
from tests.cli.test_commands import EXAMPLE, run
from tests.cli.test_redesigned import NEWS
from tests.cli.test_what_changed import NEW, OLD
from tests.server import Site

PACKAGES = Path(__file__).parents[3] / ".venv" / "axe" / "node_modules"
AXE, VALIDATE = PACKAGES / "axe-core" / "axe.min.js", PACKAGES / ".bin" / "html-validate"
CONFIGURATION = Path(__file__).with_name("html-validate.json")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1_800),
    pytest.mark.skipif(
        not AXE.exists(), reason="needs axe-core and html-validate: make .venv/axe/installed, with npm"
    ),
]
LOOKS = [
    pytest.param(1280, "light", id="light"),
    pytest.param(1280, "dark", id="dark"),
    pytest.param(390, "light", id="small and light"),
    pytest.param(390, "dark", id="small and dark"),
]
ARTICLES = [f"{NEWS}@https://news.example/articles/{number}@2026-06-01" for number in (1, 35)]


def pages_of(town: Town) -> list[str]:
    return [*everything(town), "/login", "/api/v1/docs", "/nowhere"]


def findings(page: Page) -> list[Any]:
    """Let axe-core look at a page, but not into the captured pages that it shows in frames."""
    expect(page.locator(".htmx-request")).to_have_count(0, timeout=SECONDS)  # what is being loaded is pale
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {iframes: false, resultTypes: ['violations']})")
    return [
        (each["id"], node["html"][:200], node["failureSummary"][:300])
        for each in found["violations"]
        for node in each["nodes"]
    ]


@pytest.mark.parametrize(("wide", "scheme"), LOOKS)
def test_axe_finds_nothing_on_any_page(past: Town, browser: Browser, wide: int, scheme: str) -> None:  # noqa: F811
    found = {}
    with opened(browser, wide, scheme) as context:
        page = context.new_page()
        for path in pages_of(past):
            page.goto(past.url + path)
            if some := findings(page):
                found[path] = some
    assert not found, json.dumps(found, indent=1)


def test_the_html_of_every_page_is_valid(past: Town, tmp_path: Path) -> None:  # noqa: F811
    for number, path in enumerate(pages_of(past)):
        text = httpx.get(past.url + path, headers={"accept": "text/html"}, timeout=SECONDS / 1_000).text
        (tmp_path / f"{number:02}{path.split('?')[0].replace('/', '_')}.html").write_text(text)

    assert invalid(tmp_path) == []
    times = {
        time for file in tmp_path.iterdir() for time in re.findall(r'<time datetime="([^"]*)"', file.read_text())
    }
    assert times
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", time) for time in times)


def invalid(folder: Path) -> list[tuple[str, int, str, str]]:
    """Let html-validate read the pages of a folder."""
    command = [VALIDATE, "--config", CONFIGURATION, "--formatter", "json", f"{folder}/*.html"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [
        (Path(file["filePath"]).name, each["line"], each["ruleId"], each["message"])
        for file in json.loads(done.stdout)
        for each in file["messages"]
    ]


def test_the_recorder_of_steps_is_accessible_and_its_html_is_valid(
    served: tuple[str, Scheduler, Site],  # noqa: F811
    browser: Browser,
    tmp_path: Path,
) -> None:
    url, scheduler, site = served
    options = {"browser": True, "steps": ["click label", "fill h1 = 1", "click button"]}
    watch = watches.add(scheduler.store, Watch(f"{site.url}/enter", options=options))
    there = f"{url}/watch/{watch.id}/steps"
    for wide, scheme in ((1280, "light"), (390, "dark")):
        with opened(browser, wide, scheme) as context:
            page = context.new_page()
            page.goto(there)
            expect(page.locator("#shot img")).to_be_visible(timeout=SECONDS)
            page.locator("input[name=target]").first.check()
            assert not findings(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= wide
    with httpx.Client(headers={"accept": "text/html"}, timeout=SECONDS / 1_000) as client:
        form = {"csrf": token_of(client, there), "do": "try", "steps": "\n".join(options["steps"])}
        (tmp_path / "recorder.html").write_text(client.post(there, data=form).text)
        scheduler.run_once()
        (tmp_path / "failed.html").write_text(client.get(f"{url}/watch/{watch.id}").text)
    assert "Step 2 failed" in (tmp_path / "failed.html").read_text()
    assert invalid(tmp_path) == []


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports that commands write, about the examples."""
    folder = tmp_path_factory.mktemp("reports")
    asked = {
        "what-changed": ("what-changed", OLD, NEW),
        "does-it-matter": ("does-it-matter", OLD, NEW, "--pictures"),
        "redesigned": ("redesigned", NEWS),
        "which-template": ("which-template", "cluster", NEWS, EXAMPLE),
        "selectors": ("selectors", *ARTICLES, "--selectors", "examples/news.selectors"),
    }
    made = {name: folder / f"{name}.html" for name in asked}
    for name, arguments in asked.items():
        run(*arguments, "--html", str(made[name]))
        assert made[name].exists(), name
    return made


@pytest.mark.parametrize(("wide", "scheme"), LOOKS)
def test_axe_finds_nothing_in_any_report(
    reports: dict[str, Path], browser: Browser, wide: int, scheme: str
) -> None:
    found = {}
    with opened(browser, wide, scheme) as context:
        page = context.new_page()
        for name, path in reports.items():
            page.goto(path.as_uri())
            if some := findings(page):
                found[name] = some
    assert not found, json.dumps(found, indent=1)


def test_the_html_of_every_report_is_valid(reports: dict[str, Path]) -> None:
    assert invalid(reports["redesigned"].parent) == []
