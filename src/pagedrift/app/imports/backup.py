"""Backup file of Pagedrift: writing watches, groups, rules, alerts and their settings, and reading them back."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.imports.results import ImportBuilder, ImportedWatches, text_of
from pagedrift.app.model.alert_settings import checked_settings, hidden_settings
from pagedrift.app.model.options import HIDDEN, SECRET, hidden, renamed
from pagedrift.app.model.rules import Rule
from pagedrift.app.model.rules import checked as checked_rule
from pagedrift.app.model.watch import Watch
from pagedrift.app.store import alert_settings, feedback, queries, watches
from pagedrift.errors import InputError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pagedrift.app.model.alert_settings import AlertSettings
    from pagedrift.app.store.store import Store

NAME: Final = "pagedrift"
FORMAT: Final = 1
_ID: Final = re.compile(r"[0-9A-Za-z]{1,32}")  # as the table has it


def export(store: Store, *, secrets: bool = False) -> dict[str, Any]:
    """Export watches, groups, rules, alerts with their settings, and feedback; secrets only if asked for."""
    with store.read() as session:
        labels = [
            {"watch": which, "at": at.isoformat(), "matters": matters}
            for which, at, matters in queries.labelled(session)
        ]
        record: dict[str, Any] = {"told": list(queries.sent_alerts(session)), "labels": labels}
    known = watches.own(store), watches.groups(store), feedback.rules(store)
    settings = alert_settings.get(store)
    record["alert_settings"] = settings.model_dump(mode="json") if secrets else hidden_settings(settings)
    return written(*known, secrets=secrets) | record


def written(
    found: Iterable[Watch],
    groups: Mapping[str, Mapping[str, Any]],
    rules: Iterable[Rule] = (),
    *,
    secrets: bool = False,
) -> dict[str, Any]:
    """Give watches, groups and rules as data of JSON."""
    shown = dict if secrets else hidden
    return {
        "format": NAME,
        "v": FORMAT,
        "exported_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "secrets": secrets,
        "groups": {name: shown(options) for name, options in groups.items()},
        "watches": [
            {**{name: getattr(watch, name) for name in Watch.__slots__}, "options": shown(watch.options)}
            for watch in found
        ],
        "rules": [asdict(rule) for rule in rules],
    }


def read(data: bytes) -> ImportedWatches:
    """Read what `export` wrote."""
    try:
        given = json.loads(text_of(data))
    except (ValueError, RecursionError):
        raise InputError("this is not valid JSON; export it again") from None
    if not isinstance(given, dict) or given.get("format") != NAME:
        raise InputError("this is not a Pagedrift export; create one with: pagedrift watch export")
    if given.get("v") != FORMAT:
        raise InputError("this export is of a newer release; update Pagedrift with: pip install -U pagedrift")
    gathering = ImportBuilder()
    for name, options in _items(given.get("groups")):
        gathering.group(name, _without_hidden(gathering, options, f"group {name[:80]}"))
    for watch in _several(given.get("watches")):
        _take(gathering, watch)
    rules = tuple(_rules(gathering, _several(given.get("rules"))))
    record = [f"{len(_several(given.get(name)))} {name}" for name in ("told", "labels") if given.get(name)]
    notes = [f"a record that comes back with the archive: {', '.join(record)}"] if record else []
    settings = _settings(gathering, given.get("alert_settings"))
    done = gathering.done(*notes)
    return ImportedWatches(
        watches=done.watches, notes=done.notes, groups=done.groups, rules=rules, alert_settings=settings
    )


def _settings(gathering: ImportBuilder, data: Any) -> AlertSettings | None:
    """Read the settings of alerts, without channels whose secrets were not exported."""
    if not isinstance(data, dict):
        return None
    try:
        settings = checked_settings(data)
    except InputError as error:
        gathering.note(f"settings of alerts were left out: {error}", "alerts")
        return None
    if HIDDEN not in json.dumps(data):
        return settings
    gathering.note("secrets were left out of the channels in the export; set them again", "alerts")
    tags = {tag: _kept(several) for tag, several in settings.tag_channels.items() if _kept(several)}
    return settings.model_copy(update={"channels": _kept(settings.channels), "tag_channels": tags})


def _kept(channels: Iterable[str]) -> tuple[str, ...]:
    return tuple(channel for channel in channels if not _is_hidden(channel))


def _take(gathering: ImportBuilder, data: Any) -> None:
    url = data.get("url") if isinstance(data, dict) else None
    if not isinstance(url, str) or not isinstance(data.get("options", {}), dict):
        gathering.note("skipped: not a watch", str(url)[:100])
        return
    texts = {name: data[name] for name in ("name", "group", "id") if isinstance(data.get(name), str)}
    if not _ID.fullmatch(texts.get("id", "")):
        texts.pop("id", None)
    options = _without_hidden(gathering, data.get("options", {}), url)
    gathering.add(
        Watch(
            url,
            kind=data.get("kind", "page"),
            tags=tuple(map(str, _several(data.get("tags")))),
            options=options,
            paused=data.get("paused") is True,
            **texts,
        )
    )


def _without_hidden(gathering: ImportBuilder, options: Any, where: str) -> dict[str, Any]:
    """Leave out secrets that were not exported."""
    kept: dict[str, Any] = {}
    for name, value in renamed(dict(_items(options))).items():
        if name not in SECRET:
            kept[name] = value
            continue
        rest = [each for each in value if not _is_hidden(each)] if isinstance(value, list) else value
        if rest == value and rest != HIDDEN:
            kept[name] = value
            continue
        gathering.note(f"secrets were left out of {name} in the export; set it again", where)
        if isinstance(rest, list) and rest:
            kept[name] = rest
    return kept


def _is_hidden(value: Any) -> bool:
    """Return whether a pair or a channel stands for one that was not exported."""
    last = value[-1] if isinstance(value, list) and value else value
    return isinstance(last, str) and (last == HIDDEN or last.endswith(f"://{HIDDEN}"))


def _rules(gathering: ImportBuilder, data: Iterable[Any]) -> Iterable[Rule]:
    for each in data:
        try:
            fields = {name: str(each.get(name, "")) for name in Rule.__slots__}
            yield checked_rule(Rule(**fields))  # type: ignore[arg-type]
        except (PagedriftError, AttributeError) as error:
            gathering.note(f"a rule was left out: {error}", "rules")


def _items(value: Any) -> Iterable[tuple[str, Any]]:
    return tuple((str(name), each) for name, each in value.items()) if isinstance(value, dict) else ()


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
