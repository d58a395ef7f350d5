"""Previews of rules: what a rule would have hidden so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pagedrift.app.model.rules import Rule, checked
from pagedrift.app.monitor.edits import EditEvidence, find_edits
from pagedrift.app.monitor.filters import ChangeFilter
from pagedrift.documents.comparable import readable
from pagedrift.errors import PagedriftError
from pagedrift.what_changed import diff

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.page import PageVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What became of one past change under a rule."""

    change: int
    steps: int  # of the change
    hidden: int  # of those, by the rule
    trouble: str = ""  # why it cannot be said
    before: str = ""  # the level of its most important edit
    after: str = ""  # the same of what would be left ...
    left: str = ""  # ... and that in one line

    alerts: bool = False  # whether what would be left causes an alert under the options of its watch

    @property
    def wholly(self) -> bool:
        """Whether nothing would be left of the change."""
        return 0 < self.steps == self.hidden


def preview(
    rule: Rule,
    past: Iterable[tuple[int, PageVersion, PageVersion]],
    *,
    options: WatchOptions,
    rules: Iterable[Rule] = (),
) -> list[Preview]:
    """Say of each past change how many of its steps a rule would have hidden, besides what is hidden already."""
    rule, rules = checked(rule), tuple(rules)
    before, after = ChangeFilter.of(options, rules), ChangeFilter.of(options, (*rules, rule))
    found = (_tried(change, old, new, before, after) for change, old, new in past)
    return [replace(each, alerts=_causes_alert(options, each)) for each in found]


def _causes_alert(options: WatchOptions, found: Preview) -> bool:
    """Return whether what is left causes an alert; alerts that levels do not decide are taken to stay."""
    if found.wholly:
        return False
    if options.notify_on in ("anything", "amount") or options.conditions or not found.after:
        return True
    return found.after == "important" or (options.notify_on == "content" and found.after == "minor")


def _tried(change: int, old: PageVersion, new: PageVersion, before: ChangeFilter, after: ChangeFilter) -> Preview:
    pages = readable(old), readable(new)
    if pages[0] is None or pages[1] is None:
        return Preview(change=change, steps=1, hidden=0)  # of which only the bytes are looked at
    old, new = pages[0], pages[1]
    try:
        found = before.filtered(diff(old, new), old, new)
        left = after.filtered(found, old, new)
        judged = find_edits((old, new), before, EditEvidence(), ())
        rest = find_edits((old, new), after, EditEvidence(), ()) if left else None
    except PagedriftError as error:
        return Preview(change=change, steps=0, hidden=0, trouble=str(error))
    return Preview(
        change=change,
        steps=len(found),
        hidden=len(found) - len(left),
        before=judged.level,
        after=rest.level if rest else "",
        left=rest.headline if rest else "",
    )
