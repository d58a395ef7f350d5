"""Addresses as archives match them: one key for all spellings, without session ids and tracking parameters."""

from __future__ import annotations

import re
from typing import Final

from pagedrift.archive import surt

_SESSION_PATH: Final = re.compile(r";(?:jsessionid|phpsessid|sid|sessionid)=[^/?#;]*", re.IGNORECASE)
_DROPPED: Final = re.compile(  # whatever their value is
    r"(?:php|asp|j)?sess(?:ion)?_?id\w{0,8}|cfid|cftoken|osid|oscsid|zenid"
    r"|utm_\w+|mtm_\w+|pk_\w+|[fgdy]clid|gclsrc|wbraid|gbraid|msclkid|twclid|igshid|mc_[ce]id|_hs(?:enc|mi)|_ga|_gl|vero_id",
    re.IGNORECASE,
)
_DOUBTFUL: Final = re.compile(r"s|sid|session|sess|token|auth|nonce|ticket", re.IGNORECASE)
_RANDOM: Final = re.compile(r"(?=[^&]*\d)(?=[^&]*[a-z])[\w%.~-]{16,}|[0-9a-f]{16,}|\d{16,}", re.IGNORECASE)


def address_key(url: str) -> str:
    """Reduce an address to the key under which two crawls meet.

    >>> address_key("http://www.city.example/fees/?utm_source=mail&b=2&a=1#top")
    'example,city)/fees?a=1&b=2'
    >>> address_key("https://city.example/a;jsessionid=8F3A?sid=0123456789abcdef0123")
    'example,city)/a'
    """
    if ";" in url:
        url = _SESSION_PATH.sub("", url)
    address, mark, query = url.partition("?")
    if mark:
        query = query.partition("#")[0]
        kept = [pair for pair in query.split("&") if not _is_dropped(pair)]
        url = f"{address}?{'&'.join(kept)}" if kept else address
    return surt.key(url)


def _is_dropped(pair: str) -> bool:
    name, _, value = pair.partition("=")
    if _DROPPED.fullmatch(name):
        return True
    return bool(_DOUBTFUL.fullmatch(name) and _RANDOM.fullmatch(value))
