"""Which watches are in a backup of changedetection.io?

A backup is a zip. Older ones hold all watches in `url-watches.json`, newer ones each in `UUID/watch.json`, groups
in `UUID/tag.json` and settings in `changedetection.json`. Members are read in memory and never written anywhere.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.imports.taken import MOST_WATCHES, Gathering, Imported, pairs
from pagedrift.app.imports.xpaths import to_css
from pagedrift.app.watches import LONGEST, SHORTEST, Watch
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LARGEST: Final = 512_000_000  # bytes of a backup: it holds pictures
MOST_MEMBERS: Final = 5_000_000
LARGEST_MEMBER: Final = 32_000_000  # bytes of a member that is read
LARGEST_TOTAL: Final = 256_000_000  # bytes of all that are read

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_MEMBER: Final = re.compile(rf"({_UUID})/(watch|tag)\.json", re.IGNORECASE)
_SNAPSHOT: Final = re.compile(rf"{_UUID}/[0-9a-f]{{32}}\.(?:txt|txt\.br|br|html\.br)", re.IGNORECASE)
_UNITS: Final = {"weeks": 604_800, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
_SLASHED: Final = re.compile(r"/(.*)/([a-z]*)", re.DOTALL)
_PLAIN: Final = frozenset({"", "html_requests", "requests"})  # fetchers that are no browsers

# What is said here in other words or not at all, and is worth a note where somebody used it.
_NOTED: Final = (
    "trigger_text text_should_not_be_present extract_text extract_lines_containing conditions check_unique_lines "
    "sort_text_alphabetically webdriver_js_execute_code notification_title notification_body llm_intent"
).split()
# Steps in a browser that have a counterpart, by whether they need a selector and a value.
_STEPS: Final = {
    "Goto URL": "goto {value}",
    "Enter text in field": "fill {selector} = {value}",
    "Click element": "click {selector}",
    "Check checkbox": "click {selector}",
    "Press Enter": "press Enter",
    "Select by label": "select {selector} = {value}",
    "<select> by option text": "select {selector} = {value}",
    "Wait for seconds": "wait {value}",
    "Wait for text in element": "wait {selector}",
}
_IDLE_STEPS: Final = frozenset({"", "Choose one", "Goto site", "Scroll down"})


@dataclass(frozen=True, slots=True)
class _Backup:
    """What a backup says."""

    watches: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    proxies: dict[str, Any] = field(default_factory=dict)
    snapshots: int = 0

    def setting(self, part: str, name: str) -> Any:
        found = self.settings.get(part)
        return found.get(name) if isinstance(found, dict) else None


def read(data: bytes) -> Imported:
    """Read a backup, or the `url-watches.json` out of one."""
    backup = _unzipped(data) if data[:2] == b"PK" else _legacy(_json(data, "url-watches.json"))
    gathering = Gathering()
    for tag in backup.tags.values():
        name = _text(tag.get("title"))
        if name:
            gathering.group(name, _group(gathering, tag, name))
    for watch in backup.watches.values():
        _take(gathering, backup, watch)
    told = ["every change was told there; here those that matter are. For the old way, set tell to any"]
    if backup.snapshots:
        told.append(f"{backup.snapshots:,} snapshots were not taken over: they are texts, and no pages")
    return gathering.done(*told if backup.watches else ())


def _unzipped(data: bytes) -> _Backup:
    if len(data) > LARGEST:
        raise InputError(f"the backup is larger than {LARGEST // 10**6} MB; export only watches, or import a list")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _members(archive)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        OSError,
        ValueError,
    ) as error:
        raise InputError(f"the backup cannot be read ({error}); make it again") from None


def _members(archive: zipfile.ZipFile) -> _Backup:
    names = archive.namelist()
    if len(names) > MOST_MEMBERS:
        raise InputError(f"the backup has more than {MOST_MEMBERS:,} files; export only watches")
    left = LARGEST_TOTAL
    legacy: dict[str, Any] = {}
    found = _Backup(snapshots=sum(1 for name in names if _SNAPSHOT.fullmatch(name)))
    for name in dict.fromkeys(names):
        match = _MEMBER.fullmatch(name)
        if match is None and name not in ("url-watches.json", "changedetection.json", "proxies.json"):
            continue
        with archive.open(name) as member:
            body = member.read(min(LARGEST_MEMBER, left) + 1)  # whatever size the zip claims
        left -= len(body)
        if len(body) > LARGEST_MEMBER or left < 0:
            raise InputError(f"{name} in the backup is too large; export only watches")
        told = _json(body, name)
        if match:
            (found.watches if match[2].lower() == "watch" else found.tags)[match[1].lower()] = told
        elif name == "proxies.json":
            found.proxies.update(told)
        else:
            legacy = told if name == "changedetection.json" or not legacy else legacy
    older = _legacy(legacy)
    if len(found.watches) > MOST_WATCHES:
        raise InputError(f"there are more than {MOST_WATCHES:,} watches in it; import them in parts")
    return _Backup(
        older.watches | found.watches,
        older.tags | found.tags,
        older.settings,
        older.proxies | found.proxies,
        found.snapshots,
    )


def _legacy(told: dict[str, Any]) -> _Backup:
    """Read what one file says about everything."""
    settings = told.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    application = settings.get("application")
    tags = application.get("tags") if isinstance(application, dict) else None
    asking = settings.get("requests")
    extra = asking.get("extra_proxies") if isinstance(asking, dict) else None
    proxies: dict[str, Any] = {}
    for each in extra if isinstance(extra, list) else ():
        if isinstance(each, dict) and each.get("proxy_name") and each.get("proxy_url"):
            proxies[f"ui-0{each['proxy_name']}"] = {"url": each["proxy_url"]}
    return _Backup(_by_name(told.get("watching")), _by_name(tags), settings, proxies)


def _by_name(value: Any) -> dict[str, dict[str, Any]]:
    items = value.items() if isinstance(value, dict) else ()
    return {str(name): each for name, each in items if isinstance(each, dict)}


def _json(data: bytes, name: str) -> dict[str, Any]:
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError(f"{name} is no JSON; make the backup again") from None
    return told if isinstance(told, dict) else {}


def _take(gathering: Gathering, backup: _Backup, watch: dict[str, Any]) -> None:
    """Take one watch over, as far as it goes."""
    url = _text(watch.get("url"))
    if url.startswith("source:"):
        url = url.removeprefix("source:")
        gathering.note("source: was left out; the source is one of the views of every change", url)
    if "{{" in url or "{%" in url:
        gathering.note("left out: its address is a template", url[:100])
        return
    if _text(watch.get("method"), "GET").upper() != "GET" or watch.get("body"):
        gathering.note("left out: it sends something to the server, and pages are only asked for here", url[:100])
        return
    groups = _groups(backup, watch)
    if len(groups) > 1:
        gathering.note("only the first of several groups was taken over", url)
    options = _looking(gathering, backup, watch, url) | _asking(gathering, backup, watch, url)
    options |= _telling(gathering, backup, watch, url, groups)
    for name in _NOTED:
        if watch.get(name):
            gathering.note(f"{name} was not taken over", url)
    if _text(watch.get("processor"), "text_json_diff") != "text_json_diff":
        gathering.note(f"the processor {_text(watch['processor'])[:40]} is the page as a whole here", url)
    if isinstance(limit := watch.get("time_schedule_limit"), dict) and limit.get("enabled") is True:
        gathering.note("the hours of the week were not taken over", url)
    gathering.add(
        Watch(
            url,
            name=_text(watch.get("title"))[:1000],
            group=groups[0] if groups else "",
            options={name: value for name, value in options.items() if value not in ("", (), None)},
            paused=watch.get("paused") is True,
        )
    )


def _groups(backup: _Backup, watch: Mapping[str, Any]) -> list[str]:
    tags = watch.get("tags")
    named = [_text(backup.tags.get(str(tag), {}).get("title")) for tag in tags] if isinstance(tags, list) else []
    old = [part.strip() for part in _text(watch.get("tag")).split(",")]
    return [name for name in dict.fromkeys((*named, *old)) if name]


def _group(gathering: Gathering, tag: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Give what watches of a group share, and were to use instead of their own."""
    where = f"group {name[:80]}"
    shared: dict[str, Any] = {"to": gathering.channels(_texts(tag.get("notification_urls")), where)}
    if tag.get("overrides_watch") is True:
        shared["only"] = _selected(gathering, _texts(tag.get("include_filters")), where)
        shared["without"] = _selected(gathering, _texts(tag.get("subtractive_selectors")), where)
    return {key: value for key, value in shared.items() if value}


