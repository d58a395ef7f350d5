"""Digests: several alerts as one message, the most important first."""

from __future__ import annotations

import uuid
from html import escape
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.notify.message import FORMAT, TITLE, anchor
from pagedrift.text import counted, shorten_between_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

WHOLE_ALERTS: Final = 25  # that are given in full; of those that follow, the titles
MAX_TITLES: Final = 100
_DIGESTS: Final = uuid.UUID("8f0c2a0e-2a53-4a52-9f43-0c3f5f6a7f11")
_LEVELS: Final = ("warning", "failure", "success", "info")  # the most important first


def compose_digest(messages: Sequence[dict[str, Any]], *, at: datetime, base_url: str) -> dict[str, Any]:
    """Put alerts together as one message, which has the same name at every attempt.

    >>> from datetime import UTC, datetime
    >>> told = {"uid": "u", "level": "info", "title": "Changed: a · Fees", "text": "a", "html": "<p>a</p>"}
    >>> found = compose_digest([told, told | {"level": "warning"}], at=datetime.now(UTC), base_url="http://h")
    >>> found["title"], found["level"], len(found["alerts"])
    ('2 alerts: Changed: a · Fees', 'warning', 2)
    """
    ordered = sorted(messages, key=lambda message: _LEVELS.index(message.get("level", "info")))
    whole, titles = ordered[:WHOLE_ALERTS], ordered[WHOLE_ALERTS:]
    message: dict[str, Any] = {
        "v": FORMAT,
        "uid": str(uuid.uuid5(_DIGESTS, "\n".join(sorted(str(each.get("uid", "")) for each in messages)))),
        "verdict": "digest",
        "level": ordered[0].get("level", "info"),
        "title": shorten_between_words(f"{counted(len(messages), 'alert')}: {ordered[0]['title']}", TITLE),
        "headline": counted(len(messages), "alert"),
        "at": at.isoformat(),
        "url": f"{base_url.rstrip('/')}/alerts",
        "alerts": list(ordered),
    }
    message["text"] = _text(message, whole, titles)
    message["html"] = _html(message, whole, titles)
    return message


def _text(message: dict[str, Any], whole: Sequence[dict[str, Any]], titles: Sequence[dict[str, Any]]) -> str:
    parts = [f"{number}. {each['title']}\n\n{each['text']}" for number, each in enumerate(whole, 1)]
    if titles:
        named = [f"{number}. {each['title']}" for number, each in enumerate(titles[:MAX_TITLES], len(whole) + 1)]
        parts.append("\n".join(named + _more(titles)))
    return "\n\n———\n\n".join([*parts, f"All alerts: {message['url']}"])


def _html(message: dict[str, Any], whole: Sequence[dict[str, Any]], titles: Sequence[dict[str, Any]]) -> str:
    parts = [
        f"<p><b>{number}. {escape(each['title'])}</b></p>{each['html']}" for number, each in enumerate(whole, 1)
    ]
    if titles:
        listed = [f"<li>{anchor(str(each.get('url', '')), each['title'])}</li>" for each in titles[:MAX_TITLES]]
        more = "".join(f"<li>{line}</li>" for line in _more(titles))
        parts.append(f"<ul>{''.join(listed)}{more}</ul>")
    return "<hr>".join([*parts, f"<p>{anchor(message['url'], 'All alerts')}</p>"])


def _more(titles: Sequence[dict[str, Any]]) -> list[str]:
    left = len(titles) - MAX_TITLES
    return [f"and {left:,} more"] if left > 0 else []
