"""Memento routes (RFC 7089): the version of a page at a given time, for web-archive clients."""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse

from pagedrift.app.store import queries
from pagedrift.app.web import content
from pagedrift.app.web.error_responses import RefusedError
from pagedrift.app.web.request_context import app_origin, settings_of, store_of
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.app.model.results import StoredVersion
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Session

router = APIRouter()
STAMP: Final = "%Y%m%d%H%M%S"
_TIMES: Final = re.compile(rb"^/memento/(?:timegate|timemap/[a-z]+|\d{14}|\d{17})/")


@router.get("/memento/timegate/{url:path}")
def timegate(request: Request) -> Response:
    """Lead to the version that was there at the time of Accept-Datetime; without it, to the newest."""
    settings, original = settings_of(request), _original(request)
    versions = _versions(request, original)
    wanted = _wanted(request.headers.get("accept-datetime"))
    chosen = versions[-1] if wanted is None else nearest(versions, wanted)
    headers = {"Vary": "accept-datetime", "Link": _links(settings, original, versions, chosen)}
    return RedirectResponse(memento_url(settings, chosen), 302, headers)


@router.get("/memento/timemap/{form}/{url:path}")
def timemap(request: Request, form: str) -> Response:
    """List all versions of an address."""
    if form not in _FORMS:
        raise NotFoundError(f"unknown TimeMap format; choose one of: {', '.join(_FORMS)}")
    settings, original = settings_of(request), _original(request)
    return _FORMS[form](settings, original, _versions(request, original))


@router.get("/memento/{stamp}/{url:path}")
def memento(request: Request, stamp: str) -> Response:
    """Lead to the bytes of one version, on the origin of captured pages."""
    if not re.fullmatch(r"\d{14}|\d{17}", stamp):
        raise NotFoundError("a memento is named by a time of 14 digits; ask the TimeGate for one")
    settings, original = settings_of(request), _original(request)
    versions = _versions(request, original)
    exact = [version for version in versions if _stamp(version.captured_at) == stamp[:14]]
    if not exact:
        # As archives do: a time at which nothing was captured leads to the nearest at which something was.
        moment = datetime.strptime(stamp[:14], STAMP).replace(tzinfo=UTC) if _is_time(stamp[:14]) else None
        if moment is None:
            raise NotFoundError("invalid time; ask the TimeGate for a memento")
        return RedirectResponse(memento_url(settings, nearest(versions, moment)), 302)
    # A resource in between (RFC 7089, 4.5.3): it is not a memento itself and only names the original.
    headers = {"Link": f'<{original}>; rel="original"'}
    return RedirectResponse(content.url(settings, "raw", exact[-1].id), 302, headers)


def headers_of(session: Session, settings: Settings, version: StoredVersion) -> dict[str, str]:
    """Give the headers of a memento, for where its bytes are given out."""
    versions = queries.versions_of_address(session, version.url)
    return {
        "Memento-Datetime": http_date(version.captured_at),
        "Link": _links(settings, version.url, versions or [version], version),
    }


def memento_url(settings: Settings, version: StoredVersion) -> str:
    """Give the address of one version that stays: the bytes themselves are at addresses that expire."""
    return f"{app_origin(settings)}/memento/{_stamp(version.captured_at)}/{_ascii(version.url)}"


def nearest(versions: Sequence[StoredVersion], wanted: datetime) -> StoredVersion:
    """Choose the version nearest to a time, of two equally near the older."""
    times = [version.captured_at for version in versions]
    at = bisect.bisect_left(times, wanted)
    around = versions[max(0, at - 1) : at + 1]
    return min(around, key=lambda version: abs(version.captured_at - wanted))


def http_date(moment: datetime) -> str:
    """Write a time as HTTP does.

    >>> http_date(datetime(2026, 11, 15, 12, 30, tzinfo=UTC))
    'Sun, 15 Nov 2026 12:30:00 GMT'
    """
    return format_datetime(moment.astimezone(UTC), usegmt=True)


