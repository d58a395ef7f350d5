"""What a page says, passage by passage, and where each passage stands.

A passage is the text between two edges of blocks (a paragraph, a cell, a list item), a picture, or a file to
download. The main part of a page is the smallest element that holds most of its running text; parts within it that
are named like menus, boxes or footers are known too. The page as rendered and the page as written give passages by
the same rules, so that a judge works with and without a browser.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from pagedrift._kernels import hash_bytes
from pagedrift._kernels.names import FLAGS, IDEOGRAPH, INLINE, KNOWN
from pagedrift.does_it_matter.changes.surroundings import CONTENT_TAGS, parts_named, stable_names
from pagedrift.facets.tree import ELEMENT, TEXT
from pagedrift.facets.view import around

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree
    from pagedrift.facets.view import Box, View
    from pagedrift.page import PageVersion

MAIN_SHARE: Final = 0.7  # of the running text: the smallest element that holds it is the main part of the page
PROSE_WORDS: Final = 8  # a passage this long, less than half of it links, is running text
_SHORT_COUNTS: Final = 0.1  # how much a word in other passages counts as running text: some pages have no other
_AROUND_COUNTS: Final = 0.2  # the same for words in footers, dialogs and the like
_AROUND: Final = frozenset(("navigation", "footer", "sidebar", "overlay", "form"))
_ENTRIES: Final = 3  # so many passages of one place are the entries of a list
_NEIGHBOURS: Final = 3  # passages to each side that say whether one stands among running text
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5"))
_UNSEEN: Final = frozenset(
    ("script", "style", "noscript", "template", "head", "title", "textarea", "datalist", "iframe", "svg:svg")
)
_UNSEEN_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_INLINE_TAGS: Final = frozenset(name for name, flags in zip(KNOWN, FLAGS, strict=False) if flags & INLINE) | {
    "img",
    "br",
}
_IDEOGRAPH: Final = re.compile(IDEOGRAPH)
_FILE: Final = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|csv|zip|gz|xz|bz2|7z|dmg|exe|msi|deb|rpm|apk|ics|epub|whl|jar|iso)$", re.I
)
_BUILD: Final = re.compile(r"[-_.@](?:\d+x\d*|x\d+|[0-9a-f]{8,}|min|\d+w|scaled)(?=[-_.@]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One passage of a page: what it says and where it stands."""

    words: tuple[str, ...]  # in lower case
    text: str  # as written, white space collapsed
    kind: str = "text"  # or picture, or file
    heading: bool = False
    linked: float = 0.0  # the share of its words that are links
    box: Box | None = None  # as rendered
    main: bool = True  # it stands in the main part of the page
    content: bool = False  # it stands in what the page itself calls its content: main or article
    parts: frozenset[str] = frozenset()  # what it stands in besides, see `surroundings.PARTS`
    place: int = 0  # the names of the elements around it, as a hash: the same from version to version
    slot: int = 0  # the place and what is said before it
    density: float = 0.0  # the share of running text among its neighbours
    entry: bool = False  # one of several passages of its place
    number: int = 0  # in the order of the page

    @property
    def prose(self) -> bool:
        """Whether it is running text."""
        return self.kind == "text" and len(self.words) >= PROSE_WORDS and self.linked <= 0.5  # noqa: PLR2004 - half


class _Elements:
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

    def add(self, parent: int, tag: str, role: str, names: str, *, inline: bool, link: bool) -> int:
        """Add the next one, and give its number."""
        number = len(self.parent)
        inside = parent >= 0
        self.parent.append(parent)
        self.block.append((self.block[parent] if inside else -1) if inline else number)
        self.parts.append(parts_named(tag, role, names))
        above = self.place[parent] if inside else 0
        self.place.append(hash((above, _name(tag, names))))
        self.linked.append(link or (inside and self.linked[parent]))
        self.heading.append(tag in _HEADINGS or (inside and inline and self.heading[parent]))
        self.content.append(tag in CONTENT_TAGS or role == "main" or (inside and self.content[parent]))
        self.lines.append(tag == "pre" or (inside and self.lines[parent]))
        return number


@dataclass(slots=True)
class _Piece:
    """A text, picture or file in an element."""

    element: int
    text: str
    kind: str = "text"
    box: Box | None = None
    breaks: bool = False  # a block begins or ends before it
    words: tuple[str, ...] = ()


_NAME_HASHES: dict[tuple[str, str], int] = {}


def _name(tag: str, names: str) -> int:
    """Hash what an element is called, in the same way in every process."""
    key = (tag, names)
    if (found := _NAME_HASHES.get(key)) is None:
        if len(_NAME_HASHES) > 100_000:  # noqa: PLR2004 - pages with names of their own must not fill the memory
            _NAME_HASHES.clear()
        found = _NAME_HASHES[key] = hash_bytes(f"{tag} {stable_names(names)}".encode("utf-8", "surrogatepass"))
    return found


