"""Texts, pictures and files of a page in the order they stand, and the elements around them.

The page as rendered and the page as written are read by the same rules.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from pagedrift._kernels import find_texts, hash_bytes
from pagedrift.does_it_matter.changes.facts import FactKind, read
from pagedrift.does_it_matter.changes.surroundings import (
    CONTENT_TAGS,
    is_badge,
    parts_named,
    parts_stated,
    stable_names,
    state_named,
)
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
CELL: Final = 32
VALUE: Final = 64  # it stands behind what names it: in a cell that is not the first of its row, or in a definition
_FROM_BLOCKS: Final = LINKED | CONTENT | LINES | HIDDEN | VALUE  # what holds for all that stands in a block
_SPOKEN_TAGS: Final = frozenset(
    ("svg:svg", "i", "span", "em", "b", "div")
)  # empty, they may say something all the same
_MAX_DRAWN_TEXTS: Final = 200  # of one drawing
_MAX_TEXTS: Final = 4  # and comments, in an element whose classes show a state
_TAKEN: Final = frozenset(
    "sold out|booked|out of stock|full|ausgebucht|ausverkauft|belegt|complet|épuisé|agotado|esaurito|esgotado"
    "|uitverkocht|volgeboekt|wyprzedane|vyprodáno|utsolgt|slutsåld|udsolgt|完売|満席|満室|品切れ|売り切れ|售罄|매진".split(
        "|"
    )
)
CONTACT_WORD: Final = "contact:"  # before an address that only a link says
_WRITTEN_TO: Final = "mailto:"
_CONTACT_LINKS: Final = ("tel:", "mailto:", "sms:", "https://wa.me/")  # their text is a fact, and not a way on
_PASSED_ON: Final = re.compile(
    r"[?&](?:url|src|image|img|u)=([^&]+?\.(?:jpe?g|png|webp|avif|gif|svg|bmp))(?=&|$|%3F)", re.IGNORECASE
)
_NUMBERED: Final = re.compile(r"/(\d{1,6})(?=/)")  # folders of files: another one holds another file
_FORMAT: Final = re.compile(r"\.(?:jpe?g|png|webp|avif|gif|svg|bmp)$")
_FILE: Final = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|csv|zip|gz|xz|bz2|7z|dmg|exe|msi|deb|rpm|apk|ics|epub|whl|jar|iso"
    r"|mp4|mp3|m4a|webm|mov|avi|wav|ogg)"
    r"(?=$|/[\da-f-]+$)",  # some servers put the number of the file behind its name
    re.I,
)
_MAX_ADDRESS_CHARS: Final = 500  # looked at: an address may be a megabyte
# Documents and videos on servers that give them a name which says nothing.
_DOCUMENT: Final = re.compile(
    r"//(?:www\.|m\.)?((?:drive|docs)\.google\.com|dropbox\.com|1drv\.ms|[\w-]+\.sharepoint\.com|youtube(?:-nocookie)?\.com"
    r"|youtu\.be|(?:player\.)?vimeo\.com)/\S{0,300}?(?:[?&](?:v|id)=|(?<=/)(?:d|e|s|embed|video|file|folders)/+|youtu\.be/|vimeo\.com/)"
    r"([\w-]{6,120})"
)
_BUILD: Final = re.compile(
    r"[-_.@](?:\d+x\d*|x\d+|[0-9a-f]{8,}|min|\d+w|scaled|(?:width|height|max|fill|format)-\w+)(?=[-_.@]|$)",
    re.IGNORECASE,
)


class PageElements:
    """What the rules need to know of the elements of a page, rendered or not, in document order."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.block: list[int] = []  # the nearest element that is not inline, itself perhaps
        self.parts: list[frozenset[str]] = []
        self.place: list[int] = []
        self.flags: list[int] = []  # LINKED, HEADING …
        self.called: dict[int, frozenset[str]] = {}  # the parts that only their classes call them
        self.title = -1  # the first heading of the first rank, or of the second where there is none
        self.second = -1
        self.rows: set[int] = set()  # elements with a cell in them

    def add(self, parent: int, traits: ElementTraits, flags: int, inline: bool) -> int:
        """Add the next one, and give its number."""
        parents, block, place, known = self.parent, self.block, self.place, self.flags
        number = len(parents)
        parts, name, _, title, called, _ = traits
        if title == 1 and self.title < 0:
            self.title = number
        elif title == 2 and self.second < 0:  # noqa: PLR2004 - the rank
            self.second = number
        if called:
            self.called[number] = called
        if flags & CELL:
            flags |= VALUE * (parent in self.rows)
            self.rows.add(parent)
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
    title: int  # the rank of a heading that may be the title of the page: 1 or 2, else 0
    called: frozenset[str]  # of the parts, those by its classes alone
    state: tuple[str, bool]  # that its classes show, see `state_named`


