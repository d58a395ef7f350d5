"""Is everything that is written also reached by the program itself, and not by its tests alone?"""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pagedrift

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parent.parent
SOURCE: Final = ROOT / "src" / "pagedrift"
PROGRAMS: Final = ("src/pagedrift", "benchmarks", "experiments", "examples")
TEMPLATES: Final = ("*.html", "*.xml", "*.js")
WORD: Final = re.compile(r"\w+")
# Called by name by others: click, FastAPI, SQLAlchemy, pydantic, alembic, html.parser, logging, Spark ...
FRAMEWORKS: Final = (
    "command",
    "option",
    "group",
    "router",
    "event",
    "listens_for",
    "validator",
    "serializer",
    ".get(",
)


CHOSEN_BY_TESTS: Final = ("now", "timeout", "size", "limit")  # to be fast, and sure of the time
# For those who write a metric, a detector or a migration of their own, and named in the documents.
FOR_OTHERS: Final = {"check_metric", "check_detector", "judge_metric", "DriftDetector", "verify", "downgrade"} | {
    "notes_at",
    "parse_steps",
    "SelectorMonitorSuite",  # named in the settings of a spider
}
# Parameters of papers: the program has them at the values of the paper, experiments and tests at others.
PAPERS: Final = {
    "does_it_matter/block_changes.py: compare_blocks(unlike=)",
    "does_it_matter/picture_descriptors.py: edges(cell=)",
    "how_much/criteria.py: criterion(alpha=)",
    "how_much/criteria.py: criterion(beta=)",
    "how_much/criteria.py: pure_changes(words=)",
}
# Functions of a registry: METRICS calls them by their names, and all of them alike.
REGISTRIES: Final = {
    "how_much/metrics.py: bytewise_distance(options=)",
    "how_much/metrics.py: cosine_distance(options=)",
    "how_much/metrics.py: word_distance(options=)",
    "how_much/metrics.py: edit_distance(options=)",
    "how_much/metrics.py: shingle_distance(options=)",
    "how_much/metrics.py: extended_distance(options=)",
    "how_much/metrics.py: improved_distance(options=)",
}


class Parameter(NamedTuple):
    """A keyword with a default, of a function or a class."""

    function: str
    name: str
    where: str


@cache
def sources(folders: tuple[str, ...] = PROGRAMS) -> list[tuple[Path, ast.Module]]:
    files = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    return [(file, ast.parse(file.read_text("utf-8"))) for file in files]


def without_exports(tree: ast.Module) -> ast.Module:
    """Leave out __all__: what is only handed on is used by nobody yet."""
    exports = (ast.Assign, ast.AnnAssign, ast.AugAssign)
    body = [node for node in tree.body if not (isinstance(node, exports) and "__all__" in ast.dump(node)[:80])]
    return ast.Module(body, [])


def mentions() -> Counter[str]:
    """Count every name that the program mentions, in code, in strings that name something, and in templates."""
    found: Counter[str] = Counter()
    for file, tree in sources():
        for node in ast.walk(without_exports(tree)):
            if isinstance(node, ast.Name):
                found[node.id] += 1
            elif isinstance(node, ast.Attribute):
                found[node.attr] += 1
            elif isinstance(node, ast.alias) and file.name != "__init__.py":  # which hands on what it imports
                found[node.name.rpartition(".")[2]] += 1
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 100:
                found.update(WORD.findall(node.value))
    for pattern in TEMPLATES:
        for file in SOURCE.rglob(pattern):
            found.update(WORD.findall(file.read_text("utf-8")))
    for kernel in SOURCE.rglob("*.pyx"):
        found.update(WORD.findall(kernel.read_text("utf-8")))
    return found


def is_called_by_a_framework(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return any(name in ast.unparse(decorator) for decorator in node.decorator_list for name in FRAMEWORKS)


def definitions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node


def test_every_public_function_and_class_is_used_by_the_program_or_exported() -> None:
    known, unused = mentions(), []
    for file, tree in sources(("src/pagedrift",)):
        for node in definitions(tree):
            if node.name.startswith("_") or is_called_by_a_framework(node):
                continue
            if node.name in FOR_OTHERS or node.name in pagedrift.__all__:
                continue
            if not known[node.name]:
                unused.append(f"{file.relative_to(SOURCE)}: {node.name}")
    assert unused == [], "only tests use these; connect or delete them"


def parameters() -> Iterator[Parameter]:
    """Give the keywords with defaults of public functions at the top of modules."""
    for file, tree in sources(("src/pagedrift",)):
        for node in definitions(tree):
            if isinstance(node, ast.ClassDef) or is_called_by_a_framework(node):
                continue
            if node.name in FOR_OTHERS or node.name in pagedrift.__all__:
                continue
            for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
                if default is not None and not node.name.startswith("_"):
                    yield Parameter(node.name, argument.arg, str(file.relative_to(SOURCE)))


def calls_passing() -> set[tuple[str, str]]:
    """Give function and keyword of every call, by the last part of the function's name."""
    found: set[tuple[str, str]] = set()
    for _, tree in sources():
        names = real_names(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                # What is called by somebody else, as in a pool or a partial, is named first, its keywords after it.
                for called in (node.func, *node.args[:2]):
                    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                    found |= {(names.get(name, name), keyword.arg or "**") for keyword in node.keywords}
    for file in SOURCE.rglob("*.html"):
        for name, given in re.findall(r"(\w+)\(([^()]*)\)", file.read_text("utf-8")):
            found |= {(name, keyword) for keyword in re.findall(r"(\w+)=", given)}
    return found


def real_names(tree: ast.Module) -> dict[str, str]:
    """Give what was imported under another name."""
    imported = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {alias.asname: alias.name for node in imported for alias in node.names if alias.asname}


def test_every_keyword_is_passed_by_the_program() -> None:
    calls = calls_passing()
    unused = [
        f"{each.where}: {each.function}({each.name}=)"
        for each in parameters()
        if not {(each.function, each.name), (each.function, "**")} & calls and each.name not in CHOSEN_BY_TESTS
    ]
    assert sorted(set(unused) - PAPERS - REGISTRIES) == [], "only tests pass these; connect or delete them"
    assert set(unused) >= PAPERS | REGISTRIES, "the program passes these now; take them off the list"
