"""Helpers shared by several pages: lookups, redirects, and cached work in other processes."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

from fastapi import Depends, Request, Response
from starlette.responses import RedirectResponse

from pagedrift.app.model.results import StoredVersion
from pagedrift.app.store import queries, visits
from pagedrift.app.web.request_context import scheduler_of
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.rules import Rule
    from pagedrift.app.store.store import Session
    from pagedrift.archive.locations import Place

Result = TypeVar("Result")


async def _form(request: Request) -> dict[str, str]:
    """Read the fields of a form; of one that came twice, the last."""
    return {name: value for name, value in (await request.form()).multi_items() if isinstance(value, str)}


Fields = Annotated[dict[str, str], Depends(_form)]


def line_of(session: Session, which: str) -> queries.WatchSummary:
    """Give a watch, or say that there is none."""
    found = queries.watch(session, which)
    if found is None:
        raise NotFoundError("watch not found; look for it in the list of watches")
    return found


def options_of(session: Session, which: str) -> WatchOptions:
    """Put together what a watch, its site and its group say."""
    return visits.options_of_watch(session, which)


def rules_of(session: Session, which: str) -> tuple[Rule, ...]:
    """Give the rules that are about a watch."""
    return visits.rules_of_watch(session, which)


def place_of(session: Session, version: int) -> Place:
    """Say where the bytes of a version are."""
    return version_of(session, version).place


def version_of(session: Session, number: int) -> StoredVersion:
    """Give a version, or say that it is gone."""
    found = queries.version(session, number)
    if found is None:
        raise NotFoundError("this version is no longer stored; choose another one in the timeline")
    return found


class ResultCache(Generic[Result]):
    """Answers that took a while, the last ones; what two ask for at once is worked out once."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._known: OrderedDict[Hashable, Future[Result]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, work: Callable[[], Result]) -> Result:
        """Give what is known, or work it out now."""
        with self._lock:
            known = self._known.get(key)
            mine: Future[Result] = known or Future()
            self._known[key] = mine
            self._known.move_to_end(key)
            while len(self._known) > self.most:
                self._known.popitem(last=False)
        if known is None:
            self._work(key, mine, work)
        return mine.result()

    def _work(self, key: Hashable, mine: Future[Result], work: Callable[[], Result]) -> None:
        try:
            mine.set_result(work())
        except BaseException as error:
            with self._lock:
                self._known.pop(key, None)
            mine.set_exception(error)


def wake_scheduler(request: Request) -> None:
    """Let the scheduler look at once at what is due."""
    if (scheduler := scheduler_of(request)) is not None:
        scheduler.wake()


def to(path: str) -> Response:
    """Send a browser on, after something was done."""
    return RedirectResponse(path, 303)


def elsewhere(request: Request, path: str) -> Response:
    """Send a browser on, also where a script asked for a part of a page only."""
    return Response(headers={"HX-Redirect": path}) if request.headers.get("hx-request") else to(path)
