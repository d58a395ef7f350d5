"""How good are the fingerprints that ship, untouched, on labelled pages, and would what was chosen hold elsewhere?

python -m experiments.hachenberg2013.evaluate --data DIR

DIR holds NAME.warc.gz for each template and templates.json, a list of objects with name, site and perhaps same_as
(names of templates that are one to a human); noise.warc.gz, if it is there, holds pages of no template. Or DIR is
the folder of all corpora: then all labelled pages and the designs of series are taken together.
Prints tables for people and, as the last line, one JSON object.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.hachenberg2013.development import Page, collection, development
from experiments.hachenberg2013.nested import FOLDS, PARTS, answers, by_human, clusters, lines, nested, parts_of
from experiments.hachenberg2013.scores import by_template, classification, t_test
from pagedrift.which_template import DEFAULT, FINGERPRINTS

if TYPE_CHECKING:
    from collections.abc import Sequence

PAPER = "lzw"


def evaluate(pages: Sequence[Page], algorithm: str) -> dict[str, dict[str, float]]:
    """Give all figures of one algorithm; `merged` counts templates that are one to a human as one."""
    clean = [page for page in pages if page.template]
    return {
        "clustering, merged": clusters(pages, algorithm),
        "clustering, merged, without noise": clusters(clean, algorithm),
        "clustering": clusters(pages, algorithm, by_file),
        "clustering, without noise": clusters(clean, algorithm, by_file),
        "classification, merged": classification([page.merged for page in pages], answers(pages, algorithm)),
        "classification": classification([page.template for page in pages], answers(pages, algorithm, by_file)),
    }


def by_file(page: Page) -> str | None:
    """Give the template of a page; each file is one."""
    return page.template


def by_sites(pages: Sequence[Page], algorithm: str) -> dict[str, list[float]]:
    """Give the main figures on each fifth of the sites alone: how far apart are they?"""
    parts = [clusters(part, algorithm, by_human) for part in parts_of(pages)]
    return {name: [part[name] for part in parts] for name in ("ari", "purity")}


def tests(pages: Sequence[Page]) -> dict[str, dict[str, float]]:
    """Compare ours with the paper's, template by template, in recall and F1."""
    labels = [page.merged for page in pages]
    ours, paper = (by_template(labels, answers(pages, algorithm)) for algorithm in (DEFAULT, PAPER))
    kinds = {"recall": 1, "f1": 2}
    return {
        name: t_test([each[at] for each in ours.values()], [each[at] for each in paper.values()])
        for name, at in kinds.items()
    }


def table(figures: dict[str, dict[str, dict[str, float]]]) -> str:
    """Lay the figures out, one line for each question and algorithm."""
    shown = []
    for question in next(iter(figures.values())):
        shown.append(question)
        for algorithm, found in figures.items():
            values = (
                f"{name} {value:.4f}" if isinstance(value, float) else f"{name} {value}"
                for name, value in found[question].items()
            )
            shown.append(f"  {algorithm:10} " + "  ".join(values))
    return "\n".join(shown)


def read_pages(data: Path) -> list[Page] | None:
    """Read a labelled collection, or all corpora; None where there is neither."""
    if (data / "templates.json").is_file():
        return collection(data)
    return development(data) if (data / "templates" / "templates.json").is_file() else None


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables and the line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args(arguments)
    pages = read_pages(options.data)
    if pages is None:
        parser.error(f"{options.data} has no templates.json; name a labelled collection after --data")
    templates = {page.template for page in pages if page.template}
    noise = sum(page.template is None for page in pages)
    print(f"{len(pages) - noise} pages of {len(templates)} templates, {noise} of none; {FOLDS} folds")
    figures = {algorithm: evaluate(pages, algorithm) for algorithm in FINGERPRINTS}
    print(table(figures))
    parts = {algorithm: by_sites(pages, algorithm) for algorithm in FINGERPRINTS}
    print(f"clustering, merged, on each of {PARTS} parts of the sites with all noise")
    for algorithm, found in parts.items():
        values = (f"{name} {' '.join(f'{value:.4f}' for value in each)}" for name, each in found.items())
        print(f"  {algorithm:10} " + "  ".join(values))
    print(f"{DEFAULT} over {PAPER}, paired t-test over templates (paper, section 4)")
    compared = tests(pages)
    for name, test in compared.items():
        print(f"  {name:10} t {test['t']:.2f}  p {test['p']:.4f}")
    print(f"the rule of {DEFAULT}, chosen without each fifth of the sites (outer) and where it was chosen (inner)")
    chosen = nested(pages)
    print("\n".join(lines(chosen)))
    summary: dict[str, Any] = {"pages": len(pages), "templates": len(templates), "figures": figures, "sites": parts}
    print(json.dumps({**summary, "t-test": compared, "nested": chosen}))


if __name__ == "__main__":
    main()
