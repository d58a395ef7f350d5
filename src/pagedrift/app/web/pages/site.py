"""Page about a site: its documents, templates, redesigns and pages."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter, Request, Response

from pagedrift.app.model.results import StoredVersion
from pagedrift.app.store import queries
from pagedrift.app.web.pages.shared import ResultCache, line_of, options_of
from pagedrift.app.web.pages.watch import is_awaited
from pagedrift.app.web.request_context import settings_of, store_of, worked_out
from pagedrift.app.web.template_filters import day
from pagedrift.app.web.templating import page
from pagedrift.errors import NotFoundError, PagedriftError
from pagedrift.report.reasons import percent, sentence_case
from pagedrift.report.redesigns import passing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pagedrift.app.store.store import Session

router = APIRouter()
MAX_DOCUMENTS: Final = 200  # the newest, whose templates are looked at
DOCUMENTS_COMPARED: Final = 20  # documents before, that each is compared with
MAX_CACHED_SITES: Final = 32  # sites
MAX_DOCUMENT_BYTES: Final = 2_000_000  # bytes of a document that is looked at
NAMES: Final = {
    "redesign": "Redesign",
    "edit": "Template edited",
    "selector": "Selector",
    "passing": "Passing design",
}
BADGES: Final = {"redesign": "redesign", "edit": "matters", "selector": "trouble"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One template of a site."""

    documents: int
    share: float
    example: int  # the newest version made from it
    title: str
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class SiteTemplates:
    """How alike the documents of a site are, as a picture, and the templates they are made from."""

    documents: int
    stripe: bytes
    templates: tuple[Template, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteEvent:
    """Something that happened to the design of a site."""

    name: str
    badge: str
    title: str
    day: str
    said: str
    url: str
    selectors: tuple[Mapping[str, Any], ...]


@router.get("/site/{which}")
def site(request: Request, which: str, page: int = 1, since: int = 0) -> Response:
    """Show a site."""
    return _shown(request, which, page, since)


def _shown(request: Request, which: str, number: int, since: int) -> Response:
    with store_of(request).read() as session:
        line = line_of(session, which)
        options = options_of(session, which)
        documents = queries.count_versions(session, which)
        newest = queries.versions(session, which, most=15)
        pages = queries.overview(session, parent=which, page=number)
        seen = queries.noticed(session, which)
        events = [_event(each, which, seen) for each in reversed(queries.site_events(session, which))]
    shape, trouble = _shape(request, which)
    return page(
        request,
        "site.html",
        monitored=options.selectors,
        line=line,
        documents=documents,
        newest=newest,
        pages=pages,
        events=events,
        redesigns=sum(event.badge == "redesign" for event in events),
        shape=shape,
        shape_trouble=trouble,
        waiting=is_awaited(line, since),
    )


@router.get("/site/{which}/stripe.png")
def stripe(request: Request, which: str) -> Response:
    """Draw the similarity stripe."""
    shape, _ = _shape(request, which)
    if shape is None:
        raise NotFoundError("not enough documents yet for the similarity chart; wait for more checks")
    return Response(shape.stripe, media_type="image/png")


def _event(event: Mapping[str, Any], which: str, seen: Mapping[str, datetime]) -> SiteEvent:
    kind = str(event.get("kind", ""))
    certainty, needed = event.get("certainty"), event.get("needed")
    said = [f"{percent(certainty)} sure"] if isinstance(certainty, float) else []
    said += [f"detected after {needed} documents"] if isinstance(needed, int) else []
    stayed = event.get("stayed")
    said += [f"{percent(stayed)} of the template unchanged"] if isinstance(stayed, float) else []
    at = event.get("published_at")
    noticed = seen.get(f"{kind} {which} {event.get('document')}"[:64])  # the signature of such an alert
    when = (
        day(datetime.fromisoformat(at)) if isinstance(at, str) else f"first seen {day(noticed)}" if noticed else ""
    )
    titles = {
        "passing": sentence_case(passing(str(event.get("what", "trial")), int(event.get("pages") or 0))),
        "redesign": "The site was redesigned",
        "edit": "The template was edited",
        "selector": "A selector stopped matching",
    }
    return SiteEvent(
        name=NAMES.get(kind, kind),
        badge=BADGES.get(kind, "minor"),
        title=titles.get(kind, kind),
        day=when,
        said=", ".join(said),
        url=str(event.get("url") or ""),
        selectors=tuple(event.get("selectors") or ()),
    )


# --- how its documents look ------------------------------------------------------------------------------------


def _shape(request: Request, which: str) -> tuple[SiteTemplates | None, str]:
    with store_of(request).read() as session:
        documents = _documents(session, which)
    if len(documents) < 2:  # noqa: PLR2004 - nothing to compare
        return None, ""
    try:
        return _SHAPES.get(
            (which, documents[-1].id, len(documents)),
            lambda: worked_out(request, shape_of, settings_of(request).archive, documents),
        ), ""
    except PagedriftError as error:
        return None, str(error)


def _documents(session: Session, which: str) -> list[StoredVersion]:
    """Give the newest documents of a site, oldest first; of a list, its pages as they are now."""
    limits = {"most": MAX_DOCUMENTS, "max_bytes": MAX_DOCUMENT_BYTES}
    found = queries.versions(session, which, **limits) or queries.newest_versions(session, which, **limits)
    return list(reversed(found))


def shape_of(folder: str | Path, documents: Sequence[StoredVersion]) -> SiteTemplates:
    """Compare each document with those before it, and put those of one template together."""
    from pagedrift.app.captures import page_of
    from pagedrift.redesigned.stream_monitor import Stripe
    from pagedrift.report.redesign_plot import shades
    from pagedrift.report.redesigned_page import grey, grey_png
    from pagedrift.which_template import TemplateClusterer

    stripe, clusterer, read = (
        Stripe(min(DOCUMENTS_COMPARED, len(documents) - 1)),
        TemplateClusterer(),
        list[StoredVersion](),
    )
    for document in documents:
        with suppress(PagedriftError, OSError):
            version = page_of(folder, document.place)
            stripe.add(version)
            clusterer.partial_fit([version])
            read.append(document)
    rows, _ = shades(stripe)
    if not read:
        return SiteTemplates(0, b"", ())
    picture = grey_png([bytes(grey(value) for value in row) for row in rows])
    return SiteTemplates(len(read), picture, _templates(list(clusterer.labels_), read))


def _templates(labels: Sequence[int], documents: Sequence[StoredVersion]) -> tuple[Template, ...]:
    made: dict[int, list[StoredVersion]] = {}
    for label, document in zip(labels, documents, strict=True):
        made.setdefault(label, []).append(document)
    found = [
        Template(
            documents=len(each),
            share=len(each) / len(documents),
            example=each[-1].id,
            title=each[-1].title,
            first=each[0].captured_at,
            last=each[-1].captured_at,
        )
        for each in made.values()
    ]
    return tuple(sorted(found, key=lambda template: -template.documents))


_SHAPES: Final = ResultCache[SiteTemplates](MAX_CACHED_SITES)
