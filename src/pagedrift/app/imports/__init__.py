"""Import and export of watches: lists, backups and the files of other programs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.imports.results import MAX_FILE_BYTES, ImportedWatches
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.app.model.alert_settings import AlertSettings
    from pagedrift.app.model.rules import Rule
    from pagedrift.app.model.watch import Watch
    from pagedrift.app.store.store import Store

# Who wrote a file, and the module that reads it.
FORMATS: Final = {
    "pagedrift": "backup",
    "changedetection": "changedetection",
    "urlwatch": "urlwatch",
    "distill": "distill",
    "opml": "opml",
    "list": "url_list",
}
_JOB: Final = re.compile(
    rb"^(?:- )?[\"']?(?:url|navigate|command|name|kind|filters?|report|job_defaults)[\"']?\s*:\s", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What came of an import."""

    added: tuple[Watch, ...]
    present: int  # that were watched already
    notes: tuple[str, ...]


def read(data: bytes, *, kind: str | None = None) -> ImportedWatches:
    """Read watches from a file of another program or of Pagedrift; the format is detected if none is named.

    >>> [watch.kind for watch in read(b"<opml><outline xmlUrl='https://city.example/feed'/></opml>").watches]
    ['feed']
    """
    if kind is not None and kind not in FORMATS:
        raise InputError(f"unknown format {kind!r}; choose from: {', '.join(FORMATS)}")
    found: ImportedWatches = import_module(f"{__name__}.{FORMATS[kind or recognise(data)]}").read(data)
    return found


def recognise(data: bytes) -> str:
    """Say which program wrote a file, by how it begins.

    >>> recognise(b"PK..."), recognise(b"url: https://city.example/"), recognise(b"https://city.example/")
    ('changedetection', 'urlwatch', 'list')
    """
    if data[:2] == b"PK":
        return "changedetection"
    start = data[:100_000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return _of_json(data)
    if start.startswith(b"<") or b"<opml" in start[:2000].lower():
        return "opml"
    return "urlwatch" if _JOB.search(start) else "list"


def take(store: Store, imported: ImportedWatches, *, group: str = "", paused: bool = False) -> ImportResult:
    """Add what was read; what is watched already stays as it is."""
    from pagedrift.app.store import feedback, watches

    notes = list(imported.notes)
    known = watches.groups(store)
    for name, options in imported.groups.items():
        if known.get(name):
            notes.append(f"the group {name} is there already and stays as it is")
        else:
            watches.set_group(store, name, options)
    wanted = [
        replace(watch, group=watch.group or group, paused=watch.paused or paused) for watch in imported.watches
    ]
    here = watches.present_ids(store, wanted)  # under their ids, though they may have been edited since
    new = [watch for watch in wanted if watch.id not in here]
    renamed = _renamed(store, new)
    added = watches.add_all(store, [replace(watch, id=renamed.get(watch.id, watch.id)) for watch in new])
    names = {watch.id for watch in added}
    rules = _of_watches_here(store, imported.rules, {old: new for old, new in renamed.items() if new in names})
    feedback.add_rules(store, rules)
    if imported.alert_settings is not None and not _take_settings(store, imported.alert_settings):
        notes.append("the settings of alerts are there already and stay as they are")
    return ImportResult(tuple(added), len(wanted) - len(added), tuple(notes))


def _take_settings(store: Store, settings: AlertSettings) -> bool:
    """Take over settings of alerts where nobody has set any yet; return whether these are in force."""
    from pagedrift.app.store import alert_settings

    known = alert_settings.get(store)
    if known == type(known)():
        known = alert_settings.save(store, settings.model_dump())
    return known == settings


def _of_json(data: bytes) -> str:
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"the file is larger than {MAX_FILE_BYTES // 10**6} MB; import it in parts")
    try:
        given: Any = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError("this is not valid JSON; export it again from the other program") from None
    if isinstance(given, dict) and given.get("format") == "pagedrift":
        return "pagedrift"
    if isinstance(given, dict) and _is_of_changedetection(given):
        return "changedetection"
    if isinstance(given, dict) and isinstance(given.get("data"), list):
        return "distill"
    raise InputError(f"the format of this JSON was not recognised; name it with --from: {', '.join(FORMATS)}")


def _is_of_changedetection(data: dict[str, Any]) -> bool:
    """Decide by what url-watches.json, changedetection.json and a watch.json hold."""
    settings = data.get("settings")
    has_settings = isinstance(settings, dict) and {"application", "requests"} <= settings.keys()
    return isinstance(data.get("watching"), dict) or has_settings or {"url", "fetch_backend"} <= data.keys()


def _renamed(store: Store, wanted: Iterable[Watch]) -> dict[str, str]:
    """Give new names to those whose old one is taken here, if only by one that was removed."""
    from pagedrift.app.model.watch import new_id
    from pagedrift.app.store import watches

    taken = watches.known_ids(store, [watch.id for watch in wanted if watch.id])
    return {each: new_id() for each in taken}


def _of_watches_here(store: Store, rules: Iterable[Rule], renamed: dict[str, str]) -> list[Rule]:
    """Leave out the rules of watches that were not added, since their pages are watched already."""
    from pagedrift.app.store import watches

    found = [replace(rule, of=renamed.get(rule.of, rule.of)) if rule.scope == "watch" else rule for rule in rules]
    here = watches.known_ids(store, [rule.of for rule in found if rule.scope == "watch"])
    return [rule for rule in found if rule.scope != "watch" or rule.of in here]
