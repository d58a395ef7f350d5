"""The blocks that twenty real pages had, to notice changes: python -m tests.does_it_matter.golden DIR.

Places, degrees and a digest of the content of every leaf, by pair; the pages themselves are in the corpora.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.law2012.pairs import labels, read_pair

from pagedrift.does_it_matter.blocks import segment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.facets.view import View

FILE = Path(__file__).with_name("blocks.json")
PAGES = 20


def chosen(folder: Path) -> Iterator[tuple[str, View]]:
    """The older page of the first pair of each of twenty sites."""
    sites = set()
    for row in labels(folder):
        site = row["id"].rpartition("-")[0]
        if site not in sites and len(sites) < PAGES:
            sites.add(site)
            yield row["id"], read_pair(folder, row).old.view


def told(view: View) -> list[list[object]]:
    """Give the leaves: place in the tree, place on the page in whole pixels, degree, and digest of the content."""
    return [
        [leaf.ref, [round(side) for side in leaf.box], leaf.coherence, leaf.id] for leaf in segment(view).leaves()
    ]


def write(folder: Path) -> None:
    """Write the file anew, after somebody has looked at what changed."""
    pages = {name: told(view) for name, view in chosen(folder)}
    lines = (f"{json.dumps(name)}: {json.dumps(leaves, separators=(',', ':'))}" for name, leaves in pages.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
