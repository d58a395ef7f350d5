"""What is the XPath of a selector that Pagedrift wrote in CSS?"""

from __future__ import annotations

import re
from typing import Final

from pagedrift.errors import InputError

_SIMPLE: Final = re.compile(
    r"(?P<tag>[a-z][a-z0-9-]*)|#(?P<id>[\w-]+)|\.(?P<class>[\w-]+)"
    r"|\[(?P<name>[a-z]+)=(?P<value>[\w-]+)\]|:nth-of-type\((?P<number>\d+)\)"
)


def as_xpath(css: str) -> str:
    """Write a selector made of tags, ids, classes, attributes and places in XPath, with Scrapy's extensions.

    >>> as_xpath("#fees > li:nth-of-type(2) a::attr(href)")
    "//*[@id='fees']/li[2]//a/@href"
    >>> as_xpath(".price::text")
    "//*[contains(concat(' ', normalize-space(@class), ' '), ' price ')]/text()"
    """
    css, _, extract = css.partition("::")
    steps, axis = [], "//"
    for part in css.split():
        if part == ">":
            axis = "/"
        else:
            steps.append(axis + _step(part))
            axis = "//"
    return "".join(steps) + _taken(extract)


def _step(part: str) -> str:
    found = list(_SIMPLE.finditer(part))
    if "".join(each[0] for each in found) != part:
        raise InputError(f"{part} has no XPath here; use the selector in CSS")
    tag = next((each["tag"] for each in found if each["tag"]), "*")
    # Places are counted among the elements of a tag, so they come before other conditions.
    ordered = sorted(found, key=lambda each: each["number"] is None)
    return tag + "".join(_condition(each) for each in ordered)


def _condition(found: re.Match[str]) -> str:
    if found["id"]:
        return f"[@id='{found['id']}']"
    if found["class"]:
        return f"[contains(concat(' ', normalize-space(@class), ' '), ' {found['class']} ')]"
    if found["name"]:
        return f"[@{found['name']}='{found['value']}']"
    return f"[{found['number']}]" if found["number"] else ""


def _taken(extract: str) -> str:
    if extract == "text":
        return "/text()"
    return f"/@{extract[len('attr(') : -1]}" if extract else ""
