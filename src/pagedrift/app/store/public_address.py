"""Address at which people reach this installation: what the links in alerts begin with."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from pagedrift.app.model.watch import checked_url
from pagedrift.app.settings import LOOPBACK

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

NAME: Final = "address of this installation"


def public_address(store: Store, settings: Settings) -> str:
    """Give the address that was set, else that by which the server was started."""
    return str(store.get(NAME) or settings.base_url)


def set_public_address(store: Store, written: str) -> None:
    """Set the address, or forget it where nothing is written."""
    address = checked_url(written).rstrip("/") if written.strip() else ""
    store.set(NAME, address)


def is_of_this_machine(address: str) -> bool:
    """Return whether an address only works on this machine, so that links in a mail to elsewhere lead nowhere.

    >>> is_of_this_machine("http://127.0.0.1:8710"), is_of_this_machine("https://watch.city.example")
    (True, False)
    """
    host = (urlsplit(address).hostname or "").lower()
    try:
        number = ip_address(host)
    except ValueError:
        return host in LOOPBACK or host.endswith(".localhost")
    return number.is_loopback or number.is_unspecified
