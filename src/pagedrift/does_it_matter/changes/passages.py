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
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from pagedrift._kernels import hash_bytes
from pagedrift._kernels.names import FLAGS, IDEOGRAPH, INLINE, KNOWN
from pagedrift.does_it_matter.changes.surroundings import CONTENT_TAGS, named_navigation, parts_named, stable_names
from pagedrift.facets.tree import ELEMENT, TEXT
from pagedrift.facets.view import around

if TYPE_CHECKING:
    from datetime import datetime

    from pagedrift.facets.tree import Tree
    from pagedrift.facets.view import Box, View
    from pagedrift.page import PageVersion

MAIN_SHARE: Final = 0.7  # of the running text: the smallest element that holds it is the main part of the page
PROSE_WORDS: Final = 8  # a passage this long, less than half of it links, is running text
_SHORT_COUNTS: Final = 0.1  # how much a word in other passages counts as running text: some pages have no other
_AROUND_COUNTS: Final = 0.2  # the same for words in footers, dialogs and the like
_AROUND: Final = frozenset(("navigation", "footer", "sidebar", "overlay", "form"))
_FRAME: Final = frozenset(("navigation", "footer", "header", "sidebar"))
_FEW_PASSAGES: Final = 12  # a main part of fewer may be only a part of it
_SHORT_TEXT: Final = 500  # characters of texts that are remembered from one version to the next
_NEAR_TITLE: Final = 8  # passages
_MENU_LINKED: Final = 0.4  # of the words: what its classes call a menu and has fewer links may be one of dishes
_ENTRIES: Final = 3  # so many passages of one place are the entries of a list
_NEIGHBOURS: Final = 3  # passages to each side that say whether one stands among running text
_MACHINE_NEAR: Final = 5  # passages to each side that belong to what a machine wrote
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
_NUMBER: Final = re.compile(r"\d+")
_MACHINE: Final = re.compile(r"\d:\d\d:\d\d(?!\d)|(?<!\w)(?=\D*\d)[0-9a-f]{32,64}(?!\w)")
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
    hidden: bool = False  # not shown until someone opens it, or never
    under: str = ""  # the heading before it
    follows: int = 0  # what is said before it, as a hash
    near_title: bool = False  # it stands close to the title of the page
    number: int = 0  # in the order of the page
    by_machine: bool = False  # close to what only machines write: a time with seconds, a checksum
    captured_at: datetime | None = None  # when the page was

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


class _Traits(NamedTuple):
    """What the name, role and classes of an element say."""

    parts: frozenset[str]
    name: int  # a hash that is the same in every process
    heading: bool
    content: bool
    lines: bool
    title: bool
    navigation: bool  # by its element or role, whatever its classes


@lru_cache(maxsize=50_000)  # pages with names of their own must not fill the memory
def _traits(tag: str, role: str, names: str) -> _Traits:
    name = hash_bytes(f"{tag} {stable_names(names)}".encode("utf-8", "surrogatepass"))
    content = tag in CONTENT_TAGS or role == "main"
    return _Traits(
        parts_named(tag, role, names),
        name,
        heading=tag in _HEADINGS,
        content=content,
        lines=tag == "pre",
        title=tag == "h1",
        navigation=named_navigation(tag, role),
    )


class _Piece(NamedTuple):
    """A text, picture or file in an element."""

    element: int
    text: str
    words: tuple[str, ...]
    kind: str = "text"
    box: Box | None = None
    breaks: bool = False  # a block begins or ends before it


def passages(page: PageVersion) -> tuple[Passage, ...]:
    """Read the passages of a page: as rendered where it was, else from its source.

    >>> from pagedrift import PageVersion
    >>> page = PageVersion("", b"<nav><a href=/>Home</a></nav><p>A permit costs <b>$120</b> a year, at the desk.")
    >>> [(each.text, each.main, sorted(each.parts)) for each in passages(page)]
    [('Home', False, ['navigation']), ('A permit costs $120 a year, at the desk.', True, [])]
    """
    elements, pieces = _of_view(page.view) if page.view else _of_tree(page.tree)
    return tuple(_passages(elements, pieces, page.captured_at))


def split(text: str) -> tuple[str, ...]:
    """Split a text into words in lower case; ideographs stand for themselves.

    >>> split("Fees  日本")
    ('fees', '日', '本')
    """
    return tuple((text if text.isascii() else _IDEOGRAPH.sub(r" \g<0> ", text)).lower().split())


