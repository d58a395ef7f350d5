"""Requests for a watched page, and the metadata of its newest version that they depend on."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from pagedrift.app.model.options import lacking
from pagedrift.app.model.results import VersionMetadata
from pagedrift.capture.http_messages import page_of
from pagedrift.capture.request_options import RequestOptions
from pagedrift.errors import InputError
from pagedrift.limits import DEFAULT_LIMITS
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.results import VisitResult
    from pagedrift.app.model.rules import Rule
    from pagedrift.app.model.task import Task
    from pagedrift.http_exchange import Exchange


def request_options_of(options: WatchOptions) -> RequestOptions:
    """Say how a watch wants its pages asked for; without its secrets, nobody is asked."""
    if missing := [name for name in lacking(options) if name != "notify"]:
        raise InputError(lost(missing))
    return RequestOptions(headers=options.headers, cookies=options.cookies, proxy=options.proxy or None)


def lost(names: Sequence[str]) -> str:
    """Say which secrets are to be given again."""
    return f"secrets are not in the archive, from which all was made again; give them again: {', '.join(names)}"


def asked_how(options: WatchOptions) -> str:
    """Name how a page is asked for: by other headers, a server may give another page."""
    found = (options.browser, options.headers, options.cookies, options.proxy, options.steps)
    return sha256(repr(found).encode("utf-8", "replace")).hexdigest()[:16]


def is_asked_alike(one: WatchOptions, other: WatchOptions) -> bool:
    """Return whether two watches of one address ask for it in the same way, so that one answer is for both."""
    return all(
        getattr(one, name) == getattr(other, name)
        for name in ("browser", "headers", "cookies", "proxy", "steps", "secrets")
    )


def is_asked_otherwise(task: Task) -> bool:
    """Return whether the newest version was asked for in another way than the options say now."""
    return task.newest is not None and task.memory.get("asked", asked_how(task.options)) != asked_how(task.options)


def wanted_what(task: Task) -> str:
    """Name the options for storage and alerts: if they change, skipped versions are compared again."""
    return sha256(repr(task.options).encode("utf-8", "replace")).hexdigest()[:16]


def looked_at(options: WatchOptions, rules: Iterable[Rule]) -> str:
    """Name how a page is asked for and which parts of it count: its past is known by these."""
    parts = (
        options.include,
        options.exclude,
        options.ignore_text,
        sorted((rule.kind, rule.value) for rule in rules),
    )
    return sha256(repr((asked_how(options), parts)).encode("utf-8", "replace")).hexdigest()


def known_version(task: Task) -> PageVersion | None:
    """Give the newest version as far as a server is asked about it; one that was asked for otherwise is another."""
    newest = task.newest
    if newest is None or newest.url != task.watch.url or task.memory.get("asked", "") != asked_how(task.options):
        return None
    headers = (("ETag", newest.etag), ("Last-Modified", newest.modified))
    return PageVersion(newest.url, b"", status=200, headers=tuple((name, said) for name, said in headers if said))


def version_known_to_all(tasks: Sequence[Task]) -> PageVersion | None:
    """Give the newest version, if all watches that are visited together have the same one."""
    first, known = tasks[0].newest, [known_version(task) for task in tasks]
    alike = all(task.newest and first and task.newest.digest == first.digest for task in tasks)
    return known[0] if alike and all(known) else None


def version_of(page: PageVersion, now: datetime, *, digest: str, title: str = "") -> VersionMetadata:
    """Say of a version what is remembered next to its bytes; nobody looks at those for it."""
    return VersionMetadata(
        url=page.url,
        captured_at=page.captured_at or now,
        digest=digest,
        mime=(page.content_type or "").partition(";")[0].strip(),
        status=page.status,
        title=title,
        etag=page.header("etag") or "",
        modified=page.header("last-modified") or "",
        pictured=page.view is not None,
    )


def without_body(answer: Exchange) -> PageVersion:
    """Give what a response says about its page, without the body."""
    return page_of(replace(answer, body=b""), limits=DEFAULT_LIMITS)


def unmodified(task: Task, now: datetime) -> VersionMetadata | None:
    """Give the newest version again, as of now."""
    row = task.newest
    if row is None:
        return None
    return VersionMetadata(
        url=row.url,
        captured_at=now,
        digest=row.digest,
        mime=row.mime,
        status=row.status,
        title=row.title,
        etag=row.etag,
        modified=row.modified,
        pictured=False,
    )


def is_same(task: Task, result: VisitResult) -> bool:
    """Return whether a visit found the version that is known."""
    known, found = task.newest, result.version
    return known is None or found is None or known.digest == found.digest
