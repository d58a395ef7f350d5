"""Do two versions of one page have the same design?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift._kernels import shingles
from pagedrift.redesigned.frames import DesignFrame
from pagedrift.redesigned.history import LENGTH

if TYPE_CHECKING:
    from pagedrift.page import PageVersion

REDESIGNED: Final = (
    0.42  # share replaced: above the most that was no redesign in a stream, and below the least that was
)


def replaced(old: PageVersion, new: PageVersion) -> float:
    """Give the share of the frame that was replaced: the smaller of what is new and what is gone.

    The frame is the names of classes, ids, style sheets and scripts, and runs of four tags. One pair of pages shows
    less than a stream: content counts too, so that a page that was rewritten in the same design is above 0.

    >>> from pagedrift.testing import made_stream
    >>> same, other, redesigned = made_stream([0, 0, 1])
    >>> replaced(same, other), replaced(same, redesigned) > 0.8
    (0.0, True)
    """
    before, after = _frame(old), _frame(new)
    _, lost = before.parted(after)
    _, come = after.parted(before)
    return min(come.within(after), lost.within(before))


def _frame(page: PageVersion) -> DesignFrame:
    outline = page.outline
    return DesignFrame(outline.names, shingles(outline.codes, LENGTH))
