"""How many templates does a site have, and which share of its documents has each?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift.redesigned.frames import DesignFrame

if TYPE_CHECKING:
    from pagedrift.page import PageVersion

MAX_TEMPLATES: Final = 20  # of one site that are told apart; all further ones are one


class TemplateShares:
    """Counts the documents of each template; page types that share the frame of their site are one template.

    >>> from pagedrift.testing import made_stream
    >>> counts = TemplateShares()
    >>> for page in made_stream([0, 0, 0, 1]):
    ...     counts.add(page)
    >>> counts.shares
    [0.75, 0.25]
    """

    def __init__(self) -> None:
        self._known: list[DesignFrame] = []  # the first of each
        self._counts: list[int] = []

    def add(self, page: PageVersion) -> None:
        """Count a document."""
        frame = DesignFrame.of(page)
        for place, known in enumerate(self._known):
            if known == frame or known.is_like(frame, known.shared_with(frame)):
                self._counts[place] += 1
                return
        if len(self._known) < MAX_TEMPLATES:
            self._known.append(frame)
            self._counts.append(0)
        self._counts[-1] += 1

    @property
    def shares(self) -> list[float]:
        """The share of the documents that each template has, the commonest first."""
        total = sum(self._counts)
        return [count / total for count in sorted(self._counts, reverse=True)]
