"""Reader and writer for OPML files: feeds and pages in their groups."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any, Final
from xml.parsers import expat

from pagedrift.app.imports.results import MAX_FILE_BYTES, ImportBuilder, ImportedWatches
from pagedrift.app.model.watch import Watch
from pagedrift.app.notify.message import plain
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

DEEPEST: Final = 100  # outlines in outlines
_OWN: Final = frozenset({"amp", "lt", "gt", "quot", "apos"})  # names that XML has
_NAMED: Final = re.compile(r"&(#?\w{1,32};)?")


class _Reader:
    """Reads outlines as they come; nothing that the file declares is looked at, and nothing it names is fetched."""

    def __init__(self) -> None:
        self.gathering = ImportBuilder()
        self.is_opml = False
        self._groups: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "opml":
            self.is_opml = True
        if name != "outline":
            return
        data = {key.lower(): value for key, value in attributes.items()}
        title = data.get("title") or data.get("text") or ""
        group = next((each for each in reversed(self._groups) if each), "")
        if feed := data.get("xmlurl", "").strip():
            self.gathering.add(Watch(feed, kind="feed", name=title, group=group))
        elif page := (data.get("url") or data.get("htmlurl") or "").strip():
            self.gathering.add(Watch(page, kind="page", name=title, group=group))
        self._groups.append("" if feed else title)
        if len(self._groups) > DEEPEST:
            raise InputError(f"the file has more than {DEEPEST} outlines in one another; check who wrote it")

    def end(self, name: str) -> None:
        if name == "outline":
            self._groups.pop()


def read(data: bytes) -> ImportedWatches:
    """Read the feeds of an OPML file; an outline around them is their group."""
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"the file is larger than {MAX_FILE_BYTES // 10**6} MB; import it in parts")
    try:
        return _parsed(data)
    except expat.ExpatError:
        pass
    # Many programs write & where they should write &amp;, and names of signs that only HTML has.
    mended = _NAMED.sub(_mended, data.decode("utf-8", "replace"))
    mended = re.sub(r"^\s*<\?xml[^>]*\?>", "", mended.lstrip("\ufeff"))
    try:
        return _parsed(mended.encode())
    except expat.ExpatError as error:
        raise InputError(f"invalid OPML ({error}); export it again from the other program") from None


def write(watches: Iterable[Watch]) -> bytes:
    """Write feeds and pages as OPML: feeds as feeds, everything else as links, in their groups."""
    root = ET.Element("opml", version="2.0")
    ET.SubElement(ET.SubElement(root, "head"), "title").text = "Pagedrift"
    body = ET.SubElement(root, "body")
    groups: dict[str, ET.Element] = {"": body}
    for watch in watches:
        if watch.group not in groups:
            groups[watch.group] = ET.SubElement(body, "outline", text=plain(watch.group))
        title = plain(watch.title)
        feed = watch.kind == "feed"
        more = {"type": "rss", "xmlUrl": watch.url} if feed else {"type": "link", "url": watch.url}
        ET.SubElement(groups[watch.group], "outline", {"text": title, "title": plain(watch.name), **more})
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _parsed(data: bytes) -> ImportedWatches:
    reader, parser = _Reader(), expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.EntityDeclHandler = _refused
    parser.Parse(data, True)
    if not reader.is_opml:
        raise InputError("this XML is not OPML; export the list of feeds as OPML")
    return reader.gathering.done()


def _refused(*_: Any) -> None:
    raise InputError(
        "the file declares XML entities, which are not allowed; export it again from the other program"
    )


def _mended(match: re.Match[str]) -> str:
    name = (match[1] or "").rstrip(";")
    if not name:
        return "&amp;"
    if name in _OWN or name.startswith("#"):
        return match[0]
    character = html.unescape(match[0])
    return f"&amp;{match[1]}" if character == match[0] else html.escape(character)
