"""Some pages of each template that a spider meets, kept in a small archive from run to run."""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from pagedrift.archive.writer import ArchiveWriter
from pagedrift.errors import PagedriftError
from pagedrift.page import PageVersion
from pagedrift.reading import read
from pagedrift.selectors.selectable import SelectablePage
from pagedrift.which_template.fingerprint import fingerprint
from pagedrift.which_template.index import TemplateIndex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pagedrift.selectors.expressions import Selector

MAX_TEMPLATES: Final = 20  # of which pages are kept
MAX_PAGES: Final = 3  # of each
MAX_PAGE_BYTES: Final = 2_000_000
MAX_FINGERPRINTS: Final = 50_000  # by which templates are recognised; crawls meet countless pages
OTHER: Final = "other"  # the name of all templates beyond those
log = logging.getLogger("pagedrift.scrapy")


class TemplateSamples:
    """Names the template of each page, and keeps the first pages of each.

    >>> samples = TemplateSamples()
    >>> one, two, other = (
    ...     samples.classify(PageVersion("https://shop.example/", body))
    ...     for body in (b"<h1>Lamp</h1><p>$40", b"<h1>Torch</h1><p>$9", b"<ul><li><a>Lamp</a><li><a>Torch")
    ... )
    >>> one == two, one == other
    (True, False)
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.pages: dict[str, list[PageVersion]] = {}
        self._index = TemplateIndex()
        self._met: set[str] = set()
        self._archive = self._opened(folder) if folder else None

    def _opened(self, folder: Path) -> ArchiveWriter | None:
        try:
            archive = ArchiveWriter(folder)
            for page in read(str(folder)) if archive.warcs else ():
                self._keep(self._name(page), page)
        except PagedriftError as error:
            log.warning("pages are not kept in %s: %s", folder, error)
            return None
        self._met.clear()
        return archive

    def classify(self, page: PageVersion) -> str:
        """Name the template of a page, and keep the page if there are few of it."""
        name = self._name(page)
        if self._keep(name, page) and self._archive is not None:
            self._archive.append(page)
        return name

    def _name(self, page: PageVersion) -> str:
        taken = fingerprint(page)
        known = max(self._index.nearest(taken), key=lambda each: each.pages, default=None)
        name = known.template if known and known.template else "t" + hashlib.sha256(bytes(taken)).hexdigest()[:6]
        if name not in self.pages and len(self.pages) >= MAX_TEMPLATES:
            return OTHER
        if len(self._index) < MAX_FINGERPRINTS:
            self._index.add(taken, template=name, example=page.url)
        self._met.add(name)
        return name

    def _keep(self, name: str, page: PageVersion) -> bool:
        kept = self.pages.setdefault(name, []) if name != OTHER else []
        if name == OTHER or len(kept) >= MAX_PAGES or len(page.body) > MAX_PAGE_BYTES:
            return False
        kept.append(page)
        return True

    def matching(self, selector: Selector) -> Iterator[SelectablePage]:
        """Give the kept pages on which a selector matches, those of the newest template first."""
        for pages in reversed(list(self.pages.values())):
            for page in pages:
                selectable = SelectablePage(page)
                if selectable.matches(selector):
                    yield selectable

    def close(self) -> None:
        """Let others write; if there is no room for another template, forget those that were not met."""
        if self._archive is None:
            return
        if len(self.pages) >= MAX_TEMPLATES:
            kept = {page.url for name in self._met for page in self.pages.get(name, ())}
            self._archive.compact(lambda stored: stored.url in kept)
        self._archive.close()


def page_of(url: str, body: bytes, *, status: int, content_type: str) -> PageVersion:
    """Make a page of what a spider got."""
    return PageVersion(
        url, body, captured_at=datetime.now(UTC), status=status, content_type=content_type or "text/html"
    )
