"""Run all benchmarks: python -m benchmarks, or make bench."""

import sys

from benchmarks import (
    alerts,
    archives,
    crawls,
    does_it_matter,
    facets,
    fetching,
    freshness,
    growth,
    hostile,
    how_much,
    keeping,
    load,
    pasts,
    recognised,
    redesigned,
    scale,
    selectors,
    what_changed,
    which_template,
)

JOBS = (
    facets.tags,
    facets.tree,
    facets.start,
    archives.reading,
    crawls.unchanged,
    crawls.gate,
    fetching.fetched,
    keeping.together,
    keeping.growth,
    growth.real,
    growth.hostile,
    hostile.visits,
    hostile.large,
    hostile.rates,
    what_changed.compared,
    what_changed.growth,
    what_changed.parts,
    how_much.compared,
    how_much.growth,
    does_it_matter.pictures,
    does_it_matter.blocks,
    does_it_matter.memory,
    redesigned.compared,
    redesigned.memory,
    which_template.fingerprints,
    which_template.from_archives,
    which_template.growth,
    recognised.real,
    selectors.relocated,
    freshness.compared,
    scale.growth,
    scale.clusters,
    alerts.messages,
    pasts.pages,
    load.compared,
    load.alone,
)

if __name__ == "__main__":
    broken = [promise for job in JOBS for promise in job()]
    print("\nAll promises kept." if not broken else "\nNot kept:\n  " + "\n  ".join(broken))
    sys.exit(bool(broken))
