"""Each change between two versions by itself: what it touches, where it stands, and whether it is noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift.arguments import as_readable
from pagedrift.does_it_matter.changes.levels import ChangeReason, JudgedChange, Level, Zone, judge_changes
from pagedrift.does_it_matter.changes.pairing import compare
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.past import Past

if TYPE_CHECKING:
    from pagedrift.arguments import PageLike

__all__ = ["ChangeReason", "JudgedChange", "Level", "Past", "Zone", "changes", "past_of"]


def changes(old: PageLike, new: PageLike, *, past: Past | None = None) -> tuple[JudgedChange, ...]:
    """List what changed as a person would name it, each with its own verdict; the most important first.

    `past` is what earlier versions of the page teach: places that change all the time are noise, and a fact in a
    place that stood still is not. Without it, less is known and less is claimed.

    >>> from pagedrift import PageVersion
    >>> page = "<main><h1>Permits</h1><p>A permit for a fence costs {} and is valid for a year.</p></main>"
    >>> old, new = (PageVersion("", page.format(fee).encode()) for fee in ("$40", "$45"))
    >>> [(str(each.level), each.facts) for each in changes(old, new)]
    [('important', {<FactKind.MONEY: 'amount of money'>: (('$40',), ('$45',))})]
    """
    return judge_changes(compare(passages(as_readable(old)), passages(as_readable(new))), past)


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
