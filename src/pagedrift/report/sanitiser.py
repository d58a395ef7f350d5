"""The HTML sanitiser: keeps only elements and attributes that are safe to show.

By allow-list, for what is written and again for what a parser makes of it: a page that reads differently the second
time (mutation XSS) is refused. Foreign content holds only its own kind, so that nothing in it leads back to HTML.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urldefrag, urljoin

from pagedrift.errors import LimitError
from pagedrift.facets.tree import COMMENT, ELEMENT, INSTRUCTION, TEXT, read_tree
from pagedrift.report.css_sanitiser import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Context = Literal["html", "svg", "math", "select", "text"]  # what may stand inside an element

POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "form-action 'none'; base-uri 'none'; frame-src 'none'"
)
METAS: Final = (
    (("charset", "utf-8"),),
    (("http-equiv", "Content-Security-Policy"), ("content", POLICY)),
    (("http-equiv", "x-dns-prefetch-control"), ("content", "off")),  # links are looked up before anyone clicks
    (("name", "referrer"), ("content", "no-referrer")),
    (("name", "viewport"), ("content", "width=device-width")),
)
ELEMENTS: Final = frozenset(
    "a abbr acronym address article aside b bdi bdo big blockquote body br button caption center cite code col "
    "colgroup data dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer form h1 h2 h3 "
    "h4 h5 h6 header hgroup hr html head i img input ins kbd label legend li main mark menu meter nav nobr ol "
    "optgroup option output p picture pre progress q rp rt ruby s samp search section select small span strike "
    "strong style sub summary sup table tbody td textarea tfoot th thead time title tr tt u ul var wbr meta".split()
)
RENAMED: Final = {"xmp": "pre", "listing": "pre", "plaintext": "pre", "frameset": "div", "marquee": "div"}
VOID: Final = frozenset("br col hr img input wbr meta".split())
# Parts of the page that a picture of it has no place for; svg:use and animations could multiply or rewrite links.
LEFT_OUT: Final = frozenset(
    "script noscript template link meta base title style head param source track area map noembed noframes "
    "datalist bgsound basefont".split()
)
PLACEHOLDERS: Final = frozenset("iframe frame object embed applet video audio canvas portal fencedframe".split())
SVG: Final = frozenset(
    "svg g path rect circle ellipse line polyline polygon text tspan defs linearGradient radialGradient stop "
    "clipPath mask".split()
)
MATH: Final = frozenset(
    "math mrow mi mo mn ms mtext mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mspace "
    "mstyle mpadded mphantom menclose mmultiscripts mprescripts mfenced".split()
)
ATTRIBUTES: Final = frozenset(
    "id class title lang dir style role hidden align valign width height bgcolor color border cellpadding "
    "cellspacing colspan rowspan headers scope span start value type reversed face size alt nowrap abbr datetime "
    "open checked disabled selected placeholder label for maxlength rows cols readonly multiple min max low high "
    "optimum clear compact noshade media hspace vspace text link vlink rules frame href src target rel "
    # of SVG and MathML
    "d viewBox fill stroke stroke-width stroke-linecap stroke-linejoin stroke-dasharray stroke-opacity "
    "stroke-miterlimit fill-opacity fill-rule clip-rule clip-path mask opacity x y x1 x2 y1 y2 cx cy r rx ry fx fy "
    "points transform offset stop-color stop-opacity gradientUnits gradientTransform preserveAspectRatio "
    "font-size font-family font-weight text-anchor dx dy display mathvariant mathcolor mathsize stretchy fence "
    "separator accent columnalign rowalign linethickness".split()
)
_CUSTOM = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_OPEN_NAME = re.compile(r"(?:data|aria)-[a-z0-9_-]+")
_LIVE = re.compile(r"https?://|mailto:", re.IGNORECASE)
_PICTURE = re.compile(
    r"data:(?:image/(?:png|gif|jpeg|webp|avif|svg\+xml|bmp|x-icon)|(?:font|application)/[a-z0-9.+-]*(?:woff2?|ttf|otf)"
    r"[a-z0-9.+-]*)[;,]",
    re.IGNORECASE,
)
_EDGES: Final = "".join(map(chr, range(0x21)))  # what browsers take off the ends of an address
_INNER = re.compile("[\t\r\n]")  # and out of its middle
_PLAIN_VALUES: Final = frozenset("d points transform viewBox gradientTransform".split())  # SVG that is not a CSS


class UnsafePageError(LimitError):
    """A page of which something live would be left."""


def element(tag: str, context: Context, prefix: str) -> str | None:
    """Name the element that stands for one of the page, or None where it must not be shown.

    >>> element("xmp", "html", "x"), element("svg:svg", "html", "x"), element("script", "html", "x")
    ('pre', 'svg', None)
    """
    if context == "html" and not tag.startswith(("svg:", "math:")):
        if tag in ELEMENTS or (_CUSTOM.fullmatch(tag) and tag != "annotation-xml"):
            return tag
        if tag in LEFT_OUT or tag in PLACEHOLDERS:
            return None
        return RENAMED.get(tag, f"{prefix}-other")
    space, _, name = tag.rpartition(":")
    if context == "select" and tag in ("option", "optgroup"):
        return tag
    allowed = {"svg": SVG, "math": MATH}.get(space, frozenset[str]())
    return name if name in allowed and (context == space or (name == space and context == "html")) else None


def context_inside(tag: str, context: Context) -> Context:
    """Say what may stand inside an element."""
    inside: dict[str, Context] = {
        "svg:svg": "svg",
        "math:math": "math",
        "select": "select",
        "option": "text",
        "textarea": "text",
        "title": "text",
        "style": "text",
    }
    return inside.get(tag, context)


def attributes(
    tag: str,
    given: tuple[tuple[str, str], ...],
    link: Callable[[str], str | None],
    load: Callable[[str], str | None],
) -> Iterator[tuple[str, str]]:
    """Keep the attributes of an element that do nothing; `link` and `load` say what addresses become.

    >>> list(attributes("p", (("class", "fee"), ("onclick", "steal()")), str, str))
    [('class', 'fee')]
    """
    for name, value in given:
        if _OPEN_NAME.fullmatch(name):
            yield name, value
        elif name not in ATTRIBUTES or name in ("target", "rel"):
            continue
        elif name == "href":
            if tag == "a" and (target := link(value)) is not None:
                yield from _anchor(target)
        elif name == "src":
            if tag == "img" and (picture := load(value)) and _PICTURE.match(picture):
                yield name, picture
        elif name == "style" or (tag.startswith(("svg:", "math:")) and "(" in value and name not in _PLAIN_VALUES):
            if is_clean(cleaned := clean(value, load)):
                yield name, cleaned
        else:
            yield name, value
    yield from _disarmed(tag, dict(given))


def _disarmed(tag: str, given: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Give what keeps a form from being sent, and a chooser of files from opening."""
    if tag == "form":  # a dialog's form that is in no dialog goes nowhere, whichever button is pressed
        yield "method", "dialog"
    if tag == "input" and "file" in given.get("type", "").lower() and "disabled" not in given:
        yield "disabled", ""


