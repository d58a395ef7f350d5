"""Scrapy middleware that leaves out pages of templates which were seen often enough."""

from __future__ import annotations

from typing import Any

from pagedrift.page import PageVersion
from pagedrift.which_template.budget import TemplateBudget


class TemplateBudgetMiddleware:
    """Scrapy's downloader middleware: pages of templates that were seen often enough do not reach the spider.

    Settings: `TEMPLATE_BUDGET_MOST` (100 pages) and `TEMPLATE_BUDGET_QUIET` (20 without anything new). What is
    known of the template is `request.meta["template"]`.
    """

    def __init__(self, budget: TemplateBudget) -> None:
        self.budget = budget

    @classmethod
    def from_crawler(cls, crawler: Any) -> TemplateBudgetMiddleware:
        """Begin with the settings of a crawler."""
        most = crawler.settings.getint("TEMPLATE_BUDGET_MOST", 100)
        return cls(TemplateBudget(most=most, quiet=crawler.settings.getint("TEMPLATE_BUDGET_QUIET", 20)))

    def process_response(self, request: Any, response: Any, spider: Any = None) -> Any:  # noqa: ARG002 - Scrapy's
        """Count a page; drop it if its template is known well enough."""
        if b"html" not in (response.headers.get("Content-Type") or b""):
            return response
        seen = self.budget.see(PageVersion(response.url, response.body))
        request.meta["template"] = seen
        if seen.is_enough:
            from scrapy.exceptions import IgnoreRequest  # whoever calls this has it

            raise IgnoreRequest(
                f"enough pages of this template: {seen.pages:,}; for more, raise TEMPLATE_BUDGET_MOST"
            )
        return response
