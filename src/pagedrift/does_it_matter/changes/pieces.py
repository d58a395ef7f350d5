"""Texts, pictures and files of a page in the order they stand, and the elements around them.

The page as rendered and the page as written are read by the same rules.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from pagedrift._kernels import find_texts, hash_bytes
from pagedrift.does_it_matter.changes.surroundings import CONTENT_TAGS, named_navigation, parts_named, stable_names
from pagedrift.does_it_matter.lines import read_line
from pagedrift.does_it_matter.written_elements import UNSEEN, read_elements
from pagedrift.facets.tree import ELEMENT, TEXT

if TYPE_CHECKING:
    from pagedrift.does_it_matter.written_elements import WrittenElement
    from pagedrift.facets.tree import Tree
    from pagedrift.facets.view import Box, View
    from pagedrift.page import PageVersion

_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5"))
_UNSEEN: Final = UNSEEN | {"svg:svg"}
# What is known of an element, as bits.
LINKED: Final = 1
HEADING: Final = 2
CONTENT: Final = 4
LINES: Final = 8  # white space is kept there: each line is a passage
HIDDEN: Final = 16
_FROM_BLOCKS: Final = LINKED | CONTENT | LINES | HIDDEN  # what holds for all that stands in a block
_FORMAT: Final = re.compile(r"\.(?:jpe?g|png|webp|avif|gif|svg|bmp)$")
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
        self.flags: list[int] = []  # LINKED, HEADING …
        self.called: list[int] = []  # those that only their classes call navigation
        self.title = -1  # the first heading of the highest rank

    def add(self, parent: int, traits: ElementTraits, flags: int, inline: bool) -> int:
        """Add the next one, and give its number."""
        parents, block, place, known = self.parent, self.block, self.place, self.flags
        number = len(parents)
        parts, name, _, title, called = traits
        if title and self.title < 0:
            self.title = number
        if called:
            self.called.append(number)
        self.parts.append(parts)
        parents.append(parent)
        if parent < 0:
            block.append(-1 if inline else number)
            place.append(hash((0, name)))
            known.append(flags)
            return number
        place.append(hash((place[parent], name)))
        if inline:
            block.append(block[parent])
            known.append(flags | known[parent])
        else:
            block.append(number)
            known.append(flags | known[parent] & _FROM_BLOCKS)
        return number


class ElementTraits(NamedTuple):
    """What the name, role and classes of an element say."""

    parts: frozenset[str]
    name: int  # a hash that is the same in every process
    flags: int
    title: bool
    called: bool  # navigation by its classes alone


@lru_cache(maxsize=50_000)  # pages with names of their own must not fill the memory
def _traits(tag: str, role: str, names: str) -> ElementTraits:
    name = hash_bytes(f"{tag} {stable_names(names)}".encode("utf-8", "surrogatepass"))
    content = tag in CONTENT_TAGS or role == "main"
    flags = HEADING * (tag in _HEADINGS) | CONTENT * content | LINES * (tag == "pre")
    parts = parts_named(tag, role, names)
    called = "navigation" in parts and not named_navigation(tag, role)
    return ElementTraits(parts, name, flags, title=tag == "h1", called=called)


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
    said: int | None = None  # a hash of what it says, whatever its numbers, if that is known


def read_pieces(page: PageVersion) -> tuple[PageElements, list[PagePiece]]:
    """Read a page: as rendered where it was, else from its source."""
    return _of_view(page.view) if page.view else _of_tree(page.tree)


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
    if not elements.flags[element] & LINES:
        return _add_line(pieces, element, text, edge, box)
    for line in text.split("\n"):
        edge = _add_line(pieces, element, line, edge, box)
        edge = True
    return edge


def _add_line(pieces: list[PagePiece], element: int, text: str, edge: bool, box: Box | None) -> bool:
    written, words, by_machine, said = read_line(text)
    if not written:
        return edge
    pieces.append(PagePiece(element, written, words, "text", box, edge, by_machine, "", said))
    return False


def _link_piece(element: int, address: str, box: Box | None = None) -> PagePiece | None:
    """Give a file that a link leads to."""
    path = address.partition("?")[0].partition("#")[0]
    if "." not in path or not _FILE.search(path):
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
        traits = _traits(node.tag, node.role, f"{node.classes} {node.id}".strip())
        link = node.tag == "a" and bool(node.href)
        number = elements.add(parent, traits, traits.flags | LINKED * link, inline)
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
    numbers, texts = [-1] * len(tree), {*find_texts(tree.columns)[0]}
    kind_of, written = read_elements(tree)
    rules = [_rule(each) for each in written]
    unseen_until, edge = 0, False
    for node, (kind, above) in enumerate(zip(tree.kind, tree.parent, strict=True)):
        if node < unseen_until:
            continue
        if kind == ELEMENT:
            rule = rules[kind_of[node]]
            if rule is None:
                unseen_until = tree.end[node]
                continue
            edge = edge or rule.edge
            if rule.shows:
                numbers[node] = _add_shown(elements, pieces, numbers[above], rule, tree.attributes(node))
            else:
                numbers[node] = elements.add(numbers[above], rule.traits, rule.flags, rule.inline)
        elif kind == TEXT and (parent := numbers[above]) >= 0 and (node in texts or elements.flags[parent] & LINES):
            edge = _add_text(elements, pieces, parent, tree.text(node), edge=edge)
    return elements, pieces


class _WrittenRule(NamedTuple):
    """What holds for all elements that say the same of themselves."""

    traits: ElementTraits
    flags: int
    inline: bool
    edge: bool
    shows: bool  # a picture or a file, perhaps
    link: bool


def _rule(each: WrittenElement) -> _WrittenRule | None:
    if each.tag in _UNSEEN:
        return None
    traits = _traits(each.tag, each.role, each.names)
    edge = not each.inline or each.tag == "br"
    flags = traits.flags | HIDDEN * each.hidden
    return _WrittenRule(traits, flags, each.inline, edge, shows=each.tag in ("a", "img"), link=each.tag == "a")


def _add_shown(
    elements: PageElements,
    pieces: list[PagePiece],
    parent: int,
    rule: _WrittenRule,
    attributes: tuple[tuple[str, str], ...],
) -> int:
    """Add a link or picture as written, and the file or picture that it shows; give its number."""
    given = dict(attributes)
    flags = rule.flags | LINKED if rule.link and "href" in given else rule.flags
    number = elements.add(parent, rule.traits, flags, rule.inline)
    if elements.flags[number] & HIDDEN:
        return number
    if rule.link:
        shown = _link_piece(number, given.get("href", ""))
    else:
        source = given.get("src", "") or given.get("data-src", "")
        shown = _picture_piece(number, source, given.get("alt", "")) if source else None
    if shown is not None:
        pieces.append(shown)
    return number
