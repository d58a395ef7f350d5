"""Limits on the size of inputs; whatever exceeds them is refused."""

from dataclasses import dataclass

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one page version; raise them for collections you trust.

    >>> Limits(body=10 * MEGABYTE).body
    10000000
    """

    body: int = 256 * MEGABYTE  # bytes of one page, after every decompression
    ratio: int = 200  # unpacked over packed size, looked at above `ratio_from` bytes only:
    ratio_from: int = 16 * MEGABYTE  # small repetitive pages do compress a thousandfold


DEFAULT_LIMITS = Limits()


def allow(limit: str) -> str:
    """Say how a limit is raised.

    >>> allow("body")
    'if you trust it, allow more in Python: read(…, limits=Limits(body=…))'
    """
    return f"if you trust it, allow more in Python: read(…, limits=Limits({limit}=…))"
