"""Browser visits: a live page after its scripts ran and steps were taken, with everything it loaded."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urljoin

from pagedrift.capture.browser_traffic import Traffic
from pagedrift.capture.http_messages import (
    FetchError,
    check_status,
    of_address,
    parse_url,
    retry_after,
    without_cookies,
)
from pagedrift.capture.request_options import check_request_options
from pagedrift.capture.snapshot import look, photograph, script
from pagedrift.capture.steps import BrowserStep, Secrets, check_step, names_secret, seconds_of
from pagedrift.errors import PagedriftError
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.capture.http import Client, Robots
    from pagedrift.capture.request_options import RequestOptions
    from pagedrift.capture.snapshot import Window
    from pagedrift.facets.view import RenderedNode, View
    from pagedrift.http_exchange import Exchange

_STEP: Final = 15.0  # seconds for one step
_QUIET: Final = 0.5  # seconds without a request, after which a page is taken for loaded
_NOISY: Final = 8.0  # seconds after which one that never rests is looked at all the same
_PICTURE: Final = 5.0  # seconds for the picture of a step that failed
_LOOKS: Final = 3  # at a page that goes elsewhere while it is looked at
_HTML: Final = ("text/html", "application/xhtml+xml", "")


class StepError(PagedriftError):
    """A step that could not be taken, why, and what the page looked like at that moment."""

    def __init__(self, message: str, *, number: int, step: str, problem: str, picture: bytes = b"") -> None:
        super().__init__(message)
        self.number = number  # counted from 1
        self.step = step  # with the names of secrets
        self.problem = problem
        self.picture = picture  # JPEG; empty where none could be taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Visited:
    """A live page as a browser found it: the version with its view, and all that went over the wire for it."""

    page: PageVersion
    document: Exchange  # as the server sent it; the body of the version is what scripts made of it
    led_by: tuple[Exchange, ...] = field(default=(), repr=False)  # the redirects
    resources: tuple[Exchange, ...] = field(default=(), repr=False)
    refused: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # addresses that were not had, and why
    robots_allow: bool | None = None
    retry_after: float | None = None
    requests: int = 1

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What to keep: the redirects, the document, and what it loaded."""
        return (*self.led_by, self.document, *self.resources)

    @property
    def url(self) -> str:
        """Where it was found in the end."""
        return self.page.url

    @property
    def status(self) -> int:
        """The status of the document."""
        return self.document.status

    @property
    def not_modified(self) -> bool:
        """Say that a browser asks for the whole page every time."""
        return False

    @property
    def redirects(self) -> tuple[tuple[str, int], ...]:
        """The addresses that led elsewhere, and by which status."""
        return tuple((exchange.url, exchange.status) for exchange in self.led_by)

    @property
    def picture(self) -> bytes:
        """The page as it looks, as PNG."""
        return (self.page.view.picture if self.page.view else None) or b""

    @property
    def dom(self) -> str:
        """The page after its scripts ran, as HTML."""
        return self.page.view.dom if self.page.view else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitPlan:
    """What a visit is to be."""

    url: str
    client: Client
    steps: tuple[BrowserStep, ...]
    secrets: Mapping[str, str] = field(repr=False)
    request_options: RequestOptions
    robots: Robots
    leave_out: tuple[str, ...]
    window: Window


@dataclass(frozen=True, slots=True)
class TripResult:
    """What a trip found."""

    view: View
    traffic: Traffic


def prepared(plan: VisitPlan) -> Trip:
    """Check a plan and wait for our turn, before a browser is taken."""
    return Trip(plan, checked(plan))


def checked(plan: VisitPlan) -> Secrets:
    """Check a plan, wait for our turn at its host, and give the secrets that it names."""
    try:
        address = parse_url(plan.url)
        check_request_options(plan.request_options)
    except PagedriftError as error:
        raise of_address(plan.url, error) from None
    for step in plan.steps:
        check_step(step)
    secrets = Secrets(plan.steps, plan.secrets)
    if plan.robots == "obey" and not plan.client.may_fetch(plan.url, request_options=plan.request_options):
        raise FetchError(
            "robots.txt does not allow it; remove the page, or ask its owner", kind="robots", url=plan.url
        )
    plan.client.wait_for(address.host)
    return secrets