@lru_cache(maxsize=50_000)  # pages with names of their own must not fill the memory
def _traits(tag: str, role: str, names: str) -> ElementTraits:
    name = hash_bytes(f"{tag} {stable_names(names)}".encode("utf-8", "surrogatepass"))
    content = tag in CONTENT_TAGS or role == "main"
    flags = HEADING * (tag in _HEADINGS) | CONTENT * content | LINES * (tag == "pre")
    flags |= CELL * (tag in ("td", "th")) | VALUE * (tag == "dd")
    parts = parts_named(tag, role, names)
    called = parts - parts_stated(tag, role)
    state = state_named(tag, names)
    return ElementTraits(parts, name, flags, title={"h1": 1, "h2": 2}.get(tag, 0), called=called, state=state)


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
    elements, pieces = _of_view(page.view) if page.view else _of_tree(page.tree)
    if elements.title < 0:
        elements.title = elements.second
    return elements, pieces


def picture_name(address: str) -> str:
    """Name a picture by its address, whatever its server, size, format and build; empty for one that says nothing.

    >>> picture_name("https://cdn.example/a/main-photo-800x600.jpg?v=3"), picture_name("data:image/gif;base64,R0")
    ('main-photo', '')
    >>> picture_name("/_next/image?url=%2Fimg%2Fhouse.jpg&w=1080&q=75")
    'house'
    """
    if address.startswith("data:"):
        return ""
    if passed := _PASSED_ON.search(address):  # by a server that scales pictures
        address = unquote(passed[1])
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
    """Give a file that a link leads to, or a document or video on a server for these."""
    if found := _DOCUMENT.search(address, 0, _MAX_ADDRESS_CHARS):
        name = f"{found[1]}/{found[2]}"
        return PagePiece(element, name, (f"file:{name}",), "file", box)
    path = address.partition("?")[0].partition("#")[0]
    found = _FILE.search(path) if "." in path else None
    if found is None:
        return None
    path = path[: found.end()]
    name = unquote(path.rpartition("/")[2])
    folders = "".join(f"{each}/" for each in _NUMBERED.findall(path))
    return PagePiece(element, name, (f"file:{folders}{name.lower()}",), "file", box)


def _contact_piece(element: int, address: str, written: str, box: Box | None = None) -> PagePiece | None:
    """Give an address that a link leads to if its text does not say it: “Write to us”."""
    named = unquote(address.partition(":")[2].partition("?")[0]).strip().lower()
    if "@" not in named or "@" in written:
        return None
    return PagePiece(element, named, (f"{CONTACT_WORD}{named}",), "file", box)


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
    for at, node in enumerate(view.nodes):
        parent = numbers[node.parent] if node.parent >= 0 else -1
        if node.is_text:
            numbers.append(parent)
            if node.visible and parent >= 0:
                edge = _add_text(elements, pieces, parent, node.text, edge=edge, box=node.box)
            continue
        inline = node.style.display.startswith(("inline", "contents")) and not is_badge(node.classes)
        traits = _traits(node.tag, node.role, f"{node.classes} {node.id}".strip())
        link = node.tag == "a" and leads_on(node.href)
        number = elements.add(parent, traits, traits.flags | LINKED * link, inline)
        numbers.append(number)
        edge |= not inline or node.tag == "br"
        shown = _shown(view, at, number)
        if shown is not None and node.visible:
            pieces.append(shown)
        state, lit = traits.state
        if state and node.visible and (text := _text_alone(view, at)) is not None and _lacks(text, lit):
            edge = _add_text(elements, pieces, number, state, edge=edge, box=node.box)
    return elements, pieces


def _text_alone(view: View, at: int) -> str | None:
    """Give the text of an element that holds nothing else; None where it does."""
    texts = []
    for node in view.nodes[at + 1 : at + 1 + _MAX_TEXTS]:
        if node.parent != at:
            break
        if not node.is_text:
            return None
        texts.append(node.text)
    return " ".join(texts)


def _holds_text_alone(tree: Tree, node: int) -> bool:
    """Say whether there is no element in an element; comments may be there."""
    inside = range(node + 1, tree.end[node])
    return len(inside) <= _MAX_TEXTS and all(tree.kind[each] != ELEMENT for each in inside)


def _lacks(text: str, lit: bool) -> bool:
    """Say whether a text leaves a state to the classes around it: it does not say itself that something is taken.

    A light has no text at all.
    """
    return (
        not text.strip()
        if lit
        else not any(kind is FactKind.STATUS and each in _TAKEN for kind, each in read(text).facts)
    )


def leads_on(address: str) -> bool:
    """Say whether a link leads to another page; a telephone number or mail address does not.

    >>> leads_on("/fees"), leads_on("tel:+44 20 7946 0000")
    (True, False)
    """
    return bool(address) and not address.startswith(_CONTACT_LINKS)


