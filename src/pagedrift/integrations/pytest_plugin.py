"""Pytest fixture that replays stored pages of a site, and fails with the proposal when a selector breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pagedrift.page import PageVersion
    from pagedrift.selectors.relocation import Relocation


@pytest.fixture
def check_selectors() -> Callable[[str | Path, str | Path], None]:
    """Give a function that checks the selectors of a file on all pages of an archive against the first of them.

    def test_the_selectors_of_the_shop_work(check_selectors):
        check_selectors("shop.warc.gz", "spider.py")
    """
    return replay


def replay(archive: str | Path, selectors: str | Path) -> None:
    """Relocate the selectors of a file from the first page of an archive to all others; fail where one breaks."""
    __tracebackhide__ = True
    from pathlib import Path

    from pagedrift.reading import read
    from pagedrift.report import relocations
    from pagedrift.selectors.files import read_selector_file
    from pagedrift.selectors.relocation import Relocator

    written = read_selector_file(Path(selectors))
    first: PageVersion | None = None
    broken: dict[str, tuple[str, Relocation]] = {}
    for page in read(str(archive)):
        if first is None:
            first = page
            continue
        relocator = Relocator([first], page)
        for each in written:
            found = relocator.relocate(each.region)
            if found.broken:
                broken.setdefault(each.name, (page.url, found))
    if first is None:
        pytest.fail(f"{archive} holds no pages; store some with: pagedrift fetch URL --to {archive}", pytrace=False)
    if broken:
        lines = relocations.lines([(f"{name} on {url}", found) for name, (url, found) in broken.items()])
        pytest.fail("\n".join(lines), pytrace=False)
