"""The parts of a page around its content, recognised by elements, roles and the names page makers give."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

PARTS: Final = (
    "navigation",
    "header",
    "footer",
    "sidebar",
    "overlay",
    "form",
    "button",
    "advertisement",
    "comments",
    "languages",
)
_TAGS: Final = {
    "nav": "navigation",
    "header": "header",
    "footer": "footer",
    "aside": "sidebar",
    "form": "form",
    "select": "form",
    "label": "form",
    "button": "button",
    "dialog": "overlay",
}
_ROLES: Final = {
    "navigation": "navigation",
    "menu": "navigation",
    "menubar": "navigation",
    "menuitem": "navigation",
    "tab": "navigation",
    "tablist": "navigation",
    "listbox": "navigation",
    "option": "navigation",
    "banner": "header",
    "contentinfo": "footer",
    "complementary": "sidebar",
    "alert": "overlay",
    "alertdialog": "overlay",
    "dialog": "overlay",
    "search": "form",
    "button": "button",
}
# Words in classes and ids. They only hint: each has its own weight, which the judge learned. Left out are words
# that only contain them (unavailable, operating hours, basketball, research, catalogo, overflow-hidden), and what
# page builders call everything (elementor-widget, category-news).
_NAMES: Final = tuple(
    (part, re.compile(pattern, re.IGNORECASE))
    for part, pattern in {
        "footer": (
            r"foot(?!ball|note|age|wear)|copyright|(?:^|[-_ ])(?:colophon|credits?)(?:[-_ ]|$)"
            r"|(?:^| |(?:site|page)[-_])bottom(?:[-_ ]|$)"
        ),
        "navigation": (
            r"(?<!u)nav(?!y|al|ail)|menu|crumb|toolbar|pager|paginat|(?:tabs?|toc|topbar)(?:[-_ ]|$)|drawer"
            r"|dropdown"
        ),
        "sidebar": (
            r"side-?bar|aside|(?<!elementor-)widget|recent|related|relatives|popular|tags|categories"
            r"|category[-_]?(?:list|links|cloud)|blogroll|recommend|suggest"
            r"|similar|teaser|promo|newsletter|subscribe|trending|also[-_]|crosssell|upsell"
        ),
        "header": (
            r"header|masthead|(?<!ta)logo|topbar|banner|social(?![-_]?(?:security|serv|care|work))|share(?!hold)"
            r"|(?<!re)search|(?<!b)log-?in|(?<!de)sign-?in|mini-?cart|basket(?!ball)|account"
        ),
        "overlay": (
            r"cookie|consent|onetrust|gdpr|didomi|cmp|modal|popup|overlay|dialog|toast"
            r"|(?:^| )(?:visually-)?hidden(?: |$)|notice-bar|announcement|(?<!s)ticker|lightbox|tooltip|offcanvas"
        ),
        "advertisement": (
            r"advert(?!iser)|sponsor|werbung|publicidad|publicit|pubblicit|reklam"
            r"|(?:^|[-_ ])(?:(?:ads?|publi?)(?:[-_ ]|$)|ad-?(?:block|slot|box|banner|unit|space))"
            r"|doubleclick|taboola|outbrain"
        ),
        "comments": r"comment|disqus|reply|feedback|(?<![a-z])rating|helpful|(?<![a-z])vot(?:e|ing)",
        "languages": r"lang(?:uage)?s?(?:[-_ ]|$)|locale|country",
    }.items()
)
_STATE: Final = re.compile(r"\S+--|(?:is|has|u|js)-|(?:active|open|closed|selected|current|hidden|show|visible)$")
CONTENT_TAGS: Final = frozenset(("main", "article"))
_NOTHING: Final[frozenset[str]] = frozenset()


@lru_cache(maxsize=50_000)
def parts_named(tag: str, role: str, names: str) -> frozenset[str]:
    """Say which parts of a page an element may be, by what it is called.

    >>> sorted(parts_named("div", "", "site-footer nav-links"))
    ['footer', 'navigation']
    >>> parts_named("article", "", "post")
    frozenset()
    """
    if tag in ("html", "body"):
        return _NOTHING
    found = {part for part, pattern in _NAMES if pattern.search(names)} if names else set()
    found |= {_TAGS.get(tag, ""), _ROLES.get(role, "")} - {""}
    return frozenset(found) or _NOTHING


def named_navigation(tag: str, role: str) -> bool:
    """Say whether an element is navigation by what it is, and not only by its classes."""
    return "navigation" in (_TAGS.get(tag), _ROLES.get(role))


@lru_cache(maxsize=50_000)
def stable_names(names: str) -> str:
    """Give the first names of an element that neither a new build of the site nor a new state will change.

    >>> stable_names("card css-1x2y3z fee_price"), stable_names("flag flag--sold is-open")
    ('card fee_price', 'flag')
    """
    kept = [
        name for name in names.split()[:6] if not any(sign.isdigit() for sign in name) and not _STATE.match(name)
    ]
    return " ".join(kept[:2])
