"""Page about one change, and the comparison of any two versions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import JSONResponse

from pagedrift.app.model.change import LEVELS
from pagedrift.app.model.results import StoredVersion
from pagedrift.app.monitor.edits import EditEvidence
from pagedrift.app.store import feedback, lessons, queries
from pagedrift.app.web import content
from pagedrift.app.web.pages.shared import ResultCache, line_of, options_of, place_of, rules_of, to
from pagedrift.app.web.request_context import Number, person_of, settings_of, store_of, worked_out
from pagedrift.app.web.template_filters import pieces
from pagedrift.app.web.templating import page
from pagedrift.errors import NotFoundError, PagedriftError
from pagedrift.report.mark_labels import SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from markupsafe import Markup

    from pagedrift.app.model.change import ChangeAnalysis, ChangedBlock, JudgedEdit
    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.rules import Rule
    from pagedrift.archive.locations import Place

router = APIRouter()
VIEWS: Final = {
    "changes": "Changes",
    "page": "Page",
    "side": "Side by side",
    "pictures": "Screenshots",
    "source": "Source",
    "links": "Links",
}
MAX_RULE_TEXT_CHARS: Final = 80  # of a text that becomes a rule
MAX_CACHED_COMPARISONS: Final = 64  # pairs whose answers are remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One changed place, as people look at it."""

    change: int | None
    block: ChangedBlock
    mark: str
    sign: str
    before: Markup
    after: Markup
    text: str  # an expression for texts like this one

    def rule(self, kind: str, value: str) -> str:
        """Give the address where a rule about it is tried out."""
        return _rule_address(self.change, kind, value)


