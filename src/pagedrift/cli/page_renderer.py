"""The page renderer of the commands: shows pages in a browser and reports what fails."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from pagedrift.capture.browser import WINDOW, Browser, NoBrowserError, Window
from pagedrift.errors import PagedriftError
from pagedrift.extras import MissingExtraError, need
from pagedrift.reading import surroundings
from pagedrift.text import counted

if TYPE_CHECKING:
    from types import TracebackType

    from pagedrift.facets.view import View
    from pagedrift.page import PageVersion

_MAX_VIEWS: Final = 8  # views that wait for the next question about the same version
_MAX_TOLD_PAGES: Final = 10  # about which trouble is reported one by one


class PageRenderer:
    """A browser that looks at pages, each with what its archive, folder or server gives.

    Without a browser it raises, if the user `wanted` pictures, or says so once and gives pages without.
    `strict` raises at a single page that cannot be shown too.
    """

    def __init__(self, *, wanted: bool, strict: bool = False, window: Window = WINDOW) -> None:
        self.wanted, self.strict = wanted, strict
        self.failed = 0
        self._given_up = False
        self._views: OrderedDict[tuple[str, str], View] = OrderedDict()
        self._open = ExitStack()
        self._browser = self._open.enter_context(Browser(window=window))

    def __enter__(self) -> PageRenderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._open.close()
        if self.failed > _MAX_TOLD_PAGES:
            click.echo(f"note: {self.failed:,} versions in all could not be shown", err=True)

    def look(self, reference: str, page: PageVersion) -> PageVersion:
        """Give a version with its view; without where it cannot be shown."""
        if self._given_up:
            return page
        key = (page.digest, f"{page.url} {page.captured_at}")
        try:
            view = self._views.get(key) or self._shown(reference, page)
        except (NoBrowserError, MissingExtraError) as error:
            if self.wanted:
                raise
            click.echo(f"note: judged without pictures, since {error}", err=True)
            self._given_up = True
            return page
        except PagedriftError as error:
            if self.strict and self.wanted:
                raise
            self.failed += 1
            if self.failed <= _MAX_TOLD_PAGES:
                click.echo(f"note: judged without pictures, since {error}", err=True)
            return page
        self._views[key] = view
        self._views.move_to_end(key)
        if len(self._views) > _MAX_VIEWS:
            self._views.popitem(last=False)
        return replace(page, view=view)

    def _shown(self, reference: str, page: PageVersion) -> View:
        need("vision", "cv2")  # before a browser is started in vain
        with surroundings(reference, page) as given:
            return self._browser.render(page, given)


def tell_missing(name: str, page: PageVersion) -> None:
    """Say what a version wanted to load and was not given."""
    view = page.view
    if view is None or not view.missing:
        return
    things = counted(len(view.missing), "thing")
    sheets = f", {len(view.unstyled):,} of them style sheets" if view.unstyled else ""
    click.echo(f"note: {name} is shown without {things} it wanted to load{sheets}", err=True)
