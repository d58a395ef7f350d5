"""Atom feeds of alerts, with one permanent entry for each (RFC 4287, RFC 5005)."""

from __future__ import annotations

import hashlib
import uuid
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from pagedrift.app.notify.message import plain
from pagedrift.app.store import queries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagedrift.app.store.queries import AlertSummary
    from pagedrift.app.store.store import Store

NAMESPACE: Final = "http://www.w3.org/2005/Atom"
TYPE: Final = "application/atom+xml; charset=utf-8"
PER_PAGE: Final = 50
NAME: Final = "installation"  # by which feeds of this installation differ from those of others
_OLDEST: Final = datetime(2026, 1, 1, tzinfo=UTC)  # of a feed without entries


@dataclass(frozen=True, slots=True)
class FeedResponse:
    """What is answered to somebody who reads a feed."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def feed(
    alerts: Sequence[AlertSummary], *, title: str, identity: str, url: str, site: str, older: str = ""
) -> bytes:
    """Write alerts as an Atom feed; `identity` names the feed forever, `url` is where it is read."""
    ET.register_namespace("", NAMESPACE)
    root = ET.Element(f"{{{NAMESPACE}}}feed")
    newest = max((_moment(alert) for alert in alerts), default=_OLDEST)
    _add(root, "id", identity)
    _add(root, "title", title)
    _add(root, "updated", newest.isoformat())
    _add(_add(root, "author"), "name", "Pagedrift")
    _add(root, "generator", "Pagedrift")
    _add(root, "link", rel="self", type="application/atom+xml", href=url)
    _add(root, "link", rel="alternate", type="text/html", href=site)
    if older:
        _add(root, "link", rel="next", type="application/atom+xml", href=f"{url.partition('?')[0]}?{_query(older)}")
    for alert in alerts:
        _entry(root, alert)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def answer(
    store: Store,
    *,
    url: str,
    site: str,
    watch: str | None = None,
    group: str | None = None,
    title: str = "",
    before: str = "",
    headers: Mapping[str, str] | None = None,
) -> FeedResponse:
    """Answer a request for a feed; 304 where whoever asks has it already. Names of headers are in small letters."""
    with store.read() as session:
        found, last = queries.feed_page(session, watch=watch, group=group, before=_place(before), size=PER_PAGE)
    older = f"{_moment(last).timestamp():.6f}-{last.id}" if last is not None else ""
    which = f"watch {watch}" if watch is not None else f"group {group}" if group is not None else "all"
    identity = f"urn:uuid:{uuid.uuid5(installation(store), which)}"
    named = f"Pagedrift: {title or group or 'all changes'}"
    body = feed(found, title=named, identity=identity, url=url, site=site, older=older)
    newest = max((_moment(alert) for alert in found), default=_OLDEST)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    said = {
        "Content-Type": TYPE,
        "ETag": tag,
        "Last-Modified": format_datetime(newest.replace(microsecond=0), usegmt=True),
        "Cache-Control": "private, max-age=60",
        "X-Content-Type-Options": "nosniff",
    }
    return FeedResponse(304, b"", said) if _has_it(headers or {}, tag, newest) else FeedResponse(200, body, said)


def _entry(root: ET.Element, alert: AlertSummary) -> None:
    message: dict[str, Any] = alert.message
    moment = _moment(alert).isoformat()
    entry = _add(root, "entry")
    _add(entry, "id", f"urn:uuid:{alert.uid}")
    _add(entry, "title", str(message.get("title") or alert.title))
    _add(entry, "published", moment)
    _add(entry, "updated", moment)
    if url := str(message.get("url", "")):
        _add(entry, "link", rel="alternate", type="text/html", href=url)
    for place in message.get("pages", ())[:1]:
        _add(entry, "link", rel="related", href=str(place.get("url", "")))
    _add(entry, "category", term=str(message.get("verdict") or alert.kind))
    _add(entry, "content", str(message.get("html", "")), type="html")


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    """Add an element; characters that XML does not allow are left out."""
    element = ET.SubElement(
        parent, f"{{{NAMESPACE}}}{name}", {key: plain(value) for key, value in attributes.items()}
    )
    if text:
        element.text = plain(text)
    return element


def _has_it(headers: Mapping[str, str], tag: str, newest: datetime) -> bool:
    """Return whether the client has this feed: by its tag, otherwise by its time (RFC 9110, 13.2.2)."""
    if "if-none-match" in headers:
        known = {each.strip().removeprefix("W/") for each in headers["if-none-match"].split(",")}
        return bool(known & {tag, "*"})
    try:
        since = parsedate_to_datetime(headers.get("if-modified-since", ""))
        return since.astimezone(UTC) >= newest.replace(microsecond=0)
    except (ValueError, TypeError, IndexError, OverflowError):
        return False


def installation(store: Store) -> uuid.UUID:
    """Give the name of this installation, made once."""
    return uuid.UUID(store.get_or_set(NAME, str(uuid.uuid4())))


def _moment(alert: AlertSummary) -> datetime:
    return alert.closed_at or alert.opened_at


def _query(older: str) -> str:
    return urlencode({"before": older})


def _place(before: str) -> tuple[datetime, int] | None:
    """Read where an earlier page ended; an invalid place is the beginning."""
    seconds, _, number = before.partition("-")
    try:
        return datetime.fromtimestamp(round(float(seconds), 6), UTC), min(int(number), 2**62)
    except (ValueError, OverflowError, OSError):
        return None