def _anchor(target: str) -> Iterator[tuple[str, str]]:
    yield "href", target
    if not target.startswith("#"):
        yield from (("target", "_blank"), ("rel", "noopener noreferrer"))


def address(base: str, reference: str, *, page: str = "") -> str | None:
    r"""Write where a link leads, absolute; a place on the page itself as #place, None where it leads to no page.

    >>> address("https://city.example/a/", "../fees"), address("https://city.example/", " java\nscript:alert(1)")
    ('https://city.example/fees', None)
    >>> address("https://city.example/fees", "#roof", page="https://city.example/fees")
    '#roof'
    """
    reference = _INNER.sub("", reference.strip(_EDGES))
    if reference.startswith("#"):
        return reference
    try:
        absolute = urljoin(base, reference)
    except ValueError:
        return None
    place, fragment = urldefrag(absolute)
    if fragment and place == page:
        return f"#{fragment}"
    return re.sub(r"[\x00-\x20]", "%20", absolute) if _LIVE.match(absolute) else None


def inert(reference: str) -> str | None:
    """Keep the addresses that load nothing: pictures and fonts that are their own address, places on the page."""
    return reference if _PICTURE.match(reference) or reference.startswith("#") else None


def check(html: str, prefix: str) -> None:
    """Parse a page that was made safe, and refuse it if anything is in it that is not on the lists."""
    tree = read_tree(html)
    inside: list[Context] = ["html"] * len(tree)
    for node in range(1, len(tree)):
        kind, context = tree.kind[node], inside[tree.parent[node]]
        if kind in (COMMENT, INSTRUCTION):
            raise _unsafe(f"a comment: {tree.text(node)[:60]!r}")
        if kind == TEXT and tree.tag(tree.parent[node]) == "style" and not is_clean(tree.text(node)):
            raise _unsafe("a style sheet that loads something")
        if kind != ELEMENT:
            continue
        tag = tree.tag(node)
        inside[node] = context_inside(tag, context)
        if element(tag, context, prefix) != tag.removeprefix("svg:").removeprefix("math:"):
            raise _unsafe(f"<{tag}> in {context}")
        _check_attributes(tag, tree.attributes(node))


def _check_attributes(tag: str, given: tuple[tuple[str, str], ...]) -> None:
    if tag == "meta":
        if given not in METAS:
            raise _unsafe(f"<meta {given}>")
        return
    kept = list(attributes(tag, given, _is_dead, inert))
    named = [pair for pair in given if pair[0] not in ("target", "rel")]
    if sorted(pair for pair in kept if pair[0] not in ("target", "rel")) != sorted(named):
        raise _unsafe(f"<{tag}> with {given}")


def _is_dead(target: str) -> str | None:
    return target if target.startswith("#") or _LIVE.match(target) else None


def is_clean(css: str) -> bool:
    """Return whether a style loads nothing, and reads the same once it was cleaned again."""
    return clean(css, inert) == css


def _unsafe(what: str) -> UnsafePageError:
    return UnsafePageError(
        f"the page would keep {what} after cleaning, so it is not shown; use the list of changes instead, and "
        "please report the page"
    )