def passages(page: PageVersion) -> tuple[Passage, ...]:
    """Read the passages of a page: as rendered where it was, else from its source.

    >>> from pagedrift import PageVersion
    >>> page = PageVersion("", b"<nav><a href=/>Home</a></nav><p>A permit costs <b>$120</b> a year, at the desk.")
    >>> [(each.text, each.main, sorted(each.parts)) for each in passages(page)]
    [('Home', False, ['navigation']), ('A permit costs $120 a year, at the desk.', True, [])]
    """
    elements, pieces = _of_view(page.view) if page.view else _of_tree(page.tree)
    return tuple(_passages(elements, pieces))


def split(text: str) -> tuple[str, ...]:
    """Split a text into words in lower case; ideographs stand for themselves.

    >>> split("Fees  日本")
    ('fees', '日', '本')
    """
    return tuple((text if text.isascii() else _IDEOGRAPH.sub(r" \g<0> ", text)).lower().split())


def _passages(elements: _Elements, pieces: list[_Piece]) -> list[Passage]:
    runs = _runs(elements, pieces)
    linked = [
        sum(len(piece.words) for piece in run if elements.linked[piece.element]) / sum(len(p.words) for p in run)
        for run in runs
    ]
    prose = [_is_prose(run, share) for run, share in zip(runs, linked, strict=True)]
    main, parts = _main_part(elements, runs, prose)
    places = Counter(elements.place[run[0].element] for run in runs)
    density = _density(prose)
    made: list[Passage] = []
    before = 0
    for number, run in enumerate(runs):
        element = run[0].element
        text = run[0].text if len(run) == 1 else " ".join(piece.text for piece in run)
        place = elements.place[element]
        made.append(
            Passage(
                words=run[0].words if len(run) == 1 else tuple(word for piece in run for word in piece.words),
                text=text,
                kind=run[0].kind,
                heading=elements.heading[element],
                linked=linked[number],
                box=_box(run),
                main=main[element],
                content=elements.content[element],
                parts=parts[element],
                place=place,
                slot=hash((place, before)),
                density=density[number],
                entry=places[place] >= _ENTRIES,
                number=number,
            )
        )
        before = hash_bytes(text.encode("utf-8", "surrogatepass"))
    return made


def _runs(elements: _Elements, pieces: list[_Piece]) -> list[list[_Piece]]:
    """Group the texts that no edge of a block keeps apart."""
    runs: list[list[_Piece]] = []
    last: _Piece | None = None
    for piece in pieces:
        same = (
            last is not None
            and not piece.breaks
            and piece.kind == last.kind == "text"
            and elements.block[piece.element] == elements.block[last.element]
        )
        if same:
            runs[-1].append(piece)
        else:
            runs.append([piece])
        last = piece
    return runs


def _is_prose(run: list[_Piece], linked: float) -> bool:
    return run[0].kind == "text" and linked <= 0.5 and sum(len(piece.words) for piece in run) >= PROSE_WORDS  # noqa: PLR2004 - half


def _main_part(
    elements: _Elements, runs: list[list[_Piece]], prose: list[bool]
) -> tuple[list[bool], list[frozenset[str]]]:
    """Find the main part; say of each element whether it stands there, and in which parts inside or outside of it."""
    count = len(elements.parent)
    around = [False] * count
    for number, parent in enumerate(elements.parent):
        around[number] = bool(elements.parts[number] & _AROUND) or (parent >= 0 and around[parent])
    mass = [0.0] * count
    for run, is_prose in zip(runs, prose, strict=True):
        element = run[0].element
        words = sum(len(piece.words) for piece in run if piece.kind == "text")
        factor = (1.0 if is_prose else _SHORT_COUNTS) * (_AROUND_COUNTS if around[element] else 1.0)
        mass[element] += words * factor
    for number in range(count - 1, 0, -1):
        if elements.parent[number] >= 0:
            mass[elements.parent[number]] += mass[number]
    root, path = _heaviest(elements.parent, mass)
    main = [False] * count
    parts: list[frozenset[str]] = [frozenset()] * count
    for number, parent in enumerate(elements.parent):
        main[number] = number == root or (parent >= 0 and main[parent])
        above = parts[parent] if parent >= 0 else frozenset()
        own = elements.parts[number]
        parts[number] = above | own if own and number not in path else above
    return main, parts


