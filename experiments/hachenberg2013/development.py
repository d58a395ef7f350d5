"""Which pages are there to choose on? Labelled templates, and designs of sites between two redesigns.

DIR/templates and DIR/templates2 are labelled collections. DIR/streams and DIR/streams2 hold series of pages;
where a series has pages of one type, those between two redesigns have one template. The longest stretch without a
redesign, a doubtful one or a smaller edit stands for each design, and at most 110 pages of it, evenly spread.
Sites that the labelled collections have too, by the first word of their names, are left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from experiments.hachenberg2013.corpus import one_names
from pagedrift import Fingerprint, PageVersion, fingerprint, read
from pagedrift.which_template import FINGERPRINTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOISE = "noise"
COLLECTIONS = ("templates", "templates2")
SERIES = ("streams", "streams2")
MOST_PAGES = 110  # of one design, as many as the labelled collections have
LEAST_PAGES = 15


@dataclass(frozen=True)
class Page:
    """One labelled page: its template, the group of templates that are one to a human, and its fingerprints."""

    template: str | None  # None: noise
    merged: str | None
    site: str
    taken: dict[str, Fingerprint]
    source: str = ""  # the collection: labels of one were not compared with those of another


def development(data: Path) -> list[Page]:
    """Read all that is there: of the labelled collections and the series below a folder."""
    pages = [
        page
        for name in COLLECTIONS
        if (data / name / "templates.json").exists()
        for page in collection(data / name)
    ]
    known = {page.template.partition("-")[0] for page in pages if page.template}
    for name in SERIES:
        for facts_file in sorted((data / name).glob("*.json")):
            facts = json.loads(facts_file.read_text(encoding="utf-8"))
            site = facts["name"].partition("-")[0]
            if facts["scenario"] == "homogeneous" and site not in known:
                versions = list(read(facts_file.with_suffix(".warc.gz")))
                for design, some in stretches(facts, len(versions)):
                    pages += [
                        _page(versions[at], f"{facts['name']} {design}", site, source=SERIES[0]) for at in some
                    ]
    return pages


def collection(data: Path) -> list[Page]:
    """Read a labelled collection, taking every fingerprint of every page."""
    facts = json.loads((data / "templates.json").read_text(encoding="utf-8"))
    merged = one_names(facts)
    pages = [
        _page(page, each["name"], site_word(each), merged[each["name"]], source=data.name)
        for each in facts
        for page in read(data / f"{each['name']}.warc.gz")
    ]
    if (data / f"{NOISE}.warc.gz").exists():
        pages += [_page(page, None, page.url) for page in read(data / f"{NOISE}.warc.gz")]
    return pages


def site_word(facts: dict[str, Any]) -> str:
    """Give the first word of a template's name: one for all page types of a site."""
    return str(facts["name"]).partition("-")[0]


def _page(page: PageVersion, template: str | None, site: str, merged: str | None = None, source: str = "") -> Page:
    taken = {algorithm: fingerprint(page, algorithm=algorithm) for algorithm in FINGERPRINTS}
    return Page(template, merged or template, site, taken, source)


def stretches(facts: dict[str, Any], count: int) -> Iterator[tuple[int, list[int]]]:
    """Give for each design of a series, by its number, which documents stand for it.

    >>> facts = {"redesigns": [40], "borderline": [10], "minor_edits": [], "outliers": [20]}
    >>> [(design, some[0], len(some)) for design, some in stretches(facts, 60)]
    [(0, 10, 29), (1, 40, 20)]
    """
    edges = sorted({0, count, *facts["redesigns"], *facts["borderline"], *facts.get("minor_edits", ())})
    longest: dict[int, range] = {}
    for start, end in pairwise(edges):
        design = sum(first <= start for first in facts["redesigns"])
        if end - start > len(longest.get(design, ())):
            longest[design] = range(start, end)
    for design, stretch in longest.items():
        if len(stretch) >= LEAST_PAGES:
            spread = stretch[:: -(-len(stretch) // MOST_PAGES)]
            yield design, [at for at in spread if at not in facts["outliers"]]
