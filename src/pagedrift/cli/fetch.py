"""The command `pagedrift fetch`: stores versions of live pages."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.cli.common import answer_json, json_option
from pagedrift.errors import InputError
from pagedrift.http_exchange import is_failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.archive.record_format import Attachment
    from pagedrift.archive.writer import ArchiveWriter
    from pagedrift.capture.browser import Browser
    from pagedrift.capture.browser_visit import Visited
    from pagedrift.capture.http import Client, Fetched
    from pagedrift.capture.request_options import RequestOptions
    from pagedrift.capture.steps import BrowserStep
    from pagedrift.http_exchange import Exchange
    from pagedrift.page import PageVersion

_OK: Final = 200
_TROUBLE: Final = 2
_SECRETS: Final = "PAGEDRIFT_SECRET_"  # before the names of secrets in the environment


@dataclass(frozen=True, slots=True)
class _Visit:
    """What became of one address."""

    url: str
    outcome: str  # new, changed, unchanged, or error
    said: str

    @property
    def line(self) -> str:
        return f"{self.outcome:<9}  {self.url}" + (f"  ({self.said})" if self.said else "")


@dataclass(frozen=True, slots=True)
class _Way:
    """How pages are asked for."""

    client: Client
    request_options: RequestOptions
    browser: Browser | None
    steps: tuple[BrowserStep, ...]


@click.command(short_help="Store versions of live pages in a folder.")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--to", "folder", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")
@click.option(
    "--browser",
    "shown",
    is_flag=True,
    help="Open the page in a browser: store a screenshot, the DOM after scripts ran, and what the page loads.",
)
@click.option(
    "--step",
    "steps",
    multiple=True,
    metavar="STEP",
    help="Do this in the browser first, such as 'fill #user = anna', 'click button' or 'wait .account'. "
    "{secret:NAME} is replaced by the environment variable PAGEDRIFT_SECRET_NAME.",
)
@click.option(
    "--header", "headers", multiple=True, metavar="NAME:VALUE", help="Header to send to the host of the page."
)
@click.option(
    "--cookie", "cookies", multiple=True, metavar="NAME=VALUE", help="Cookie to send to the host of the page."
)
@click.option("--proxy", metavar="URL", help="Proxy to use: http://, https:// or socks5://.")
@click.option("--user-agent", metavar="TEXT", help="User-Agent header to send.")
@click.option(
    "--timeout", type=float, metavar="SECONDS", help="Timeout for each page, including redirects and retries."
)
@click.option(
    "--from-archive",
    "timemap",
    metavar="TIMEMAP",
    help="Fetch versions from a web archive that are newer than the last stored one; TIMEMAP is what it "
    "puts before an address to list them, such as https://web.archive.org/web/timemap/link/.",
)
@click.option(
    "--replay",
    default="",
    metavar="PREFIX",
    help="What the archive puts before time and address to replay a version, such as https://web.archive.org/web/: "
    "for a TimeMap that lists times alone, as CDX does.",
)
@click.option("--any-certificate", is_flag=True, help="Do not verify TLS certificates.")
@json_option
def fetch(urls: tuple[str, ...], folder: Path, shown: bool, as_json: bool, **how: Any) -> None:
    """Store the pages at URLs as they are now in FOLDER, an archive that all other commands can read.

    A page that did not change takes a few bytes. The exit status is 2 if a page could not be fetched.

    \b
    Examples:
      pagedrift fetch https://city.example/fees --to pages
      pagedrift how-much pages --series
    """
    from pagedrift.archive.writer import ArchiveWriter
    from pagedrift.capture.http import Client
    from pagedrift.capture.steps import parse_step

    request_options, steps = _asking(**how), tuple(map(parse_step, how["steps"]))
    if steps and not shown:
        raise InputError("steps are taken in a browser; add --browser")
    if how["replay"] and not how["timemap"]:
        raise InputError("--replay needs --from-archive; name the list of versions with it")
    failed = False
    with ExitStack() as open_, ArchiveWriter(folder) as archive, Client() as client:
        if archive.mended:
            click.echo(f"note: {archive.mended:,} bytes that a crash cut off are in {folder / 'damaged'}", err=True)
        way = _Way(client, request_options, open_.enter_context(_browser()) if shown else None, steps)
        for url in dict.fromkeys(urls):
            visit = (
                _from_archive(url, archive, way, timemap=how["timemap"], replay=how["replay"])
                if how["timemap"]
                else _visit(url, archive, way)
            )
            failed |= visit.outcome == "error"
            if as_json:
                answer_json({"v": 1, "url": visit.url, "outcome": visit.outcome, "said": visit.said})
            else:
                click.echo(visit.line)
            sys.stdout.flush()  # acknowledged as soon as it is on disk
    if failed:
        click.get_current_context().exit(_TROUBLE)


def _asking(
    *,
    headers: Sequence[str],
    cookies: Sequence[str],
    proxy: str | None,
    user_agent: str | None,
    timeout: float | None,
    any_certificate: bool,
    **_: Any,
) -> RequestOptions:
    """Read how pages are to be asked for."""
    from pagedrift.capture.request_options import RequestOptions, check_request_options

    request_options = RequestOptions(
        headers=tuple(_pair(each, ":", "header") for each in headers),
        cookies=tuple(_pair(each, "=", "cookie") for each in cookies),
        proxy=proxy,
        user_agent=user_agent,
        timeout=timeout,
        verify=not any_certificate,
    )
    check_request_options(request_options)
    return request_options


def _pair(text: str, character: str, what: str) -> tuple[str, str]:
    name, found, value = text.partition(character)
    if not found:
        raise InputError(f"the {what} {name[:40]!r} has no value; write it as NAME{character}VALUE")
    return name.strip(), value.strip()


def _browser() -> Browser:
    from pagedrift.capture.browser import Browser, Window

    return Browser(window=Window(dom=True))


def _visit(url: str, archive: ArchiveWriter, way: _Way) -> _Visit:
    """Fetch one page and keep it."""
    from pagedrift.capture.browser_visit import StepError
    from pagedrift.capture.http import FetchError

    known = archive.newest(url)
    try:
        fetched, trouble = _fetched(url, known, way)
    except FetchError as error:
        return _Visit(url, "error", error.problem_of(url))
    except StepError as error:
        return _Visit(url, "error", str(error))
    if known is None and fetched.url != url:
        known = archive.newest(fetched.url)
    kept = _kept(fetched, archive)
    said = [
        f"found at {fetched.url}" * (fetched.url != url),
        "robots.txt forbids it" * (fetched.robots_allow is False),
    ]
    if is_failure(fetched.status):
        return _Visit(url, "error", f"stored with status {fetched.status}; check the address in a browser")
    body = fetched.page.body if fetched.page else None
    outcome = "unchanged" if kept or (known and known.body == body) else "changed" if known else "new"
    return _Visit(url, outcome, "; ".join(filter(None, [*said, trouble])))


def _from_archive(url: str, archive: ArchiveWriter, way: _Way, *, timemap: str, replay: str) -> _Visit:
    """Keep the versions of one page that a web archive holds, one after the other."""
    from pagedrift.capture.memento import fetch_memento, mementos
    from pagedrift.dates import EARLIEST

    known = archive.newest(url)
    after = (known and known.captured_at) or EARLIEST
    kept, failed = 0, 0
    try:
        found = [
            each
            for each in mementos(way.client, timemap, url, replay=replay, request_options=way.request_options)
            if each.captured_at > after
        ]
    except InputError as error:
        return _Visit(url, "error", str(error))
    for memento in found:
        try:
            archive.append(fetch_memento(way.client, memento, request_options=way.request_options))
            kept += 1
        except InputError as error:
            failed += 1
            click.echo(f"note: {error}", err=True)
    said = f"{kept:,} version{'s' * (kept != 1)} of {timemap}" + f", {failed:,} could not be had" * bool(failed)
    return _Visit(url, "error" if failed else "unchanged" if not kept else "changed" if known else "new", said)


def _fetched(url: str, known: PageVersion | None, way: _Way) -> tuple[Fetched | Visited, str]:
    """Have a page, by the browser where one is wanted; where that fails, without, and say why."""
    from pagedrift.capture.browser import RenderError
    from pagedrift.extras import MissingExtraError

    trouble = ""
    if way.browser is not None:
        secrets = {
            name.removeprefix(_SECRETS): value for name, value in os.environ.items() if name.startswith(_SECRETS)
        }
        try:
            seen = way.browser.visit(
                url, client=way.client, request_options=way.request_options, steps=way.steps, secrets=secrets
            )
        except (RenderError, MissingExtraError) as error:
            if way.steps:
                raise
            trouble = str(error)
        else:
            return seen, ""
    fetched = way.client.fetch(url, known=known, request_options=way.request_options)
    if fetched.not_modified and (known is None or fetched.url != known.url):
        fetched = way.client.fetch(
            url, request_options=way.request_options
        )  # it leads elsewhere now, to what was never kept
    return fetched, trouble


def _kept(fetched: Fetched | Visited, archive: ArchiveWriter) -> bool:
    """Keep what came, the page last; say whether it repeats a version that was kept before."""
    from pagedrift.capture.browser_visit import Visited

    attachments: Sequence[Attachment] = ()
    *redirects, last = fetched.exchanges
    if isinstance(fetched, Visited):
        redirects, last, attachments = list(fetched.led_by), fetched.document, _looks(fetched)
        for resource in fetched.resources:
            if _is_part(resource):
                archive.append(resource)
    # What no record says.
    notes = {"robots_allow": False} if fetched.robots_allow is False else None
    kept = archive.append(last, redirects=redirects, notes=notes, attachments=attachments)
    return kept.kind == "revisit" or last.not_modified


def _is_part(resource: Exchange) -> bool:
    """Distinguish parts of a page from pages of their own, such as a frame or an error."""
    found = next((value for name, value in resource.headers if name.lower() == "content-type"), "")
    return resource.status == _OK and "html" not in found.lower()


def _looks(seen: Visited) -> Sequence[Attachment]:
    """Keep how a page looked."""
    from pagedrift.archive.record_format import Attachment

    dom = Attachment("dom", "text/html; charset=utf-8", seen.dom.encode("utf-8", "replace"))
    return Attachment("fullPage", "image/png", seen.picture), dom
