"""Scrapy middleware that reports selectors of a spider which stop matching, and proposes or uses new ones."""

from __future__ import annotations

import inspect
import json
import logging
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from pagedrift.atomic_files import write_atomically
from pagedrift.errors import PagedriftError
from pagedrift.integrations.item_fields import ItemFields
from pagedrift.integrations.scrapy_healing import HEALED, Proposals, Query, healing
from pagedrift.integrations.template_samples import TemplateSamples, page_of
from pagedrift.interstitials import recognise
from pagedrift.selectors.candidates import CandidateFinder
from pagedrift.selectors.expressions import Selector, parse_selector, with_extract
from pagedrift.selectors.files import selectors_in_source
from pagedrift.selectors.health import SelectorHealth
from pagedrift.selectors.relocation import Relocator
from pagedrift.selectors.rows import relocate_in_rows
from pagedrift.selectors.selectable import SelectablePage
from pagedrift.selectors.xpaths import as_xpath

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from pagedrift.page import PageVersion
    from pagedrift.selectors.health import Stopped

FORMAT: Final = 2
TEMPLATE: Final = "pagedrift_template"  # in response.meta: the template of the page
SUSPECT: Final = "pagedrift_suspect"  # in response.meta and in items: the usual fields that are missing
REASON: Final = "pagedrift_selectors_broke"  # why a spider was closed
OLD_PAGES: Final = 3  # from which is learned what a selector meant
MAX_TRIES: Final = 3  # pages on which what a field in rows is now is looked for
SURE_ENOUGH: Final = 0.5  # for such a field to be replaced
log = logging.getLogger("pagedrift.scrapy")
_made: WeakKeyDictionary[Any, SelectorMiddleware] = WeakKeyDictionary()


class SelectorAddon:
    """Scrapy's add-on that puts the middleware on both sides of the engine: before the spider, and after it."""

    def update_settings(self, settings: Any) -> None:
        """Add the middleware."""
        settings["DOWNLOADER_MIDDLEWARES"].setdefault(SelectorMiddleware, 950)
        settings["SPIDER_MIDDLEWARES"].setdefault(SelectorMiddleware, 50)


