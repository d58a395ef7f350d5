"""Reader and writer for job files of urlwatch and webchanges."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.imports.leftovers import KnownSettings, left_behind
from pagedrift.app.imports.results import ImportBuilder, ImportedWatches, further_tags, pairs, text_of
from pagedrift.app.imports.xpaths import to_css
from pagedrift.app.model.options import MAX_INTERVAL_SECONDS
from pagedrift.app.model.watch import MAX_GROUP_CHARS, Watch
from pagedrift.capture.steps import MAX_WAIT_SECONDS
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_HIDING: Final = {"additions_only": "removed", "deletions_only": "added"}  # kinds of change that are left out
MAX_YAML_BYTES: Final = 2_000_000  # bytes; the reader of YAML takes seconds for them
SHELL: Final = "left out: it runs a program of this machine, which Pagedrift never does"

# What changes nothing here: text is compared as a reader sees it, whatever the markup and the white space.
_IDLE_FILTERS: Final = frozenset(
    "html2text strip striplines beautify format-json format-xml pretty-xml absolute_links reverse".split()
)
_REPEATED: Final = "repeated lines are compared like others; leave the part out with exclude"
_PROGRAM: Final = "it runs a program of this machine, which Pagedrift never does"
_FILTER_ADVICE: Final = {
    "execute": _PROGRAM,
    "shellpipe": _PROGRAM,
    "remove_repeated": _REPEATED,
    "remove-duplicate-lines": _REPEATED,
    "remove_duplicate_lines": _REPEATED,
}
_FILTER_OPTIONS: Final = {  # that are read, or change nothing here
    "css": {"selector", "exclude", "method"},
    "xpath": {"path", "exclude", "method"},
    "element-by-id": {"id"},
    "element-by-class": {"class"},
    "element-by-style": {"style"},
    "element-by-tag": {"tag"},
    "grepi": {"re", "text"},
    "delete_lines_containing": {"re", "text"},
    "re.sub": {"pattern", "repl"},
    "sort": {"reverse"},
    "strip": {"side", "splitlines"},
    "striplines": set[str](),
}
_PART: Final = "all that is left is compared; select the part of the page with include"

_TROUBLE: Final = "use alert_after_failures to set how many failed checks in a row cause an alert; 0 for never"
_BROWSER: Final = "the browser of Pagedrift is used as it is"
_STEP: Final = "use steps if clicks and waiting are enough"
_CERTIFICATE: Final = "certificates are always checked"
_COMPARED: Final = "Pagedrift compares a version with the one before it; leave text out with ignore_text"
_CLIENT: Final = "Pagedrift sends its own headers; add others with headers if a server needs them"
_JOB_ADVICE: Final = {
    **dict.fromkeys(
        "ignore_connection_errors ignore_http_error_codes ignore_incomplete_reads ignore_timeout_errors "
        "ignore_too_many_redirects suppress_error_ended suppress_errors suppress_repeated_errors retries "
        "empty_as_transient".split(),
        _TROUBLE,
    ),
    **dict.fromkeys(
        "block_elements browser connect_over_cdp fingerprints ignore_default_args switches user_data_dir".split(),
        _BROWSER,
    ),
    **dict.fromkeys(
        "evaluate init_script initialization_js initialization_url wait_for_function wait_for_navigation "
        "wait_for_url wait_until".split(),
        _STEP,
    ),
    **dict.fromkeys("ignore_dh_key_too_small ignore_https_errors ssl_no_verify".split(), _CERTIFICATE),
    **dict.fromkeys("compared_versions diff_filter diff_filters diff_tool differ".split(), _COMPARED),
    **dict.fromkeys("http_client http_version impersonate no_redirects".split(), _CLIENT),
    "data_as_json": "pages are only asked for here",
    "encoding": "the encoding is recognised from the page",
    "http_credentials": "add the header Authorization",
    "note": "write it into the name",
    "params": "the page without them is watched; write them into the address, after a question mark",
    "same_site_delay": "Pagedrift itself waits between two requests to a host",
    "timeout": "the time limit of Pagedrift holds",
    "treat_new_as_changed": "the first version of a page is stored and causes no alert",
    "user_visible_url": "the address that is watched is the one that is shown",
}
_JOBS: Final = KnownSettings(
    frozenset(
        "name url navigate use_browser kind command stderr filter filters headers cookies http_proxy https_proxy "
        "proxy enabled tags method data max_tries useragent referer wait_for wait_for_selector wait_for_timeout "
        "additions_only deletions_only".split()
    ),
    # numbers that it gives itself; how its reports look; when it does not compare at all
    frozenset(
        "guid index_number contextlines is_markdown markdown_padded_tables monospace ignore_cached "
        "no_conditional_request".split()
    ),
    _JOB_ADVICE,
)
_OF_A_JOB: Final = frozenset({"url", "navigate", "command"})
_OF_CONFIGURATION: Final = frozenset({"report", "display", "job_defaults", "differ_defaults", "database"})


def read(data: bytes) -> ImportedWatches:
    """Read the jobs of a file, documents of YAML one after the other."""
    if len(data) > MAX_YAML_BYTES:
        raise InputError(f"the file is larger than {MAX_YAML_BYTES // 10**6} MB; import it in parts")
    gathering = ImportBuilder()
    for job in _jobs(data):
        if not isinstance(job, dict):
            gathering.note("skipped: not a job", str(type(job).__name__))
            continue
        given = {name: value for name, value in job.items() if isinstance(name, str)}
        if given.keys() & _OF_CONFIGURATION and not given.keys() & _OF_A_JOB:
            _note_configuration(gathering, given)
        else:
            _take(gathering, given)
    return gathering.done()


def write(watches: Iterable[Watch]) -> str:
    """Write pages as jobs of urlwatch, without secrets; what it has no words for is left out."""
    import yaml

    jobs = []
    for watch in watches:
        if watch.kind != "page":
            continue
        options, job = watch.options, {"name": watch.name} if watch.name else {}
        job["navigate" if options.get("browser") else "url"] = watch.url
        filters: list[dict[str, Any]] = []
        if include := options.get("include"):
            exclude = {"exclude": ", ".join(options["exclude"])} if options.get("exclude") else {}
            filters.append({"css": {"selector": ", ".join(include), **exclude}})
        elif options.get("exclude"):
            filters.append({"css": {"selector": "body", "exclude": ", ".join(options["exclude"])}})
        filters += [{"re.sub": {"pattern": pattern}} for pattern in options.get("ignore_text", ())]
        jobs.append(job | ({"filter": filters} if filters else {}) | ({"enabled": False} if watch.paused else {}))
    written: str = yaml.safe_dump_all(jobs, allow_unicode=True, sort_keys=False)
    return written


def _jobs(data: bytes) -> Iterator[Any]:
    import yaml

    try:
        yield from (job for job in yaml.safe_load_all(text_of(data)) if job is not None)
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" in line {where.line + 1}" if where else ""
        raise InputError(f"invalid YAML{line}; check the jobs file") from None
    except (RecursionError, ValueError):
        raise InputError("this YAML cannot be read; check the jobs file") from None


def _take(gathering: ImportBuilder, job: dict[str, Any]) -> None:
    """Take one job over, as far as it goes."""
    url = job.get("url") or job.get("navigate") or ""
    name = job.get("name")
    name = str(name)[:1000] if isinstance(name, (str, int, float)) else ""  # never what refers to references
    where = (name or (url if _is_text(url) else "") or "a job without an address")[:100]
    if job.get("kind") in ("shell", "command") or (job.get("command") and not url):
        gathering.note(SHELL, where)
        return
    method = job.get("method") or "GET"
    if job.get("data") is not None or not isinstance(method, str) or method.upper() != "GET":
        gathering.note("left out: it sends something to the server, and pages are only asked for here", where)
        return
    filters = list(_normal(gathering, job, where))
    options = _filters(gathering, filters, where) | _asking(gathering, job, where)
    for note in left_behind(job, _JOBS):
        gathering.note(note, where)
    tags = _tags(job.get("tags"))
    hiding = [kind for name, kind in _HIDING.items() if job.get(name) not in (None, False)]
    gathering.add(
        Watch(
            url if _is_text(url) else "",
            name=name,
            group=tags[0][:MAX_GROUP_CHARS] if tags else "",
            tags=further_tags(tags[1:]),
            options={key: value for key, value in options.items() if value},
            paused=job.get("enabled") is False,
        ),
        hiding=(*hiding, "moved") if any(kind == "sort" for kind, _ in filters) else tuple(hiding),
    )


def _note_configuration(gathering: ImportBuilder, data: Mapping[str, Any]) -> None:
    """Name what a settings file contains: reporters, and what all jobs have in common."""
    where = "settings for all jobs"
    gathering.note("these are settings and no jobs; import the file with the jobs too", where)
    reports = data.get("report")
    for name, said in sorted(reports.items(), key=str) if isinstance(reports, dict) else ():
        if not isinstance(said, dict) or said.get("enabled", True) is not False:
            gathering.note(f"the reporter {str(name)[:40]} was not imported; add a channel with to", where)
    defaults = data.get("job_defaults")
    for name, said in sorted(defaults.items(), key=str) if isinstance(defaults, dict) else ():
        for option in said if isinstance(said, dict) else ():
            note = f"{str(option)[:40]} for {str(name)[:40]} jobs was not imported; set it for the group"
            gathering.note(note, where)
    for name in sorted(data.keys() - {"report", "job_defaults", "display", "database"}):
        gathering.note(f"{name[:40]} was not imported; Pagedrift has no settings like these", where)


def _tags(data: Any) -> list[str]:
    """Give the tags of a job; the first becomes the group of the watch."""
    several = data.split(",") if isinstance(data, str) else data if isinstance(data, list) else []
    return [tag.strip() for tag in several if isinstance(tag, str) and tag.strip()]


def _asking(gathering: ImportBuilder, job: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Read how it is fetched, and after how many failures there is an alert."""
    steps = _steps(gathering, job, where)
    named = {"User-Agent": job.get("useragent"), "Referer": job.get("referer")}
    headers = {name: value for name, value in named.items() if _is_text(value)}
    tries = job.get("max_tries")
    if tries and not (isinstance(tries, int) and 0 < tries <= MAX_INTERVAL_SECONDS):
        gathering.note(f"max_tries was not imported; {_TROUBLE}", where)
        tries = None
    return {
        "browser": bool(job.get("navigate") or job.get("use_browser") or steps),
        "headers": _sent(gathering, job.get("headers"), "a header", where) + pairs(headers),
        "cookies": _sent(gathering, job.get("cookies"), "a cookie", where),
        "proxy": _proxy(gathering, job, where),
        "steps": steps,
        "alert_after_failures": int(tries) if tries else None,
    }


