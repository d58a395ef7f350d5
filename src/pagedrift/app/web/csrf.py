"""Protection against cross-site requests: host, origin and form-token checks."""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

from pagedrift.app.web.auth import cookie_name, encrypted
from pagedrift.app.web.error_responses import RefusedError
from pagedrift.app.web.request_context import app_origin, cookies, header, host_name, own_names

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.web.request_context import Scope

FIELD: Final = "csrf"
HEADER: Final = "x-csrf-token"
SAFE: Final = frozenset({"GET", "HEAD"})
UNSAFE: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
MAX_FIELD_OFFSET: Final = 4_096  # bytes at the start of an upload among which the field stands
_SEED: Final = re.compile(r"[A-Za-z0-9_-]{32}")
_PART: Final = re.compile(
    rb'--[^\r\n]{1,100}\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n([0-9a-f]{64})\r\n'
)


def check_host(settings: Settings, scope: Scope) -> str:
    """Refuse names that are not ours: a stranger's that leads here would make its pages ours (rebinding)."""
    name = host_name(header(scope, "host"))
    if name in own_names(settings) or (settings.open_to_others and _in_numbers(name)):
        return name
    raise RefusedError(
        421,
        "unknown host name; open the address that pagedrift serve printed, or start it with --public-url",
    )


def check_source(settings: Settings, scope: Scope) -> None:
    """Refuse what pages of others ask for, but for links that a person follows."""
    site, origin = header(scope, "sec-fetch-site"), header(scope, "origin")
    followed = scope["method"] in SAFE and header(scope, "sec-fetch-mode") == "navigate"
    framed = header(scope, "sec-fetch-dest") in ("iframe", "frame", "object", "embed")
    if site not in ("", "none", "same-origin") and not (followed and not framed):
        raise RefusedError(403, "cross-site request blocked; open Pagedrift directly")
    if origin and scope["method"] not in SAFE and not _ours(settings, scope, origin):
        raise RefusedError(403, "this was sent by a page of somebody else; open Pagedrift itself")


def seed_name(settings: Settings) -> str:
    """Name the cookie that ties forms to a browser."""
    return f"{cookie_name(settings)}-forms"


def seed(settings: Settings, scope: Scope) -> tuple[str, bool]:
    """Give what ties forms to this browser, and whether it was made just now."""
    known = cookies(scope).get(seed_name(settings), "")
    return (known, False) if _SEED.fullmatch(known) else (secrets.token_urlsafe(24), True)


def token(settings: Settings, seed: str, session: str) -> str:
    """Make what forms carry: for this browser and this session only."""
    return hmac.new(settings.key, f"csrf:{seed}:{session}".encode(), "sha256").hexdigest()


def set_cookie(settings: Settings, name: str, value: str, *, seconds: int | None = None) -> str:
    """Write a cookie that no script reads and no other site sends."""
    ending = f"; Max-Age={seconds}" if seconds is not None else ""
    secure = "; Secure" if encrypted(settings) else ""
    return f"{name}={value}; Path=/; HttpOnly; SameSite=Strict{secure}{ending}"


def check_token(scope: Scope, body: bytes, wanted: str) -> None:
    """Refuse what changes something unless it carries the token of the page it was sent from."""
    given = header(scope, HEADER) or _from_form(header(scope, "content-type"), body)
    if not hmac.compare_digest(wanted.encode(), given.encode("utf-8", "replace")):
        if scope["path"].startswith("/api/"):
            raise RefusedError(
                401,
                "a token of the API is needed; make one in the settings, and send it as Bearer TOKEN",
                {"WWW-Authenticate": "Bearer"},
            )
        raise RefusedError(
            403, "the form was not sent from a page of this session; reload the page and send it again"
        )


def _from_form(content_type: str, body: bytes) -> str:
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        try:
            return parse_qs(body.decode("utf-8"), max_num_fields=10_000).get(FIELD, [""])[0]
        except ValueError:
            return ""
    if kind == "multipart/form-data":  # the field comes first in our forms with files
        found = _PART.match(body[:MAX_FIELD_OFFSET])
        return found[1].decode() if found else ""
    return ""


def _ours(settings: Settings, scope: Scope, origin: str) -> bool:
    """Return whether an origin is the one that was asked, by the name it was asked by, or the public one."""
    asked = header(scope, "host").lower()
    return origin == app_origin(settings) or (urlsplit(origin).netloc.lower() == asked and not settings.public_url)


def _in_numbers(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