def _shown(view: View, at: int, element: int) -> PagePiece | None:
    """Give the picture, file or address that an element of a rendered page shows or leads to."""
    node = view.nodes[at]
    if node.tag == "img" and node.src:
        return _picture_piece(element, node.src, node.alt, node.box)
    if node.tag == "iframe" and _DOCUMENT.search(node.src, 0, _MAX_ADDRESS_CHARS):
        return _link_piece(element, node.src, node.box)
    if node.tag != "a" or not node.href:
        return None
    if node.href.startswith(_WRITTEN_TO):
        written = _text_alone(view, at)
        return None if written is None else _contact_piece(element, node.href, written, node.box)
    return _link_piece(element, node.href, node.box)


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
            if (rule is None or rule.spoken) and (parent := numbers[above]) >= 0 and (label := _spoken(tree, node)):
                edge = _add_text(elements, pieces, parent, label, edge=edge)
            if rule is None:
                unseen_until = tree.end[node]
                edge = _add_embedded(elements, pieces, numbers[above], tree, node, edge=edge)
                continue
            edge = edge or rule.edge
            if rule.shows:
                numbers[node] = _add_shown(elements, pieces, numbers[above], rule, tree, node=node)
            else:
                numbers[node] = elements.add(numbers[above], rule.traits, rule.flags, rule.inline)
            if rule.stated:
                edge = _add_text(elements, pieces, numbers[node], rule.stated, edge=edge)
            state, lit = rule.traits.state
            if state and _holds_text_alone(tree, node) and _lacks(tree.text_below(node), lit):
                edge = _add_text(elements, pieces, numbers[node], state, edge=edge)
        elif kind == TEXT and (parent := numbers[above]) >= 0 and (node in texts or elements.flags[parent] & LINES):
            edge = _add_text(elements, pieces, parent, tree.text(node), edge=edge)
    return elements, pieces


def _add_embedded(
    elements: PageElements, pieces: list[PagePiece], parent: int, tree: Tree, node: int, *, edge: bool
) -> bool:
    """Add the texts of a drawing, or the document or video in a frame; what else frames hold is of other pages."""
    if parent < 0:
        return edge
    if tree.tag(node) == "svg:svg":
        return _add_drawn_texts(elements, pieces, parent, tree, node, edge=edge)
    if tree.tag(node) == "iframe":
        given = dict(tree.attributes(node))
        source = given.get("src", "") or given.get("data-src", "")
        piece = _link_piece(parent, source) if _DOCUMENT.search(source, 0, _MAX_ADDRESS_CHARS) else None
        pieces += [piece] if piece else []
    return edge


def _add_drawn_texts(
    elements: PageElements, pieces: list[PagePiece], parent: int, tree: Tree, drawing: int, *, edge: bool
) -> bool:
    """Add the texts that a drawing shows, each as a passage: maps, profiles and charts have their facts there."""
    node, end, room = drawing + 1, tree.end[drawing], _MAX_DRAWN_TEXTS
    while node < end and room:
        if tree.kind[node] == ELEMENT and tree.tag(node) == "svg:text":
            _add_text(elements, pieces, parent, tree.text_below(node), edge=True)
            edge = True
            node, room = tree.end[node], room - 1  # a text in a text is read once
        else:
            node += 1
    return edge


def _spoken(tree: Tree, node: int) -> str:
    """Give what an icon or cell says to those who cannot see it: “geschlossen”, “booked”."""
    tag = tree.tag(node)
    if tag not in ("svg:svg", "td") and tree.end[node] > node + 1:
        return ""
    given = dict(tree.attributes(node))
    return (given.get("aria-label", "") if tag != "td" else "") or given.get("title", "")


class _WrittenRule(NamedTuple):
    """What holds for all elements that say the same of themselves."""

    traits: ElementTraits
    flags: int
    inline: bool
    edge: bool
    shows: bool  # a picture or a file, perhaps
    link: bool
    spoken: bool  # it says something without a text, perhaps
    stated: str  # what an attribute of it says


def _rule(each: WrittenElement) -> _WrittenRule | None:
    if each.tag in _UNSEEN:
        return None
    traits = _traits(each.tag, each.role, each.names)
    inline = each.inline and not is_badge(each.names)
    edge = not inline or each.tag == "br"
    flags = traits.flags | HIDDEN * each.hidden
    return _WrittenRule(
        traits,
        flags,
        inline,
        edge,
        shows=each.tag in ("a", "img"),
        link=each.tag == "a",
        spoken=each.tag in _SPOKEN_TAGS,
        stated=each.stated,
    )


def _add_shown(
    elements: PageElements,
    pieces: list[PagePiece],
    parent: int,
    rule: _WrittenRule,
    tree: Tree,
    *,
    node: int,
) -> int:
    """Add a link or picture as written, and the file or picture that it shows; give its number."""
    given = dict(tree.attributes(node))
    flags = rule.flags | LINKED if rule.link and leads_on(given.get("href", "")) else rule.flags
    number = elements.add(parent, rule.traits, flags, rule.inline)
    href = given.get("href", "")
    if rule.link and href.startswith(_WRITTEN_TO):
        shown = _contact_piece(number, href, tree.text_below(node))
    elif rule.link:  # a file in a closed part is there for readers, too
        shown = _link_piece(number, href)
    elif elements.flags[number] & HIDDEN:
        return number
    else:
        source = given.get("src", "") or given.get("data-src", "")
        shown = _picture_piece(number, source, given.get("alt", "")) if source else None
    if shown is not None:
        pieces.append(shown)
    return number
