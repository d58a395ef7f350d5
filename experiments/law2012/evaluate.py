"""How well does the judge that ships do on labelled pairs: python -m experiments.law2012.evaluate --data DIR."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from experiments.law2012.pairs import read_pairs
from experiments.law2012.rows import asked, paper_rows
from experiments.law2012.scoring import HEAD, TENTHS_HEAD, Score, score, tenths
from experiments.law2012.train import CERTAIN, KINDS, complete, figures
from pagedrift.does_it_matter.changes import changes
from pagedrift.does_it_matter.evidence import change, unseen
from pagedrift.does_it_matter.features import PAPER
from pagedrift.does_it_matter.judge import verdict
from pagedrift.does_it_matter.model import shipped
from pagedrift.does_it_matter.svm import learn_svm
from pagedrift.does_it_matter.train import fit
from pagedrift.report.headlines import sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from experiments.law2012.pairs import Pair

HALF = 0.5
SHOWN_CHANGES = 6  # of each mistake
CONFIDENCES = {"all": (1, 2, 3), "2 and 3": (2, 3), "3": (3,)}


def by_confidence(pairs: Sequence[Pair], told: Sequence[float]) -> dict[str, Score]:
    """Score all pairs, and those whose label is surer."""
    found = {}
    for name, wanted in CONFIDENCES.items():
        chosen = [
            (each, pair.dissimilar) for each, pair in zip(told, pairs, strict=True) if pair.confidence in wanted
        ]
        found[name] = score([each for each, _ in chosen], [truth for _, truth in chosen])
    return found


def mistakes(pairs: Sequence[Pair], told: Sequence[float]) -> Iterator[str]:
    """List the pairs that were missed, then the false alarms, each with what changed by its source."""
    for dissimilar, what in ((True, "missed"), (False, "false alarm")):
        for pair, each in zip(pairs, told, strict=True):
            if pair.dissimilar == dissimilar and (each >= HALF) != dissimilar:
                yield f"{what}: {pair.id}, {each:.2f}, confidence {pair.confidence}: {pair.reason}"
                found = changes(*unseen(pair.old, pair.new))
                for each_change in found[:SHOWN_CHANGES]:
                    place = f"{each_change.probability:.2f} {each_change.zone}"
                    yield f"    {each_change.level:9} {place}: {sentence(each_change)}"
                if not found:
                    yield "    no change of the text was seen"


def with_facts(pairs: Sequence[Pair], told: Sequence[float], kind: str) -> list[float]:
    """Raise what a model says to what its single changes and style sheets do, as the judge does."""
    raised = []
    for pair, each in zip(pairs, told, strict=True):
        seen = change(*((pair.old, pair.new) if kind == "pictures" else unseen(pair.old, pair.new)))
        raised.append(verdict(each, changes(seen.old, seen.new), seen)[0])
    return raised


def leave_sites_out(pairs: Sequence[Pair], rows: Sequence[dict[str, float]], kind: str) -> list[float]:
    """Judge the pairs of each site by a model that was learned from all other sites."""
    told = [0.0] * len(pairs)
    for site in {pair.site for pair in pairs}:
        others = [number for number, pair in enumerate(pairs) if pair.site != site and complete(rows[number], kind)]
        certain = [CERTAIN[pairs[number].confidence] for number in others]
        labels = [pairs[number].dissimilar for number in others]
        model = fit(kind, KINDS[kind], [rows[number] for number in others], labels, certain)
        for number, pair in enumerate(pairs):
            if pair.site == site and complete(rows[number], kind):
                told[number] = model.probability(rows[number])
    return told


def paper_without_sites(pairs: Sequence[Pair], rows: Sequence[dict[str, float]]) -> list[float]:
    """Do the same with the paper's machine; its scale of probabilities is learned without the site too."""
    told = [0.0] * len(pairs)
    for site in {pair.site for pair in pairs}:
        others = [number for number, pair in enumerate(pairs) if pair.site != site]
        labels, sites = [pairs[each].dissimilar for each in others], [pairs[each].site for each in others]
        model = learn_svm("paper", PAPER, [rows[each] for each in others], labels, sites)
        for number, pair in enumerate(pairs):
            if pair.site == site:
                told[number] = model.probability(rows[number])
    return told


def answers(
    folder: Path, keep: Path | None, *, sites_out: bool
) -> Iterator[tuple[str, Sequence[Pair], list[float]]]:
    """Ask each judge, as shipped, and if asked also learned anew without each site."""
    pairs = list(read_pairs(folder))
    kept: dict[str, list[float]] = {}  # of the source, which is judged where pictures cannot be
    for kind in ("source", "pictures"):
        rows = [figures(pair.old, pair.new, kind) for pair in pairs]
        found = {"as shipped": [shipped(kind).probability(row) if complete(row, kind) else 0.0 for row in rows]}
        if sites_out:
            found["site left out"] = leave_sites_out(pairs, rows, kind)
        for name, told in found.items():
            for number, row in enumerate(rows):
                if not complete(row, kind):
                    told[number] = kept[name][number]
            yield f"{kind}, {name}", pairs, with_facts(pairs, told, kind)
        kept = found
    rows = [row.values for row in paper_rows(folder, keep)]
    yield "paper, as shipped", pairs, [shipped("paper").probability(row) for row in rows]
    if sites_out:
        yield "paper, site left out", pairs, paper_without_sites(pairs, rows)


def main() -> None:
    """Apply the judges to a collection and print how they did."""
    parser = asked(__doc__)
    parser.add_argument(
        "--leave-sites-out", action="store_true", help="learn anew without each site, for training data"
    )
    options = parser.parse_args()
    print(HEAD)
    line = {}
    wrong: list[str] = []
    stated: list[str] = []
    for name, pairs, told in answers(options.data, options.keep, sites_out=options.leave_sites_out):
        found = by_confidence(pairs, told)
        for confidence, each in found.items():
            print(each.row(name, confidence), flush=True)
        line[name] = {confidence: vars(each) for confidence, each in found.items()}
        if not name.startswith("paper"):
            stated += (f"\n{name}, all labels\n{TENTHS_HEAD}", *tenths(told, [pair.dissimilar for pair in pairs]))
            wrong += (f"\nMistakes, {name}:", *mistakes(pairs, told))
    print("\n".join((*stated, *wrong)))
    print(json.dumps({"format": 1, "experiment": "law2012", "judges": line}))


if __name__ == "__main__":
    main()
