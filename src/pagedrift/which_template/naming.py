"""What would a person call a template, by the addresses of its pages?"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from pagedrift.sites import site_of

if TYPE_CHECKING:
    from collections.abc import Iterable

ANY: Final = "*"
_NUMBER: Final = re.compile(r"[0-9]+")


def name_of(addresses: Iterable[str]) -> str:
    """Name the site, and what the paths of all addresses have in common; a * stands for what differs.

    >>> name_of(["https://www.city.example/news/2024/fees", "https://city.example/news/2025/bins?page=2"])
    'city.example/news/*/*'
    >>> name_of(["https://a.example/fees", "https://b.example/fees"])
    '2 sites: /fees'
    """
    known = [address for address in addresses if address]
    sites = dict.fromkeys(site_of(address, by="host") for address in known)
    common: list[str] | None = None
    for address in known:
        parts = _parts(address)
        common = (
            parts
            if common is None
            else [one if one == other else ANY for one, other in zip_longest(common, parts, fillvalue=ANY)]
        )
    path = "/" + "/".join(common or ())
    return f"{next(iter(sites), '')}{path}" if len(sites) <= 1 else f"{len(sites):,} sites: {path}"


def _parts(address: str) -> list[str]:
    path = address.partition("://")[2].partition("?")[0].partition("#")[0].partition("/")[2]
    return [_NUMBER.sub(ANY, part) for part in path.split("/")]
