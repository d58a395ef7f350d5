"""Reader for backups of changedetection.io.

A backup is a zip. Older ones hold all watches in `url-watches.json`. In release 0.60 each watch is in
`UUID/watch.json`, what its processor wants in `UUID/PROCESSOR.json`, more headers in `UUID/headers.txt`, a group in
`UUID/tag.json`, and `changedetection.json` holds settings alone. Members are read in memory and never written
anywhere.
"""

from __future__ import annotations

import fnmatch
import io
import json
import re
import zipfile
import zlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from pagedrift import durations
from pagedrift.app.imports.changedetection_conditions import read_conditions
from pagedrift.app.imports.changedetection_settings import APPLICATION, REQUESTS, RESTOCK_DEFAULTS, TAG, WATCH
from pagedrift.app.imports.leftovers import left_behind
from pagedrift.app.imports.results import MAX_WATCHES, ImportBuilder, ImportedWatches, further_tags, pairs
from pagedrift.app.imports.xpaths import to_css
from pagedrift.app.model.options import MAX_INTERVAL_SECONDS, MIN_INTERVAL_SECONDS
from pagedrift.app.model.watch import Watch
from pagedrift.capture.steps import MAX_WAIT_SECONDS
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pagedrift.app.imports.leftovers import KnownSettings

MAX_BACKUP_BYTES: Final = 512_000_000  # bytes of a backup: it holds pictures
MAX_MEMBERS: Final = 5_000_000
MAX_MEMBER_BYTES: Final = 32_000_000  # bytes of a member that is read
MAX_PATTERNS: Final = 100  # tags that are given by address
MAX_PATTERN_CHARS: Final = 500
MAX_TOTAL_BYTES: Final = 256_000_000  # bytes of all that are read

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# A zip that somebody made of the whole folder has its name before all others.
_FOLDER: Final = re.compile(
    r"\w[\w.-]{0,80}/(?=" + _UUID + r"/|changedetection\.json|url-watches\.json)", re.IGNORECASE
)
_MEMBER: Final = re.compile(rf"({_UUID})/([a-z0-9_-]{{1,60}}\.json|headers\.txt)", re.IGNORECASE)
_ALONE: Final = ("url-watches.json", "changedetection.json", "proxies.json", "headers.txt")
_APART: Final = ("__", "processor_config_")  # what lasts for one visit, and what is noted by itself
_CONFIGURED: Final = re.compile(r"restock_settings|processor_config_(?!.*_source$).*", re.DOTALL)
_SETTINGS: Final = "settings for all watches"
_SNAPSHOT: Final = re.compile(rf"{_UUID}/[0-9a-f]{{32}}\.(?:txt|txt\.br|br|html\.br)", re.IGNORECASE)
_SLASHED: Final = re.compile(r"/(.*)/([a-z]*)", re.DOTALL)
_PLAIN: Final = frozenset({"", "html_requests", "requests"})  # fetchers that are not browsers

_BROWSERS: Final = frozenset({"html_webdriver", "html_playwright", "html_puppeteer", "playwright", "webdriver"})
_HIDING: Final = {  # kinds of change, by the setting that leaves them out
    "filter_text_added": "added",
    "filter_text_removed": "removed",
    "filter_text_replaced": "edited",
}
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Backup:
    """What a backup says."""

    watches: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    proxies: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)  # texts of headers.txt, by watch; of all under ""
    matching: tuple[Mapping[str, Any], ...] = ()  # tags that are given to all watches with some address
    snapshots: int = 0

    def setting(self, part: str, name: str) -> Any:
        found = self.settings.get(part)
        return found.get(name) if isinstance(found, dict) else None


