"""The middleware for Scrapy, in a real crawl of a site that is redesigned half-way."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pagedrift import read
from tests.server import Site

pytest.importorskip("scrapy")

SPIDER = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Shop(scrapy.Spider):
    name = "shop"

    async def start(self):
        for number in range(int(sys.argv[2]), int(sys.argv[3])):
            yield scrapy.Request(f"{sys.argv[1]}/{number}", priority=-number)

    def parse(self, response):
        title = response.css("h1.name::text").get()
        price = response.css(".price::text").get()
        yield {"title": title, "price": price, "healed": response.meta.get("pagedrift_healed")}

settings = {"LOG_LEVEL": "WARNING", "CONCURRENT_REQUESTS": 1, "TELNETCONSOLE_ENABLED": False,
            "ROBOTSTXT_OBEY": False, "ADDONS": {"pagedrift.integrations.scrapy.SelectorAddon": 500}}
if __name__ == "__main__":
    settings.update(json.loads(sys.argv[4]))
    settings["FEEDS"] = {sys.argv[5]: {"format": "jsonlines"}}
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(Shop)
    process.crawl(crawler)
    process.start()
    print(json.dumps(crawler.stats.get_stats(), default=str))
"""


def old(number: int) -> bytes:
    return f"<title>Lamp {number}</title><h1 class=name>Lamp {number}</h1><p class=price>${number}.00".encode()


def new(number: int) -> bytes:
    return (
        f"<title>Lamp {number}</title><header>Shop</header><h2 class=product-name>Lamp {number}</h2>"
        f"<b class=product-price>${number}.00</b><p>A lamp."
    ).encode()


