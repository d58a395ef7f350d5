"""Bounds for an attack: memory that this process may take besides what it has, and processor time."""

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEGABYTE = 1_000_000


@contextmanager
def bounded(*, megabytes: int, cpu_seconds: float) -> Iterator[None]:
    """Let what is done inside fail with a MemoryError, or an assertion, where it takes more than this."""
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (mapped + megabytes * MEGABYTE, hard))
    started = time.process_time()
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    taken = time.process_time() - started
    assert taken < cpu_seconds, f"{taken:.1f} s of processor time"