def _heaviest(parent: list[int], mass: list[float]) -> tuple[int, set[int]]:
    """Find the smallest element that holds most of the mass, and all that it stands in."""
    if not parent:
        return -1, set()
    enough = MAIN_SHARE * mass[0]
    root = 0
    if enough > 0:
        for number in range(1, len(parent)):  # document order: an element comes after what it stands in
            if parent[number] == root and mass[number] >= enough:
                root = number
    path, number = set(), root
    while number >= 0:
        path.add(number)
        number = parent[number]
    return root, path


def _density(prose: list[bool]) -> list[float]:
    """Give the share of running text around each passage."""
    total = [0]
    for each in prose:
        total.append(total[-1] + each)
    count = len(prose)
    found = []
    for number in range(count):
        first, last = max(0, number - _NEIGHBOURS), min(count, number + _NEIGHBOURS + 1)
        found.append((total[last] - total[first]) / (last - first))
    return found


def _box(run: list[_Piece]) -> Box | None:
    boxes = [piece.box for piece in run if piece.box is not None]
    return around(boxes) if boxes else None


def picture_name(address: str) -> str:
    """Name a picture by its address, whatever server, size and build it is of; empty for one that says nothing.

    >>> picture_name("https://cdn.example/a/main-photo-800x600.jpg?v=3"), picture_name("data:image/gif;base64,R0")
    ('main-photo.jpg', '')
    """
    if address.startswith("data:"):
        return ""
    name = unquote(address.partition("?")[0].partition("#")[0].rpartition("/")[2]).lower()
    return _BUILD.sub("", name) if name.strip(".-_") else ""


def _add_text(
    elements: _Elements, pieces: list[_Piece], element: int, text: str, *, edge: bool, box: Box | None = None
) -> bool:
    """Add a text, by lines where white space is kept; say whether a new passage begins after it."""
    kept = elements.lines[element]
    for line in text.split("\n") if kept else (text,):
        if words := split(line):
            pieces.append(_Piece(element, " ".join(line.split()), "text", box, edge, words))
            edge = False
        edge |= kept
    return edge


def _link_piece(element: int, address: str, box: Box | None = None) -> _Piece | None:
    """Give a file that a link leads to."""
    path = address.partition("?")[0].partition("#")[0]
    if not _FILE.search(path):
        return None
    name = unquote(path.rpartition("/")[2])
    return _Piece(element, name, "file", box, words=(f"file:{name.lower()}",))


def _picture_piece(element: int, address: str, alt: str, box: Box | None = None) -> _Piece | None:
    name = picture_name(address)
    if not name:
        return None
    return _Piece(element, " ".join(alt.split()) or name, "picture", box, words=(f"picture:{name}",))


def _of_view(view: View) -> tuple[_Elements, list[_Piece]]:
    """Read a rendered page; what cannot be seen has no text."""
    elements, pieces = _Elements(), []
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
        shown = _shown(number, node.tag, node.href, node.src, node.alt, node.box if node.visible else None)
        if shown is not None and node.visible:
            pieces.append(shown)
    return elements, pieces


def _shown(element: int, tag: str, href: str, src: str, alt: str, box: Box | None = None) -> _Piece | None:
    if tag == "img" and src:
        return _picture_piece(element, src, alt, box)
    if tag == "a" and href:
        return _link_piece(element, href, box)
    return None


def _of_tree(tree: Tree) -> tuple[_Elements, list[_Piece]]:
    """Read a page as written; what is known to be hidden is left out."""
    elements, pieces = _Elements(), []
    numbers = [-1] * len(tree)
    unseen_until, edge = 0, False
    kinds, parents, ends = tree.kind, tree.parent, tree.end
    for node in range(1, len(tree)):
        if node < unseen_until:
            continue
        kind = kinds[node]
        if kind == TEXT:
            parent = numbers[parents[node]]
            if parent >= 0:
                edge = _add_text(elements, pieces, parent, tree.text(node), edge=edge)
        elif kind == ELEMENT:
            tag = tree.tag(node)
            attributes = dict(tree.attributes(node))
            if tag in _UNSEEN or "hidden" in attributes or _UNSEEN_STYLE.search(attributes.get("style", "")):
                unseen_until = ends[node]
                continue
            names = f"{attributes.get('class', '')} {attributes.get('id', '')}".strip()
            inline = tag in _INLINE_TAGS
            number = elements.add(
                numbers[parents[node]],
                tag,
                attributes.get("role", ""),
                names,
                inline=inline,
                link=tag == "a" and "href" in attributes,
            )
            numbers[node] = number
            edge |= not inline or tag == "br"
            source = attributes.get("src", "") or attributes.get("data-src", "")
            shown = _shown(number, tag, attributes.get("href", ""), source, attributes.get("alt", ""))
            if shown is not None:
                pieces.append(shown)
    return elements, pieces
