"""Address policy: which machines may be contacted."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Final

from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from collections.abc import Iterable

ENVIRONMENT: Final = "PAGEDRIFT_ALLOW_PRIVATE"  # hosts and networks, with commas or spaces between them

Address = IPv4Address | IPv6Address

# Not public, though Python calls some of them global: IANA's special registries, and what clouds use inside.
_CLOSED: Final = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",
        "100.64.0.0/10",  # CGNAT; Alibaba's metadata service is in it
        "168.63.129.16/32",  # Azure's metadata and health service
        "192.0.0.0/24",  # Oracle's metadata service is in it
        "192.88.99.0/24",
        "198.18.0.0/15",
        "240.0.0.0/4",
        "64:ff9b:1::/48",
        "100::/64",
        "3fff::/20",  # documentation: RFC 9637
        "5f00::/16",  # segment routing: RFC 9602
        "fec0::/10",
    )
)
# What translators put in front of an IPv4 address: RFC 6052, section 2.1, and the older RFC 2765, section 2.1.
_TRANSLATED: Final = (ip_network("64:ff9b::/96"), ip_network("::ffff:0:0:0/96"))


class AddressError(PagedriftError):
    """A machine that must not be asked."""


def is_public(address: Address) -> bool:
    """Return whether an address is on the public internet, whatever it is wrapped in.

    >>> [is_public(ip_address(text)) for text in ("93.184.215.14", "127.0.0.1", "::ffff:10.0.0.1")]
    [True, False, False]
    """
    if isinstance(address, IPv6Address):
        wrapped = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if any(address in network for network in _TRANSLATED) or int(address) >> 32 == 0:  # also the old ::a.b.c.d
            wrapped = IPv4Address(int(address) & 0xFFFFFFFF)
        if wrapped is not None:
            return is_public(wrapped)
    closed = any(address.version == network.version and address in network for network in _CLOSED)
    return address.is_global and not address.is_multicast and not closed


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """The machines that may be asked: all public ones, and the hosts and networks that the user allowed.

    A host may be allowed for one port only, as `localhost:8080`.

    >>> AddressPolicy().resolve("localhost", 80)
    Traceback (most recent call last):
    pagedrift.capture.addresses.AddressError: localhost is not on the public internet; if you trust it, set \
PAGEDRIFT_ALLOW_PRIVATE=localhost
    """

    allowed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, allowed: Iterable[str] = ()) -> AddressPolicy:
        """Allow some hosts and networks, and those that the environment names."""
        found = os.environ.get(ENVIRONMENT, "").replace(",", " ").split()
        return cls(frozenset(name.strip().strip("[]").rstrip(".").lower() for name in (*allowed, *found)))

    def resolve(self, host: str, port: int) -> list[str]:
        """Give the addresses of a host that may be connected to: these very ones, no name to be looked up again."""
        addresses = _looked_up(host, port)
        if not addresses:
            raise AddressError(f"{host} could not be found; check the spelling and the connection")
        allowed = self._allowed(host, port, addresses)
        if not allowed:
            raise _refused(host)
        return allowed

    def check(self, host: str, port: int) -> None:
        """Refuse a host with any closed address: whoever connects may take that one; one without any passes."""
        addresses = _looked_up(host, port)
        if len(self._allowed(host, port, addresses)) < len(addresses):
            raise _refused(host)

    def _allowed(self, host: str, port: int, addresses: Iterable[str]) -> list[str]:
        named = not self.allowed.isdisjoint((_name(host), f"{_name(host)}:{port}"))
        return [text for text in addresses if named or self._allows(_plain(text))]

    def _allows(self, address: Address) -> bool:
        return is_public(address) or any(_holds(text, address) for text in self.allowed)


def _name(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()


def _looked_up(host: str, port: int) -> list[str]:
    """Give all addresses of a host; none where nobody knows it."""
    try:
        found = socket.getaddrinfo(_name(host), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _refused(host: str) -> AddressError:
    return AddressError(f"{host} is not on the public internet; if you trust it, set {ENVIRONMENT}={host}")


def _plain(text: str) -> Address:
    """Read an address, without the name of a network card behind it."""
    return ip_address(text.partition("%")[0])


def _holds(network: str, address: Address) -> bool:
    """Return whether an address lies in a network, if that is one."""
    try:
        return "/" in network and address in ip_network(network, strict=False)
    except ValueError:
        return False
