"""The tally of a collection: how many pages were read, skipped or failed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Self

MAX_KEPT_PROBLEMS: Final = 20  # that a part keeps in words; the others are only counted


@dataclass(slots=True, kw_only=True)
class Tally:
    """The counts of one part, or of all of them.

    >>> tally = Tally(pages=2)
    >>> tally.report("a.warc.gz, byte 0: the record is cut off; get a complete copy")
    >>> tally.add(Tally(pages=3)).pages, tally.damaged, Tally.from_json(tally.to_json()) == tally
    (5, 1, True)
    """

    archives: int = 0
    unreadable: int = 0  # archives, or records of an index, that could not be reached
    pages: int = 0
    rows: int = 0  # that were written
    damaged: int = 0  # problems, also those that are not kept
    passed_over: Counter[str] = field(default_factory=Counter)  # healthy records that are not page, by reason
    problems: list[str] = field(default_factory=list)
    figures: Counter[str] = field(default_factory=Counter)  # whatever else a job counts

    def report(self, problem: str) -> None:
        """Count a problem, and keep it while there are few."""
        self.damaged += 1
        if len(self.problems) < MAX_KEPT_PROBLEMS:
            self.problems.append(problem)

    def add(self, other: Tally) -> Self:
        """Take over what another one counted."""
        for name in ("archives", "unreadable", "pages", "rows", "damaged"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.passed_over += other.passed_over
        self.figures += other.figures
        self.problems += other.problems[: 10 * MAX_KEPT_PROBLEMS - len(self.problems)]
        return self

    def to_json(self) -> str:
        """Write it, to stand in the footer of the part it is about."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` wrote."""
        known = json.loads(text)
        return cls(**known | {name: Counter(known[name]) for name in ("passed_over", "figures")})
