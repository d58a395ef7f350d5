"""Responses of Scrapy whose selectors heal: where one finds nothing, its proposal is asked."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HEALED: Final = "pagedrift_healed"  # in response.meta and in items: the selectors that were replaced


class Query(NamedTuple):
    """What a spider asks a page or a part of it."""

    language: str
    text: str


class Proposals(NamedTuple):
    """What to ask instead: of a page, and of what another query found, such as the rows of a list."""

    of_page: Mapping[str, str]
    of_rows: Callable[[Query, Query], str]  # the query of the rows, and the one asked from a row

    def instead(self, query: Query, rows: Query | None) -> str:
        """Give the proposal for a query; empty if there is none."""
        return self.of_rows(rows, query) if rows else self.of_page.get(query.text, "")


def healing(request: Any, response: Any, proposals: Proposals, stats: Any) -> Any:
    """Give a response whose css() and xpath(), and those of its parts, use proposals where they find nothing."""

    def heal(query: Query, rows: Query | None) -> str:
        if found := proposals.instead(query, rows):
            stats.inc_value("pagedrift/healed")
            healed = request.meta.setdefault(HEALED, [])
            if query.text not in healed:
                healed.append(query.text)
        return found

    made = response.replace(cls=_healing_response(response.__class__))
    made.pagedrift_heal = heal
    return made


@cache
def _healing_response(base: Any) -> Any:
    class HealingResponse(base):  # type: ignore[misc]
        """A response with selectors that heal."""

        pagedrift_heal: Callable[[Query, Query | None], str] | None = None
        _pagedrift_selector: Any = None

        @property
        def selector(self) -> Any:
            if self._pagedrift_selector is None:
                self._pagedrift_selector = _healing_selector()(self)
                self._pagedrift_selector.heal = self.pagedrift_heal
            return self._pagedrift_selector

    return HealingResponse


@cache
def _healing_selector() -> Any:
    from scrapy import Selector  # whoever has a response of it has this

    class HealingSelector(Selector):  # type: ignore[misc]
        """A part of a page that can be asked again; it knows by which query it was found."""

        heal: Callable[[Query, Query | None], str] | None = None
        rows: Query | None = None

        def css(self, query: str) -> Any:
            return self._ask(Query("css", query), super().css)

        def xpath(self, query: str, *given: Any, **named: Any) -> Any:
            # Scrapy asks what it made of CSS here as well, for which there is no proposal.
            ask = super().xpath
            return self._ask(Query("xpath", query), lambda text: ask(text, *given, **named))

        def _ask(self, query: Query, ask: Callable[[str], Any]) -> Any:
            found = ask(query.text)
            if not found and self.heal is not None and (instead := self.heal(query, self.rows)):
                found = ask(instead)
            for each in found:
                each.heal, each.rows = self.heal, query
            return found

    return HealingSelector
