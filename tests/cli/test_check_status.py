"""With --check, status 0 is a no; where nobody can say, the status is another one."""

import math
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pagedrift.does_it_matter.learning import save
from pagedrift.does_it_matter.model import shipped
from tests.builders import DAYS, record
from tests.cli.test_commands import PROGRAM, run
from tests.cli.test_redesigned import archive
from tests.designs import old
from tests.interstitials.interstitial_pages import BLOCKED
from tests.server import Site

ASKING = {
    "check": ("check", "OLD", "NEW"),
    "does-it-matter": ("does-it-matter", "OLD", "NEW", "--no-pictures"),
    "how-much": ("how-much", "OLD", "NEW"),
    "redesigned": ("redesigned", "OLD"),
    "what-changed": ("what-changed", "OLD", "NEW"),
}


def test_too_few_documents_are_no_answer(tmp_path: Path) -> None:
    ran = run("redesigned", archive(tmp_path, [old(1), old(2)]), "--check")

    assert ran.returncode == 4
    assert ran.stdout.decode().startswith("no answer: 2 documents")
    assert "note: no answer, so the exit status is 4" in ran.stderr.decode()
    assert run("redesigned", archive(tmp_path, [old(1), old(2)])).returncode == 0


@pytest.mark.parametrize(("probability", "status"), [(0.2, 0), (0.4, 4), (0.6, 1), (0.9, 1)])
def test_an_unsure_no_is_no_answer(tmp_path: Path, probability: float, status: int) -> None:
    model = shipped("source")
    model = replace(model, weights=(0.0,) * len(model.weights), bias=math.log(probability / (1 - probability)))
    save(tmp_path / "judge.json", {"source": model})
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(f"<p>{name}")

    ran = run(
        *("does-it-matter", f"{tmp_path}/a.html", f"{tmp_path}/b.html", "--no-pictures"),
        *("--judge", f"{tmp_path}/judge.json", "--check"),
    )
    assert ran.returncode == status


def test_a_series_with_a_damaged_version_is_no_answer_unless_the_others_give_one(tmp_path: Path) -> None:
    whole = [record(body=f"<p>Fees of {day}, and much that stays".encode(), date=day) for day in DAYS[:3]]
    damaged = whole[2].replace(b"Content-Length: ", b"Content-Length: 9999", 1)
    (tmp_path / "crawl.warc").write_bytes(whole[0] + damaged + whole[1])

    asked = ("how-much", f"{tmp_path}/crawl.warc", "--series", "--check", "--above")
    assert run(*asked, "0.99").returncode == 4
    assert run(*asked, "0.01").returncode == 1


@pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING)
def test_what_cannot_be_read_never_ends_with_a_no(tmp_path: Path, asking: tuple[str, ...]) -> None:
    for name, body in {"empty": b"", "picture": b"\x89PNG\r\n\x1a\n", "archive.warc": b"WARC/1.0\r\n\r\n"}.items():
        path = tmp_path / name
        path.write_bytes(body)
        ran = run(*(str(path) if part in ("OLD", "NEW") else part for part in asking), "--check")
        assert ran.returncode in (2, 3, 4), (name, ran.stdout, ran.stderr)
    ran = run(*("-" if part in ("OLD", "NEW") else part for part in asking), "--check", stdin=b"")
    assert ran.returncode in (2, 3, 4), (ran.stdout, ran.stderr)


@pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING)
def test_the_help_names_the_status_of_no_answer(asking: tuple[str, ...]) -> None:
    assert "4 if it cannot be decided" in " ".join(run(asking[0], "--help").stdout.decode().split())


def test_who_does_not_wait_for_the_answer_gets_no_no(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>Fees")
    gone, out = os.pipe()
    os.close(gone)
    asked = [PROGRAM, "what-changed", f"{tmp_path}/page.html", f"{tmp_path}/page.html"]
    for more, status in (([], 0), (["--check"], 4)):
        ran = subprocess.run([*asked, *more], stdout=out, stderr=subprocess.PIPE, check=False)
        assert (ran.returncode, ran.stderr) == (status, b"")
    os.close(out)


def test_a_round_that_visited_nothing_or_saw_something_else_is_no_answer(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGEDRIFT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PAGEDRIFT_ALLOW_PRIVATE", "127.0.0.1")
    visit = ("watch", "run", "--delay", "0", "--processes", "0", "--check")
    assert run(*visit).returncode == 4
    site.pages["/"] = b"<title>Fees</title><h1>Fees</h1><p>A permit costs 120 a year, whoever asks for it."
    assert run("watch", "add", f"{site.url}/", "--name", "Fees").returncode == 0
    assert run(*visit).returncode == 0
    assert run(*visit, "Fees").returncode == 0
    site.pages["/"] = (403, {"Content-Type": "text/html"}, BLOCKED["a robot check"].encode())
    assert run(*visit, "Fees").returncode in (2, 3, 4)
