import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def collecting(seed: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-p", "no:cacheprovider", "tests"]
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_every_process_collects_the_same_tests_at_any_second_and_with_any_hash_seed() -> None:
    first = collecting("1")
    time.sleep(1.1)  # so that no second of the clock is the same for both
    second = collecting("2")

    lines = [process.communicate()[0].splitlines() for process in (first, second)]
    names = [found[:-2] for found in lines]  # the last line says how long it took

    assert (first.returncode, second.returncode) == (0, 0)
    assert len(names[0]) > 1000
    assert names[0] == names[1]
