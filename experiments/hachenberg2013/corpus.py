"""Which pages, and of which template is each? A folder of labelled collections, as the experiments read it."""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagedrift import PageVersion, read

NOISE = "noise"  # pages of no template, each of another site


@dataclass(frozen=True, slots=True)
class Document:
    """A page and its template; None for one of none."""

    page: PageVersion
    template: str | None


def arguments(question: str, names: tuple[str, ...] = (), **more: tuple[int, str]) -> argparse.Namespace:
    """Read --data, --only some of the names, and options that are numbers."""
    parser = argparse.ArgumentParser(description=question, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with NAME.warc.gz and templates.json")
    for name, (default, meaning) in more.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{meaning} (default: {default})")
    if names:
        parser.add_argument(
            "--only", nargs="+", choices=names, default=names, metavar="APPROACH", help="which ones"
        )
    given = parser.parse_args()
    if not any(given.data.glob("*.warc.gz")):
        given.data /= "templates"
    if not any(given.data.glob("*.warc.gz")):
        parser.error("there is no NAME.warc.gz in it; name the folder that holds one per template")
    return given


def load(folder: Path, *, merged: bool = True) -> list[Document]:
    """Read all documents; templates that a person would call one (`same_as`) have one name if `merged`."""
    names = _one_name(folder) if merged else {}
    return [
        Document(page, None if (name := path.name.removesuffix(".warc.gz")) == NOISE else names.get(name, name))
        for path in sorted(folder.glob("*.warc.gz"))
        for page in read(path)
    ]


def _one_name(folder: Path) -> dict[str, str]:
    path = folder / "templates.json"
    return one_names(json.loads(path.read_text("utf-8")) if path.exists() else [])


def one_names(facts: list[dict[str, Any]]) -> dict[str, str]:
    """Give one name to templates that are one to a human, whichever of them names the other (`same_as`).

    >>> one_names([{"name": "a"}, {"name": "b", "same_as": "c"}, {"name": "c", "same_as": ["a"]}])
    {'a': 'a', 'b': 'a', 'c': 'a'}
    """
    names = {each["name"]: each["name"] for each in facts}
    for each in facts:
        given = each.get("same_as") or []
        for other in [given] if isinstance(given, str) else given:
            both = {names[each["name"]], names.get(other, other)}
            names = {name: min(both) if found in both else found for name, found in names.items()}
    return names


def of_templates(documents: list[Document]) -> list[Document]:
    """Leave the noise out, as the paper's collection has none."""
    return [document for document in documents if document.template is not None]


def shuffled(documents: list[Document], seed: int = 2013) -> list[Document]:
    """Mix the documents, the same way every time."""
    mixed = list(documents)
    random.Random(seed).shuffle(mixed)
    return mixed


def by_template(documents: list[Document]) -> dict[str | None, list[Document]]:
    """Sort the documents by template."""
    found: dict[str | None, list[Document]] = {}
    for document in documents:
        found.setdefault(document.template, []).append(document)
    return found
