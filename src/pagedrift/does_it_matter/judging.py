"""Does this change matter, how surely, and why?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.does_it_matter.evidence import change, count, gather
from pagedrift.does_it_matter.explain import Reason, explain
from pagedrift.does_it_matter.model import shipped

if TYPE_CHECKING:
    from pagedrift.does_it_matter.evidence import Change
    from pagedrift.does_it_matter.model import Model
    from pagedrift.page import PageVersion

UNSURE: Final = (0.35, 0.65)  # between these a person should look

Verdict = Literal["similar", "dissimilar", "unsure"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a change matters: dissimilar versions must both be kept, similar ones need not."""

    verdict: Verdict
    probability: float  # that the change matters
    reasons: tuple[Reason, ...]  # the strongest first
    basis: str  # what was looked at

    @property
    def matters(self) -> bool:
        """The likelier answer, also where the verdict is unsure."""
        return self.probability >= 0.5  # noqa: PLR2004 - the likelier one


def judge(old: PageVersion, new: PageVersion, *, model: Model | None = None) -> Judgement:
    """Judge whether the change from one version to the next matters.

    With pictures of both versions it looks at them too; else at source and text alone, and says so.

    >>> from pagedrift import PageVersion
    >>> one = PageVersion("", b"<main><p>Open all week.<p>Visitors: 17</main>")
    >>> judge(one, PageVersion("", b"<main><p>Open all week.<p>Visitors: 18</main>")).verdict
    'similar'
    """
    seen = change(old, new)
    chosen = model or shipped("pictures" if seen.pictured else "source")
    values = gather(seen, pictures=seen.pictured)
    probability = chosen.probability(values)
    verdict: Verdict = "unsure"
    if not UNSURE[0] <= probability <= UNSURE[1]:
        verdict = "dissimilar" if probability > UNSURE[1] else "similar"
    reasons = explain(chosen.contributions(values), seen)
    return Judgement(verdict, probability, reasons, basis(seen))


def basis(seen: Change) -> str:
    """Say what was looked at, and what stood in the way."""
    old, new = seen.old.view, seen.new.view
    if not seen.pictured or old is None or new is None:
        return f"source only: {seen.obstacle}" if seen.obstacle else "source only"
    notes = []
    if old.unstyled:
        notes.append(f"{count(len(old.unstyled), 'style sheet')} could not be had on either side")
    if old.cut or new.cut:
        notes.append("not all of a very large page")
    return f"source and pictures: {', '.join(notes)}" if notes else "source and pictures"
