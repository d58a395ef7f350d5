"""Sites: which pages belong together, by registered domain or by host."""

from __future__ import annotations

from functools import cache, lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, Literal, get_args
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

By = Literal["site", "host", "none"]
WAYS: Final[tuple[By, ...]] = get_args(By)
MAX_HOSTS: Final = 65_536  # whose domain is remembered


def site_of(url: str, *, by: By = "site") -> str:
    """Give the site of an address: its registered domain, its host without www., or "" for all alike.

    >>> site_of("https://www.fees.City.co.uk:8080/2026"), site_of("https://anna.github.io/"), site_of("urn:fees")
    ('city.co.uk', 'anna.github.io', '')
    >>> site_of("https://www.fees.city.co.uk/2026", by="host"), site_of("https://city.co.uk/", by="none")
    ('fees.city.co.uk', '')
    """
    if by == "none":
        return ""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""
    return host.removeprefix("www.") if by == "host" else registered_domain(host)


@lru_cache(MAX_HOSTS)
def registered_domain(host: str) -> str:
    """Give the part of a host that somebody registered, by the public suffix list; an address is one by itself.

    >>> registered_domain("www.city.example"), registered_domain("127.0.0.1"), registered_domain("localhost")
    ('city.example', '127.0.0.1', 'localhost')
    """
    try:
        ip_address(host)
    except ValueError:
        return _suffixes().privatesuffix(host) or host
    return host


@cache
def _suffixes() -> PublicSuffixList:
    """Read the list, which takes a moment, when it is needed."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
