"""A crawler asks whether it has seen enough of a template."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from pagedrift import TemplateBudget
from pagedrift.integrations.scrapy_budget import TemplateBudgetMiddleware
from pagedrift.testing import made_page


def test_pages_of_a_template_are_enough_when_they_are_many() -> None:
    budget = TemplateBudget(most=3, quiet=1000)
    seen = [budget.see(made_page(design, number)) for number in range(4) for design in (1, 2)]

    assert [one.pages for one in seen] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert [one.is_known for one in seen] == [False, False] + [True] * 6
    assert [one.is_enough for one in seen] == [False] * 4 + [True] * 4
    assert len({one.template for one in seen}) == 2


def test_pages_of_a_template_are_enough_when_nothing_new_comes() -> None:
    budget = TemplateBudget(most=1000, quiet=2)
    page = made_page(1)

    assert [budget.see(page).since_news for _ in range(3)] == [0, 1, 2]
    assert budget.see(page).is_enough
    assert not budget.see(made_page(2)).is_enough


def test_templates_are_looked_for_ever_more_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    budget, looked = TemplateBudget(), []
    current = budget._clusterer.current
    monkeypatch.setattr(budget._clusterer, "current", lambda entry: looked.append(entry) or current(entry))
    for number in range(200):
        budget.see(made_page(number))

    assert len(looked) < 12 * 200  # not once for each pair of pages


def test_scrapy_gets_no_more_pages_of_a_template_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    exceptions = ModuleType("scrapy.exceptions")
    exceptions.IgnoreRequest = type("IgnoreRequest", (Exception,), {})
    monkeypatch.setitem(sys.modules, "scrapy.exceptions", exceptions)
    settings = SimpleNamespace(getint=lambda name, default: 2 if name == "TEMPLATE_BUDGET_MOST" else default)
    middleware = TemplateBudgetMiddleware.from_crawler(SimpleNamespace(settings=settings))
    request = SimpleNamespace(meta={})
    page = SimpleNamespace(url="https://city.example/", body=made_page(1), headers={"Content-Type": b"text/html"})
    picture = SimpleNamespace(url="https://city.example/a.png", body=b"", headers={"Content-Type": b"image/png"})

    assert middleware.process_response(request, picture) is picture
    assert middleware.process_response(request, page) is page
    assert request.meta["template"].pages == 1
    with pytest.raises(exceptions.IgnoreRequest, match="enough pages of this template: 2"):
        middleware.process_response(request, page)
