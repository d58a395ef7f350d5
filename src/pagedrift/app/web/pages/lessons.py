"""Pages about what feedback teaches: its effect on past changes, before it is saved and afterwards."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from pagedrift.app.store import lesson_effects, lessons, queries
from pagedrift.app.web.pages.shared import Fields, to
from pagedrift.app.web.request_context import Number, store_of
from pagedrift.app.web.templating import page
from pagedrift.errors import NotFoundError

router = APIRouter()
EditNumber = Annotated[int | None, Query(ge=0, le=10_000)]


@router.get("/change/{number}/feedback")
def preview_feedback(
    request: Request, number: Number, matters: Literal["yes", "no"] = "no", edit: EditNumber = None
) -> Response:
    """Show what feedback would teach, before it is saved."""
    with store_of(request).read() as session:
        found = queries.change(session, number)
        if found is None:
            raise NotFoundError("this change no longer exists; see the timeline of its page")
        effects = lesson_effects.of_feedback(session, number, matters=matters == "yes", edit=edit)
    edits = found.record.analysis.edits
    said = edits[edit].summary if edit is not None else found.change.headline
    return page(
        request, "lesson.html", whole=found, lesson=None, said=said, matters=matters, edit=edit, effects=effects
    )


@router.get("/settings/lessons/{which}")
def show_lesson(request: Request, which: str) -> Response:
    """Show what a lesson makes of past changes."""
    with store_of(request).read() as session:
        found = next((each for each in queries.lessons(session) if each.id == which), None)
        if found is None:
            raise NotFoundError("this lesson no longer exists; see the list in the settings")
        effects = lesson_effects.of_lesson(session, which)
    return page(
        request,
        "lesson.html",
        whole=None,
        lesson=found,
        said=found.sentence,
        matters="",
        edit=None,
        effects=effects,
    )


@router.post("/settings/lessons/judge")
def switch_judge(request: Request, form: Fields) -> Response:
    """Use the judge that learned from feedback, or not."""
    store_of(request).set(lessons.JUDGE_IS_OFF, bool(form.get("off")))
    return to("/settings?saved=judge#lessons")


@router.post("/settings/lessons/{which}/forget")
def forget_lesson(request: Request, which: str) -> Response:
    """Undo the feedback that a lesson was made of."""
    lessons.forget(store_of(request), which)
    return to("/settings?saved=forgotten#lessons")
