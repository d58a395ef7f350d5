"""Sign-on by a trusted proxy: a header that names who is logged in, believed from listed addresses only."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pagedrift.app.model.actors import APPLICATION, acting_as
from pagedrift.app.model.people import checked_role
from pagedrift.app.store import people
from pagedrift.app.web.error_responses import RefusedError
from pagedrift.app.web.request_context import Caller, header
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.app.web.request_context import Scope

PEER: Final = "pagedrift.peer"  # in a scope: who the connection is from, whatever X-Forwarded-For says
_HEADER: Final = re.compile(r"[a-z0-9-]{1,60}")
_TAKEN: Final = frozenset({"authorization", "cookie", "host", "origin", "accept", "user-agent", "x-forwarded-for"})


def check_settings(settings: Settings) -> None:
    """Say what is wrong with the settings of sign-on, before anything is served."""
    name = settings.sign_on_header.lower()
    if bool(name) != bool(settings.trusted_proxies):
        raise InputError("sign-on needs both the header and the proxy: --sign-on-header and --trusted-proxy")
    if name and (not _HEADER.fullmatch(name) or name in _TAKEN):
        raise InputError(f"{name[:60]!r} cannot name who is logged in; use one such as Remote-User")
    if settings.sign_on_role:
        checked_role(settings.sign_on_role)
    for proxy in settings.trusted_proxies:
        _network(proxy)


def signed_on(settings: Settings, store: Store, scope: Scope) -> Caller | None:
    """Give who the proxy says is asking; None where it says nothing, or is not the proxy.

    Whatever else has the header loses it, so that nothing behind this believes it.
    """
    if not settings.signs_on:
        return None
    name = header(scope, settings.sign_on_header.lower())
    if not _is_trusted(settings, scope):
        key = settings.sign_on_header.lower().encode()
        scope["headers"] = [pair for pair in scope["headers"] if pair[0].lower() != key]
        return None
    return _caller(settings, store, _decoded(name)) if name else None


def _caller(settings: Settings, store: Store, name: str) -> Caller:
    person = people.find(store, name)
    if person is None and settings.sign_on_role:
        try:
            with acting_as(APPLICATION), store.begin() as session:
                person = people.add(session, name, checked_role(settings.sign_on_role))
        except InputError as error:  # not a name, or two requests of somebody new at once
            person = people.find(store, name)
            if person is None:
                raise RefusedError(403, str(error)) from None
    if person is None:
        raise RefusedError(403, f"there is no account called {name[:60]}; ask an owner for one")
    return Caller("proxy", f"proxy:{person.id}", person=person.id, name=person.name, role=person.role)


def _is_trusted(settings: Settings, scope: Scope) -> bool:
    peer = scope.get(PEER) or scope.get("client")
    try:
        address = ipaddress.ip_address(peer[0]) if peer else None
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address is not None and any(address in _network(each) for each in settings.trusted_proxies)


@lru_cache(maxsize=256)
def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    """Read an address or a network.

    >>> _network("10.0.0.0/8"), _network("::1")
    (IPv4Network('10.0.0.0/8'), IPv6Network('::1/128'))
    """
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise InputError(
            f"{text[:60]!r} is not an address of a proxy; write one such as 127.0.0.1 or 10.0.0.0/8"
        ) from None


def _decoded(name: str) -> str:
    """Read a name as proxies send it: UTF-8, which servers hand on as Latin-1."""
    try:
        return name.encode("latin-1").decode("utf-8").strip()
    except ValueError:
        return name.strip()
