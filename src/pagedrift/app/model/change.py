"""One change of a page: what changed, what the analysis says about it, and what was decided.

The same value is archived next to the version, stored in the database and shown on pages.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.decision import Decision
from pagedrift.app.model.redesign import RedesignDetails
from pagedrift.app.model.values import ValueChange
from pagedrift.report import reasons

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FORMAT: Final = 2  # 1 is what releases before this one wrote
LEVELS: Final = ("important", "minor", "noise")  # of an edit, the highest first


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedBlock:
    """One changed place on a page."""

    css: str = ""  # a selector that means it, for a rule
    path: str = ""  # where it stands, for people
    action: str = "changed"  # what was done: added, removed, edited, changed, moved
    target: str = ""  # to what: text, link, image, heading, style …
    old: str = ""
    new: str = ""
    signature: str = ""
    frame: bool = False  # stands around the content: a change of the template
    visible: bool = True  # a reader can see it
    title: str = ""  # the heading of what came or went

    @property
    def kind(self) -> str:
        """What was done to what, as rules name it: added heading, changed link."""
        return f"{self.action} {self.target}".strip()

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> ChangedBlock:
        """Read one back; older releases wrote action and target as one `kind`."""
        known = _known(cls, stored)
        if "kind" in stored:
            known["action"], _, known["target"] = str(stored["kind"]).partition(" ")
        return cls(**known)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedEdit:
    """One edit that a person would name, and the verdict on it."""

    level: str = "minor"  # one of LEVELS
    probability: float = 0.0  # that it is a change of content, and not noise
    action: str = "edited"  # added, removed, edited, recounted or replaced
    target: str = "text"  # text, picture or file
    summary: str = ""  # in one line
    old: str = ""
    new: str = ""
    facts: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)  # by kind: values before and after
    zone: str = ""  # where on the page it stands
    reason: str = ""  # why it is at its level, by a stable name ...
    because: str = ""  # ... and in words
    changed_before: int = 0  # in how many earlier steps its place changed ...
    steps: int = 0  # ... of so many
    place: str = ""  # the names of the elements around it, as a hash: the same on pages of one template
    spot: str = ""  # the place, and in a list which one of its kind
    listed: bool = False  # it stands among others of its kind
    css: str = ""  # a selector that means it, for a rule
    path: str = ""
    taught: Mapping[str, Any] = field(default_factory=dict)  # what feedback decided its level, see `Lesson.told`
    untaught: str = ""  # the level that it would have had without
    figures: Mapping[str, float] = field(default_factory=dict)  # what the judge knew, to learn from

    @property
    def why(self) -> str:
        """Why it is at its level, in words."""
        return reasons.why_level(
            reason=self.reason,
            because=self.because,
            facts=self.facts,
            zone=self.zone,
            changed_before=self.changed_before,
            steps=self.steps,
            taught=self.taught,
        )

    @property
    def verdict(self) -> str:
        """Its level, and how sure that is, in words."""
        return reasons.level_verdict(self.level, self.probability)

    @property
    def rule_kind(self) -> str:
        """What was done to what, as rules name it."""
        return f"{self.done} {_TARGETS.get(self.target, self.target)}"

    @property
    def done(self) -> str:
        """What was done: what neither came nor went was edited."""
        return self.action if self.action in ("added", "removed") else "edited"

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> JudgedEdit:
        """Read one back."""
        return cls(**_known(cls, stored))


_TARGETS: Final = {"picture": "image", "file": "link"}  # as rules name them


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeAnalysis:
    """The answers about two versions of a page, under the options and rules of its watch."""

    answers: Mapping[str, Any] = field(default_factory=dict)  # all five, as report.card gives them
    lines: tuple[str, ...] = ()  # the same for people
    headline: str = ""
    changed: bool = True  # anything that the watch looks at
    visible: bool = True  # and that a reader can see
    amount: float = 0.0
    probability: float = 0.0
    matters: bool = False
    level: str = ""  # of the most important edit
    same_template: bool = True
    redesigned: bool = False
    signature: str = ""  # of all of it: pages whose changes have the same share an alert
    signatures: tuple[str, ...] = ()  # of the steps that can be seen
    blocks: tuple[ChangedBlock, ...] = ()
    edits: tuple[JudgedEdit, ...] = ()  # the same as a person would name it, the most important first
    more_edits: Mapping[str, int] = field(default_factory=dict)  # by level: those that are not in `edits`
    hidden: int = 0  # steps that selectors and rules took out
    template: bool = False  # all of it stands around the content: the template changed, not what the page says
    was: str = ""  # digests of what the watch looks at, before and after: equal ones say that a page flipped back
    now: str = ""
    redesign: RedesignDetails | None = None  # what it did to layout, content and selectors
    value: ValueChange | None = None  # what the part said, read as a value
    lost: tuple[str, ...] = ()  # selectors of what is looked at that found something before, and nothing now

    @property
    def counts(self) -> dict[str, int]:
        """How many steps there are of each kind of action."""
        return {str(mark): int(number) for mark, number in (self.answers.get("what_changed") or {}).items()}

    @property
    def replaced(self) -> float | None:
        """The share of the frame that is another, where that was measured."""
        return self.answers.get("replaced")

    @property
    def note(self) -> str:
        """What is odd about the comparison."""
        return str(self.answers.get("note") or "")

    @property
    def judged_by(self) -> tuple[str, ...]:
        """The reasons why it matters or not."""
        found = (self.answers.get("does_it_matter") or {}).get("reasons") or ()
        return tuple(str(reason.get("text", "")) for reason in found)

    def edits_at(self, level: str) -> tuple[JudgedEdit, ...]:
        """Give the edits of one level."""
        return tuple(edit for edit in self.edits if edit.level == level)

    @property
    def alert_title(self) -> str:
        """The headline next to a verdict, which says itself that a page was redesigned."""
        if self.redesigned and self.replaced is not None:
            return reasons.redesign(self.replaced)
        return self.headline

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> ChangeAnalysis:
        """Read one back; a part that is missing is as if nothing was found."""
        known = _known(cls, stored)
        for name in ("lines", "signatures", "lost"):
            known[name] = tuple(known.get(name) or ())
        known["blocks"] = tuple(map(ChangedBlock.from_json, known.get("blocks") or ()))
        known["edits"] = tuple(map(JudgedEdit.from_json, known.get("edits") or ()))
        known["value"] = ValueChange.from_json(known["value"]) if known.get("value") else None
        known["redesign"] = RedesignDetails.from_json(known["redesign"]) if known.get("redesign") else None
        known["level"] = known.get("level") or level_of(matters=bool(known.get("matters")))
        return cls(**known)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRecord:
    """One change: the analysis, and the decision about an alert."""

    analysis: ChangeAnalysis
    decision: Decision

    def to_json(self) -> dict[str, Any]:
        """Give it as the archive and the database keep it."""
        return {"format": FORMAT, **asdict(self.analysis), "decision": self.decision.to_json()}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> ChangeRecord:
        """Read it back, also as releases before wrote it."""
        if "format" not in stored:
            return cls._from_first_format(stored)
        return cls(analysis=ChangeAnalysis.from_json(stored), decision=Decision.from_json(stored.get("decision")))

    @classmethod
    def _from_first_format(cls, stored: Mapping[str, Any]) -> ChangeRecord:
        """Read what had the answers in a `card` within a `card`, and of the decision a sentence only."""
        card = dict(stored.get("card") or {})
        card["answers"] = card.pop("card", None) or {}
        given = {name: value for name, value in stored.items() if name != "card" and value is not None}
        return cls(
            analysis=ChangeAnalysis.from_json({**card, **given}),
            decision=Decision.from_json(
                None, notify=bool(stored.get("told")), text=str(stored.get("reason") or "")
            ),
        )


def level_of(*, matters: bool) -> str:
    """Give the level of a change of an older release, which has the verdict on the whole only."""
    return "important" if matters else "noise"


def _known(made: type[Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Give the fields that a class has, of those that were stored: releases add some and drop others."""
    return {each.name: stored[each.name] for each in fields(made) if each.name in stored}
