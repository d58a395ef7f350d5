"""Does this change matter, how surely, and why?"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.arguments import as_readable
from pagedrift.does_it_matter.changes import Level, changes
from pagedrift.does_it_matter.changes.facts import FactKind
from pagedrift.does_it_matter.changes.pairing import EDITED, RECOUNTED
from pagedrift.does_it_matter.evidence import change, gather
from pagedrift.does_it_matter.explain import JudgementReason, explain, size_of
from pagedrift.does_it_matter.explain_law2012 import explain_paper
from pagedrift.does_it_matter.features import VISUAL, paper_features
from pagedrift.does_it_matter.model import shipped
from pagedrift.does_it_matter.style_sheets import are_exchanged
from pagedrift.errors import InputError
from pagedrift.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pagedrift.arguments import PageLike
    from pagedrift.does_it_matter.changes import JudgedChange, Past, Siblings
    from pagedrift.does_it_matter.evidence import ChangeEvidence
    from pagedrift.does_it_matter.model import Model
    from pagedrift.page import PageVersion

UNSURE: Final = (0.35, 0.65)  # between these a person should look
KEY_KINDS: Final = frozenset((FactKind.MONEY, FactKind.DEADLINE))  # that no page changes by itself
KEY_FACT_SURE: Final = 0.8  # that such a fact belongs to the content
RESTYLED_SURE: Final = 0.8  # that the look of a page changed whose style sheets are all other ones
FRAME_CEILING: Final = 0.3  # how likely at most a change matters that is one of the frame of the site

Label = Literal["similar", "dissimilar", "unsure"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a change matters: dissimilar versions must both be kept, similar ones need not."""

    label: Label
    probability: float  # that the change matters
    reasons: tuple[JudgementReason, ...]  # the strongest first
    basis: str  # what was looked at
    _: KW_ONLY
    changes: tuple[JudgedChange, ...] = ()  # each with its own verdict, the most important first

    @property
    def matters(self) -> bool:
        """The likelier answer, also where the label is unsure."""
        return self.probability >= 0.5  # noqa: PLR2004 - the likelier one


def judge(
    old: PageLike,
    new: PageLike,
    *,
    past: Past | None = None,
    siblings: Siblings | None = None,
    loaded: tuple[Mapping[str, tuple[str, bytes]], Mapping[str, tuple[str, bytes]]] | None = None,
    model: Model | str | None = None,
) -> Judgement:
    """Judge whether the change from one version to the next matters, and each single change by itself.

    With pictures of both versions it looks at them too; else at source and text alone, and says so. `past` is what
    earlier versions of the page teach, see `past_of`, and `siblings` what other pages of the site show as well, see
    `siblings_of`; `loaded` is what each page loads, by address, so that pictures are compared by their bytes.
    Without them less is known and less is claimed. `model` is another judge, or the name of one that comes with
    Pagedrift: "paper" is that of Law et al. 2012.

    >>> from pagedrift import PageVersion
    >>> one = PageVersion("", b"<main><p>Open all week.<p>Visitors: 17</main>")
    >>> found = judge(one, PageVersion("", b"<main><p>Open all week.<p>Visitors: 18</main>"))
    >>> found.label, [str(each.level) for each in found.changes]
    ('similar', ['noise'])
    """
    old, new = as_readable(old), as_readable(new)
    model = shipped(model) if isinstance(model, str) else model
    if model is not None and model.features[-1] in VISUAL:
        return judge_as_paper(old, new, model)
    seen = change(old, new)
    found = changes(seen.old, seen.new, past=past, siblings=siblings, loaded=loaded)
    chosen = model or shipped("pictures" if seen.pictured else "source")
    values = gather(seen, pictures=seen.pictured)
    if "top" in chosen.features and "top" not in values:
        raise InputError(_unpictured(chosen))
    probability, decisive = verdict(chosen.probability(values), found, seen)
    reasons = (*decisive, *explain(chosen.contributions(values), seen, found))
    return Judgement(
        label=_label(probability), probability=probability, reasons=reasons, basis=basis(seen), changes=found
    )


def verdict(
    probability: float, found: Sequence[JudgedChange], seen: ChangeEvidence
) -> tuple[float, tuple[JudgementReason, ...]]:
    """Say how likely a change matters, and what decides if one thing does: the frame, a price, the look."""
    if of_the_frame(found):
        return min(probability, FRAME_CEILING), (_FRAME_REASON,)
    if probability < KEY_FACT_SURE and (fact := key_fact(found)) is not None:
        return max(probability, fact.probability), (_fact_reason(fact),)
    if probability < RESTYLED_SURE and not seen.pictured and are_exchanged(seen.old, seen.new):
        return RESTYLED_SURE, (_RESTYLED_REASON,)
    return probability, ()


def of_the_frame(found: Sequence[JudgedChange]) -> bool:
    """Say whether all changes are noise, and most of their words stand on other pages of the site as well."""
    if not found or any(each.level is not Level.NOISE for each in found):
        return False
    shared = sum(size_of(each) for each in found if each.shared_by)
    return 2 * shared > sum(map(size_of, found))


def key_fact(found: Iterable[JudgedChange]) -> JudgedChange | None:
    """Find a price or deadline that was exchanged in the content: however small, both versions must be kept."""
    exchanged = (each for each in found if each.action in (EDITED, RECOUNTED) and KEY_KINDS & each.facts.keys())
    return next((each for each in exchanged if each.probability >= KEY_FACT_SURE), None)


_FRAME_REASON: Final = JudgementReason("what changed stands on other pages of the site as well", -5.0)
_RESTYLED_REASON: Final = JudgementReason("all style sheets are other ones: the page looks different", 5.0)


def _fact_reason(change: JudgedChange) -> JudgementReason:
    kind = next(kind for kind in change.facts if kind in KEY_KINDS)
    gone, come = (", ".join(values) for values in change.facts[kind])
    return JudgementReason(f"{kind.value} changed: {gone} → {come}", 5.0, change.old[0].box, change.new[0].box)


def basis(seen: ChangeEvidence) -> str:
    """Say what was looked at, and what stood in the way."""
    old, new = seen.old.view, seen.new.view
    if not seen.pictured or old is None or new is None:
        return f"source only: {seen.obstacle}" if seen.obstacle else "source only"
    notes = []
    if old.unstyled:
        notes.append(f"{counted(len(old.unstyled), 'style sheet')} could not be had on either side")
    if old.cut or new.cut:
        notes.append("not all of a very large page")
    return f"source and pictures: {', '.join(notes)}" if notes else "source and pictures"


def judge_as_paper(old: PageVersion, new: PageVersion, model: Model) -> Judgement:
    """Judge by the figures of Law et al. 2012, which need a picture of both versions."""
    seen = change(old, new)
    if not seen.pictured or seen.old.view is None or seen.new.view is None:
        raise InputError(_unpictured(model))
    values = paper_features(seen.old.view, seen.new.view)
    probability = model.probability(values)
    reasons = explain_paper(model.contributions(values), values)
    return Judgement(
        label=_label(probability), probability=probability, reasons=reasons, basis="blocks and pictures"
    )


def _label(probability: float) -> Label:
    if UNSURE[0] <= probability <= UNSURE[1]:
        return "unsure"
    return "dissimilar" if probability > UNSURE[1] else "similar"


def _unpictured(model: Model) -> str:
    next_step = "render both with one browser, see pagedrift.render, or judge without naming a model"
    return f"the judge “{model.name}” needs screenshots of both versions; {next_step}"
