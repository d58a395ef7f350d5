"""Which elements of a page does a selector of a scraper mean: CSS, XPath, Scrapy's extensions, lists and ranges?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pagedrift.errors import InputError
from pagedrift.what_changed.selection import check, check_xpath, is_xpath

if TYPE_CHECKING:
    from pathlib import Path

MAX_SELECTORS: Final = 500  # selectors in one file
MAX_PARTS: Final = 100  # selectors in one list

_LINE: Final = re.compile(r"(\S+?)(?::\s+|\s*=\s+|\s+)(\S.*)")
_EXTRACT: Final = re.compile(r"\s*::(?:(text)|attr\(\s*([^\s()]+)\s*\))\s*$", re.IGNORECASE)  # as parsel writes it
_XPATH_EXTRACT: Final = re.compile(r"/(?:(@[\w:-]+)|text\(\))\s*$")
_EDGES: Final = {"startBefore": "start", "startAfter": "start", "endBefore": "end", "endAfter": "end"}


@dataclass(frozen=True, slots=True)
class Selector:
    """A selector with the name it has in a scraper."""

    name: str
    expression: str
    language: Literal["css", "xpath"]
    extract: str = ""  # of the elements: all they say, or `text` directly in them, or `@href` …

    @property
    def written(self) -> str:
        """The selector as its author writes it."""
        return self.expression + (with_extract(self.extract) if self.language == "css" else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """All that stands between two elements."""

    start: Selector
    end: Selector
    after_start: bool = False  # the first element itself is left out
    after_end: bool = False  # the last one is taken in

    @property
    def written(self) -> str:
        """The range for people."""
        first = "after" if self.after_start else "from"
        last = "through" if self.after_end else "up to"
        return f"{first} {self.start.written} {last} {self.end.written}"


Part: TypeAlias = Selector | Range


@dataclass(frozen=True, slots=True)
class Region:
    """What a scraper takes of a page: all that some selectors select, without what others do."""

    select: tuple[Part, ...]
    remove: tuple[Part, ...] = ()

    @property
    def written(self) -> str:
        """The selectors in one line."""
        text = ", ".join(part.written for part in self.select)
        return f"{text} without {', '.join(part.written for part in self.remove)}" if self.remove else text


SelectorLike: TypeAlias = "str | Selector | Range | Region | Mapping[str, Any] | Sequence[Any]"


def with_extract(extract: str) -> str:
    """Write which part of an element is taken, as Scrapy does."""
    if extract.startswith("@"):
        return f"::attr({extract[1:]})"
    return f"::{extract}" if extract else ""


def as_region(given: SelectorLike, *, name: str = "") -> Region:
    """Read a selector, a list of them, a range, or a mapping with `select` and `remove`.

    >>> as_region("h1::text").written
    'h1::text'
    >>> as_region({"select": [{"startBefore": "#fees", "endBefore": "footer"}], "remove": ".ad"}).written
    'from #fees up to footer without .ad'
    """
    if isinstance(given, Region):
        return given
    if isinstance(given, Mapping) and "select" in given:
        return Region(_parts(given["select"], name), _parts(given["remove"], name) if given.get("remove") else ())
    return Region(_parts(given, name))


def _parts(given: Any, name: str) -> tuple[Part, ...]:
    if isinstance(given, str | Selector | Range | Mapping):
        return (_part(given, name),)
    if not isinstance(given, Sequence) or not 0 < len(given) <= MAX_PARTS:
        raise InputError(
            f"a selector is a text, a range, or a list of up to {MAX_PARTS}; write one such as: h1.title"
        )
    return tuple(_part(each, name) for each in given)


def _part(given: Any, name: str) -> Part:
    if isinstance(given, Selector | Range):
        return given
    if isinstance(given, Mapping):
        return _range(given, name)
    if not isinstance(given, str) or not given.strip():
        raise InputError("a selector is empty; write one such as: h1.title")
    made = parse_selector(name, given.strip())
    check_selector(made)
    return made


def _range(given: Mapping[str, Any], name: str) -> Range:
    edges = {_EDGES[key]: (key, value) for key, value in given.items() if key in _EDGES}
    if set(edges) != {"start", "end"} or not all(isinstance(value, str) for _, value in edges.values()):
        raise InputError(
            "a range needs startBefore or startAfter, and endBefore or endAfter; name a selector for both"
        )
    start, end = (parse_selector(name, edges[edge][1]) for edge in ("start", "end"))
    check_selector(start)
    check_selector(end)
    return Range(
        start=start, end=end, after_start=edges["start"][0] == "startAfter", after_end=edges["end"][0] == "endAfter"
    )


def parse_selectors(text: str) -> list[Selector]:
    """Read selectors, a name and a CSS selector or XPath expression per line; # begins a remark.

    >>> parse_selectors("title  h1.entry-title")
    [Selector(name='title', expression='h1.entry-title', language='css', extract='')]
    >>> [each.language for each in parse_selectors("price = //span[@class='price']")]
    ['xpath']
    """
    found: list[Selector] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise InputError(
                f"line {number} has no selector; write a name and a selector, such as: title  h1.title"
            )
        name, expression = match.groups()
        selector = parse_selector(name, expression.strip())
        try:
            check_selector(selector)
        except InputError as error:
            raise InputError(f"line {number}, {name}: {error}") from None
        found.append(selector)
    if not found:
        raise InputError("no selectors found; write one per line, such as: title  h1.title")
    if len(found) > MAX_SELECTORS:
        raise InputError(f"there are more than {MAX_SELECTORS} selectors; keep the important ones")
    return found


def read_selectors(path: Path) -> list[Selector]:
    """Read a file of selectors."""
    try:
        return parse_selectors(path.read_text("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text in UTF-8; save it as one") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def parse_selector(name: str, expression: str) -> Selector:
    """Read one selector: CSS, or XPath if it looks like it or says so."""
    for prefix, language in (("css:", "css"), ("xpath:", "xpath")):
        if expression.lower().startswith(prefix):
            return _of_language(name, expression[len(prefix) :].strip(), language)  # type: ignore[arg-type]
    return _of_language(name, expression, "xpath" if is_xpath(expression) else "css")


def _of_language(name: str, expression: str, language: Literal["css", "xpath"]) -> Selector:
    if language == "css" and (found := _EXTRACT.search(expression)):
        extract = "text" if found.group(1) else f"@{found.group(2).lower()}"
        return Selector(name, expression[: found.start()].strip() or "*", language, extract)
    if language == "xpath" and (found := _XPATH_EXTRACT.search(expression)):
        return Selector(name, expression, language, found.group(1) or "text")
    return Selector(name, expression, language)


def check_selector(selector: Selector) -> None:
    """Refuse expressions that are invalid, or could run forever on a page made for that."""
    if selector.language == "css":
        check(selector.expression)
        return
    check_xpath(selector.expression)
