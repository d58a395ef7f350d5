"""One voice: the words of the glossary and plain English in everything that a person reads."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src/pagedrift"
# What people write better, each with the better words; see docs/reference/glossary.md.
FORBIDDEN = {
    r"(?<!there )\b(?:is|are|was|were) no (?!longer|more|one\b)": "is not a valid …, invalid …, unknown …",
    r"\bthere is no such\b": "… not found",
    r"\b(?:tell|tells|told|telling|untold|retell)\b": "alert, report, show, say",
    r"\b(?:story|stories)\b": "alert",
    r"\bsigns (?:of|that|which|are|in)\b": "characters",
    r"\b(?:mend|mends|mended)\b": "fix",
    r"\banew\b": "again",
    r"\b(?:how|as) (?:it|each|they|all|one) fares?\b": "state",
    r"\bso many(?:eth|ieth)?\b(?! that)": "this many, a number of",
    r"\bof ours\b": "of Pagedrift, our …",
    r"\bvouch(?:es|ed)?\b": "verify",
    r"\bwithout you\b": "by default",
    r"\bbeside\b": "next to",
    r"\bgo(?:es)? on\b(?! (?:to|the|a) )": "continue, resume",
    r"\bgoing on\b": "continuing, happening",
    r"\btakes? (?:it |them |that )?back\b": "undo",
    r"\bfor ever\b": "forever",
    r"\b(?:not|nothing|nobody|none|no) (?:\w+ )?any more\b": "no longer",
    r"\bmatters (?:only )?with\b": "Important, 80 % sure",
    r"\bnot the page\b": "blocked or error page",
    r"\bVisit (?:now|every)\b": "Check",
}
READ = {"not told:"}  # of older releases, and not shown
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<[^>]*>", re.DOTALL)
# Texts of pages that others wrote, names in stored formats, and what reads older releases.
EXEMPT = (
    "app/demo/", "app/store/migrations/", "app/store/tables.py", "app/store/journal.py", "app/store/restore.py",
    "app/monitor/interstitial_patterns.py", "report/css_sanitiser.py", "app/model/options.py", "_kernels/names.py",
)  # fmt: skip


def problems(text: str) -> list[str]:
    """Name the forbidden words of a text, each with the better one."""
    return [
        f"“{found[0]}” in “{text[max(0, found.start() - 40) : found.end() + 30].strip()}”: better {better}"
        for pattern, better in FORBIDDEN.items()
        for found in re.finditer(pattern, text, re.IGNORECASE)
    ]


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Give the texts of more than one word in a module: messages, help texts and docstrings."""
    inner: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            inner |= {id(value) for value in node.values}
            parts = (value.value if isinstance(value, ast.Constant) else "…" for value in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield node.lineno, re.sub(r"(?m)^\s*(?:>>>|\.\.\.) .*$", "", node.value)


def modules() -> list[Path]:
    return [
        path
        for path in sorted(SOURCES.rglob("*.py"))
        if not path.relative_to(SOURCES).as_posix().startswith(EXEMPT)
    ]


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_messages_and_docstrings_are_plain_english(path: Path) -> None:
    found = [
        f"line {line}: {each}"
        for line, text in strings(path)
        if " " in text.strip() and text not in READ
        for each in problems(text)
    ]

    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("templates/*.html")), ids=lambda path: path.name)
def test_pages_are_plain_english(path: Path) -> None:
    if "demo" in path.parts:
        pytest.skip("the site of a made-up town")
    text = path.read_text("utf-8")
    spoken = [*re.findall(r'"([^"{}<>]*[a-z] [^"{}<>]*)"', text), TAGS.sub(" ", text)]

    found = [each for part in spoken for each in problems(part)]
    assert not found, "\n".join(found)


def documents() -> list[Path]:
    return [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_documents_are_plain_english(path: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "`…`", path.read_text("utf-8"))

    found = problems(text)
    assert not found, "\n".join(found)


def test_old_idioms_are_found_with_the_better_word() -> None:
    assert problems("li[ is no CSS selector; mend it") == [
        "“is no ” in “li[ is no CSS selector; mend it”: better is not a valid …, invalid …, unknown …",
        "“mend” in “li[ is no CSS selector; mend it”: better fix",
    ]
    assert problems("the page is no longer there; fix the selector") == []
