"""The container files name what is there: files, variables of the environment, addresses of the application."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from pagedrift.cli.serve import serve

ROOT = Path(__file__).parent.parent
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


def instructions() -> list[tuple[str, str]]:
    """Read the Dockerfile: the instructions, each with what it is told."""
    lines = [line for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in joined.splitlines()) if name]


def told(name: str) -> str:
    """Give what the last instruction of a name says."""
    return [rest for each, rest in instructions() if each == name][-1]


def image_environment() -> dict[str, str]:
    """Give the variables that the image sets."""
    return dict(pair.split("=", 1) for pair in shlex.split(told("ENV")))


def image_command() -> list[str]:
    """Give what the image runs by itself."""
    return [*json.loads(told("ENTRYPOINT")), *json.loads(told("CMD"))]


def known_variables() -> set[str]:
    """Find the variables that the program reads."""
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    return set(re.findall(r"PAGEDRIFT_[A-Z_]+", source)) | {str(each.envvar) for each in serve.params}


def test_the_image_sets_variables_that_the_application_reads() -> None:
    ours = {name for name in image_environment() if name.startswith("PAGEDRIFT_")}

    assert ours == {"PAGEDRIFT_HOME", "PAGEDRIFT_HOST"}
    assert ours <= known_variables()


def test_the_image_runs_without_rights_keeps_data_in_its_volume_and_says_whether_it_is_ready() -> None:
    assert {rest for name, rest in instructions() if name == "USER"} == {"10001:10001"}
    assert told("VOLUME") == image_environment()["PAGEDRIFT_HOME"] == told("WORKDIR")
    assert told("EXPOSE") == "8710 8711"
    assert told("STOPSIGNAL") == "SIGTERM"
    assert told("HEALTHCHECK").endswith('["/usr/local/lib/pagedrift/image.sh", "health"]')
    assert image_command()[-2:] == ["pagedrift", "serve"]


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    copies = [rest.split() for name, rest in instructions() if name == "COPY" and not rest.startswith("--from")]
    sources = {source for *these, _ in copies for source in these}

    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert [source for source in sources if f"!{source}" not in ignored] == []


def services() -> list[tuple[str, dict[str, Any]]]:
    return list(COMPOSE["services"].items())


@pytest.mark.parametrize("name", [name for name, each in services() if "build" in each])
def test_services_of_ours_have_a_volume_ports_and_variables_that_exist(name: str) -> None:
    service = COMPOSE["services"][name]

    assert set(service["environment"]) - {"HOME"} <= known_variables()
    assert service["volumes"] == ["data:/data"]
    assert [port.rpartition(":")[2] for port in service["ports"]] == told("EXPOSE").split()
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"]
    target = service["build"].get("target") if isinstance(service["build"], dict) else None
    stages = [rest.split()[-1] for each, rest in instructions() if each == "FROM"]
    assert target is None or target in stages


def test_profiles_are_optional_and_what_is_named_exists() -> None:
    started = [name for name, each in services() if "profiles" not in each]
    volumes = {volume.partition(":")[0] for _, each in services() for volume in each["volumes"]}

    assert started == ["pagedrift"]
    assert volumes == set(COMPOSE["volumes"])
    assert "healthcheck" in COMPOSE["services"]["postgres"]  # the others have that of the image
    assert all(not each["required"] for _, one in services() for each in one.get("depends_on", {}).values())
