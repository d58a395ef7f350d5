"""Responses of the demonstration site: what each path returns at a given step of its scenario."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Final

from pagedrift.app.demo import content
from pagedrift.app.demo.scenario import DemoState, appeared_at
from pagedrift.extras import need

# What is the same for everybody, so that a client that has it already gets 304.
STILL: Final = frozenset(("/market-hall", "/feed.xml", "/sitemap.xml", "/robots.txt"))
_TEMPLATES: Final = {
    "/": "front.html",
    "/news": "news.html",
    "/market-hall": "hours.html",
    "/shop/lantern": "product.html",
    "/visit": "visit.html",
    "/ferry": "ferry.html",
}
_XML: Final = {
    "/feed.xml": "application/atom+xml; charset=utf-8",
    "/sitemap.xml": "application/xml; charset=utf-8",
    "/robots.txt": "text/plain; charset=utf-8",
}
_WALLED: Final = frozenset(("/", "/shop/lantern"))
_PICTURE: Final = re.compile(r"/media/(lantern|hall|valley|advertisement)-([0-9]{1,3})\.svg")
_HTML: Final = "text/html; charset=utf-8"
_BEFORE: Final = timedelta(days=2, hours=5)  # between two articles that are there from the start
_MAX_FEED_ARTICLES: Final = 40  # articles in the feed


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What an answer depends on."""

    state: DemoState
    url: str  # of the site
    began: datetime
    step_length: timedelta
    serial: int  # of the request

    def published(self, number: int) -> datetime:
        """Return when an article was published."""
        before = DemoState().articles - number
        if before > 0:
            return self.began - before * _BEFORE
        return self.began + appeared_at(number) * self.step_length


@dataclass(frozen=True, slots=True)
class DemoResponse:
    """An answer of the site."""

    status: int
    content_type: str
    body: bytes
    still: bool = False  # has no noise, and may be asked for conditionally


def answer(path: str, moment: Moment, *, consented: bool = False) -> DemoResponse:
    """Answer a request for a path without its query."""
    state = moment.state
    if path.startswith("/assets/"):
        return _asset(path)
    if path.startswith("/media/"):
        return _picture(path)
    if state.down:
        return DemoResponse(503, _HTML, _rendered("both/maintenance.html", path, moment))
    if path in _XML:
        return DemoResponse(200, _XML[path], _rendered(f"both{path}", path, moment), still=True)
    if state.wall and path in _WALLED and not consented:
        return DemoResponse(200, _HTML, _rendered("both/wall.html", path, moment))
    return _page(path, moment)


def _page(path: str, moment: Moment) -> DemoResponse:
    design = "second" if moment.state.redesigned else "first"
    article = next((each for each in _published(moment) if each.path == path), None)
    service = next((each for each in content.SERVICES if content.service_path(each[0]) == path), None)
    template = "article.html" if article else "service.html" if service else _TEMPLATES.get(path)
    if template is None or (path == "/ferry" and not moment.state.ferry):
        return DemoResponse(404, _HTML, _rendered(f"{design}/missing.html", path, moment))
    body = _rendered(f"{design}/{template}", path, moment, article=article, service=service)
    return DemoResponse(200, _HTML, body, still=path in STILL)


def _published(moment: Moment) -> tuple[content.Article, ...]:
    """List what was published, the newest first."""
    return content.articles()[: moment.state.articles][::-1]


def _rendered(template: str, path: str, moment: Moment, **more: Any) -> bytes:
    state, serial = moment.state, moment.serial
    text = (
        _environment()
        .get_template(template)
        .render(
            path=path,
            state=state,
            moment=moment,
            url=moment.url,
            articles=_published(moment)[:_MAX_FEED_ARTICLES],
            menu=[*content.MENU[:-1], content.FERRY, content.MENU[-1]] if state.ferry else content.MENU,
            price=content.PRICES[state.price],
            hours=content.WINTER_HOURS if state.winter else content.SUMMER_HOURS,
            content=content,
            noisy=path not in STILL,
            advertised=serial % len(content.ADVERTISEMENTS),
            visitors=1_204 + serial,
            session=hashlib.sha256(f"session {serial} {moment.began}".encode()).hexdigest()[:24],
            **more,
        )
    )
    return str(text).encode()


@cache
def _environment() -> Any:
    jinja2 = need("web", "jinja2")
    loader = jinja2.PackageLoader(__package__, "templates")
    return jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def _asset(path: str) -> DemoResponse:
    name = path.removeprefix("/assets/")
    kind = {
        "first.css": "text/css; charset=utf-8",
        "second.css": "text/css; charset=utf-8",
        "icon.svg": "image/svg+xml",
    }.get(name)
    if kind is None:
        return DemoResponse(404, "text/plain; charset=utf-8", b"not here")
    body = files(__package__).joinpath("templates", "assets", name).read_bytes()
    return DemoResponse(200, kind, body, still=True)


def _picture(path: str) -> DemoResponse:
    """Draw the lantern, the market hall, an advertisement, or a view of the valley; of views there are many."""
    told = _PICTURE.fullmatch(path)
    if told is None:
        return DemoResponse(404, "text/plain; charset=utf-8", b"not here")
    name, number = told[1], int(told[2])
    shown = content.ADVERTISEMENTS[number % len(content.ADVERTISEMENTS)]
    text = _environment().get_template(f"both/{name}.svg").render(number=number, shown=shown)
    return DemoResponse(200, "image/svg+xml", str(text).encode(), still=True)
