"""Each change between two versions by itself: what it touches, where it stands, and whether it is noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift.arguments import as_readable
from pagedrift.does_it_matter.changes.levels import ChangeReason, JudgedChange, Level, Zone, judge_changes
from pagedrift.does_it_matter.changes.pairing import compare
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.past import Past
from pagedrift.does_it_matter.changes.picture_contents import with_pictures
from pagedrift.does_it_matter.changes.siblings import SharedTexts, Siblings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.arguments import PageLike

__all__ = [
    "ChangeReason",
    "JudgedChange",
    "Level",
    "Past",
    "SharedTexts",
    "Siblings",
    "Zone",
    "changes",
    "past_of",
    "siblings_of",
]


def changes(
    old: PageLike,
    new: PageLike,
    *,
    past: Past | None = None,
    siblings: Siblings | None = None,
    loaded: tuple[Mapping[str, tuple[str, bytes]], Mapping[str, tuple[str, bytes]]] | None = None,
) -> tuple[JudgedChange, ...]:
    """List what changed as a person would name it, each with its own verdict; the most important first.

    `past` is what earlier versions of the page teach: places that change all the time are noise, and a fact in a
    place that stood still is not. `siblings` are other pages of the site, see `siblings_of`: what they show as well
    belongs to the frame of the site. `loaded` is what each of the two pages loads (content type and bytes, by
    address): a picture with other bytes was replaced. Without them, less is known and less is claimed.

    >>> from pagedrift import PageVersion
    >>> page = "<main><h1>Permits</h1><p>A permit for a fence costs {} and is valid for a year.</p></main>"
    >>> old, new = (PageVersion("", page.format(fee).encode()) for fee in ("$40", "$45"))
    >>> [(str(each.level), each.facts) for each in changes(old, new)]
    [('important', {<FactKind.MONEY: 'amount of money'>: (('$40',), ('$45',))})]
    """
    pages = as_readable(old), as_readable(new)
    read = passages(pages[0]), passages(pages[1])
    return judge_changes(with_pictures(compare(*read), pages, read, loaded), past, siblings=siblings)


def past_of(*versions: PageLike) -> Past:
    """Sum up the past of a page from its versions, the oldest first.

    >>> from pagedrift import PageVersion
    >>> counters = [PageVersion("", f"<p>Open all week<p>Visitors: {count}".encode()) for count in range(4)]
    >>> past_of(*counters).steps
    3
    """
    past = Past()
    before = None
    for version in versions:
        after = passages(as_readable(version))
        past = past.after(compare(before, after) if before is not None else ())
        before = after
    return past


def siblings_of(page: PageLike, *others: PageLike) -> Siblings:
    """Sum up which texts stand on several other pages of the site of a page; three pages are needed at least.

    >>> from pagedrift import PageVersion
    >>> page = "<main><h1>{0}</h1><p>What to know about {0} before you go.</p></main><p>{1} on our new portal."
    >>> names = ("fees", "parks", "pools", "halls")
    >>> first, *others = (
    ...     PageVersion(f"https://city.example/{name}", page.format(name, "Read it all").encode()) for name in names
    ... )
    >>> new = PageVersion(first.url, page.format("fees", "See it all").encode())
    >>> [(str(each.reason), each.shared_by) for each in changes(first, new, siblings=siblings_of(first, *others))]
    [('shared', 3)]
    """
    shared = SharedTexts()
    for other in map(as_readable, others):
        shared.add(other.url, passages(other))
    return shared.beside(as_readable(page).url)
