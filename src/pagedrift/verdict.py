"""The verdict on two versions of a page: the answers to all five questions on one card."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pagedrift.arguments import as_page
from pagedrift.does_it_matter import judge
from pagedrift.how_much import measure
from pagedrift.notebook_views import ShownInNotebooks
from pagedrift.redesigned.pairwise import REDESIGNED, replaced
from pagedrift.what_changed import Noise, diff
from pagedrift.which_template import fingerprint, same_template

if TYPE_CHECKING:
    from pagedrift.arguments import PageLike
    from pagedrift.does_it_matter import Judgement
    from pagedrift.how_much import Measures
    from pagedrift.page import PageVersion
    from pagedrift.what_changed import EditScript

NOISE: Final = Noise()


@dataclass(frozen=True)
class Verdict(ShownInNotebooks):
    """The answers about two versions, each computed when it is first asked for."""

    old: PageVersion
    new: PageVersion
    noise: Noise = NOISE

    @cached_property
    def changes(self) -> EditScript:
        """What changed."""
        return diff(self.old, self.new, noise=self.noise)

    @cached_property
    def measures(self) -> Measures:
        """How much."""
        return measure(self.old, self.new)

    @cached_property
    def judgement(self) -> Judgement:
        """Whether it matters, how surely, and why."""
        return judge(self.old, self.new)

    @cached_property
    def same_template(self) -> bool:
        """Whether both were made from one template."""
        return same_template(fingerprint(self.old), fingerprint(self.new))

    @cached_property
    def replaced(self) -> float:
        """The share of the page's frame that was replaced."""
        return replaced(self.old, self.new)

    @property
    def redesigned(self) -> bool:
        """Whether the page was redesigned, as far as two versions show it."""
        return self.replaced >= REDESIGNED

    @property
    def changed(self) -> bool:
        """Whether anything changed but noise."""
        return bool(self.changes)


def check(old: PageLike, new: PageLike, *, noise: Noise = NOISE) -> Verdict:
    """Give the five answers about two versions; white space, session ids and cache busters are not changes.

    >>> from pagedrift import PageVersion
    >>> found = check(PageVersion("", b"<p>Open all week"), PageVersion("", b"<p>Closed on Monday"))
    >>> found.changed, found.measures["words"], found.same_template, found.redesigned
    (True, 1.0, True, False)
    """
    return Verdict(as_page(old), as_page(new), noise)
