"""What does one fingerprint more cost where ten million are known? In a process that has loaded nothing else."""

from __future__ import annotations

import random
import resource
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from pagedrift._kernels.sketch_py import LENGTH as SKETCH_LENGTH
from pagedrift.which_template.cluster import TemplateClusterer
from pagedrift.which_template.fingerprint import Fingerprint
from pagedrift.which_template.index import TemplateIndex
from pagedrift.which_template.lzw import LENGTH

KNOWN = (10_000, 100_000, 1_000_000, 10_000_000)
MEASURED = 10_000  # documents that are timed at each size
_REFERENCES = bytes(byte % LENGTH if byte % 2 else 0 for byte in range(256))


@dataclass
class Grown:
    """A clusterer that got ever more fingerprints, all of them different."""

    algorithm: str
    costs: list[float] = field(default_factory=list)  # microseconds for one more, at each size
    memory: list[float] = field(default_factory=list)  # gigabytes of the process
    file: float = 0  # gigabytes
    opening: float = 0  # milliseconds


def grown(algorithm: str) -> Grown:
    """Add fingerprints up to ten million, and save them."""
    chance, clusterer, found = random.Random(1), TemplateClusterer(algorithm), Grown(algorithm)
    for known in KNOWN:
        while found.costs and len(clusterer.index_) < known - MEASURED:
            clusterer.add(_made(chance, algorithm))
        more = [_made(chance, algorithm) for _ in range(MEASURED)]
        start = time.process_time()
        for one in more:
            clusterer.add(one)
        found.costs.append((time.process_time() - start) / MEASURED * 1e6)
        found.memory.append(_memory())
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "known.templates")
        clusterer.index_.save(path)
        found.file = path.stat().st_size / 1e9
        start = time.perf_counter()
        TemplateIndex.open(path)
        found.opening = (time.perf_counter() - start) * 1000
    return found


def _memory() -> float:
    """Give the memory of this process in gigabytes, now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e9


def _made(chance: random.Random, algorithm: str) -> Fingerprint:
    """Make a fingerprint: of lzw, half of its references are 0, as on real pages, the others are as they come."""
    if algorithm != "lzw":
        return Fingerprint(algorithm, chance.randbytes(SKETCH_LENGTH))
    return Fingerprint("lzw", chance.randbytes(LENGTH).translate(_REFERENCES))