def visited(trip: Trip, found: TripResult) -> Visited:
    """Make of what was found a page version, without a secret in it."""
    plan, secrets, traffic = trip.plan, trip.secrets, found.traffic
    (document, body), personal = traffic.document, bool(plan.steps) or plan.request_options.personal
    url = secrets.out_of(document.url)  # not what scripts write into the address bar
    view = replace(
        found.view,
        url=url,
        dom=secrets.out_of_page(found.view.dom.encode("utf-8", "replace")).decode("utf-8"),
        missing=tuple(secrets.out_of(each) for each, _ in traffic.refused),
        unstyled=tuple(map(secrets.out_of, traffic.unstyled)),
        title=secrets.out_of(found.view.title),
        nodes=tuple(_unmarked(node, secrets) for node in found.view.nodes) if plan.steps else found.view.nodes,
    )
    kept = _kept(document, body, secrets, personal=personal)
    headers = tuple((name.lower(), value) for name, value in kept.headers)
    data = next((value for name, value in headers if name == "content-type"), "")
    rendered = data.partition(";")[0].strip().lower() in _HTML
    page = PageVersion(
        url,
        view.dom.encode("utf-8", "replace") if rendered else secrets.out_of_page(body),
        captured_at=document.captured_at,
        content_type="text/html; charset=utf-8" if rendered else data,
        status=document.status,
        headers=headers,
        view=view,
    )
    allowed = (
        None
        if plan.robots == "ignore"
        else plan.client.may_fetch(document.url, request_options=plan.request_options)
    )
    return Visited(
        page=page,
        document=kept,
        led_by=tuple(_kept(exchange, b"", secrets, personal=personal) for exchange in traffic.led_by),
        resources=tuple(_kept(exchange, body, secrets, personal=personal) for exchange, body in traffic.resources),
        refused=tuple((secrets.out_of(each), secrets.out_of(why)) for each, why in traffic.refused),
        robots_allow=allowed,
        retry_after=retry_after(next((value for name, value in headers if name == "retry-after"), None)),
        requests=traffic.requests,
    )


def _unmarked(node: RenderedNode, secrets: Secrets) -> RenderedNode:
    """Take secrets out of what a node shows."""
    shown = (node.text, node.href, node.src, node.alt)
    clean = tuple(map(secrets.out_of, shown))
    if clean == shown:
        return node
    text, href, src, alt = clean
    return replace(node, text=text, href=href, src=src, alt=alt)


def _kept(exchange: Exchange, body: bytes, secrets: Secrets, *, personal: bool) -> Exchange:
    """Take secrets out of an exchange; one without any stays as it came, packed and all."""
    clean = secrets.out_of_page(body)
    packed = exchange.body
    headers = without_cookies(exchange.headers) if personal else exchange.headers
    if clean != body:
        packed = clean
        headers = tuple(pair for pair in headers if pair[0].lower() not in ("content-encoding", "content-length"))
    return replace(
        exchange,
        url=secrets.out_of(exchange.url),
        headers=tuple((name, secrets.out_of(value)) for name, value in headers),
        request_headers=tuple((name, secrets.out_of(value)) for name, value in exchange.request_headers),
        body=packed,
    )


