"""How fast is `diff`, from bytes to script, beside its peers, and does its cost grow as the page does?"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Table, seconds
from benchmarks.pages import made_rows, pairs
from pagedrift import PageVersion, diff
from pagedrift.what_changed.matching import match
from pagedrift.what_changed.script import write_script

PEERS = Path(sys.prefix, "peers/bin/python")  # web-monitoring-diff needs an lxml of its own
LIMIT = 3.0  # seconds that a peer has for one pair; one that takes longer counts as that fast
WHOLE = 60.0  # seconds that a peer has for all
MEGABYTE = 1_000_000

Files = tuple[Path, Path]


@dataclass(frozen=True, slots=True)
class Peer:
    """One program to compare with: on which of the pairs, and what we promise there."""

    name: str
    python: Path
    least: float
    most_pairs: int
    most_bytes: int = 10 * MEGABYTE
    worst: float = 1  # on the pair that is worst for us


COMPARED = (
    Peer("htmldiff", Path(sys.executable), least=25, worst=2, most_pairs=1000),
    Peer("html_diff_render", PEERS, least=20, most_pairs=100),
    Peer("xmldiff", Path(sys.executable), least=150, most_pairs=60, most_bytes=60_000),
)


def compared() -> list[str]:
    """Compare on real pairs: the median of the ratios, and the pair that is worst for us."""
    with tempfile.TemporaryDirectory() as scratch:
        files = _write(Path(scratch))
        table = Table(f"What changed, bytes to script ({len(files)} pairs): the time of peers over ours")
        for peer in COMPARED:
            if not peer.python.exists():
                table.row(peer.name, "not installed", "needs libxml2's headers, then: make .venv/peers/installed")
                continue
            _compare(table, peer, files)
        return table.broken


def _compare(table: Table, peer: Peer, files: dict[str, Files]) -> None:
    names = [name for name, pair in files.items() if max(p.stat().st_size for p in pair) <= peer.most_bytes]
    names = names[:: -(-len(names) // peer.most_pairs)]
    # Ours anew for each peer, so that both run while the machine is equally busy.
    ours = dict(zip(names, _times("pagedrift", Path(sys.executable), [files[name] for name in names]), strict=True))
    times = dict(zip(names, _times(peer.name, peer.python, [files[name] for name in names]), strict=False))
    ratios = {name: took["seconds"] / ours[name]["seconds"] for name, took in times.items() if "seconds" in took}
    worst = min(ratios, key=ratios.__getitem__)
    given_up = sum("given_up" in took for took in times.values())
    table.promise(f"{peer.name}, median of {len(ratios)}", statistics.median(ratios.values()), least=peer.least)
    table.promise(f"{peer.name}, worst pair", ratios[worst], least=peer.worst)
    slower = sum(ratio < 1 for ratio in ratios.values())
    table.row(
        "  ours slower on, peer given up on, failed on", f"{slower}, {given_up}, {len(times) - len(ratios)}", worst
    )


def parts() -> list[str]:
    """Print where our time goes: trees, matching, steps; all real pairs together."""
    table = Table("What changed: share of the time of")
    versions = list(pairs().values())
    trees = [(PageVersion("", old).tree, PageVersion("", new).tree) for old, new in versions]
    matched = [match(old, new) for old, new in trees]
    times = {
        "both trees": seconds(lambda pair: [PageVersion("", body).tree for body in pair], versions),
        "matching": seconds(lambda pair: match(*pair), trees),
        "steps": seconds(write_script, matched),
    }
    for name, spent in times.items():
        table.row(name, f"{spent / sum(times.values()):.0%}")
    return table.broken


def _write(scratch: Path) -> dict[str, Files]:
    """Put the pairs into files, for programs in other environments."""
    files = {}
    for name, bodies in pairs().items():
        files[name] = (scratch / f"{name}.old", scratch / f"{name}.new")
        for path, body in zip(files[name], bodies, strict=True):
            path.write_bytes(body)
    return files


def _times(name: str, python: Path, files: list[Files]) -> list[dict[str, float]]:
    """Time a program over the pairs; those it did not come to are missing at the end."""
    command = [python, Path(__file__).with_name("peers.py"), name, str(LIMIT)]
    lines = "".join(json.dumps([str(path) for path in pair]) + "\n" for pair in files)
    try:
        output = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, timeout=WHOLE, check=True)
        return [json.loads(line) for line in output.stdout.splitlines()]
    except subprocess.TimeoutExpired as stopped:
        return [json.loads(line) for line in (stopped.stdout or b"").splitlines()]


def growth() -> list[str]:
    """Compare pages of one and of ten megabytes with a few edits, and look at the memory."""
    table = Table("What changed, on large pages")
    small, large = made_rows(MEGABYTE), made_rows(10 * MEGABYTE)
    before = seconds(_diff, [small], rounds=3, clock=time.process_time)
    after = seconds(_diff, [large], rounds=2, clock=time.process_time)
    table.row("1 MB, seconds of computing", f"{before:.2f}", f"{_nodes(small):,} nodes")
    table.row("10 MB, seconds of computing", f"{after:.2f}", f"{_nodes(large):,} nodes")
    table.promise("10 MB over 1 MB", after / before, most=20)
    if Path("/proc/self/status").exists():
        memory = _peak(10 * MEGABYTE) - _peak(1000)  # without what Python and its libraries take
        table.promise("peak memory over page size, 10 MB", memory / len(large[0]), most=30)
    table.promise("20,000 names of elements over 2,000", _names(20_000) / _names(2_000), most=20)
    nested = b"<div>" * MEGABYTE
    table.row("1,000,000 nested elements, seconds", f"{seconds(_diff, [(nested, nested + b'new')], rounds=1):.2f}")
    return table.broken


def _diff(pair: tuple[bytes, bytes]) -> object:
    return diff(PageVersion("", pair[0]), PageVersion("", pair[1]))


def _names(count: int) -> float:
    """Time a page whose elements all have different names, each with another text."""
    page = b"".join(b"<x%d>a%d</x%d>" % (number, number, number) for number in range(count))
    pair = (page, page.replace(b">a", b">b"))
    return seconds(_diff, [pair], rounds=2, clock=time.process_time)


def _nodes(pair: tuple[bytes, bytes]) -> int:
    return len(PageVersion("", pair[0]).tree)


def _peak(size: int) -> int:
    """Measure the job in a process of its own, in bytes, native memory included."""
    command = [sys.executable, "-m", "benchmarks.what_changed", str(size)]
    return int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


if __name__ == "__main__":
    _diff(made_rows(int(sys.argv[1])))
    # Not getrusage: its peak begins with that of the process that started this one.
    status = Path("/proc/self/status").read_text()
    print(next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")))
