"""Text of alerts: a title and a body that show at a glance whether to look.

The words are composed once, when an alert is closed, and never change: mail, chat, webhook and feed say the same.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal

from pagedrift.text import around_difference, counted, shorten, shorten_between_words
from pagedrift.what_changed.words import Piece, word_changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from pagedrift.app.model.alert import AlertPage
    from pagedrift.app.model.redesign import RedesignSummary

FORMAT: Final = 1
TITLE: Final = 180  # characters; longer subjects are cut by mail programs
MAX_TEXT_CHARS: Final = 600  # of one text
SHOWN_BLOCKS: Final = 10
SHOWN_PAGES: Final = 20
MAX_PAGES: Final = 1_000  # that are named in what programs read

Level = Literal["info", "success", "warning", "failure"]

# The verdict, the first word of every title, and how urgent it is to programs that show messages.
VERDICTS: Final[dict[str, tuple[str, Level]]] = {
    "matters": ("Important", "warning"),
    "changed": ("Changed", "info"),
    "redesign": ("Redesigned", "warning"),
    "trouble": ("Failing", "failure"),
    "selector": ("Selector stopped matching", "failure"),
    "expiry": ("Expires", "warning"),
    "recovery": ("Working again", "success"),
    "test": ("Test", "info"),
}
_VIEWS: Final = {"trouble": "View the failed check", "expiry": "View the watch"}  # elsewhere, a change
# Mail programs drop <ins>, <del> and <style>; what is left are colours that each element brings along.
_OLD: Final = "background:#ffebe9;color:#82071e;text-decoration:line-through"
_NEW: Final = "background:#dafbe1;color:#0a3d1a;font-weight:bold"
_QUIET: Final = "color:#57606a"
_JOINERS: Final = "\u200c\u200d"  # Persian and emoji are written with them
_NO_TEXT: Final = re.compile("[\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff]")  # nor XML


@dataclass(frozen=True, slots=True)
class AlertBlock:
    """One place that changed, as it was and as it is."""

    old: str
    new: str
    kind: str = ""
    css: str = ""


def compose(
    *,
    uid: str,
    verdict: str,
    headline: str,
    pages: Sequence[AlertPage],
    at: datetime,
    base_url: str,
    blocks: Iterable[AlertBlock] = (),
    reason: str = "",
    redesign: RedesignSummary | None = None,
    address: str = "",
) -> dict[str, Any]:
    """Put a message together: a title that begins with the verdict, the text of a mail, and safe HTML.

    >>> from datetime import UTC, datetime
    >>> from pagedrift.app.model.alert import AlertPage
    >>> page = AlertPage(watch="5a", url="https://city.example/fees", name="Fees", change=7)
    >>> block = AlertBlock("A permit is 24 €", "A permit is 29 €")
    >>> said = {"uid": "u", "headline": "24 € → 29 €", "reason": "important, 93 % sure", "blocks": [block]}
    >>> message = compose(verdict="matters", pages=[page], at=datetime.now(UTC), base_url="http://h/", **said)
    >>> message["title"], message["url"]
    ('Important: 24 € → 29 € · Fees', 'http://h/change/7')
    """
    word, level = VERDICTS.get(verdict) or VERDICTS["changed"]
    found = [AlertBlock(*map(plain, (block.old, block.new, block.kind, block.css))) for block in blocks]
    message: dict[str, Any] = {
        "v": FORMAT,
        "uid": uid,
        "verdict": verdict,
        "level": level,
        "title": _title(word, plain(headline), pages),
        "headline": plain(headline),
        "reason": plain(reason),
        "at": at.isoformat(),
        "url": f"{base_url.rstrip('/')}{address}" if address else link(base_url, pages),
        "pages": [asdict(page) for page in pages[:MAX_PAGES]],
        "more_pages": max(0, len(pages) - MAX_PAGES),
        "blocks": [asdict(_cut(block)) for block in found],
    }
    said = [line for line in _of_redesign(redesign) if line != message["headline"]] if redesign else []
    if redesign:
        message["redesign"] = redesign.to_json()
    message["text"] = "\n".join(_lines(message, pages, found, said))
    message["html"] = _html(message, pages, found, said)
    return message


def link(base_url: str, pages: Sequence[AlertPage]) -> str:
    """Give the address of the page about a change, or about the watch where there is none."""
    base = base_url.rstrip("/")
    if not pages:
        return f"{base}/alerts"
    first = pages[0]
    return f"{base}/watch/{first.watch}" if first.change is None else f"{base}/change/{first.change}"


def plain(text: str) -> str:
    r"""Make one line of text, without invisible characters: they break XML, or reverse the line.

    >>> plain("24\u00a0€\r\nBcc: all\u202e\x00")
    '24 € Bcc: all'
    """
    if not text.isprintable():
        text = "".join(character for character in _NO_TEXT.sub("", text) if _is_seen(character))
    return " ".join(text.split())


def _is_seen(character: str) -> bool:
    return character.isspace() or character in _JOINERS or unicodedata.category(character) not in ("Cc", "Cf", "Cs")


def _title(word: str, headline: str, pages: Sequence[AlertPage]) -> str:
    on = "" if len(pages) <= 1 else f" on {counted(len(pages), 'page')}"
    where = plain(pages[0].title) if pages else ""
    named = f" · {shorten(where, TITLE // 3)}" if where and f" {where} " not in f" {headline} " else ""
    said = f"{word}{on}: {headline}" if headline else word + on
    return shorten_between_words(said, TITLE - len(named)) + named


def _cut(block: AlertBlock) -> AlertBlock:
    old, new = around_difference(block.old, block.new, MAX_TEXT_CHARS)
    return AlertBlock(
        shorten(old, MAX_TEXT_CHARS), shorten(new, MAX_TEXT_CHARS), block.kind, shorten(block.css, MAX_TEXT_CHARS)
    )


def _of_redesign(redesign: RedesignSummary) -> Iterator[str]:
    """Say what of the layout changed, which selectors broke, and where the content stayed, a line each."""
    yield from map(plain, redesign.layout_lines)
    for each in redesign.selectors[:SHOWN_BLOCKS]:
        name = f"{each.name}: " if each.name else ""
        yield plain(shorten(f"Broken selector {name}{each.selector} {each.advice}", MAX_TEXT_CHARS))
    if len(redesign.selectors) > SHOWN_BLOCKS:
        yield f"and {counted(len(redesign.selectors) - SHOWN_BLOCKS, 'more broken selector')}"
    yield from (redesign.content_line,) if redesign.content_line else ()


def _lines(
    message: dict[str, Any], pages: Sequence[AlertPage], blocks: Sequence[AlertBlock], said: Sequence[str]
) -> Iterator[str]:
    yield message["headline"] or message["title"]
    yield from ("", *said) if said else ()
    for block in map(_cut, blocks[:SHOWN_BLOCKS]):
        yield ""
        yield from (f"− {block.old}",) if block.old else ()
        yield from (f"+ {block.new}",) if block.new else ()
    if len(blocks) > SHOWN_BLOCKS:
        yield f"\nand {counted(len(blocks) - SHOWN_BLOCKS, 'more edit')}"
    yield ""
    if len(pages) > 1:
        yield f"On {counted(len(pages), 'page')}:"
    for page in pages[:SHOWN_PAGES]:
        yield f"{shorten(plain(page.name), TITLE)}  {page.url}{_stayed(page)}".strip()
    if len(pages) > SHOWN_PAGES:
        yield f"and {len(pages) - SHOWN_PAGES:,} more"
    yield ""
    yield from (f"Why you got this alert: {message['reason']}",) if message["reason"] else ()
    yield f"{_view(message)}: {message['url']}"


def _view(message: dict[str, Any]) -> str:
    if message["verdict"] in _VIEWS:
        return _VIEWS[message["verdict"]]
    return "View before and after" if "redesign" in message else "View the change"


def _stayed(page: AlertPage) -> str:
    return f" ({page.content} in content)" if page.content else ""


def _html(
    message: dict[str, Any], pages: Sequence[AlertPage], blocks: Sequence[AlertBlock], said: Sequence[str]
) -> str:
    """Write the message for mail programs and feed readers: no styles but inline ones, and all text escaped."""
    parts = [f"<p><b>{escape(message['headline'] or message['title'])}</b></p>"]
    parts += [f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in said)}</ul>"] if said else []
    parts += [_marked(block) for block in map(_cut, blocks[:SHOWN_BLOCKS])]
    if len(blocks) > SHOWN_BLOCKS:
        parts.append(f'<p style="{_QUIET}">and {counted(len(blocks) - SHOWN_BLOCKS, "more edit")}</p>')
    if len(pages) > 1:
        parts.append(f"<p>On {counted(len(pages), 'page')}:</p>")
    listed = (f"<li>{anchor(page.url, page.title)}{_stayed(page)}</li>" for page in pages[:SHOWN_PAGES])
    parts.append(f"<ul>{''.join(listed)}</ul>")
    if len(pages) > SHOWN_PAGES:
        parts.append(f'<p style="{_QUIET}">and {len(pages) - SHOWN_PAGES:,} more</p>')
    if message["reason"]:
        parts.append(f'<p style="{_QUIET}">Why you got this alert: {escape(message["reason"])}</p>')
    parts.append(f"<p>{anchor(message['url'], _view(message))}</p>")
    return "".join(parts)


def _marked(block: AlertBlock) -> str:
    """Mark removed and added words; a space between them for programs that drop the styles."""
    if not block.old or not block.new:
        pieces: Sequence[Piece] = (Piece("removed", block.old), Piece("added", block.new))
    else:
        pieces = word_changes(block.old, block.new)
        pieces = [
            each
            for last, piece in zip((None, *pieces), pieces, strict=False)
            for each in (
                (Piece("same", " "), piece)
                if last and (last.kind, piece.kind) == ("removed", "added")
                else (piece,)
            )
        ]
    styles = {"removed": _OLD, "added": _NEW}
    marked = (
        f'<span style="{styles[piece.kind]}">{escape(piece.text)}</span>'
        if piece.kind in styles
        else escape(piece.text)
        for piece in pieces
        if piece.text
    )
    return f'<p style="border-left:3px solid #d0d7de;padding-left:8px">{"".join(marked)}</p>'


def anchor(url: str, name: str) -> str:
    """Link to an address, where it is one of the web."""
    text = escape(shorten(plain(name), TITLE))
    safe = url.startswith(("http://", "https://"))
    return f'<a href="{escape(url)}">{text}</a>' if safe else text