class Trip:
    """One visit under way."""

    def __init__(self, plan: VisitPlan, secrets: Secrets) -> None:
        self.plan, self.secrets = plan, secrets
        self.seconds = plan.window.seconds if plan.request_options.timeout is None else plan.request_options.timeout
        self.spare = _PICTURE if plan.steps else 0.0  # seconds that may be needed after those
        self.user_agent = plan.request_options.user_agent or plan.client.config.user_agent
        self._until = 0.0

    async def take(self, context: Any, tab: Any, engine: str) -> TripResult:
        """Open the page, take the steps, wait until it rests, and look."""
        plan = self.plan
        session, traffic = await self._set_out(context, tab)
        try:
            await traffic.begin()
            await self._walk(session, tab, traffic)
            view = await self._looked(session, traffic, tab)
            if (trouble := self._led_astray(tab, traffic)) is not None:
                raise trouble
            if traffic.main is None:
                raise FetchError("the server sent no page; try again later", kind="network", url=plan.url)
            _check_document(traffic.document[0], plan)
            return TripResult(replace(view, engine=engine), traffic)
        finally:
            traffic.end()

    async def _set_out(self, context: Any, tab: Any) -> tuple[Any, Traffic]:
        """Make everything ready for the first request."""
        plan = self.plan
        self._until = time.monotonic() + self.seconds
        context.on("page", lambda other: other.close())  # windows that pages open
        if plan.window.scripts:
            await tab.add_init_script(script("still.js"))
        await self._give_cookies(context)
        session = await context.new_cdp_session(tab)
        traffic = Traffic(
            session,
            plan.url,
            client=plan.client,
            request_options=plan.request_options,
            window=plan.window,
            until=self._until,
        )
        return session, traffic

    def _led_astray(self, tab: Any, traffic: Traffic) -> FetchError | None:
        """Say why a page is not there that a step or a script led to: nobody may go there, or can."""
        if traffic.trouble is None or not tab.url.startswith("chrome-error:"):
            return None
        return _hidden(of_address(self.plan.url, traffic.trouble), self.secrets)

    async def _give_cookies(self, context: Any) -> None:
        request_options = self.plan.request_options
        if request_options.cookies:
            await context.add_cookies(
                [{"name": name, "value": value, "url": self.plan.url} for name, value in request_options.cookies]
            )

    async def _walk(self, session: Any, tab: Any, traffic: Traffic) -> None:
        steps = list(self.plan.steps)
        if not (steps and steps[0].action == "goto"):
            await self._go(tab, traffic, self.plan.url)
            await self._rest(tab, traffic)
        for number, step in enumerate(steps, 1):
            try:
                await self._step(tab, traffic, step)
            except (PagedriftError, _playwright_error()) as error:
                raise self._failed(number, step, error, await self._photo(session, number)) from None
            await self._rest(tab, traffic)
            await self._taken(session, number)

    async def _taken(self, session: Any, number: int) -> None:
        """Note that a step was taken; a visit looks at the page after the last one only."""

    async def _photo(self, session: Any, steps: int) -> bytes:
        """Take a picture of the page after some steps; one that no longer answers has none."""
        filled = [each.target for each in self.plan.steps[:steps] if each.action == "fill" and names_secret(each)]
        try:
            return await asyncio.wait_for(photograph(session, self.plan.window, dotted=filled), _PICTURE)
        except (TimeoutError, _playwright_error()):
            return b""

    def _failed(self, number: int, step: BrowserStep, error: Exception, picture: bytes) -> StepError:
        said = self.secrets.out_of(str(error).partition("\n")[0])
        if "Timeout" in said:
            said = f"nothing on the page answers to {step.target or 'it'} in time"
        end = "" if isinstance(error, PagedriftError) else "; look at the page, and fix the step"
        message = f"step {number} ({step}) failed: {said}{end}"
        return StepError(message, number=number, step=str(step), problem=said, picture=picture)

    async def _step(self, tab: Any, traffic: Traffic, step: BrowserStep) -> None:
        target, value = self.secrets.into(step.target), self.secrets.into(step.value)
        patience = {"timeout": self._left(_STEP) * 1000}
        waited = seconds_of(step)
        if waited is not None:
            await asyncio.sleep(min(waited, self._left(waited)))
        elif step.action == "goto":
            await self._go(tab, traffic, urljoin(self.plan.url, target))
        elif step.action == "fill":
            await tab.fill(target, value, **patience)
        elif step.action == "click":
            await tab.click(target, **patience)
        elif step.action == "select":
            await tab.select_option(target, value, **patience)
        elif step.action == "press" and target:
            await tab.press(target, value, **patience)
        elif step.action == "press":
            await tab.keyboard.press(value)
        else:
            await tab.wait_for_selector(target, **patience)

    async def _go(self, tab: Any, traffic: Traffic, url: str) -> None:
        """Open an address; where that fails, say what our own client said."""
        parse_url(url)
        traffic.trouble = None
        try:
            await tab.goto(url, wait_until="domcontentloaded", timeout=self._left(None) * 1000)
        except _playwright_error() as error:
            if traffic.trouble is not None:
                raise traffic.trouble from None
            if traffic.main is not None:
                _check_document(traffic.main[0], self.plan)
            raise _unopened(url, str(error)) from None

    async def _rest(self, tab: Any, traffic: Traffic) -> None:
        """Wait until the page asks for nothing more, for some time at most."""
        until = time.monotonic() + self._left(_NOISY)
        with suppress(_playwright_error()):
            await tab.wait_for_load_state("load", timeout=max(1.0, (until - time.monotonic()) * 1000))
        while time.monotonic() < until and not traffic.rested(_QUIET):
            await asyncio.sleep(0.05)

    async def _looked(self, session: Any, traffic: Traffic, tab: Any) -> View:
        for attempt in range(1, _LOOKS + 1):
            try:
                return await look(session, self.plan.window, leave_out=self.plan.leave_out, live=True)
            except _playwright_error():  # it went elsewhere
                if attempt == _LOOKS or tab.is_closed():
                    raise
                await self._rest(tab, traffic)
        raise AssertionError("the last look returns or raises")

    def _left(self, most: float | None) -> float:
        remaining = max(0.01, self._until - time.monotonic())
        return remaining if most is None else min(remaining, most)


def _check_document(document: Exchange, plan: VisitPlan) -> None:
    """Refuse a part of a page, or none at all, for a page."""
    try:
        check_status(
            document.status, (name for name, _ in (*document.request_headers, *plan.request_options.headers))
        )
    except FetchError as error:
        raise of_address(plan.url, error) from None


def _hidden(error: FetchError, secrets: Secrets) -> FetchError:
    """Take secrets out of what is said."""
    return FetchError(secrets.out_of(error.problem), kind=error.kind, url=secrets.out_of(error.url))


def _playwright_error() -> type[Exception]:
    from playwright.async_api import Error

    return cast("type[Exception]", Error)


def _unopened(url: str, said: str) -> FetchError:
    """Say why the browser did not open an address."""
    if "ERR_TOO_MANY_REDIRECTS" in said:
        return FetchError("more than 20 redirects; check the address in a browser", kind="redirects", url=url)
    if "ERR_UNSAFE_REDIRECT" in said:
        return FetchError(
            "it redirects to an address that is not http or https; check it in a browser", kind="redirects", url=url
        )
    if "Timeout" in said:
        return FetchError(
            "the page did not load in time; try again later, or increase the timeout", kind="timeout", url=url
        )
    if "Download" in said or "ERR_ABORTED" in said:
        return FetchError("it is a file, not a page; fetch it without a browser", kind="url", url=url)
    return FetchError(
        f"the browser did not open it ({said.splitlines()[0]}); try again later", kind="network", url=url
    )
