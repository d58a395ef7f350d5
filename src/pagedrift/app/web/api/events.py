"""API route for live events: what changes while somebody listens, over a bounded number of connections."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import StreamingResponse

from pagedrift.app.store import queries
from pagedrift.app.web.api.shared import PREFIX
from pagedrift.app.web.error_responses import RefusedError
from pagedrift.app.web.request_context import caller, scheduler_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pagedrift.app.store.store import Store

router = APIRouter(prefix=PREFIX)
_STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "content": {"text/event-stream": {}},
        "description": "events until it is closed",
    }
}
MAX_STREAMS: Final = 100  # at once
MAX_STREAMS_PER_PERSON: Final = 20  # tabs
LOOK_SECONDS: Final = 1.0  # between two looks at the database, which all streams share
QUIET_SECONDS: Final = 20.0  # after which a comment keeps the connection open
LASTING_SECONDS: Final = 600.0  # then a browser connects again, and credentials are asked for again
State = dict[str, Any]


class LiveEvents:
    """Looks at the database for all who listen: once in a while, and not at all if nobody does."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.open: dict[str, int] = {}  # streams by person
        self._seen: tuple[float, State] = (-LOOK_SECONDS, {})
        self._looking: asyncio.Task[State] | None = None
        self.is_stopping: Callable[[], bool] = lambda: False

    def enter(self, person: str) -> None:
        """Count a stream, or refuse it: pages then refresh themselves as before."""
        if sum(self.open.values()) >= MAX_STREAMS or self.open.get(person, 0) >= MAX_STREAMS_PER_PERSON:
            raise RefusedError(503, "too many live connections; close some pages", {"Retry-After": "60"})
        self.open[person] = self.open.get(person, 0) + 1

    def leave(self, person: str) -> None:
        """Count a stream no more."""
        self.open[person] -= 1
        if not self.open[person]:
            del self.open[person]

    async def state(self) -> State:
        """Give what changed last, as of a moment ago; several who ask at once look once."""
        loop = asyncio.get_running_loop()
        if loop.time() - self._seen[0] < LOOK_SECONDS:
            return self._seen[1]
        if self._looking is None or self._looking.done() or self._looking.get_loop() is not loop:
            self._looking = loop.create_task(to_thread.run_sync(self._look))
        found = await asyncio.shield(self._looking)
        self._seen = loop.time(), found
        return found

    def _look(self) -> State:
        with self.store.read() as session:
            return queries.latest(session)


@router.get("/events", responses=_STREAM, response_class=StreamingResponse)
async def listen(request: Request) -> StreamingResponse:
    """Listen to what changes, as server-sent events: inbox, watches and queue, each with its newest state."""
    live: LiveEvents = request.app.state.live
    person = caller(request).person
    live.enter(person)
    return _Stream(live, person, _events(request, live))


class _Stream(StreamingResponse):
    """A stream that gives its place back however it ends."""

    def __init__(self, live: LiveEvents, person: str, events: AsyncIterator[str]) -> None:
        super().__init__(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
        self.live, self.person = live, person

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.live.leave(self.person)


async def _events(request: Request, live: LiveEvents) -> AsyncIterator[str]:
    """Say what is different from the last look, and something now and then so that nobody hangs up."""
    loop = asyncio.get_running_loop()
    begun = said_at = loop.time()
    known: State = {}
    yield "retry: 5000\n\n"
    while loop.time() - begun < LASTING_SECONDS and not live.is_stopping():
        found = _shown(request, await live.state())
        for name, value in found.items():
            if known.get(name) != value:
                yield f"event: {name}\ndata: {json.dumps(value)}\n\n"
                said_at = loop.time()
        known = found
        if loop.time() - said_at > QUIET_SECONDS:
            yield ": nothing new\n\n"
            said_at = loop.time()
        await asyncio.sleep(LOOK_SECONDS)


def _shown(request: Request, found: State) -> State:
    """Say what is the newest for one person: what they have not read, the list of watches, and the queue."""
    scheduler = scheduler_of(request)
    under_way = len(scheduler.lanes.under_way()) if scheduler is not None else 0
    return {
        "inbox": {"newest": found["change"], "unread": found["unread"].get(caller(request).person, 0)},
        "watches": {"visit": found["visit"], "log": found["log"], "under_way": under_way},
        "queue": {"visit": found["visit"], "under_way": under_way},
    }
