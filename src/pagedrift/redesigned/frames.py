"""What does a page show of its design? Its frame: names that its author gave, and runs of tags."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift._kernels import count_common, in_at_least, in_none_of, overlaps, partition, shingles
from pagedrift.redesigned.history import LENGTH, packed, unpacked

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    from pagedrift.page import PageVersion

MAX_KEPT_HASHES: Final = 2_000  # of names, runs and links of one page: with h = 20, 4 MB if every page has as many
TOO_FEW_NAMES: Final = 5  # names or runs that are too few to speak of a share
DOUBT: Final = 10  # added to what a share is taken of: small frames convince less
TRACE: Final = 0.03  # of its names and of its runs; most documents are known by their names alone, and at once
COMMON: Final = 0.7  # of the last h documents share what is called their frame: three in ten may be outliers
KIND: Final = 0.15  # of the last h documents make a page type: three of twenty
JOINS: Final = 0.5  # of a frame makes a document one of its design
ALIKE: Final = 0.3  # of the smaller frame is shared by two documents of one design; strangers share less


class DesignFrame(NamedTuple):
    """What a page shows of its design: names and runs of tags, each a sorted array of hashes."""

    names: array[int]
    runs: array[int]

    @classmethod
    def of(cls, page: PageVersion) -> DesignFrame:
        """Read the frame of a page, as much of it as is kept."""
        outline = page.outline
        return cls(smallest(outline.names), smallest(shingles(outline.codes, LENGTH)))

    @property
    def size(self) -> int:
        """The number of names and runs."""
        return len(self.names) + len(self.runs)

    def parted(self, other: DesignFrame) -> tuple[DesignFrame, DesignFrame]:
        """Part it into what another has too, and what it has not."""
        names, runs = partition(self.names, other.names), partition(self.runs, other.runs)
        return DesignFrame(names[0], runs[0]), DesignFrame(names[1], runs[1])

    def unseen(self, before: Sequence[DesignFrame]) -> DesignFrame | None:
        """Give what no frame of some has; None if that is next to nothing of the names, or of the runs."""
        kinds = []
        for kind, known in zip(self, zip(*reversed(before), strict=True), strict=True):
            least = math.ceil(TRACE * len(kind)) if len(kind) >= TOO_FEW_NAMES else 0
            kinds.append(in_none_of(kind, known, least))
            if len(kinds[-1]) < least:
                return None
        return DesignFrame(*kinds)

    def within(self, whole: DesignFrame) -> float:
        """Return which share of a whole this is, names and runs weighing alike; few of a kind are left out."""
        return _share((len(self.names), len(self.runs)), (len(whole.names), len(whole.runs)))

    def news(self, before: Sequence[DesignFrame]) -> float:
        """Return which share of this no single frame of some had: the least one of them lacked."""
        sizes = [len(kind) for kind in self]
        shared = (self.shared_with(one) for one in before)
        return min((_share([sizes[0] - names, sizes[1] - runs], sizes) for names, runs in shared), default=0.0)

    def shared_with(self, other: DesignFrame) -> tuple[int, int]:
        """Count the names and runs that another has too."""
        return count_common(self.names, other.names), count_common(self.runs, other.runs)

    def is_new_in(self, frame: DesignFrame, whole: DesignFrame) -> bool:
        """Return whether much of what a frame shares with a whole is of this part of it, which was new."""
        part = self.shared_with(frame)
        if sum(part) < TOO_FEW_NAMES:
            return False
        shared = whole.shared_with(frame)
        is_new = _share(part, shared) >= JOINS * min(self.within(whole), JOINS)
        return is_new and whole.is_like(frame, shared)

    def is_like(self, other: DesignFrame, shared: tuple[int, int]) -> bool:
        """Return whether two frames may be of one design, from what they share."""
        smaller = (min(len(self.names), len(other.names)), min(len(self.runs), len(other.runs)))
        return _share(shared, smaller) >= ALIKE

    def carried_by(self, other: DesignFrame) -> bool:
        """Return whether another frame has half of this one, of names and runs together."""
        return self.size > 0 and sum(self.shared_with(other)) >= JOINS * self.size

    def state(self) -> list[str]:
        """Give it as JSON can hold it."""
        return [packed(self.names), packed(self.runs)]

    @classmethod
    def restored(cls, state: Sequence[str]) -> DesignFrame:
        """Read it back."""
        names, runs = state
        return cls(unpacked(names), unpacked(runs))


def smallest(hashes: array[int]) -> array[int]:
    """Keep a bounded number of hashes, the same ones of every page that has them."""
    return hashes[:MAX_KEPT_HASHES] if len(hashes) > MAX_KEPT_HASHES else hashes


def common_frame(frames: Sequence[DesignFrame]) -> DesignFrame:
    """Give what most frames share."""
    least = math.ceil(COMMON * len(frames))
    return DesignFrame(
        in_at_least([one.names for one in frames], least), in_at_least([one.runs for one in frames], least)
    )


def page_types(frames: Sequence[DesignFrame]) -> list[list[DesignFrame]]:
    """Part documents into those that are like one another, the most first; a few of a kind are outliers.

    The page types of most sites share a frame, and are one here. Where most documents are of no type, all are one.
    """
    types, rest = [], list(frames)
    while rest:
        first = rest[0]
        names, runs = (overlaps(own, kinds) for own, kinds in zip(first, zip(*rest, strict=True), strict=True))
        alike = [
            first.is_like(frame, shared) for frame, shared in zip(rest, zip(names, runs, strict=True), strict=True)
        ]
        alike[0] = True  # also where a page has next to no frame
        types.append([frame for frame, is_alike in zip(rest, alike, strict=True) if is_alike])
        rest = [frame for frame, is_alike in zip(rest, alike, strict=True) if not is_alike]
    often = sorted((one for one in types if len(one) >= KIND * len(frames)), key=len, reverse=True)
    return often if sum(map(len, often)) >= COMMON * len(frames) else [list(frames)]


def _share(parts: Sequence[int], wholes: Sequence[int]) -> float:
    """Take the geometric mean of the shares in names and in runs; a kind with few of them is left out."""
    shares = [part / (whole + DOUBT) for part, whole in zip(parts, wholes, strict=True) if whole >= TOO_FEW_NAMES]
    if len(shares) == 1:
        return shares[0]
    return math.sqrt(shares[0] * shares[1]) if shares else 0.0
