"""Reports of the templates of pages, as lines for a terminal and as data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pagedrift.dates import iso_moment
from pagedrift.report.data import FORMAT
from pagedrift.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.page import PageVersion
    from pagedrift.report.outline import OutlineLine
    from pagedrift.which_template import Cluster, Fingerprint, TemplateMatch


def match_lines(page: PageVersion, match: TemplateMatch) -> Iterator[str]:
    """Say of which template a page is, and what that rests on."""
    if match.template is None:
        yield f"{printable(page.url)}: no known template"
        return
    yield f"{printable(page.url)}: {printable(match.template)}"
    whose = "known page like it is" if match.pages == 1 else "known pages like it are"
    yield f"  {match.sure:.0%} sure: {match.pages:,} {whose} of this template"
    if match.example:
        yield f"  for example {printable(match.example)}"


def tell_data(page: PageVersion, match: TemplateMatch, fingerprint: Fingerprint) -> dict[str, Any]:
    """Describe the template of a page."""
    return {
        "format": FORMAT,
        "url": page.url,
        "captured_at": iso_moment(page.captured_at),
        "template": match.template,
        "sure": match.sure,
        "pages": match.pages,
        "example": match.example or None,
        "fingerprint": str(fingerprint),
    }


def clusters(found: Iterable[Cluster], named: dict[int, str]) -> Iterator[str]:
    """Lay out clusters, a line each: how alike their pages are, what their addresses share, and an example."""
    titles = ("template", "pages", "fingerprints", "alike", "addresses", "example")
    rows = [
        (
            named[c.id],
            f"{c.pages:,}",
            f"{c.fingerprints:,}",
            f"{c.sure:.0%}",
            printable(c.name),
            printable(c.example),
        )
        for c in found
    ]
    width, wide = (max(len(titles[at]), *(len(row[at]) for row in rows)) if rows else 0 for at in (0, 4))
    for name, pages, fingerprints, sure, addresses, example in [titles, *rows]:
        yield f"{name:<{width}}  {pages:>9}  {fingerprints:>12}  {sure:>5}  {addresses:<{wide}}  {example}"


def cluster_data(cluster: Cluster, name: str, outline: Iterable[OutlineLine] | None = None) -> dict[str, Any]:
    """Describe a cluster, with its outline where one was drawn."""
    drawn = {} if outline is None else {"outline": [asdict(line) for line in outline]}
    return {
        "format": FORMAT,
        "template": name,
        "pages": cluster.pages,
        "fingerprints": cluster.fingerprints,
        "example": cluster.example,
        "addresses": cluster.name,
        "sure": round(cluster.sure, 4),
        **drawn,
    }
