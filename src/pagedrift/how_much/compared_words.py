"""Which words of two page versions are compared, and with which options?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pagedrift.how_much import extended, improved
from pagedrift.how_much.alignment import Aligned, align
from pagedrift.how_much.main_content import main_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.how_much.cosine import Frequencies
    from pagedrift.how_much.extended import Extended
    from pagedrift.page import PageVersion


@dataclass(frozen=True, kw_only=True)
class MetricOptions:
    """Options of the metrics; each reads those that concern it."""

    a: float = 0.75  # extended: what copying or shrinking a word costs (Kwon et al. 2006, § 5)
    b: float = 0.75  # extended: what moving a word costs
    k: int = 10  # shingles: words of a shingle
    frequencies: Frequencies | None = None  # cosine: of a collection
    main_content: bool = False  # all but bytewise: leave out navigation, adverts, footers

    def pair(self, old: PageVersion, new: PageVersion) -> VersionPair:
        """Prepare two versions for comparison; asked again for the same two, give what is prepared already."""
        last: VersionPair | None = self.__dict__.get("_last")
        if last is None or last.old is not old or last.new is not new:
            last = self.__dict__["_last"] = VersionPair(old, new, self)
        return last


class VersionPair:
    """Two page versions, with what several metrics need of them, each computed once."""

    def __init__(self, old: PageVersion, new: PageVersion, options: MetricOptions) -> None:
        self.old, self.new, self.options = old, new, options

    @cached_property
    def words(self) -> tuple[Sequence[str], Sequence[str]]:
        """The words of the old and of the new version."""
        if self.options.main_content:
            return main_words(self.old), main_words(self.new)
        return self.old.words, self.new.words

    @cached_property
    def bags(self) -> tuple[Counter[str], Counter[str]]:
        """How often each word occurs in the old and in the new version."""
        one, other = map(Counter, self.words)
        return one, other

    @cached_property
    def aligned(self) -> Aligned:
        """The words that stayed where they were."""
        return align(*self.words)

    @cached_property
    def extended(self) -> Extended:
        """What was done to the words, by the paper's procedure."""
        return extended.compare_aligned(self.aligned, a=self.options.a, b=self.options.b)

    @cached_property
    def improved(self) -> Extended:
        """What was done to the words, by ours."""
        return improved.compare_aligned(self.aligned, a=self.options.a, b=self.options.b)
