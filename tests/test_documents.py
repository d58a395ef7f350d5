"""What the documents show is what the program does."""

import ast
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
DOCS = ROOT / "docs"
DOCUMENTS = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
SESSION = re.compile(r"```console\n(.*?)```", re.DOTALL)


def sessions() -> list[tuple[str, str]]:
    found = {}
    for document in DOCUMENTS:
        for session in SESSION.findall(document.read_text()):
            for step in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
                command, _, output = step.partition("\n")
                found[command, output.strip()] = None
    return list(found)


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

    assert ran.stdout.strip() == expected, "if that is meant, run: python docs/generate.py --sessions"


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
    written_by_people = [document for document in DOCUMENTS if document.name != "commands.md"]

    own_help = name.startswith("spark ")  # by the parser of its job, which spark-submit has too
    assert own_help or "Example" in (command.help or "") + (asked.help or "")
    assert f"## `pagedrift {name}`\n" in (DOCS / "reference" / "commands.md").read_text()
    assert any(f"pagedrift {name}" in document.read_text() for document in written_by_people)


def test_links_between_the_documents_lead_somewhere() -> None:
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
        for target in re.findall(r"(?:\]\(|src=\"|srcset=\")((?!http|#)[^)#\"]+)", text):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


@pytest.mark.parametrize("command", ["generate.py", "screenshots.py"])
def test_what_is_made_from_the_program_is_up_to_date(command: str) -> None:
    asked = [sys.executable, DOCS / command, "--check"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


def test_pictures_are_small_and_come_in_light_and_dark() -> None:
    pictures = {path.name: path.stat().st_size for path in (DOCS / "pictures").glob("*.webp")}

    assert len(pictures) >= 16
    assert {name.replace("-dark", "-light") for name in pictures} <= pictures.keys()
    assert {name.replace("-light", "-dark") for name in pictures} <= pictures.keys()
    assert max(pictures.values()) < 80_000


@pytest.mark.parametrize("metric", list(pagedrift.METRICS))
def test_every_metric_is_in_the_documents(metric: str) -> None:
    assert f"| `{metric}` |" in (DOCS / "explanation" / "how-much.md").read_text()


def test_every_variable_of_the_environment_is_in_the_documents() -> None:
    documented = (DOCS / "reference" / "environment.md").read_text()
    source = [path.read_text() for path in (ROOT / "src" / "pagedrift").rglob("*.py")]
    named = {name for text in source for name in _strings(text) if re.fullmatch(r"PAGEDRIFT_[A-Z_]+", name)}
    named |= {str(each.envvar) for each in commands()["serve"].params if each.envvar}

    assert len(named) > 3
    assert {name for name in named if f"`{name}" not in documented} == set()


def _strings(source: str) -> list[str]:
    nodes = ast.walk(ast.parse(source))
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def test_every_public_name_has_its_place_in_the_reference() -> None:
    pages = "".join((DOCS / "reference" / f"python-{part}.md").read_text() for part in ("questions", "pages"))
    described = re.findall(r"^::: pagedrift\.(?:\w+\.)*(\w+)$", pages, re.MULTILINE)

    assert sorted(described) == sorted(pagedrift.__all__)
