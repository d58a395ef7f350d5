"""A real PostgreSQL for tests, in a folder of its own, reached by a socket in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

USER = "postgres"


class Postgres:
    """A cluster that is made, started and thrown away."""

    def __init__(self) -> None:
        self._bin = programs()
        self._folder = Path(tempfile.mkdtemp(prefix="pagedrift-postgres-"))
        self._made = 0
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(self._folder, USER, USER)
        self._run("initdb", "-D", self._data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def start(self) -> None:
        """Start it; what was in it is there again."""
        settings = f"-c listen_addresses='' -c unix_socket_directories={self._folder} -c max_connections=200 -F"
        self._run("pg_ctl", "-D", self._data, "-w", "-l", f"{self._folder}/log", "-o", settings, "start")

    def stop(self) -> None:
        """Stop it, as if it had crashed."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "stop")

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def database(self) -> str:
        """Make an empty database and give its address."""
        self._made += 1
        name = f"test{self._made}"
        self._run("createdb", "-h", str(self._folder), "-U", USER, name)
        return f"postgresql://{USER}@/{name}?host={self._folder}"

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", USER, "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")


def programs() -> Path:
    """Find PostgreSQL's programs, or skip the test."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    if (initdb := shutil.which("initdb")) is not None:
        return Path(initdb).resolve().parent
    pytest.skip("there is no PostgreSQL on this machine; on Debian: apt-get install postgresql")
