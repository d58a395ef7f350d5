"""Texts, pictures and files of a page in the order they stand, and the elements around them.

The page as rendered and the page as written are read by the same rules.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from pagedrift._kernels import hash_bytes
from pagedrift._kernels.names import FLAGS, IDEOGRAPH, INLINE, KNOWN
from pagedrift.does_it_matter.changes.surroundings import CONTENT_TAGS, named_navigation, parts_named, stable_names
from pagedrift.facets.tree import ELEMENT, TEXT

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree
    from pagedrift.facets.view import Box, View
    from pagedrift.page import PageVersion

_SHORT_TEXT: Final = 500  # characters of texts that are remembered from one version to the next
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5"))
_UNSEEN: Final = frozenset(
    ("script", "style", "noscript", "template", "head", "title", "textarea", "datalist", "iframe", "svg:svg")
)
_UNSEEN_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_INLINE_TAGS: Final = frozenset(name for name, flags in zip(KNOWN, FLAGS, strict=False) if flags & INLINE) | {
    "img",
    "br",
}
_FORMAT: Final = re.compile(r"\.(?:jpe?g|png|webp|avif|gif|svg|bmp)$")
_SECONDS: Final = re.compile(r"\d:\d\d:\d\d(?!\d)")
_CHECKSUM: Final = re.compile(r"(?=\D*\d)[0-9a-f]{32,64}")
_CHECKSUM_CHARS: Final = 32
_IDEOGRAPH: Final = re.compile(IDEOGRAPH)
_FILE: Final = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|csv|zip|gz|xz|bz2|7z|dmg|exe|msi|deb|rpm|apk|ics|epub|whl|jar|iso)$", re.I
)
_BUILD: Final = re.compile(r"[-_.@](?:\d+x\d*|x\d+|[0-9a-f]{8,}|min|\d+w|scaled)(?=[-_.@]|$)", re.IGNORECASE)


class PageElements:
    """What the rules need to know of the elements of a page, rendered or not, in document order."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.block: list[int] = []  # the nearest element that is not inline, itself perhaps
        self.parts: list[frozenset[str]] = []
        self.place: list[int] = []
        self.linked: list[bool] = []
        self.heading: list[bool] = []
        self.content: list[bool] = []
        self.lines: list[bool] = []  # white space is kept there: each line is a passage
        self.hidden: list[bool] = []
        self.called: list[int] = []  # those that only their classes call navigation
        self.title = -1  # the first heading of the highest rank

    def add(
        self, parent: int, tag: str, role: str, names: str, *, inline: bool, link: bool, hidden: bool = False
    ) -> int:
        """Add the next one, and give its number."""
        number = len(self.parent)
        traits = _traits(tag, role, names)
        if traits.title and self.title < 0:
            self.title = number
        if "navigation" in traits.parts and not traits.navigation:
            self.called.append(number)
        self.parent.append(parent)
        self.parts.append(traits.parts)
        if parent < 0:
            self.block.append(-1 if inline else number)
            self.place.append(hash((0, traits.name)))
            self.linked.append(link)
            self.heading.append(traits.heading)
            self.content.append(traits.content)
            self.lines.append(traits.lines)
            self.hidden.append(hidden)
            return number
        self.block.append(self.block[parent] if inline else number)
        self.place.append(hash((self.place[parent], traits.name)))
        self.linked.append(link or self.linked[parent])
        self.heading.append(traits.heading or (inline and self.heading[parent]))
        self.content.append(traits.content or self.content[parent])
        self.lines.append(traits.lines or self.lines[parent])
        self.hidden.append(hidden or self.hidden[parent])
        return number


class ElementTraits(NamedTuple):
    """What the name, role and classes of an element say."""

    parts: frozenset[str]
    name: int  # a hash that is the same in every process
    heading: bool
    content: bool
    lines: bool
    title: bool
    navigation: bool  # by its element or role, whatever its classes


@lru_cache(maxsize=50_000)  # pages with names of their own must not fill the memory
def _traits(tag: str, role: str, names: str) -> ElementTraits:
    name = hash_bytes(f"{tag} {stable_names(names)}".encode("utf-8", "surrogatepass"))
    content = tag in CONTENT_TAGS or role == "main"
    return ElementTraits(
        parts_named(tag, role, names),
        name,
        heading=tag in _HEADINGS,
        content=content,
        lines=tag == "pre",
        title=tag == "h1",
        navigation=named_navigation(tag, role),
    )


class PagePiece(NamedTuple):
    """A text, picture or file in an element."""

    element: int
    text: str
    words: tuple[str, ...]
    kind: str = "text"
    box: Box | None = None
    breaks: bool = False  # a block begins or ends before it
    by_machine: bool = False  # it holds what only machines write
    address: str = ""  # of a picture, as written


def read_pieces(page: PageVersion) -> tuple[PageElements, list[PagePiece]]:
    """Read a page: as rendered where it was, else from its source."""
    return _of_view(page.view) if page.view else _of_tree(page.tree)


def split(text: str) -> tuple[str, ...]:
    """Split a text into words in lower case; ideographs stand for themselves.

    >>> split("Fees  日本")
    ('fees', '日', '本')
    """
    return tuple((text if text.isascii() else _IDEOGRAPH.sub(r" \g<0> ", text)).lower().split())


def picture_name(address: str) -> str:
    """Name a picture by its address, whatever its server, size, format and build; empty for one that says nothing.

    >>> picture_name("https://cdn.example/a/main-photo-800x600.jpg?v=3"), picture_name("data:image/gif;base64,R0")
    ('main-photo', '')
    """
    if address.startswith("data:"):
        return ""
    name = unquote(address.partition("?")[0].partition("#")[0].rpartition("/")[2]).lower()
    return _FORMAT.sub("", _BUILD.sub("", name)) if name.strip(".-_") else ""


