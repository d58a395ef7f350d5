"""How are captured pages shown? From an origin of their own, by addresses that nobody guesses and that expire."""

from __future__ import annotations

import hmac
import time
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING, Final

from pagedrift.app.web.asking import content_origin

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings

# What can be shown, and of what: a change or a version, by its number.
KINDS: Final = {
    "highlighted": "change",  # the new page, with every change marked
    "old": "change",  # both pages beside each other, with their changes marked
    "new": "change",
    "source": "change",  # both sources, line by line
    "aligned": "change",  # the old picture, in the places of the new one
    "overlay": "change",  # the new picture, with what looks different
    "version": "version",  # a page as it was, made safe
    "picture": "version",  # as a browser showed it
    "raw": "version",  # the bytes as they came
}
STEP: Final = 3_600  # seconds; addresses made within them are the same, so that browsers need not load twice
VALID: Final = 2 * STEP


def url(settings: Settings, kind: str, *ids: int) -> str:
    """Give the address of a captured page: valid for an hour at least, and for nothing else."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} cannot be shown; choose one of: {', '.join(KINDS)}")
    numbers = "-".join(str(int(each)) for each in ids)
    expires = int(time.time()) // STEP * STEP + VALID
    return f"{content_origin(settings)}/{kind}/{numbers}/{expires}/{signature(settings, kind, numbers, expires)}"


def signature(settings: Settings, kind: str, numbers: str, expires: int) -> str:
    """Sign what may be seen and until when."""
    made = hmac.new(settings.key, f"content:{kind}:{numbers}:{expires}".encode(), "sha256").digest()
    return urlsafe_b64encode(made).decode().rstrip("=")
