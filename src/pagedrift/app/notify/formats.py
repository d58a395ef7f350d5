"""Formats of messages: HTML for mail, a short text or Markdown for chats, plain text, and JSON for webhooks.

What arrives at a channel is worked out here and nowhere else, so that a preview shows just that.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from pagedrift.app.model.channels import WEBHOOKS, scheme_of
from pagedrift.text import counted, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MessageFormat = Literal["mail", "markdown", "short", "text", "webhook"]

# Services of mail, that show HTML as we write it; chats have their own ideas of it.
MAIL: Final = frozenset(
    "mailto mailtos mailgun sendgrid ses o365 azure postmark smtp2go sparkpost resend brevo mailersend".split()
)
# Chats that show Markdown. Telegram is not among them: it refuses a message whose Markdown it does not understand.
MARKDOWN: Final = frozenset(
    "slack discord ntfy ntfys gotify gotifys mmost mmosts rocket rockets gchat workflow workflows msteams webex "
    "wxteams matrix matrixs zulip revolt twist guilded".split()
)
# Chats and telephones that show text.
SHORT: Final = frozenset(
    "tgram pover signal signals whatsapp twilio sns prowl pbul join threema vonage clicksend bulksms line viber "
    "voipms plivo messagebird burstsms seven xmpp irc ircs nctalk nctalks".split()
)
SHORT_EDITS: Final = 3  # that a chat shows
MAX_SHORT_CHARS: Final = 200  # of one text in a chat
SHORT_ALERTS: Final = 10  # of a digest
# What a page says must not become a link, a mention or code. Backslashes would not do: some chats show them.
_DISARMED: Final = (("](", "] ("), ("<", "‹"), (">", "›"), ("`", "'"), ("@", "@\u200b"), ("://", ":\u200b//"))


@dataclass(frozen=True, slots=True)
class PreparedMessage:
    """What arrives at a channel."""

    format: MessageFormat
    title: str
    body: str
    level: str


def format_of(channel: str) -> MessageFormat:
    """Say in which format a channel gets its messages.

    >>> format_of("mailto://a:b@city.example"), format_of("slack://a/b/c"), format_of("https://hooks.example/")
    ('mail', 'markdown', 'webhook')
    """
    scheme = scheme_of(channel)
    if scheme in WEBHOOKS:
        return "webhook"
    return (
        "mail" if scheme in MAIL else "markdown" if scheme in MARKDOWN else "short" if scheme in SHORT else "text"
    )


def prepare(message: Mapping[str, Any], wanted: MessageFormat) -> PreparedMessage:
    """Give a message in the format that a channel wants."""
    title, level = str(message.get("title", "")), str(message.get("level") or "info")
    if wanted == "webhook":
        return PreparedMessage(wanted, title, json.dumps(message, ensure_ascii=False, indent=1), level)
    if wanted == "mail":
        return PreparedMessage(wanted, title, str(message.get("html", "")), level)
    if wanted == "text":
        return PreparedMessage(wanted, title, str(message.get("text", "")), level)
    markdown = wanted == "markdown"
    body = "\n".join(_short(message, markdown=markdown)) or str(
        message.get("text", "")
    )  # services refuse empty ones
    return PreparedMessage(wanted, _disarmed(title) if markdown else title, body, level)


def _short(message: Mapping[str, Any], *, markdown: bool) -> Iterator[str]:
    """Say what changed in a few lines, and where to look."""
    if "alerts" in message:
        yield from _short_digest(message["alerts"], markdown=markdown)
    blocks = message.get("blocks") or ()
    for block in blocks[:SHORT_EDITS]:
        yield from _sides(str(block.get("old", "")), str(block.get("new", "")), markdown=markdown)
    if len(blocks) > SHORT_EDITS:
        yield f"and {counted(len(blocks) - SHORT_EDITS, 'more edit')}"
    pages = len(message.get("pages") or ()) + int(message.get("more_pages") or 0)
    if pages > 1:
        yield f"On {counted(pages, 'page')}"
    if url := str(message.get("url", "")):
        yield _link("All alerts" if "alerts" in message else "View the change", url, markdown=markdown)


def _short_digest(alerts: Any, *, markdown: bool) -> Iterator[str]:
    for number, alert in enumerate(alerts[:SHORT_ALERTS], 1):
        title, url = shorten(str(alert.get("title", "")), MAX_SHORT_CHARS), str(alert.get("url", ""))
        yield f"{number}. {_link(title, url, markdown=markdown) if markdown else title}"
    if len(alerts) > SHORT_ALERTS:
        yield f"and {counted(len(alerts) - SHORT_ALERTS, 'more alert')}"


def _sides(old: str, new: str, *, markdown: bool) -> Iterator[str]:
    names = ("Before", "Now") if old and new else ("Removed", "New")
    for name, text in zip(names, (old, new), strict=True):
        if text:
            said = shorten(text, MAX_SHORT_CHARS)
            yield f"**{name}:** {_disarmed(said)}" if markdown else f"{name}: {said}"


def _link(name: str, url: str, *, markdown: bool) -> str:
    if not url.startswith(("http://", "https://")):
        return _disarmed(name) if markdown else name
    address = url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
    return f"[{_disarmed(name).replace('[', '(').replace(']', ')')}]({address})" if markdown else f"{name}: {url}"


def _disarmed(text: str) -> str:
    """Let what a page says be nothing but text in a chat.

    >>> _disarmed("[win](http://evil.example)") == "[win] (http:\u200b//evil.example)"
    True
    """
    for written, instead in _DISARMED:
        text = text.replace(written, instead)
    return text
