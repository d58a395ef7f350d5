"""The comparison of two crawls as one HTML file: filters, search, and the highlighted page of each change."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Final

from pagedrift.crawls import inventory, summary
from pagedrift.crawls.page_comparison import AddressState
from pagedrift.dates import moment
from pagedrift.documents.comparable import readable
from pagedrift.errors import PagedriftError
from pagedrift.report.highlight import highlight
from pagedrift.report.mark_labels import escape
from pagedrift.report.webpage import document
from pagedrift.what_changed import diff

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pagedrift.crawls.comparison import ComparedAddress, CrawlComparison, SharedChange
    from pagedrift.crawls.inventory import Crawl

MAX_ROWS: Final = 20_000  # of addresses; the table that --to writes has all
MAX_EMBEDDED: Final = 300  # highlighted pages
MAX_SHARED: Final = 200
_WITH_PAGES: Final = (AddressState.CHANGED, AddressState.LAYOUT, AddressState.MOVED)


def crawl_page(comparison: CrawlComparison, *, embed_bytes: int) -> str:
    """Write the report; highlighted pages are part of it up to a size, the most important changes first."""
    pages = _Embedded(comparison, embed_bytes)
    counts = comparison.counts
    rows = "".join(_rows(comparison, pages))
    left = counts.total() - MAX_ROWS
    more = f"<p>{left:,} more addresses; write them all with --to FILE.csv</p>" if left > 0 else ""
    body = (
        f"<header><h1>{escape(comparison.old.name)} → {escape(comparison.new.name)}</h1>"
        f"<p>{escape(summary.total(comparison))}</p></header>{_filters(comparison)}"
        f'<main class="crawl" tabindex="0">{_shared(comparison.groups()[:MAX_SHARED])}'
        '<table id="addresses"><thead><tr><th>state</th><th>level</th><th>changed</th><th>address</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>{more}</main>{pages.templates}"
    )
    return document("Crawls compared", body, styles=("webpage.css", "crawl.css"), script="crawl.js")


def _filters(comparison: CrawlComparison) -> str:
    counts = comparison.counts
    boxes = "".join(
        f'<label><input type="checkbox" value="{state}"{"" if state in summary.QUIET else " checked"}>'
        f" {state} {counts[state]:,}</label>"
        for state in (*summary.SHOWN, *summary.QUIET)
        if counts[state]
    )
    return (
        f'<fieldset aria-label="Show">{boxes}'
        '<label><input type="checkbox" id="only-important"> important only</label>'
        '<input type="search" id="search" placeholder="Search addresses and changes" aria-label="Search">'
        '<output id="shown"></output></fieldset>'
    )


def _shared(groups: list[SharedChange]) -> str:
    if not groups:
        return ""
    items = "".join(
        f"<li><b>{shared.pages:,} pages</b> {_level(shared.level)} {escape(shared.headline)} "
        f'<button data-group="{summary.group_name(shared.group)}">show them</button></li>'
        for shared in groups
    )
    return f'<section class="shared"><h2>The same change on several pages</h2><ul>{items}</ul></section>'


def _rows(comparison: CrawlComparison, pages: _Embedded) -> Iterator[str]:
    count = 0
    for state in (*summary.SHOWN, *summary.QUIET):
        for found in comparison.of_state(state):
            if count == MAX_ROWS:
                return
            count += 1
            yield _row(found, pages)


def _row(found: ComparedAddress, pages: _Embedded) -> str:
    quiet = " hidden" if found.state in summary.QUIET else ""
    amount = "" if found.amount is None else f"{found.amount:.0%}"
    groups = " ".join(filter(None, (summary.group_name(each) for each in found.groups)))
    said = " ".join(part for part in (found.detail, f"→ {found.other_url}" if found.other_url else "") if part)
    times = f"{moment(found.old_captured_at)} → {moment(found.new_captured_at)}"
    return (
        f'<tr data-state="{found.state}" data-level="{found.level}" data-groups="{groups}"{quiet}>'
        f"<td>{found.state}</td><td>{_level(found.level)}</td><td>{amount}</td>"
        f"<td><span>{escape(found.url)}</span> {escape(said)}<br>{escape(found.headline)} "
        f'<span class="quiet">{times}</span>{pages.button(found)}</td></tr>'
    )


def _level(level: str) -> str:
    return f'<span class="level {level}">{level}</span>' if level else ""


def _reference(crawl: Crawl, url: str, when: datetime | None) -> str:
    """Name one capture as the commands take it."""
    date = f"@{when:%Y%m%d%H%M%S}" if when else ""
    return f"{crawl.paths[0]}@{url}{date}"


class _Embedded:
    """Highlighted pages inside of the report, as long as there is room; the others are named by a command."""

    def __init__(self, comparison: CrawlComparison, room: int) -> None:
        self._comparison = comparison
        self._room = room
        self._made: list[str] = []

    @property
    def templates(self) -> str:
        return "".join(self._made)

    def button(self, found: ComparedAddress) -> str:
        if found.state not in _WITH_PAGES:
            return ""
        if html := self._highlighted(found):
            number = len(self._made)
            attributes = 'sandbox="" referrerpolicy="no-referrer" title="The new page with every change marked"'
            frame = f'<iframe {attributes} srcdoc="{escape(html)}"></iframe>'
            self._room -= len(frame)
            self._made.append(f'<template id="page-{number}">{frame}</template>')
            return f' <button data-page="page-{number}">show the page</button>'
        old, new = self._comparison.old, self._comparison.new
        before = _reference(old, found.url, found.old_captured_at)
        after = _reference(new, found.other_url or found.url, found.new_captured_at)
        places = f"{quote(before)} {quote(after)}"
        return f' <code class="quiet">pagedrift what-changed {escape(places)} --html page.html</code>'

    def _highlighted(self, found: ComparedAddress) -> str:
        if self._room <= 0 or len(self._made) >= MAX_EMBEDDED:
            return ""
        try:
            old, new = (readable(inventory.load(each)) for each in self._comparison.captures(found))
            if old is None or new is None:
                return ""
            html = highlight(old, new, diff(old, new))
        except PagedriftError:
            return ""
        return html if len(html) <= self._room else ""