def _looking(gathering: Gathering, backup: _Backup, watch: Mapping[str, Any], url: str) -> dict[str, Any]:
    """Say what is looked at."""
    without = (
        *_texts(watch.get("subtractive_selectors")),
        *_texts(backup.setting("application", "global_subtractive_selectors")),
    )
    ignored = (*_texts(watch.get("ignore_text")), *_texts(backup.setting("application", "global_ignore_text")))
    return {
        "only": _selected(gathering, _texts(watch.get("include_filters")), url),
        "without": _selected(gathering, without, url),
        "ignore_text": gathering.expressions(map(_expression, ignored), url),
    }


def _asking(gathering: Gathering, backup: _Backup, watch: Mapping[str, Any], url: str) -> dict[str, Any]:
    """Say how it is visited, and how often."""
    own = (
        _seconds(watch.get("time_between_check")) if watch.get("time_between_check_use_default") is not True else 0
    )
    every = own or _seconds(backup.setting("requests", "time_between_check"))
    fetcher = _text(watch.get("fetch_backend"), "system")
    if fetcher == "system":
        fetcher = _text(backup.setting("application", "fetch_backend"))
    steps, secrets = _steps(gathering, watch, url)
    return {
        "every": float(min(max(every, SHORTEST), LONGEST)) if every else None,
        "adaptive": False if own else None,
        "browser": True if steps or fetcher not in _PLAIN else None,
        "headers": pairs(backup.settings.get("headers")) + pairs(watch.get("headers")),
        "proxy": _proxy(gathering, backup, watch, url),
        "steps": steps,
        "secrets": secrets,
    }


