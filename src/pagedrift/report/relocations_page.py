"""The report of selectors as one HTML file: what became of each, with its region drawn on both pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift.errors import LimitError
from pagedrift.report import relocations
from pagedrift.report.highlight import outline_regions
from pagedrift.report.mark_labels import escape
from pagedrift.report.webpage import document
from pagedrift.text import fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagedrift.page import PageVersion
    from pagedrift.selectors.relocation import Relocation

MAX_TEXT_CHARS: Final = 120


def selectors_page(
    old: PageVersion,
    new: PageVersion,
    found: Sequence[tuple[str, Relocation]],
    *,
    resources: Mapping[str, tuple[str, bytes]] | None = None,
) -> str:
    """Write the report."""
    before, after = dict[int, str](), dict[int, str]()
    for name, relocation in found:
        before |= {start: name for start, _ in relocation.old_spans}
        spans = relocation.proposal.spans if relocation.proposal else relocation.new_spans
        after |= {start: name for start, _ in spans}
    rows = "".join(_row(name, relocation) for name, relocation in found)
    head = "<tr><th>field</th><th>status</th><th>selector</th><th>proposed</th></tr>"
    summary = relocations.summary([relocation for _, relocation in found])
    sides = _side("Before", old, before, resources) + _side("After", new, after, resources)
    body = (
        f"<header><h1>{escape(new.title or new.url or 'Selectors')}</h1><p>{escape(summary)}</p></header>"
        f'<main class="selectors" tabindex="0"><table>{head}{rows}</table>'
        f'<div class="pages">{sides}</div></main>'
    )
    return document("Selectors", body, styles=("webpage.css", "selectors.css"))


def _row(name: str, found: Relocation) -> str:
    sure = f"{found.probability:.0%} sure"
    proposal = "–"
    if found.proposal is not None:
        shown = found.proposal.written or found.proposal.path
        proposal = f"<code>{escape(shown)}</code> {_quiet(found.proposal.text)}"
    return (
        f'<tr class="{found.status}"><td>{escape(name)}</td><td>{escape(relocations.said(found))}<br>'
        f'<span class="quiet">{sure}</span></td><td><code>{escape(found.region.written)}</code> '
        f"{_quiet(found.old_text)}</td><td>{proposal}</td></tr>"
    )


def _quiet(text: str) -> str:
    return f'<span class="quiet">{escape(fold(text, MAX_TEXT_CHARS))}</span>'


def _side(
    name: str, page: PageVersion, regions: dict[int, str], resources: Mapping[str, tuple[str, bytes]] | None
) -> str:
    try:
        html = outline_regions(page, regions, resources=resources)
    except LimitError as error:
        return f"<figure><figcaption>{name}</figcaption><p>{escape(str(error))}</p></figure>"
    frame = f'<iframe sandbox="" referrerpolicy="no-referrer" title="{name}" srcdoc="{escape(html)}"></iframe>'
    return f"<figure><figcaption>{name}: the regions are outlined</figcaption>{frame}</figure>"
