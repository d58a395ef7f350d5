"""The figures by which elements are taken for the one that was looked for (readable twin).

What is known of the elements of a page stands in columns of numbers, and words, names and kinds are numbers of that
page. What is looked for is given in the same numbers, so that comparing it with an element takes no strings.
"""

from __future__ import annotations

from array import array
from heapq import nlargest
from math import exp, log1p
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift._kernels.groups_py import as_lists

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pagedrift._kernels.groups_py import Lists

    Ints = array[int]

FIGURES: Final = (
    "names",
    "meanings",
    "above",
    "above meanings",
    "tag",
    "kind",
    "both headings or none",
    "same heading",
    "text",
    "holds text",
    "said",
    "any meaning",
    "shape",
    "same value",
    "no lost value",
    "no new value",
    "length",
    "both in title",
    "both title most",
    "both in title or none",
    "label",
    "place",
    "part",
    "link",
    "target meanings",
    "same target",
    "both main",
    "both main or none",
    "alike",
    "both alone",
    "depth",
    "around",
    "gap",
    "same side",
    "link share",
    "count",
    "both many",
    "entries",
    "entry words",
    "entries kept",
    "named",
    "labelled",
    "says what it does",
    "not named otherwise",
    "named above",
    "named value",
    "both fixed",
    "both new",
    "still matched",
    "uniform",
)
MAX_ENTRIES: Final = 30  # of a list that are compared
LABEL_WORDS: Final = 3  # before an element: “Posted on”
AROUND_WORDS: Final = 6  # before and after an element
BEGINNING_WORDS: Final = 16  # of an element that are compared with others
CLUE_WORDS: Final = 8  # of them by which it is found
NAME, ABOVE, TEXT, LABEL, AROUND, ENTRY = (1 << bit for bit in range(6))  # what a word is marked as
SHAPES: Final = ("text", "prose", "empty", "copyright", "mail", "address", "money", "date", "time", "number")
EMPTY: Final = SHAPES.index("empty")
PLAIN: Final = 3  # as many shapes, the first ones, are no values


class LooksColumns(NamedTuple):
    """What is known of the elements of a page; each column is by what is above it.

    Texts and links are read when they are asked for: until then their columns hold nothing.
    """

    # By node
    tag: Ints
    variety: Ints  # of its tag and names
    chain: Ints  # of the names above it
    span: Ints  # of words that it takes in
    place: Ints  # of texts that it takes in
    link: Ints
    tip: Ints  # what its tooltip means
    heading: Ints
    part: Ints
    depth: Ints
    first_word: Ints
    last_word: Ints
    # By tag
    kind: Ints
    # By variety
    names: Ints  # a number in `sets`
    meanings: Ints  # a bit per meaning
    signature: Ints  # elements of one tag and classes have the same
    # By chain
    above: Ints  # a number in `sets`
    above_meanings: Ints
    # By span
    beginning: Ints  # a number for its first words
    # By place
    text: Ints  # a number in `sets`
    shape: Ints  # a number in SHAPES
    own: Ints  # what it means
    # By link
    address: Ints  # -1 for none
    link_kind: Ints
    target: Ints  # what it means
    # By signature
    alike: Ints  # elements of the page that have it
    # By word
    meant: Ints
    # By shape: what fields mean that have such a value; then those of a title, of running text and of a picture
    values: Ints
    words: Ints  # of the page, in order
    linked_before: Ints  # by word in order: those before it that stand in links
    title_share: array[float]  # by node
    best_share: float  # the largest of these
    main: int  # the element that holds most of the words
    picture: int  # the tag of pictures
    title: tuple[int, int]  # where the words of the title begin and end; the same where they stand nowhere
    sets: Lists  # of words

    def said(self, node: int) -> int:
        """Say what the text, the tooltip and the words before an element mean."""
        found, first = self.own[self.place[node]] | self.tip[node], self.first_word[node]
        for word in self.words[max(0, first - LABEL_WORDS) : first]:
            found |= self.meant[word]
        return found

    def titles_most(self, node: int) -> bool:
        """Say whether no other element says more of the title."""
        return 0 < self.title_share[node] >= self.best_share

    def values_of(self, node: int) -> int:
        """Say what fields mean that have the value of an element."""
        found, size = self.values[self.shape[self.place[node]]], len(SHAPES)
        found |= self.values[size] if self.titles_most(node) else 0
        found |= self.values[size + 1] if node == self.main else 0
        return found | (self.values[size + 2] if self.tag[node] == self.picture else 0)


