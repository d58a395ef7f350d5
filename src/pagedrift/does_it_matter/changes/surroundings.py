"""The parts of a page around its content, recognised by elements, roles and the names page makers give."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

RECOMMENDED: Final = "recommended"  # other products or articles; the judge has no weight for these, but a rule
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
    "notice",
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
    "alert": "notice",
    "status": "notice",
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
            r"footer|(?:^| )foot(?!ball|note|age|wear|er)|copyright"
            r"|(?:^|[-_ ])(?:colophon|(?:site|page|theme)-?credits?)(?:[-_ ]|$)"
            r"|(?:^| |(?:site|page)[-_])bottom(?! attached)(?:[-_ ]|$)"
        ),
        "navigation": (
            r"(?<!u)nav(?!y|al|ail)|menu|crumb|toolbar|pager|paginat(?!ed)|drawer|dropdown"
            r"|(?:tabs?(?![-_]?(?:pane|panel|content|body))|toc|topbar)(?:[-_ ]|$)"
        ),
        "sidebar": (
            r"side-?bar|aside|(?<!elementor-)widget|recent|related|relatives|popular|(?<![a-z])tags|categories"
            r"|cat(?:egory)?[-_]?(?:list|links|cloud)|blogroll|recommend|suggest"
            r"|simila[ir]|teaser|promo(?!ted)|newsletter|subscribe|trending|also[-_]|crosssell|upsell"
        ),
        RECOMMENDED: (
            r"recomm[ae]nd|empfehl|related(?![-_]?(?:doc|file|download|law|form))|simila[ir]|also[-_](?:like|bought)"
            r"|cross-?sell|up-?sell|you-may|featured[-_]?products|bought[-_]together"
        ),
        "header": (
            r"(?<!page-)(?<!page_)(?<!entry-)(?<!post-)(?<!section-)(?<!card-)(?<!card__)(?<!article-)(?<!content-)(?<!product-)"
            r"(?<!panel-)(?<!table-)(?<!block-)(?<!event-)(?<!news-)header|masthead|(?<!ta)logo|topbar|(?<!notification[-_])banner"
            r"|social(?![-_]?(?:security|serv|care|work))|share(?!hold)"
            r"|(?<!re)search|(?<!b)log-?in|(?<!de)sign-?in|mini-?cart|basket(?!ball)|account"
        ),
        "overlay": (
            r"cookie|consent|onetrust|gdpr|didomi|cmp-?(?:box|banner|wrapper|container)|modal|(?<!has-)popup|overlay|dialog|toast"
            r"|(?:^| )(?:visually-)?hidden(?: |$)|(?<!s)ticker|lightbox|tooltip|offcanvas"
        ),
        "notice": (
            r"announcement|notification[-_]banner|(?:info|warning|error|negative)[-_ ]message"
            r"|(?:^|[-_ ])(?:notices?|alerts?|callout|warning|flash|admonition|hinweis|aviso|avviso"
            r"|bandeau|melding|varsel)(?:[-_ ]|$)"
        ),
        "advertisement": (
            r"advert(?!iser)|sponsor|werbung|publicidad|publicit|pubblicit|reklam"
            r"|(?:^|[-_ ])(?<!has-)(?<!with-)(?<!no-)"
            r"(?:(?:ads?|publi?)(?:[-_ ]|$)|ad-?(?:block|slot|box|banner|unit|space))"
            r"|doubleclick|taboola|outbrain"
        ),
        "comments": r"comment|disqus|reply|feedback|(?<![a-z])rating|helpful|(?<![a-z])vot(?:e|ing)",
        "languages": (
            r"lang(?:uage)?s?(?: |$|[-_](?:[a-z]{2}(?: |$)|switch|select|pick|choo|menu|nav|list|links?|bar|box"
            r"|drop|toggle))|locale|country"  # language-python is a piece of code
        ),
    }.items()
)
_STATE: Final = re.compile(
    r"\S+--|(?:is|has|u|js)-|(?:active|open|closed|selected|current|hidden|show|visible|booked|available|unavailable"
    r"|sold-?out|full|green|red|yellow|orange|amber)$"
)
# States that pages write into classes, and nowhere else: of an entry that is taken, and of a light without a text.
_TAKEN: Final = re.compile(
    r"(?:^|[-_ ])(sold[-_]?out|booked(?![-_]by)|out[-_]?of[-_]?stock|ausgebucht|ausverkauft|agotado|esaurito)"
    r"(?:[-_ ]|$)",
    re.I,
)
_LIT: Final = re.compile(
    r"(?:^|[-_ ])(open|closed|available|unavailable|occupied|full(?![-_]?w)|green|red|yellow|orange|amber)"
    r"(?:[-_ ]|$)",
    re.I,
)
_LIGHT: Final = re.compile(
    r"(?:^|[-_ ])(?:status|state|dot|light|led|indicator|signal|ampel|lamp|availability)(?:[-_ ]|$)", re.I
)
_BADGE: Final = re.compile(
    r"(?:^|[-_ ])(?:badge|pill|chip|etiquette"
    r"|(?:label|tag)[-_]{1,2}(?:success|danger|warning|info|default|primary|status))(?:[-_ ]|$)",
    re.IGNORECASE,
)
_OPENERS: Final = frozenset(("img", "picture", "a", "button"))  # a dialog or a lightbox, whose name they have
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
    if tag in ("html", "body") or tag in CONTENT_TAGS or role == "main":
        return _NOTHING
    if "-" in tag:  # page makers name elements of their own, as in <product-recommendations>
        names = f"{tag} {names}"
    found = {part for part, pattern in _NAMES if pattern.search(names)} if names else set()
    if tag in _OPENERS:
        found.discard("overlay")
    if is_badge(names):  # “label-warning” is a plate in a colour
        found.discard("notice")
    found |= {_TAGS.get(tag, ""), _ROLES.get(role, "")} - {""}
    return frozenset(found) or _NOTHING


_SPELLED: Final = {"soldout": "sold out", "outofstock": "out of stock"}


def state_named(tag: str, names: str) -> tuple[str, bool]:
    """Give the state that the classes of an element show, and whether they do only if there is no text in it.

    >>> state_named("li", "slot slot--booked"), state_named("span", "dot dot-green"), state_named("div", "open")
    (('booked', False), ('green', True), ('', False))
    """
    if tag in ("html", "body", "button", "a", "nav") or not names:
        return "", False
    if found := _TAKEN.search(names):
        return _SPELLED.get(found[1].lower().replace("-", "").replace("_", ""), found[1].lower()), False
    found = _LIT.search(names) if _LIGHT.search(names) else None
    return (found[1].lower(), True) if found else ("", False)


@lru_cache(maxsize=50_000)
def is_badge(names: str) -> bool:
    """Say whether an element is drawn as a small plate of its own, whatever stands next to it in the line.

    >>> is_badge("label label-success"), is_badge("label"), is_badge("badge")
    (True, False, True)
    """
    return bool(names) and _BADGE.search(names) is not None


def parts_stated(tag: str, role: str) -> frozenset[str]:
    """Say which parts an element is by what it is, whatever its classes say."""
    return frozenset({_TAGS.get(tag, ""), _ROLES.get(role, "")} - {""})


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
