"""The comparison of two versions as a web page: what changed, in one file that works offline."""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from importlib import resources as package
from typing import TYPE_CHECKING, Final

from pagedrift.dates import moment
from pagedrift.errors import LimitError
from pagedrift.report.highlight import highlight
from pagedrift.report.mark_labels import MEANINGS, SIGNS, escape
from pagedrift.text import around_difference, counted
from pagedrift.what_changed.words import word_changes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pagedrift.page import PageVersion
    from pagedrift.what_changed.actions import Action, EditScript
    from pagedrift.what_changed.descriptions import Description

MAX_TEXT_CHARS: Final = 1_500  # of what was there before and after, in the list
LINES: Final = 20_000  # of source on one side; more are not compared
LINE: Final = 600  # characters of one line of source: some pages are one line
CONTEXT_LINES: Final = 3  # lines of source around a change
MAX_SOURCE_LINES: Final = 4_000  # lines of source
MAX_STEPS: Final = 50_000  # of one report


def compare_page(
    old: PageVersion,
    new: PageVersion,
    script: EditScript,
    *,
    resources: Mapping[str, tuple[str, bytes]] | None = None,
    preface: str = "",
) -> str:
    """Write the comparison of two versions as one HTML file: list, highlighted page, side by side, and source.

    `preface` is HTML that stands before the list.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.what_changed import diff
    >>> old = PageVersion("https://city.example/fees", b"<title>Fees</title><p>Fence: $40")
    >>> new = PageVersion("https://city.example/fees", b"<title>Fees</title><p>Fence: $45")
    >>> page = compare_page(old, new, diff(old, new))
    >>> page[page.index("<h1>") : page.index("</p>")]
    '<h1>Fees</h1><p>1 change: 1 edited text'
    """
    if len(script) > MAX_STEPS:
        raise LimitError(
            f"the pages differ in more than {MAX_STEPS:,} places, too many to show; compare closer versions, or"
            " read the script with --json"
        )
    prefix = f"pd{secrets.token_hex(8)}"
    shown = highlight(old, new, script, resources=resources, prefix=prefix)
    before = highlight(old, new, script, side="old", resources=resources, prefix=prefix)
    after = without_legend(shown, prefix)
    found = [(action, action.described(old.tree)) for action in script]
    body = (
        f"{_header(old, new, [description.mark for _, description in found])}{_NAVIGATION}<main>"
        f'<section id="changes">{preface}{_filters(found)}{_changes(found, prefix)}</section>'
        f'<section id="page" hidden>{_frame(shown, "The new page with every change marked", "")}</section>'
        f'<section id="sides" hidden>{_side("Before", old, before)}{_side("After", new, after)}</section>'
        f'<section id="source" hidden>{"".join(source_changes(old.source, new.source))}</section></main>'
    )
    styles = ("webpage.css", "evidence.css") if preface else ("webpage.css",)
    return document(escape(f"What changed: {new.title or new.url}"), body, styles=styles, script="webpage.js")


_NAVIGATION: Final = (
    '<nav><button data-view="changes">Changes</button><button data-view="page">Page</button>'
    '<button data-view="sides">Side by side</button><button data-view="source">Source</button>'
    '<span class="spring"></span><button id="previous" title="key p">‹ previous</button>'
    '<output id="where"></output><button id="next" title="key n">next ›</button></nav>'
)


def document(title: str, body: str, *, styles: tuple[str, ...] = ("webpage.css",), script: str = "") -> str:
    """Put the styles and the one script around it, if there is one, and allow that script alone, by its hash."""
    files = package.files("pagedrift.report")
    style = "".join(files.joinpath(name).read_text("utf-8") for name in styles)
    code = files.joinpath(script).read_text("utf-8") if script else ""
    allowed = f"'sha256-{b64encode(sha256(code.encode()).digest()).decode()}'" if code else "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "font-src data:; form-action 'none'; base-uri 'none'"
    )
    metas = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer">'
        '<meta name="viewport" content="width=device-width">'
    )
    end = f"<script>{code}</script>" if code else ""
    return (
        f'<!DOCTYPE html><html lang="en"><head>{metas}<title>{title}</title><style>{style}</style></head>'
        f"<body>{body}{end}</body></html>\n"
    )


def _header(old: PageVersion, new: PageVersion, marks: list[str]) -> str:
    counts = Counter(marks)
    parts = ", ".join(f"{counts[mark]:,} {meaning}" for mark, meaning in MEANINGS.items() if counts[mark])
    summary = counted(len(marks), "change") + (f": {parts}" if parts else "")
    times = f"{moment(old.captured_at)} → {moment(new.captured_at)}" if old.captured_at or new.captured_at else ""
    url = new.url if new.url == old.url else f"{old.url} → {new.url}"
    return (
        f"<header><h1>{escape(new.title or new.url)}</h1><p>{summary}</p>"
        f'<p class="quiet">{escape(url)} {times}</p></header>'
    )


def _filters(found: list[tuple[Action, Description]]) -> str:
    marks = Counter(description.mark for _, description in found)
    kinds = Counter(action.kind for action, _ in found)
    boxes = [(f"mark {mark}", f"{SIGNS[mark]} {mark} {marks[mark]:,}") for mark in SIGNS if marks[mark]]
    boxes += [(f"kind {kind}", f"{kind} {count:,}") for kind, count in kinds.most_common()]
    inside = "".join(
        f'<label><input type="checkbox" checked value="{value}"> {escape(name)}</label>' for value, name in boxes
    )
    return f'<fieldset aria-label="Show">{inside}</fieldset>'