def _passages(elements: _Elements, pieces: list[_Piece], captured_at: datetime | None) -> list[Passage]:
    runs = _runs(elements, pieces)
    linked, prose = _linked_and_prose(elements, runs)
    main, parts = _main_part(elements, runs, prose)
    places = Counter([elements.place[run[0].element] for run in runs])
    density = _density(prose)
    by_machine = _by_machine(runs)
    made: list[Passage] = []
    before, under, headed = 0, "", frozenset[str]()
    title = next((number for number, run in enumerate(runs) if run[0].element >= elements.title), 0)
    titled = elements.title >= 0
    for number, run in enumerate(runs):
        piece = run[0]
        element, text, words, box = piece.element, piece.text, piece.words, piece.box
        if len(run) > 1:
            text = " ".join([each.text for each in run])
            words = tuple([word for each in run for word in each.words])
            box = _box(run)
        place = elements.place[element]
        made.append(
            Passage(
                words=words,
                text=text,
                kind=piece.kind,
                heading=elements.heading[element],
                linked=linked[number],
                box=box,
                main=main[element],
                content=elements.content[element],
                parts=parts[element],
                place=place,
                slot=hash((place, before)),
                density=density[number],
                entry=places[place] >= _ENTRIES,
                hidden=elements.hidden[element],
                under=under if headed == parts[element] else "",
                follows=before,
                near_title=titled and abs(number - title) <= _NEAR_TITLE,
                number=number,
                by_machine=number in by_machine,
                captured_at=captured_at,
            )
        )
        if elements.heading[element]:
            under, headed = text, parts[element]
        before = hash_bytes(_NUMBER.sub("0", text).encode("utf-8", "surrogatepass"))
    return made


def _linked_and_prose(elements: _Elements, runs: list[list[_Piece]]) -> tuple[list[float], list[bool]]:
    """Give of each passage the share of its words that are links, and whether it is running text."""
    shares, prose = [], []
    for run in runs:
        total = links = 0
        for piece in run:
            count = len(piece.words)
            total += count
            if elements.linked[piece.element]:
                links += count
        shares.append(links / total)
        prose.append(run[0].kind == "text" and total >= PROSE_WORDS and links <= total / 2)
    return shares, prose


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


def _main_part(
    elements: _Elements, runs: list[list[_Piece]], prose: list[bool]
) -> tuple[list[bool], list[frozenset[str]]]:
    """Find the main part; say of each element whether it stands there, and in which other parts."""
    count = len(elements.parent)
    _correct_menus(elements, runs)
    mass, passages = _mass(elements, runs, prose)
    root = _widened(elements, _heaviest(elements.parent, mass), passages)
    path, number = set(), root
    while number >= 0:
        path.add(number)
        number = elements.parent[number]
    main = [False] * count
    parts: list[frozenset[str]] = [frozenset()] * count
    for number, parent in enumerate(elements.parent):
        main[number] = number == root or (parent >= 0 and main[parent])
        above = parts[parent] if parent >= 0 else frozenset()
        own = elements.parts[number]
        parts[number] = above | own if own and number not in path else above
    return main, parts


def _correct_menus(elements: _Elements, runs: list[list[_Piece]]) -> None:
    """Undo that elements are navigation whose classes say so, where few of their words are links."""
    if not elements.called:
        return
    count = len(elements.parent)
    words, links = [0] * count, [0] * count
    for run in runs:
        for piece in run:
            words[piece.element] += len(piece.words)
            links[piece.element] += len(piece.words) * elements.linked[piece.element]
    for number in range(count - 1, 0, -1):
        if (parent := elements.parent[number]) >= 0:
            words[parent] += words[number]
            links[parent] += links[number]
    for number in elements.called:
        if links[number] < _MENU_LINKED * words[number]:
            elements.parts[number] -= {"navigation"}


def _mass(elements: _Elements, runs: list[list[_Piece]], prose: list[bool]) -> tuple[list[float], list[int]]:
    """Weigh the running text in each element, and count its passages."""
    count = len(elements.parent)
    around = [False] * count
    for number, parent in enumerate(elements.parent):
        around[number] = bool(elements.parts[number] & _AROUND) or (parent >= 0 and around[parent])
    mass, passages = [0.0] * count, [0] * count
    for run, is_prose in zip(runs, prose, strict=True):
        element = run[0].element
        words = sum([len(piece.words) for piece in run]) if run[0].kind == "text" else 0
        beside = around[element] or elements.hidden[element]
        mass[element] += words * (1.0 if is_prose else _SHORT_COUNTS) * (_AROUND_COUNTS if beside else 1.0)
        passages[element] += 1
    for number in range(count - 1, 0, -1):
        if (parent := elements.parent[number]) >= 0:
            mass[parent] += mass[number]
            passages[parent] += passages[number]
    return mass, passages