class Sought(NamedTuple):
    """What is looked for, in the numbers of the page that it is looked for on; -1 for what that does not have."""

    tag: int
    kind: int
    shape: int
    heading: int
    part: int
    link: int
    address: int
    meanings: int
    above_meanings: int
    said: int
    target: int
    named: int  # what the field is called
    words: int
    alike: int
    depth: int
    elements: int  # how many the selector meant
    main: int
    titles_most: int
    known_text: int  # it has one, and what the elements of its page say is known
    on_new_page: int  # an element of the page says the same
    place: float
    title_share: float
    linked: float
    uniform: float
    gap: float | None
    sizes: tuple[int, ...]  # of the sets whose words are marked, in the order of the marks
    marks: bytes  # by word of the page
    entries: int  # different ones of a list
    entry_marks: bytes  # by beginning: it is one of them
    on_old_page: bytes  # by beginning: an element of the old page has it
    matched: bytes  # by node: the old selector still means it
    matched_count: int
    doing: int  # the meanings of what links do


def shared(common: int, one: int, other: int) -> float:
    """Give the share of two sets that is in both, by their sizes."""
    return common / (one + other - common) if common else 0.0


def close(one: float, other: float) -> float:
    """Say how near two figures are, from 0 to 1."""
    return 1 / (1 + abs(one - other))


def compare_candidates(sought: Sought, page: LooksColumns, lists: Lists, chosen: Ints) -> array[float]:
    """Give the figures of each chosen candidate, end to end, in the order of FIGURES; more is more alike."""
    found = array("d")
    for index in chosen:
        nodes = lists.nodes[lists.starts[index] : lists.starts[index + 1]]
        found.extend(_names(sought, page, nodes[0]))
        found.extend(_texts(sought, page, nodes[0]))
        found.extend(_places(sought, page, nodes[0]))
        found.extend(_lists(sought, page, nodes))
        found.extend(_field(sought, page, nodes[0]))
        found.extend(_fixed(sought, page, nodes))
    return found


def _names(sought: Sought, page: LooksColumns, node: int) -> tuple[float, ...]:
    return (
        _marked(sought, NAME, page.sets.at(page.names[page.variety[node]])),
        _bits(sought.meanings, page.meanings[page.variety[node]]),
        _marked(sought, ABOVE, page.sets.at(page.above[page.chain[node]])),
        _bits(sought.above_meanings, page.above_meanings[page.chain[node]]),
        float(sought.tag == page.tag[node]),
        float(sought.kind == page.kind[page.tag[node]]),
        float((sought.heading > 0) == (page.heading[node] > 0)),
        float(sought.heading == page.heading[node] > 0),
    )


def _texts(sought: Sought, page: LooksColumns, node: int) -> tuple[float, ...]:
    place, meant = page.place[node], page.meanings[page.variety[node]]
    text, old, new = page.sets.at(page.text[place]), sought.shape, page.shape[place]
    share, single = page.title_share[node], sought.elements == 1
    first, last = page.first_word[node], page.last_word[node]
    return (
        _marked(sought, TEXT, text) if single else 0.0,
        _common(sought, TEXT, text) / sought.sizes[2] if single and sought.sizes[2] else 0.0,
        _bits(sought.said, page.said(node)),
        _bits(sought.said | sought.meanings, page.said(node) | meant),
        float(old == new),
        float(old == new >= PLAIN),
        float(old < PLAIN or old == new),
        float(new < PLAIN or old == new),
        close(log1p(sought.words), log1p(last - first)),
        1 - abs(sought.title_share - share) if sought.title_share > 0 < share else 0.0,
        float(bool(sought.titles_most and page.titles_most(node))),
        float((sought.title_share > 0) == (share > 0)),
        _marked(sought, LABEL, set(page.words[max(0, first - LABEL_WORDS) : first])) if single else 0.0,
    )


