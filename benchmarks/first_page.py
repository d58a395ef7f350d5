"""How long from an empty environment to the first page of the application? Phases, in seconds.

Packages are fetched once beforehand (a warm cache), so that the figures do not depend on a network. They do depend
on what else the machine does, so its load is printed with them. Needs nothing but Python, or uv for --installer uv.

    python -m benchmarks.first_page                       # builds the wheel, installs with pip
    python -m benchmarks.first_page --wheel dist/*.whl --installer uv
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent
LONGEST = 60.0  # seconds that the promise allows
PATIENCE = 120.0  # seconds until the application counts as broken


def main() -> int:
    """Measure, print the phases, and fail where they take longer than promised."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="pagedrift-first-page-") as folder:
        wheel = arguments.wheel or _built(Path(folder) / "wheel")
        packages = Path(folder) / "packages"
        _run(sys.executable, "-m", "pip", "download", "--dest", packages, wheel)
        load = os.getloadavg()[0]
        phases = _phases(Path(folder), wheel, packages, arguments.installer)
    for name, seconds in phases.items():
        print(f"{seconds:6.1f} s  {name}")
    total = sum(phases.values())
    print(f"{total:6.1f} s  in all, of {LONGEST:g} allowed; {os.cpu_count()} processors, load {load:.1f} before")
    return int(total > LONGEST)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--wheel", type=Path, help="of Pagedrift; otherwise one is built from this checkout")
    parser.add_argument("--installer", choices=("pip", "uv"), default="pip")
    return parser.parse_args()


def _built(folder: Path) -> Path:
    """Build the wheel of this checkout, which is no part of what is measured."""
    _run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, CHECKOUT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _phases(folder: Path, wheel: Path, packages: Path, installer: str) -> dict[str, float]:
    environment = folder / "environment"
    python = environment / "bin" / "python"
    offline = ("--no-index", "--find-links", packages, wheel)
    commands: dict[str, tuple[str | Path, ...]] = {
        "pip": (python, "-m", "pip", "install", *offline),
        "uv": ("uv", "pip", "install", "--python", python, *offline),
    }
    make = (sys.executable, "-m", "venv", environment)
    phases = {"make an empty environment": _run(*(make if installer == "pip" else ("uv", "venv", environment)))}
    phases[f"install with {installer}, packages at hand"] = _run(*commands[installer])
    phases["start the application until its first page is answered"] = _first_page(environment, folder / "data")
    return phases


def _first_page(environment: Path, data: Path) -> float:
    """Start the demonstration and ask until the overview is answered."""
    begun, port = time.monotonic(), _free_port()
    command = [environment / "bin" / "pagedrift", "serve", "--demo", "--port", str(port), "--data", data]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as application:
        try:
            while not _answers(f"http://127.0.0.1:{port}/"):
                if application.poll() is not None or time.monotonic() - begun > PATIENCE:
                    sys.exit("the application did not come up; run pagedrift serve --demo to see why")
                time.sleep(0.05)
            return time.monotonic() - begun
        finally:
            os.killpg(application.pid, signal.SIGTERM)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return b"Pagedrift" in answer.read()
    except OSError:
        return False


def _free_port() -> int:
    """Find a port that is free together with the next one, which captured pages are shown from."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as first:
            port: int = first.getsockname()[1]
            try:
                with socket.create_server(("127.0.0.1", port + 1)):
                    return port
            except OSError:
                continue


def _run(*command: str | Path) -> float:
    """Run a command to its end and give the seconds it took; show what it said where it failed."""
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return time.monotonic() - begun


if __name__ == "__main__":
    sys.exit(main())