def read(data: bytes) -> ImportedWatches:
    """Read a backup, or the `url-watches.json` or a `watch.json` out of one."""
    backup = _unzipped(data) if data[:2] == b"PK" else _legacy(_json(data, "url-watches.json"))
    if backup.settings and not backup.watches:
        raise InputError(
            "the file contains only settings; the watches are in folders next to changedetection.json; "
            "import the backup that changedetection.io makes under Backups, or the whole data folder"
        )
    gathering = ImportBuilder()
    backup = replace(backup, matching=_matching(gathering, backup))
    _note_settings(gathering, backup)
    for tag in backup.tags.values():
        name = _text(tag.get("title"))
        if name:
            gathering.group(name, _group(gathering, tag, name))
    for identity, watch in backup.watches.items():
        _take(gathering, backup, watch, identity)
    given = [
        "there, every change caused an alert; here, important ones do. For all of them, set notify_on to anything"
    ]
    if backup.snapshots:
        given.append(f"{backup.snapshots:,} snapshots were not imported: they are texts, not pages")
    return gathering.done(*given if backup.watches else ())


def packed(folder: Path) -> bytes:
    """Pack the data folder of changedetection.io as its own backup does, without pictures and snapshots."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((*folder.glob("*"), *folder.glob("*/*"))):
            name = path.relative_to(folder).as_posix()
            if (name in _ALONE or _MEMBER.fullmatch(name)) and path.is_file():
                archive.write(path, name)
    if not archive.namelist():
        raise InputError(f"{folder} holds no watches of changedetection.io; name its data folder, or a file")
    return written.getvalue()


def _unzipped(data: bytes) -> _Backup:
    if len(data) > MAX_BACKUP_BYTES:
        raise InputError(
            f"the backup is larger than {MAX_BACKUP_BYTES // 10**6} MB; export only watches, or import a list"
        )
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
    if len(names) > MAX_MEMBERS:
        raise InputError(f"the backup has more than {MAX_MEMBERS:,} files; export only watches")
    left = MAX_TOTAL_BYTES
    read: dict[str, bytes] = {}
    for name in dict.fromkeys(names):
        short = _FOLDER.sub("", name, count=1) if _FOLDER.match(name) else name
        if short not in _ALONE and not _MEMBER.fullmatch(short):
            continue
        with archive.open(name) as member:
            body = member.read(min(MAX_MEMBER_BYTES, left) + 1)  # whatever size the zip claims
        left -= len(body)
        if len(body) > MAX_MEMBER_BYTES or left < 0:
            raise InputError(f"the backup is too large at {name}; export only watches")
        read[short] = body
    found = _put_together(read)
    if len(found.watches) > MAX_WATCHES:
        raise InputError(f"there are more than {MAX_WATCHES:,} watches in it; import them in parts")
    snapshots = sum(1 for name in names if _SNAPSHOT.search(name))
    return replace(found, snapshots=snapshots)


def _put_together(read: dict[str, bytes]) -> _Backup:
    """Put together what the files of a backup hold, which are let go one by one."""
    # Next to the newer file, the older one is what an update left behind.
    main = "changedetection.json" if "changedetection.json" in read else "url-watches.json"
    found = _legacy(_json(read.get(main, b"{}"), main))
    configured: dict[str, dict[str, Any]] = {}
    for name in list(read):
        body, match = read.pop(name), _MEMBER.fullmatch(name)
        if name == "headers.txt" or (match and match[2].lower() == "headers.txt"):
            found.headers[match[1].lower() if match else ""] = body.decode("utf-8", "replace")
        elif name == "proxies.json":
            found.proxies.update(_json(body, name))
        elif match and match[2].lower() in ("watch.json", "tag.json"):
            kept = found.watches if match[2].lower() == "watch.json" else found.tags
            kept[match[1].lower()] = _json(body, name)
        elif match:
            processor = match[2].removesuffix(".json")
            data = _json(body, name)
            configured.setdefault(match[1].lower(), {})[f"processor_config_{processor}"] = data.get(processor, data)
    for identity, more in configured.items():
        if identity in found.watches:
            found.watches[identity] |= more
    return found


def _legacy(data: dict[str, Any]) -> _Backup:
    """Read what one file says about everything."""
    settings = data.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    application = settings.get("application")
    tags = application.get("tags") if isinstance(application, dict) else None
    asking = settings.get("requests")
    extra = asking.get("extra_proxies") if isinstance(asking, dict) else None
    proxies: dict[str, Any] = {}
    for each in extra if isinstance(extra, list) else ():
        if isinstance(each, dict) and each.get("proxy_name") and each.get("proxy_url"):
            proxies[f"ui-0{each['proxy_name']}"] = {"url": each["proxy_url"]}
    watches = {"": data} if "watching" not in data and "url" in data else _by_name(data.get("watching"))
    return _Backup(watches=watches, tags=_by_name(tags), settings=settings, proxies=proxies)


def _by_name(value: Any) -> dict[str, dict[str, Any]]:
    items = value.items() if isinstance(value, dict) else ()
    return {str(name): each for name, each in items if isinstance(each, dict)}


def _json(data: bytes, name: str) -> dict[str, Any]:
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError(f"{name} is not valid JSON; create the backup again") from None
    return given if isinstance(given, dict) else {}


def _note_settings(gathering: ImportBuilder, backup: _Backup) -> None:
    """Name the settings for all watches that were not imported."""
    for part, known in (("application", APPLICATION), ("requests", REQUESTS)):
        data = backup.settings.get(part)
        for note in left_behind(data if isinstance(data, dict) else {}, known):
            gathering.note(note, _SETTINGS)
    for name in sorted(backup.settings.keys() - {"application", "requests", "headers"}):
        gathering.note(f"{name[:60]} was not imported; Pagedrift has no settings like these", _SETTINGS)


def _take(gathering: ImportBuilder, backup: _Backup, watch: dict[str, Any], identity: str) -> None:
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
    tags = _tags(gathering, backup, watch, url)
    groups = [_text(tag.get("title")) for tag in tags]
    if len(groups) > 1:
        others = ", ".join(name[:80] for name in groups[1:9])
        gathering.note(
            f"a watch has one group here, its first tag; the options of these tags do not apply: {others}", url
        )
    options = _looking(gathering, backup, watch, tags, url) | _asking(gathering, backup, watch, identity, url)
    conditions = read_conditions(watch)
    options |= _telling(gathering, backup, watch, tags, url) | dict(conditions.options)
    left = {name: value for name, value in watch.items() if name not in conditions.taken}
    if "processor" in conditions.taken and not options.get("include"):
        gathering.note("price and availability are read off the whole page; select them with include", url)
    _note_left_behind(gathering, left, WATCH, url)
    gathering.add(
        Watch(
            url,
            name=_text(watch.get("title"))[:1000],
            group=groups[0] if groups else "",
            tags=further_tags(groups[1:]),
            options={name: value for name, value in options.items() if value not in ("", (), None)},
            paused=watch.get("paused") is True or backup.setting("application", "all_paused") is True,
        ),
        hiding=_hidden(watch),
    )


def _hidden(watch: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the kinds of change that are not to be seen. In sorted text, nothing changes its place."""
    hidden = [kind for name, kind in _HIDING.items() if watch.get(name) is False]
    return (*hidden, "moved") if watch.get("sort_text_alphabetically") is True else tuple(hidden)


