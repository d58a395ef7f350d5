"""How well does each approach classify pages, in ten-fold cross validation? Beside table 5.

python -m experiments.hachenberg2013.table5 --data DIR [--sample 1500]

Each template is a yes-or-no question (§ 4.3). The noise is asked about too, but does not count in the figures
beside the paper's, whose collection has none.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from experiments.hachenberg2013.approaches import NAMES, approach
from experiments.hachenberg2013.corpus import Document, arguments, by_template, load, of_templates, shuffled

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

FOLDS = 10
# Precision, recall, F1, accuracy, documents a second.
TABLE_5 = {
    "FP": (1.0, 0.9877, 0.9930, 1.0, 488.18),
    "TV": (0.1868, 0.9996, 0.1913, 0.4593, 14.94),
    "CP": (0.7809, 0.9979, 0.7836, 0.8369, 2.78),
    "CPS": (0.7147, 0.9986, 0.7147, 0.8242, 1.95),
    "CTSS": (1.0, 0.9912, 0.9950, 1.0, 141.00),
    "MD5": (0.5760, 0.2250, 0.2786, 0.9987, 454.03),
    "MDH5": (1.0, 0.9729, 0.9831, 1.0, 6_438.51),
}
LEFT_OUT = ("RTDM", "LCTS")  # too slow, as in the paper


@dataclass(frozen=True, slots=True)
class Classification:
    """The figures of table 5: every template is a yes-or-no question, and the figures are means over them."""

    precision: float
    recall: float
    f1: float
    accuracy: float


def score_answers(accepted: Sequence[Collection[str]], known: Sequence[str | None]) -> Classification:
    """Compare the templates that were accepted for each document with its own.

    Where no document is accepted for a template, its precision is 0.

    >>> score_answers([{"a"}, {"a", "b"}, {"b"}, set()], ["a", "a", "b", "b"])
    Classification(precision=0.75, recall=0.75, f1=0.75, accuracy=0.75)
    """
    rows = []
    for template in sorted({name for name in known if name is not None}):
        pairs = Counter((template in names, own == template) for names, own in zip(accepted, known, strict=True))
        right, wrong, missed = pairs[True, True], pairs[True, False], pairs[False, True]
        precision = right / (right + wrong) if right + wrong else 0.0
        recall, accuracy = right / (right + missed), (right + pairs[False, False]) / len(known)
        f1 = 2 * right / (2 * right + wrong + missed)
        rows.append((precision, recall, f1, accuracy))
    return Classification(*(fmean(column) for column in zip(*rows, strict=True)))


@dataclass(frozen=True, slots=True)
class Result:
    """What one approach reached."""

    alone: Classification
    with_noise: Classification
    wrong: float  # the share of the noise that is taken for a page of some template
    rate: float  # documents a second
    asked: int


def folds_of(documents: list[Document]) -> list[int]:
    """Deal the documents of each template, and the noise, to ten folds in turn."""
    turn: dict[str | None, int] = dict.fromkeys(by_template(documents), 0)
    folds = []
    for document in documents:
        folds.append(turn[document.template] % FOLDS)
        turn[document.template] += 1
    return folds


def validate(name: str, documents: list[Document], sample: int) -> Result:
    """Classify each document, at most so many of them, by the documents of the other folds."""
    chosen, folds = approach(name), folds_of(documents)
    models, reading = chosen.read([document.page for document in documents])
    accepted: dict[int, Collection[str]] = {}
    deciding = 0.0
    for fold in range(FOLDS):
        known = [at for at, own in enumerate(folds) if own != fold and documents[at].template is not None]
        accept = chosen.learn([models[at] for at in known], [str(documents[at].template) for at in known])
        asked = [at for at, own in enumerate(folds[:sample]) if own == fold]
        start = time.process_time()
        accepted.update((at, accept(models[at])) for at in asked)
        deciding += time.process_time() - start
    return _result(documents, accepted, reading / len(documents) + deciding / len(accepted))


def _result(documents: list[Document], accepted: dict[int, Collection[str]], seconds: float) -> Result:
    noise = [at for at in accepted if documents[at].template is None]
    alone = [at for at in accepted if documents[at].template is not None]
    scored = [
        score_answers([accepted[at] for at in chosen], [documents[at].template for at in chosen])
        for chosen in (alone, alone + noise)
    ]
    wrong = sum(bool(accepted[at]) for at in noise) / len(noise) if noise else 0.0
    return Result(scored[0], scored[1], wrong, 1 / seconds, len(accepted))


def main() -> None:
    """Print the table."""
    names = tuple(name for name in NAMES if name not in LEFT_OUT)
    given = arguments(__doc__ or "", names, sample=(10**9, "documents to classify, chosen at random"))
    documents = shuffled(load(given.data))
    print(f"{len(of_templates(documents))} documents of {len(by_template(documents)) - 1} templates, ", end="")
    print(f"{len(documents) - len(of_templates(documents))} of none.\n")
    print(
        "         paper, table 5                             | here, without noise                         ", end=""
    )
    print("| with noise: precision  noise taken for a template")
    print(
        "approach  prec.  recall      F1  accuracy    docs/s |  prec.  recall      F1  accuracy     docs/s",
        flush=True,
    )
    for name in given.only:
        result, paper = validate(name, documents, given.sample), TABLE_5.get(name)
        left = "{:6.4f}  {:6.4f}  {:6.4f}  {:8.4f} {:9,.2f}".format(*paper) if paper else " " * 43
        one = result.alone
        print(
            f"{name:9}{left} | {one.precision:6.4f}  {one.recall:6.4f}  {one.f1:6.4f}  {one.accuracy:8.4f}"
            f" {result.rate:10,.1f} | {result.with_noise.precision:21.4f} {result.wrong:27.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
