"""Page versions, edit scripts, verdicts and redesigns as notebooks show them: small tables, all text escaped."""

from __future__ import annotations

from functools import singledispatch
from html import escape
from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import moment
from pagedrift.page import PageVersion
from pagedrift.redesigned.events import Redesign
from pagedrift.report import card
from pagedrift.text import counted, fold
from pagedrift.verdict import Verdict
from pagedrift.what_changed.actions import EditScript

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_ROWS: Final = 50
MAX_TEXT_CHARS: Final = 200


@singledispatch
def html_of(value: Any) -> str:
    """Draw a value.

    >>> html_of(PageVersion("https://city.example/", b"<title>Fees</title><p>$40"))[:39]
    '<table><tr><th>url</th><td>https://city'
    """
    return f"<pre>{escape(repr(value))}</pre>"


@html_of.register
def _page(page: PageVersion) -> str:
    rows = {
        "url": page.url,
        "captured": moment(page.captured_at),
        "title": page.title,
        "size": f"{counted(len(page.body), 'byte')}, {counted(len(page.words), 'word')}",
    }
    return _table(rows.items())


@html_of.register
def _script(script: EditScript) -> str:
    rows = [(f"{action.mark} {action.kind}", _place(action), _text(action)) for action in script.actions[:MAX_ROWS]]
    more = f"<p>{len(script) - MAX_ROWS:,} more</p>" if len(script) > MAX_ROWS else ""
    return f"<p>{counted(len(script), 'edit')}</p>{_table(rows)}{more}"


@html_of.register
def _verdict(verdict: Verdict) -> str:
    return f"<pre>{escape(chr(10).join(card.lines(verdict)))}</pre>"


@html_of.register
def _redesign(event: Redesign) -> str:
    rows = {
        "redesigned": moment(event.published_at),
        "first document": f"{event.document:,}",
        "certainty": "–" if event.certainty is None else f"{event.certainty:.0%}",
        "reported after": counted(event.needed, "document"),
        "detector": event.detector,
    }
    return _table(rows.items())


def _place(action: Any) -> str:
    path = action.new or action.old
    return path.readable if path else ""


def _text(action: Any) -> str:
    before, after = getattr(action, "before", None), getattr(action, "after", None)
    return " → ".join(str(each) for each in (before, after) if each)


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    return f"<table>{''.join(_row(first, rest) for first, *rest in rows)}</table>"


def _row(first: str, rest: Iterable[str]) -> str:
    cells = "".join(f"<td>{escape(fold(cell, MAX_TEXT_CHARS))}</td>" for cell in rest)
    return f"<tr><th>{escape(first)}</th>{cells}</tr>"
