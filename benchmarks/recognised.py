"""How often is a real page taken for an error, a block, a login or a wall, which would hide its change?"""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.measure import Table
from pagedrift import read
from pagedrift.interstitials import recognise


def real() -> list[str]:
    """Look at the pages of real sites, each after another page of the site and by itself."""
    table = Table("Pages of real sites that are taken for something else")
    folder = os.environ.get("PAGEDRIFT_DATA")
    if not folder:
        table.row("left out", "", "needs PAGEDRIFT_DATA")
        return table.broken
    pages, after, alone = 0, [], []
    for path in sorted(Path(folder, "streams").glob("*.warc.gz")):
        previous = None
        for page in read(path):
            pages += 1
            for found, wrong in ((recognise(page, previous=previous), after), (recognise(page), alone)):
                if not found.is_page:
                    wrong.append(f"{page.url}: {found.reason}")
            previous = page
    for name, wrong in (("after another page of the site", after), ("by itself, at a first visit", alone)):
        table.promise(f"{name}, in {pages:,}, per thousand", 1000 * len(wrong) / max(1, pages), most=1)
        for told in wrong:
            table.row("", "", told)
    return table.broken
