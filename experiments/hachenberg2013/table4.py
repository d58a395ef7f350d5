"""How long does each approach take to classify pages, with ten examples of each template? Beside table 4.

python -m experiments.hachenberg2013.table4 --data DIR [--rtdm 20] [--lcts 200]
"""

from __future__ import annotations

import time

from experiments.hachenberg2013.approaches import NAMES, approach
from experiments.hachenberg2013.corpus import Document, arguments, by_template, load, of_templates, shuffled

EXAMPLES = 10
# Documents a second, and minutes for all 12,737 documents (§ 4.3).
TABLE_4 = {
    "FP": (594.90, 18.53),
    "RTDM": (0.61, 18_206.94),
    "LCTS": (6.74, 1_636.24),
    "TV": (261.57, 42.14),
    "CP": (46.46, 237.26),
    "CPS": (37.37, 295.02),
    "CTSS": (419.68, 26.27),
    "MD5": (611.18, 18.04),
    "MDH5": (8_643.51, 1.28),
}


def split(documents: list[Document]) -> tuple[list[Document], list[Document]]:
    """Take ten examples of each template at random; the rest is to be classified."""
    groups = by_template(shuffled(documents)).values()
    return [one for group in groups for one in group[:EXAMPLES]], [
        one for group in groups for one in group[EXAMPLES:]
    ]


def seconds(name: str, examples: list[Document], rest: list[Document]) -> float:
    """Read and classify documents one by one, in seconds of the processor; learning does not count."""
    chosen = approach(name)
    models, _ = chosen.read([one.page for one in examples])
    accept = chosen.learn(models, [str(one.template) for one in examples])
    found, reading = chosen.read([one.page for one in rest])
    start = time.process_time()
    for model in found:
        accept(model)
    return reading + time.process_time() - start


def main() -> None:
    """Print the table."""
    given = arguments(
        __doc__ or "", rtdm=(20, "documents to time RTDM on"), lcts=(200, "documents to time LCTS on")
    )
    examples, rest = split(of_templates(load(given.data)))
    rest = shuffled(rest)
    rates = {}
    for name in NAMES:
        sample = rest[: {"RTDM": given.rtdm, "LCTS": given.lcts}.get(name, len(rest))]
        rates[name] = len(sample) / seconds(name, examples, sample), len(sample)
    print(
        f"{len(examples)} examples of {len(by_template(examples))} templates; {len(rest)} documents to classify.\n"
    )
    print("         paper, table 4                        | here")
    print("approach   docs/s     minutes  FP is faster by |     docs/s  FP is faster by   timed on")
    for name, (rate, documents) in rates.items():
        paper = TABLE_4.get(name)
        left = f"{paper[0]:8,.2f} {paper[1]:11,.2f} {TABLE_4['FP'][0] / paper[0]:14,.2f} ×" if paper else ""
        print(f"{name:9}{left:37} | {rate:10,.1f} {rates['FP'][0] / rate:14,.2f} × {documents:10,}")


if __name__ == "__main__":
    main()
