"""API routes for the browser steps of a watch: trying them, and the one at which the last check failed."""

from __future__ import annotations

from base64 import b64encode
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from pagedrift.app.model.options import MAX_ENTRIES, MAX_OPTION_CHARS
from pagedrift.app.store import failed_steps
from pagedrift.app.web.api.schemas import NO_NUL, RequestModel
from pagedrift.app.web.api.shared import PREFIX, Id
from pagedrift.app.web.api.watches import read_watch
from pagedrift.app.web.pages.shared import options_of
from pagedrift.app.web.request_context import step_trials_of, store_of
from pagedrift.capture.step_trial import StepTarget, TargetKind, TriedStep
from pagedrift.errors import InputError, NotFoundError

router = APIRouter(prefix=PREFIX)
Step = Annotated[str, Field(min_length=1, max_length=MAX_OPTION_CHARS, pattern=NO_NUL)]
PICTURE = "JPEG in base64; empty if there is none"


class StepsToTry(RequestModel):
    """Browser steps to try on the page of a watch."""

    steps: Annotated[list[Step], Field(max_length=MAX_ENTRIES)] | None = Field(
        default=None, description="such as `click #more`; without them, those of the watch are tried"
    )
    pictures: bool = Field(default=False, description="whether there is a picture after each step")


class StepOutcome(BaseModel):
    """What became of one step."""

    step: str
    outcome: str = Field(description="done, failed, or not tried because one before it failed")
    problem: str = Field(description="why it failed")
    picture: str = Field(description=PICTURE)


class StepTargetState(BaseModel):
    """An element that a next step may be about."""

    kind: TargetKind
    name: str
    selector: str
    box: list[float] = Field(description="left, top, width and height in pixels of the picture")
    options: list[str] = Field(description="of a list")


class StepTrialResult(BaseModel):
    """What steps led to. Nothing of it is stored."""

    steps: list[StepOutcome]
    trouble: str = Field(description="why the page is not there that a step led to")
    title: str
    picture: str = Field(description=f"of the page after the last step that was tried: {PICTURE}")
    targets: list[StepTargetState] = Field(description="fields, buttons, links and texts of that page")


class FailedStepState(BaseModel):
    """The step at which the last check of a watch failed."""

    at: datetime | None
    number: int = Field(description="counted from 1")
    step: str
    problem: str
    picture: str = Field(description=f"of the page at that moment: {PICTURE}")


@router.post("/watches/{id}/steps/try")
def try_steps(request: Request, id: Id, given: StepsToTry) -> StepTrialResult:  # noqa: A002 - as the table calls it
    """Open the page of a watch in a browser and take steps on it, with the secrets of the watch; store nothing."""
    watch = read_watch(request, id)
    if watch.kind != "page":
        raise InputError("steps are taken on pages only; name a watch of a page")
    with store_of(request).read() as session:
        options = options_of(session, id)
    steps = options.steps if given.steps is None else given.steps
    found = step_trials_of(request).run(watch.url, steps, options, each_picture=given.pictures)
    return StepTrialResult(
        steps=[StepOutcome(**_outcome(each)) for each in found.trial.steps],
        trouble=found.trial.trouble,
        title=found.trial.title,
        picture=_encoded(found.trial.picture),
        targets=[StepTargetState(**_target(each, selector)) for each, selector in found.targets],
    )


@router.get("/watches/{id}/failed-step")
def read_failed_step(request: Request, id: Id) -> FailedStepState:  # noqa: A002
    """Give the step at which the last check of a watch failed, with a picture of the page; 404 if none did."""
    read_watch(request, id)
    with store_of(request).read() as session:
        failed = failed_steps.read(session, id)
    if failed is None:
        raise NotFoundError("the last check did not fail at a step; see the state of the watch")
    return FailedStepState(
        at=failed.at,
        number=failed.number,
        step=failed.step,
        problem=failed.problem,
        picture=_encoded(failed.picture),
    )


def _outcome(each: TriedStep) -> dict[str, Any]:
    said = {"step": each.step, "outcome": each.outcome, "problem": each.problem}
    return said | {"picture": _encoded(each.picture)}


def _target(each: StepTarget, selector: str) -> dict[str, Any]:
    said = {"kind": each.kind, "name": each.name, "selector": selector}
    return said | {"box": list(each.box), "options": list(each.options)}


def _encoded(picture: bytes) -> str:
    return b64encode(picture).decode()
