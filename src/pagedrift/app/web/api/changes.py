"""API routes for versions, changes and feedback."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import PlainTextResponse

from pagedrift.app.model.results import StoredVersion
from pagedrift.app.store import feedback, lesson_effects, lessons, queries
from pagedrift.app.web import content
from pagedrift.app.web.api.schemas import (
    NO_NUL,
    AffectedChange,
    Change,
    Changes,
    FeedbackEffects,
    JudgeState,
    LearnedLessons,
    LessonState,
    Opinion,
    Values,
    ValueState,
    Version,
    Versions,
    WholeChange,
)
from pagedrift.app.web.api.shared import PREFIX, Before, Id, Limit, found
from pagedrift.app.web.api.watches import read_watch
from pagedrift.app.web.request_context import Number, person_of, settings_of, store_of

if TYPE_CHECKING:
    from pydantic import BaseModel

    from pagedrift.app.model.change import ChangeRecord, JudgedEdit

router = APIRouter(prefix=PREFIX)
_RENAMED: Final = {"told": "alerted", "story": "alert"}  # fields that older programs read
_OF_DECISION: Final = ("reason_name", "details")
_BESIDE_CARD: Final = (
    "amount",
    "probability",
    "matters",
    "level",
    "redesigned",
    "signature",
)  # fields of the change itself


@router.get("/watches/{id}/versions")
def list_versions(request: Request, id: Id, before: Before = None, limit: Limit = 100) -> Versions:  # noqa: A002
    """List the versions of a watch, newest first."""
    read_watch(request, id)
    with store_of(request).read() as session:
        listed, more = queries.versions_before(session, id, before=before, size=limit)
    return Versions(versions=[_version(each) for each in listed], next=more)


@router.get("/watches/{id}/values")
def list_values(request: Request, id: Id) -> Values:  # noqa: A002
    """List what the watched part of a page said over time, oldest first."""
    read_watch(request, id)
    with store_of(request).read() as session:
        points = queries.values(session, id)
    return Values(values=[ValueState(at=each.at, change=each.change, **asdict(each.value)) for each in points])


@router.get("/versions/{id}")
def read_version(request: Request, id: Number) -> Version:  # noqa: A002
    """Give one version, without its content."""
    return _version(_find_version(request, id))


@router.get(
    "/versions/{id}/body",
    response_class=PlainTextResponse,
    responses={304: {"description": "not modified since the ETag that was sent"}},
)
def read_body(request: Request, id: Number) -> Response:  # noqa: A002
    """Give the content of a version, as a file to download."""
    from pagedrift.archive.reader import page_at

    version = _find_version(request, id)
    headers = {
        "ETag": f'"{version.digest}"',
        "Content-Disposition": f'attachment; filename="version-{version.id}.txt"',
        "Cache-Control": "private, no-cache",
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    kept = page_at(settings_of(request).archive, version.place)
    # Whatever it is, here it is text: as HTML it would run with the rights of the application.
    return Response(kept.body, 200, headers, "text/plain; charset=" + (kept.encoding.name or "utf-8"))


@router.get("/changes")
def list_changes(
    request: Request,
    *,
    watch: Annotated[str | None, Query(max_length=64, pattern=NO_NUL)] = None,
    alerted: Annotated[bool | None, Query(description="only changes with an alert, or only those without")] = None,
    told: Annotated[bool | None, Query(deprecated=True, description="old name of `alerted`")] = None,
    matters: bool | None = None,
    before: Before = None,
    limit: Limit = 100,
) -> Changes:
    """List changes, newest first."""
    with store_of(request).read() as session:
        listed, more = queries.changes(
            session,
            person=person_of(request),
            which=watch,
            alerted=told if alerted is None else alerted,
            matters=matters,
            before=before,
            size=limit,
        )
    return Changes(changes=[Change(**change_fields(each)) for each in listed], next=more)


@router.get("/changes/{id}")
def read_change(request: Request, id: Number) -> WholeChange:  # noqa: A002
    """Give one change with its five answers."""
    with store_of(request).read() as session:
        whole = found(queries.change(session, id, person=person_of(request)), id, "change", "changes")
    settings = settings_of(request)
    pages = {kind: content.url(settings, kind, id) for kind, of in content.KINDS.items() if of == "change"}
    return WholeChange(**change_fields(whole.change), card=_card(whole.record), feedback=whole.label, pages=pages)


@router.put("/changes/{id}/feedback")
def give_feedback(request: Request, id: Number, given: Opinion) -> WholeChange:  # noqa: A002
    """Say whether a change is important to you."""
    feedback.label(store_of(request), id, matters=given.matters, edit=given.edit)
    return read_change(request, id)


@router.delete("/changes/{id}/feedback")
def remove_feedback(request: Request, id: Number) -> WholeChange:  # noqa: A002
    """Remove your feedback about a change."""
    feedback.unlabel(store_of(request), id)
    return read_change(request, id)


@router.get("/lessons")
def list_lessons(request: Request) -> LearnedLessons:
    """List what was learned from your feedback."""
    store = store_of(request)
    with store.read() as session:
        learned = queries.lessons(session)
    return LearnedLessons(
        lessons=[LessonState(**_fields(each, LessonState)) for each in learned],
        judge=JudgeState(**_fields(queries.judge(store), JudgeState)),
    )


@router.get("/lessons/{id}/effects")
def read_lesson_effects(request: Request, id: Id) -> FeedbackEffects:  # noqa: A002
    """Give the changes of the last 30 days that cause an alert, or none, because of a lesson."""
    with store_of(request).read() as session:
        return _effects(lesson_effects.of_lesson(session, id))


@router.get("/changes/{id}/feedback/effects")
def preview_feedback(
    request: Request,
    id: Number,  # noqa: A002
    matters: bool,
    edit: Annotated[int | None, Query(ge=0, le=10_000)] = None,
) -> FeedbackEffects:
    """Give the changes of the last 30 days that would cause an alert, or none, if you gave this feedback."""
    with store_of(request).read() as session:
        return _effects(lesson_effects.of_feedback(session, id, matters=matters, edit=edit))


def _effects(found: lesson_effects.LessonEffects) -> FeedbackEffects:
    listed = [AffectedChange(**asdict(each)) for each in found.changes]
    return FeedbackEffects(days=found.days, looked_at=found.looked_at, changes=listed)


@router.delete("/lessons/{id}", status_code=204)
def forget_lesson(request: Request, id: Id) -> None:  # noqa: A002
    """Remove the feedback that a lesson was made of."""
    lessons.forget(store_of(request), id)


def _fields(value: Any, schema: type[BaseModel]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in schema.model_fields}


def _find_version(request: Request, number: int) -> StoredVersion:
    with store_of(request).read() as session:
        return found(queries.version(session, number), number, "version", "versions")


def _version(version: StoredVersion) -> Version:
    return Version(**{name: getattr(version, name) for name in Version.model_fields})


def change_fields(change: queries.ChangeSummary) -> dict[str, Any]:
    """Give a change by the names that the API has for its fields."""
    fields = {
        name: getattr(change, _RENAMED.get(name, name)) for name in Change.model_fields if name not in _OF_DECISION
    }
    return fields | {"reason_name": str(change.decision.reason), "details": dict(change.decision.details)}


def _card(record: ChangeRecord) -> dict[str, Any]:
    """Give the analysis by the names that the API has for it since its first release."""
    card = asdict(record.analysis)
    for name in _BESIDE_CARD:
        del card[name]
    blocks = [asdict(block) | {"kind": block.kind} for block in record.analysis.blocks]
    edits = [_edit(edit) for edit in record.analysis.edits]
    return card | {"card": card.pop("answers"), "blocks": blocks, "edits": edits}


def _edit(edit: JudgedEdit) -> dict[str, Any]:
    """Give an edit with the reason for its level, without the figures that the judge learns from."""
    given = asdict(edit)
    del given["figures"]
    return given | {"why": edit.why}
