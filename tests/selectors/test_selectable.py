from typing import Any

import pytest
from turbohtml import parse

from pagedrift import PageVersion
from pagedrift.selectors.expressions import parse_selector
from pagedrift.selectors.selectable import SelectablePage

BODY = (
    "<p class='Fee due'>one<p class=fee>two<p class='a&#32;due'>three<p class='x\u00a0due'>four"
    "<template><b class=due>five</b></template><p id=due>six<svg class=due></svg><p class>seven"
)


@pytest.mark.parametrize("start", ["", "<!doctype html>"], ids=["quirks", "standards"])
@pytest.mark.parametrize(
    "css",
    [".due", ".fee", ".Fee", ".FEE", ".gone", "p.gone", ".due, .gone", "#due", ":not(.gone)", "p:nth-child(2).fee"],
)
def test_elements_are_those_that_the_parser_selects(start: str, css: str) -> None:
    source = start + BODY
    page = SelectablePage(PageVersion("", source.encode()))
    document: Any = parse(source, positions=False)
    numbers = dict(zip(document.select("*"), page.elements, strict=True))

    expected = sorted(numbers[element] for element in document.select(css))
    assert page.nodes(parse_selector("", css)) == expected
