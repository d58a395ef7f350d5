"""Which selectors does a file of a scraper hold, and where in it does each stand?"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pagedrift.errors import InputError
from pagedrift.selectors.expressions import MAX_SELECTORS, Region, Selector, as_region, parse_selectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

MAX_FILE_BYTES: Final = 5_000_000
_METHODS: Final = {"css": "css", "xpath": "xpath", "add_css": "css", "add_xpath": "xpath", "replace_css": "css"} | {
    "replace_xpath": "xpath",
    "select": "css",
    "select_one": "css",
}
_SECOND: Final = ("add_css", "add_xpath", "replace_css", "replace_xpath")  # their first argument is the field


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSelector:
    """A selector, the name of its field, and how it is written in its file."""

    name: str
    region: Region
    source: str  # the text of the selector as it stands in the file, between its quotation marks
    line: int = 0
    fixable: bool = True  # a proposal may stand in its place
    xpath: bool = False  # its place takes XPath only
    rows: Selector | None = None  # what selects the rows from each of which it is asked


def read_selector_file(path: Path) -> list[WrittenSelector]:
    """Read the selectors of a scraper: Python source, fields in YAML or JSON, or a name and a selector per line."""
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text in UTF-8; save it as one") from None
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"{path} is larger than {MAX_FILE_BYTES // 10**6} MB; name a file of selectors")
    try:
        found = list(_read(text, path.suffix.lower()))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if not found:
        raise InputError(
            f"{path} holds no selectors; write a name and a selector per line, such as: title  h1.title"
        )
    return found[:MAX_SELECTORS]


def _read(text: str, suffix: str) -> Iterable[WrittenSelector]:
    if suffix == ".py":
        return selectors_in_source(text)
    if suffix in (".json", ".yaml", ".yml"):
        return _fields(_parsed(text, suffix))
    return [
        WrittenSelector(name=each.name, region=Region((each,)), source=each.expression)
        for each in parse_selectors(text)
    ]


def _parsed(text: str, suffix: str) -> Any:
    try:
        if suffix == ".json":
            return json.loads(text)
        import yaml

        return yaml.safe_load(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is not valid JSON ({error}); correct it") from None
    except Exception as error:
        if type(error).__module__.startswith("yaml"):
            raise InputError(f"it is not valid YAML ({' '.join(str(error).split())[:120]}); correct it") from None
        raise


def _fields(data: Any, prefix: str = "") -> Iterator[WrittenSelector]:
    """Go through the fields of a mapping; a field is a selector, a list of them, or a mapping with `select`."""
    if not isinstance(data, dict):
        raise InputError('it holds no fields; write one such as {"title": "h1.title"}')
    for key, value in data.items():
        name = f"{prefix}{key}"
        if (
            isinstance(value, dict)
            and "select" not in value
            and not any(str(part).startswith("start") for part in value)
        ):
            yield from _fields(value, f"{name}.")
        else:
            try:
                region = as_region(value, name=name)
            except InputError as error:
                raise InputError(f"{name}: {error}") from None
            single = isinstance(value, str)
            yield WrittenSelector(name=name, region=region, source=value if single else "", fixable=single)


def selectors_in_source(source: str) -> list[WrittenSelector]:
    """Find the selectors in the source of a spider, by its syntax tree: calls of css(), xpath(), add_css() …

    >>> [(each.name, each.source) for each in selectors_in_source('item["title"] = response.css("h1::text").get()')]
    [('title', 'h1::text')]
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise InputError(f"it is not valid Python ({error}); correct it") from None
    names, rows = _names(tree), _rows(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found = [
        replace(made, rows=rows.get(id(call)), fixable=made.fixable or id(call) in rows)
        for call in calls
        if (made := _of_call(call, names)) is not None
    ]
    return sorted(found, key=lambda each: each.line)


def _rows(tree: ast.AST) -> dict[int, Selector]:
    """Find for each call on a variable of a loop what selects the rows that the loop goes through."""
    found: dict[int, Selector] = {}
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For | ast.AsyncFor) or not isinstance(loop.target, ast.Name):
            continue
        called = _of_call(loop.iter, {}) if isinstance(loop.iter, ast.Call) else None
        part = called.region.select[0] if called else None
        if not isinstance(part, Selector):
            continue
        for call in ast.walk(loop):
            on = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
            if isinstance(on, ast.Name) and on.id == loop.target.id:
                found[id(call)] = part
    return found


def _of_call(call: ast.Call, names: Mapping[int, str]) -> WrittenSelector | None:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    number = 1 if method in _SECOND else 0
    if method not in _METHODS or len(call.args) <= number:
        return None
    said = call.args[number]
    if not isinstance(said, ast.Constant) or not isinstance(said.value, str):
        return None
    field = call.args[0].value if number and isinstance(call.args[0], ast.Constant) else None
    name = str(field) if field else names.get(id(call), f"line {call.lineno}")
    try:
        region = as_region(f"{_METHODS[method]}: {said.value}", name=name)
    except InputError:
        return None  # of an inner, relative expression, or one that only Scrapy understands
    return WrittenSelector(
        name=name,
        region=region,
        source=said.value,
        line=call.lineno,
        fixable=_METHODS[method] == "css" or not said.value.startswith("."),  # that is a path from another element
        xpath=_METHODS[method] == "xpath",
    )


def _names(tree: ast.AST) -> dict[int, str]:
    """Name each call after the variable, key or argument that it fills."""
    names: dict[int, str] = {}
    for node in ast.walk(tree):
        for name, value in _filled(node):
            for call in ast.walk(value):
                if isinstance(call, ast.Call):
                    names.setdefault(id(call), name)
    return names


def _filled(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant):
                yield str(key.value), value
    elif isinstance(node, ast.keyword) and node.arg:
        yield node.arg, node.value
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Name):
            yield target.id, node.value
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
            yield str(target.slice.value), node.value


def with_proposals(text: str, proposals: Mapping[str, str]) -> str:
    """Write the selectors that are proposed in place of the old ones, where each stands in the text of a file.

    >>> with_proposals('x.css("h1.old::text")', {"h1.old::text": ".new::text"})
    'x.css(".new::text")'
    """
    for old, new in sorted(proposals.items(), key=lambda pair: -len(pair[0])):
        for quote in ('"', "'"):
            if quote not in new:
                text = text.replace(f"{quote}{old}{quote}", f"{quote}{new}{quote}")
        text = "\n".join(
            line[: -len(old)] + new if line.endswith((f" {old}", f"\t{old}", f":{old}")) else line
            for line in text.split("\n")
        )
    return text