def crawl(
    site: Site, folder: Path, start: int, stop: int, *, spider: str = SPIDER, **settings: object
) -> tuple[dict, list[dict], str]:
    """Run the spider over some pages; give its stats, its items and its log."""
    (folder / "shop_spider.py").write_text(spider, "utf-8")
    items = folder / f"items-{start}.jsonl"
    given = json.dumps({"PAGEDRIFT_FOLDER": str(folder / "learned"), **settings})
    done = subprocess.run(
        [sys.executable, folder / "shop_spider.py", site.url, str(start), str(stop), given, str(items)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in items.read_text("utf-8").splitlines()] if items.exists() else []
    return json.loads(done.stdout.splitlines()[-1]), found, done.stderr


@pytest.fixture
def shop(site: Site) -> Site:
    site.pages |= {f"/{number}": old(number) if number < 20 else new(number) for number in range(60)}
    return site


@pytest.mark.slow
def test_a_redesign_half_way_is_reported_with_new_selectors(shop: Site, tmp_path: Path) -> None:
    stats, items, log = crawl(shop, tmp_path, 0, 40)

    assert stats["pagedrift/selectors_broken"] == 2
    assert stats["pagedrift/broken/title"] == ".product-name::text"
    assert stats["pagedrift/broken/price"] == ".product-price::text"
    assert "write .product-name::text instead" in log
    assert [item["title"] is None for item in items] == [False] * 20 + [True] * 20


@pytest.mark.slow
def test_selectors_heal_where_the_user_allows_it_and_items_say_so(shop: Site, tmp_path: Path) -> None:
    stats, items, _ = crawl(shop, tmp_path, 0, 40, PAGEDRIFT_ADAPTIVE=True)

    assert items[-1]["title"] == "Lamp 39"
    assert items[-1]["price"] == "$39.00"
    assert items[-1]["healed"] == ["h1.name::text", ".price::text"]
    assert items[0]["healed"] is None
    assert stats["pagedrift/healed"] > 20


@pytest.mark.slow
def test_a_redesign_between_two_runs_is_found_and_the_spider_stops(shop: Site, tmp_path: Path) -> None:
    stats, _, _ = crawl(shop, tmp_path, 0, 20)
    assert "pagedrift/selectors_broken" not in stats

    stats, items, log = crawl(shop, tmp_path, 20, 60, PAGEDRIFT_STOP=True)

    assert stats["finish_reason"] == "pagedrift_selectors_broke"
    assert len(items) < 40
    assert "write .product-price::text instead" in log


@pytest.mark.slow
def test_fields_that_are_no_longer_filled_are_named(shop: Site, tmp_path: Path) -> None:
    crawl(shop, tmp_path, 0, 20)
    stats, _, log = crawl(shop, tmp_path, 20, 40)

    assert stats["pagedrift/fields/price"] == "is filled in 0% of the items, before in 100%"
    assert "the field title is filled in 0%" in log


@pytest.mark.slow
def test_what_was_learned_begins_again_where_its_file_is_damaged(shop: Site, tmp_path: Path) -> None:
    (tmp_path / "learned").mkdir()
    (tmp_path / "learned" / "shop.json").write_text("{", "utf-8")
    _, items, log = crawl(shop, tmp_path, 0, 3)

    assert "begins again" in log
    assert len(items) == 3


@pytest.mark.slow
def test_a_monitor_of_spidermon_fails_with_what_to_write_instead(shop: Site, tmp_path: Path) -> None:
    pytest.importorskip("spidermon")
    monitors = {
        "SPIDERMON_ENABLED": True,
        "EXTENSIONS": {"spidermon.contrib.scrapy.extensions.Spidermon": 500},
        "SPIDERMON_ENGINE_STOP_MONITORS": ["pagedrift.integrations.spidermon.SelectorMonitorSuite"],
        "LOG_LEVEL": "INFO",
    }
    _, _, well = crawl(shop, tmp_path, 0, 20, **monitors)
    _, _, log = crawl(shop, tmp_path, 20, 40, **monitors)

    assert "2 monitors in" in well
    assert "FAILED (" not in well
    assert "FAILED (failures=2)" in log
    assert "selectors broke; use instead: price: .product-price::text, title: .product-name::text" in log
    assert "price is filled in 0% of the items, before in 100%" in log


def under(stats: dict, ending: str) -> dict[str, object]:
    """Give the stats of templates whose key ends so, by template."""
    prefix = "pagedrift/templates/"
    found = {key.removeprefix(prefix): value for key, value in stats.items() if key.startswith(prefix)}
    return {key.partition("/")[0]: value for key, value in found.items() if key.partition("/")[2] == ending}


@pytest.mark.slow
def test_hits_and_breaks_are_told_by_template(shop: Site, tmp_path: Path) -> None:
    stats, _, log = crawl(shop, tmp_path, 0, 40)

    assert sorted(under(stats, "pages").values()) == [20, 20]
    assert sorted(under(stats, "hits/price").values()) == [0, 20]
    (broken,) = under(stats, "broken/price")
    assert under(stats, "hits/price")[broken] == 0
    assert under(stats, "fields/price") == {broken: "is filled in 0% of the items, before in 100%"}
    assert f"template {broken}; write .product-price::text instead" in log


@pytest.mark.slow
def test_some_pages_of_each_template_are_kept_and_recognised_in_the_next_run(shop: Site, tmp_path: Path) -> None:
    first, _, _ = crawl(shop, tmp_path, 0, 20)
    second, _, _ = crawl(shop, tmp_path, 15, 40)

    kept = [page.url.rpartition("/")[2] for page in read(tmp_path / "learned" / "shop")]
    assert kept == ["0", "1", "2", "20", "21", "22"]
    assert set(under(first, "pages")) < set(under(second, "pages"))
    assert sorted(under(second, "pages").values()) == [5, 20]


@pytest.mark.slow
def test_xpath_heals_too(shop: Site, tmp_path: Path) -> None:
    spider = SPIDER.replace('response.css(".price::text")', """response.xpath("//p[@class='price']/text()")""")
    _, items, log = crawl(shop, tmp_path, 0, 40, spider=spider, PAGEDRIFT_ADAPTIVE=True)

    assert items[-1]["price"] == "$39.00"
    assert items[-1]["pagedrift_healed"] == ["h1.name::text", "//p[@class='price']/text()"]
    assert "pagedrift_healed" not in items[0]
    assert "/text() instead" in log


def old_list(number: int) -> bytes:
    rows = "".join(
        f"<li class=item><h3 class=name><a href=/{each}>Lamp {each} of {number}</a></h3>"
        f"<p class=price>${each}.50</p>"
        for each in range(1, 9)
    )
    return (
        f"<title>Lamps {number}</title><a href=/>Home</a><ul class=items>{rows}</ul><p class=total>8</p>".encode()
    )


def new_list(number: int) -> bytes:
    rows = "".join(
        f"<div class=card><a class=card-title href=/{each}>Lamp {each} of {number}</a>"
        f"<span><b>${each}.50</b></span>"
        "<span>in <b>stock</b></span></div>"
        for each in range(1, 9)
    )
    return f"<title>Lamps {number}</title><a href=/>Home</a><main class=grid>{rows}</main><i>8</i>".encode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "name", "price"),
    [
        ('css("li.item")', 'css(".name a::text")', 'css(".price::text")'),
        (
            """xpath("//li[@class='item']")""",
            """xpath("./h3/a/text()")""",
            """xpath(".//p[@class='price']/text()")""",
        ),
    ],
)
def test_fields_heal_inside_the_rows_of_a_list(
    site: Site, tmp_path: Path, rows: str, name: str, price: str
) -> None:
    site.pages |= {f"/{number}": old_list(number) if number < 12 else new_list(number) for number in range(24)}
    loop = f"""for row in response.{rows}:
            yield {{"title": row.{name}.get(), "price": row.{price}.get(), "page": response.url}}
"""
    start, end = SPIDER.index("title = response"), SPIDER.index("settings = {")
    spider = SPIDER[:start] + loop + "\n" + SPIDER[end:]

    stats, items, _ = crawl(site, tmp_path, 0, 24, spider=spider, PAGEDRIFT_ADAPTIVE=True)

    last = [item for item in items if item["page"].endswith("/23")]
    assert [(item["title"], item["price"]) for item in last] == [
        (f"Lamp {each} of 23", f"${each}.50") for each in range(1, 9)
    ]
    assert len(last[0]["pagedrift_healed"]) == 3
    assert stats["pagedrift/items_healed"] >= 8 * 8