class SelectorMiddleware:
    """Watches the selectors of a spider on every page that it gets, by template, and the fields of its items.

    Settings: PAGEDRIFT_FOLDER keeps what was learned, and some pages of each template, from run to run, so that a
    redesign between two runs is found; PAGEDRIFT_STOP closes the spider when a selector breaks; PAGEDRIFT_ADAPTIVE
    lets `response.css()` and `response.xpath()` use the proposed selector where the old one finds nothing, and
    marks such items; PAGEDRIFT_MIN_FIELDS is the share of the usual fields below which an item is marked, and
    with PAGEDRIFT_DROP dropped. For marks it is a spider middleware as well; `SelectorAddon` adds it as both.
    """

    def __init__(self, crawler: Any) -> None:
        settings = crawler.settings
        self._crawler, self._stats = crawler, crawler.stats
        folder = settings.get("PAGEDRIFT_FOLDER")
        self._folder = Path(folder) if folder else None
        self._stop = settings.getbool("PAGEDRIFT_STOP")
        self._adaptive = settings.getbool("PAGEDRIFT_ADAPTIVE")
        self._min_fields = settings.getfloat("PAGEDRIFT_MIN_FIELDS")
        self._drop = settings.getbool("PAGEDRIFT_DROP")
        self._selectors: dict[str, Selector] = {}  # by expression
        self._health: dict[str, SelectorHealth] = {}  # by template; of all pages under ""
        self._fields: dict[str, ItemFields] = {"": ItemFields()}
        self._samples = TemplateSamples()
        self._last: PageVersion | None = None
        self.proposals: dict[str, str] = {}  # by how the old selector is written
        self._names: dict[str, str] = {}  # of fields, by how the selector is written
        self._in_rows: dict[tuple[Query, Query], list[Any]] = {}  # rows and field: what to ask instead, and tries

    @classmethod
    def from_crawler(cls, crawler: Any) -> SelectorMiddleware:
        """Make it as Scrapy does: one for a crawler, on whichever side of the engine."""
        from scrapy import signals  # whoever calls this has it

        if crawler not in _made:
            made = _made[crawler] = cls(crawler)
            for handler, signal in (
                (made.opened, signals.spider_opened),
                (made.closed, signals.spider_closed),
                (made.scraped, signals.item_scraped),
            ):
                crawler.signals.connect(handler, signal=signal)
        return _made[crawler]

    def opened(self, spider: Any) -> None:
        """Find the selectors in the source of a spider, and continue from the last run."""
        try:
            found = selectors_in_source(inspect.getsource(inspect.getmodule(type(spider)) or type(spider)))
        except (OSError, TypeError, PagedriftError) as error:
            log.warning("no selectors found in the source of %s: %s", spider.name, error)
            return
        parts = (part for each in found for part in each.region.select)
        self._selectors = {part.expression: part for part in parts if isinstance(part, Selector)}
        self._names = {each.written: each.name for each in self._selectors.values()}
        self._health[""] = SelectorHealth(self._selectors.values())
        if self._folder:
            self._samples = TemplateSamples(self._folder / spider.name)
        self._restore(spider)

    # Pages

    def process_response(self, request: Any, response: Any, spider: Any = None) -> Any:
        """Look at a page on its way to the spider."""
        if not self._health or not hasattr(response, "css") or response.status >= 400:  # noqa: PLR2004 - failed
            return response
        try:
            page = self._look(request, response, spider or self._crawler.spider)
        except PagedriftError:
            return response  # a page that cannot be read says nothing about selectors
        if page is not None and self._adaptive and self.proposals:
            rows = partial(self._propose_in_rows, CandidateFinder(page))
            return healing(request, response, Proposals(self.proposals, rows), self._stats)
        return response

    def _look(self, request: Any, response: Any, spider: Any) -> SelectablePage | None:
        """Follow the selectors on a page; None if an error, a login or the like stands in its place."""
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        page = page_of(response.url, response.body, status=response.status, content_type=content_type)
        what = recognise(page, previous=self._last)
        if not what.is_page and what.kind != "empty":
            self._stats.inc_value(f"pagedrift/blocked/{what.kind}")
            log.warning(
                "%s: %s is a blocked or error page (%s); selectors are not judged on it",
                spider.name,
                page.url,
                what.reason,
            )
            return None
        self._last, template = page, self._samples.classify(page)
        request.meta[TEMPLATE] = template
        selectable = SelectablePage(page)
        stopped = self._follow(selectable, template)
        for each in stopped:
            self._report(each, selectable, template, spider)
        if stopped and self._stop:
            self._crawler.engine.close_spider(spider, REASON)
        return selectable

    def _follow(self, page: SelectablePage, template: str) -> list[Stopped]:
        """Count on which pages the selectors match, of all and of this template; give those that broke."""
        prefix = f"pagedrift/templates/{template}"
        self._stats.inc_value(f"{prefix}/pages")
        for each in self._selectors.values():
            self._stats.inc_value(f"{prefix}/hits/{each.name}", int(page.matches(each)))
        if template not in self._health:
            self._health[template] = SelectorHealth(self._selectors.values())
        found = [*self._health[""].take(page), *self._health[template].take(page)]
        return list({each.expression: each for each in reversed(found)}.values())[::-1]

    def _report(self, stopped: Stopped, page: SelectablePage, template: str, spider: Any) -> None:
        selector = self._selectors[stopped.expression]
        proposed, sure = self._proposed(selector, stopped, page)
        log.warning(
            "%s: the selector %s of %s matched on %.0f%% of the pages before and %.0f%% since, first on %s, "
            "template %s%s",
            spider.name, selector.written, stopped.name, 100 * stopped.before, 100 * stopped.since, page.page.url,
            template, f"; write {proposed} instead ({sure:.0%} sure)" if proposed else "",
        )  # fmt: skip
        if self._stats.get_value(f"pagedrift/broken/{stopped.name}") is None:
            self._stats.inc_value("pagedrift/selectors_broken")
        for prefix in ("pagedrift", f"pagedrift/templates/{template}"):
            self._stats.set_value(f"{prefix}/broken/{stopped.name}", proposed or "no proposal")

    def _proposed(self, selector: Selector, stopped: Stopped, page: SelectablePage) -> tuple[str, float]:
        """Give what to write instead, learned from kept pages on which it matches, and how sure that is."""
        old = [CandidateFinder(each) for each in islice(self._samples.matching(selector), OLD_PAGES)]
        found = Relocator(old, CandidateFinder(page)).relocate(selector).proposal if old else None
        if found is not None and found.selector:
            css, sure = found.selector, found.probability
        elif stopped.closest is not None and stopped.closest.css:
            css, sure = stopped.closest.css + with_extract(selector.extract), stopped.closest.likeness
        else:
            return "", 0.0
        try:
            written = as_xpath(css) if selector.language == "xpath" else css
        except PagedriftError:
            return css, sure  # for people; what calls xpath() cannot use it
        self.proposals[selector.written] = written
        return written, sure

    def _propose_in_rows(self, page: CandidateFinder, rows: Query, field: Query) -> str:
        """Give what to ask from a row instead, where the rows or the field broke; empty if nothing is like it."""
        if not {rows.text, field.text} & set(self.proposals):
            return ""
        known = self._in_rows.setdefault((rows, field), ["", 0])
        if not known[0] and known[1] < MAX_TRIES:
            known[1] += 1
            known[0] = self._look_in_rows(page, rows, field)
        return str(known[0])

    def _look_in_rows(self, page: CandidateFinder, rows: Query, field: Query) -> str:
        try:
            around, inner = (
                parse_selector(self._names.get(each.text, ""), f"{each.language}: {each.text}")
                for each in (rows, field)
            )
            old = [CandidateFinder(each) for each in islice(self._samples.matching(around), OLD_PAGES)]
            found = relocate_in_rows(old, page, around, inner) if old else None
            if found is None or found.probability < SURE_ENOUGH:
                return ""
            return "." + as_xpath(found.selector) if field.language == "xpath" else found.selector
        except PagedriftError:
            return ""  # what only Scrapy understands

    # Items

    def process_spider_output(self, response: Any, result: Any, spider: Any = None) -> Iterator[Any]:  # noqa: ARG002
        """Mark items that were healed or lack usual fields, or drop the latter."""
        for each in result:
            if self._takes(response, each):
                yield each

    async def process_spider_output_async(
        self, response: Any, result: Any, spider: Any = None  # noqa: ARG002
    ) -> AsyncIterator[Any]:  # fmt: skip
        """Do the same for a spider whose callback is asynchronous."""
        async for each in result:
            if self._takes(response, each):
                yield each

    def _takes(self, response: Any, item: Any) -> bool:
        from scrapy import Request

        if isinstance(item, Request) or item is None:
            return True
        if healed := response.meta.get(HEALED):
            self._stats.inc_value("pagedrift/items_healed")
            _mark(item, HEALED, list(healed))
        missing, share = self._fields[""].missing(item)
        if share >= self._min_fields:
            return True
        self._stats.inc_value(f"pagedrift/items_{'dropped' if self._drop else 'suspect'}")
        response.meta[SUSPECT] = missing
        if self._drop:
            self.scraped(item, response)  # nobody else gets to count it
        else:
            _mark(item, SUSPECT, missing)
        return not self._drop

    def scraped(self, item: Any, response: Any = None) -> None:
        """Count the fields of an item."""
        self._fields[""].take(item)
        request = getattr(response, "request", None)
        if template := request.meta.get(TEMPLATE) if request else None:
            self._fields.setdefault(template, ItemFields()).take(item)

    # From run to run

    def closed(self, spider: Any) -> None:
        """Say which fields came out otherwise than in the runs before, and keep what was learned."""
        for name, what in self._fields[""].changes():
            log.warning("%s: the field %s %s", spider.name, name, what)
            self._stats.set_value(f"pagedrift/fields/{name}", what)
        for template, fields in self._fields.items():
            for name, what in fields.changes(self._compared_with(template)) if template else ():
                log.warning("%s: on template %s the field %s %s", spider.name, template, name, what)
                self._stats.set_value(f"pagedrift/templates/{template}/fields/{name}", what)
        self._samples.close()
        self._save(spider)

    def _compared_with(self, template: str) -> dict[str, Any] | None:
        """Give what the fields of a new template are compared with: the template with most items before it."""
        if self._fields[template].has_past:
            return None
        earlier = list(self._fields)[1 : list(self._fields).index(template)]
        largest = max(earlier, key=lambda each: self._fields[each].items, default="")
        return self._fields[largest].state() if largest else None

    def _path(self, spider: Any) -> Path | None:
        return self._folder / f"{spider.name}.json" if self._folder else None

    def _restore(self, spider: Any) -> None:
        path = self._path(spider)
        if path is None or not path.exists():
            return
        try:
            state = json.loads(path.read_text("utf-8"))
            for template, known in state["selectors"].items():
                self._health[template] = SelectorHealth(self._selectors.values())
                self._health[template].restore(known)
            self._fields = {"": ItemFields()} | {name: ItemFields(known) for name, known in state["fields"].items()}
        except (ValueError, KeyError, TypeError, AttributeError, PagedriftError):
            log.warning("%s cannot be read; what is learned begins again", path)
            self._health = {"": SelectorHealth(self._selectors.values())}
            self._fields = {"": ItemFields()}

    def _save(self, spider: Any) -> None:
        path = self._path(spider)
        if path is None or not self._health:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {"", *self._samples.pages}
        state = {
            "format": FORMAT,
            "selectors": {name: each.state() for name, each in self._health.items() if name in kept},
            "fields": {name: each.state() for name, each in self._fields.items() if name in kept},
        }
        write_atomically(path, json.dumps(state).encode())


def _mark(item: Any, name: str, value: list[str]) -> None:
    """Add a field to an item, if it is a mapping that takes it."""
    try:
        item[name] = value
    except (TypeError, KeyError):  # a class that has no such field; response.meta says it
        return
