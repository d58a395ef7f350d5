"""Origin for captured pages: a separate address with signed links that expire."""

from __future__ import annotations

import hmac
import threading
import time
from base64 import urlsafe_b64encode
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any, Final

from anyio import CapacityLimiter, to_thread
from starlette.responses import PlainTextResponse, Response

from pagedrift.app.store import queries
from pagedrift.app.web import capture_views
from pagedrift.app.web.error_responses import BROKEN, RefusedError
from pagedrift.app.web.request_context import app_origin, content_origin, reached_by
from pagedrift.errors import NotFoundError, PagedriftError, answer_to
from pagedrift.report.selectable_page import selection_script, source_of, with_script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pagedrift.app.monitor.worker_pool import AnalysisPool
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.app.web.gate import Receive, Send
    from pagedrift.app.web.request_context import Scope

# What can be shown, and of what: a change or a version, by its number.
KINDS: Final = {
    "highlighted": "change",  # the new page, with every change marked
    "old": "change",  # both pages next to each other, with their changes marked
    "new": "change",
    "source": "change",  # both sources, line by line
    "aligned": "change",  # the old picture, in the places of the new one
    "overlay": "change",  # the new picture, with what looks different
    "version": "version",  # a page as it was, made safe
    "regions": "version",  # the same, with some of its nodes outlined: their numbers follow
    "selectable": "version",  # the same, with one script of Pagedrift that says which element is pointed at
    "picture": "version",  # as a browser showed it
    "icon": "version",  # the icon that a page names for itself
    "raw": "version",  # the bytes as they came
    "message": "alert",  # a test alert as a mail program shows it
}
_MAIL: Final = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
    '<body style="background:#fff;color:#1f2328;font:15px/1.5 sans-serif;margin:16px">{body}</body></html>'
)
MAX_REGIONS: Final = 30  # nodes that are outlined on one page
STEP: Final = 3_600  # seconds; addresses made within them are the same, so that browsers need not load twice
VALID: Final = 2 * STEP
MAX_CACHE_BYTES: Final = 64_000_000  # bytes of views that were worked out
MAX_VIEWS_AT_ONCE: Final = (
    4  # views that are worked out or waited for; more would take the threads of the application
)
MAX_VIEW_BYTES: Final = 100_000_000  # bytes of one view
HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "cross-origin",  # pictures stand in pages of the application
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-DNS-Prefetch-Control": "off",
}


