"""The documents as a site: it builds without a warning, links lead somewhere, everybody can read it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser

ROOT = Path(__file__).parent.parent
AXE = ROOT / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = pytest.mark.slow
LOOKED_AT = (
    "",
    "start/watch-a-page/",
    "reference/commands/",
    "reference/python-questions/",
    "explanation/redesigned/",
)
READ_BY_USERS = ("README.md", "docs/index.md", "docs/start", "docs/guides")
LOOKS = [(1280, "light"), (390, "dark")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material", reason="needs mkdocs-material: pip install --group docs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    built = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (built.returncode, built.stderr.strip()) == (0, "")
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_site_has_every_document_and_asks_no_other_host(site: Path) -> None:
    pages = list(site.rglob("index.html"))
    loaded = [
        target
        for page in pages
        for target in re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=\"(https?:[^\"]+)", page.read_text())
    ]

    assert len(pages) == len(list((ROOT / "docs").rglob("*.md")))
    assert loaded == []


def test_names_of_the_library_are_described_as_what_they_are(site: Path) -> None:
    described = "".join(
        (site / "reference" / f"python-{part}" / "index.html").read_text() for part in ("questions", "pages")
    )

    assert "doc doc-object doc-function" in described
    assert "doc doc-object doc-module" not in described


@pytest.mark.parametrize(("wide", "scheme"), LOOKS)
def test_axe_finds_nothing_on_the_site(address: str, browser: Browser, wide: int, scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("needs axe-core: make .venv/axe/installed, with npm")
    context = browser.new_context(
        viewport={"width": wide, "height": 844}, color_scheme=scheme, reduced_motion="reduce"
    )
    page, found = context.new_page(), []
    for path in LOOKED_AT:
        page.goto(f"{address}/{path}")
        page.evaluate(AXE.read_text())
        result: Any = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        found += [(path, each["id"], each["nodes"][0]["html"][:200]) for each in result["violations"]]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            f"{path} is wider than the window"
        )
    context.close()

    assert found == []


def test_pages_for_users_have_the_words_of_the_glossary() -> None:
    pytest.importorskip("codespell_lib", reason="needs codespell: pip install --group docs")
    command = [sys.executable, "-m", "codespell_lib", "--dictionary", "docs/words.txt", *READ_BY_USERS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.stdout + done.stderr == ""