def _step(block: ChangedBlock, change: int | None) -> Step:
    mark = block.action if block.action in SIGNS else "changed"
    before, after = pieces(block.old, block.new)
    return Step(
        change=change,
        block=block,
        mark=mark,
        sign=SIGNS[mark],
        before=before,
        after=after,
        text=like(block.new.strip() or block.old.strip()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EditView:
    """One edit with its verdict, as people look at it, and what they said about it."""

    number: int
    change: int | None
    edit: JudgedEdit
    before: Markup
    after: Markup
    text: str  # an expression for texts like this one
    said: bool | None  # that it is important, or not

    @property
    def says_more(self) -> bool:
        """Whether its texts say more than its summary."""
        alone = self.edit.new if not self.edit.old else self.edit.old if not self.edit.new else ""
        return bool(self.edit.old or self.edit.new) and not (alone and alone in self.edit.summary)

    def rule(self, kind: str, value: str) -> str:
        """Give the address where a rule about it is tried out."""
        return _rule_address(self.change, kind, value)


def _judged(analysis: ChangeAnalysis, whole: queries.ChangeDetail | None) -> dict[str, list[EditView]]:
    """Give the edits by level, the highest first."""
    found: dict[str, list[EditView]] = {level: [] for level in LEVELS}
    for number, edit in enumerate(analysis.edits):
        before, after = pieces(edit.old, edit.new)
        view = EditView(
            number=number,
            change=whole.change.id if whole else None,
            edit=edit,
            before=before,
            after=after,
            text=like(edit.new.strip() or edit.old.strip()),
            said=whole.edit_labels.get(number) if whole else None,
        )
        found.setdefault(edit.level, []).append(view)
    return {level: views for level, views in found.items() if views}


def _rule_address(change: int | None, kind: str, value: str) -> str:
    return f"/change/{change}/rule?{urlencode({'kind': kind, 'value': value, 'scope': 'watch'})}"


def like(text: str) -> str:
    r"""Write an expression for texts that differ from this one in numbers only.

    >>> like("Updated 2 days ago (v1.5)")
    'Updated \\d+ days ago \\(v\\d+\\.\\d+\\)'
    """
    escaped = re.sub(r"[.^$*+?{}\[\]\\|()]", r"\\\g<0>", " ".join(text.split())[:MAX_RULE_TEXT_CHARS])
    return re.sub(r"\d+", r"\\d+", escaped)


# --- one change ------------------------------------------------------------------------------------------------


@router.get("/change/{number}")
def change(request: Request, number: Number, view: str = "changes") -> Response:
    """Show a change."""
    with store_of(request).read() as session:
        whole = queries.change(session, number, person=person_of(request))
    if whole is None:
        raise NotFoundError("this change no longer exists; see the timeline of its page")
    pair = ComparedVersions(old=whole.old, new=whole.new, line=whole.watch, here=f"/change/{number}", ids=(number,))
    return _layers(request, view, whole.record.analysis, pair, whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedVersions:
    """Two versions of a page, at which address they are compared, and by which numbers their views are known."""

    old: StoredVersion
    new: StoredVersion
    line: queries.WatchSummary
    here: str
    ids: tuple[int, ...]


def _layers(
    request: Request,
    view: str,
    analysis: ChangeAnalysis,
    pair: ComparedVersions,
    whole: queries.ChangeDetail | None = None,
) -> Response:
    settings = settings_of(request)
    view = view if view in VIEWS else "changes"
    links, trouble = _links(request, pair.old, pair.new) if view == "links" else (None, "")
    return page(
        request,
        "change.html",
        seen=analysis,
        judged=_judged(analysis, whole),
        edits=[_step(block, whole.change.id if whole else None) for block in analysis.blocks],
        old=pair.old,
        new=pair.new,
        line=pair.line,
        whole=whole,
        view=view,
        views=VIEWS,
        here_url=pair.here,
        frame=lambda kind: content.url(settings, kind, *pair.ids),
        prefix=content.marks(settings, *pair.ids),
        links=links,
        links_trouble=trouble,
    )


@router.post("/change/{number}/label")
def label(
    request: Request,
    number: Number,
    *,
    matters: Annotated[str, Form()] = "",
    edit: Annotated[int | None, Form(ge=0)] = None,
    view: Annotated[str, Form()] = "changes",
) -> Response:
    """Store feedback about a change or one of its edits, from which the judge learns."""
    if matters in ("yes", "no"):
        feedback.label(store_of(request), number, matters=matters == "yes", edit=edit)
    else:
        feedback.unlabel(store_of(request), number)
    return to(f"/change/{number}" + (f"?view={view}" if view in VIEWS and view != "changes" else ""))


# --- any two versions ------------------------------------------------------------------------------------------


@router.get("/watch/{which}/compare")
def compare(request: Request, which: str, old: Number, new: Number, view: str = "changes") -> Response:
    """Compare two versions of a page; where that is a change that is known, show it."""
    with store_of(request).read() as session:
        line = line_of(session, which)
        found = [each for each in (queries.version(session, old), queries.version(session, new)) if each]
        if len(found) != 2 or any(each.watch != which for each in found) or old == new:  # noqa: PLR2004 - a pair
            raise NotFoundError("these are not two different versions of this page; choose two from its timeline")
        first, second = sorted(found, key=lambda each: (each.captured_at, each.id))
        known = queries.change_between(session, first.id, second.id)
        options, rules = options_of(session, which), rules_of(session, which)
        by = EditEvidence(lessons=lessons.for_watch(session, which))
    if known is not None:
        return to(f"/change/{known}" + (f"?view={view}" if view in VIEWS and view != "changes" else ""))
    analysis = _COMPARED.get(
        (which, first.id, second.id, repr((options, rules, by))),
        lambda: worked_out(
            request, analysis_of, settings_of(request).archive, (first.place, second.place), options, rules, by
        ),
    )
    here = f"/watch/{which}/compare?{urlencode({'old': first.id, 'new': second.id})}"
    return _layers(
        request,
        view,
        analysis,
        ComparedVersions(old=first, new=second, line=line, here=here, ids=(first.id, second.id)),
    )


def analysis_of(
    folder: str | Path, pair: tuple[Place, Place], options: WatchOptions, rules: Iterable[Rule], by: EditEvidence
) -> ChangeAnalysis:
    """Give the answers about two versions, wherever they stand."""
    from pagedrift.app.captures import page_of
    from pagedrift.app.monitor.analysis import analyse

    before, after = (page_of(folder, place) for place in pair)
    return analyse(before, after, options, rules, by=by)


_COMPARED: Final = ResultCache["ChangeAnalysis"](MAX_CACHED_COMPARISONS)


# --- places on the page ----------------------------------------------------------------------------------------


@router.get("/version/{number}/places")
def places(request: Request, number: Number, old: Number, side: str = "both") -> Response:
    """Give the numbers of the marks on a version and one before it, from top to bottom, to step through them."""
    with store_of(request).read() as session:
        where = place_of(session, old), place_of(session, number)
    try:
        found = worked_out(request, places_of, settings_of(request).archive, *where, both=side != "new")
    except PagedriftError:
        found = []
    return JSONResponse(found, headers={"Cache-Control": "private, max-age=3600"})


def places_of(folder: str | Path, old: Place, new: Place, *, both: bool = True) -> list[int]:
    """Find the marks that can be seen on the new page, or on either, by how far down they stand."""
    from pagedrift.app.captures import page_of
    from pagedrift.report.highlight import highlight
    from pagedrift.report.webpage import without_legend
    from pagedrift.what_changed import diff

    before, after = page_of(folder, old), page_of(folder, new)
    script, found = diff(before, after), dict[int, float]()
    for side in ("old", "new") if both else ("new",):
        html = highlight(before, after, script, side="old" if side == "old" else "new", prefix="pdplaces")
        html = html if side == "old" else without_legend(html, "pdplaces")
        marks = [(int(mark[1]), mark.start() / len(html)) for mark in re.finditer(r'id="pdplaces-(\d+)"', html)]
        found |= dict(marks)
    return sorted(found, key=lambda mark: found[mark])


# --- links -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LinkChanges:
    """Where two versions lead: address and text of those that only one has."""

    went: tuple[tuple[str, str], ...]
    came: tuple[tuple[str, str], ...]
    stayed: int


def _links(request: Request, old: StoredVersion, new: StoredVersion) -> tuple[LinkChanges | None, str]:
    try:
        return worked_out(request, links_of, settings_of(request).archive, old.place, new.place), ""
    except PagedriftError as error:
        return None, str(error)


def links_of(folder: str | Path, old: Place, new: Place) -> LinkChanges:
    """Compare where two versions lead."""
    from pagedrift.app.captures import page_of

    before, after = (_texts(page_of(folder, place)) for place in (old, new))
    went = tuple((url, text) for url, text in before.items() if url not in after)
    came = tuple((url, text) for url, text in after.items() if url not in before)
    return LinkChanges(went[:5_000], came[:5_000], len(before.keys() & after.keys()))


def _texts(version: Any) -> dict[str, str]:
    return {link.url: link.text for link in reversed(version.links)}
