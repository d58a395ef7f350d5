"""How long do twenty broken selectors on a page of two thousand elements take?"""

from __future__ import annotations

import time

from benchmarks.measure import Table, seconds
from pagedrift import PageVersion
from pagedrift.selectors import Relocator

ROWS = 110
MOST_MS = 20  # processor time
PARTS = ("name", "foot", "item", "card", "title", "title a::text", "price", "date", "author", "author a", "text")
MORE = ("tags", "tags a", "meta", "list", "nav a")
ONE = ("price", "title", "author", "date")


def design(name: str) -> PageVersion:
    """Make a page of about two thousand elements; designs differ in all their names."""
    rows = "".join(
        f"<li class={name}-item><article class={name}-card><h2 class={name}-title><a href=/p/{number}>Product "
        f"number {number} of the shop</a></h2><div class={name}-meta><span class={name}-price>${number}.99</span> "
        f"<time class={name}-date>2024-05-{number % 28 + 1:02}</time> <span class={name}-author>by "
        f"<a rel=author href=/u/{number % 7}>Author {number % 7}</a></span></div><p class={name}-text>Some words "
        f"about the product, {number} of them, <b>useful</b> to <i>people</i> and <em>others</em>.</p>"
        f"<ul class={name}-tags><li><a href=/t/a>tag{number % 5}</a></li><li><a href=/t/b>tag{number % 3}</a></li>"
        f"</ul></article></li>"
        for number in range(ROWS)
    )
    return PageVersion(
        "https://shop.example/",
        f"<title>Shop</title><header><h1 class={name}-name>Shop</h1><nav class={name}-nav><a href=/>Home</a>"
        f"<a href=/about>About</a></nav></header><main><ul class={name}-list>{rows}</ul></main>"
        f"<footer class={name}-foot>© 2024 Shop</footer>".encode(),
    )


def relocated() -> list[str]:
    """Measure from parsed pages to proposals, by processor time."""
    old, new = design("old"), design("fresh")
    elements = sum(1 for _ in new.tree.elements())
    selectors = [f".old-{part}" for part in PARTS + MORE]
    selectors += [f".old-item:nth-child(3) .old-{part}" for part in ONE]

    def relocate(_: None) -> None:
        relocator = Relocator([old], new)
        for selector in selectors:
            relocator.relocate(selector)

    table = Table(f"Selectors, {len(selectors)} broken ones on a page of {elements:,} elements")
    taken = seconds(relocate, [None], rounds=5, clock=time.process_time)
    table.promise("milliseconds for all of them", 1000 * taken, most=MOST_MS)
    return table.broken


if __name__ == "__main__":
    relocated()
