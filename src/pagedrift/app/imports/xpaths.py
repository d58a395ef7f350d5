"""Translation of simple XPaths into CSS selectors, which are all that watches accept."""

from __future__ import annotations

import re
from typing import Final

MAX_XPATH_CHARS: Final = 2_000  # characters

_STEP: Final = re.compile(
    r"""(?P<axis>//|/|)(?:(?P<name>\*|[a-zA-Z][\w-]*))(?P<tests>(?:\[(?:[^\[\]"']|"[^"]*"|'[^']*')*\])*)"""
)
_TEST: Final = re.compile(r"""\[((?:[^\[\]"']|"[^"]*"|'[^']*')*)\]""")
_EQUAL: Final = re.compile(r"""@([\w:-]+)\s*=\s*("[^"]*"|'[^']*')""")
_HOLDS: Final = re.compile(r"""(contains|starts-with)\(\s*@([\w:-]+)\s*,\s*("[^"]*"|'[^']*')\s*\)""")
_WORD: Final = re.compile(  # as CSS's .name is written in XPath
    r"""contains\(\s*concat\(\s*["'] ["']\s*,\s*(?:normalize-space\(\s*)?@class\s*\)?\s*,\s*["'] ["']\s*\)"""
    r"""\s*,\s*["'] ([\w-]+) ["']\s*\)"""
)


def to_css(xpath: str) -> str | None:
    """Write a simple XPath as a CSS selector; None where CSS cannot say it.

    >>> to_css("//*[@id='content']/div[2]//a[contains(@class, 'price')]")
    '[id="content"] > div:nth-of-type(2) a[class*="price"]'
    >>> to_css("//h2[text()='News']") is None
    True
    """
    path = xpath.strip().removeprefix("xpath:").removeprefix("xpath1:").removeprefix("xpath=").strip()
    if len(path) > MAX_XPATH_CHARS:
        return None
    if "|" in path and not set(path) & set("\"'"):
        parts = [_path(part.strip()) for part in path.split("|")]
        return None if None in parts else ", ".join(part for part in parts if part)
    return _path(path)


def _path(path: str) -> str | None:
    written: list[str] = []
    at = 0
    path = re.sub(r"//?text\(\)$", "", path.removeprefix("."))  # the text of an element is in it
    while at < len(path):
        step = _STEP.match(path, at)
        css = _step(step["name"], step["tests"]) if step and (step["axis"] or at == 0) else None
        if step is None or css is None:
            return None
        written.append(css if not written else f"{'>' if step['axis'] == '/' else ''} {css}".strip())
        at = step.end()
    joined = " ".join(written)
    return ":root" + joined.removeprefix("html") if re.match(r"html\b(?!-)", joined) else joined or None


def _step(name: str, tests: str) -> str | None:
    parts: list[str] = []
    for test in _TEST.findall(tests):
        css = _tests(test.strip(), name)
        if css is None or (parts and "-of-type" in css):  # the second of those with a class is not said in CSS
            return None
        parts.append(css)
    joined = "".join(parts)
    return joined if name == "*" and joined else name + joined


def _tests(test: str, name: str) -> str | None:
    """Write what is in brackets: a place, or conditions on attributes."""
    if test.isascii() and test.isdigit():
        return f":nth-of-type({int(test)})" if name != "*" and int(test) else None
    if test == "last()":
        return ":last-of-type" if name != "*" else None
    written = [_condition(part.strip()) for part in re.split(r"\s+and\s+", test)]
    return None if None in written else "".join(part for part in written if part)


def _condition(test: str) -> str | None:
    if match := _EQUAL.fullmatch(test):
        return _attribute(match[1], "=", match[2])
    if match := _HOLDS.fullmatch(test):
        return _attribute(match[2], "*=" if match[1] == "contains" else "^=", match[3])
    if match := _WORD.fullmatch(test):
        return f".{match[1]}"
    if re.fullmatch(r"@[\w-]+", test):
        return f"[{test[1:]}]"
    return None


def _attribute(name: str, how: str, quoted: str) -> str | None:
    value = quoted[1:-1]
    return None if ":" in name or any(character in '"\\\n' for character in value) else f'[{name}{how}"{value}"]'
