"""Does what is chosen on some sites hold on others? Each fifth of the sites is left out in turn."""

from __future__ import annotations

import random
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING

from experiments.hachenberg2013.scores import classification, clustering
from pagedrift import TemplateClassifier, TemplateClusterer
from pagedrift.which_template.consensus import RULE, TemplateRule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from experiments.hachenberg2013.development import Page

    Label = Callable[[Page], str | None]

PARTS = 5
FOLDS = 10
LEAST_PURITY = 0.997  # what a rule lacks to it counts against it
NEARLY_AS_GOOD = 0.005
OURS = "pagedrift"
CANDIDATES = tuple(
    TemplateRule(least_pages=pages, common=common, nearly=nearly, partly=partly, named=named)
    # The stricter come first: of those that are as good, the first is chosen.
    for named, nearly, partly, pages, common in product(
        (500, 0), (980, 970, 950), (700, 600, 500), (8, 4), (900, 800)
    )
)

Figures = dict[str, float]


def by_human(page: Page) -> str | None:
    """Give the template of a page; those that are one to a human are one."""
    return page.merged


def clusters(pages: Sequence[Page], algorithm: str, label: Label = by_human, rule: TemplateRule = RULE) -> Figures:
    """Cluster pages and compare with the labels; each page of noise is a class of its own.

    Where pages are of several collections, each is clustered by itself with all noise: nobody has looked whether a
    template of one is that of another, such as a theme that many sites use.
    """
    labels: list[object] = []
    found: list[object] = []
    for source in dict.fromkeys(page.source for page in pages if page.template):
        some = [page for page in pages if page.source == source or not page.template]
        clusterer = TemplateClusterer(algorithm, rule=rule).fit(page.taken[algorithm] for page in some)
        labels += [label(page) or (source, number) for number, page in enumerate(some)]
        found += [(source, cluster) for cluster in clusterer.labels_]
    return clustering(labels, found)


def answers(
    pages: Sequence[Page], algorithm: str, label: Label = by_human, rule: TemplateRule = RULE
) -> list[str | None]:
    """Classify each tenth of the pages after learning the others; noise is never learned, and should be none."""
    order = list(range(len(pages)))
    random.Random(2013).shuffle(order)
    given: list[str | None] = [None] * len(pages)
    for fold in range(FOLDS):
        known = [pages[at] for number, at in enumerate(order) if number % FOLDS != fold and label(pages[at])]
        classifier = TemplateClassifier(algorithm, rule=rule)
        classifier.fit((page.taken[algorithm] for page in known), (label(page) or "" for page in known))
        asked = order[fold::FOLDS]
        for at, answer in zip(asked, classifier.predict(pages[at].taken[algorithm] for at in asked), strict=True):
            given[at] = answer
    return given


def parts_of(pages: Sequence[Page]) -> list[list[Page]]:
    """Divide the pages by site into fifths, each with all noise."""
    sites = sorted({page.site for page in pages if page.template})
    random.Random(2013).shuffle(sites)
    some = [set(sites[part::PARTS]) for part in range(PARTS)]
    return [[page for page in pages if page.site in chosen or not page.template] for chosen in some]


def nested(pages: Sequence[Page]) -> dict[str, dict[str, list[float]]]:
    """Choose a rule without each fifth of the sites, and see how it does there and where it was chosen."""
    parts = parts_of(pages)
    scores = {rule: [clusters(part, OURS, rule=rule) for part in parts] for rule in CANDIDATES}
    found: dict[str, dict[str, list[float]]] = {name: {} for name in ("inner", "outer", "shipped")}
    for left_out, part in enumerate(parts):
        inner = {
            rule: [each for at, each in enumerate(all_parts) if at != left_out]
            for rule, all_parts in scores.items()
        }
        chosen = choose(inner)
        _note(found["inner"], {name: fmean(each[name] for each in inner[chosen]) for name in ("ari", "purity")})
        _note(found["outer"], _all_figures(part, chosen))
        _note(found["shipped"], _all_figures(part, RULE))
    return found


def choose(scores: dict[TemplateRule, list[Figures]]) -> TemplateRule:
    """Choose the strictest rule that is nearly as good as the best: what wins by little wins by chance."""
    worth = {rule: _worth(parts) for rule, parts in scores.items()}
    return next(rule for rule in CANDIDATES if worth[rule] >= max(worth.values()) - NEARLY_AS_GOOD)


def _worth(parts: list[Figures]) -> float:
    purity = fmean(part["purity"] for part in parts)
    return fmean(part["ari"] for part in parts) + min(0.0, purity - LEAST_PURITY)


def _all_figures(pages: list[Page], rule: TemplateRule) -> Figures:
    classified = classification([page.merged for page in pages], answers(pages, OURS, rule=rule))
    clustered = clusters(pages, OURS, rule=rule)
    return {name: {**clustered, **classified}[name] for name in ("ari", "purity", "precision", "recall")}


def _note(table: dict[str, list[float]], figures: Figures) -> None:
    for name, value in figures.items():
        table.setdefault(name, []).append(value)


def lines(found: dict[str, dict[str, list[float]]]) -> list[str]:
    """Lay the figures out beside each other, for each fifth of the sites and in the mean."""
    shown = []
    for name in ("ari", "purity", "precision", "recall"):
        for kind, table in found.items():
            if name in table:
                each = " ".join(f"{value:.4f}" for value in table[name])
                shown.append(f"  {name:10} {kind:8} {fmean(table[name]):.4f}   {each}")
    return shown
