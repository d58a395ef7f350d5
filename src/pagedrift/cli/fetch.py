"""pagedrift fetch: how are versions of live pages kept?"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.cli.common import answer_json, json_option
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.archive.members import Attachment
    from pagedrift.archive.writing import ArchiveWriter
    from pagedrift.capture.browser import Browser
    from pagedrift.capture.http import Client, Fetched
    from pagedrift.page import PageVersion

_FAILED: Final = 400
_TROUBLE: Final = 2


@dataclass(frozen=True, slots=True)
class _Visit:
    """What became of one address."""

    url: str
    outcome: str  # new, changed, unchanged, or error
    said: str

    @property
    def line(self) -> str:
        return f"{self.outcome:<9}  {self.url}" + (f"  ({self.said})" if self.said else "")


@click.command(short_help="Keep versions of live pages in a folder.")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--to", "folder", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")
@click.option(
    "--browser", "shown", is_flag=True, help="Keep a picture of the page, and its DOM after its scripts ran."
)
@json_option
def fetch(urls: tuple[str, ...], folder: Path, shown: bool, as_json: bool) -> None:
    """Keep the pages at URLs as they are now in FOLDER, an archive that every question can be asked of.

    A page that did not change is noted in a few bytes. The exit status is 2 where a page could not be had.

    \b
    Examples:
      pagedrift fetch https://city.example/fees --to pages
      pagedrift how-much pages --series
    """
    from pagedrift.archive.writing import ArchiveWriter
    from pagedrift.capture.http import Client

    failed = False
    with ExitStack() as open_, ArchiveWriter(folder) as archive, Client() as client:
        if archive.mended:
            click.echo(f"note: {archive.mended:,} bytes that a crash cut off are in {folder / 'damaged'}", err=True)
        browser = open_.enter_context(_browser()) if shown else None
        for url in dict.fromkeys(urls):
            visit = _visit(url, archive, client, browser)
            failed |= visit.outcome == "error"
            if as_json:
                answer_json({"v": 1, "url": visit.url, "outcome": visit.outcome, "said": visit.said})
            else:
                click.echo(visit.line)
            sys.stdout.flush()  # acknowledged as soon as it is on disk
    if failed:
        click.get_current_context().exit(_TROUBLE)


def _browser() -> Browser:
    from pagedrift.capture.browser import Browser, Window

    return Browser(window=Window(dom=True))


def _visit(url: str, archive: ArchiveWriter, client: Client, browser: Browser | None) -> _Visit:
    """Fetch one page and keep it."""
    from pagedrift.capture.http import FetchError

    known = archive.newest(url)
    try:
        fetched = client.fetch(url, known=known)
        if fetched.not_modified and (known is None or fetched.url != known.url):
            fetched = client.fetch(url)  # it leads elsewhere now, to what was never kept
    except FetchError as error:
        return _Visit(url, "error", str(error).removeprefix(f"{url}: "))
    if known is None and fetched.url != url:
        known = archive.newest(fetched.url)
    attachments, trouble = _looks(fetched.page, browser)
    *redirects, last = fetched.exchanges
    kept = archive.append(last, redirects=redirects, notes=_notes(fetched), attachments=attachments)
    said = [
        f"found at {fetched.url}" * (fetched.url != url),
        "robots.txt forbids it" * (fetched.robots_allow is False),
    ]
    if fetched.status >= _FAILED:
        return _Visit(url, "error", f"status {fetched.status}, kept; check the address in a browser")
    repeated = (
        kept.kind == "revisit"
        or fetched.not_modified
        or (known and fetched.page and known.body == fetched.page.body)
    )
    outcome = "unchanged" if repeated else "changed" if known else "new"
    return _Visit(url, outcome, "; ".join(filter(None, [*said, trouble])))


def _notes(fetched: Fetched) -> dict[str, Any] | None:
    """Note what no record says."""
    return {"robots_allow": False} if fetched.robots_allow is False else None


def _looks(page: PageVersion | None, browser: Browser | None) -> tuple[Sequence[Attachment], str]:
    """Look at a page in a browser; where that fails, the page is kept all the same."""
    from pagedrift.archive.members import Attachment

    if browser is None or page is None or page.status != 200:  # noqa: PLR2004 - HTTP
        return (), ""
    try:
        view = browser.render(page)
    except PagedriftError as error:
        return (), str(error)
    dom = Attachment("dom", "text/html; charset=utf-8", view.dom.encode("utf-8", "replace"))
    return (Attachment("fullPage", "image/png", view.picture or b""), dom), ""
