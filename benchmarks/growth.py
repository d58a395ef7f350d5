"""Does the time grow with the size of the page, and no faster?"""

from __future__ import annotations

from benchmarks.measure import Table, seconds
from benchmarks.pages import made
from pagedrift import PageVersion

MEGABYTE = 1_000_000


def real() -> list[str]:
    """Scan one page again and again repeated, from a kilobyte to 100 megabytes."""
    table = Table("Tags of pages of growing size, nanoseconds a byte")
    page = made(1)
    costs = []
    for size in (1_000, 10_000, 100_000, MEGABYTE, 10 * MEGABYTE, 100 * MEGABYTE):
        body = (page * (size // len(page) + 1))[:size]
        times = max(1, MEGABYTE // size)
        spent = seconds(lambda body: PageVersion("", body).tags, [body] * times, rounds=3) / times
        costs.append(spent / size * 1e9)
        table.row(f"{size:>11,} bytes", f"{costs[-1]:.2f}")
    table.promise("largest over one megabyte", costs[-1] / costs[3], most=3)
    return table.broken


def hostile() -> list[str]:
    """Scan and parse attacks of two sizes; the larger has ten times the bytes."""
    table = Table("Hostile pages: time for ten times the bytes")
    for name, body in {
        "brackets": b"<",
        "nested elements": b"<div>",
        "attributes": b"<a b=c ",
        "comments": b"<!--",
        "scripts": b"<script><!--<script>",
        "references": b"&amp",
        "tables": b"<table><tr><td>",
        "formatting": b"<b><p>",
    }.items():
        small, large = body * (MEGABYTE // len(body)), body * (10 * MEGABYTE // len(body))
        for facet in ("words", "tree"):
            before = seconds(lambda page, facet=facet: getattr(PageVersion("", page), facet), [small], rounds=2)
            after = seconds(lambda page, facet=facet: getattr(PageVersion("", page), facet), [large], rounds=2)
            table.promise(f"{name}, {facet}", after / before, most=25)
    return table.broken
