"""Links and resources: where a page leads, and what it loads.

Rules of normalisation, so that equal targets are equal strings:
- absolute: against the page's first `<base href>`, itself resolved against the URL the page came from;
- as the WHATWG URL standard serialises (case, default ports, dot segments, percent encoding);
- query parameters sorted, and those of trackers dropped (utm_*, fbclid, gclid, …);
- fragments dropped, unless they are addresses of their own (`#!…`, `#/…`);
- javascript:, data:, blob: and about: lead nowhere and are left out, and so is what is not a valid URL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urldefrag, urljoin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.facets.tree import Tree

LinkKind = Literal["anchor", "canonical", "feed"]
ResourceKind = Literal["image", "stylesheet", "script", "frame"]

_NOWHERE: Final = ("javascript:", "data:", "blob:", "about:")
_FEED_TYPES: Final = ("application/rss+xml", "application/atom+xml", "application/feed+json")
_SOURCES: Final[dict[str, tuple[ResourceKind, tuple[str, ...]]]] = {
    "img": ("image", ("src", "data-src", "data-original", "data-lazy-src")),
    "input": ("image", ("src",)),
    "svg:image": ("image", ("href", "xlink:href")),
    "video": ("image", ("poster",)),
    "script": ("script", ("src",)),
    "frame": ("frame", ("src",)),
    "iframe": ("frame", ("src", "data-src")),
    "embed": ("frame", ("src",)),
    "object": ("frame", ("data",)),
}
MAX_REMEMBERED_CHARS: Final = 300
_TEXT_NODES: Final = 1000  # how far the text of a link is looked for: links in links must not cost their square
_ICONS: Final = frozenset(("icon", "apple-touch-icon"))  # what a link says of itself
_SOURCE_SETS: Final = ("srcset", "data-srcset", "imagesrcset")
# The parts of a srcset; possessive, so that no part is tried twice.
_BETWEEN = re.compile(r"[\s,]*+")
_CANDIDATE = re.compile(r"\S++")
_DESCRIPTORS = re.compile(r"(?:[^,(]++|\([^)]*+\)?+)*+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_INVISIBLE = re.compile(r"[\t\n\r]")


@dataclass(frozen=True, slots=True)
class Link:
    """A place the page leads to, with the text that leads there."""

    kind: LinkKind
    url: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """Something the page loads."""

    kind: ResourceKind
    url: str


def normalise(url: str) -> str | None:
    """Write an absolute URL in its one form, or None where it leads nowhere.

    >>> normalise("HTTP://City.example:80/a/../fees?b=2&a=1&utm_source=mail#top")
    'http://city.example/fees?a=1&b=2'
    """
    from turbohtml.extract import normalize_url  # 50 ms, for those who ask for links

    if url.lower().startswith(_NOWHERE):
        return None
    try:
        address, fragment = urldefrag(url)
        address = normalize_url(address)
    except ValueError:
        return None
    return f"{address}#{fragment}" if fragment.startswith(("!", "/")) else address


def resolve(base: str, reference: str) -> str | None:
    """Write the target of a reference on a page in its one form.

    >>> resolve("https://city.example/permits/", "../fees#top")
    'https://city.example/fees'
    """
    # Two versions of a page have most of their links in common; a picture as a data URL is not worth the memory.
    return _remembered(base, reference) if len(reference) <= MAX_REMEMBERED_CHARS else _resolve(base, reference)


def _resolve(base: str, reference: str) -> str | None:
    try:
        return normalise(urljoin(base, _cleaned(reference)))
    except ValueError:
        return None


_remembered = lru_cache(maxsize=4096)(_resolve)


def _cleaned(reference: str) -> str:
    r"""Write a reference as the URL standard reads it: no line ends, and slashes whichever way they lean.

    >>> _cleaned("java\nscript:1"), _cleaned(r"\\other.example\fees?a\b")
    ('javascript:1', '//other.example/fees?a\\b')
    """
    reference = _INVISIBLE.sub("", reference).strip()
    path, mark, query = reference.partition("?")
    is_web = _SCHEME.match(path) is None or path.lower().startswith(("http:", "https:"))
    return path.replace("\\", "/") + mark + query if is_web else reference


def base_of(tree: Tree, url: str) -> str:
    """Find what relative URLs are relative to."""
    for node in tree.live_elements("base"):
        if (href := tree.attribute(node, "href")) is not None:
            base = resolve(url, href)
            return base if base and base.startswith(("http:", "https:", "file:")) else url
    return url


def read_links(tree: Tree, url: str) -> tuple[Link, ...]:
    """List the links of a page in document order."""
    return tuple(
        Link(kind, target, " ".join(tree.text_below(node, limit=_TEXT_NODES).split()))
        for node, kind, target in _targets(tree, url)
    )


def link_targets(tree: Tree, url: str) -> Iterator[str]:
    """Go through where a page leads, without what its links say, which takes most of the time."""
    return (target for _, _, target in _targets(tree, url))


def _targets(tree: Tree, url: str) -> Iterator[tuple[int, LinkKind, str]]:
    base = base_of(tree, url)
    for node in tree.live_elements("a", "area", "svg:a", "link"):
        tag = tree.tag(node)
        kind = _link_kind(tree, node) if tag == "link" else "anchor"
        href = tree.attribute(node, "href")
        if href is None and tag == "svg:a":
            href = tree.attribute(node, "xlink:href")
        if kind and href is not None and (target := resolve(base, href)):
            yield node, kind, target


def style_sheets(tree: Tree, url: str) -> set[str]:
    """Give the addresses of the style sheets of a page."""
    base, found = base_of(tree, url), set[str]()
    for node in tree.live_elements("link"):
        reference = tree.attribute(node, "href")
        is_sheet = "stylesheet" in _relations(tree.attribute(node, "rel"))
        if is_sheet and reference and reference.strip() and (target := resolve(base, reference)):
            found.add(target)
    return found


def read_resources(tree: Tree, url: str) -> tuple[Resource, ...]:
    """List what a page loads, in document order, each once."""
    base = base_of(tree, url)
    found: dict[Resource, None] = {}
    for kind, reference in _references(tree):
        if reference.strip() and (target := resolve(base, reference)):
            found[Resource(kind, target)] = None
    return tuple(found)


def read_icons(tree: Tree, url: str) -> tuple[str, ...]:
    """List the icons that a page names for itself, those of browsers first."""
    base = base_of(tree, url)
    found: dict[str, bool] = {}
    for node in tree.live_elements("link"):
        relations, href = _relations(tree.attribute(node, "rel")), tree.attribute(node, "href")
        if href and _ICONS.intersection(relations) and (target := resolve(base, href)):
            found.setdefault(target, "icon" in relations)
    return tuple(sorted(found, key=lambda target: not found[target]))


def _references(tree: Tree) -> Iterator[tuple[ResourceKind, str]]:
    for node in tree.live_elements(*_SOURCES, "source", "link"):
        tag = tree.tag(node)
        attributes = dict(tree.attributes(node))
        if tag in _SOURCES:
            kind, names = _SOURCES[tag]
            yield from ((kind, attributes[name]) for name in names if name in attributes)
        elif tag == "link" and "href" in attributes and (kind_of_link := _resource_kind(attributes)):
            yield kind_of_link, attributes["href"]
        for name in _SOURCE_SETS:
            yield from (("image", candidate) for candidate in source_set(attributes.get(name, "")))


def source_set(value: str) -> list[str]:
    """List the URLs of a srcset.

    >>> source_set("small.png 480w, large.png?a=1,2 2x")
    ['small.png', 'large.png?a=1,2']
    """
    found = []
    position = _end(_BETWEEN, value, 0)
    while candidate := _CANDIDATE.match(value, position):
        found.append(candidate[0].rstrip(","))
        position = candidate.end()
        if not candidate[0].endswith(","):
            position = _end(_DESCRIPTORS, value, position)
        position = _end(_BETWEEN, value, position)
    return found


def _end(pattern: re.Pattern[str], value: str, position: int) -> int:
    found = pattern.match(value, position)
    return found.end() if found else position


def _relations(value: str | None) -> list[str]:
    return (value or "").lower().split()


def _link_kind(tree: Tree, node: int) -> LinkKind | None:
    relations = _relations(tree.attribute(node, "rel"))
    if "canonical" in relations:
        return "canonical"
    kind = (tree.attribute(node, "type") or "").split(";")[0].strip().lower()
    return "feed" if "alternate" in relations and kind in _FEED_TYPES else None


def _resource_kind(attributes: dict[str, str]) -> ResourceKind | None:
    relations = _relations(attributes.get("rel"))
    if "stylesheet" in relations:
        return "stylesheet"
    return "image" if _ICONS.intersection(relations) else None
