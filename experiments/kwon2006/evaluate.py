"""How good is what ships, on pages that nobody has seen here? One line of JSON.

python -m experiments.kwon2006.evaluate --data DIR
"""

from __future__ import annotations

import json
from statistics import fmean
from typing import Any, Final

from experiments.kwon2006 import figure7
from experiments.kwon2006.common import METRICS, arguments, mean_deviation, measured, real_texts, vocabularies
from experiments.kwon2006.figure5 import degrees
from experiments.kwon2006.people import important, ordered
from pagedrift.how_much.criteria import mixed_changes

CASES: Final = 300


def main() -> None:
    """Print deviations from the criteria on the words of these pages, and the agreement with their labels."""
    data = arguments(__doc__, needs_data=True).data
    seven = figure7.curves(vocabularies(data)["words of real pages"])
    mixed = measured(mixed_changes(CASES, texts=real_texts(data)))
    found: dict[str, Any] = {
        "six_types": {name: fmean(mean_deviation(curve, name) for curve in seven.values()) for name in METRICS},
        "mixed": {name: mean_deviation(mixed, name) for name in METRICS},
    }
    if (data / "pairs" / "labels.csv").exists():
        truth, values = important(data), degrees(data)
        found["people"] = {name: ordered(values[name], truth) for name in METRICS}
        found["pairs"] = len(truth)
    print(json.dumps(found, default=float))


if __name__ == "__main__":
    main()
