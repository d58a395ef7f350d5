"""Which watches are in a job file of urlwatch or webchanges, and how are watches written as one?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.imports.taken import Gathering, Imported, pairs, text_of
from pagedrift.app.imports.xpaths import to_css
from pagedrift.app.watches import Watch
from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LARGEST: Final = 2_000_000  # bytes; the reader of YAML takes seconds for them
SHELL: Final = "left out: it runs a program of this machine, which Pagedrift never does"

# What changes nothing here: text is compared as a reader sees it, whatever the markup and the white space.
_IDLE: Final = frozenset(
    "html2text strip striplines beautify format-json format-xml pretty-xml absolute_links sort remove_repeated "
    "remove_duplicate_lines reverse".split()
)
# What a job says of how it is run there.
_QUIET: Final = frozenset(
    "name url navigate use_browser kind filter filters headers cookies http_proxy https_proxy proxy enabled tags "
    "max_tries compared_versions index_number guid user_visible_url note contextlines timeout ignore_cached "
    "method data wait_until wait_for_timeout retries http_client no_conditional_request".split()
)


def read(data: bytes) -> Imported:
    """Read the jobs of a file, documents of YAML one after the other."""
    if len(data) > LARGEST:
        raise InputError(f"the file is larger than {LARGEST // 10**6} MB; import it in parts")
    gathering = Gathering()
    for job in _jobs(data):
        if not isinstance(job, dict):
            gathering.note("left out: it is no job", str(type(job).__name__))
            continue
        _take(gathering, {name: value for name, value in job.items() if isinstance(name, str)})
    return gathering.done()


def write(watches: Iterable[Watch]) -> str:
    """Write pages as jobs of urlwatch, without secrets; what it has no words for is left out."""
    yaml = need("web", "yaml")
    jobs = []
    for watch in watches:
        if watch.kind != "page":
            continue
        options, job = watch.options, {"name": watch.name} if watch.name else {}
        job["navigate" if options.get("browser") else "url"] = watch.url
        filters: list[dict[str, Any]] = []
        if only := options.get("only"):
            without = {"exclude": ", ".join(options["without"])} if options.get("without") else {}
            filters.append({"css": {"selector": ", ".join(only), **without}})
        elif options.get("without"):
            filters.append({"css": {"selector": "body", "exclude": ", ".join(options["without"])}})
        filters += [{"re.sub": {"pattern": pattern}} for pattern in options.get("ignore_text", ())]
        jobs.append(job | ({"filter": filters} if filters else {}) | ({"enabled": False} if watch.paused else {}))
    written: str = yaml.safe_dump_all(jobs, allow_unicode=True, sort_keys=False)
    return written


def _jobs(data: bytes) -> Iterator[Any]:
    yaml = need("web", "yaml")
    try:
        yield from (job for job in yaml.safe_load_all(text_of(data)) if job is not None)
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" in line {where.line + 1}" if where else ""
        raise InputError(f"this is no YAML{line}; check how the jobs are written") from None
    except (RecursionError, ValueError):
        raise InputError("this YAML cannot be read; check how the jobs are written") from None


def _take(gathering: Gathering, job: dict[str, Any]) -> None:
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
    options = _filters(gathering, job, where)
    options |= _asking(job)
    for more in sorted(set(job) - _QUIET):
        gathering.note(f"{more[:40]} was not taken over", where)
    tags = job.get("tags") or ""
    first = next(iter(tags), "") if isinstance(tags, list) else tags
    gathering.add(
        Watch(
            url if _is_text(url) else "",
            name=name,
            group=first[:200] if isinstance(first, str) else "",
            options={key: value for key, value in options.items() if value},
            paused=job.get("enabled") is False,
        )
    )


def _asking(job: Mapping[str, Any]) -> dict[str, Any]:
    proxy = job.get("proxy") or job.get("https_proxy") or job.get("http_proxy") or ""
    return {
        "browser": bool(job.get("navigate") or job.get("use_browser")),
        "headers": pairs(job.get("headers")),
        "cookies": pairs(job.get("cookies")),
        "proxy": proxy if _is_text(proxy) else "",
    }


def _filters(gathering: Gathering, job: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Say in selectors and expressions what filters do, one after the other."""
    only, without, ignored = "", list[str](), list[str]()
    for kind, told in _normal(job.get("filters") or job.get("filter")):
        if kind in ("execute", "shellpipe"):
            gathering.note(f"the filter {kind} was left out: it runs a program of this machine", where)
        elif (css := _selector(kind, told)) is not None:
            exclude = told.get("exclude")
            if isinstance(exclude, str):
                without.append(exclude if kind != "xpath" else to_css(exclude) or "")
            if css and only and "," in only + css:
                gathering.note("only the last of several selectors was taken over", where)
                only = css
            else:
                only = f"{only} {css}".strip()  # the second looks inside of what the first gives
        elif expression := _expression(kind, told):
            ignored.append(expression)
        elif kind not in _IDLE:
            gathering.note(f"the filter {kind[:40]} was not taken over", where)
    return {
        "only": gathering.selectors([only], where),
        "without": gathering.selectors(without, where),
        "ignore_text": gathering.expressions(ignored, where),
    }


def _normal(filters: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give filters in one form: a name, and what it is told. They are written in three."""
    if isinstance(filters, str):
        filters = [dict([part.split(":", 1)]) if ":" in part else part for part in filters.split(",")]
    for each in filters if isinstance(filters, list) else ():
        kind, told = next(iter(each.items()), ("", None)) if isinstance(each, dict) else (each, None)
        yield str(kind).strip() if isinstance(kind, str) else "", told if isinstance(told, dict) else {"": told}


def _selector(kind: str, told: Mapping[str, Any]) -> str | None:
    """Write a filter that selects elements as CSS; None where it is another one or CSS has no words for it."""

    def said(*names: str) -> str:
        return next((text.strip() for name in names if isinstance(text := told.get(name), str)), "")

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


def _expression(kind: str, told: Mapping[str, Any]) -> str:
    """Write a filter that takes text out as a regular expression of text that is no change."""
    if kind in ("grepi", "delete_lines_containing"):
        if _is_text(text := told.get("text")):
            return f".*{re.escape(str(text))}.*"
        pattern = told.get("re") or told.get("")
        if kind == "delete_lines_containing" and "re" not in told and _is_text(pattern):
            return f".*{re.escape(str(pattern))}.*"
        return f".*(?:{pattern}).*" if _is_text(pattern) else ""
    if kind == "re.sub" and not told.get("repl"):
        pattern = told.get("pattern") or told.get("")
        return str(pattern) if _is_text(pattern) else ""
    return ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