@pytest.mark.slow
def test_items_that_lack_usual_fields_are_marked(shop: Site, tmp_path: Path) -> None:
    stats, items, _ = crawl(shop, tmp_path, 0, 40, PAGEDRIFT_MIN_FIELDS=0.5)

    assert ["pagedrift_suspect" in item for item in items] == [False] * 20 + [True] * 20
    assert items[-1]["pagedrift_suspect"] == ["title", "price"]
    assert stats["pagedrift/items_suspect"] == 20


@pytest.mark.slow
def test_items_that_lack_usual_fields_are_dropped_where_asked_for_and_still_counted(
    shop: Site, tmp_path: Path
) -> None:
    crawl(shop, tmp_path, 0, 20)
    stats, items, _ = crawl(shop, tmp_path, 20, 40, PAGEDRIFT_MIN_FIELDS=0.5, PAGEDRIFT_DROP=True)

    assert items == []
    assert stats["pagedrift/items_dropped"] == 20
    assert stats["pagedrift/fields/price"] == "is filled in 0% of the items, before in 100%"


@pytest.mark.slow
def test_a_login_in_place_of_pages_breaks_no_selector(shop: Site, tmp_path: Path) -> None:
    wall = b"<title>Log in</title><h1>Log in</h1><form>Name <input> Password <input type=password></form>"
    shop.pages |= {f"/{number}": wall for number in range(20, 30)}
    stats, _, log = crawl(shop, tmp_path, 0, 30)

    assert stats["pagedrift/blocked/login"] == 10
    assert "pagedrift/selectors_broken" not in stats
    assert "is a blocked or error page" in log
