"""Alerts: what one is about, before it is put into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagedrift.app.model.change import ChangeRecord
    from pagedrift.app.model.redesign import ContentState, RedesignSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPage:
    """One of the pages that an alert is about."""

    watch: str
    url: str
    name: str = ""
    group: str = ""
    change: int | None = None
    content: ContentState = ""  # after a redesign: whether it says the same as before

    @property
    def title(self) -> str:
        """The name it goes by."""
        return self.name or self.url


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosingAlert:
    """An alert that is about to be sent: no more pages join it."""

    number: int
    uid: str
    kind: str  # change, redesign, trouble, recovery, selector
    title: str
    pages: tuple[AlertPage, ...]
    change: ChangeRecord | None  # one of those it is about, which are all alike
    redesign: RedesignSummary | None = None
