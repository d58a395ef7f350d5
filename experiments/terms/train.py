"""Learn the judge of single changes: python -m experiments.terms.train --data DIR --to FILE.json.

DIR holds terms/series and pairs; the scripted changes are those of tests/scripted.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from experiments.terms.bags import Bag, pair_bags, scripted_bags, terms_bags
from experiments.terms.multiple import learn_bags

SCRIPTED = Path(__file__).parents[2] / "tests" / "scripted"


def all_bags(data: Path) -> list[Bag]:
    """Read everything the judge learns from."""
    return [*terms_bags(data / "terms" / "series"), *scripted_bags(SCRIPTED), *pair_bags(data / "pairs")]


def main() -> None:
    """Learn and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with terms/series and pairs")
    parser.add_argument("--to", type=Path, required=True, help="where the model goes")
    options = parser.parse_args()
    model, penalty = learn_bags("changes", all_bags(options.data))
    options.to.write_text(json.dumps(model.to_json(), indent=1) + "\n", "utf-8")
    print(f"changes: learned from {model.labels} labelled steps, with a penalty of {penalty:g}")


if __name__ == "__main__":
    main()