def _sent(gathering: ImportBuilder, data: Any, what: str, where: str) -> tuple[tuple[str, str], ...]:
    fit = pairs(data)
    if data and (not isinstance(data, dict) or len(fit) < len(data)):
        gathering.note(f"{what} was left out that cannot be sent; set it again", where)
    return fit


def _proxy(gathering: ImportBuilder, job: Mapping[str, Any], where: str) -> str:
    data = [job[name] for name in ("proxy", "https_proxy", "http_proxy") if job.get(name)]
    texts = [each.strip() for each in data if _is_text(each)]
    if len(texts) < len(data) or len(set(texts)) > 1:
        gathering.note("one of its proxies was not imported; a watch has one", where)
    return texts[0] if texts else ""


def _steps(gathering: ImportBuilder, job: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """Wait for elements and for time, before the page is looked at."""
    steps: list[str] = []
    for name in ("wait_for", "wait_for_selector"):
        data = job.get(name)
        for each in data if isinstance(data, list) else [data] if data else []:
            selector = each.strip().removeprefix("css=") if _is_text(each) else ""
            if selector.startswith(("/", "xpath")):
                selector = to_css(selector) or ""
            if selector:
                steps.append(f"wait {selector}")
            else:
                gathering.note(f"{name} was not imported; add a step that waits", where)
    seconds = job.get("wait_for_timeout")
    if isinstance(seconds, (int, float)) and 0 < seconds <= MAX_WAIT_SECONDS:
        steps.append(f"wait {seconds:.3g}")
    elif seconds:
        gathering.note(f"wait_for_timeout was not imported; wait for at most {MAX_WAIT_SECONDS:g} seconds", where)
    return tuple(steps)


def _filters(gathering: ImportBuilder, filters: Iterable[tuple[str, dict[str, Any]]], where: str) -> dict[str, Any]:
    """Say in selectors and expressions what filters do, one after the other."""
    only, without, ignored = "", list[str](), list[str]()
    for kind, data in filters:
        if (css := _selector(kind, data)) is not None:
            without += _excluded(gathering, kind, data, where)
            if css and only and "," in only + css:
                gathering.note("only the last of several selectors was imported", where)
                only = css
            else:
                only = f"{only} {css}".strip()  # the second looks inside of what the first gives
        elif expression := _expression(kind, data):
            ignored.append(expression)
        elif kind not in _IDLE_FILTERS and kind != "sort":
            advice = _FILTER_ADVICE.get(kind, _PART)
            gathering.note(f"the filter {kind[:40]} was not imported; {advice}", where)
            continue
        for option in sorted(data.keys() - _FILTER_OPTIONS.get(kind, data.keys()) - {""}):
            note = f"the option {option[:40]} of the filter {kind} was not imported; {_PART}"
            gathering.note(note, where)
    return {
        "include": gathering.selectors([only], where),
        "exclude": gathering.selectors(without, where),
        "ignore_text": gathering.expressions(ignored, where),
    }


def _excluded(gathering: ImportBuilder, kind: str, data: Mapping[str, Any], where: str) -> list[str]:
    exclude = data.get("exclude")
    if exclude is None:
        return []
    css = to_css(exclude) if kind == "xpath" and _is_text(exclude) else exclude
    if css is None or not _is_text(css):
        gathering.note(f"exclude of the filter {kind} was not imported; leave the part out with exclude", where)
        return []
    return [css]


def _normal(gathering: ImportBuilder, job: Mapping[str, Any], where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give filters in one form: a name and its arguments. They are written in three."""
    for data in (job.get("filters"), job.get("filter")):
        filters: list[Any] = data if isinstance(data, list) else [data] if isinstance(data, dict) else []
        if isinstance(data, str):
            parts = [part.strip() for part in data.split(",")]
            filters = [dict([part.split(":", 1)]) if ":" in part else part for part in parts]
        elif data is not None and not isinstance(data, (list, dict)):
            gathering.note("its filters cannot be read; set them again", where)
        for each in filters:
            for kind, said in each.items() if isinstance(each, dict) else [(each, None)]:
                named = {str(name): value for name, value in said.items()} if isinstance(said, dict) else {"": said}
                yield kind.strip() if isinstance(kind, str) else "", named


def _selector(kind: str, data: Mapping[str, Any]) -> str | None:
    """Write a filter that selects elements as CSS; None where it is another one or CSS has no words for it."""

    def said(*names: str) -> str:
        return next((text.strip() for name in names if isinstance(text := data.get(name), str)), "")

    if kind == "css":
        return said("selector", "")
    if kind == "xpath":
        return to_css(said("path", ""))
    value = said("id", "class", "tag", "style", "")
    if kind == "element-by-tag":
        return value or None
    if kind.startswith("element-by-") and value and not set(value) & set('"\\\n'):
        name = kind.removeprefix("element-by-")
        return f'[{name}~="{value}"]' if name == "class" and " " not in value else f'[{name}="{value}"]'
    return None


def _expression(kind: str, data: Mapping[str, Any]) -> str:
    """Write a filter that takes text out as a regular expression of text that is not a change."""
    if kind in ("grepi", "delete_lines_containing"):
        if _is_text(text := data.get("text")):
            return f".*{re.escape(str(text))}.*"
        pattern = data.get("re") or data.get("")
        if kind == "delete_lines_containing" and "re" not in data and _is_text(pattern):
            return f".*{re.escape(str(pattern))}.*"
        return f".*(?:{pattern}).*" if _is_text(pattern) else ""
    if kind == "re.sub" and not data.get("repl"):
        pattern = data.get("pattern") or data.get("")
        return str(pattern) if _is_text(pattern) else ""
    return ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
