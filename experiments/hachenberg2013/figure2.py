"""How much do the two parts of a fingerprint tell, depending on where it is split? Beside figure 2.

python -m experiments.hachenberg2013.figure2 --data DIR

The entropy of the first l references and of the others, over the documents; where the curves meet, both tables of
the index are equally selective. The paper finds l = 17.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from experiments.hachenberg2013.corpus import arguments, load, of_templates
from pagedrift.which_template import fingerprint
from pagedrift.which_template.lzw import LENGTH, SPLIT

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

WIDTH = 60  # signs of the drawing


def entropy(values: Iterable[Hashable]) -> float:
    """Compute Shannon's entropy in bits.

    >>> entropy("aabb")
    1.0
    """
    counts = Counter(values)
    total = counts.total()
    return math.log2(total) - sum(count * math.log2(count) for count in counts.values()) / total


def curves(fingerprints: Sequence[bytes]) -> list[tuple[float, float]]:
    """Compute the entropy of both parts for every split, from 0 to all."""
    return [
        (entropy(one[:split] for one in fingerprints), entropy(one[split:] for one in fingerprints))
        for split in range(LENGTH + 1)
    ]


def break_even(found: Sequence[tuple[float, float]]) -> int:
    """Find the split at which both parts tell most nearly the same."""
    return min(range(len(found)), key=lambda split: abs(found[split][0] - found[split][1]))


def main() -> None:
    """Print the curves."""
    documents = load(arguments(__doc__ or "").data)
    for title, chosen in (("documents of templates", of_templates(documents)), ("documents, noise too", documents)):
        found = curves([bytes(fingerprint(one.page, algorithm="lzw")) for one in chosen])
        most = max(max(pair) for pair in found)
        print(f"{len(chosen):,} {title}; entropy in bits (p: prefix, s: suffix)\n")
        print(" l  prefix  suffix")
        for split, (prefix, suffix) in enumerate(found):
            line = [" "] * (WIDTH + 1)
            line[round(WIDTH * suffix / most)] = "s"
            at = round(WIDTH * prefix / most)
            line[at] = "p" if line[at] == " " else "×"
            print(f"{split:2}  {prefix:6.2f}  {suffix:6.2f}  |{''.join(line).rstrip()}")
        print(f"\nBreak-even here: l = {break_even(found)}. The paper: l = {SPLIT}.\n")


if __name__ == "__main__":
    main()
