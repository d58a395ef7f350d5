"""Responses of Scrapy whose selectors heal: where one finds nothing, its proposal is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

HEALED: Final = "pagedrift_healed"  # in response.meta and in items: the selectors that were replaced


def healing(request: Any, response: Any, proposals: Mapping[str, str], stats: Any) -> Any:
    """Give a response whose css() and xpath() use a proposal where what was asked for finds nothing."""
    base = type(response)

    def heal(query: str) -> str:
        stats.inc_value("pagedrift/healed")
        healed = request.meta.setdefault(HEALED, [])
        if query not in healed:
            healed.append(query)
        return proposals[query]

    class HealingResponse(base):  # type: ignore[valid-type, misc]
        """A response with selectors that heal."""

        def css(self, query: str, *given: Any, **named: Any) -> Any:
            found = super().css(query, *given, **named)
            return found if found or query not in proposals else super().css(heal(query), *given, **named)

        def xpath(self, query: str, *given: Any, **named: Any) -> Any:
            found = super().xpath(query, *given, **named)
            return found if found or query not in proposals else super().xpath(heal(query), *given, **named)

    return response.replace(cls=HealingResponse)
