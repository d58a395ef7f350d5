import pytest
import turbohtml

from pagedrift.app.imports.xpaths import to_css

PAGE = """<html><body><div id="a" class="x price y"><p>1</p><p data-k="v">2</p>
<ul><li>3</li><li class="pricey">4</li></ul></div>
<div class="z"><p>5</p><a href="https://city.example/x">6</a></div></body></html>"""


@pytest.mark.parametrize(
    "xpath",
    [
        "/html/body/div[1]",
        "/html/body/div[2]/p",
        "//*[@id='a']/p[2]",
        '//*[@id="a"]//li',
        "//div[contains(concat(' ', normalize-space(@class), ' '), ' price ')]",
        "//li[contains(@class, 'price')]",
        "//a[starts-with(@href, 'https://city')]",
        "//p[@data-k]",
        "//p[@data-k='v' and @data-k]",
        "//ul/li[last()]",
        "//ul | //a",
        "xpath://ul/li[1]",
        "//ul/li[1]/text()",
    ],
)
def test_css_means_what_the_xpath_meant(xpath):
    path = xpath.removeprefix("xpath:").removesuffix("/text()")
    document = turbohtml.parse(PAGE)
    wanted = [element.html for element in document.xpath(path)]
    assert [element.html for element in document.select(to_css(xpath))] == wanted
    assert wanted


@pytest.mark.parametrize(
    "xpath",
    [
        "",
        "/",
        "//h2[text()='News']",
        "//a/@href",
        "//tr[position()<3]",
        "//*[2]",
        "//p[@class='x'][2]",
        "count(//p)",
        "document('file:///etc/passwd')",
        "//p/following-sibling::a",
        "//p[@a='\"']",
        "//" * 2000,
    ],
)
def test_what_css_cannot_say_is_given_up(xpath):
    assert to_css(xpath) is None