def _note_left_behind(gathering: ImportBuilder, data: Mapping[str, Any], known: KnownSettings, where: str) -> None:
    """Name what was not imported of a watch or a tag."""
    for note in left_behind({name: value for name, value in data.items() if not name.startswith(_APART)}, known):
        gathering.note(note, where)
    for name, value in data.items():
        if _CONFIGURED.fullmatch(name):
            _note_processor(gathering, name.removeprefix("processor_config_"), value, where)
    processor = _text(data.get("processor"), "text_json_diff")
    if processor != "text_json_diff":
        part = "price and availability" if processor == "restock_diff" else "the part that matters"
        gathering.note(
            f"the processor {processor[:40]} was not imported; the page is compared as a whole: "
            f"select {part} with include, and set notify_on to anything",
            where,
        )
    if isinstance(limit := data.get("time_schedule_limit"), dict) and limit.get("enabled") is True:
        gathering.note("time_schedule_limit was not imported; the page is checked at all hours", where)


def _note_processor(gathering: ImportBuilder, name: str, data: Any, where: str) -> None:
    """Name what was set for a processor: limits of prices, thresholds for pictures."""
    settings = data if isinstance(data, dict) else {"": data}
    said = [
        key[:60]
        for key, value in sorted(settings.items())
        if value not in (None, "", [], {}) and value != RESTOCK_DEFAULTS.get(key)
    ]
    if said:
        gathering.note(
            f"{name[:60]} was not imported ({', '.join(said[:9])}); every change of the page counts: "
            "select parts of it with include, and choose alerts with notify_on",
            where,
        )


