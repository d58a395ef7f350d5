"""Result of a visit, as it is written to the archive's notes and to the database."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Outcome = Literal["new", "changed", "unchanged", "not_the_page", "trouble"]
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Version:
    """A version that was kept, without its bytes."""

    url: str
    captured_at: datetime
    digest: str
    mime: str = ""
    status: int | None = None
    title: str = ""
    etag: str = ""
    modified: str = ""
    pictured: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """What the version before and this one differ in, and whether that was told."""

    old: tuple[str, int]  # where the version before stands: WARC and offset
    headline: str
    card: Mapping[str, Any]
    amount: float
    probability: float
    matters: bool
    redesigned: bool
    signature: str
    told: bool
    reason: str  # why it was told, or why not


@dataclass(frozen=True, slots=True)
class VisitResult:
    """One visit."""

    watch: str
    at: datetime
    outcome: Outcome
    reason: str = ""
    status: int | None = None
    seconds: float = 0.0
    kept: bool = False
    version: Version | None = None
    change: Change | None = None
    entry: str = ""  # of a feed or sitemap, by which it is known again
    events: tuple[Mapping[str, Any], ...] = field(default=())  # redesigns of a site, selectors that find nothing

    def notes(self) -> dict[str, Any]:
        """Give it as the archive keeps it, beside the version."""
        told = asdict(self) | {"at": self.at.isoformat(), "pagedrift": FORMAT}
        if self.version is not None:
            told["version"]["captured_at"] = self.version.captured_at.isoformat()
        return told

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> VisitResult | None:
        """Read it back; None where notes are of something else, or of a release that is not known yet."""
        if notes.get("pagedrift") != FORMAT:
            return None
        told = {name: value for name, value in notes.items() if name in cls.__slots__}
        version, change = told.get("version"), told.get("change")
        if version:
            moment = datetime.fromisoformat(version["captured_at"])
            told["version"] = Version(**version | {"captured_at": moment})
        if change:
            file, offset = change["old"]
            told["change"] = Change(**change | {"old": (file, offset)})
        told["events"] = tuple(told.get("events") or ())
        return cls(**told | {"at": datetime.fromisoformat(told["at"])})
