"""Scrapy middleware that reports selectors of a spider which stop matching, and proposes or uses new ones."""

from __future__ import annotations

import inspect
import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pagedrift.atomic_files import write_atomically
from pagedrift.errors import PagedriftError
from pagedrift.integrations.item_fields import ItemFields
from pagedrift.page import PageVersion
from pagedrift.selectors.expressions import Selector
from pagedrift.selectors.files import selectors_in_source
from pagedrift.selectors.health import SelectorHealth

if TYPE_CHECKING:
    from pagedrift.selectors.health import Stopped

FORMAT: Final = 1
HEALED: Final = "pagedrift_healed"  # in response.meta: the selectors that were replaced
REASON: Final = "pagedrift_selectors_broke"  # why a spider was closed
log = logging.getLogger("pagedrift.scrapy")


class SelectorMiddleware:
    """Watches the selectors of a spider on every page that it gets, and the fields of its items.

    Settings: PAGEDRIFT_FOLDER keeps what was learned from run to run, so that a redesign between two runs is found;
    PAGEDRIFT_STOP closes the spider when a selector breaks; PAGEDRIFT_ADAPTIVE lets `response.css()` use the
    proposed selector where the old one finds nothing, and notes that in `response.meta["pagedrift_healed"]`.
    """

    def __init__(self, crawler: Any) -> None:
        settings = crawler.settings
        self._crawler, self._stats = crawler, crawler.stats
        folder = settings.get("PAGEDRIFT_FOLDER")
        self._folder = Path(folder) if folder else None
        self._stop = settings.getbool("PAGEDRIFT_STOP")
        self._adaptive = settings.getbool("PAGEDRIFT_ADAPTIVE")
        self._health: SelectorHealth | None = None
        self._fields = ItemFields()
        self._written: dict[str, str] = {}  # how each expression is written in the spider
        self.proposals: dict[str, str] = {}  # by how the old selector is written

    @classmethod
    def from_crawler(cls, crawler: Any) -> SelectorMiddleware:
        """Make it as Scrapy does."""
        from scrapy import signals  # whoever calls this has it

        made = cls(crawler)
        for handler, signal in (
            (made.opened, signals.spider_opened),
            (made.closed, signals.spider_closed),
            (made.scraped, signals.item_scraped),
        ):
            crawler.signals.connect(handler, signal=signal)
        return made

    def opened(self, spider: Any) -> None:
        """Find the selectors in the source of a spider, and continue from the last run."""
        try:
            found = selectors_in_source(inspect.getsource(inspect.getmodule(type(spider)) or type(spider)))
        except (OSError, TypeError, PagedriftError) as error:
            log.warning("no selectors found in the source of %s: %s", spider.name, error)
            return
        selectors = [part for each in found for part in each.region.select if isinstance(part, Selector)]
        self._written = {each.expression: each.written for each in selectors}
        self._health = SelectorHealth(selectors)
        self._restore(spider)

    def process_response(self, request: Any, response: Any, spider: Any = None) -> Any:
        """Look at a page on its way to the spider."""
        spider = spider or self._crawler.spider
        if self._health is None or not hasattr(response, "css") or response.status >= 400:  # noqa: PLR2004 - failed
            return response
        try:
            stopped = self._health.take(PageVersion(response.url, response.body))
        except PagedriftError:
            return response  # a page that cannot be read says nothing about selectors
        for each in stopped:
            self._report(each, spider, response.url)
        if stopped and self._stop:
            self._crawler.engine.close_spider(spider, REASON)
        if self._adaptive and self.proposals:
            return healing(request, response, self.proposals, self._stats)
        return response

    def _report(self, stopped: Stopped, spider: Any, url: str) -> None:
        written = self._written.get(stopped.expression, stopped.expression)
        proposed = self._proposed(stopped, written)
        advice = f"; write {proposed} instead ({stopped.closest.likeness:.0%} sure)" if stopped.closest else ""
        log.warning(
            "%s: the selector %s of %s matched on %.0f%% of the pages before and %.0f%% since, first on %s%s",
            spider.name, written, stopped.name, 100 * stopped.before, 100 * stopped.since, url, advice,
        )  # fmt: skip
        self._stats.inc_value("pagedrift/selectors_broken")
        self._stats.set_value(f"pagedrift/broken/{stopped.name}", proposed or "no proposal")

    def _proposed(self, stopped: Stopped, written: str) -> str:
        if stopped.closest is None or not stopped.closest.css:
            return ""
        self.proposals[written] = stopped.closest.css + written.removeprefix(stopped.expression)
        return self.proposals[written]

    def scraped(self, item: Any) -> None:
        """Count the fields of an item."""
        self._fields.take(item)

    def closed(self, spider: Any) -> None:
        """Say which fields came out otherwise than in the runs before, and keep what was learned."""
        for name, what in self._fields.changes():
            log.warning("%s: the field %s %s", spider.name, name, what)
            self._stats.set_value(f"pagedrift/fields/{name}", what)
        self._save(spider)

    def _path(self, spider: Any) -> Path | None:
        return self._folder / f"{spider.name}.json" if self._folder else None

    def _restore(self, spider: Any) -> None:
        path = self._path(spider)
        if path is None or not path.exists() or self._health is None:
            return
        try:
            state = json.loads(path.read_text("utf-8"))
            self._health.restore(state["selectors"])
            self._fields = ItemFields(state["fields"])
        except (ValueError, KeyError, TypeError, PagedriftError):
            log.warning("%s cannot be read; what is learned begins again", path)

    def _save(self, spider: Any) -> None:
        path = self._path(spider)
        if path is None or self._health is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        state = {"format": FORMAT, "selectors": self._health.state(), "fields": self._fields.state()}
        write_atomically(path, json.dumps(state).encode())


def healing(request: Any, response: Any, proposals: dict[str, str], stats: Any) -> Any:
    """Give a response whose css() uses a proposal where the selector that was asked for finds nothing."""
    base = type(response)

    class HealingResponse(base):  # type: ignore[valid-type, misc]
        """A response with selectors that heal."""

        def css(self, query: str, *given: Any, **named: Any) -> Any:
            found = super().css(query, *given, **named)
            if found or query not in proposals:
                return found
            stats.inc_value("pagedrift/healed")
            request.meta.setdefault(HEALED, []).append(query)
            return super().css(proposals[query], *given, **named)

    return response.replace(cls=HealingResponse)
