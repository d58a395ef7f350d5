"""Write the parts of the documents that are made from the program: python docs/generate.py [--check | --sessions]

Each part stands between two marks in its document. With --check nothing is written, and the exit status is 1 where
a document is not up to date. With --sessions the output of every console session is written again as well: read the
difference before you commit it, for it may show a fault of the program.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from fastapi import FastAPI

from pagedrift import errors
from pagedrift.app.model.options import OLD_NAMES, OPTIONS
from pagedrift.app.web import api
from pagedrift.cli import cli
from pagedrift.cli.spark import JOBS, job_named
from pagedrift.collection import job as jobs
from pagedrift.durations import format_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pagedrift.app.model.options import DeclaredOption

DOCS: Final = Path(__file__).parent
ROOT: Final = DOCS.parent
RESULTS: Final = ROOT / "benchmarks" / "results"
SESSION: Final = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND: Final = re.compile(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", re.MULTILINE)
TYPES: Final = {
    "duration": "seconds",
    "check": "true or false",
    "text": "text",
    "lines": "list of texts",
    "pairs": "names and values",
}


def main() -> int:
    """Bring the documents up to date, or say whether they are."""
    stale = 0
    for document in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]:
        old = document.read_text(encoding="utf-8")
        new = with_parts(old)
        if "--sessions" in sys.argv[1:]:
            new = SESSION.sub(_session, new)
        if new != old and "--check" in sys.argv[1:]:
            print(f"{document.relative_to(ROOT)} is not up to date; run: python docs/generate.py")
        elif new != old:
            document.write_text(new, encoding="utf-8")
        stale += new != old
    return int("--check" in sys.argv[1:] and stale > 0)


def with_parts(document: str) -> str:
    """Put each part between its marks."""
    for name, write in PARTS.items():
        begin, end = f"<!-- {name}: written by docs/generate.py -->\n", f"<!-- end of {name} -->\n"
        before, found, rest = document.partition(begin)
        if found:
            document = before + begin + write() + end + rest.partition(end)[2]
    return document


# Console sessions


def _session(session: re.Match[str]) -> str:
    """Run the commands of a session again."""
    ran = "\n".join(f"$ {each[1].strip()}\n{output_of(each[1].strip())}\n" for each in COMMAND.finditer(session[1]))
    return f"```console\n{ran}```"


def output_of(command: str) -> str:
    """Give what a command prints."""
    program, *arguments = command.split()
    run = [Path(sys.executable).with_name(program), *arguments]
    return subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


# Options of a watch


def old_names_table() -> str:
    """Name what options were called in older releases."""
    return table("old name | name", ([f"`{old}`", f"`{new}`"] for old, new in OLD_NAMES.items()))


def option_table() -> str:
    """Describe every option in a line of a table."""
    return table("option | on the command line | type | default | meaning", map(_option, OPTIONS.values()))


def _option(option: DeclaredOption) -> list[str]:
    kind = TYPES.get(option.widget) or ("whole number" if option.is_whole else "number")
    kind = "one of " + ", ".join(f"`{value}`" for value in option.values) if option.values else kind
    example = option.about.example.partition("\n")[0]
    meaning = option.about.help + (f" Example: `{example}`" if example and option.name != "secrets" else "")
    return [f"`{option.name}`", f"`{option.flag}`", kind, _default(option), meaning]


def _default(option: DeclaredOption) -> str:
    if option.widget == "duration":
        return f"{option.default:g} ({format_duration(option.default)})"
    if option.widget == "check":
        return str(option.default).lower()
    if option.widget == "number":
        return f"{option.default:g}"
    return f"`{option.default}`" if option.default else "none"


# Commands


def command_reference() -> str:
    """Describe every command: what it does, how it is typed, its options."""
    return "\n".join(f"## `{name}`\n\n{_command(name, command)}" for name, command in commands())


def commands() -> Iterator[tuple[str, click.Command]]:
    """Give all commands by what is typed, those of groups after their group."""
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        yield f"pagedrift {name}", command
        if isinstance(command, click.Group):
            shown = (each for each in command.commands.items() if not each[1].hidden)
            yield from ((f"pagedrift {name} {sub}", each) for sub, each in sorted(shown))


def _command(name: str, command: click.Command) -> str:
    if name.startswith("pagedrift spark "):
        return _job(name.rpartition(" ")[2])
    asked = command.commands.get("ask", command) if isinstance(command, click.Group) else command
    text = inspect.cleandoc(command.help or "").replace("\f", "")
    usage = " ".join([name, *asked.collect_usage_pieces(click.Context(asked))])
    options = [_flag(each) for each in asked.params if isinstance(each, click.Option) and not each.hidden]
    shown = table("option | meaning", options) if options else ""
    return f"```text\n{usage}\n```\n\n{_paragraphs(text)}" + (f"\n{shown}" if shown else "")


def _paragraphs(text: str) -> str:
    """Turn the help of a command into Markdown: what click must not wrap becomes a block."""
    made = []
    for part in text.split("\n\n"):
        if part.startswith("\b"):
            block = part.removeprefix("\b\n")
            title, _, rest = block.partition("\n")
            if title.startswith("Example"):
                made.append(f"{title}\n\n```sh\n{inspect.cleandoc(rest)}\n```\n")
        elif part.strip():
            made.append(_escaped(" ".join(part.split())) + "\n")
    return "\n".join(made)


def _flag(option: click.Option) -> list[str]:
    names = ", ".join([*option.opts, *option.secondary_opts])
    value = "" if option.is_flag or option.count else " " + (option.metavar or _metavar(option.type))
    default = f" Default: {option.default}." if option.show_default and option.default is not None else ""
    more = " Required." if option.required else ""
    more += f" Environment: {option.envvar}." if option.envvar else ""
    return [f"`{names}{value}`", _escaped(f"{option.help or ''}{default}{more}".strip())]


def _metavar(kind: click.ParamType) -> str:
    if isinstance(kind, click.Choice):
        return "|".join(map(str, kind.choices))
    return "NUMBER" if "int" in kind.name or "float" in kind.name else kind.name.upper()


def _job(name: str) -> str:
    """Describe a job for Spark, whose arguments are read by a parser that spark-submit has too."""
    job, parser = job_named(name), argparse.ArgumentParser(add_help=False)
    for argument, settings in jobs._ARGUMENTS.items():
        parser.add_argument(argument, **settings)
    job.add_arguments(parser)
    options = [each for each in parser._actions if each.option_strings]
    lines = [[f"`{', '.join(each.option_strings)}{_value(each)}`", _escaped(each.help or "")] for each in options]
    usage = f"```text\npagedrift spark {name} MANIFEST --to DIR [OPTIONS]\n```\n"
    return f"{JOBS[name][2]}\n\n{usage}\n{table('option | meaning', lines)}"


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    return " " + ("|".join(map(str, action.choices)) if action.choices else str(action.metavar or "VALUE"))


# REST API


def call_table() -> str:
    """Describe every call of the API in a line of a table."""
    return table("call | what it does | query | body", (_call(*each) for each in calls()))


def calls() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Give every call of the API with its description, and all schemas."""
    app = FastAPI()
    app.include_router(api.router)
    described = api.schema(app)
    for path, methods in described["paths"].items():
        for method, call in methods.items():
            yield f"{method.upper()} {path}", call, described["components"]["schemas"]


