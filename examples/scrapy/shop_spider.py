"""A spider whose selectors are watched: scrapy runspider shop_spider.py -a start=URL -O items.jsonl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scrapy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


class ShopSpider(scrapy.Spider):
    """Follows a shop from page to page, and takes the name and the price of each product."""

    name = "shop"
    custom_settings = {  # noqa: RUF012 - as Scrapy documents it
        "DOWNLOADER_MIDDLEWARES": {"pagedrift.integrations.scrapy.SelectorMiddleware": 950},
        "PAGEDRIFT_FOLDER": "learned",
        "PAGEDRIFT_ADAPTIVE": True,
        "CONCURRENT_REQUESTS": 1,
    }

    def __init__(self, start: str, **given: Any) -> None:
        super().__init__(**given)
        self.start_url = start

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Begin at the page that is named on the command line."""
        yield scrapy.Request(self.start_url)

    def parse(self, response: Any) -> Iterator[Any]:
        """Take one product, and go on to the next."""
        name = response.css("h1.name::text").get()
        price = response.css(".price::text").get()
        yield {"name": name, "price": price, "healed": response.meta.get("pagedrift_healed")}
        yield from response.follow_all(css="a[rel=next]")