def _places(sought: Sought, page: LooksColumns, node: int) -> tuple[float, ...]:
    first, last = page.first_word[node], page.last_word[node]
    linked = (page.linked_before[last] - page.linked_before[first]) / max(1, last - first)
    alike, gap = page.alike[page.signature[page.variety[node]]], _gap(page, first, last)
    single, link, main = sought.elements == 1, page.link[node], int(node == page.main)
    around = {*page.words[max(0, first - AROUND_WORDS) : first], *page.words[last : last + AROUND_WORDS]}
    return (
        1 - abs(sought.place - first / max(1, len(page.words))),
        float(sought.part == page.part[node]),
        float(sought.link == page.link_kind[link]),
        _bits(sought.target, page.target[link]),
        float(single and sought.address == page.address[link] >= 0),
        float(bool(sought.main and main)),
        float(sought.main == main),
        close(log1p(sought.alike), log1p(alike)),
        float(sought.alike == alike == 1),
        1 / (1 + abs(sought.depth - page.depth[node]) / 4),
        _marked(sought, AROUND, around) if single else 0.0,
        0.0 if sought.gap is None or gap is None else close(sought.gap, gap),
        float(sought.gap is not None and gap is not None and _sign(sought.gap) == _sign(gap)),
        1 - abs(sought.linked - linked),
    )


def _lists(sought: Sought, page: LooksColumns, nodes: Sequence[int]) -> tuple[float, ...]:
    entries, words, count = set[int](), set[int](), len(nodes[:MAX_ENTRIES])
    for node in nodes[:MAX_ENTRIES]:
        entries.add(page.beginning[page.span[node]])
        first = page.first_word[node]
        words.update(page.words[first : min(page.last_word[node], first + BEGINNING_WORDS)])
    both = bool(sought.entries) and count > 1
    common = sum(sought.entry_marks[entry] for entry in entries) if both else 0
    return (
        close(log1p(sought.elements), log1p(len(nodes))),
        float((sought.elements > 1) == (len(nodes) > 1)),
        shared(common, sought.entries, len(entries)),
        _marked(sought, ENTRY, words) if both else 0.0,
        common / min(sought.elements, MAX_ENTRIES) if both else 0.0,
    )


def _field(sought: Sought, page: LooksColumns, node: int) -> tuple[float, ...]:
    named, meant, own = sought.named, page.meanings[page.variety[node]], page.own[page.place[node]]
    return (
        float(bool(named & meant)),
        float(bool(named & page.said(node) & ~own)),
        float(bool(named & own & sought.doing)),
        float(not (named and meant) or bool(named & meant)),
        float(not meant and bool(named & page.above_meanings[page.chain[node]])),
        float(bool(named & page.values_of(node))),
    )


def _fixed(sought: Sought, page: LooksColumns, nodes: Sequence[int]) -> tuple[float, ...]:
    known = bool(sought.known_text and page.shape[page.place[nodes[0]]] != EMPTY)
    was, now = bool(sought.on_new_page), bool(sought.on_old_page[page.beginning[page.span[nodes[0]]]])
    matched = sum(sought.matched[node] for node in nodes) if sought.matched_count else 0
    alike = [page.signature[page.variety[node]] for node in nodes[:MAX_ENTRIES]]
    return (
        float(known and was and now),
        float(known and not was and not now),
        shared(matched, sought.matched_count, len(nodes)),
        1 - abs(sought.uniform - alike.count(alike[0]) / len(alike)),
    )


def _common(sought: Sought, mark: int, words: Iterable[int]) -> int:
    return sum(1 for word in words if sought.marks[word] & mark)


def _marked(sought: Sought, mark: int, words: Collection[int]) -> float:
    return shared(_common(sought, mark, words), sought.sizes[mark.bit_length() - 1], len(words))


def _bits(one: int, other: int) -> float:
    return shared((one & other).bit_count(), one.bit_count(), other.bit_count())


