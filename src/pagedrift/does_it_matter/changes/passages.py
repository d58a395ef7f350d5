"""What a page says, passage by passage, and where each passage stands.

A passage is the text between two edges of blocks (a paragraph, a cell, a list item), a picture, or a file to
download. The main part of a page is the smallest element that holds most of its running text; parts within it that
are named like menus, boxes or footers are known too.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift.does_it_matter.changes.pieces import CONTENT, HEADING, HIDDEN, LINKED, VALUE, read_pieces
from pagedrift.does_it_matter.lines import hash_said
from pagedrift.facets.view import around

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from pagedrift.does_it_matter.changes.pieces import PageElements, PagePiece
    from pagedrift.facets.view import Box
    from pagedrift.page import PageVersion

MAIN_SHARE: Final = 0.7  # of the running text: the smallest element that holds it is the main part of the page
PROSE_WORDS: Final = 8  # a passage this long, less than half of it links, is running text
_SHORT_COUNTS: Final = 0.1  # how much a word in other passages counts as running text: some pages have no other
_AROUND_COUNTS: Final = 0.2  # the same for words in footers, dialogs and the like
_AROUND: Final = frozenset(("navigation", "footer", "sidebar", "overlay", "form"))
_FRAME: Final = frozenset(("navigation", "footer", "header", "sidebar"))
_FEW_PASSAGES: Final = 12  # a main part of fewer may be only a part of it
_FRAME_NAMES: Final = frozenset(("header", "footer"))
_HOLDING_PROSE: Final = frozenset(
    ("overlay", "comments", "languages", "notice")
)  # may hold most of the running text
_NOTHING: Final[frozenset[str]] = frozenset()
_MUCH_PROSE: Final = 0.15  # of the running text of the page
_MOST_PROSE: Final = 0.5
_MOSTLY_LINKED: Final = 0.55  # of the words
_NEAR_TITLE: Final = 8  # passages
_MENU_LINKED: Final = 0.4  # of the words: what its classes call a menu and has fewer links may be one of dishes
_ENTRIES: Final = 3  # so many passages of one place are the entries of a list
_NEIGHBOURS: Final = 3  # passages to each side that say whether one stands among running text
_MACHINE_NEAR: Final = 5  # passages to each side that belong to what a machine wrote


class Passage(NamedTuple):
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
    near_title: bool = False  # it stands close to the title of the page, or is the first picture of the main part
    above_title: bool = False  # before the title of the page, and before all running text
    number: int = 0  # in the order of the page
    by_machine: bool = False  # close to what only machines write: a time with seconds, a checksum
    captured_at: datetime | None = None  # when the page was
    address: str = ""  # of a picture, as written
    value: bool = False  # it stands behind what names it, in a row of a table or a list of definitions

    @property
    def prose(self) -> bool:
        """Whether it is running text."""
        return self.kind == "text" and len(self.words) >= PROSE_WORDS and self.linked <= 0.5  # noqa: PLR2004 - half


def passages(page: PageVersion) -> tuple[Passage, ...]:
    """Read the passages of a page: as rendered where it was, else from its source.

    >>> from pagedrift import PageVersion
    >>> page = PageVersion("", b"<nav><a href=/>Home</a></nav><p>A permit costs <b>$120</b> a year, at the desk.")
    >>> [(each.text, each.main, sorted(each.parts)) for each in passages(page)]
    [('Home', False, ['navigation']), ('A permit costs $120 a year, at the desk.', True, [])]
    """
    elements, pieces = read_pieces(page)
    return tuple(_passages(elements, pieces, page.captured_at))


def _passages(elements: PageElements, pieces: list[PagePiece], captured_at: datetime | None) -> list[Passage]:
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
    picture = _main_picture(elements, runs, main, parts)
    top = min(title, next((number for number, each in enumerate(prose) if each), title)) if titled else 0
    for number, run in enumerate(runs):
        piece = run[0]
        element, text, words, box = piece.element, piece.text, piece.words, piece.box
        if len(run) > 1:
            text = " ".join([each.text for each in run])
            words = tuple([word for each in run for word in each.words])
            box = _box(run)
        place, flags = elements.place[element], elements.flags[element]
        made.append(
            Passage(  # by place: with 23 names it takes three times as long
                words,
                text,
                piece.kind,
                flags & HEADING > 0,
                linked[number],
                box,
                main[element],
                flags & CONTENT > 0,
                parts[element],
                place,
                hash((place, before)),  # slot
                density[number],
                places[place] >= _ENTRIES,
                flags & HIDDEN > 0,
                under if headed == parts[element] else "",
                before,  # follows
                (titled and abs(number - title) <= _NEAR_TITLE) or number == picture,
                number < top,
                number,
                number in by_machine,
                captured_at,
                piece.address,
                flags & VALUE > 0,
            )
        )
        if flags & HEADING:
            under, headed = text, parts[element]
        before = piece.said if len(run) == 1 and piece.said is not None else hash_said(text)
    return made


def _main_picture(
    elements: PageElements, runs: list[list[PagePiece]], main: list[bool], parts: list[frozenset[str]]
) -> int:
    """Find the first picture of the main part that stands in no box, or in a banner below the title; else -1."""
    for number, run in enumerate(runs):
        element = run[0].element
        headed = (
            parts[element] == {"header"} and 0 <= elements.title < element and not elements.flags[element] & LINKED
        )
        if run[0].kind == "picture" and main[element] and (headed or not parts[element]):
            return number
    return -1


def _linked_and_prose(elements: PageElements, runs: list[list[PagePiece]]) -> tuple[list[float], list[bool]]:
    """Give of each passage the share of its words that are links, and whether it is running text."""
    shares, prose = [], []
    for run in runs:
        total = links = 0
        for piece in run:
            count = len(piece.words)
            total += count
            if elements.flags[piece.element] & LINKED:
                links += count
        shares.append(links / total)
        prose.append(run[0].kind == "text" and total >= PROSE_WORDS and links <= total / 2)
    return shares, prose


def _runs(elements: PageElements, pieces: list[PagePiece]) -> list[list[PagePiece]]:
    """Group the texts that no edge of a block keeps apart."""
    runs: list[list[PagePiece]] = []
    last: PagePiece | None = None
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
    elements: PageElements, runs: list[list[PagePiece]], prose: list[bool]
) -> tuple[list[bool], list[frozenset[str]]]:
    """Find the main part; say of each element whether it stands there, and in which other parts."""
    count = len(elements.parent)
    _correct_parts(elements, runs, prose)
    mass, passages = _mass(elements, runs, prose)
    root = _with_title(elements, _widened(elements, _heaviest(elements.parent, mass), passages))
    path = _above(elements, root)
    main = [False] * count
    parts: list[frozenset[str]] = [frozenset()] * count
    for number, parent in enumerate(elements.parent):
        main[number] = number == root or (parent >= 0 and main[parent])
        above = parts[parent] if parent >= 0 else frozenset()
        own = elements.parts[number]
        parts[number] = above | own if own and number not in path else above
    return main, parts


def _correct_parts(elements: PageElements, runs: list[list[PagePiece]], prose: list[bool]) -> None:
    """Undo what elements are called where what they hold says otherwise.

    A menu is full of links: one that only classes call so and has few of them may be one of dishes, and one with
    running text and few links holds the answers to questions. What holds the title of the page, and few links, is
    neither a box nor the header of the site. What only classes call a box, and holds much of the running text, is
    none; nor is there a header or footer of the site in an article.
    """
    _correct_called(elements, runs, prose)
    above = _above(elements, elements.title)
    menus = {number for number, called in elements.called.items() if "navigation" in called}
    doubted = menus | {number for number in above if elements.parts[number]}
    around = set[int]()
    for run, is_prose in zip(runs, prose, strict=True):
        if is_prose:
            around |= _above(elements, run[0].element, around)
    doubted |= {number for number in around if "navigation" in elements.parts[number]}
    if not doubted:
        return
    linked = _linked_shares(elements, runs)
    for number in doubted:
        if linked[number] < _MENU_LINKED:
            elements.parts[number] = frozenset() if number in above else elements.parts[number] - {"navigation"}


def _correct_called(elements: PageElements, runs: list[list[PagePiece]], prose: list[bool]) -> None:
    """Undo what only classes call elements that hold much of the running text, or stand in an article."""
    if not elements.called:
        return
    held = [0] * len(elements.parent)
    for run, is_prose in zip(runs, prose, strict=True):
        if is_prose:
            held[run[0].element] += sum(len(piece.words) for piece in run)
    for number in range(len(held) - 1, 0, -1):
        if held[number] and (parent := elements.parent[number]) >= 0:
            held[parent] += held[number]
    linked = _linked_shares(elements, runs)
    for number, called in elements.called.items():
        share = held[number] / max(held[0], 1)
        wrong = called & _FRAME_NAMES if elements.flags[number] & CONTENT else _NOTHING
        if share >= _MOST_PROSE or (share >= _MUCH_PROSE and linked[number] < _MOSTLY_LINKED):
            wrong |= called - _HOLDING_PROSE
        elements.parts[number] -= wrong


def _above(elements: PageElements, number: int, known: Collection[int] = ()) -> set[int]:
    """Give an element and all that it stands in, up to what is known."""
    found = set()
    while number >= 0 and number not in known:
        found.add(number)
        number = elements.parent[number]
    return found


def _linked_shares(elements: PageElements, runs: list[list[PagePiece]]) -> list[float]:
    """Give of each element the share of its words that are links."""
    count = len(elements.parent)
    words, links = [0] * count, [0] * count
    for run in runs:
        for piece in run:
            words[piece.element] += len(piece.words)
            links[piece.element] += len(piece.words) * (elements.flags[piece.element] & LINKED)
    for number in range(count - 1, 0, -1):
        if words[number] and (parent := elements.parent[number]) >= 0:
            words[parent] += words[number]
            links[parent] += links[number]
    return [linked / total if total else 0.0 for linked, total in zip(links, words, strict=True)]


def _mass(elements: PageElements, runs: list[list[PagePiece]], prose: list[bool]) -> tuple[list[float], list[int]]:
    """Weigh the running text in each element, and count its passages."""
    count = len(elements.parent)
    around = [False] * count
    for number, parent in enumerate(elements.parent):
        around[number] = (parent >= 0 and around[parent]) or not elements.parts[number].isdisjoint(_AROUND)
    mass, passages = [0.0] * count, [0] * count
    for run, is_prose in zip(runs, prose, strict=True):
        piece = run[0]
        element, words = piece.element, len(piece.words) if piece.kind == "text" else 0
        if len(run) > 1:  # then all are texts
            words = sum([len(each.words) for each in run])
        beside = around[element] or elements.flags[element] & HIDDEN
        mass[element] += words * (1.0 if is_prose else _SHORT_COUNTS) * (_AROUND_COUNTS if beside else 1.0)
        passages[element] += 1
    for number in range(count - 1, 0, -1):
        if passages[number] and (parent := elements.parent[number]) >= 0:
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


def _widened(elements: PageElements, root: int, passages: list[int]) -> int:
    """Widen a main part of few passages, up to where a menu, header or footer stands next to it.

    On a page with one long paragraph that paragraph holds most of the running text, and is not all that it says.
    """
    if root < 0 or passages[root] >= _FEW_PASSAGES:
        return root
    framed = [not parts.isdisjoint(_FRAME) for parts in elements.parts]
    inside = [0] * len(framed)
    for number in range(len(framed) - 1, -1, -1):
        inside[number] += framed[number]
        if inside[number] and elements.parent[number] >= 0:
            inside[elements.parent[number]] += inside[number]
    while (parent := elements.parent[root]) > 0 and passages[root] < _FEW_PASSAGES:
        if inside[parent] - framed[parent] > inside[root]:
            break
        root = parent
    return root


def _with_title(elements: PageElements, root: int) -> int:
    """Widen a main part up to the title, where a page calls both its content.

    On the page of a product the description holds most of the running text; price and stock stand at the title. Or
    where there is no other menu, header or footer between them.
    """
    if root < 0 or elements.title < 0:
        return root
    above = _above(elements, root)
    shared = elements.title
    while shared >= 0 and shared not in above:
        shared = elements.parent[shared]
    if shared < 0 or shared == root:
        return root
    return shared if elements.flags[shared] & CONTENT or not _holds_frame(elements, shared, root) else root


def _holds_frame(elements: PageElements, outer: int, inner: int) -> bool:
    """Say whether a menu, header, footer or sidebar stands in one element, but not in another one within it."""
    inside = {outer: False}  # whether each element below the outer one stands in the inner one
    for number in range(outer + 1, len(elements.parent)):
        parent = elements.parent[number]
        if parent not in inside:
            break
        inside[number] = inside[parent] or number == inner
        if not inside[number] and not elements.parts[number].isdisjoint(_FRAME):
            return True
    return False


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


def _by_machine(runs: list[list[PagePiece]]) -> set[int]:
    """Find the passages that stand within a few of one that holds what only machines write."""
    found: set[int] = set()
    for number, run in enumerate(runs):
        if True in [piece.by_machine for piece in run]:
            found.update(range(number - _MACHINE_NEAR, number + _MACHINE_NEAR + 1))
    return found


def _box(run: list[PagePiece]) -> Box | None:
    boxes = [piece.box for piece in run if piece.box is not None]
    return around(boxes) if boxes else None
