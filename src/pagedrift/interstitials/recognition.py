"""Detection of pages served in place of the watched one: errors, blocks, consent walls, logins, empty pages.

The history decides first: what looks like the version before is the page, whatever its words are. Only a page that
has nearly nothing of what there was is looked at for signs, and without a sign it is a change like any other. What
stays for several visits becomes the page, with a note.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from pagedrift.documents.comparable import what_it_is
from pagedrift.errors import PagedriftError
from pagedrift.http_exchange import is_failure
from pagedrift.interstitials import interstitial_patterns, signs
from pagedrift.text import cut

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from pagedrift.page import PageVersion

Kind = Literal["page", "error", "blocked", "consent", "login", "empty", "elsewhere"]

STAYS: Final = 5  # visits after which what is there is the page
MAX_CHECKED_BYTES: Final = 2_000_000  # bytes
SHORT: Final = 250  # words: pages that stand in for others have fewer
TINY: Final = 60  # words: all of such a page is its message
SAME: Final = 0.5  # of the words of the version before: with as many it is the same page
GONE: Final = 0.25  # with fewer it may be another one
COVERED: Final = 0.6  # of a part of a heading that phrases must be, to be what it says
OTHERS: Final = 2  # pages of the host that show the same short page
REPEATED: Final = 0.8  # of the words of either, for two pages to be the same one
_MAX_CHECKED_WORDS: Final = 5_000  # words
_SOURCE: Final = 100_000  # characters of the source in which marks are looked for
_SHOWS: Final = ("img", "video", "audio", "iframe", "object", "embed", "canvas", "svg:svg")


@dataclass(frozen=True, slots=True)
class PageCheck:
    """What a visit found, and how that is known; `note` says what is odd about a page that is taken anyway."""

    kind: Kind
    reason: str = ""
    note: str = ""

    @property
    def is_page(self) -> bool:
        """Whether it is the page that was asked for."""
        return self.kind == "page"


PAGE: Final = PageCheck("page")


def recognise(
    page: PageVersion,
    *,
    status: int | None = None,
    previous: PageVersion | None = None,
    host_pages: Iterable[PageVersion] = (),
    in_a_row: int = 0,
    asked: str = "",
) -> PageCheck:
    """Say whether a version is the page, or what it is instead.

    `previous` is the newest version that was the page, `host_pages` are what other watches of the host got last
    (looked at only where they decide), `in_a_row` counts the visits before this one that did not find the page,
    and `asked` is the address that was asked for, where the answer came from another.

    >>> from pagedrift.page import PageVersion
    >>> body = b"<title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>nginx"
    >>> recognise(PageVersion("https://city.example/", body))
    PageCheck(kind='error', reason='its title is “502 Bad Gateway” and it has 4 words', note='')
    """
    status = status if status is not None else page.status
    try:
        found = _by_status(page, status, previous) or _by_content(page, previous, host_pages, asked)
    except PagedriftError:  # beyond the limits: nothing that stands in for a page is that large
        return PAGE
    if found.is_page or in_a_row < STAYS or is_failure(status):
        return found
    return PageCheck("page", note=signs.taken_anyway(in_a_row + 1, found.reason))


def _by_status(page: PageVersion, status: int | None, previous: PageVersion | None) -> PageCheck | None:
    """Decide by the status, unless the page had it before and looked the same."""
    if not is_failure(status):
        return None
    if previous is not None and previous.status == status and _Look(page).kept(_Look(previous)) >= SAME:
        return PAGE
    found = signs.status(status)
    if status in (401, 407):
        return PageCheck("login", found)
    if status in (403, 429) or (_is_html(page) and _Look(page).mark(interstitial_patterns.BLOCKED_MARKS)):
        return PageCheck("blocked", found)
    return PageCheck("error", found)


def _by_content(
    page: PageVersion, previous: PageVersion | None, host_pages: Iterable[PageVersion], asked: str
) -> PageCheck:
    if previous is not None and page.body == previous.body:
        return PAGE
    if len(page.body) > MAX_CHECKED_BYTES:
        return PAGE  # pages that replace others are small
    if not page.body.strip():
        was_empty = previous is not None and not previous.body.strip()
        return PAGE if was_empty else PageCheck("empty", signs.ONLY_HEADERS)
    if not _is_html(page):
        return PAGE
    look, before = _Look(page), None
    if previous is not None and _is_html(previous):
        before = _Look(previous)
        if look.kept(before) >= SAME and not look.lost_its_heading(before):
            return PAGE
    return (
        _by_heading(look, before)
        or _by_signs(look, before, asked)
        or _empty(look, before)
        or _by_host(look, before, host_pages)
        or PAGE
    )


def _empty(look: _Look, before: _Look | None) -> PageCheck | None:
    """Decide by there being nothing to read or see, or only that something is on its way."""
    waits = before and len(look.words) <= TINY and len(before.words) > len(look.words) and look.waits
    if look.shows or (look.words and not waits) or (before and not before.words):
        return None
    return PageCheck("empty", signs.empty(look.text, scripted=look.scripts))


def _by_heading(look: _Look, before: _Look | None) -> PageCheck | None:
    """Decide by a part of the title or a heading that says nothing else, and did not before."""
    for text in look.headings:
        for kind, pattern in _HEADED:
            if not _headed(pattern, text) or (before and any(_headed(pattern, each) for each in before.headings)):
                continue
            if len(look.words) <= (SHORT if before else TINY) and _agrees(kind, look, before):
                return PageCheck(kind, signs.titled(text, len(look.words)))
            if kind == "error" and before and text == look.headings[0] and look.shrank(before):
                return PageCheck(kind, signs.titled(text))
    return None


def _headed(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a part of a heading is what a pattern looks for: 404 Not Found | City."""
    parts = (part.strip(" .…!") for part in interstitial_patterns.BETWEEN.split(text))
    return any(
        sum(len(found[0]) for found in pattern.finditer(part)) >= COVERED * len(part) for part in parts if part
    )


