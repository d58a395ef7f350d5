"""Channels: addresses that alerts are sent to, checked as they are written."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from pagedrift.errors import InputError

MAX_CHANNEL_CHARS: Final = 2_000
WEBHOOKS: Final = frozenset({"http", "https"})
NO_ALERTS: Final = "none"  # in place of channels: no alerts, whatever the group, the tags and the settings say

# What apprise would do on this machine instead of telling somebody, and what speaks past the policy on addresses.
LOCAL: Final = frozenset("blink1 dbus file glib gnome kde macosx qt rsyslog syslog windows".split())
# Arguments of apprise that name a file of this machine, whose content would be sent.
FILES: Final = frozenset("attach config keyfile pgpkey pgppub pgpprv subfile template".split())

_SCHEME: Final = re.compile(r"([a-z0-9]{1,40})://\S", re.ASCII | re.IGNORECASE)


def checked_channel(text: str) -> str:
    """Check a channel as it is written; where it leads is checked when something is sent.

    >>> checked_channel("mailto://anna:secret@city.example")
    'mailto://anna:secret@city.example'
    >>> checked_channel("syslog://")
    Traceback (most recent call last):
    pagedrift.errors.InputError: syslog:// only reaches this computer; choose email, chat or a webhook
    """
    channel = text.strip()
    if channel.lower() == NO_ALERTS:
        return NO_ALERTS
    scheme = scheme_of(channel)
    if len(channel) > MAX_CHANNEL_CHARS or any(character < " " or character == "\x7f" for character in channel):
        raise InputError(f"a channel has at most {MAX_CHANNEL_CHARS:,} characters and no line breaks; shorten it")
    if scheme in LOCAL:
        raise InputError(f"{scheme}:// only reaches this computer; choose email, chat or a webhook")
    if not scheme or not _SCHEME.match(channel):
        raise InputError(
            "this is not a valid channel; use the https:// address of a webhook, or an Apprise address such as mailto://…"
        )
    try:
        parts = urlsplit(channel)
        named = {name.strip(" +-:").lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
        fits = scheme not in WEBHOOKS or bool(parts.hostname and (parts.port is None or parts.port > 0))
    except ValueError:
        fits, named = False, set()
    if not fits or "\\" in channel.partition("?")[0]:
        raise InputError(f"this {scheme}:// channel has no host, or a wrong one; check how it is written")
    if forbidden := sorted(named & FILES):
        raise InputError(f"{forbidden[0]}= would send a file of this machine; leave it out of the channel")
    return channel


def scheme_of(channel: str) -> str:
    """Give what a channel begins with."""
    return channel.partition("://")[0].strip().lower() if "://" in channel else ""
