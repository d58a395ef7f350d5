import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from pagedrift.cli import COMMANDS, cli

PROGRAM = str(Path(sys.executable).with_name("pagedrift"))
EXAMPLE = str(Path(__file__).parents[2] / "examples" / "permits.warc.gz")


def run(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, "PAGEDRIFT_KERNELS": "", **environment},
    )


def trouble(*arguments: str, stdin: bytes = b"") -> str:
    """Run a command that must fail as promised: status 2, one line, no traceback; return what it says."""
    ran = run(*arguments, stdin=stdin)
    said = ran.stderr.decode()
    assert ran.returncode == 2, said
    assert "Traceback" not in said
    assert ran.stdout == b""
    return said


def test_versions_lists_each_page_with_its_first_and_last_version() -> None:
    lines = run("versions", EXAMPLE).stdout.decode().splitlines()

    assert lines[1].split() == ["https://city.example/permits", "2", "2026-11-08", "09:12", "2026-11-15", "09:12"]


def test_versions_as_json_is_one_versioned_object_per_line() -> None:
    assert json.loads(run("versions", EXAMPLE, "--json").stdout) == {
        "format": 1,
        "url": "https://city.example/permits",
        "versions": 2,
        "first": "2026-11-08T09:12:00Z",
        "last": "2026-11-15T09:12:00Z",
    }


def test_versions_reads_folders_and_archives_together(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>A")
    (tmp_path / "b.html.gz").write_bytes(gzip.compress(b"<p>B"))
    ran = run("versions", str(tmp_path), EXAMPLE, "--json")

    assert len(ran.stdout.splitlines()) == 3


def test_show_prints_the_facets_of_the_version_asked_for() -> None:
    old = run("show", f"{EXAMPLE}@2026-11-10").stdout.decode()
    new = run("show", f"{EXAMPLE}@https://city.example/permits@20261115091200").stdout.decode()

    assert "2026-11-08 09:12" in old
    assert "2026-11-15 09:12" in new


def test_show_as_json_has_every_facet() -> None:
    shown = json.loads(run("show", EXAMPLE, "--json").stdout)

    assert shown["format"] == 1
    assert shown["title"] == "Building permits – City of Example"
    assert "$145" in shown["words"]
    assert shown["tags"][:2] == ["html", "head"]
    assert {"kind": "canonical", "url": "https://city.example/permits", "text": ""} in shown["links"]
    assert shown["tree"]["nodes"] == 108


def test_show_reads_standard_input_and_resolves_links_against_the_url_given() -> None:
    ran = run("show", "-", "--url", "https://city.example/a/", "--json", stdin=b"<a href=b>B</a>")

    assert json.loads(ran.stdout)["links"][0]["url"] == "https://city.example/a/b"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii"])
def test_any_page_can_be_shown_on_any_terminal(encoding: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes("<title>日本 é \x1b[31m [bold] &#xD800;</title>".encode())
    for options in ([], ["--json"]):
        ran = run("show", str(page), *options, PYTHONIOENCODING=encoding)

        assert ran.returncode == 0, ran.stderr
        assert b"\x1b" not in ran.stdout


def test_the_python_kernels_give_the_same_answers() -> None:
    for arguments in (["show", EXAMPLE, "--json"], ["versions", EXAMPLE], ["demo"]):
        assert run(*arguments).stdout == run(*arguments, PAGEDRIFT_KERNELS="python").stdout


def test_the_demonstration_shows_what_changed() -> None:
    shown = run("demo").stdout.decode()

    assert "$120" in shown
    assert "$145" in shown


@pytest.mark.parametrize("command", ["show", "versions"])
def test_bad_input_gets_one_line_that_ends_with_the_next_step(command: str, tmp_path: Path) -> None:
    bad = {
        "empty.html": b"",
        "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        "document.pdf": b"%PDF-1.7\n" + bytes(100),
        "page.html.gz": gzip.compress(b"<p>" + os.urandom(5000))[:-100],
        "empty.warc": b"",
        "cut.warc.gz": Path(EXAMPLE).read_bytes()[:300],
        "not.wacz": b"PK\x03\x04" + bytes(100),
        "page.mht": b"MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n",
    }
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
        said = trouble(command, str(tmp_path / name))
        assert said.splitlines()[-1].startswith("error: "), said
        assert name in said
        assert ";" in said  # … ; what to do
    assert "; " in trouble(command, str(tmp_path / "missing.html"))
    assert "PAGEDRIFT_ALLOW_PRIVATE" in trouble(command, "http://localhost/")
    (tmp_path / "nothing").mkdir()
    trouble(command, str(tmp_path / "nothing"))


def test_damage_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    content = bytearray(Path(EXAMPLE).read_bytes())
    content[200:210] = b"\xff" * 10
    damaged = tmp_path / "damaged.warc.gz"
    damaged.write_bytes(content)
    ran = run("versions", str(damaged))

    assert ran.returncode == 3
    assert b"2026-11-15" in ran.stdout
    assert b"2026-11-08" not in ran.stdout
    assert b"warning: " in ran.stderr
    assert b"byte 0" in ran.stderr
    assert b"damaged in 1 place; " in ran.stderr


def test_wrong_usage_is_told_in_one_line_that_ends_with_the_next_step() -> None:
    assert trouble("show") == "error: Missing argument 'PAGE'; see: pagedrift show --help\n"
    assert "No such command" in trouble("nonsense")


def test_a_full_disk_is_told() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run([PROGRAM, "show", EXAMPLE], stdout=full, stderr=subprocess.PIPE, check=False)

    assert ran.returncode == 2
    assert b"error: No space left" in ran.stderr
    assert b"Traceback" not in ran.stderr


def test_a_closed_pipe_ends_quietly() -> None:
    ran = subprocess.run(
        f"{PROGRAM} show {EXAMPLE} --json | head -c 1", shell=True, capture_output=True, check=False
    )

    assert ran.stderr == b""


def test_one_bad_link_does_not_lose_a_folder(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>A")
    (tmp_path / "self").symlink_to("self")
    ran = run("versions", str(tmp_path), "--json")

    assert len(ran.stdout.splitlines()) == 1
    assert b"self" in ran.stderr


def test_a_closed_standard_input_is_told() -> None:
    ran = subprocess.run(f"{PROGRAM} versions - <&-", shell=True, capture_output=True, check=False)

    assert ran.returncode == 2
    assert b"standard input is closed" in ran.stderr


def test_a_page_from_a_named_pipe_can_be_given_its_url() -> None:
    command = f"{PROGRAM} show <(echo '<a href=b>') --url https://city.example/a/ --json"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, check=True)

    assert json.loads(ran.stdout)["links"][0]["url"] == "https://city.example/a/b"


def test_damage_is_told_when_one_version_is_shown(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.warc.gz"
    damaged.write_bytes(Path(EXAMPLE).read_bytes()[:-100])
    ran = run("show", str(damaged))

    assert b"2026-11-08" in ran.stdout
    assert b"warning: " in ran.stderr


def test_the_list_of_commands_says_what_each_command_says_of_itself() -> None:
    context = click.Context(cli)
    said = {name: cli.get_command(context, name) for name in COMMANDS}

    assert {name: command.get_short_help_str(limit=200) for name, command in said.items() if command} == COMMANDS
