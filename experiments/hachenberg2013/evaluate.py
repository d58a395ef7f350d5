"""How good are the fingerprints that ship, untouched, on a labelled collection?

python -m experiments.hachenberg2013.evaluate --data DIR

DIR holds NAME.warc.gz for each template and templates.json, a list of objects with name, site and perhaps same_as
(names of templates that are one to a human); noise.warc.gz, if it is there, holds pages of no template.
Prints a table for people and, as the last line, one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.hachenberg2013.scores import classification, clustering
from pagedrift import Fingerprint, TemplateClassifier, TemplateClusterer, fingerprint, read
from pagedrift.which_template import FINGERPRINTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FOLDS = 10
NOISE = "noise"
PARTS = 5  # of the sites, one left out at a time, to see how much depends on which sites there are


@dataclass(frozen=True)
class Page:
    """One labelled page: its template, the group of templates that are one to a human, and its fingerprints."""

    template: str | None  # None: noise
    merged: str | None
    site: str
    taken: dict[str, Fingerprint]


def collection(data: Path) -> list[Page]:
    """Read a labelled collection, taking every fingerprint of every page."""
    facts = json.loads((data / "templates.json").read_text(encoding="utf-8"))
    merged = {each["name"]: min([each["name"], *each.get("same_as", ())]) for each in facts}
    sites = {each["name"]: each.get("site", each["name"]) for each in facts}
    names: list[str | None] = [each["name"] for each in facts]
    if (data / f"{NOISE}.warc.gz").exists():
        names.append(None)
    return [
        Page(
            name,
            merged[name] if name else None,
            sites[name] if name else page.url,
            {algorithm: fingerprint(page, algorithm=algorithm) for algorithm in FINGERPRINTS},
        )
        for name in names
        for page in read(data / f"{name or NOISE}.warc.gz")
    ]


def clusters(pages: Sequence[Page], algorithm: str, label: Callable[[Page], str | None]) -> dict[str, float]:
    """Cluster pages and compare with the labels; each page of noise is a class of its own."""
    found = TemplateClusterer(algorithm).fit(page.taken[algorithm] for page in pages).labels_
    return clustering([label(page) or number for number, page in enumerate(pages)], found)


def classes(pages: Sequence[Page], algorithm: str, label: Callable[[Page], str | None]) -> dict[str, float]:
    """Classify each tenth of the pages after learning the others; noise is never learned, and should be none."""
    order = list(range(len(pages)))
    random.Random(2013).shuffle(order)
    answers: list[str | None] = [None] * len(pages)
    for fold in range(FOLDS):
        known = [pages[at] for number, at in enumerate(order) if number % FOLDS != fold and label(pages[at])]
        classifier = TemplateClassifier(algorithm)
        classifier.fit((page.taken[algorithm] for page in known), (label(page) or "" for page in known))
        asked = order[fold::FOLDS]
        for at, answer in zip(asked, classifier.predict(pages[at].taken[algorithm] for at in asked), strict=True):
            answers[at] = answer
    return classification([label(page) for page in pages], answers)


def evaluate(pages: Sequence[Page], algorithm: str) -> dict[str, dict[str, float]]:
    """Give all figures of one algorithm; `merged` counts templates that are one to a human as one."""
    clean = [page for page in pages if page.template]
    by_human, by_file = (lambda page: page.merged), (lambda page: page.template)
    return {
        "clustering, merged": clusters(pages, algorithm, by_human),
        "clustering, merged, without noise": clusters(clean, algorithm, by_human),
        "clustering": clusters(pages, algorithm, by_file),
        "clustering, without noise": clusters(clean, algorithm, by_file),
        "classification, merged": classes(pages, algorithm, by_human),
        "classification": classes(pages, algorithm, by_file),
    }


def by_sites(pages: Sequence[Page], algorithm: str) -> dict[str, list[float]]:
    """Give the main figures on each fifth of the sites alone: how far apart are they?"""
    sites = sorted({page.site for page in pages if page.template})
    random.Random(2013).shuffle(sites)
    parts = []
    for part in range(PARTS):
        some = set(sites[part::PARTS])
        chosen = [page for page in pages if page.site in some or not page.template]
        parts.append(clusters(chosen, algorithm, lambda page: page.merged))
    return {name: [part[name] for part in parts] for name in ("ari", "purity")}


def table(figures: dict[str, dict[str, dict[str, float]]]) -> str:
    """Lay the figures out, one line for each question and algorithm."""
    lines = []
    for question in next(iter(figures.values())):
        lines.append(question)
        for algorithm, answers in figures.items():
            shown = (
                f"{name} {value:.4f}" if isinstance(value, float) else f"{name} {value}"
                for name, value in answers[question].items()
            )
            lines.append(f"  {algorithm:10} " + "  ".join(shown))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and the line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args(arguments)
    if not (options.data / "templates.json").is_file():
        parser.error(f"{options.data} has no templates.json; name a labelled collection after --data")
    pages = collection(options.data)
    templates = {page.template for page in pages if page.template}
    noise = sum(page.template is None for page in pages)
    print(f"{len(pages) - noise} pages of {len(templates)} templates, {noise} of none; {FOLDS} folds")
    figures = {algorithm: evaluate(pages, algorithm) for algorithm in FINGERPRINTS}
    print(table(figures))
    parts = {algorithm: by_sites(pages, algorithm) for algorithm in FINGERPRINTS}
    print(f"clustering, merged, on each of {PARTS} parts of the sites with all noise")
    for algorithm, found in parts.items():
        print(
            f"  {algorithm:10} "
            + "  ".join(f"{name} {' '.join(f'{value:.4f}' for value in values)}" for name, values in found.items())
        )
    summary: dict[str, Any] = {"pages": len(pages), "templates": len(templates), "figures": figures, "sites": parts}
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
