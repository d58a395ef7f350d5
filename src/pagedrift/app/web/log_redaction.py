"""Log filter that redacts secrets."""

from __future__ import annotations

import logging
import re
from typing import Final

from pagedrift.app.model.options import HIDDEN

_SECRETS: Final = (
    re.compile(r"(pd_(?:api|feed)_)[\w-]+"),  # tokens
    re.compile(r"(/(?:feed|join)/)[^/\s]+"),
    re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/@\s]+(?=@)", re.IGNORECASE),  # names and passwords in addresses
    re.compile(
        r"((?:authorization|cookie|set-cookie|x-csrf-token|x-api-key)['\"]?\s*[:=,]\s*)[^\r\n]+", re.IGNORECASE
    ),
    re.compile(
        r"(\b(?:password|passwd|secret|token|api[_-]?key|csrf)['\"]?\s*[=:]\s*['\"]?)[^\s&'\",;]+", re.IGNORECASE
    ),
    re.compile(r"(/(?:highlighted|old|new|source|aligned|overlay|version|picture|raw)/[\d-]+/\d+/)[\w-]{20,}"),
)


def masked(text: str) -> str:
    """Take out of a text what would let others in.

    >>> masked("GET /feed/pd_feed_abc/all.atom by http://anna:pw@city.example with Authorization: Bearer xyz")
    'GET /feed/(hidden)/all.atom by http://(hidden)@city.example with Authorization: (hidden)'
    """
    for pattern in _SECRETS:
        text = pattern.sub(rf"\g<1>{HIDDEN}", text)
    return text


class Hide(logging.Filter):
    """Takes secrets out of every line of a log, the traces of errors included."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line pass, without its secrets."""
        record.msg, record.args = masked(record.getMessage()), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = masked(record.exc_text)
        return True


def hide_secrets() -> None:
    """Put the filter before everything that writes the log."""
    for handler in (*logging.getLogger().handlers, logging.lastResort):
        if handler is not None and not any(isinstance(each, Hide) for each in handler.filters):
            handler.addFilter(Hide())