def _call(name: str, call: dict[str, Any], schemas: dict[str, Any]) -> list[str]:
    query = [each["name"] for each in call.get("parameters", ()) if each["in"] == "query"]
    return [f"`{name}`", _escaped(call["description"]), _names(query), _names(_fields(call, schemas))]


def _fields(call: dict[str, Any], schemas: dict[str, Any]) -> list[str]:
    body = call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return list(schemas.get(body.get("$ref", "").rpartition("/")[2], {}).get("properties", {}))


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


# Errors


def error_table() -> str:
    """Say how each kind of error is answered."""
    lines = [
        [f"`{kind.__name__}`", _escaped(inspect.getdoc(kind) or ""), str(codes.status), str(codes.exit)]
        for kind, codes in errors.ANSWERS.items()
    ]
    return table("class | what it means | HTTP status | exit code", lines)


# Benchmarks


def benchmark_table() -> str:
    """List what make bench measured, beside its goals and the last release."""
    now = json.loads((RESULTS / "now.json").read_text(encoding="utf-8"))
    releases = sorted(RESULTS.glob("[0-9]*.json"), key=lambda path: tuple(map(int, path.stem.split("."))))
    before = json.loads(releases[-1].read_text(encoding="utf-8"))["rows"] if releases else []
    known = {(row["group"], row["name"]): row["value"] for row in before}
    groups: dict[str, list[list[str]]] = {}
    for row in now["rows"]:
        groups.setdefault(row["group"], []).append(_figures(row, known.get((row["group"], row["name"]))))
    tables = (
        f"**{_escaped(group)}**\n\n{table('what | goal | now | last release', lines)}"
        for group, lines in groups.items()
    )
    return f"Measured on {now['processor']}.\n\n" + "\n".join(tables)


def _figures(row: dict[str, Any], before: float | None) -> list[str]:
    is_kept = row["value"] <= row["goal"] if row["direction"] == "≤" else row["value"] >= row["goal"]
    now = f"{row['value']:,.3g}" if is_kept else f"**{row['value']:,.3g}** (missed)"
    told = "–" if before is None else f"{before:,.3g}"
    return [_escaped(row["name"]), f"{row['direction']} {row['goal']:,g}", now, told]


def table(head: str, lines: Any) -> str:
    """Write a table; a bar inside a cell is escaped."""
    rows = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |\n" for line in lines]
    return f"| {head} |\n|{'---|' * (head.count('|') + 1)}\n" + "".join(rows)


def _escaped(text: str) -> str:
    """Keep Markdown from reading signs in a plain text as its own."""
    return re.sub(r"([*_<])", r"\\\1", text)


PARTS: Final[dict[str, Callable[[], str]]] = {
    "options": option_table,
    "old names": old_names_table,
    "commands": command_reference,
    "calls": call_table,
    "errors": error_table,
    "benchmarks": benchmark_table,
}

if __name__ == "__main__":
    sys.exit(main())