def _agrees(kind: Kind, look: _Look, before: _Look | None) -> bool:
    """Return whether a page of such a title can be what the title says: a login has a field for a password."""
    if kind == "login":
        return look.password or (before is not None and look.kept(before) < GONE and look.forms)
    if kind == "consent":
        return before is None or look.kept(before) < GONE
    return before is None or look.kept(before) < SAME


def _by_signs(look: _Look, before: _Look | None, asked: str) -> PageCheck | None:
    """Decide by marks in the source and words in the text of a short page that has nothing of what there was."""
    if len(look.words) > SHORT or (before and look.kept(before) > GONE):
        return None
    size = len(look.words)
    found = look.mark(interstitial_patterns.BLOCKED_MARKS)
    if found and (look.says(interstitial_patterns.BLOCKED) or (before and len(look.words) <= TINY)):
        return PageCheck("blocked", signs.marked(found, size))
    if found := look.mark(interstitial_patterns.PARKED_MARKS):
        return PageCheck("elsewhere", signs.parked(found))
    if before and look.password and not before.password and not _is_login(asked or look.page.url):
        return PageCheck("login", signs.asks_for_password(size))
    return _by_words(look, before)


def _by_words(look: _Look, before: _Look | None) -> PageCheck | None:
    """Decide by what a short page says in the place of one that said something else."""
    if before is None:
        return None
    found = look.says(interstitial_patterns.CONSENT)
    if (
        found
        and look.buttons
        and (look.mark(interstitial_patterns.CONSENT_MARKS) or look.times(interstitial_patterns.CONSENT) > 1)
    ):
        return PageCheck("consent", signs.says(found, len(look.words)))
    if len(look.words) > TINY:
        return None
    said = ((kind, look.says(pattern)) for kind, pattern in _SAID)
    return next((PageCheck(kind, signs.says(text, len(look.words))) for kind, text in said if text), None)


