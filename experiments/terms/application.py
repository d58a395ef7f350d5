"""Which alerts does a person get who watches the scripted pages, by the application and by changedetection.io?

Both run as they come, and check pages that a real server on this machine serves.
"""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.load import PATIENCE, PEER, ChangeDetection, free_port
from rich.progress import MofNCompleteColumn, TimeRemainingColumn
from sqlalchemy import select, update
from tests.server import serving

from experiments.terms.bags import VISITS
from pagedrift.cli.common import bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from experiments.terms.bags import Script

    Check = Callable[[], set[str]]  # checks all pages once, and gives the addresses that it alerted about

BY_ITSELF = "by itself"
WANTED = frozenset(("fact", "content"))
_FIRST_WITH_PAST = 3


@dataclass(frozen=True, slots=True)
class Case:
    """A page at an address of its own, and the change that is made to it in the end."""

    path: str
    script: Script
    name: str
    level: str
    edits: tuple[tuple[str, str], ...] = ()

    def body(self, visit: int, last: int) -> bytes:
        """Give the page at a visit; at the last one it has changed."""
        at = visit if last > 1 or not self.edits else 0  # a first change is made to a page that is else the same
        return self.script.at(at, self.edits if visit == last else ()).body


def cases_of(scripts: Sequence[Script]) -> list[Case]:
    """Give each scripted change a page of its own, and one more that only changes by itself."""
    made = [Case(f"/{script.name}/", script, "by itself", BY_ITSELF) for script in scripts]
    for script in scripts:
        for number, change in enumerate(script.changes):
            edits = tuple((old, new) for old, new in change["edits"])
            path = f"/{script.name}/{number}"
            made.append(Case(path, script, change["name"], change["level"], edits))
    return made


@contextmanager
def pagedrift(folder: Path, urls: Sequence[str]) -> Iterator[Check]:
    """Watch pages with ours, by its defaults."""
    from pagedrift.app.model.watch import Watch
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.settings import Settings
    from pagedrift.app.store import watches
    from pagedrift.app.store.store import Store
    from pagedrift.app.store.tables import ChangeRow, WatchRow
    from pagedrift.dates import EARLIEST

    settings = Settings(folder / "data", allow_private=("127.0.0.1",), delay=0.0, processes=0)
    with Store(settings) as store, Scheduler(settings, store) as scheduler:
        known = {watch.id: watch.url for watch in watches.add_all(store, [Watch(url) for url in urls])}
        seen = 0

        def check() -> set[str]:
            nonlocal seen
            with store.begin() as session:
                session.execute(update(WatchRow).values(next_at=EARLIEST))
            scheduler.run_once()
            with store.read() as session:
                found = list(session.scalars(select(ChangeRow).where(ChangeRow.id > seen)))
                seen = max((change.id for change in found), default=seen)
                return {known[change.watch_id] for change in found if change.told}

        yield check


class Peer(ChangeDetection):
    """changedetection.io, which checks only when it is told to."""

    def prepare(self) -> None:
        """Begin at its start, see `changedetection`."""

    def watch(self) -> None:
        """Import all addresses but the first; it checks each of them at once."""
        [settings] = (self.folder / "data").glob("changedetection.json")
        told = json.loads(settings.read_text())["settings"]["application"]
        self._headers = {"x-api-key": told["api_access_token"], "Content-Type": "text/plain"}
        self.get("/api/v1/import", body="\n".join(self.urls[1:]).encode(), headers=self._headers)

    def check(self) -> set[str]:
        """Check all, and give the addresses that changed since the last time, whoever asked for the check."""
        start = math.ceil(time.time())  # it counts in whole seconds
        time.sleep(max(0.0, start - time.time()))
        self.get("/api/v1/watch?recheck_all=1", headers=self._headers)
        before = self._changed
        self._changed = {each["url"]: each["last_changed"] for each in self.checked_since(start)}
        return {url for url, at in self._changed.items() if at != before[url]}

    def begin(self) -> None:
        """Wait until all were checked for the first time."""
        self._changed = {each["url"]: each["last_changed"] for each in self.checked_since(1)}

    def checked_since(self, start: float) -> list[dict[str, Any]]:
        """Wait until all were checked, and give what it says of them."""
        until = time.monotonic() + PATIENCE
        while True:
            listed = list(self._listed().values())
            if len(listed) == len(self.urls) and all(each["last_checked"] >= start for each in listed):
                return listed
            if time.monotonic() > until:
                raise RuntimeError(f"{self.name} did not check all of {len(self.urls)} pages in {PATIENCE} s")
            time.sleep(0.5)


