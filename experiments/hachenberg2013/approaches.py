"""How does each of the paper's approaches tell the template of a page, and how do we? One interface for all."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pagedrift.which_template import FINGERPRINTS, TemplateClassifier, fingerprint
from pagedrift.which_template.similarity import SIMILARITIES, SimilarityClassifier

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pagedrift import PageVersion

# The paper's FP is "lzw"; every other fingerprint is ours, under its own name.
PAPER = {"FP": "lzw"}
OURS = {name: name for name in FINGERPRINTS if name not in PAPER.values()}
NAMES = (*PAPER, *SIMILARITIES, *OURS)


@dataclass(frozen=True, slots=True)
class Approach:
    """What is kept of a page, and how templates are learned from what was kept of examples."""

    name: str
    model: Callable[[PageVersion], Any]
    learn: Callable[[Sequence[Any], Sequence[str]], Callable[[Any], Collection[str]]]

    def read(self, pages: Sequence[PageVersion]) -> tuple[list[Any], float]:
        """Look at pages, each as if for the first time; give what is kept, and the seconds of the processor."""
        fresh = [replace(page) for page in pages]
        start = time.process_time()
        models = [self.model(page) for page in fresh]
        return models, time.process_time() - start


def approach(name: str) -> Approach:
    """Look up one of `NAMES`."""
    if name in SIMILARITIES:
        return Approach(name, SIMILARITIES[name].model, lambda models, labels: _by_similarity(name, models, labels))
    algorithm = PAPER.get(name, name)
    return Approach(
        name,
        lambda page: fingerprint(page, algorithm=algorithm),
        lambda models, labels: _by_index(algorithm, models, labels),
    )


def _by_similarity(name: str, models: Sequence[Any], labels: Sequence[str]) -> Callable[[Any], Collection[str]]:
    return SimilarityClassifier(name).fit(models, labels).templates_of


def _by_index(algorithm: str, models: Sequence[Any], labels: Sequence[str]) -> Callable[[Any], Collection[str]]:
    """Take every template that the index finds; one page of it is enough (§ 4.1). Ours has a classifier instead."""
    classifier = TemplateClassifier(algorithm).fit(models, labels)
    if FINGERPRINTS[algorithm].features is not None:
        return lambda model: {template for template in classifier.predict([model]) if template is not None}
    index = classifier.index_
    return lambda model: {known.template for known in index.query(model) if known.template is not None}