def _tags(gathering: ImportBuilder, backup: _Backup, watch: Mapping[str, Any], url: str) -> list[Mapping[str, Any]]:
    """Give the tags of a watch: its own, those that its address matches, and names as older releases have them."""
    listed = watch.get("tags")
    named = [str(tag) for tag in listed] if isinstance(listed, list) else []
    if any(tag not in backup.tags for tag in named):
        gathering.note("one of its tags is not in the backup; put it into a group yourself", url)
    own: list[Mapping[str, Any]] = [backup.tags[tag] for tag in named if tag in backup.tags]
    own += [tag for tag in backup.matching if _matches(tag, url)]
    known = {_text(tag.get("title")): tag for tag in own}
    for part in _text(watch.get("tag")).split(","):
        if part.strip():
            known.setdefault(part.strip(), {"title": part.strip()})
    return [tag for name, tag in known.items() if name]


def _matching(gathering: ImportBuilder, backup: _Backup) -> tuple[Mapping[str, Any], ...]:
    """Find the tags that are given by address: few, since each is tried on each watch."""
    found = [tag for tag in backup.tags.values() if _text(tag.get("url_match_pattern"))]
    fit = [tag for tag in found if len(_text(tag["url_match_pattern"])) <= MAX_PATTERN_CHARS][:MAX_PATTERNS]
    if len(fit) < len(found):
        gathering.note("url_match_pattern was not tried: too many or too long; put watches into groups", "tags")
    return tuple(fit)


def _matches(tag: Mapping[str, Any], url: str) -> bool:
    """Return whether a tag is given to all watches with such an address."""
    pattern = _text(tag.get("url_match_pattern")).lower()
    if set(pattern) & set("*?["):
        return fnmatch.fnmatchcase(url.lower(), pattern)
    return bool(pattern) and pattern in url.lower()


