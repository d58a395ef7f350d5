"""Does the judge that ships find the changes of content in series of real pages, and leave out the noise?

python -m experiments.terms.evaluate --data DIR, where DIR holds NAME.json and NAME.warc.gz of each series.

Each version is judged after those before it (past), and once more as if only the one before were known (pair). A
step alerts if any of its changes is more than noise: what “every change of content” sends.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from experiments.law2012.scoring import TENTHS_HEAD, tenths
from experiments.terms.bags import all_scripts, pair_bags, scripted_bags, terms_bags
from experiments.terms.calibration import sharpened_without
from experiments.terms.multiple import learn_bags
from experiments.terms.steps import all_steps, series_in
from pagedrift.does_it_matter.changes import Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from experiments.terms.bags import Bag
    from experiments.terms.steps import Step, Told
    from pagedrift.does_it_matter.model import Model

FOLDS = 8
SHOWN_CHANGES = 6  # of each mistake
COMMON_SIZE = range(40_000, 60_001)  # bytes of an ordinary page
WORDS = {"all": range(10**9), "1–3 words": range(1, 4), "4–20 words": range(4, 21), "more words": range(21, 10**9)}


def alerts(told: Sequence[Told]) -> bool:
    """Say whether a step would be told of to someone who wants every change of content."""
    return any(each.level is not Level.NOISE for each in told)


def highest(told: Sequence[Told]) -> float:
    """Give how surely a step is content: as its likeliest change."""
    return max((each.probability for each in told), default=0.0)


def auc(content: Sequence[float], none: Sequence[float]) -> float:
    """Give the chance that a step of content is ranked above one without; ties count half.

    >>> auc([0.9, 0.4], [0.4, 0.1])
    0.875
    """
    from scipy.stats import rankdata

    if not content or not none:
        return float("nan")
    ranks = rankdata([*content, *none])[: len(content)].sum()
    return float((ranks - len(content) * (len(content) + 1) / 2) / (len(content) * len(none)))


def figures(steps: Sequence[Step], *, past: bool) -> dict[str, float]:
    """Give recall, false alarms and AUC; the first two also as means over services."""
    alerted = {
        truth: [(step.service, alerts(step.told(past=past))) for step in steps if step.content == truth]
        for truth in (True, False)
    }
    sure = {
        truth: [highest(step.told(past=past)) for step in steps if step.content == truth] for truth in (True, False)
    }
    return {
        "recall": _share(alerted[True]),
        "false": _share(alerted[False]),
        "auc": round(auc(sure[True], sure[False]), 4),
        "recall by service": _share_by_service(alerted[True]),
        "false by service": _share_by_service(alerted[False]),
    }


def _share(alerted: Sequence[tuple[str, bool]]) -> float:
    return round(float(mean(each for _, each in alerted)), 4) if alerted else float("nan")


def _share_by_service(alerted: Sequence[tuple[str, bool]]) -> float:
    services: dict[str, list[bool]] = {}
    for service, each in alerted:
        services.setdefault(service, []).append(each)
    return round(float(mean(map(mean, services.values()))), 4) if services else float("nan")


def mistakes(steps: Sequence[Step], *, past: bool) -> Iterator[str]:
    """List the steps that were missed, then the false alarms, each with its changes."""
    for content, name in ((True, "missed"), (False, "false alarm")):
        for step in steps:
            told = step.told(past=past)
            if step.content == content and alerts(told) != content:
                yield f"{name}: {step.name}"
                likeliest = sorted(told, key=lambda each: -each.probability)
                yield from (f"    {each.line}" for each in likeliest[:SHOWN_CHANGES])
                if not told:
                    yield "    no change was seen"
                if len(told) > SHOWN_CHANGES:
                    yield f"    and {len(told) - SHOWN_CHANGES} less likely ones"


def calibration(steps: Sequence[Step], *, past: bool) -> Iterator[str]:
    """Set the stated probabilities against what was true, in tenths, by the words of the likeliest change."""
    for name, words in WORDS.items():
        likeliest = [
            (max(told, key=lambda each: each.probability), step.content)
            for step in steps
            if (told := step.told(past=past))
        ]
        chosen = [(each.probability, content) for each, content in likeliest if each.words in words]
        if chosen:
            yield f"{name}, {'past' if past else 'pair'}"
        yield from tenths([each for each, _ in chosen], [content for _, content in chosen])


def milliseconds(steps: Sequence[Step]) -> dict[str, float]:
    """Give the time that a step takes: on average, in the middle, and where both pages are of an ordinary size."""
    common = [step.ms for step in steps if all(size in COMMON_SIZE for size in step.size)]
    return {
        "mean": round(mean(step.ms for step in steps), 1),
        "median": round(median(step.ms for step in steps), 1),
        "40–60 KB": round(mean(common), 1) if common else float("nan"),
        "pairs of 40–60 KB": len(common),
    }


HEAD = "                       steps   recall   false     AUC   mean over services: recall   false"


def row(name: str, steps: Sequence[Step], found: dict[str, float]) -> str:
    """Write the figures as a line of the table."""
    return (
        f"{name:22} {len(steps):5} {found['recall']:8.1%} {found['false']:7.1%} {found['auc']:7.3f}"
        f" {found['recall by service']:27.1%} {found['false by service']:7.1%}"
    )


def report(steps: Sequence[Step], kind: str) -> dict[str, Any]:
    """Print mistakes, tables and times; give the figures."""
    found = {name: figures(steps, past=name == "past") for name in ("past", "pair")}
    for name in found:
        print(f"\nMistakes, {kind}, {name}:")
        for line in mistakes(steps, past=name == "past"):
            print(line)
    print(f"\n{HEAD}")
    for name, each in found.items():
        print(row(f"{name}, {kind}", steps, each))
    for name in found:
        print(f"\nlikeliest change\n{TENTHS_HEAD}")
        for line in calibration(steps, past=name == "past"):
            print(line)
    return found


def folds_of(bags: Sequence[Bag]) -> list[set[str]]:
    """Divide the sites into folds."""
    sites = sorted({bag.site for bag in bags})
    return [set(sites[fold::FOLDS]) for fold in range(FOLDS)]


def models_without(bags: Sequence[Bag], series: Sequence[Path]) -> dict[str, Model]:
    """Give each site a model that has not seen it; penalty and sharpness, too, are chosen without it."""
    models = {}
    for number, without in enumerate(folds_of(bags), start=1):
        model, penalty = learn_bags("changes", [bag for bag in bags if bag.site not in without])
        print(f"fold {number} of {FOLDS}: a penalty of {penalty:g}", flush=True)
        models |= dict.fromkeys(without, model)
    found, factors = sharpened_without(models, folds_of(bags), all_steps(series, models))
    print(f"sharpness of each fold: {', '.join(f'{factor:.2f}' for factor in factors)}", flush=True)
    return found


def main() -> None:
    """Print mistakes, tables, and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder of series: NAME.json and NAME.warc.gz")
    parser.add_argument(
        "--leave-services-out", action="store_true", help="judge each service by a model learned without it"
    )
    parser.add_argument(
        "--root", type=Path, help="a folder with terms/series and pairs to learn from; two above DIR"
    )
    options = parser.parse_args()
    series = series_in(options.data)
    if not series:
        parser.error(f"{options.data} holds no NAME.json with NAME.warc.gz; name the folder that holds the series")
    root = options.root or options.data.resolve().parents[1]
    if options.leave_services_out and not (root / "pairs" / "labels.csv").exists():
        parser.error(f"{root} holds no pairs to learn from; name the folder above terms and pairs with --root")

    steps = all_steps(series)
    found = report(steps, "as shipped")
    line: dict[str, Any] = {"experiment": "terms", **_short(found)}
    if options.leave_services_out:
        bags = [*terms_bags(options.data), *scripted_bags(all_scripts(root)), *pair_bags(root / "pairs")]
        outer = report(all_steps(series, models_without(bags, series)), "left out")
        line["left out"] = _short(outer)
    ms = milliseconds(steps)
    print("\nms per pair: " + ", ".join(f"{name} {value}" for name, value in ms.items()))
    print(json.dumps(line | {"ms": ms["mean"]}))


def _short(found: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {name: {key: each[key] for key in ("recall", "false", "auc")} for name, each in found.items()}


if __name__ == "__main__":
    main()
