"""How fast is `extended`, from words to counts, beside its peers, and does its cost grow as the page does?"""

from __future__ import annotations

import difflib
import random
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rapidfuzz.distance import LCSseq

from benchmarks.measure import Table, seconds
from benchmarks.pages import data
from pagedrift import PageVersion, measure, read
from pagedrift.how_much import extended, improved

if TYPE_CHECKING:
    from collections.abc import Callable

Pair = tuple[list[str], list[str]]


def compared() -> list[str]:
    """Compare with what one would write or take instead: on changed pages, and on pages with little in common."""
    table = Table("How much, words to counts: the time of peers over ours")
    for name, pages in {"a quarter changed": made(1000), "unrelated": (text(1000, 1), text(1000, 2))}.items():
        ours = _time(_extended, pages, times=20)
        table.row(f"1,000 words, {name}, milliseconds", f"{1000 * ours:.2f}")
        least = 50 if name == "a quarter changed" else 30
        table.promise(
            "  dynamic programming in numpy, by rows", _time(_by_rows, pages, times=2) / ours, least=least
        )
        table.promise("  difflib, as it is", _time(_difflib, pages, times=5) / ours, least=5)
        table.row("  difflib, autojunk off", f"{_time(_difflib_exact, pages, rounds=1) / ours:.0f}")
        table.row("  extended+ over extended", f"{_time(_improved, pages) / ours:.0f}")
    broken = table.broken
    table = Table("How much, words to counts: our time over that of rapidfuzz's LCS alignment alone")
    for name, pages in {"a quarter changed": made(8192), "unrelated": (text(8192, 1), text(8192, 2))}.items():
        ratio = _time(_extended, pages, times=5) / _time(_rapidfuzz, pages, times=5)
        table.promise(f"8,192 words, {name}", ratio, most=2)
    return broken + table.broken


def all_metrics() -> list[str]:
    """Time all seven metrics on pages of terms with about 5,000 words that changed, from bytes: the slowest."""
    table = Table("How much, all seven metrics, pages of terms with 5,000 words")
    slowest = max(_time(_measure, pair) for pair in _terms())
    table.promise("milliseconds of processor time", 1000 * slowest, most=15)
    return table.broken


def _terms() -> list[tuple[bytes, bytes]]:
    """Find a few versions that changed; without corpora, make one."""
    folder = data()
    found: list[tuple[bytes, bytes]] = []
    for path in sorted(folder.glob("terms/series/*.warc.gz"))[:60] if folder else ():
        pages = [page for page in read(path) if 4500 < len(page.words) < 5500]
        changed = [(old.body, new.body) for old, new in pairwise(pages) if old.words != new.words]
        found += changed[:1]
    return found[:5] or [tuple(" ".join(["<p>", *words]).encode() for words in made(5000, 0.1))]  # type: ignore[list-item]


def _measure(pair: tuple[bytes, bytes]) -> object:
    return measure(PageVersion("", pair[0]), PageVersion("", pair[1]))


def growth() -> list[str]:
    """Compare pages of up to two million words with clustered changes, and look at the memory."""
    table = Table("How much, on large pages with clustered changes, nanoseconds a word")
    for share in (0.01, 0.1, 0.4):
        costs = {}
        for words in (20_000, 200_000, 2_000_000):
            spent = seconds(
                _extended, [made(words, share)], rounds=max(1, 400_000 // words), clock=time.process_time
            )
            costs[words] = spent / words * 1e9
            table.row(f"{share:.0%} changed, {words:,} words", f"{costs[words]:.0f}")
        table.promise("  200,000 over 20,000 words", costs[200_000] / costs[20_000], most=4)
        table.promise("  2,000,000 over 200,000 words", costs[2_000_000] / costs[200_000], most=4)
    if Path("/proc/self/status").exists():
        memory = _peak("how_much") - _peak("nothing")
        table.promise("peak bytes a word, 200,000 unrelated words", memory / 400_000, most=200)
    return table.broken


def _time(run: Callable[[Any], object], pages: object, *, times: int = 1, rounds: int = 5) -> float:
    return seconds(run, [pages] * times, rounds=rounds, clock=time.process_time) / times


def text(words: int, seed: int) -> list[str]:
    """Make a text whose words occur about as often as in real ones."""
    chance = random.Random(seed)
    return [f"w{int(chance.paretovariate(0.9)) % 50_000}" for _ in range(words)]


def made(words: int, share: float = 0.25) -> Pair:
    """Make a page and a version in which words were replaced, copied, dropped and moved, each in one place."""
    old = text(words, 0)
    new, part = list(old), max(1, int(words * share / 4))
    new[words // 10 : words // 10 + part] = [f"n{number}" for number in range(part)]
    new[3 * words // 10 : 3 * words // 10] = old[:part]
    del new[6 * words // 10 : 6 * words // 10 + part]
    block = new[8 * words // 10 : 8 * words // 10 + part]
    del new[8 * words // 10 : 8 * words // 10 + part]
    new[words // 5 : words // 5] = block
    return old, new


def _extended(pages: Pair) -> object:
    return extended.compare(*pages)


def _improved(pages: Pair) -> object:
    return improved.compare(*pages)


def _rapidfuzz(pages: Pair) -> object:
    return LCSseq.opcodes(*pages)


def _difflib(pages: Pair) -> object:
    return difflib.SequenceMatcher(None, *pages).get_opcodes()


def _difflib_exact(pages: Pair) -> object:
    return difflib.SequenceMatcher(None, *pages, autojunk=False).get_opcodes()


def _by_rows(pages: Pair) -> object:
    """Align by the whole table of lengths, a row at a time."""
    numbers: dict[str, int] = {}
    old, new = (np.array([numbers.setdefault(word, len(numbers)) for word in words]) for words in pages)
    table = np.zeros((len(old) + 1, len(new) + 1), dtype=np.int32)
    for i, word in enumerate(old):
        kept = np.maximum(table[i, 1:], table[i, :-1] + (new == word))
        np.maximum.accumulate(kept, out=table[i + 1, 1:])
    pairs, i, j = [], len(old), len(new)
    while i and j:
        if table[i, j] == table[i, j - 1]:
            j -= 1
        elif table[i, j] == table[i - 1, j]:
            i -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs


def _peak(job: str) -> int:
    """Measure a job in a process of its own, in bytes, native memory included."""
    command = [sys.executable, "-m", "benchmarks.how_much", job]
    return int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


if __name__ == "__main__":
    pages = text(200_000, 1), text(200_000, 2)
    if sys.argv[1] == "how_much":
        _extended(pages)
    status = Path("/proc/self/status").read_text()
    print(next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")))
