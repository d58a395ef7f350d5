"""Which elements does a CSS selector or an XPath expression match, and what is their text?"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels.names import FLAGS, IDS, INLINE, INVISIBLE
from pagedrift.errors import InputError, LimitError
from pagedrift.facets.tree import ELEMENT, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion

MAX_SELECTOR_CHARS: Final = 1_000  # of a selector: those that people write have a tenth
MAX_SELECTED_NODES: Final = 5_000_000  # in all elements that match: `*` means each node as often as it is deep
MAX_REMEMBERED: Final = 1_000  # selectors that were found to be right
_MAX_SHOWN_CHARS: Final = 60  # of it in a message
_EXAMPLE: Final = 'write one such as "#news li" or "table.fees tr"'
# What can stand around a costly part: strings, escaped signs, and names of functions, escaped or not.
_PART = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|:(?:[\w-]|\\[0-9a-f]{1,6}\s?|\\.)+\(|\\.|[()]|~(?!=)""",
    re.DOTALL | re.IGNORECASE,
)
# :nth-child(2n of p) counts for each element all that stand before it; its name and the "of" can be escaped.
_COUNTED = re.compile(r":(?:nth|[\w-]*\\)[^()]*\([^()]*(?:of|\\)", re.IGNORECASE)


_XPATH: Final = re.compile(r"\(*\s*(?:\.?/|id\()")
# Measured: sibling and following axes take the cube of the page in turbohtml, a search per element its square.
_AXES: Final = re.compile(r"(?:preceding|following)(?:-sibling)?\s*::", re.IGNORECASE)
_SEARCH_INSIDE: Final = re.compile(r"\[[^\]]*(?://|descendant)")


def select(page: PageVersion, css: str) -> list[int]:
    """Give the numbers of the elements that match, in document order.

    >>> from pagedrift import PageVersion
    >>> page = PageVersion("https://city.example/fees", b"<ul><li>Fence: $40<li>Roof: $85</ul>")
    >>> [text_of(page.tree, node) for node in select(page, "li:last-child")]
    ['Roof: $85']
    """
    return select_each(page, (css,))[css]


def select_each(page: PageVersion, selectors: Iterable[str]) -> dict[str, list[int]]:
    """Give the elements that match each of several selectors; the page is parsed once for all of them."""
    selectors = tuple(selectors)
    for expression in selectors:
        check_expression(expression)
    tree = page.tree  # first: it refuses pages that a parser would take forever for
    from turbohtml import parse

    document = parse(page.source, positions=False, allow_declarative_shadow_roots=False) if selectors else None
    return {css: _numbers(document, tree, css) for css in selectors}


def _numbers(document: Any, tree: Tree, css: str) -> list[int]:
    found = document.xpath(css) if is_xpath(css) else document.select(css)
    chosen = set(found) if isinstance(found, list) else set()
    if not chosen:
        return []
    # Both trees have the same elements in the same order; a test compares them on real pages.
    numbered = zip(document.select("*"), tree.elements(), strict=True)
    nodes = [node for element, node in numbered if element in chosen]
    if sum(tree.end[node] - node for node in nodes) > MAX_SELECTED_NODES:
        raise LimitError(
            f"the elements that match have more than {MAX_SELECTED_NODES:,} nodes in them; "
            "select fewer, or inner ones"
        )
    return nodes


def is_xpath(expression: str) -> bool:
    """Return whether an expression is XPath rather than CSS.

    >>> is_xpath("//table//td[2]"), is_xpath("table td")
    (True, False)
    """
    return _XPATH.match(expression) is not None


def check_expression(expression: str) -> None:
    """Refuse CSS and XPath that is invalid, too long, or could run forever."""
    if is_xpath(expression):
        check_xpath(expression)
    else:
        check(expression)


def check_xpath(expression: str) -> None:
    """Refuse XPath that is invalid, too long, or could run forever on a page made for that."""
    if len(expression) > MAX_SELECTOR_CHARS:
        raise InputError(f"the expression has more than {MAX_SELECTOR_CHARS:,} characters; write a shorter one")
    bare = re.sub(r""""[^"]*"|'[^']*'""", "", expression)
    if _AXES.search(bare) or _SEARCH_INSIDE.search(bare):
        raise InputError("it could run forever: siblings, or // inside [ ]; write it in CSS, such as: h2 + p")
    from turbohtml import parse

    try:
        parse("<p>").xpath(expression)
    except (ValueError, TypeError) as error:
        raise InputError(f"invalid XPath ({error}); try it in the console of a browser: $x('…')") from None


@lru_cache(MAX_REMEMBERED)  # scrapers ask for the same ones on page after page
def check(css: str) -> None:
    """Refuse selectors that are invalid, too long, or could run forever.

    >>> check("li:has(a)")
    >>> check("li[")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    pagedrift.errors.InputError: "li[" is not a valid CSS selector (expected an identifier at ...
    """
    if len(css) > MAX_SELECTOR_CHARS:
        raise InputError(f"the selector has more than {MAX_SELECTOR_CHARS:,} characters; {_EXAMPLE}")
    from turbohtml import SelectorSyntaxError

    shown = " ".join(css[:_MAX_SHOWN_CHARS].split()) + ("…" if len(css) > _MAX_SHOWN_CHARS else "")
    try:
        _any_page().select(css)
    except SelectorSyntaxError as error:
        reason = str(error).rpartition('": ')[2]
        raise InputError(f'"{shown}" is not a valid CSS selector ({reason}); {_EXAMPLE}') from None
    if _is_costly(css):
        raise InputError(
            f'"{shown}" could run forever: it has :has() or two ~ inside :has(), or "of" in :nth-child(); '
            f"{_EXAMPLE}"
        )


@cache
def _any_page() -> Any:
    from turbohtml import parse

    return parse("<p>")


def _is_costly(css: str) -> bool:
    """Look for what takes the square of the page: in :has(), and "of" in :nth-child(); the rest is linear."""
    if _COUNTED.search(css):
        return True
    open_parts: list[bool] = []  # whether each open bracket is that of a :has()
    tildes = 0
    for part in _PART.findall(css):
        if part == "~":
            tildes += any(open_parts)
        elif part == ")":
            if open_parts:
                open_parts.pop()
            tildes = tildes if any(open_parts) else 0
        elif part.endswith("(") and part[0] in ":(":
            is_has = part.lower() == ":has(" or "\\" in part  # nobody else escapes the name of a function
            if is_has and any(open_parts):
                return True
            open_parts.append(is_has)
        if tildes > 1:
            return True
    return False


def text_of(tree: Tree, node: int) -> str:
    """Read what an element says: visible text, white space folded, cells and blocks kept apart.

    >>> from pagedrift.facets.tree import read_tree
    >>> tree = read_tree("<table><tr><td><b>foot</b>ball<td>$40<script>track()</script>")
    >>> text_of(tree, tree.find("tr"))
    'football $40'
    """
    parts: list[str] = []
    ends: list[int] = []  # of the blocks around
    below, end = node, tree.end[node]
    while below < end:
        while ends and ends[-1] <= below:
            ends.pop()
            parts.append(" ")
        if tree.kind[below] == TEXT:
            parts.append(tree.text(below))
        elif tree.kind[below] == ELEMENT:
            flags = _flags(tree.tag(below))
            if flags & INVISIBLE and below != node:
                below = tree.end[below]
                continue
            if not flags & INLINE:
                parts.append(" ")
                ends.append(tree.end[below])
        below += 1
    return " ".join("".join(parts).split())


def _flags(tag: str) -> int:
    number = IDS.get(tag.removeprefix("svg:"))
    return 0 if number is None else FLAGS[number]
