"""The gate: a service that answers a crawler at once whether a capture is worth keeping."""

import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagedrift import PageVersion
from pagedrift.crawls.gate_state import GateState
from pagedrift.crawls.keeping import KeepLevel
from tests.cli.test_commands import PROGRAM, trouble
from tests.crawls.crawl_pages import SITE, page


def fees(fee: str, visitors: int = 1) -> bytes:
    return page("Fees", f"A permit for a fence costs {fee} and is valid for a year.", visitors=visitors)


@contextmanager
def running(state: Path, *options: str) -> Iterator[str]:
    """Let the command listen at a free port; give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [PROGRAM, "gate", "--state", str(state), "--port", str(port), *options]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(3_000):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def ask(address: str, body: bytes, url: str = f"{SITE}/fees", **headers: str) -> Any:
    sent = {"Content-Type": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return httpx.post(f"{address}/decide", params={"url": url}, content=body, headers=sent, timeout=300).json()


@pytest.mark.slow
def test_a_crawler_asks_and_a_restart_forgets_nothing(tmp_path: Path) -> None:
    with running(tmp_path / "gate.db", "--keep", "important") as address:
        answers = [ask(address, fees("$40", visitors)) for visitors in (1, 2, 2)]
        assert [each["decision"] for each in answers] == ["keep", "revisit", "revisit"]
        assert answers[1]["refers_to"]["url"] == f"{SITE}/fees"
        assert "error" in ask(address, b"", url="fees")
        assert "refused" in ask(address, b"", Origin="https://elsewhere.example")["error"]
    with running(tmp_path / "gate.db", "--keep", "important") as address:
        assert ask(address, fees("$40", 7))["decision"] == "revisit"
        assert ask(address, fees("$45", 7)) == {
            "decision": "keep",
            "reason": "important",
            "change": "Price $40 → $45",
            "refers_to": None,
        }


def test_pages_that_are_no_longer_in_memory_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagedrift.crawls.gate_state.MAX_PAGES_IN_MEMORY", 1)
    state = GateState(tmp_path / "gate.db", KeepLevel.CHANGED)
    for name in "ab":
        state.decide(PageVersion(f"{SITE}/{name}", fees("$40")))

    assert [state.decide(PageVersion(f"{SITE}/{name}", fees("$40", 2)))["decision"] for name in "ab"] == [
        "revisit"
    ] * 2


def test_what_cannot_be_looked_into_is_kept(tmp_path: Path) -> None:
    state = GateState(tmp_path / "gate.db", KeepLevel.IMPORTANT)
    answers = [
        state.decide(PageVersion(f"{SITE}/x", bytes([number]) * 50, content_type="image/png")) for number in (0, 1)
    ]

    assert [each["decision"] for each in answers] == ["keep", "keep"]


def test_a_state_that_is_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gate.db").write_bytes(b"not a database at all, but long enough to be looked at" * 50)

    assert "name another file after --state" in trouble("gate", "--state", str(tmp_path / "gate.db"))


def test_the_state_is_bounded_by_the_pages_and_not_by_the_captures(tmp_path: Path) -> None:
    state = GateState(tmp_path / "gate.db", KeepLevel.CHANGED)
    for visitors in range(30):
        state.decide(PageVersion(f"{SITE}/fees", fees("$40", visitors)))

    assert sqlite3.connect(tmp_path / "gate.db").execute("SELECT COUNT(*) FROM pages").fetchone() == (1,)
