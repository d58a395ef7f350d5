"""Template rendering: only the templates of this package, with everything escaped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jinja2 import DictLoader, Environment, StrictUndefined
from starlette.responses import HTMLResponse

from pagedrift.app.web import content, forms, request_context, static, template_filters

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

    from fastapi import Request


def page(
    request: Request,
    template: str,
    /,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> HTMLResponse:
    """Answer with a rendered template."""
    settings, who = request_context.settings_of(request), request_context.caller(request)

    def content_url(kind: str, *ids: int) -> str:
        return content.url(settings, kind, *ids)

    known = {"csrf": who.csrf, "user": who, "path": request.url.path, "content_url": content_url}
    return HTMLResponse(rendered(template, **known, **context), status, dict(headers or {}))


def rendered(template: str, /, **context: Any) -> str:
    """Fill in a template; none ever comes from a request or from the database."""
    return environment().get_template(template).render(**context)


def link(url: object) -> str:
    r"""Give an address that may stand in a link; one that could run something gives a link to nowhere.

    >>> link("https://city.example/"), link(" java\tscript:alert(1)"), link("/watch/1")
    ('https://city.example/', '#', '/watch/1')
    """
    text = str(url)
    try:
        scheme = urlsplit("".join(character for character in text if character > " ")).scheme.lower()
    except ValueError:
        return "#"
    inside = text.startswith(("/", "#", "?")) and not text.startswith(("//", "/\\"))
    return text if inside or scheme in ("http", "https") else "#"


@cache
def environment() -> Environment:
    """Read all templates once. Escaping does not depend on how they are named."""
    folder = files(__package__).joinpath("templates")
    made = Environment(
        loader=DictLoader(dict(_read(folder, ""))),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(template_filters.FILTERS, link=link, sets=forms.sets)
    made.globals.update(template_filters.GLOBALS)
    made.globals["static"] = static.address
    return made


def _read(folder: Traversable, under: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for each in folder.iterdir():
        if each.is_dir():
            found += _read(each, f"{under}{each.name}/")
        elif each.name.endswith(".html"):
            found.append((f"{under}{each.name}", each.read_text("utf-8")))
    return found
