"""Learn the judge of single changes: python -m experiments.terms.train --data DIR --to FILE.json.

DIR holds terms/series, pairs and templates; the scripted changes are in tests/scripted and tests/scripted_real.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from experiments.terms.bags import Bag, all_scripts, pair_bags, scripted_bags, terms_bags
from experiments.terms.calibration import sharpened, sharpness
from experiments.terms.evaluate import folds_of
from experiments.terms.multiple import fit_bags, learn_bags
from experiments.terms.steps import all_steps, series_in


def all_bags(data: Path) -> list[Bag]:
    """Read everything the judge learns from."""
    return [*terms_bags(data / "terms" / "series"), *scripted_bags(all_scripts(data)), *pair_bags(data / "pairs")]


def sharpness_of(bags: list[Bag], penalty: float, data: Path) -> float:
    """Fit how sharply the judge may speak, to services that judges with this penalty had not learned from."""
    models = {}
    for without in folds_of(bags):
        model = fit_bags("changes", [bag for bag in bags if bag.site not in without], penalty=penalty)
        models |= dict.fromkeys(without, model)
    return sharpness(all_steps(series_in(data / "terms" / "series"), models))


def main() -> None:
    """Learn, calibrate and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with terms/series and pairs")
    parser.add_argument("--to", type=Path, required=True, help="where the model goes")
    options = parser.parse_args()
    bags = all_bags(options.data)
    model, penalty = learn_bags("changes", bags)
    factor = sharpness_of(bags, penalty, options.data)
    model = sharpened(model, factor)
    options.to.write_text(json.dumps(model.to_json(), indent=1) + "\n", "utf-8")
    chosen = f"a penalty of {penalty:g} and a sharpness of {factor:.2f}"
    print(f"changes: learned from {model.labels} labelled steps, with {chosen}")


if __name__ == "__main__":
    main()
