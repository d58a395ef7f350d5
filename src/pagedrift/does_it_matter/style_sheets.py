"""Are all style sheets of a page other ones than before, so that it looks different whatever it says?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pagedrift.facets.links import style_sheets

if TYPE_CHECKING:
    from pagedrift.page import PageVersion

_SEPARATORS: Final = re.compile(r"[-._~]")
_OF_A_BUILD: Final = re.compile(r"\d|[a-z][A-Z]")  # index-DiwrgTda.css, 4f3a9c.css: another name at every build


def are_exchanged(old: PageVersion, new: PageVersion) -> bool:
    """Say whether not one style sheet is on both pages, by the names that people give to them.

    Where rules moved from a file into the page, or out of it, nothing can be said.

    >>> from pagedrift import PageVersion
    >>> head = '<link rel=stylesheet href="/assets/{}"><p>Fees'
    >>> site, build, other = (
    ...     PageVersion("https://city.example/", head.format(name).encode())
    ...     for name in ("site.css?v=7", "site-9f0e11.css", "theme.css")
    ... )
    >>> are_exchanged(site, build), are_exchanged(site, other)
    (False, True)
    """
    before, after = _names(old), _names(new)
    return bool(before | after) and not before & after and _has_rules(old) == _has_rules(new)


def _names(page: PageVersion) -> set[str]:
    sheets = style_sheets(page.tree, page.url)
    return {_name(url) for url in sheets if url != page.url}  # href="#" is the page itself


def _name(url: str) -> str:
    """Give the first word of the name of a file; nothing where a build may have made it up."""
    first = _SEPARATORS.split(url.partition("?")[0].rpartition("/")[2])[0]
    return "" if _OF_A_BUILD.search(first) else first.lower()


def _has_rules(page: PageVersion) -> bool:
    return any("{" in page.tree.text_below(node) for node in page.tree.live_elements("style"))
