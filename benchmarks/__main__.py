"""Run all benchmarks: python -m benchmarks, or make bench; some of them: python -m benchmarks archives facets.tags

A benchmark prints its rows, and promises some (`Table.promise`: a name, a goal, its direction, a figure). All
promises are printed once more at the end, beside those of the last release, and kept in benchmarks/results/; one
that is not kept is an error.
"""

import sys
import time
import traceback

from benchmarks import results
from benchmarks.measure import PROMISES


def run(beginnings: list[str]) -> bool:
    """Run the benchmarks with such names, all where none is given; return whether every promise was kept."""
    from benchmarks.jobs import JOBS  # not in the processes that one of them starts, which load this file too

    seconds: dict[str, float] = {}
    failed = []
    for job in JOBS:
        name = f"{job.__module__.rpartition('.')[2]}.{job.__name__}"
        if beginnings and not name.startswith(tuple(beginnings)):
            continue
        start = time.monotonic()
        try:
            job()
        except Exception:  # the others are to be measured all the same
            traceback.print_exc()
            failed.append(f"{name} failed")
        seconds[name] = time.monotonic() - start
    results.save(PROMISES, seconds, is_all=not beginnings)
    print("\n" + results.as_text(PROMISES))
    print(f"\n{sum(seconds.values()) / 60:.1f} minutes")
    broken = [*failed, *(f"{one.group}: {one.name}" for one in PROMISES if not one.kept)]
    print("All promises kept." if not broken else "Not kept:\n  " + "\n  ".join(broken))
    return not broken


if __name__ == "__main__":
    sys.exit(not run(sys.argv[1:]))
