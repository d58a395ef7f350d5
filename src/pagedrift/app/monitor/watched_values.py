"""Values of a watched part: read from two versions of a page, with the conditions on words that hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift.app.model.conditions import parse_condition, says
from pagedrift.app.model.values import ValueChange, read_value
from pagedrift.what_changed.selection import text_of

if TYPE_CHECKING:
    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.values import WatchedValue
    from pagedrift.app.monitor.filters import ChangeFilter
    from pagedrift.page import PageVersion


def value_of(page: PageVersion, change_filter: ChangeFilter) -> WatchedValue:
    """Read what the watched part of a page says."""
    return read_value(text_of(change_filter.reduced(page).tree, 0))


def read_values(
    pages: tuple[PageVersion, PageVersion], options: WatchOptions, change_filter: ChangeFilter
) -> ValueChange | None:
    """Read what the watched part said and says; None where neither a value nor a condition is asked for."""
    if options.value == "none" and not options.conditions:
        return None
    texts = [text_of(change_filter.reduced(page).tree, 0) for page in pages]
    worded = [each for each in map(parse_condition, options.conditions) if each.words]
    held, holds = (tuple(each.text for each in worded if says(each, text)) for text in texts)
    return ValueChange(
        kind=options.value, old=read_value(texts[0]), new=read_value(texts[1]), holds=holds, held=held
    )