def _wanted(given: str | None) -> datetime | None:
    """Read Accept-Datetime; one that cannot be read is an error of the client (RFC 7089, 4.5.3)."""
    if given is None:
        return None
    try:
        moment = parsedate_to_datetime(given)
    except (TypeError, ValueError):
        raise RefusedError(
            400, "invalid Accept-Datetime; write one such as: Sun, 15 Nov 2026 12:30:00 GMT"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _original(request: Request) -> str:
    """Read the address that is asked about, as it was sent: it ends the path and may have a query of its own."""
    raw: bytes = request.scope.get("raw_path") or quote(request.scope["path"]).encode()
    found = _TIMES.match(raw)
    rest = raw[found.end() :] if found else b""
    query: bytes = request.scope["query_string"]
    asked = (rest + (b"?" + query if query else b"")).decode("ascii", "replace")
    return re.sub(r"^(https?):/(?!/)", r"\1://", asked)  # some make one slash of two


def _versions(request: Request, original: str) -> Sequence[StoredVersion]:
    with store_of(request).read() as session:
        found = queries.versions_of_address(session, original)
    if not found:
        raise NotFoundError("there are no versions of this address; watch it first")
    return found


def _links(settings: Settings, original: str, versions: Sequence[StoredVersion], chosen: StoredVersion) -> str:
    """Write where the original, the TimeGate, the TimeMap and some mementos are."""
    at = next((at for at, version in enumerate(versions) if version.id == chosen.id), 0)
    named: dict[int, list[str]] = {}
    for name, which in (("first", 0), ("prev", at - 1), ("", at), ("next", at + 1), ("last", len(versions) - 1)):
        if 0 <= which < len(versions):
            named.setdefault(which, []).extend([name] if name else [])
    mementos = (_memento_link(settings, versions[which], names) for which, names in sorted(named.items()))
    return ", ".join([*_relations(settings, original), *mementos])


def _memento_link(settings: Settings, version: StoredVersion, names: list[str]) -> str:
    relation = " ".join([*dict.fromkeys(names), "memento"])
    return f'<{memento_url(settings, version)}>; rel="{relation}"; datetime="{http_date(version.captured_at)}"'


def _relations(settings: Settings, original: str) -> Iterator[str]:
    base, asked = f"{app_origin(settings)}/memento", _ascii(original)
    yield f'<{asked}>; rel="original"'
    yield f'<{base}/timegate/{asked}>; rel="timegate"'
    yield f'<{base}/timemap/link/{asked}>; rel="timemap"; type="application/link-format"'


def _as_links(settings: Settings, original: str, versions: Sequence[StoredVersion]) -> Response:
    base, asked = f"{app_origin(settings)}/memento", _ascii(original)
    first, last = versions[0].captured_at, versions[-1].captured_at
    itself = (
        f'<{base}/timemap/link/{asked}>; rel="self"; type="application/link-format"; '
        f'from="{http_date(first)}"; until="{http_date(last)}"'
    )
    ends = {0: ["first"], len(versions) - 1: ["last"]}
    if len(versions) == 1:
        ends = {0: ["first", "last"]}
    mementos = (_memento_link(settings, each, ends.get(at, [])) for at, each in enumerate(versions))
    original_, gate, _ = _relations(settings, original)
    return PlainTextResponse(
        ",\n".join([original_, itself, gate, *mementos]) + "\n", media_type="application/link-format"
    )


def _as_json(settings: Settings, original: str, versions: Sequence[StoredVersion]) -> Response:
    base, asked = f"{app_origin(settings)}/memento", _ascii(original)
    listed = [{"datetime": _iso(each.captured_at), "uri": memento_url(settings, each)} for each in versions]
    return JSONResponse(
        {
            "original_uri": original,
            "self": f"{base}/timemap/json/{asked}",
            "mementos": {"list": listed, "first": listed[0], "last": listed[-1]},
            "timemap_uri": {f"{form}_format": f"{base}/timemap/{form}/{asked}" for form in _FORMS},
            "timegate_uri": f"{base}/timegate/{asked}",
        }
    )


def _as_cdxj(settings: Settings, original: str, versions: Sequence[StoredVersion]) -> Response:  # noqa: ARG001 - as the others
    from pagedrift.archive.surt import key

    lines = [
        f"{key(each.url)} {_stamp(each.captured_at)} "
        + json.dumps({"url": each.url, "mime": each.mime, "status": str(each.status or ""), "digest": each.digest})
        for each in versions
    ]
    return PlainTextResponse("\n".join(lines) + "\n", media_type="text/x-cdxj")


_FORMS: Final = {"link": _as_links, "json": _as_json, "cdxj": _as_cdxj}


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime(STAMP)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _is_time(stamp: str) -> bool:
    try:
        datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
    except ValueError:
        return False
    return True


def _ascii(url: str) -> str:
    """Write an address so that it may stand in a header, between angle brackets."""
    return quote(url, safe="!#$%&'()*+,/:;=?@[]~")
