"""Details of a redesigned page: its layout, the user's selectors on it, and whether its content stayed."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pagedrift.app.model.redesign import BrokenSelector, RedesignDetails
from pagedrift.does_it_matter.changes.levels import Zone, zone_of
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.errors import PagedriftError
from pagedrift.redesigned.layout import compare_layouts
from pagedrift.selectors.expressions import parse_selectors
from pagedrift.selectors.relocation import Relocator
from pagedrift.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.redesign import ContentState
    from pagedrift.app.model.rules import Rule
    from pagedrift.does_it_matter.changes.passages import Passage
    from pagedrift.page import PageVersion
    from pagedrift.selectors.relocation import Relocation

MAX_SELECTORS: Final = 50  # of one watch that are relocated: each may take a third of a second
MAX_TEXT_CHARS: Final = 120  # of what a selector means
MIN_WORDS: Final = 10  # of the content: of fewer it is not said whether they stayed
MAX_OTHER_WORDS: Final = 0.05  # of the content that may be labels of the new layout
_CONTENT: Final = frozenset((Zone.MAIN, Zone.ENTRIES))
_POINTS: Final = ".,;:!?()[]\"'“”„»«›‹–"


def describe_redesign(
    old: PageVersion, new: PageVersion, options: WatchOptions, rules: Iterable[Rule] = ()
) -> RedesignDetails:
    """Say what a redesign did to a page.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.app.model.options import WatchOptions
    >>> text = "A permit for a fence costs 24 € and holds for a year from the day of issue."
    >>> old = PageVersion("", f"<div id=content><p class=fees>{text}</div>".encode())
    >>> new = PageVersion("", f"<main><section class=card><p class=price>{text}</section></main>".encode())
    >>> found = describe_redesign(old, new, WatchOptions(include=(".fees",)))
    >>> found.content, [(each.status, each.proposal) for each in found.selectors]
    ('unchanged', [('moved', '.price')])
    """
    return RedesignDetails(
        layout=compare_layouts(old, new),
        content=compare_content(old, new),
        selectors=tuple(_broken(old, new, options, rules)),
    )


def compare_content(old: PageVersion, new: PageVersion) -> ContentState:
    """Say whether a page says the same in another layout.

    Sentences are cut elsewhere there and labels are added, so words are compared: those of the content on either
    side with all of the other. Every number must be there as often as before, and no new one may have come.
    """
    sides = [[each for each in passages(page) if each.kind == "text" and not each.hidden] for page in (old, new)]
    before, after = (_words(each for each in side if zone_of(each) in _CONTENT) for side in sides)
    if min(before.total(), after.total()) < MIN_WORDS:
        return ""
    all_before, all_after = map(_words, sides)
    lost = any(count > all_after[word] for word, count in before.items() if _is_number(word))
    come = any(word not in all_before for word in after if _is_number(word))
    other = _is_other(before, all_after) or _is_other(after, all_before)
    return "changed" if lost or come or other else "unchanged"


def _words(said: Iterable[Passage]) -> Counter[str]:
    return Counter(word.strip(_POINTS) for each in said for word in each.words)


def _is_number(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def _is_other(own: Counter[str], others: Counter[str]) -> bool:
    return sum(word not in others for word in own) > MAX_OTHER_WORDS * len(own)


def _broken(
    old: PageVersion, new: PageVersion, options: WatchOptions, rules: Iterable[Rule]
) -> Iterator[BrokenSelector]:
    """Give the selectors that no longer mean what they meant; one that cannot be looked for is left out."""
    relocator = None
    for use, name, written in list(_selectors(options, rules))[:MAX_SELECTORS]:
        with suppress(PagedriftError):
            relocator = relocator or Relocator([old], new)
            found = relocator.relocate(written)
            if found.broken:
                yield _described(use, name, written, found)


def _selectors(options: WatchOptions, rules: Iterable[Rule]) -> Iterator[tuple[str, str, str]]:
    """Give the user's selectors: what each is for, its name if it has one, and how it is written."""
    yield from (("include", "", each) for each in options.include)
    yield from (("exclude", "", each) for each in options.exclude)
    yield from (("rule", "", rule.value) for rule in rules if rule.kind == "block")
    if options.selectors:
        with suppress(PagedriftError):
            parsed = parse_selectors("\n".join(options.selectors))
            yield from (("selector", each.name, each.written) for each in parsed)


def _described(use: str, name: str, written: str, found: Relocation) -> BrokenSelector:
    proposal = found.proposal
    return BrokenSelector(
        use=use,
        name=name,
        selector=written,
        status=found.status.value,
        proposal=proposal.written if proposal else "",
        probability=round(proposal.probability, 3) if proposal else 0.0,
        old_text=shorten(found.old_text, MAX_TEXT_CHARS),
        new_text=shorten(proposal.text, MAX_TEXT_CHARS) if proposal else "",
    )