def _by_host(look: _Look, before: _Look | None, host_pages: Iterable[PageVersion]) -> PageCheck | None:
    """Decide by other pages of the host that show the same short page now."""
    if before is None or not look.words or len(look.words) > SHORT or look.kept(before) > GONE:
        return None
    alike = sum(_Look(other).says_the_same(look) for other in host_pages if _is_html(other))
    if alike < OTHERS:
        return None
    return PageCheck("elsewhere", signs.shown_by_others(alike))


class _Look:
    """What is looked at in a page."""

    def __init__(self, page: PageVersion) -> None:
        self.page = page

    @cached_property
    def words(self) -> tuple[str, ...]:
        return self.page.words

    @cached_property
    def bag(self) -> Counter[str]:
        found = Counter[str]()
        for word, count in Counter(self.words[:_MAX_CHECKED_WORDS]).items():
            found[word.lower()] += count
        return found

    @cached_property
    def text(self) -> str:
        return " ".join(self.words[:SHORT])

    @cached_property
    def source(self) -> str:
        return self.page.source[:_SOURCE]

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The title and the first headings."""
        tree = self.page.tree
        found = (" ".join(tree.text_below(node, limit=50).split()) for node in tree.live_elements("h1", "h2"))
        return tuple(
            text[:200]
            for text in (self.page.title, *[text for text, _ in zip(found, range(2), strict=False)])
            if text
        )

    @cached_property
    def shows(self) -> bool:
        return any(True for _ in self.page.tree.live_elements(*_SHOWS))

    @cached_property
    def scripts(self) -> bool:
        return self.page.tree.find("script") >= 0

    @cached_property
    def forms(self) -> bool:
        return self.page.tree.find("form") >= 0

    @cached_property
    def password(self) -> bool:
        tree = self.page.tree
        return any(
            (tree.attribute(node, "type") or "").lower() == "password" for node in tree.live_elements("input")
        )

    @cached_property
    def buttons(self) -> bool:
        return any(True for _ in self.page.tree.live_elements("button", "form", "input"))

    def kept(self, before: _Look) -> float:
        """Give the share of the words of the version before that are still there."""
        if self.words and self.words == before.words:
            return 1.0
        total = before.bag.total()
        if not total:
            return float(not self.words and self.headings == before.headings)
        common = before.bag.keys() & self.bag.keys()
        return sum(map(min, map(before.bag.__getitem__, common), map(self.bag.__getitem__, common))) / total

    def says_the_same(self, other: _Look) -> bool:
        """Return whether two pages have nearly all words in common: all but, say, the name of the page."""
        return min(self.kept(other), other.kept(self)) >= REPEATED

    def shrank(self, before: _Look) -> bool:
        """Return whether less than half of the words is left."""
        return len(self.words) < SAME * len(before.words)

    def lost_its_heading(self, before: _Look) -> bool:
        """Return whether an error stands in the place of the content, in the frame that there was."""
        title = self.headings[0] if self.headings else ""
        return self.shrank(before) and title not in before.headings and _headed(interstitial_patterns.ERROR, title)

    @cached_property
    def waits(self) -> bool:
        return _headed(interstitial_patterns.WAITING, self.text)

    def mark(self, pattern: re.Pattern[str]) -> str:
        found = pattern.search(self.source)
        return found[0] if found else ""

    def says(self, pattern: re.Pattern[str]) -> str:
        found = pattern.search(self.text)
        return cut(found[0], 60) if found else ""

    def times(self, pattern: re.Pattern[str]) -> int:
        return len({found.lower() for found in pattern.findall(self.text)})


def _is_html(page: PageVersion) -> bool:
    return what_it_is(page) == "html"


def _is_login(url: str) -> bool:
    return bool(interstitial_patterns.LOGIN_PATHS.search(urlsplit(url).path))


_HEADED: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("blocked", interstitial_patterns.BLOCKED),
    ("error", interstitial_patterns.ERROR),
    ("elsewhere", interstitial_patterns.PARKED),
    ("consent", interstitial_patterns.CONSENT),
    ("login", interstitial_patterns.LOGIN),
)
_SAID: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("blocked", interstitial_patterns.BLOCKED),
    ("error", interstitial_patterns.ERROR),
    ("elsewhere", interstitial_patterns.PARKED),
)