def url(settings: Settings, kind: str, *ids: int) -> str:
    """Give the address of a captured page: valid for an hour at least, and for nothing else."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} cannot be shown; choose one of: {', '.join(KINDS)}")
    numbers = "-".join(str(int(each)) for each in ids)
    expires = int(time.time()) // STEP * STEP + VALID
    return f"{content_origin(settings)}/{kind}/{numbers}/{expires}/{signature(settings, kind, numbers, expires)}"


def signature(settings: Settings, kind: str, numbers: str, expires: int) -> str:
    """Sign what may be seen and until when."""
    return _signed(settings, f"content:{kind}:{numbers}:{expires}")


def mark(settings: Settings, change: int, number: int) -> str:
    """Give the name of a mark on the pages of a change, to link to: that of its step, counted from 1."""
    return f"{marks(settings, change)}-{number}"


def marks(settings: Settings, *ids: int) -> str:
    """Give what the names of all marks on the pages of a change begin with, or of two versions."""
    return _prefix(settings, "change", "-".join(map(str, ids)))


def regions_url(settings: Settings, version: int, nodes: Sequence[int]) -> str:
    """Give the address of a version with some nodes outlined, at the first of them."""
    ids = (version, *nodes[:MAX_REGIONS])
    return f"{url(settings, 'regions', *ids)}#{_prefix(settings, 'version', '-'.join(map(str, ids)))}-1"


def policy(settings: Settings, script: str = "") -> str:
    """Write what a captured page may do: nothing. It runs nothing, reaches nothing, and only we may frame it.

    A `script` of Pagedrift may run, by its hash: without an origin, and so without anything that it could reach.
    """
    sandbox, runs = ("sandbox allow-scripts", f"script-src {source_of(script)}; ") if script else ("sandbox", "")
    return (
        f"{sandbox}; default-src 'none'; {runs}style-src 'unsafe-inline'; img-src data:; font-src data:; "
        f"media-src data:; form-action 'none'; base-uri 'none'; frame-ancestors {app_origin(settings)}"
    )


class ContentApp:
    """The origin of captured pages: it knows no cookies, no sessions, and no address that was not signed."""

    def __init__(self, settings: Settings, store: Store, analysis_pool: AnalysisPool | None = None) -> None:
        self.settings, self.store = settings, store
        self._analysis_pool, self._own = analysis_pool, analysis_pool is None
        self._starting = threading.Lock()
        self.cache = ViewCache()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await (await self._answer(scope))(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def close(self) -> None:
        """End the process that works views out."""
        if self._own and self._analysis_pool is not None:
            self._analysis_pool.close()
            self._analysis_pool = None

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                await to_thread.run_sync(self.close)
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    async def _answer(self, scope: Scope) -> Response:
        from pagedrift.app.web.csrf import check_host

        try:
            reached_by(check_host(self.settings, scope))
            response = await self._shown(scope)
        except RefusedError as no:
            response = _said(no.status, str(no))
            response.headers.update(no.headers)
        except PagedriftError as error:
            response = _said(answer_to(error).status, str(error))
        except Exception:
            import logging

            logging.getLogger("pagedrift.web").exception("a captured page could not be shown")
            response = _said(500, BROKEN)
        for name, value in HEADERS.items():
            response.headers[name] = value
        response.headers.setdefault("Content-Security-Policy", policy(self.settings))
        return response

    async def _shown(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            raise RefusedError(
                405, "captured pages are read-only; open them from Pagedrift", {"Allow": "GET, HEAD"}
            )
        kind, ids = self._checked(scope["path"])
        limiter = self._limiter()
        if kind == "message":
            mail = await to_thread.run_sync(self._message, limiter=limiter)
            return Response(mail, 200, {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"})
        row = await to_thread.run_sync(self._find, kind, ids, limiter=limiter)
        tag = f'"{row.tag}"'
        headers = {"ETag": tag, "Cache-Control": f"private, max-age={STEP}", **row.headers}
        if kind != "selectable" and (b"if-none-match", tag.encode()) in scope["headers"]:
            return Response(status_code=304, headers=headers)
        media_type, body = await to_thread.run_sync(self._worked_out, row, limiter=limiter)
        if kind == "selectable":
            return self._with_script(row, body.decode(), headers)
        return Response(body, 200, headers | {"Content-Type": media_type})

    def _with_script(self, row: Row, html: str, headers: dict[str, str]) -> Response:
        """Let one script of Pagedrift run in a page, which says what is pointed at."""
        script = selection_script(row.wanted.prefix, app_origin(self.settings))
        # Not kept by browsers: the origin in the script is the name by which we were reached.
        allowed = {"Content-Security-Policy": policy(self.settings, script), "Cache-Control": "no-store"}
        return Response(with_script(html, script), 200, headers | allowed, "text/html; charset=utf-8")

    def _checked(self, path: str) -> tuple[str, tuple[int, ...]]:
        """Read an address; one that we did not sign, or not for now, leads nowhere."""
        parts = path.split("/")
        if len(parts) == 5 and parts[1] in KINDS and _are_numbers(parts[2]) and _is_number(parts[3]):  # noqa: PLR2004
            _, kind, numbers, expires, given = parts
            right = signature(self.settings, kind, numbers, int(expires))
            if hmac.compare_digest(right.encode(), given.encode("utf-8", "replace")):
                if int(expires) > time.time():
                    return kind, tuple(map(int, numbers.split("-")))
                raise RefusedError(
                    410, "this address was valid for some hours only; open the page in Pagedrift again"
                )
        raise NotFoundError("there is nothing at this address; open the page in Pagedrift")

    def _limiter(self) -> CapacityLimiter:
        found: Any = getattr(self, "_limit", None)
        if found is None:
            found = self._limit = CapacityLimiter(MAX_VIEWS_AT_ONCE)
        limiter: CapacityLimiter = found
        return limiter

    def _find(self, kind: str, ids: tuple[int, ...]) -> Row:
        """Find where the bytes are that are to be shown: of a version, of a change, or of any two versions."""
        from pagedrift.app.web.memento import headers_of  # which leads here

        pair, nodes = (ids[:1], ids[1:]) if kind == "regions" else (ids, ())
        with self.store.read() as session:
            if KINDS[kind] == "change" and len(ids) == 1:
                pair = queries.version_pair(session, ids[0]) or ()
            found = [queries.version(session, each) for each in pair]
            if len(found) != (2 if KINDS[kind] == "change" else 1) or None in found:
                raise NotFoundError("this version is no longer stored; choose another one in Pagedrift")
            *before, new = [row for row in found if row is not None]
            old = before[0] if before else None
            headers = headers_of(session, self.settings, new) if kind == "raw" else {}
        prefix = _prefix(self.settings, KINDS[kind], "-".join(map(str, ids)))
        wanted = capture_views.ViewRequest(
            kind=kind,
            folder=self.settings.archive,
            new=new.place,
            old=old.place if old else None,
            prefix=prefix,
            nodes=nodes,
        )
        said = f"{kind} {prefix} {new.digest} {old.digest if old else ''} {wanted.new} {wanted.old}"
        if kind == "icon":  # the same on all versions that say the same
            said = f"{kind} {new.url} {new.digest}"
        return Row(wanted, sha256(said.encode()).hexdigest()[:32], headers)

    def _message(self) -> str:
        """Give the mail that a test sends; it is made of escaped text, and stands here because of its colours."""
        from pagedrift.app.notify.alert_preview import make_preview

        made = make_preview(self.store, self.settings, "mailto://preview")
        return _MAIL.format(title=escape(made.prepared.title), body=made.prepared.body)

    def _worked_out(self, row: Row) -> capture_views.Rendered:
        return self.cache.get(row.tag, lambda: self._ask(row.wanted))

    def _ask(self, wanted: capture_views.ViewRequest) -> capture_views.Rendered:
        """Have it worked out in another process; what is only read is read here."""
        if wanted.kind in ("raw", "picture"):
            return capture_views.show(wanted)
        with self._starting:
            if self._analysis_pool is None:
                from pagedrift.app.monitor.worker_pool import AnalysisPool

                self._analysis_pool = AnalysisPool(1)
        media_type, body = self._analysis_pool.run(capture_views.show, wanted)
        if len(body) > MAX_VIEW_BYTES:
            raise RefusedError(413, "the page is too large to be shown; download it with the API")
        return media_type, body


@dataclass(frozen=True, slots=True)
class Row:
    """What is to be shown, by which name it is remembered, and what its answer says besides."""

    wanted: capture_views.ViewRequest
    tag: str
    headers: dict[str, str]


class ViewCache:
    """Views that were worked out, up to a number of bytes; what two ask for at once is worked out once."""

    def __init__(self, most: int = MAX_CACHE_BYTES) -> None:
        self.most = most
        self._known: OrderedDict[str, capture_views.Rendered] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()
        self._under_way: dict[str, threading.Lock] = {}

    def get(self, tag: str, work: Callable[[], capture_views.Rendered]) -> capture_views.Rendered:
        """Give a view, the one that is known or one that is worked out now."""
        with self._lock:
            turn = self._under_way.setdefault(tag, threading.Lock())
        try:
            with turn:
                with self._lock:
                    if tag in self._known:
                        self._known.move_to_end(tag)
                        return self._known[tag]
                found = work()
                self._keep(tag, found)
                return found
        finally:
            with self._lock:
                self._under_way.pop(tag, None)

    def _keep(self, tag: str, found: capture_views.Rendered) -> None:
        size = len(found[1])
        if size > self.most // 4:
            return
        with self._lock:
            self._known[tag] = found
            self._size += size
            while self._size > self.most:
                self._size -= len(self._known.popitem(last=False)[1][1])


def create_content_app(settings: Settings, store: Store, analysis_pool: AnalysisPool | None = None) -> ContentApp:
    """Make the origin of captured pages."""
    return ContentApp(settings, store, analysis_pool)


def _said(status: int, message: str) -> Response:
    return PlainTextResponse(f"{message}\n", status, {"Cache-Control": "no-store"})


def _prefix(settings: Settings, of: str, number: str) -> str:
    """Name the marks of a page: always alike, so that one can link to them, and known to no page."""
    return "pd" + hmac.new(settings.key, f"marks:{of}:{number}".encode(), "sha256").hexdigest()[:16]


def _are_numbers(text: str) -> bool:
    return text.count("-") <= MAX_REGIONS and all(map(_is_number, text.split("-")))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18  # noqa: PLR2004 - 64 bits


def _signed(settings: Settings, said: str) -> str:
    made = hmac.new(settings.key, said.encode(), "sha256").digest()
    return urlsafe_b64encode(made).decode().rstrip("=")
