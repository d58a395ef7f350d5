"""SURT keys: the form in which an index lists addresses, the same for all spellings of one address.

These are the sort-friendly keys (SURT) that pywb looks addresses up by. Its own library for them is under a licence
that ours cannot depend on, so the tests compare the two.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote_to_bytes

_WEB: Final = re.compile(r"(https?)://+([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE | re.DOTALL)
_SIMPLE: Final = re.compile(r"https?://([a-z\d-]+(?:\.[a-z\d-]+)+)((?:/[\w-][\w.-]*)*/?)", re.ASCII)
MAX_HOSTS: Final = 10_000  # that are remembered
_PORTS: Final = {"http": "80", "https": "443"}
_WWW: Final = re.compile(r"www\d*\.")
_ESCAPED: Final = re.compile(rb"[\x00-\x20\x7f-\xff#%]")
_ENCODED: Final = re.compile(rb"%[0-9A-Fa-f]{2}")
_SESSION_PATH: Final = re.compile(r"(?i)^(.*/)(\((?:[a-z]\([0-9a-z]{24}\))+\)/|\([0-9a-z]{24}\)/)(?=[^?]+\.aspx)")
_SESSION_QUERY: Final = re.compile(
    r"(?i)(?:^|(?<=&))(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}"
    r"|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)


def key(url: str) -> str:
    """Reduce an address to its key.

    >>> key("https://www.City.example:443/Fees/?b=2&a=1#top")
    'example,city)/fees?a=1&b=2'
    """
    if simple := _SIMPLE.fullmatch(url):  # most are
        return f"{_host(simple[1])[0]}){(simple[2] or '').lower().rstrip('/') or '/'}"
    found = _WEB.match(url.strip())
    if found is None:
        return re.sub(r"\s", "%20", url.strip()).lower() or "-"
    scheme, place, path, query = found.groups()
    host, port = _host(place.rpartition("@")[2])
    shown = f":{port}" if port and port != _PORTS[scheme.lower()] else ""
    ending = _query(query) if query else ""
    return f"{host}{shown}){_path(path)}{ending}"


@lru_cache(MAX_HOSTS)
def _host(place: str) -> tuple[str, str]:
    """Turn a host around: the parts of its name from the most general on."""
    name, _, port = place.partition(":") if not place.startswith("[") else place[1:].partition("]")
    port = port.removeprefix(":")
    if place.startswith("["):
        return name.lower(), port
    name = re.sub(r"\.+", ".", unquote_to_bytes(name).decode("utf-8", "replace").lower()).strip(".")
    try:
        name = name.encode("idna").decode() if not name.isascii() else name
    except UnicodeError:
        name = _escape(name.encode("utf-8", "replace"))
    return ",".join(reversed(_WWW.sub("", name, count=1).split("."))), port


def _path(path: str) -> str:
    """Resolve dots, join slashes, and write everything in small letters; no slash at the end but the first."""
    parts: list[str] = []
    for part in _plain(path).removeprefix("/").split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    joined = re.sub("//+", "/", "/" + "/".join(parts))
    return _SESSION_PATH.sub(lambda found: found[1], joined).lower().rstrip("/") or "/"


def _query(query: str) -> str:
    """Sort the parameters; those that name a session are left out."""
    rest = _SESSION_QUERY.sub("", _plain(query))
    return "?" + "&".join(sorted(rest.lower().split("&"), key=lambda pair: pair.split("=", 1))) if rest else ""


def _plain(text: str) -> str:
    """Undo escapes as long as there are any, then escape only what must be."""
    data = text.encode("utf-8", "surrogatepass")
    for _ in range(len(data)):
        if not _ENCODED.search(data):
            break
        data = unquote_to_bytes(data)
    return _escape(data)


def _escape(data: bytes) -> str:
    return _ESCAPED.sub(lambda found: b"%%%02X" % found[0][0], data).decode("ascii")