def _add_text(
    elements: PageElements, pieces: list[PagePiece], element: int, text: str, *, edge: bool, box: Box | None = None
) -> bool:
    """Add a text, by lines where white space is kept; say whether a new passage begins after it."""
    if not elements.lines[element]:
        return _add_line(pieces, element, text, edge=edge, box=box)
    for line in text.split("\n"):
        edge = _add_line(pieces, element, line, edge=edge, box=box)
        edge = True
    return edge


def _add_line(pieces: list[PagePiece], element: int, text: str, *, edge: bool, box: Box | None) -> bool:
    written, words, by_machine = _line(text) if len(text) <= _SHORT_TEXT else _line.__wrapped__(text)
    if not written:
        return edge
    pieces.append(PagePiece(element, written, words, "text", box, edge, by_machine))
    return False


@lru_cache(maxsize=4_096)  # the next version of a page says mostly the same
def _line(text: str) -> tuple[str, tuple[str, ...], bool]:
    """Collapse the white space of a text, split it into words, and say whether only machines write such a text."""
    written = " ".join(text.split())
    words = split(written)
    by_machine = len(text) <= _SHORT_TEXT and (
        (":" in written and _SECONDS.search(written) is not None)
        or any(len(word) >= _CHECKSUM_CHARS and _CHECKSUM.fullmatch(word) for word in words)
    )
    return written, words, bool(by_machine)


def _link_piece(element: int, address: str, box: Box | None = None) -> PagePiece | None:
    """Give a file that a link leads to."""
    path = address.partition("?")[0].partition("#")[0]
    if not _FILE.search(path):
        return None
    name = unquote(path.rpartition("/")[2])
    return PagePiece(element, name, (f"file:{name.lower()}",), "file", box)


def _picture_piece(element: int, address: str, alt: str, box: Box | None = None) -> PagePiece | None:
    name = picture_name(address)
    if not name:
        return None
    text = " ".join(alt.split()) or name
    return PagePiece(element, text, (f"picture:{name}",), "picture", box, address=address)


def _of_view(view: View) -> tuple[PageElements, list[PagePiece]]:
    """Read a rendered page; what cannot be seen has no text."""
    elements, pieces = PageElements(), list[PagePiece]()
    numbers: list[int] = []  # of view nodes: the element they are, or of a text, that it stands in
    edge = False
    for node in view.nodes:
        parent = numbers[node.parent] if node.parent >= 0 else -1
        if node.is_text:
            numbers.append(parent)
            if node.visible and parent >= 0:
                edge = _add_text(elements, pieces, parent, node.text, edge=edge, box=node.box)
            continue
        inline = node.style.display.startswith(("inline", "contents"))
        number = elements.add(
            parent,
            node.tag,
            node.role,
            f"{node.classes} {node.id}".strip(),
            inline=inline,
            link=node.tag == "a" and bool(node.href),
        )
        numbers.append(number)
        edge |= not inline or node.tag == "br"
        shown = _shown(number, node.tag, node.href, node.src, node.alt, box=node.box)
        if shown is not None and node.visible:
            pieces.append(shown)
    return elements, pieces


def _shown(element: int, tag: str, href: str, src: str, alt: str, *, box: Box | None = None) -> PagePiece | None:
    if tag == "img" and src:
        return _picture_piece(element, src, alt, box)
    if tag == "a" and href:
        return _link_piece(element, href, box)
    return None


def _of_tree(tree: Tree) -> tuple[PageElements, list[PagePiece]]:
    """Read a page as written; what is known to be hidden until someone opens it is marked."""
    elements, pieces = PageElements(), list[PagePiece]()
    numbers = [-1] * len(tree)
    unseen_until, edge = 0, False
    kinds, parents, ends, names = tree.kind, tree.parent, tree.end, tree.name
    texts, starts = tree.columns.texts, tree.columns.text_start
    for node in range(1, len(tree)):
        if node < unseen_until:
            continue
        kind = kinds[node]
        if kind == TEXT:
            parent = numbers[parents[node]]
            blank = texts[starts[node] : starts[node + 1]].isspace()  # most are; they need no further look
            if parent >= 0 and not (blank and not elements.lines[parent]):
                edge = _add_text(elements, pieces, parent, tree.text(node), edge=edge)
        elif kind == ELEMENT:
            tag = tree.names[names[node]]
            if tag in _UNSEEN:
                unseen_until = ends[node]
                continue
            edge |= tag not in _INLINE_TAGS or tag == "br"
            attributes = tree.attributes(node)
            numbers[node] = _add_written(elements, pieces, numbers[parents[node]], tag, attributes)
    return elements, pieces


def _add_written(
    elements: PageElements, pieces: list[PagePiece], parent: int, tag: str, attributes: tuple[tuple[str, str], ...]
) -> int:
    """Add an element as written, and the picture or file that it shows; give its number."""
    inline = tag in _INLINE_TAGS
    if not attributes:
        return elements.add(parent, tag, "", "", inline=inline, link=False)
    given = dict(attributes)
    get = given.get
    names = f"{get('class', '')} {get('id', '')}".strip()
    hidden = "hidden" in given or ("style" in given and _UNSEEN_STYLE.search(given["style"]) is not None)
    link = tag == "a" and "href" in given
    number = elements.add(parent, tag, get("role", ""), names, inline=inline, link=link, hidden=hidden)
    if (tag == "img" or link) and not elements.hidden[number]:
        source = get("src", "") or get("data-src", "")
        shown = _shown(number, tag, get("href", ""), source, get("alt", ""))
        if shown is not None:
            pieces.append(shown)
    return number
