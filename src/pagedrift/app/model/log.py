"""Entries of the log: who changed what, and how it was before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

KINDS: Final = ("watch", "group", "rule", "feedback", "person", "invitation", "token", "setting")
MAX_ENTRIES: Final = 10_000  # that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One thing that somebody added, changed, removed or restored."""

    id: int
    at: datetime
    actor_kind: str  # person, token, command or application
    actor: str  # a name; empty for the application
    action: str  # added, changed, removed, restored
    kind: str  # one of KINDS
    subject: str  # its id
    title: str
    before: Mapping[str, Any]  # of what was changed, without secrets
    after: Mapping[str, Any]

    @property
    def who(self) -> str:
        """Who did it, in words."""
        said = {"command": "command line", "application": "the application", "token": f"token {self.actor}"}
        return said.get(self.actor_kind, self.actor or "somebody")
