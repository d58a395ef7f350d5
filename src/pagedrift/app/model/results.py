"""Result of a visit, as it is written to the archive's notes and to the database."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from pagedrift.app.model.change import ChangeRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagedrift.archive.locations import Place

Outcome = Literal["new", "changed", "unchanged", "not_the_page", "trouble"]
FORMAT: Final = 2
READABLE: Final = (1, FORMAT)
_OTHERS: Final = "others"  # what other watches of the address found in the same capture


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionMetadata:
    """What is remembered of a version next to its bytes."""

    url: str
    captured_at: datetime
    digest: str
    mime: str = ""
    status: int | None = None
    title: str = ""
    etag: str = ""
    modified: str = ""
    pictured: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion(VersionMetadata):
    """A version that is kept, and where its bytes are."""

    id: int
    watch: str
    place: Place

    @property
    def length(self) -> int:
        """How many bytes it takes in the archive."""
        return self.place.length


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitResult:
    """What one visit found."""

    watch: str
    at: datetime
    outcome: Outcome
    reason: str = ""  # for people; nothing depends on it
    status: int | None = None
    seconds: float = 0.0
    kept: bool = False
    version: VersionMetadata | None = None
    change: ChangeRecord | None = None
    compared_with: tuple[str, int] | None = None  # where the version before stands: WARC and offset
    entry: str = ""  # of a feed or sitemap, by which it is known again
    events: tuple[Mapping[str, Any], ...] = ()  # redesigns of a site, selectors that find nothing

    def notes(self) -> dict[str, Any]:
        """Give it as the archive keeps it, next to the version."""
        written = {name: getattr(self, name) for name in self.__slots__}
        written |= {"pagedrift": FORMAT, "at": self.at.isoformat()}
        if self.version is not None:
            captured_at = self.version.captured_at.isoformat()
            written["version"] = asdict(self.version) | {"captured_at": captured_at}
        if self.change is not None:
            written["change"] = self.change.to_json()
        return written

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> VisitResult | None:
        """Read it back; None where notes are of something else, or of a release that is not known yet."""
        if notes.get("pagedrift") not in READABLE:
            return None
        read = {name: value for name, value in notes.items() if name in cls.__slots__}
        version, change = read.get("version"), read.get("change")
        if version:
            moment = datetime.fromisoformat(version["captured_at"])
            read["version"] = VersionMetadata(**version | {"captured_at": moment})
        if change:
            before = read.get("compared_with") or change["old"]  # where the first format has it
            read |= {"change": ChangeRecord.from_json(change), "compared_with": (before[0], before[1])}
        read["events"] = tuple(read.get("events") or ())
        return cls(**read | {"at": datetime.fromisoformat(read["at"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedStep:
    """A browser step at which a visit failed, why, and what the page looked like at that moment."""

    number: int  # counted from 1
    step: str  # with the names of secrets
    problem: str
    picture: bytes = field(default=b"", repr=False)  # JPEG; empty where none could be taken
    at: datetime | None = None


def shared_notes(results: Sequence[VisitResult]) -> dict[str, Any]:
    """Give what several watches of one address found in one capture, as the archive keeps it next to that."""
    first, *others = (each.notes() for each in results)
    return first | {_OTHERS: others} if others else first


def read_notes(notes: Mapping[str, Any]) -> tuple[VisitResult, ...]:
    """Read back what each watch found in a capture; notes of something else hold nothing."""
    others = notes.get(_OTHERS)
    listed = [each for each in others if isinstance(each, dict)] if isinstance(others, list) else []
    return tuple(filter(None, map(VisitResult.from_notes, (notes, *listed))))
