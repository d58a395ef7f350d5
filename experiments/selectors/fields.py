"""Fields of scrapers across real redesigns, labelled by hand: pages, selectors, and what counts as found again."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pagedrift
from pagedrift.selectors.expressions import parse_selector
from pagedrift.selectors.regions import word_likeness
from pagedrift.selectors.selectable import SelectablePage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LABELS: Final = Path(__file__).parent / "fields.json"
SAME_WORDS: Final = 0.8  # of an element around or inside the right one, for it to be right as well
SAME_ROWS: Final = 0.8  # F1 of the entries of a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of a scraper before and after a redesign."""

    site: str
    folder: str
    old: int | str
    new: int | str
    field: str
    many: bool
    old_selector: str
    new_selector: str | None

    @property
    def fold(self) -> str:
        """The site, as folds are made of: those of one author are one."""
        return "guangchuangyu" if self.site.startswith("guangchuangyu") else self.site.partition("-apache-org-")[0]


def read_fields() -> list[Field]:
    """Read the labels, by page."""
    return sorted(
        (Field(**each) for each in json.loads(LABELS.read_text("utf-8"))),
        key=lambda each: (each.folder, each.site, str(each.old), str(each.new)),
    )


@lru_cache(maxsize=2)
def _documents(path: Path) -> list[pagedrift.PageVersion]:
    return list(pagedrift.read(path))


@lru_cache(maxsize=4)
def page_of(data: Path, folder: str, site: str, number: int | str) -> SelectablePage:
    """Read a document of a series, or one version of a pair."""
    if isinstance(number, str):
        body = gzip.decompress((data / folder / site / number).read_bytes())
        return SelectablePage(pagedrift.PageVersion(f"https://{site}.example/", body))
    return SelectablePage(_documents(data / folder / f"{site}.warc.gz")[number])


def both_pages(data: Path, field: Field) -> tuple[SelectablePage, SelectablePage]:
    """Read the page before and after."""
    old, new = (page_of(data, field.folder, field.site, number) for number in (field.old, field.new))
    return old, new


def nodes_of(page: SelectablePage, selector: str | None) -> list[int]:
    """Give what a selector means."""
    return page.nodes(parse_selector("", selector)) if selector else []


def is_right(page: SelectablePage, found: Sequence[int], truth: Sequence[int], *, many: bool) -> bool:
    """Say whether the field was found: the element, one around or inside it that says the same, or most rows.

    Where the old page had one entry of a list, one of its entries is enough.
    """
    hits = sum(any(_same(page, node, other) for other in truth) for node in found)
    if not hits:
        return False
    if not many or len(found) == 1:
        return hits == len(found)
    return 2 * hits / (len(found) + len(truth)) >= SAME_ROWS


def _same(page: SelectablePage, one: int, other: int) -> bool:
    if one == other:
        return True
    end = page.tree.end
    inside = other <= one and end[one] <= end[other]
    around = one <= other and end[other] <= end[one]
    words = [page.words_in([(node, end[node])]) for node in (one, other)]
    return (inside or around) and word_likeness(*words) >= SAME_WORDS


def cases(data: Path) -> Iterator[tuple[Field, SelectablePage, SelectablePage]]:
    """Go through the fields whose pages are there."""
    for field in read_fields():
        if (data / field.folder).exists():
            yield field, *both_pages(data, field)