def _group(gathering: ImportBuilder, tag: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Give what watches of a group share."""
    where = f"group {name[:80]}"
    _note_left_behind(gathering, tag, TAG, where)
    muted = tag.get("notification_muted") is True  # then its watches use other channels
    shared: dict[str, Any] = {
        "notify": () if muted else gathering.channels(_texts(tag.get("notification_urls")), where),
        "include": _selected(gathering, _texts(tag.get("include_filters")), where),
        "exclude": _selected(gathering, _texts(tag.get("subtractive_selectors")), where),
        "ignore_text": gathering.expressions(map(_expression, _texts(tag.get("ignore_text"))), where),
    }
    return {key: value for key, value in shared.items() if value}


def _looking(
    gathering: ImportBuilder, backup: _Backup, watch: Mapping[str, Any], tags: list[Mapping[str, Any]], url: str
) -> dict[str, Any]:
    """Say what is looked at: there, a watch adds to its tags and the settings for all; here, it replaces them."""

    def gathered(name: str) -> tuple[str, ...]:
        own = _texts(watch.get(name)) + (_texts(watch.get("css_filter")) if name == "include_filters" else ())
        shared = [_texts(tag.get(name)) for tag in tags]
        every = (*own, *(text for texts in shared for text in texts))
        every += _texts(backup.setting("application", f"global_{name}"))
        return () if shared and every == shared[0] else tuple(dict.fromkeys(every))  # the group has these

    return {
        "include": _selected(gathering, gathered("include_filters"), url),
        "exclude": _selected(gathering, gathered("subtractive_selectors"), url),
        "ignore_text": gathering.expressions(map(_expression, gathered("ignore_text")), url),
    }


def _asking(
    gathering: ImportBuilder, backup: _Backup, watch: Mapping[str, Any], identity: str, url: str
) -> dict[str, Any]:
    """Say how it is visited, how often, and how many versions are kept."""
    own = 0.0 if watch.get("time_between_check_use_default") is True else _interval(watch)
    asking = backup.settings.get("requests")
    every = own or _interval(asking if isinstance(asking, dict) else {})
    in_browser = _is_in_browser(gathering, backup, watch, url)
    steps, secrets = _steps(gathering, watch, url)
    steps += _delay(gathering, backup, watch, url) if in_browser or steps else ()
    kept = watch.get("history_snapshot_max_length") or backup.setting("application", "history_snapshot_max_length")
    return {
        "every": float(min(max(every, MIN_INTERVAL_SECONDS), MAX_INTERVAL_SECONDS)) if every else None,
        "adaptive": False if own else None,
        "browser": True if steps or in_browser else None,
        "headers": _headers(gathering, backup, watch, identity, url),
        "proxy": _proxy(gathering, backup, watch, url),
        "steps": steps,
        "secrets": secrets,
        "keep_versions": int(_number(kept)) or None,
    }


def _is_in_browser(gathering: ImportBuilder, backup: _Backup, watch: Mapping[str, Any], url: str) -> bool:
    fetcher = _text(watch.get("fetch_backend"), "system")
    if fetcher == "system":
        fetcher = _text(backup.setting("application", "fetch_backend"))
    if fetcher not in _PLAIN | _BROWSERS:
        gathering.note(f"the browser {fetcher[:60]} was not imported; the one of Pagedrift is used", url)
    return fetcher not in _PLAIN


def _headers(
    gathering: ImportBuilder, backup: _Backup, watch: Mapping[str, Any], identity: str, url: str
) -> tuple[tuple[str, str], ...]:
    """Give the headers of all, of files next to the watches, and of the watch; the last of a name counts."""
    data: dict[str, Any] = {}
    files = [backup.headers.get(name, "") for name in ("", identity)]
    lines = [line.strip() for text in files for line in text.splitlines() if line.strip() and line[:1] != "#"]
    in_files = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    for more in (backup.settings.get("headers"), in_files, watch.get("headers")):
        if isinstance(more, dict):
            data |= more
    fit = pairs(data)
    if len(fit) < len(data):
        gathering.note("a header was left out that cannot be sent; set it again", url)
    return fit


def _telling(
    gathering: ImportBuilder, backup: _Backup, watch: Mapping[str, Any], tags: list[Mapping[str, Any]], url: str
) -> dict[str, Any]:
    """Choose the channels: its own, those of the first tag that has any, or those of all."""
    muted = watch.get("notification_muted") is True or backup.setting("application", "all_muted") is True
    data: dict[str, Any] = {"notify_on": "nothing"} if muted else {}
    own = gathering.channels(_texts(watch.get("notification_urls")), url)
    if own:
        return data | {"notify": own}
    for at, tag in enumerate(tags):
        if _texts(tag.get("notification_urls")) and tag.get("notification_muted") is not True:
            shared = () if at == 0 else gathering.channels(_texts(tag.get("notification_urls")), url)
            return data | {"notify": shared}  # the group has those of the first
    return data | {"notify": gathering.channels(_texts(backup.setting("application", "notification_urls")), url)}


def _selected(gathering: ImportBuilder, filters: Iterable[str], where: str) -> tuple[str, ...]:
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
    r"""Give text that is ignored as an expression: there, it takes the whole line out, in any case or by its flags.

    >>> _expression("12 visitors"), _expression(r"/\d+ views/"), _expression("/a.*b/s")
    ('(?i).*12\\ visitors.*', '(?i).*(?:\\d+ views).*', '(?s)a.*b')
    """
    if match := _SLASHED.fullmatch(text):
        flags = "".join(character for character in match[2] if character in "aimsux") or "i"
        return f"(?{flags}){match[1]}" if set(flags) & set("ms") else f"(?{flags}).*(?:{match[1]}).*"
    return f"(?i).*{re.escape(text)}.*"


def _steps(
    gathering: ImportBuilder, watch: Mapping[str, Any], url: str
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Give steps in a browser as ours; what goes into a field for passwords becomes a secret."""
    steps: list[str] = []
    secrets: list[tuple[str, str]] = []
    data = watch.get("browser_steps")
    for each in data if isinstance(data, list) else ():
        if not isinstance(each, dict) or (name := _text(each.get("operation"))) in _IDLE_STEPS:
            continue
        selector, value = _text(each.get("selector")), _text(each.get("optional_value"))
        if selector.startswith(("/", "xpath")):
            selector = to_css(selector) or ""
        pattern = _STEPS.get(name, "")
        wanting = ("{selector}" in pattern and not selector) or ("{value}" in pattern and not value)
        if not pattern or wanting or "\n" in selector + value or "{{" in value + selector:
            gathering.note(
                f"the step {name[:60]!r} in the browser was not imported; add a step of Pagedrift instead", url
            )
            continue
        if name == "Wait for text in element" and value:
            gathering.note("a step waits for the element and not for the text in it; add a step that waits", url)
        if pattern.startswith("fill") and "pass" in selector.lower():
            secrets.append((f"password{len(secrets) + 1}", value))
            value = f"{{secret:{secrets[-1][0]}}}"
        steps.append(pattern.replace("{selector}", selector).replace("{value}", value, 1))
    return tuple(steps), tuple(secrets)


def _delay(gathering: ImportBuilder, backup: _Backup, watch: Mapping[str, Any], url: str) -> tuple[str, ...]:
    """Wait before the page is looked at, as a last step."""
    seconds = _number(watch.get("webdriver_delay")) or _number(backup.setting("application", "webdriver_delay"))
    if seconds > MAX_WAIT_SECONDS:
        gathering.note(f"webdriver_delay was shortened to {MAX_WAIT_SECONDS:g} seconds, the longest wait", url)
    return (f"wait {min(seconds, MAX_WAIT_SECONDS):.3g}",) if seconds else ()


def _proxy(gathering: ImportBuilder, backup: _Backup, watch: Mapping[str, Any], url: str) -> str:
    """Find the address of the proxy that is named."""
    chosen = _text(watch.get("proxy")) or _text(backup.setting("requests", "proxy"))
    if not chosen or chosen == "no-proxy":
        return ""
    known = backup.proxies.get(chosen)
    address = _text(known.get("url")) if isinstance(known, dict) else ""
    if not address:
        gathering.note("its proxy is not in the backup; set it again", url)
    return address


def _interval(data: Mapping[str, Any]) -> float:
    """Give the seconds between visits; the oldest releases count in minutes."""
    return _seconds(data.get("time_between_check")) or _number(data.get("minutes_between_check")) * durations.MINUTE


def _seconds(data: Any) -> float:
    """Add up weeks, days and so on."""
    if not isinstance(data, dict):
        return 0.0
    numbers = (_number(data.get(unit)) * seconds for unit, seconds in durations.UNITS.items())
    return min(sum(numbers), MAX_INTERVAL_SECONDS)


def _number(value: Any) -> float:
    try:
        number = float(value or 0)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if 0 <= number <= MAX_INTERVAL_SECONDS else 0.0


def _text(value: Any, default: str = "") -> str:
    return value.strip() if isinstance(value, str) and value.strip() else default


def _texts(value: Any) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else [value] if isinstance(value, str) else ()
    return tuple(text.strip() for text in texts if isinstance(text, str) and text.strip())
