"""The example of the guide: a whole spider, run as a reader would."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server import Site

pytest.importorskip("scrapy")
SPIDER = Path(__file__).parents[2] / "examples/scrapy/shop_spider.py"
PAGES = 24
REDESIGNED = 14


def product(number: int) -> bytes:
    name, price = (
        ("h1 class=name", "p class=price") if number < REDESIGNED else ("h2 class=title", "b class=amount")
    )
    following = f"<a rel=next href=/{number + 1}>Next</a>" if number < PAGES - 1 else ""
    return (
        f"<title>Lamp {number}</title><{name}>Lamp {number}</{name.split()[0]}>"
        f"<{price}>${number}.00</{price[0]}>{following}"
    ).encode()


@pytest.mark.slow
def test_the_spider_of_the_guide_heals_when_the_shop_is_redesigned(site: Site, tmp_path: Path) -> None:
    site.pages |= {f"/{number}": product(number) for number in range(PAGES)}
    asked = ["-m", "scrapy", "runspider", str(SPIDER), "-a", f"start={site.url}/0", "-O", "items.jsonl"]
    done = subprocess.run(
        [sys.executable, *asked], cwd=tmp_path, capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text("utf-8").splitlines()]

    assert len(items) == PAGES
    assert (items[0]["name"], items[0]["healed"]) == ("Lamp 0", None)
    assert (items[-1]["name"], items[-1]["price"]) == (f"Lamp {PAGES - 1}", f"${PAGES - 1}.00")
    assert items[-1]["healed"] == ["h1.name::text", ".price::text"]
    assert "instead" in done.stderr
    assert (tmp_path / "learned" / "shop.json").exists()
