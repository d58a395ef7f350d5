"""Take the pictures of the documents from the demonstration: python docs/screenshots.py [--check]

Starts `pagedrift serve --demo`, waits until its site has been through all its changes (about three minutes), and
takes every picture in light and in dark. What the pictures show is written down in pictures/made-from.json; with
--check nothing is taken, and the exit status is 1 where that has changed since.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

DOCS: Final = Path(__file__).parent
ROOT: Final = DOCS.parent
PICTURES: Final = DOCS / "pictures"
MADE_FROM: Final = PICTURES / "made-from.json"
SOURCES: Final = (
    "docs/screenshots.py",
    "examples/crawls/*.gz",
    "src/pagedrift/app/demo/**/*.*",
    "src/pagedrift/app/web/static/*.css",
    "src/pagedrift/app/web/templates/**/*.html",
    "src/pagedrift/report/gallery.css",
    "src/pagedrift/report/marks.css",
    "src/pagedrift/report/webpage.css",
)
COMMAND: Final = Path(sys.executable).with_name("pagedrift")
WIDTH, HEIGHT = 1280, 800
LARGEST: Final = 80_000  # bytes of a picture
AFTERWARDS: Final = 25.0  # seconds after the last change of the site in which it is found


def main() -> int:
    """Take the pictures, or say whether they are up to date."""
    if "--check" in sys.argv[1:]:
        return check()
    with tempfile.TemporaryDirectory() as folder, demonstration(Path(folder)) as address:
        print("The demonstration changes its site now; the pictures are taken when it has ended")
        time.sleep(scenario_seconds() + AFTERWARDS)
        report = Path(folder) / "templates.html"
        subprocess.run(
            [COMMAND, "which-template", "cluster", "examples/crawls", "--html", report],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with chromium() as browser:
            for scheme in ("light", "dark"):
                take_all(browser, address, report, scheme)
    MADE_FROM.write_text(json.dumps(fingerprints(), indent=1) + "\n", encoding="utf-8")
    return 0


def check() -> int:
    """Name what has changed since the pictures were taken."""
    known, now = json.loads(MADE_FROM.read_text(encoding="utf-8")), fingerprints()
    changed = sorted(name for name in known.keys() | now.keys() if known.get(name) != now.get(name))
    if changed:
        print(f"{', '.join(changed)} changed since the pictures were taken; run: python docs/screenshots.py")
    return int(bool(changed))


def fingerprints() -> dict[str, str]:
    """Give a short digest of every file that the pictures show."""
    files = sorted({file for pattern in SOURCES for file in ROOT.glob(pattern) if "__pycache__" not in file.parts})
    return {
        file.relative_to(ROOT).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()[:16]
        for file in files
        if file.is_file()
    }


# What is shown


def take_all(browser: Browser, address: str, report: Path, scheme: str) -> None:
    """Take every picture in one colour scheme."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    change = change_of_price(address)
    for name, path in addresses(address, change).items():
        page.goto(address + path)
        page.wait_for_load_state("networkidle")
        PREPARE.get(name, _nothing)(page)
        save(page.screenshot(), PICTURES / f"{name}-{scheme}.webp")
    page.goto(report.as_uri())
    save(page.screenshot(), PICTURES / f"templates-{scheme}.webp")
    context.close()


def addresses(address: str, change: dict[str, object]) -> dict[str, str]:
    """Give where each picture is taken."""
    watches = asked(address, "/api/v1/watches?limit=500")["watches"]
    feed = next(watch for watch in watches if watch["kind"] == "feed")
    return {
        "overview": "/",
        "watch": f"/watch/{change['watch']}",
        "change": f"/change/{change['id']}",
        "highlighted": f"/change/{change['id']}?view=page",
        "alerts": "/alerts",
        "ignored": "/ignored",
        "redesign": f"/site/{feed['id']}",
    }


def change_of_price(address: str) -> dict[str, object]:
    """Find the change in which the price of the lantern fell."""
    watches = {each["url"]: each["id"] for each in asked(address, "/api/v1/watches?limit=500")["watches"]}
    lantern = next(number for url, number in watches.items() if url.endswith("/shop/lantern"))
    changes = asked(address, f"/api/v1/changes?watch={lantern}&limit=100")["changes"]
    important = [each for each in changes if each["told"] and "€" in each["headline"]]
    return important[-1] | {"watch": lantern}


def _nothing(page: Page) -> None:
    """Show the page as it is."""


def _frame_loaded(page: Page) -> None:
    """Wait until the captured page is there, and show it rather than what stands above."""
    page.locator("iframe").first.scroll_into_view_if_needed()
    page.wait_for_timeout(1_500)
    page.evaluate("document.querySelector('iframe').scrollIntoView({block: 'start'}); scrollBy(0, -70)")


PREPARE: Final[dict[str, Callable[[Page], None]]] = {"highlighted": _frame_loaded}


def save(png: bytes, path: Path) -> None:
    """Write a picture as WebP, of the best quality that keeps it small."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    for quality in (90, 80, 70, 55, 40):
        out = io.BytesIO()
        picture.save(out, "WEBP", quality=quality, method=6)
        if out.tell() < LARGEST:
            break
    PICTURES.mkdir(exist_ok=True)
    path.write_bytes(out.getvalue())
    print(f"{path.relative_to(ROOT)}  {out.tell() / 1000:.0f} kB")


# What is started for it


@contextmanager
def demonstration(home: Path) -> Iterator[str]:
    """Serve the demonstration on ports of its own."""
    port = free_port()
    environment = os.environ | {"PAGEDRIFT_HOME": str(home / "data")}
    command = [COMMAND, "serve", "--demo", "--port", str(port), "--content-port", str(free_port())]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(address)
            yield address
        finally:
            server.terminate()


def free_port() -> int:
    """Find a port that nobody uses."""
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return int(each.getsockname()[1])


def wait_for(address: str) -> None:
    """Wait until the application answers."""
    import httpx

    for _ in range(120):
        try:
            httpx.get(f"{address}/health")
        except httpx.TransportError:
            time.sleep(0.5)
        else:
            return
    sys.exit("The demonstration did not start; run pagedrift serve --demo to see why")


def scenario_seconds() -> float:
    """Say how long the site of the demonstration changes."""
    from pagedrift.app.demo.scenario import LAST, SECONDS_PER_STEP

    return LAST * SECONDS_PER_STEP


def asked(address: str, path: str) -> dict[str, list[dict[str, object]]]:
    """Ask the API."""
    import httpx

    answer: dict[str, list[dict[str, object]]] = httpx.get(address + path, timeout=60).raise_for_status().json()
    return answer


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser: that of the system, or playwright's."""
    import shutil

    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = playwright.chromium.launch(executable_path=own, args=["--no-sandbox"])
        yield browser
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
