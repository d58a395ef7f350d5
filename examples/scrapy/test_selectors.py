"""Do the selectors of the spider work on the pages that are stored?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent


def test_the_selectors_of_the_shop_work(check_selectors: Callable[[Path, Path], None]) -> None:
    """Replay the stored pages; `check_selectors` comes with Pagedrift."""
    check_selectors(HERE / "pages", HERE / "shop/spiders/lamps.py")
