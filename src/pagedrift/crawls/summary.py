"""The comparison of two crawls in lines, and as rows for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.collection.parts import Column
from pagedrift.crawls.page_comparison import AddressState
from pagedrift.dates import iso_moment
from pagedrift.report.data import FORMAT
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.crawls.comparison import ComparedAddress, CrawlComparison, SharedChange

MAX_LINES: Final = 20  # of each state, unless all are asked for
SHOWN: Final = (
    AddressState.BLOCKED,
    AddressState.GONE,
    AddressState.CHANGED,
    AddressState.LAYOUT,
    AddressState.MOVED,
    AddressState.NEW,
    AddressState.UNKNOWN,
)
QUIET: Final = (AddressState.NOISE, AddressState.UNCHANGED)
COMPARISON: Final = (
    Column("url", "string", "the address, as the newer crawl writes it"),
    Column(
        "state", "string", "what became of it: new, gone, moved, changed, layout changed, noise only, unchanged …"
    ),
    Column("detail", "string", "what the newer crawl has instead of a page, or what it is now"),
    Column("other_url", "string", "where it moved or leads to"),
    Column("old_captured_at", "timestamp", "when the older capture was taken"),
    Column("new_captured_at", "timestamp", "when the newer one was"),
    Column("level", "string", "the highest level of its changes: important, minor or noise"),
    Column("probability", "double", "how likely the change is important"),
    Column("amount", "double", "share of the words that changed"),
    Column("layout", "double", "share of the layout that was replaced"),
    Column("important", "bigint", "important changes"),
    Column("minor", "bigint", "changes of wording"),
    Column("noise", "bigint", "other changes"),
    Column("headline", "string", "the most important change in a line"),
    Column("group", "string", "the change shared with other pages that is all there is"),
)
COLUMNS: Final = {column.name: column.kind for column in COMPARISON}


def table_row(found: ComparedAddress) -> tuple[Any, ...]:
    """Give an address as a row of a table."""
    return (
        found.url,
        str(found.state),
        found.detail,
        found.other_url,
        found.old_captured_at,
        found.new_captured_at,
        found.level,
        found.probability,
        found.amount,
        found.layout,
        found.important,
        found.minor,
        found.noise,
        found.headline,
        group_name(found.group),
    )


def data(found: ComparedAddress) -> dict[str, Any]:
    """Give an address as JSON."""
    row = dict(zip(COLUMNS, table_row(found), strict=True))
    times = {name: iso_moment(row[name]) for name in ("old_captured_at", "new_captured_at")}
    return {"format": FORMAT, **row, **times}


def group_name(group: int | None) -> str | None:
    """Name a shared change in data."""
    return None if group is None else f"{group:016x}"


def lines(comparison: CrawlComparison, *, every: bool = False) -> Iterator[str]:
    """Sum up: changes that pages share, then what became of single addresses, then the counts."""
    yield from map(_shared_line, comparison.groups())
    states = (*SHOWN, *QUIET) if every else SHOWN
    for state in states:
        yield from map(line, comparison.of_state(state)) if every else _of_state(comparison, state)
    yield total(comparison)


def _shared_line(shared: SharedChange) -> str:
    more = f" and {shared.pages - 1:,} more"
    where = cut(shared.examples[0], 100) if shared.examples else ""
    return f"{f'on {shared.pages:,} pages':<14}  {shared.level:<9}  {shared.headline}  {where}{more}"


def _of_state(comparison: CrawlComparison, state: AddressState) -> Iterator[str]:
    folded = left = 0
    for at, found in enumerate(comparison.of_state(state)):
        if found.group is not None and state is AddressState.CHANGED:
            folded += 1
        elif at - folded < MAX_LINES:
            yield line(found)
        else:
            left += 1
    if folded:
        has = "has" if folded == 1 else "have"
        yield f"{state:<14}  {counted(folded, 'page')} {has} only the shared changes above"
    if left:
        yield f"{state:<14}  {left:,} more; list them with --all"


def line(found: ComparedAddress) -> str:
    """Say in a line what became of an address."""
    amount = "" if not found.amount else f"{found.amount:.0%}"
    level = found.level if found.state not in QUIET else ""
    said = "  ".join(part for part in (found.detail, _leads_to(found), found.headline) if part)
    return f"{found.state:<14}  {level:<9}  {amount:>4}  {cut(found.url, 120)}  {said}".rstrip()


def _leads_to(found: ComparedAddress) -> str:
    return f"→ {cut(found.other_url, 120)}" if found.other_url else ""


def total(comparison: CrawlComparison) -> str:
    """Count the addresses by what became of them."""
    counts = comparison.counts
    parts = [f"{counts[state]:,} {state}" for state in (*SHOWN, *QUIET) if counts[state]]
    important = f"; important changes on {counted(comparison.important, 'page')}" if comparison.important else ""
    count = counts.total()
    return f"{count:,} {'address' if count == 1 else 'addresses'}: {', '.join(parts) or 'none'}{important}"
