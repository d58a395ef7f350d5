"""Does clustering stay as fast and as small over millions of documents? Beside table 7 and figures 4 to 6.

python -m experiments.hachenberg2013.table7 --data DIR [--documents 4000000] [--plots DIR]

The paper's 3.6 million documents are gone from the web. These are made by varying the real pages in DIR: each is a
real page into whose first tags up to eight others were put. So there are fewer templates than in the paper, and
larger ones. Making the documents is not timed; taking the fingerprint and clustering is, in seconds of one core.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pagedrift import PageVersion, TemplateClusterer, read
from pagedrift.which_template import FINGERPRINTS

if TYPE_CHECKING:
    from collections.abc import Iterator

PAPER = (3_657_105, 2_604_653, 50.91 * 60, 1197.32)  # documents, clusters, seconds, documents a second
STEP = 10_000  # documents to a point of a figure, as in the paper's footnote 9
SHOWN = 10  # rows of progress
FIRST = 4_000  # bytes into which tags are put
MOST = 8  # tags that are put in
LONGEST = 50_000  # bytes that are kept of a page: 32 KB on average; the paper's have 28 KB
PUT = (
    b"<p>",
    b"<div>",
    b"<span>",
    b"</p>",
    b"</div>",
    b"<a>",
    b"</a>",
    b"<img>",
    b"<b>",
    b"<ul>",
    b"<li>",
    b"<meta>",
)
_TAG = re.compile(rb"<[a-zA-Z/][^<>]*>")


@dataclass
class Run:
    """What was measured, a value for every ten thousand documents."""

    seconds: list[float] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)  # gigabytes
    clusterer: TemplateClusterer = field(default_factory=TemplateClusterer)


def documents(bodies: list[bytes], chance: random.Random) -> Iterator[bytes]:
    """Make documents for ever: a third as they are, the others with one to eight tags put in."""
    places = [[found.end() for found in _TAG.finditer(body, 0, FIRST)] or [0] for body in bodies]
    while True:
        number = chance.randrange(len(bodies))
        body, cuts = bodies[number], places[number]
        count, *dice = chance.randbytes(1 + 2 * MOST)
        pieces, last = [], 0
        for at in range(max(0, count % (MOST + 4) - 3)):
            cut = max(last, cuts[dice[at] * len(cuts) >> 8])
            pieces += (body[last:cut], PUT[dice[MOST + at] % len(PUT)])
            last = cut
        yield b"".join((*pieces, body[last:]))


def measure(bodies: list[bytes], algorithm: str, total: int) -> Run:
    """Cluster so many documents, one after the other."""
    run = Run(clusterer=TemplateClusterer(algorithm))
    made = documents(bodies, random.Random(2013))
    for done in range(0, total, STEP):
        spent, size = 0.0, 0
        for _ in range(0, STEP, 500):  # few at a time in memory
            pages = [PageVersion("", next(made)) for _ in range(500)]
            start = time.process_time()
            run.clusterer.partial_fit(pages)
            spent += time.process_time() - start
            size += sum(len(page.body) for page in pages)
        run.seconds.append(spent)
        run.bytes.append(size)
        run.memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
        if (done // STEP + 1) % max(1, total // STEP // SHOWN) == 0:
            report(run)
    return run


def report(run: Run) -> None:
    """Print how fast the last part was."""
    last = slice(-max(1, len(run.seconds) // SHOWN), None)
    rate = len(run.seconds[last]) * STEP / sum(run.seconds[last])
    volume = sum(run.bytes[last]) / sum(run.seconds[last]) / 1000
    print(f"{len(run.seconds) * STEP:>12,} {rate:>12,.0f} {volume:>14,.0f} {run.memory[-1]:>9.2f}", flush=True)


def plot(run: Run, folder: Path) -> None:
    """Draw figures 4 to 6."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    sizes = Counter(cluster.pages for cluster in run.clusterer.clusters())
    steps = [STEP * (at + 1) / 1e6 for at in range(len(run.seconds))]
    rates = [STEP / spent for spent in run.seconds]
    volumes = [size / spent / 1000 for size, spent in zip(run.bytes, run.seconds, strict=True)]
    figures = {
        "figure4": (list(sizes), list(sizes.values()), "pages in a cluster", "clusters"),
        "figure5": (steps, rates, "documents so far, millions", "documents a second"),
        "figure6": (steps, volumes, "documents so far, millions", "KB a second"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, (x, y, across, up) in figures.items():
        figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
        if name == "figure4":
            axes.loglog(x, y, ".", markersize=4)
        else:
            axes.plot(x, y, linewidth=0.8)
            axes.set_ylim(bottom=0)
        axes.set(xlabel=across, ylabel=up)
        figure.savefig(folder / f"{name}.png", dpi=120)
        pyplot.close(figure)


def main() -> None:
    """Run the experiment and print the paper's row beside ours."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with templates/*.warc.gz")
    parser.add_argument("--documents", type=int, default=4_000_000)
    parser.add_argument("--algorithm", choices=list(FINGERPRINTS), default="lzw")
    parser.add_argument("--plots", type=Path)
    given = parser.parse_args()
    bodies = [
        page.body[:LONGEST] for page in read(sorted((given.data / "templates").glob("*.warc.gz")), order="file")
    ]
    print(f"{'documents':>12} {'docs/s':>12} {'KB/s':>14} {'GB':>9}   of every tenth")
    run = measure(bodies, given.algorithm, given.documents)
    tenth = max(1, len(run.seconds) // SHOWN)
    clusters = run.clusterer.clusters()
    single = sum(cluster.pages == 1 for cluster in clusters)
    total, spent = len(run.seconds) * STEP, sum(run.seconds)
    print(f"\n{'':>10} {'documents':>12} {'clusters':>12} {'seconds':>10} {'docs/s':>10}")
    print(f"{'paper':>10} {PAPER[0]:>12,} {PAPER[1]:>12,} {PAPER[2]:>10,.0f} {PAPER[3]:>10,.0f}")
    print(f"{given.algorithm:>10} {total:>12,} {len(clusters):>12,} {spent:>10,.0f} {total / spent:>10,.0f}")
    print(f"\nclusters of one document: paper about 2,400,000, ours {single:,}")
    print(f"largest cluster: paper 16,411 documents, ours {clusters[0].pages:,}")
    print(f"the last tenth took {sum(run.seconds[-tenth:]) / sum(run.seconds[:tenth]):.2f} times the first")
    if given.plots:
        plot(run, given.plots)


if __name__ == "__main__":
    main()
