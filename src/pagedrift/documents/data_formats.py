"""JSON, XML, CSV and feeds as pages: values by their path, rows of a table, entries."""

from __future__ import annotations

import csv
import io
import json
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pagedrift.errors import InputError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MAX_LINES: Final = 200_000  # of a text, of the values of a file, or of the rows of a table
_SAMPLE: Final = 8_192  # characters in which the separator of a table is looked for
_DELIMITERS: Final = ",;\t|"


def text_html(source: str) -> str:
    """Write a text as HTML, a paragraph for each line."""
    return _paragraphs(source.splitlines())


def json_html(source: str) -> str:
    """Write the values of a JSON file as HTML, each with the path to it; a broken one as text.

    >>> json_html('{"fee": {"roof": 85, "fence": 40}}') == json_html('{"fee": {"fence": 40, "roof": 85}}')
    True
    """
    try:
        return _paragraphs(_json_lines(json.loads(source)))
    except (ValueError, RecursionError):
        return text_html(source)


def _json_lines(value: Any) -> list[str]:
    """Write each value with the way to it; the order of keys does not count, that of lists does."""
    found: list[str] = []
    pending: list[tuple[str, Any]] = [("", value)]
    while pending and len(found) < MAX_LINES:
        path, value = pending.pop()
        if isinstance(value, dict) and value:
            below = [(f"{path}.{key}" if path else str(key), each) for key, each in sorted(value.items())]
        elif isinstance(value, list) and value:
            below = [(f"{path}[]", each) for each in value]  # without numbers: one entry at the top moves none
        else:
            found.append(f"{path}: {json.dumps(value, ensure_ascii=False)}")
            continue
        pending += reversed(below)
    return found


def xml_html(source: str) -> str:
    r"""Write the texts and attributes of an XML file as HTML, each with the path to it; a broken one as text.

    >>> xml_html('<fees town="Elm"><fee for="fence">40</fee></fees>')
    '<main><p>fees@town: Elm</p>\n<p>fees/fee@for: fence</p>\n<p>fees/fee: 40</p>\n</main>'
    """
    if "<!ENTITY" in source:  # one that grows without end is never opened
        return text_html(source)
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(source.encode("utf-8", "replace"), ElementTree.XMLParser(encoding="utf-8"))
    except (ElementTree.ParseError, ValueError, LookupError):
        return text_html(source)
    return _paragraphs(_xml_lines(root))


def _xml_lines(root: Element) -> list[str]:
    found: list[str] = []
    pending = [(_local(root.tag), root)]
    while pending and len(found) < MAX_LINES:
        path, node = pending.pop()
        found += [f"{path}@{_local(name)}: {value}" for name, value in sorted(node.attrib.items())]
        if node.text and node.text.strip():
            found.append(f"{path}: {' '.join(node.text.split())}")
        pending += [(f"{path}/{_local(each.tag)}", each) for each in reversed(node) if isinstance(each.tag, str)]
    return found


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def csv_html(source: str) -> str:
    r"""Write a table as HTML: the first row names the columns, the first column the rows.

    >>> csv_html("permit;fee\nfence;40")
    '<main><table>\n<tr><th>permit</th><th>fee</th></tr>\n<tr><th>fence</th><td>40</td></tr>\n</table></main>'
    """
    try:
        dialect: Any = csv.Sniffer().sniff(source[:_SAMPLE], delimiters=_DELIMITERS)
    except csv.Error:
        dialect = csv.excel
    try:
        rows = list(islice(csv.reader(io.StringIO(source), dialect), MAX_LINES))
    except csv.Error:
        return text_html(source)
    lines = [_row(row, head=not number) for number, row in enumerate(rows) if any(map(str.strip, row))]
    return "<main><table>\n" + "".join(lines) + "</table></main>"


def _row(cells: list[str], *, head: bool) -> str:
    tags = ["th" if head or not number else "td" for number in range(len(cells))]
    inside = "".join(f"<{tag}>{escape(cell, quote=False)}</{tag}>" for tag, cell in zip(tags, cells, strict=True))
    return f"<tr>{inside}</tr>\n"


def feed_html(body: bytes) -> str:
    """Write the entries of a feed as HTML; when it was built does not count. Raise InputError where it has none."""
    import feedparser

    found = feedparser.parse(body, sanitize_html=True, resolve_relative_uris=False)
    if not found.entries:
        raise InputError("the feed has no entries; look at it in a browser")
    title = escape(found.feed.get("title", ""), quote=False)
    return f"<title>{title}</title><main><h1>{title}</h1>\n{''.join(map(_entry, found.entries[:MAX_LINES]))}</main>"


def _entry(entry: Any) -> str:
    from pagedrift.facets.words import read_words

    summary = " ".join(read_words(str(entry.get("summary", "")).encode("utf-8", "replace")))
    title, link = (escape(str(entry.get(name, "")), quote=True) for name in ("title", "link"))
    return f'<article><h2><a href="{link}">{title}</a></h2><p>{escape(summary, quote=False)}</p></article>\n'


def _paragraphs(lines: list[str]) -> str:
    items = "".join(f"<p>{escape(line, quote=False)}</p>\n" for line in lines[:MAX_LINES])
    return f"<main>{items}</main>"
