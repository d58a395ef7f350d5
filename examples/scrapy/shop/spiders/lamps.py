"""A spider whose selectors are watched: scrapy crawl lamps -a start=URL -O items.jsonl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scrapy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


class LampSpider(scrapy.Spider):
    """Follows a shop from page to page, and takes the name and the price of each lamp."""

    name = "lamps"

    def __init__(self, start: str, **given: Any) -> None:
        super().__init__(**given)
        self.start_url = start

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Begin at the page that is named on the command line."""
        yield scrapy.Request(self.start_url)

    def parse(self, response: Any) -> Iterator[Any]:
        """Take one lamp, and go on to the next."""
        name = response.css("h1.name::text").get()
        price = response.xpath("//p[@class='price']/text()").get()
        yield {"name": name, "price": price}
        yield from response.follow_all(css="a[rel=next]")
