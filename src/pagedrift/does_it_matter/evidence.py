"""Which figures about two versions show whether the change matters?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import log1p, log10
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.passages import passages
from pagedrift.does_it_matter.text_changes import compare, jaccard_distance
from pagedrift.facets.links import link_targets
from pagedrift.text import counted

TEXT: Final = (
    "share changed",
    "words inserted",
    "longest inserted",
    "headings inserted",
    "numbers changed",
    "length",
)
REMOVED: Final = ("words removed", "longest removed", "headings removed")
SOURCE: Final = (*TEXT, "links", *REMOVED)
PICTURES: Final = (*TEXT, "links", "top", "colours", "height")  # where what was removed is seen too
_NEARLY_EMPTY: Final = 0.1  # of the words that the other version shows
_FEW_WORDS: Final = 30  # a page with fewer has little to show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.does_it_matter.passages import WeightedPassage
    from pagedrift.does_it_matter.text_changes import Rewriting
    from pagedrift.facets.view import View
    from pagedrift.page import PageVersion


@dataclass(frozen=True, kw_only=True)
class ChangeEvidence:
    """Two versions, their passages and what became of them."""

    old: PageVersion
    new: PageVersion
    before: tuple[WeightedPassage, ...]
    after: tuple[WeightedPassage, ...]
    rewriting: Rewriting
    obstacle: str = ""  # why views that there are were not compared

    @property
    def pictured(self) -> bool:
        """Whether there are pictures of both versions, taken by the same browser, if that is known."""
        views = self.old.view, self.new.view
        engines = {view.engine for view in views if view is not None and view.engine}
        return len(engines) <= 1 and all(view is not None and view.picture is not None for view in views)

    @cached_property
    def share(self) -> float:
        """The share of the words, by weight, that came, went or were reworded."""
        found = self.rewriting
        edited = sum(edit.words * edit.new.weight for edit in found.edited)
        changed = weighed(found.inserted) + weighed(found.deleted) + edited
        return changed / (1 + weighed(self.before) + weighed(self.after))

    @cached_property
    def links(self) -> float:
        """The Jaccard distance of what the versions lead to; two versions without links are equal."""
        one, other = (set(link_targets(page.tree, page.url)) for page in (self.old, self.new))
        return jaccard_distance(one, other)


def change(old: PageVersion, new: PageVersion) -> ChangeEvidence:
    """Look at two versions in the same way: as rendered only where both were, and alike."""
    found = obstacle(old.view, new.view) if old.view and new.view else ""
    if old.view is None or new.view is None or found:
        old, new = unseen(old, new)
    before, after = passages(old), passages(new)
    return ChangeEvidence(
        old=old, new=new, before=before, after=after, rewriting=compare(before, after), obstacle=found
    )


def unseen(old: PageVersion, new: PageVersion) -> tuple[PageVersion, PageVersion]:
    """Give both versions as they were received, without their views."""
    # A copy would be parsed again.
    one, other = (replace(page, view=None) if page.view is not None else page for page in (old, new))
    return one, other


def obstacle(old: View, new: View) -> str:
    """Say why two views must not be compared: something other than the page differs; empty if they may."""
    if old.engine and new.engine and old.engine != new.engine:
        return f"the pictures are of different browsers ({old.engine}; {new.engine})"
    lacking, lacks = len(old.unstyled), len(new.unstyled)
    if lacking == lacks:
        return _empty_side(old, new)
    side = "new" if lacks > lacking else "old"
    return f"{counted(max(lacking, lacks), 'style sheet')} of the {side} version could not be had"


def _empty_side(old: View, new: View) -> str:
    """Say which of two views shows next to nothing of what the other one does: the page did not come up there."""
    words = [
        sum(len(node.text.split()) for node in view.nodes if node.is_text and node.visible) for view in (old, new)
    ]
    if max(words) < _FEW_WORDS or min(words) >= _NEARLY_EMPTY * max(words):
        return ""
    return f"the {'new' if words[1] < words[0] else 'old'} version was rendered nearly empty"


def gather(change: ChangeEvidence, *, pictures: bool) -> dict[str, float]:
    """Give all figures about a change; those of pictures only where asked for."""
    figures = _of_text(change) | {"links": log10(1e-3 + change.links)}
    if pictures and change.old.view and change.new.view:
        figures |= _of_pictures(change.old.view, change.new.view)
    return figures


def weighed(passages: Sequence[WeightedPassage]) -> float:
    """Count words, each by the weight of its passage."""
    return sum(len(each.words) * each.weight for each in passages)


def _of_text(change: ChangeEvidence) -> dict[str, float]:
    """Weigh what was written: amounts in words, on a scale where ten times as much is one step."""
    found = change.rewriting
    return {
        "share changed": log10(1e-4 + change.share),
        "words inserted": log1p(weighed(found.inserted)),
        "longest inserted": log1p(max((weighed((each,)) for each in found.inserted), default=0)),
        "headings inserted": log1p(sum(each.weight for each in found.inserted if each.heading)),
        "words removed": log1p(weighed(found.deleted)),
        "longest removed": log1p(max((weighed((each,)) for each in found.deleted), default=0)),
        "headings removed": log1p(sum(each.weight for each in found.deleted if each.heading)),
        "numbers changed": log1p(len(found.recounted)),
        "length": log1p(sum(len(each.words) for each in change.after)),
    }


def _of_pictures(old: View, new: View) -> dict[str, float]:
    """Compare how two versions look."""
    from pagedrift.does_it_matter.pictures import colour_distance, look, top_changed

    before, after = look(old.picture or b""), look(new.picture or b"")
    return {
        "top": top_changed(before, after),
        "colours": colour_distance(before, after),
        "height": log1p(abs(new.height - old.height)),
    }
