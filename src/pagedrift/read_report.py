"""The report of a reading: how much was kept and skipped, and what was damaged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

MAX_KEPT_PROBLEMS = 1000  # a list to look at, not a log: beyond this only the count continues


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read, where it stands and what to do about it.

    >>> print(Problem("crawl.warc.gz", 1181, "the record is cut off; get a complete copy"))
    crawl.warc.gz, byte 1181: the record is cut off; get a complete copy
    """

    path: str
    offset: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}, byte {self.offset}: {self.reason}"


@dataclass(slots=True)
class ReadingCounts:
    """How many versions were given, and how much was left out."""

    versions: int = 0
    damaged: int = 0  # problems, also beyond those that are kept
    late: int = 0  # given out of order: captured earlier than a version given before
    passed_over: Counter[str] = field(default_factory=Counter)  # healthy, but no page: by reason


class InputUnderWay(Protocol):
    """An input that is being read."""

    offset: int  # how far


@dataclass(slots=True)
class Account:
    """The running account of one reading."""

    counts: ReadingCounts = field(default_factory=ReadingCounts)
    problems: list[Problem] = field(default_factory=list)
    finished: int = 0  # bytes of the inputs that were read to their end
    under_way: list[InputUnderWay] = field(default_factory=list)

    def report(self, problem: Problem) -> None:
        """Count a problem, and keep it while there are few.

        >>> account = Account()
        >>> account.report(Problem("crawl.warc", 0, "the record is cut off; get a complete copy"))
        >>> account.counts.damaged, len(account.problems)
        (1, 1)
        """
        self.counts.damaged += 1
        if len(self.problems) < MAX_KEPT_PROBLEMS:
            self.problems.append(problem)

    def add(self, other: Account) -> None:
        """Take over what another account counted."""
        self.counts.versions += other.counts.versions
        self.counts.damaged += other.counts.damaged
        self.counts.late += other.counts.late
        self.counts.passed_over += other.counts.passed_over
        self.problems += other.problems[: MAX_KEPT_PROBLEMS - len(self.problems)]
        self.finished += other.finished
