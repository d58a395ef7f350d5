"""The unit of systemd is one that systemd understands, gives away little, and names variables that exist."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_container import known_variables

UNIT = Path(__file__).parent.parent / "packaging" / "pagedrift.service"
ANALYZE = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(
    not ANALYZE, reason="there is no systemd-analyze; on Debian: apt-get install systemd"
)
EXPOSURE = 20  # tenths of what systemd gives a service without any restriction


def analyze(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    assert ANALYZE
    return subprocess.run([ANALYZE, *arguments], capture_output=True, text=True, check=False)


@needs_systemd
def test_systemd_understands_every_line(tmp_path: Path) -> None:
    installed = Path(sys.executable).with_name("pagedrift")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text("utf-8").replace("/opt/pagedrift/bin/pagedrift", str(installed)))

    verified = analyze("verify", "--man=no", unit)

    assert (verified.returncode, UNIT.name in verified.stderr) == (0, False), verified.stderr


@needs_systemd
def test_the_service_can_do_little_besides_its_work() -> None:
    judged = analyze("security", "--offline=true", f"--threshold={EXPOSURE}", UNIT)

    assert judged.returncode == 0, judged.stdout[-300:] + judged.stderr


def test_the_unit_names_variables_that_the_application_reads() -> None:
    assert set(re.findall(r"PAGEDRIFT_[A-Z_]+", UNIT.read_text("utf-8"))) <= known_variables()