def _gap(page: LooksColumns, first: int, last: int) -> float | None:
    start, stop = page.title
    if stop <= start:
        return None
    if first >= stop:
        return log1p(first - stop)
    return -log1p(start - last) if last <= start else 0.0


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def weigh_candidates(figures: array[float], weights: array[float]) -> array[float]:
    """Give the score of each candidate, by what each figure counts.

    >>> weigh_candidates(array("d", [1.0, 0.0, 1.0, 1.0]), array("d", [2.0, 3.0]))
    array('d', [2.0, 5.0])
    """
    size, found = len(weights), array("d")
    for start in range(0, len(figures), size):
        total = 0.0
        for at in range(size):
            total += weights[at] * figures[start + at]
        found.append(total)
    return found


def find_same_words(page: LooksColumns, lists: Lists, chosen: Ints) -> Ints:
    """Give candidates with the same words, or without words the same elements, the place of the first one."""
    firsts: dict[tuple[tuple[int, int], ...], int] = {}
    found = array("i")
    for at, index in enumerate(chosen):
        nodes = lists.at(index)
        said = tuple((page.first_word[node], page.last_word[node]) for node in nodes)
        key = tuple(pair if pair[0] < pair[1] else (-node, -node) for node, pair in zip(nodes, said, strict=True))
        found.append(firsts.setdefault(key, at))
    return found


def index_clues(page: LooksColumns, elements: Ints) -> Lists:
    """Give for each word of a page the elements that have it among their first ones."""
    found: list[list[int]] = [[] for _ in page.meant]
    for node in elements:
        first = page.first_word[node]
        for word in dict.fromkeys(page.words[first : min(page.last_word[node], first + CLUE_WORDS)]):
            found[word].append(node)
    return as_lists(found)


def vote(elements: Ints, profiles: tuple[Ints, array[float]], clues: Lists, words: Ints) -> array[float]:
    """Count for each node how many clues it shares with what is looked for; rare ones count more.

    `profiles` are a number for each node, and the votes for each number; of `words`, those that are looked for,
    `clues` give the elements.
    """
    votes = array("d", bytes(8 * len(profiles[0])))
    for node in elements:
        votes[node] = profiles[1][profiles[0][node]]
    for word in words:
        nodes = clues.at(word)
        for node in nodes:
            votes[node] += 1 / (1 + log1p(len(nodes)))
    return votes


def most_voted(votes: array[float], lists: Lists, most: int) -> Ints:
    """Choose the candidates whose first element has most votes, of equal ones the first.

    >>> from pagedrift._kernels.groups_py import as_lists
    >>> most_voted(array("d", [0.0, 2.0, 3.0, 2.0]), as_lists([(0,), (1,), (2, 3), (3,)]), 2)
    array('i', [2, 1])
    """
    firsts = [votes[lists.nodes[start]] for start in lists.starts[:-1]]
    return array("i", nlargest(most, range(len(firsts)), key=firsts.__getitem__))


def rank_candidates(scores: array[float], lists: Lists, chosen: Ints) -> Ints:
    """Put candidates in order: of equal ones the first of the page, and one element before a list from there on."""

    def key(at: int) -> tuple[float, int, bool, int]:
        start, stop = lists.starts[chosen[at]], lists.starts[chosen[at] + 1]
        return -scores[at], lists.nodes[start], stop - start > 1, chosen[at]

    return array("i", sorted(range(len(chosen)), key=key))


def share_odds(scores: array[float], said: Ints, ranked: Ints) -> array[float]:
    """Say what share of the odds of all candidates those have that say the same, at the first of these.

    >>> scores, said = array("d", [3.0, 1.0, 3.0]), array("i", [0, 1, 0])
    >>> [round(share, 2) for share in share_odds(scores, said, array("i", [0, 2, 1]))]
    [0.94, 0.06, 0.0]
    """
    odds: dict[int, float] = {}
    for at in ranked:
        odds[said[at]] = odds.get(said[at], 0.0) + exp(scores[at] - scores[ranked[0]])
    total = 0.0
    for each in odds.values():  # not sum(), which is more exact from Python 3.12 on
        total += each
    return array("d", [odds.get(at, 0.0) / total for at in range(len(scores))])
