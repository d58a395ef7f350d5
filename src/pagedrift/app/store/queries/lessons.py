"""Queries for what was learned from feedback, as pages and programs show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from pagedrift.app.store import lessons as stored
from pagedrift.app.store.tables import WatchRow
from pagedrift.report import reasons

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

MAX_LESSONS: Final = 200  # that are listed


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonSummary:
    """One lesson, and for what it holds."""

    id: str
    scope: str
    of: str
    kind: str
    zone: str
    matters: bool
    times: int
    example: str
    where: str
    change: int | None  # the newest that it was said about

    @property
    def sentence(self) -> str:
        """The lesson in words."""
        return reasons.lesson(self.kind, self.zone, matters=self.matters, times=self.times, example=self.example)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary:
    """What the judge of this installation learned, and whether it is used."""

    labels: int
    learned: bool
    off: bool
    before: dict[str, Any]
    after: dict[str, Any]
    trouble: str

    @property
    def used(self) -> bool:
        """Whether changes are judged by it."""
        return self.learned and not self.off

    @property
    def sentence(self) -> str:
        """What became of it in words."""
        right = (self.before.get("right"), self.after.get("right"))
        return reasons.judge(self.labels, right, learned=self.learned, off=self.off, trouble=self.trouble)


def lessons(session: Session) -> tuple[LessonSummary, ...]:
    """Give what was learned: what holds most widely and was said most often first, then the newest."""
    found = sorted(stored.lessons(session), key=lambda each: (each.scope == "watch", -each.times))[:MAX_LESSONS]
    named = select(WatchRow.id, WatchRow.name, WatchRow.url).where(WatchRow.id.in_({each.of for each in found}))
    titles = {row.id: row.name or row.url for row in session.execute(named)}
    return tuple(
        LessonSummary(
            id=each.id,
            scope=each.scope,
            of=each.of,
            kind=each.kind,
            zone=each.zone,
            matters=each.matters,
            times=each.times,
            example=each.text,
            where=titles.get(each.of, each.of) or "everywhere",
            change=max(each.changes, default=None),
        )
        for each in found
    )


def judge(store: Store) -> JudgeSummary:
    """Say what the judge of this installation learned."""
    known = stored.judge(store)
    return JudgeSummary(
        labels=int(known.get("labels", 0)),
        learned=bool(known.get("model")),
        off=bool(store.get(stored.JUDGE_IS_OFF)),
        before=known.get("before") or {},
        after=known.get("after") or {},
        trouble=str(known.get("trouble") or ""),
    )
