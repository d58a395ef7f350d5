"""What does a detector report: a redesign, an edit of the template, or a design that came and went?"""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass, fields
from datetime import datetime
from typing import Any, Literal, Self

from pagedrift.notebook_views import ShownInNotebooks

# A section (or the pages in another language) with a design of its own; one page shown again and again, as errors
# are; or a trial, and pages that were left over.
Passing = Literal["section", "repeated", "trial"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    document: int  # index, from 0, of the first document of the new design
    published_at: datetime | None  # of that document
    detector: str

    def as_dict(self) -> dict[str, Any]:
        """Give the fields as JSON can hold them."""
        return asdict(self) | {"published_at": self.published_at.isoformat() if self.published_at else None}

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """Read the fields back."""
        known = {field.name: state[field.name] for field in fields(cls) if field.default is MISSING}
        known |= {
            field.name: state.get(field.name, field.default) for field in fields(cls) if field.name not in known
        }
        published = known["published_at"]
        return cls(**known | {"published_at": datetime.fromisoformat(published) if published else None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Redesign(_Event, ShownInNotebooks):
    """A permanent change from one design to another.

    The evidence in numbers: of the `needed` documents since and with `document`, `alike` have the new design; of
    the `before` documents looked at before it, `alike_before` have. Where a detector does not count, they are None.
    """

    certainty: float | None  # from 0 to 1; None where the detector gives none, as those of the paper
    needed: int  # documents seen from the first of the new design to the one at which it was reported
    alike: int | None = None
    before: int | None = None
    alike_before: int | None = None
    returned: bool = False  # to a design that the site had before


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateEdit(_Event):
    """A lasting change within one design: parts of the frame were added or removed, the rest stayed."""

    stayed: float  # share of the frame that stayed


@dataclass(frozen=True, slots=True, kw_only=True)
class PassingDesign(_Event):
    """Another design that was not a redesign: the old one came again."""

    what: Passing
    pages: int  # that have it
