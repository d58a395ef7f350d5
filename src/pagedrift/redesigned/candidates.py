"""Which frame may be that of a new design, and what speaks for it?"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from pagedrift._kernels import count_common, hash_bytes
from pagedrift.redesigned.frames import DesignFrame, smallest
from pagedrift.redesigned.history import packed, unpacked
from pagedrift.which_template.similarity import overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.page import PageVersion
    from pagedrift.redesigned.certainty import Weights
    from pagedrift.redesigned.events import Passing

AGAIN: Final = 0.8  # of the words of two pages with one frame are the same: it is one page, shown twice
SHOWN: Final = 3  # documents of a design that show what of the old one was lost; later ones bring it as content

Place = Literal[
    "home", "linked", "away"
]  # at a known place; at a new one that leads where the site led; or neither


@dataclass(kw_only=True)
class Candidate:
    """A frame that may be that of a new design, and what speaks for it."""

    first: int
    published_at: datetime | None
    before: int  # documents that it was compared with
    core: DesignFrame  # what its first two documents share and none before had
    whole: DesignFrame  # what they share
    new: float  # the least share of the whole that one document before it lacked
    last: DesignFrame  # the frame of the last that joined
    old: list[DesignFrame]  # what most documents before shared: of each page type, the commonest first
    lost: list[DesignFrame]  # of them, what no document of the candidate has
    leads: array[int]  # where several documents before it led
    words: array[int] = field(default_factory=lambda: array("Q"))  # of the last with the frame of the one before
    unrest: float = 0.0  # the share of its frame that was new in each document before it, on average
    alike: int = 1
    home: int = 0
    linked: int = 0
    away: int = 0
    same: int = 0
    olds: int = 0
    strays: int = 0
    is_returning: bool = False  # the site had its design before
    told: bool = False
    passing: Passing | None = None  # what it was if the old design is back

    _FRAMES = ("core", "whole", "last")
    _TYPES = ("old", "lost")

    @property
    def replaced(self) -> float:
        """The share of the frame that was replaced: the geometric mean of what is new and what is gone."""
        return math.sqrt(self.new * min(self.gone))

    @property
    def gone(self) -> list[float]:
        """The share of each old frame that was lost."""
        return [lost.within(old) for lost, old in zip(self.lost, self.old, strict=True)]

    @property
    def since(self) -> int:
        """Documents from its first on."""
        return self.alike + self.olds + self.strays

    def certainty(self, weights: Weights) -> float:
        """Return how likely it is that this is another design, and that it will stay."""
        return self.is_other(weights) * self.stays(weights)

    def is_other(self, weights: Weights) -> float:
        """Return how likely it is that this is another design, and not an edit of the old one or other content."""
        return weights.is_other(self.replaced, unrest=self.doubt, elsewhere=self.elsewhere)

    @property
    def elsewhere(self) -> float:
        """The share of its documents at new places, where page types are new, too; 0 with enough at known ones."""
        new = self.linked + self.away
        return new / (self.home + new) if new and self.home < SHOWN else 0.0

    @property
    def doubt(self) -> float:
        """The unrest before it, as far as it may explain that many documents differ."""
        return self.unrest * min(1.0, SHOWN / self.alike)

    def stays(self, weights: Weights) -> float:
        """Return how likely it is that more documents of it come, and none of the old design."""
        counts = {name: getattr(self, name) for name in ("home", "linked", "away", "same", "olds", "strays")}
        return weights.stays(**counts, is_returning=self.is_returning)

    def fits(self, frame: DesignFrame) -> bool:
        """Return whether a document is of the candidate.

        The second is if much of what it shares with the first is new, and it shares more than strangers do.
        """
        return self.core.carried_by(frame) if self.alike > 1 else self.core.is_new_in(frame, self.whole)

    def join(self, frame: DesignFrame, page: PageVersion, *, place: Place, before: Sequence[DesignFrame]) -> None:
        """Take a document that fits."""
        if self.alike == 1:
            self.core, self.whole = self.core.parted(frame)[0], self.whole.parted(frame)[0]
            self.new = self.whole.news(before)
        if self.alike < SHOWN:
            self.lost = [lost.parted(frame)[1] for lost in self.lost]
        self.alike += 1
        is_same = frame == self.last and not self.told and self._says_the_same(page)
        self.count(place, is_same=is_same)
        self.last = frame

    def _says_the_same(self, page: PageVersion) -> bool:
        """Compare the words of documents with one frame; the first such is in doubt until the second comes.

        So words are read only where frames repeat, which is seldom.
        """
        known, self.words = self.words, _words(page)
        is_same = not known or overlap(known, self.words) >= AGAIN
        if not is_same and self.same == 1:
            self.home, self.same = self.home + 1, 0
        return is_same

    def leave_out(self, frame: DesignFrame) -> None:
        """Count a document that is not of the candidate; one of the old design ends the run of the new."""
        if self.old[0].carried_by(frame):
            self.olds += 1
            self.passing = self.passing or self._passing()
            self.home = self.linked = self.away = self.same = 0
        else:
            self.strays += 1

    def _passing(self) -> Passing:
        """Name what it is if not a redesign, from where its documents are and whether they are all one page."""
        if self.same > 1 and self.same >= self.alike / 2:  # of one, the words were not compared yet
            return "repeated"
        return "section" if self.linked + self.away > self.home else "trial"

    def leads_on(self, links: array[int]) -> bool:
        """Return whether a document leads where the site led before."""
        return count_common(self.leads, links) > 0

    def count(self, place: Place, *, is_same: bool) -> None:
        """Count a document of the candidate by what it is worth."""
        self.away += place == "away"
        self.same += place != "away" and is_same
        self.linked += place == "linked" and not is_same
        self.home += place == "home" and not is_same

    def state(self) -> dict[str, Any]:
        """Give it as JSON can hold it."""
        plain = {name: value for name, value in vars(self).items() if name not in self._FRAMES + self._TYPES}
        frames = {name: getattr(self, name).state() for name in self._FRAMES}
        types = {name: [frame.state() for frame in getattr(self, name)] for name in self._TYPES}
        return (
            plain
            | frames
            | types
            | {"leads": packed(self.leads), "words": packed(self.words)}
            | {"published_at": self.published_at.isoformat() if self.published_at else None}
        )

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Candidate:
        """Read it back, also as it was saved before some of the counts existed."""
        date = state["published_at"]
        frames = {name: DesignFrame.restored(state[name]) for name in cls._FRAMES}
        types = {name: [DesignFrame.restored(frame) for frame in state[name]] for name in cls._TYPES}
        known = {one.name for one in fields(cls)}
        return cls(
            **{name: value for name, value in state.items() if name in known}
            | frames
            | types
            | {"leads": unpacked(state["leads"]), "words": unpacked(state["words"])}
            | {"published_at": datetime.fromisoformat(date) if date else None}
        )


def _words(page: PageVersion) -> array[int]:
    """Hash the different words that a page says."""
    different = (hash_bytes(word.encode("utf-8", "replace")) for word in set(page.words))
    return smallest(array("Q", sorted(different)))