def _heaviest(parent: list[int], mass: list[float]) -> int:
    """Find the smallest element that holds most of the mass."""
    if not parent:
        return -1
    enough = MAIN_SHARE * mass[0]
    root = 0
    if enough > 0:
        for number in range(1, len(parent)):  # document order: an element comes after what it stands in
            if parent[number] == root and mass[number] >= enough:
                root = number
    return root


def _widened(elements: _Elements, root: int, passages: list[int]) -> int:
    """Widen a main part of few passages, up to where a menu, header or footer stands next to it.

    On a page with one long paragraph that paragraph holds most of the running text, and is not all that it says.
    """
    if root < 0:
        return root
    framed = [bool(parts & _FRAME) for parts in elements.parts]
    inside = [0] * len(framed)
    for number in range(len(framed) - 1, -1, -1):
        inside[number] += framed[number]
        if elements.parent[number] >= 0:
            inside[elements.parent[number]] += inside[number]
    while (parent := elements.parent[root]) > 0 and passages[root] < _FEW_PASSAGES:
        if inside[parent] - framed[parent] > inside[root]:
            break
        root = parent
    return root


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


def _by_machine(runs: list[list[_Piece]]) -> set[int]:
    """Find the passages that stand within a few of one that holds what only machines write."""
    found: set[int] = set()
    for number, run in enumerate(runs):
        if any(_MACHINE.search(piece.text) for piece in run if len(piece.text) <= _SHORT_TEXT):
            found.update(range(number - _MACHINE_NEAR, number + _MACHINE_NEAR + 1))
    return found


def _box(run: list[_Piece]) -> Box | None:
    boxes = [piece.box for piece in run if piece.box is not None]
    return around(boxes) if boxes else None


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
    elements: _Elements, pieces: list[_Piece], element: int, text: str, *, edge: bool, box: Box | None = None
) -> bool:
    """Add a text, by lines where white space is kept; say whether a new passage begins after it."""
    if not elements.lines[element]:
        return _add_line(pieces, element, text, edge=edge, box=box)
    for line in text.split("\n"):
        edge = _add_line(pieces, element, line, edge=edge, box=box)
        edge = True
    return edge


def _add_line(pieces: list[_Piece], element: int, text: str, *, edge: bool, box: Box | None) -> bool:
    written, words = _line(text) if len(text) <= _SHORT_TEXT else _line.__wrapped__(text)
    if not written:
        return edge
    pieces.append(_Piece(element, written, words, "text", box, edge))
    return False


@lru_cache(maxsize=4_096)  # the next version of a page says mostly the same
def _line(text: str) -> tuple[str, tuple[str, ...]]:
    """Collapse the white space of a text, and split it into words."""
    written = " ".join(text.split())
    return written, split(written)


def _link_piece(element: int, address: str, box: Box | None = None) -> _Piece | None:
    """Give a file that a link leads to."""
    path = address.partition("?")[0].partition("#")[0]
    if not _FILE.search(path):
        return None
    name = unquote(path.rpartition("/")[2])
    return _Piece(element, name, (f"file:{name.lower()}",), "file", box)


def _picture_piece(element: int, address: str, alt: str, box: Box | None = None) -> _Piece | None:
    name = picture_name(address)
    if not name:
        return None
    return _Piece(element, " ".join(alt.split()) or name, (f"picture:{name}",), "picture", box)


def _of_view(view: View) -> tuple[_Elements, list[_Piece]]:
    """Read a rendered page; what cannot be seen has no text."""
    elements, pieces = _Elements(), list[_Piece]()
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


def _shown(element: int, tag: str, href: str, src: str, alt: str, *, box: Box | None = None) -> _Piece | None:
    if tag == "img" and src:
        return _picture_piece(element, src, alt, box)
    if tag == "a" and href:
        return _link_piece(element, href, box)
    return None


def _of_tree(tree: Tree) -> tuple[_Elements, list[_Piece]]:
    """Read a page as written; what is known to be hidden until someone opens it is marked."""
    elements, pieces = _Elements(), list[_Piece]()
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
    elements: _Elements, pieces: list[_Piece], parent: int, tag: str, attributes: tuple[tuple[str, str], ...]
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
