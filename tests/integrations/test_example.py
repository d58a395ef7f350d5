"""The example of the guide: a whole project, used as a reader would."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server import Site

pytest.importorskip("scrapy")
PROJECT = Path(__file__).parents[2] / "examples/scrapy"
PAGES = 24
REDESIGNED = 14


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PROJECT, tmp_path / "project"))


def product(number: int) -> bytes:
    name, price = (
        ("h1 class=name", "p class=price") if number < REDESIGNED else ("h2 class=title", "b class=amount")
    )
    following = f"<a rel=next href=/{number + 1}>Next</a>" if number < PAGES - 1 else ""
    return (
        f"<title>Lamp {number}</title><header>The lamp shop</header><{name}>Lamp {number}</{name.split()[0]}>"
        f"<{price}>${number}.00</{price[0]}>{following}"
    ).encode()


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=project, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_the_spider_heals_when_the_shop_is_redesigned(site: Site, project: Path) -> None:
    site.pages |= {f"/{number}": product(number) for number in range(PAGES)}
    done = run(project, "scrapy", "crawl", "lamps", "-a", f"start={site.url}/0", "-O", "items.jsonl")
    assert done.returncode == 0, done.stderr
    items = [json.loads(line) for line in (project / "items.jsonl").read_text("utf-8").splitlines()]

    assert len(items) == PAGES
    assert items[0] == {"name": "Lamp 0", "price": "$0.00"}
    assert items[REDESIGNED]["pagedrift_suspect"] == ["name", "price"]
    assert (items[-1]["name"], items[-1]["price"]) == (f"Lamp {PAGES - 1}", f"${PAGES - 1}.00")
    assert items[-1]["pagedrift_healed"] == ["h1.name::text", "//p[@class='price']/text()"]
    assert "instead" in done.stderr
    assert (project / "learned" / "lamps.json").exists()


@pytest.mark.slow
def test_the_test_passes_on_its_pages_and_names_the_new_selector_after_a_redesign(project: Path) -> None:
    done = run(project, "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout

    (project / "pages" / "lamp-4.html").write_bytes(product(REDESIGNED))
    done = run(project, "pytest", "-q", "-p", "no:cacheprovider")

    assert done.returncode == 1
    assert ".title::text" in done.stdout
    assert ".amount" in done.stdout
