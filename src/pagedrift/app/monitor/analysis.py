"""Comparison of two versions of a watched page, under the options and rules of the watch."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.change import ChangeAnalysis, level_of
from pagedrift.app.monitor.blocks import foremost, headline, read_blocks
from pagedrift.app.monitor.change_groups import signature
from pagedrift.app.monitor.edits import EditEvidence, find_edits, past_after
from pagedrift.app.monitor.excerpts import excerpt
from pagedrift.app.monitor.filters import ChangeFilter
from pagedrift.app.monitor.redesign_details import describe_redesign
from pagedrift.app.monitor.watched_values import read_values
from pagedrift.dates import iso_moment
from pagedrift.documents.comparable import is_within_reach, readable, what_it_is
from pagedrift.does_it_matter import Judgement, judge
from pagedrift.does_it_matter.explain import JudgementReason
from pagedrift.errors import PagedriftError
from pagedrift.how_much import measure
from pagedrift.report import card, reasons
from pagedrift.report.data import FORMAT
from pagedrift.text import size
from pagedrift.verdict import Verdict
from pagedrift.what_changed import diff
from pagedrift.what_changed.noise import settled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.app.model.change import ChangedBlock, JudgedEdit
    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.redesign import RedesignDetails
    from pagedrift.app.model.rules import Rule
    from pagedrift.app.monitor.edits import FoundEdits
    from pagedrift.does_it_matter.changes import Past
    from pagedrift.how_much import Measures
    from pagedrift.page import PageVersion
    from pagedrift.what_changed import EditScript

_HALF: Final = 0.5  # from here on the answers of the card say that a change is important ...
_BELOW_HALF: Final = 0.49  # ... and up to here that it is not
MAX_REASONS: Final = 5  # edits that the answers of the card name
MAX_SIGNATURES: Final = 500  # of one change; more are a change of everything


NO_EVIDENCE: Final = EditEvidence()


def analyse(
    old: PageVersion,
    new: PageVersion,
    options: WatchOptions,
    rules: Iterable[Rule] = (),
    *,
    by: EditEvidence = NO_EVIDENCE,
) -> ChangeAnalysis:
    """Give the answers; a page beyond the limits raises a PagedriftError.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.app.model.options import WatchOptions
    >>> page = "<main><p>A permit for a fence costs {} and holds for a year.</main><aside class=ad>Ad {}</aside>"
    >>> old, new = (PageVersion("", page.format(*each).encode()) for each in (("24 €", 1), ("29 €", 2)))
    >>> found = analyse(old, new, WatchOptions())
    >>> found.headline, [edit.level for edit in found.edits]
    ('Price 24 € → 29 €', ['important', 'noise'])
    """
    return analyse_with_past(old, new, options, rules, by=by)[0]


def analyse_with_past(
    old: PageVersion,
    new: PageVersion,
    options: WatchOptions,
    rules: Iterable[Rule] = (),
    *,
    by: EditEvidence = NO_EVIDENCE,
    still: int = 0,
) -> tuple[ChangeAnalysis, Past]:
    """Give the answers, and the past of the page with the new version in it.

    `still` is for how many days the page was seen to stand still before.
    """
    before, after, rules = readable(old), readable(new), tuple(rules)
    if before is None or after is None:
        return _of_bytes(old, new), past_after(by, None, still=still)
    change_filter = ChangeFilter.of(options, rules)
    # Selectors may count what comes before, or name what is around: they need the whole page.
    parts = None if change_filter.only or change_filter.without else excerpt(before, after)
    verdict = _Looked(*(parts or (before, after)), change_filter=change_filter, by=by)
    found = _of_verdict(verdict)
    if found.redesigned and parts is None:
        found = replace(found, redesign=_details(before, after, options, rules))
    found = replace(found, value=read_values((before, after), options, change_filter))
    past = past_after(by, verdict.edits if verdict.changed else None, still=still)
    return (_of_excerpt(found, (old, new), parts) if parts else found), past


def unknown_change(old: str, new: str, reason: str) -> ChangeAnalysis:
    """Answer about versions that could not be compared, by their digests: they differ, and a person has to look."""
    line = reasons.not_compared(reason)
    made = signature([old, new])
    return ChangeAnalysis(
        answers={"changed": True, "note": line},
        lines=(line,),
        headline=line,
        changed=True,
        visible=True,
        amount=1.0,
        probability=0.5,
        matters=True,
        level="important",
        same_template=True,
        redesigned=False,
        signature=made,
        signatures=(made,),
        blocks=(),
        hidden=0,
        template=False,
    )


@dataclass(frozen=True)
class _Looked(Verdict):
    """The verdict on what a watch looks at: steps of the whole pages, measures and judgement of the parts."""

    change_filter: ChangeFilter = field(default_factory=ChangeFilter)
    by: EditEvidence = NO_EVIDENCE

    @cached_property
    def unfiltered(self) -> EditScript:
        """What changed but noise, looked at or not."""
        return diff(self.old, self.new, noise=self.noise)

    @cached_property
    def changes(self) -> EditScript:
        return self.change_filter.filtered(self.unfiltered, self.old, self.new)

    @cached_property
    def parts(self) -> tuple[PageVersion, PageVersion]:
        """The versions with what is looked at alone."""
        return self.change_filter.reduced(self.old), self.change_filter.reduced(self.new)

    @cached_property
    def measures(self) -> Measures:
        return measure(*self.parts)

    @cached_property
    def blocks(self) -> list[ChangedBlock]:
        """The steps, with where each of them stands."""
        return read_blocks(self.changes, self.old, self.new)

    @cached_property
    def edits(self) -> FoundEdits:
        """The same as a person would name it, each with a verdict."""
        return find_edits((self.old, self.new), self.change_filter, self.by, self.blocks)

    @cached_property
    def judgement(self) -> Judgement:
        """The verdict on the most important edit; where no text, picture or file differs, on how both look."""
        found = self.edits
        if not found.judged:
            return self._by_looks()
        matters, sure = found.level == "important", round(found.probability, 4)
        return Judgement(
            label="dissimilar" if matters else "similar",
            probability=max(sure, _HALF) if matters else min(sure, _BELOW_HALF),
            reasons=tuple(_reason(edit) for edit in found.edits[:MAX_REASONS]),
            basis="source and pictures" if self.parts[0].view and self.parts[1].view else "source only",
            changes=found.judged,
        )

    def _by_looks(self) -> Judgement:
        """Judge versions that say the same, by their pictures; without those, nothing speaks for a change."""
        whole = judge(*self.parts)
        if all(part.view is not None for part in self.parts):
            return whole
        return replace(whole, label="similar", probability=min(whole.probability, _BELOW_HALF))


def _of_verdict(verdict: _Looked) -> ChangeAnalysis:
    blocks = verdict.blocks
    seen = [block for block in blocks if block.visible]
    redesigned = verdict.changed and verdict.redesigned
    signatures = tuple(dict.fromkeys(block.signature for block in seen or blocks))[:MAX_SIGNATURES]
    judged = verdict.judgement if verdict.changed else None
    return ChangeAnalysis(
        answers=card.data(verdict),
        lines=tuple(card.lines(verdict)),
        headline=_headline(verdict, redesigned=redesigned),
        changed=verdict.changed,
        visible=bool(seen),
        amount=verdict.measures.improved.distance if verdict.changed else 0.0,
        probability=(verdict.edits.probability or judged.probability) if judged else 0.0,
        matters=judged.matters if judged else False,
        level=_level(verdict) if judged else "",
        same_template=verdict.same_template,
        redesigned=redesigned,
        signature=signature(signatures, redesigned=redesigned) if verdict.changed else "",
        signatures=signatures,
        blocks=foremost(blocks),
        edits=verdict.edits.edits if verdict.changed else (),
        more_edits=verdict.edits.more if verdict.changed else {},
        hidden=len(verdict.unfiltered) - len(verdict.changes),
        template=bool(seen) and all(block.frame for block in seen),
        was=_digest(verdict.parts[0]),
        now=_digest(verdict.parts[1]),
        lost=verdict.change_filter.lost(verdict.old, verdict.new),
    )


def _details(
    old: PageVersion, new: PageVersion, options: WatchOptions, rules: Iterable[Rule]
) -> RedesignDetails | None:
    """Say what a redesign did; None where the page is too large for that."""
    try:
        return describe_redesign(old, new, options, rules)
    except PagedriftError:
        return None


def _level(verdict: _Looked) -> str:
    return verdict.edits.level if verdict.edits.judged else level_of(matters=verdict.judgement.matters)


def _reason(edit: JudgedEdit) -> JudgementReason:
    strength = {"important": 1.0, "minor": 0.5}.get(edit.level, -1.0)
    return JudgementReason(f"{edit.summary} ({edit.why})", strength)


def _headline(verdict: _Looked, *, redesigned: bool) -> str:
    """Name the most important edit first; where no text, picture or file differs, the step that says most."""
    if redesigned or not verdict.changed or not verdict.edits.judged:
        return headline(verdict.blocks, redesigned=verdict.replaced if redesigned else None)
    return verdict.edits.headline


def _of_excerpt(
    found: ChangeAnalysis, whole: tuple[PageVersion, PageVersion], parts: tuple[PageVersion, PageVersion]
) -> ChangeAnalysis:
    """Say of whole pages what their excerpts show; amounts are shares of the whole page again."""
    sizes = [sum(len(page.body) for page in pair) for pair in (parts, whole)]
    share = min(1.0, sizes[0] / sizes[1])
    note = f"compared only around the changes: {size(sizes[0] // 2)} of {size(sizes[1] // 2)}"
    sides = {
        side: found.answers[side] | {"digest": "sha256:" + page.digest}
        for side, page in zip(("old", "new"), whole, strict=True)
    }
    amounts = {name: round(value * share, 6) for name, value in found.answers["how_much"].items()}
    return replace(
        found,
        answers={**found.answers, **sides, "how_much": amounts, "note": note},
        lines=(*found.lines, note),
        amount=found.amount * share,
        was=whole[0].digest,
        now=whole[1].digest,
    )


def _of_bytes(old: PageVersion, new: PageVersion) -> ChangeAnalysis:
    """Answer about what cannot be looked into: whether a byte differs; what it says is for a person to see."""
    changed, line = old.body != new.body, _told_of_bytes(old, new)
    made = signature([old.digest, new.digest]) if changed else ""
    return ChangeAnalysis(
        answers=_answers_of_bytes(old, new, line),
        lines=(line,),
        headline=line,
        changed=changed,
        visible=changed,
        amount=float(changed),
        probability=0.5 * changed,
        matters=changed,
        level=level_of(matters=changed),
        same_template=what_it_is(old) == what_it_is(new),
        redesigned=False,
        signature=made,
        signatures=(made,) if made else (),
        blocks=(),
        hidden=0,
        template=False,
        was=old.digest,
        now=new.digest,
    )


def _told_of_bytes(old: PageVersion, new: PageVersion) -> str:
    before, after = what_it_is(old), what_it_is(new)
    if old.body == new.body:
        return "unchanged"
    if before != after:
        return f"it was {_named(before)} and is {_named(after)} now"
    why = "" if is_within_reach(old) and is_within_reach(new) else "; too large to analyse, only bytes are compared"
    return f"the {after} is another: {size(len(old.body))} → {size(len(new.body))}{why}"


def _answers_of_bytes(old: PageVersion, new: PageVersion, line: str) -> dict[str, Any]:
    sides = {
        side: {"url": page.url, "captured_at": iso_moment(page.captured_at), "digest": "sha256:" + page.digest}
        for side, page in (("old", old), ("new", new))
    }
    changed = old.body != new.body
    return {"format": FORMAT, **sides, "changed": changed, "what_changed": {"changed": int(changed)}, "note": line}


def _digest(page: PageVersion) -> str:
    """Name what a version says and leads to, whatever its scripts and marks say."""
    said = "\0".join((*page.words, *(settled(link.url, loads=False) for link in page.links)))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _named(kind: str) -> str:
    names = {"html": "a web page", "json": "JSON", "text": "a text"}
    return names.get(kind, f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}")
