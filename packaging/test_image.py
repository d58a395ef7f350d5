"""Do the steps of the container image work? They are run on a bare Debian in a folder, without a container engine.

make image-test     # as root, with debootstrap and a network
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.test_container import image_command, image_environment, told

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
SCRIPT = "/usr/local/lib/pagedrift/image.sh"
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")  # of this machine, behind whose proxy the steps run
PATIENCE = 120.0


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare Debian, as the base image has it."""
    if os.geteuid() != 0:
        pytest.skip("only root can change the root directory")
    if not shutil.which("debootstrap"):
        pytest.skip("there is no debootstrap; on Debian: apt-get install debootstrap")
    folder = tmp_path_factory.mktemp("image") / "debian"
    command = ["debootstrap", "--variant=minbase", "bookworm", str(folder)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"debootstrap could not reach Debian: {made.stdout[-300:]}")
    return folder


@pytest.fixture(scope="module")
def image(debian: Path) -> Path:
    """Both stages of the image, as the Dockerfile has them."""
    build, runtime = debian.with_name("build"), debian.with_name("runtime")
    for folder in (build, runtime):
        subprocess.run(["cp", "--archive", debian, folder], check=True)
        (folder / SCRIPT[1:]).parent.mkdir(parents=True)
        shutil.copy(ROOT / "packaging" / "image.sh", folder / SCRIPT[1:])
        shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")
        if CERTIFICATES.exists():
            shutil.copy(CERTIFICATES, folder / "tmp" / "certificates.crt")
    ignored = shutil.ignore_patterns("*.so", "*.c", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT / "src", build / "source" / "src", ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, build / "source")
    step(build, "build", "/source", "postgres,s3")
    step(runtime, "runtime")
    subprocess.run(["cp", "--archive", build / "opt" / "pagedrift", runtime / "opt"], check=True)
    return runtime


def step(folder: Path, *arguments: str) -> None:
    """Run a step of the image."""
    environment = {"PATH": SYSTEM_PATH, "PIP_CERT": "/tmp/certificates.crt"}
    environment |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    begun = time.monotonic()
    done = inside(folder, [SCRIPT, *arguments], environment)
    said, _ = done.communicate()
    print(f"{time.monotonic() - begun:.0f} s for image.sh {' '.join(arguments)}")
    assert done.returncode == 0, said


def inside(
    folder: Path, command: list[str], environment: dict[str, str], user: str = "0:0"
) -> subprocess.Popen[str]:
    """Start a command in a folder as if it were the whole machine, with what an engine mounts."""
    mounts = 'mount -t proc proc "$0/proc"; mount -t tmpfs tmpfs "$0/dev/shm"; user=$1; shift; '
    run = 'exec chroot --userspec="$user" "$0" "$@"'
    return subprocess.Popen(
        [
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "sh",
            "-ec",
            mounts + run,
            folder,
            user,
            *command,
        ],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture
def running(image: Path) -> Iterator[subprocess.Popen[str]]:
    """The application in its image, as its user."""
    started = inside(image, image_command(), environment(), told("USER"))
    yield started
    if started.poll() is None:
        started.kill()
    started.communicate()


def environment() -> dict[str, str]:
    ours = {name: value.replace("$PATH", SYSTEM_PATH) for name, value in image_environment().items()}
    return {"PAGEDRIFT_PORT": "18710", **ours}


def healthy(image: Path) -> bool:
    asked = inside(image, [SCRIPT, "health"], environment(), told("USER"))
    asked.communicate()
    return asked.returncode == 0


def test_the_image_becomes_healthy_without_rights_and_stops_when_told(
    image: Path, running: subprocess.Popen[str]
) -> None:
    until = time.monotonic() + PATIENCE
    while not healthy(image) and time.monotonic() < until:
        assert running.poll() is None, running.communicate()[0]
        time.sleep(0.5)

    assert healthy(image)
    database = image / "data" / "pagedrift.db"
    assert (database.stat().st_uid, database.stat().st_mode & 0o777) == (10001, 0o600)
    (application,) = children(running.pid)
    os.kill(application, getattr(signal, told("STOPSIGNAL")))
    said, _ = running.communicate(timeout=60)
    assert running.returncode in (0, 128 + signal.SIGTERM), said
    assert "The password is" in said
    assert not healthy(image)


def children(process: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_there_is_no_compiler_in_the_image(image: Path) -> None:
    assert not (image / "usr" / "bin" / "gcc").exists()
    assert list((image / "opt" / "pagedrift").rglob("scan_cy*.so"))