@contextmanager
def changedetection(folder: Path, urls: Sequence[str]) -> Iterator[Check]:
    """Watch pages with changedetection.io, by its defaults."""
    peer = Peer(folder, free_port(), list(urls))
    with peer.running("-u", urls[0]):
        peer.watch()
        begun = False

        def check() -> set[str]:
            nonlocal begun
            if begun:
                return peer.check()
            begun = True
            peer.begin()
            return set()

        yield check


def alerted(program: Any, cases: Sequence[Case], last: int) -> list[set[str]]:
    """Check the pages of some cases again and again; give the paths of each round that it alerted about."""
    visit = 0
    with tempfile.TemporaryDirectory() as folder, serving() as site:
        for case in cases:
            site.pages[case.path] = _answer(case, lambda: visit, last)
        urls = {f"{site.url}{case.path}": case.path for case in cases}
        rounds = []
        with (
            program(Path(folder), list(urls)) as check,
            bar(MofNCompleteColumn(), TimeRemainingColumn()) as shown,
        ):
            task = shown.add_task("", total=last + 1)
            for visit in range(last + 1):  # noqa: B007 - the server looks at it
                rounds.append({urls[url] for url in check() if url in urls})
                shown.advance(task)
    return rounds


def _answer(case: Case, visit: Callable[[], int], last: int) -> Callable[[Any], tuple[int, dict[str, str], bytes]]:
    headers = {"Content-Type": "text/html; charset=utf-8"}
    return lambda _: (200, headers, case.body(visit(), last))


def measured(program: Any, name: str, scripts: Sequence[Script]) -> dict[str, dict[str, list[int]]]:
    """Print each mistake of a program; count them by when and level, and of how many."""
    cases = cases_of(scripts)
    wrong: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for when, last in (("first change", 1), ("after ten visits", VISITS)):
        rounds = alerted(program, cases, last)
        for case in cases:
            counted = (
                range(*((1, 2) if last == 1 else (_FIRST_WITH_PAST, last))) if case.level == BY_ITSELF else (last,)
            )
            for visit in counted:
                mistake = (case.path in rounds[visit]) != (case.level in WANTED)
                total[when, case.level] += 1
                wrong[when, case.level] += mistake
                if mistake:
                    what = "missed" if case.level in WANTED else "false alarm"
                    print(
                        f"{name}: {what}: {case.script.name}, {case.name} ({case.level}), {when}, visit {visit + 1}"
                    )
    found: dict[str, dict[str, list[int]]] = {}
    for when, level in sorted(total):
        found.setdefault(when, {})[level] = [wrong[when, level], total[when, level]]
    return found


def report(scripts: Sequence[Script]) -> dict[str, Any]:
    """Print the mistakes of both programs and a table; give the figures."""
    programs = {"pagedrift": pagedrift}
    if PEER.exists():
        programs["changedetection.io"] = changedetection
    else:
        print("changedetection.io is not here; install it with: make .venv/changedetection/installed")
    found = {name: measured(program, name, scripts) for name, program in programs.items()}
    levels = ("fact", "content", "wording", "noise", BY_ITSELF)
    print("\nWrong, through the whole application (fact, content: missed; the others: false alarms)")
    print(" " * 37 + "".join(f"{level:>12}" for level in levels))
    for name, figures in found.items():
        for when, each in figures.items():
            cells = "".join(f"{'{} of {}'.format(*each.get(level, (0, 0))):>12}" for level in levels)
            print(f"{name:19} {when:17}{cells}")
    return found
