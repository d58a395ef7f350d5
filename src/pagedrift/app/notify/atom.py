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

from sqlalchemy import and_, or_, select

from pagedrift.app.notify.message import plain
from pagedrift.app.store.tables import StoryRow, StoryWatchRow, ValueRow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

NAMESPACE: Final = "http://www.w3.org/2005/Atom"
TYPE: Final = "application/atom+xml; charset=utf-8"
PER_PAGE: Final = 50
NAME: Final = "installation"  # by which feeds of this installation are told from those of others
_OLDEST: Final = datetime(2026, 1, 1, tzinfo=UTC)  # of a feed without entries


@dataclass(frozen=True, slots=True)
class Page:
    """Some stories of a feed, the newest first, and where the older ones begin."""

    stories: tuple[StoryRow, ...] = ()
    older: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered to somebody who reads a feed."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def page(
    session: Session,
    *,
    watch: str | None = None,
    group: str | None = None,
    before: str = "",
    limit: int = PER_PAGE,
) -> Page:
    """Find the stories of a watch, of a group, or all; those before a place that an earlier page named."""
    wanted = select(StoryRow).where(StoryRow.closed_at.is_not(None))
    if watch is not None or group is not None:
        about = select(StoryWatchRow.story)
        if watch is not None:
            about = about.where(StoryWatchRow.watch == watch)
        if group is not None:
            about = about.where(StoryWatchRow.group == group)
        wanted = wanted.where(StoryRow.id.in_(about))
    if place := _place(before):
        moment, number = place
        same = and_(StoryRow.closed_at == moment, StoryRow.id < number)
        wanted = wanted.where(or_(StoryRow.closed_at < moment, same))
    rows = session.scalars(wanted.order_by(StoryRow.closed_at.desc(), StoryRow.id.desc()).limit(limit + 1)).all()
    found = tuple(rows[:limit])
    last = found[-1] if len(rows) > limit else None
    older = f"{last.closed_at.timestamp():.6f}-{last.id}" if last is not None and last.closed_at else ""
    return Page(found, older)


def feed(stories: Sequence[StoryRow], *, title: str, identity: str, url: str, site: str, older: str = "") -> bytes:
    """Write stories as an Atom feed; `identity` names the feed for ever, `url` is where it is read."""
    ET.register_namespace("", NAMESPACE)
    root = ET.Element(f"{{{NAMESPACE}}}feed")
    newest = max((_moment(story) for story in stories), default=_OLDEST)
    _add(root, "id", identity)
    _add(root, "title", title)
    _add(root, "updated", newest.isoformat())
    _add(_add(root, "author"), "name", "Pagedrift")
    _add(root, "generator", "Pagedrift")
    _add(root, "link", rel="self", type="application/atom+xml", href=url)
    _add(root, "link", rel="alternate", type="text/html", href=site)
    if older:
        _add(root, "link", rel="next", type="application/atom+xml", href=f"{url.partition('?')[0]}?{_query(older)}")
    for story in stories:
        _entry(root, story)
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
) -> Answer:
    """Answer a request for a feed; 304 where whoever asks has it already. Names of headers are in small letters."""
    with store.read() as session:
        found = page(session, watch=watch, group=group, before=before)
        which = f"watch {watch}" if watch is not None else f"group {group}" if group is not None else "all"
        identity = f"urn:uuid:{uuid.uuid5(installation(store, session), which)}"
        named = f"Pagedrift: {title or group or 'all changes'}"
        body = feed(found.stories, title=named, identity=identity, url=url, site=site, older=found.older)
        newest = max((_moment(story) for story in found.stories), default=_OLDEST)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    said = {
        "Content-Type": TYPE,
        "ETag": tag,
        "Last-Modified": format_datetime(newest.replace(microsecond=0), usegmt=True),
        "Cache-Control": "private, max-age=60",
        "X-Content-Type-Options": "nosniff",
    }
    return Answer(304, b"", said) if _has_it(headers or {}, tag, newest) else Answer(200, body, said)


def _entry(root: ET.Element, story: StoryRow) -> None:
    told: dict[str, Any] = story.told
    moment = _moment(story).isoformat()
    entry = _add(root, "entry")
    _add(entry, "id", f"urn:uuid:{story.uid}")
    _add(entry, "title", str(told.get("title") or story.title))
    _add(entry, "published", moment)
    _add(entry, "updated", moment)
    if url := str(told.get("url", "")):
        _add(entry, "link", rel="alternate", type="text/html", href=url)
    for place in told.get("pages", ())[:1]:
        _add(entry, "link", rel="related", href=str(place.get("url", "")))
    _add(entry, "category", term=str(told.get("verdict") or story.kind))
    _add(entry, "content", str(told.get("html", "")), type="html")


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    """Add an element; signs that XML has not are left out."""
    element = ET.SubElement(
        parent, f"{{{NAMESPACE}}}{name}", {key: plain(value) for key, value in attributes.items()}
    )
    if text:
        element.text = plain(text)
    return element


def _has_it(headers: Mapping[str, str], tag: str, newest: datetime) -> bool:
    """Tell whether whoever asks has this feed: by its tag; where none is named, by its time (RFC 9110, 13.2.2)."""
    if "if-none-match" in headers:
        known = {each.strip().removeprefix("W/") for each in headers["if-none-match"].split(",")}
        return bool(known & {tag, "*"})
    try:
        since = parsedate_to_datetime(headers.get("if-modified-since", ""))
        return since.astimezone(UTC) >= newest.replace(microsecond=0)
    except (ValueError, TypeError, IndexError, OverflowError):
        return False


def installation(store: Store, session: Session) -> uuid.UUID:
    """Give the name of this installation, made once."""
    row = session.get(ValueRow, NAME)
    if row is not None:
        return uuid.UUID(row.value)
    from sqlalchemy.dialects import postgresql, sqlite

    insert = postgresql.insert if store.shared else sqlite.insert
    with store.begin() as writing:  # of two that come first, one writes it and both read it
        made = insert(ValueRow).values(name=NAME, value=str(uuid.uuid4()))
        writing.execute(made.on_conflict_do_nothing())
        return uuid.UUID(writing.get_one(ValueRow, NAME).value)


def _moment(story: StoryRow) -> datetime:
    return story.closed_at or story.opened_at


def _query(older: str) -> str:
    return urlencode({"before": older})


def _place(before: str) -> tuple[datetime, int] | None:
    """Read where an earlier page ended; what is no such place is the beginning."""
    seconds, _, number = before.partition("-")
    try:
        return datetime.fromtimestamp(round(float(seconds), 6), UTC), min(int(number), 2**62)
    except (ValueError, OverflowError, OSError):
        return None
