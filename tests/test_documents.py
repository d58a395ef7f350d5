"""What the documents show is what the program does."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import pagedrift
from pagedrift.cli import cli

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SESSION = re.compile(r"```console\n(.*?)```", re.DOTALL)


def sessions() -> list[tuple[str, str]]:
    found = []
    for document in DOCUMENTS:
        for session in SESSION.findall(document.read_text()):
            for step in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
                command, _, output = step.partition("\n")
                found.append((command, output.strip()))
    return found


@pytest.mark.parametrize(("command", "expected"), sessions())
def test_sessions_in_the_documents_are_true(command: str, expected: str) -> None:
    program, *arguments = command.split()
    assert program == "pagedrift"
    ran = subprocess.run(
        [str(Path(sys.executable).with_name(program)), *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )

    assert ran.stdout.strip() == expected


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_in_the_documents_run(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)

    assert doctest.testfile(str(document), module_relative=False).failed == 0


def commands() -> dict[str, click.Command]:
    """All commands by what is typed, those of groups too; what is hidden is asked for without its name."""
    found, context = {}, click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {sub}": each for sub, each in command.commands.items() if not each.hidden}
    return found


@pytest.mark.parametrize("name", commands())
def test_every_command_has_help_with_an_example_and_is_in_the_documents(name: str) -> None:
    command = commands()[name]
    asked = command.commands.get("ask", command) if isinstance(command, click.Group) else command
    everything = "".join(document.read_text() for document in DOCUMENTS)

    own_help = name.startswith("spark ")  # by the parser of its job, which spark-submit has too
    assert own_help or "Example" in (command.help or "") + (asked.help or "")
    assert f"pagedrift {name}" in everything


def test_links_between_the_documents_lead_somewhere() -> None:
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(((?!http)[^)#]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_table_of_options_is_made_from_their_declarations() -> None:
    asked = [sys.executable, ROOT / "docs" / "generate.py", "--check"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("metric", list(pagedrift.METRICS))
def test_every_metric_is_in_the_documents(metric: str) -> None:
    assert f"| `{metric}` |" in (ROOT / "docs" / "explanation" / "how-much.md").read_text()
