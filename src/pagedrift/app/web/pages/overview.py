"""Home page: the inbox of changes, and the list of watches below it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from pagedrift.app.model.bulk import DoneAction
from pagedrift.app.store import queries, saved_views, undo, watches
from pagedrift.app.web.pages.shared import Fields, to
from pagedrift.app.web.request_context import Number, demo_of, person_of, store_of
from pagedrift.app.web.templating import page
from pagedrift.report import reasons

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pagedrift.app.model.watch import Watch

router = APIRouter()
SOON: Final = timedelta(minutes=1)  # while something is due so soon, the list refreshes itself
VIEWS: Final = (*queries.SHOWN, "failing")
MAX_TEXT_CHARS: Final = 500  # of a search


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What of the inbox and of the list is asked for."""

    q: str = ""
    group: str = ""
    tag: str = ""
    state: str = ""
    sort: str = "newest"
    show: str = "unread"
    find: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxView:
    """The inbox as the page shows it: changes by site, or watches that fail."""

    unread: int
    failing: int
    newest: int  # what came later is not on the page
    changes: queries.Inbox
    troubles: tuple[queries.WatchSummary, ...]


@router.get("/")
def overview(  # noqa: PLR0917 - by name, from the address
    request: Request,
    q: str = "",
    group: str = "",
    tag: str = "",
    state: str = "",
    sort: str = "newest",
    page: int = 1,
    show: str = "",
    find: str = Query("", max_length=MAX_TEXT_CHARS),
    before: Number | None = None,
    done: str = "",
) -> Response:
    """Show what is unread, and list the watches."""
    asked = Asked(
        q=q[:MAX_TEXT_CHARS],
        group=group[:200],
        tag=tag[:200],
        state=state if state in queries.STATES else "",
        sort=sort if sort in queries.SORTS else "newest",
        show=show if show in VIEWS else "all" if find else "unread",
        find=find,
    )
    return shown(request, asked, number=page, before=before, done=done)


def shown(
    request: Request,
    asked: Asked,
    *,
    number: int = 1,
    before: int | None = None,
    done: str = "",
    trouble: str = "",
    watched: Watch | None = None,
    status: int = 200,
) -> Response:
    """Show the inbox and a page of the list."""
    store, soon = store_of(request), datetime.now(UTC) + SOON
    with store.read() as session:
        all_ = queries.overview(
            session,
            search=asked.q,
            group=asked.group or None,
            tag=asked.tag,
            state=asked.state,
            sort=asked.sort,
            page=number,
        )
        inbox = _inbox(session, asked, before, person_of(request))
    last = undo.last(store, done) if done else None
    return page(
        request,
        "overview.html",
        status=status,
        all=all_,
        asked=asked,
        inbox=inbox,
        before=before,
        done=last,
        done_text=_said(last),
        groups=list(watches.groups(store)),
        views=saved_views.every(store, person_of(request)),
        asked_for=_asked_for(asked),
        tags=watches.tags(store),
        trouble_to_add=trouble,
        watched_already=watched,
        demonstration=demo_of(request) is not None,
        lively=any(line.under_way or (line.state != "paused" and line.next_at < soon) for line in all_.lines),
    )


def _inbox(session: Session, asked: Asked, before: int | None, person: str) -> InboxView:
    failing = asked.show == "failing"
    changes = queries.Inbox(sites=(), older=None)
    if not failing:
        changes = queries.inbox(session, person=person, show=asked.show, find=asked.find, before=before)
    return InboxView(
        unread=queries.unread_count(session, person=person),
        failing=queries.count_failing(session),
        newest=queries.newest_change(session),
        changes=changes,
        troubles=queries.failing(session, asked.find) if failing else (),
    )


def _asked_for(asked: Asked) -> dict[str, str]:
    """Give what is asked for beyond what the page shows by itself."""
    usual = asdict(Asked())
    return {name: value for name, value in asdict(asked).items() if value != usual[name]}


@router.post("/views")
def save_view(request: Request, form: Fields) -> Response:
    """Give what is searched and filtered for a name."""
    asked = {each.name: form.get(each.name, "")[:MAX_TEXT_CHARS] for each in fields(Asked)}
    view = saved_views.SavedView(form.get("name", ""), {name: value for name, value in asked.items() if value})
    saved_views.save(store_of(request), person_of(request), view)
    return to(f"/?{urlencode(view.asked)}#watches")


@router.post("/views/remove")
def remove_view(request: Request, form: Fields) -> Response:
    """Forget a saved view."""
    saved_views.remove(store_of(request), person_of(request), form.get("name", ""))
    return to("/#watches")


def _said(done: DoneAction | None) -> str:
    return "" if done is None else reasons.done(done.kind, done.count, value=done.value)
