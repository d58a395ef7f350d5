"""Trials of steps: what becomes of each, and what stands on the page afterwards that a next one may be about."""

from __future__ import annotations

import json
import secrets as randomness
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from pagedrift.capture.browser_visit import StepError, Trip
from pagedrift.capture.snapshot import isolated, script
from pagedrift.facets.view import Box

if TYPE_CHECKING:
    from pagedrift.capture.browser_visit import VisitPlan
    from pagedrift.capture.steps import Secrets

TargetKind = Literal["field", "password", "list", "checkbox", "radio", "button", "link", "text"]
MAX_CONTROLS: Final = 300  # fields, buttons and links of a page that are listed
MAX_OTHERS: Final = 400  # other elements that can be pointed at
MAX_PICTURES_BYTES: Final = 10_000_000  # after steps; the later ones have none
MAX_HTML_CHARS: Final = 4_000_000  # of the page, in which selectors are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTarget:
    """An element that a step may be about: its number in the page, its kind and name, and where it stands."""

    number: int
    kind: TargetKind
    name: str
    box: Box
    options: tuple[str, ...] = ()  # of a list


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedStep:
    """What became of one step; those after one that failed are not tried."""

    step: str
    outcome: Literal["done", "failed", "not tried"]
    problem: str = ""
    picture: bytes = field(default=b"", repr=False)  # after it, where that was wanted, or where it failed


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTrial:
    """What steps led to: each with its outcome, the page after the last one, and what a next one may be about."""

    steps: tuple[TriedStep, ...]
    title: str = ""
    picture: bytes = field(default=b"", repr=False)  # JPEG
    targets: tuple[StepTarget, ...] = ()
    trouble: str = ""  # why the page is not there that a step led to
    html: str = field(default="", repr=False)  # of the page; targets have their numbers in it ...
    attribute: str = ""  # ... as this attribute, which no page can guess

    @property
    def failed(self) -> TriedStep | None:
        """The step that failed."""
        return next((each for each in self.steps if each.outcome == "failed"), None)


class TrialTrip(Trip):
    """Steps that are tried: nothing is kept of it, and a step that fails is an answer."""

    def __init__(self, plan: VisitPlan, secrets: Secrets, *, each_picture: bool) -> None:
        super().__init__(plan, secrets)
        self.spare *= 2  # a step may fail, and the page is looked at afterwards
        self._each_picture = each_picture
        self._pictures: dict[int, bytes] = {}

    async def try_out(self, context: Any, tab: Any) -> StepTrial:
        """Open the page, take the steps as far as they go, and say what came of it."""
        session, traffic = await self._set_out(context, tab)
        failed: StepError | None = None
        try:
            await traffic.begin()
            try:
                await self._walk(session, tab, traffic)
            except StepError as error:
                failed = error
            astray = self._led_astray(tab, traffic)
            picture = failed.picture if failed else await self._photo(session, len(self.plan.steps))
            found = await self._targets(session)
        finally:
            traffic.end()
        return StepTrial(
            steps=tuple(self._tried(number, failed) for number in range(1, len(self.plan.steps) + 1)),
            picture=picture,
            trouble=str(astray) if astray else "",
            **found,
        )

    async def _taken(self, session: Any, number: int) -> None:
        if self._each_picture and sum(map(len, self._pictures.values())) < MAX_PICTURES_BYTES:
            self._pictures[number] = await self._photo(session, number)

    def _tried(self, number: int, failed: StepError | None) -> TriedStep:
        step, picture = str(self.plan.steps[number - 1]), self._pictures.get(number, b"")
        if failed is None or number < failed.number:
            return TriedStep(step=step, outcome="done", picture=picture)
        if number == failed.number:
            return TriedStep(step=step, outcome="failed", problem=failed.problem, picture=failed.picture)
        return TriedStep(step=step, outcome="not tried")

    async def _targets(self, session: Any) -> dict[str, Any]:
        """Find what a next step may be about; all texts are without secrets."""
        attribute = f"data-{randomness.token_hex(8)}"
        asked = json.dumps([attribute, MAX_CONTROLS, MAX_OTHERS, MAX_HTML_CHARS])
        extracted = await (await isolated(session))(f"({script('targets.js')})(...{asked})")
        if extracted is None:  # a page without an element
            return {}
        data, clean = json.loads(extracted), self.secrets.out_of
        targets = (
            StepTarget(
                number=number,
                kind=kind,
                name=clean(name),
                box=Box(*box),
                options=tuple(map(clean, options)),
            )
            for number, kind, name, box, options in data["targets"]
            if kind in get_args(TargetKind)
        )
        html = self.secrets.out_of_page(data["html"].encode("utf-8", "replace")).decode("utf-8", "replace")
        return {"targets": tuple(targets), "title": clean(data["title"]), "html": html, "attribute": attribute}