def _changes(found: list[tuple[Action, Description]], prefix: str) -> str:
    if not found:
        return '<p class="empty">The two versions are the same.</p>'
    rows = (_change(action, description, f"{prefix}-{at}") for at, (action, description) in enumerate(found, 1))
    return f"<ol>{''.join(rows)}</ol>"


def _change(action: Action, description: Description, name: str) -> str:
    path = action.new or action.old
    place = escape(path.readable if path else "")
    if description.mark == "moved" and action.old and action.new:
        place = f"{escape(action.old.readable)} → {escape(action.new.readable)}"
    return (
        f'<li data-change="{name}" data-kind="{action.kind}" data-mark="{description.mark}" id="{action.id}">'
        f'<span class="mark">{SIGNS[description.mark]} {description.mark}</span> '
        f'<span class="kind">{action.kind}</span> '
        f'{escape(description.what)} <span class="path">{place}</span>{_values(description)}</li>'
    )


def _values(description: Description) -> str:
    """Write how it read before and after; what differs inside is marked."""
    before, after = map(_cut, around_difference(description.before, description.after, MAX_TEXT_CHARS))
    if description.mark == "moved":
        return f"<div>{escape(before)}</div>"
    if description.what == "text" and not before.strip() and not after.strip():
        return ' <span class="quiet">white space</span>'
    if not before.strip() or not after.strip():
        gone = f'<span class="before">{escape(before)}</span>' if before.strip() else ""
        return gone + (f'<span class="after">{escape(after)}</span>' if after.strip() else "")
    pieces = word_changes(before, after)
    old = "".join(_piece(piece.kind, piece.text) for piece in pieces if piece.kind != "added")
    new = "".join(_piece(piece.kind, piece.text) for piece in pieces if piece.kind != "removed")
    return f'<span class="before">{old}</span><span class="after">{new}</span>'


def _piece(kind: str, text: str) -> str:
    tag = {"removed": "del", "added": "ins"}.get(kind)
    return f"<{tag}>{escape(text)}</{tag}>" if tag else escape(text)


def _cut(text: str, longest: int = MAX_TEXT_CHARS) -> str:
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text) - longest:,} more)"


def _frame(html: str, title: str, sandbox: str) -> str:
    attributes = f'sandbox="{sandbox}" referrerpolicy="no-referrer" title="{title}"'
    return f'<iframe {attributes} srcdoc="{escape(html)}"></iframe>'


def _side(name: str, page: PageVersion, html: str) -> str:
    """Frame one side. Of the same origin, so that our script can scroll both; scripts in it stay forbidden."""
    when = f" · {moment(page.captured_at)}" if page.captured_at else ""
    return f"<figure><figcaption>{name}{when}</figcaption>{_frame(html, name, 'allow-same-origin')}</figure>"


def without_legend(html: str, prefix: str) -> str:
    """Cut off what is below the page, so that both sides end alike."""
    return html[: html.rindex(f"<{prefix}-space>")] + "</body></html>"


def source_changes(old: str, new: str) -> Iterator[str]:
    """Compare the sources line by line, with some lines around each change."""
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > LINES:
        yield f'<p class="empty">More than {LINES:,} lines of source: compare the files with a tool for that.</p>'
        return
    rows = list(_rows(before, after))
    yield f"<table>{''.join(rows[:MAX_SOURCE_LINES])}</table>"
    if len(rows) > MAX_SOURCE_LINES:
        yield f'<p class="empty">{len(rows) - MAX_SOURCE_LINES:,} more lines</p>'


def _rows(before: list[str], after: list[str]) -> Iterator[str]:
    from rapidfuzz.distance import Indel

    for step in Indel.opcodes(before, after):
        lines = range(step.src_start, step.src_end)
        if step.tag == "equal":
            yield from _equal(before, lines, step.dest_start - step.src_start)
        else:
            yield from (_line("gone", line, None, before[line]) for line in lines)
            yield from (_line("come", None, line, after[line]) for line in range(step.dest_start, step.dest_end))


def _equal(before: list[str], lines: range, shift: int) -> Iterator[str]:
    """Write the lines at both ends of an equal part, and how many lie between."""
    few = len(lines) <= 2 * CONTEXT_LINES + 1
    yield from (
        _line("same", line, line + shift, before[line]) for line in (lines if few else lines[:CONTEXT_LINES])
    )
    if not few:
        yield f'<tr class="skip"><td colspan="3">{len(lines) - 2 * CONTEXT_LINES:,} equal lines</td></tr>'
        yield from (_line("same", line, line + shift, before[line]) for line in lines[-CONTEXT_LINES:])


def _line(kind: str, old: int | None, new: int | None, text: str) -> str:
    character = {"gone": "−", "come": "+"}.get(kind, " ")
    numbers = "".join(f'<td class="number">{"" if at is None else at + 1}</td>' for at in (old, new))
    return f'<tr class="{kind}">{numbers}<td>{character} {escape(_cut(text, LINE))}</td></tr>'