def _telling(
    gathering: Gathering, backup: _Backup, watch: Mapping[str, Any], url: str, groups: list[str]
) -> dict[str, Any]:
    """Say whom to tell: its own channels, those of its group, or those of all."""
    told: dict[str, Any] = {"tell": "nothing"} if watch.get("notification_muted") is True else {}
    own = gathering.channels(_texts(watch.get("notification_urls")), url)
    grouped = any(
        _texts(tag.get("notification_urls")) for tag in backup.tags.values() if _text(tag.get("title")) in groups
    )
    if not own and not grouped:
        own = gathering.channels(_texts(backup.setting("application", "notification_urls")), url)
    return told | {"to": own}


def _selected(gathering: Gathering, filters: Iterable[str], where: str) -> tuple[str, ...]:
    """Give filters as CSS; JSONPath and jq are said nowhere else."""
    written: list[str] = []
    for each in filters:
        if each.startswith(("json:", "jq:", "jqraw:")):
            gathering.note("a filter of JSON was left out; JSON is compared as a whole", where)
        elif each.startswith(("/", "xpath:", "xpath1:")):
            css = to_css(each)
            if css is None:
                gathering.note("an XPath was left out that CSS has no words for", where)
            else:
                written.append(css)
        else:
            written.append(each)
    return gathering.selectors(written, where)


def _expression(text: str) -> str:
    """Give text that is ignored as an expression: there, it takes the whole line out."""
    if match := _SLASHED.fullmatch(text):
        flags = "".join(sign for sign in match[2] if sign in "ims")
        return (f"(?{flags})" if flags else "") + match[1]
    return f"(?i).*{re.escape(text)}.*"


def _steps(
    gathering: Gathering, watch: Mapping[str, Any], url: str
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Give steps in a browser as ours; what goes into a field for passwords becomes a secret."""
    steps: list[str] = []
    secrets: list[tuple[str, str]] = []
    told = watch.get("browser_steps")
    for each in told if isinstance(told, list) else ():
        if not isinstance(each, dict) or (name := _text(each.get("operation"))) in _IDLE_STEPS:
            continue
        selector, value = _text(each.get("selector")), _text(each.get("optional_value"))
        if selector.startswith(("/", "xpath")):
            selector = to_css(selector) or ""
        pattern = _STEPS.get(name, "")
        wanting = ("{selector}" in pattern and not selector) or ("{value}" in pattern and not value)
        if not pattern or wanting or "\n" in selector + value or "{{" in value + selector:
            gathering.note(f"the step {name[:60]!r} in the browser was not taken over", url)
            continue
        if pattern.startswith("fill") and "pass" in selector.lower():
            secrets.append((f"password{len(secrets) + 1}", value))
            value = f"{{secret:{secrets[-1][0]}}}"
        steps.append(pattern.replace("{selector}", selector).replace("{value}", value, 1))
    return tuple(steps), tuple(secrets)


def _proxy(gathering: Gathering, backup: _Backup, watch: Mapping[str, Any], url: str) -> str:
    """Find the address of the proxy that is named."""
    chosen = _text(watch.get("proxy")) or _text(backup.setting("requests", "proxy"))
    if not chosen or chosen == "no-proxy":
        return ""
    known = backup.proxies.get(chosen)
    address = _text(known.get("url")) if isinstance(known, dict) else ""
    if not address:
        gathering.note("its proxy is not in the backup; set it again", url)
    return address


def _seconds(told: Any) -> float:
    """Add up weeks, days and so on."""
    if not isinstance(told, dict):
        return 0.0
    numbers = (_number(told.get(unit)) * seconds for unit, seconds in _UNITS.items())
    return min(sum(numbers), LONGEST)


def _number(value: Any) -> float:
    try:
        number = float(value or 0)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if 0 <= number <= LONGEST else 0.0


def _text(value: Any, default: str = "") -> str:
    return value.strip() if isinstance(value, str) and value.strip() else default


def _texts(value: Any) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else [value] if isinstance(value, str) else ()
    return tuple(text.strip() for text in texts if isinstance(text, str) and text.strip())
