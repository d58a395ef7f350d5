"""The figures of the last run beside those of the last release, in benchmarks/results/."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pagedrift import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from benchmarks.measure import Promise

FOLDER: Final = Path(__file__).parent / "results"
NOW: Final = FOLDER / "now.json"  # copied to 1.2.3.json when 1.2.3 is released
_KEY: Final = ("group", "name")


def save(promises: Iterable[Promise], seconds: Mapping[str, float], *, is_all: bool) -> None:
    """Write what was measured; where that is not all, what was measured before is kept beside it."""
    rows = {_key(row): row for row in map(asdict, promises)}
    old = {"rows": [], "seconds": {}} if is_all or not NOW.exists() else json.loads(NOW.read_text("utf-8"))
    known = [rows.pop(_key(row), row) for row in old["rows"]]
    rounded = [{**row, "value": float(f"{row['value']:.4g}")} for row in (*known, *rows.values())]
    spent = old["seconds"] | {name: round(took, 1) for name, took in seconds.items()}
    kept = {"version": __version__, "processor": _processor(), "seconds": spent, "rows": rounded}
    FOLDER.mkdir(exist_ok=True)
    NOW.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def released() -> tuple[str, dict[tuple[str, str], float]]:
    """Give the last release that has figures, and its figures by group and name."""
    versions = list(FOLDER.glob("[0-9]*.json"))
    if not versions:
        return "", {}
    last = max(versions, key=lambda path: tuple(map(int, path.stem.split("."))))
    return last.stem, {_key(row): row["value"] for row in json.loads(last.read_text("utf-8"))["rows"]}


def as_text(promises: Iterable[Promise]) -> str:
    """Print goal, now and last release in one table."""
    version, before = released()
    lines = [f"{'':<86} {'goal':>10} {'now':>10} {version or 'release':>10}"]
    for one in promises:
        then = before.get((one.group, one.name))
        what = f"{one.group}: {one.name}"
        goal, told = f"{one.direction} {one.goal:g}", "–" if then is None else f"{then:.4g}"
        lines.append(f"{what:<86} {goal:>10} {one.value:>10.4g} {told:>10} {'' if one.kept else ' NOT KEPT'}")
    return "\n".join(lines)


def _key(row: Mapping[str, Any]) -> tuple[str, str]:
    return row[_KEY[0]], row[_KEY[1]]


def _processor() -> str:
    """Name the processor, as far as the system tells."""
    try:
        found = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    except OSError:
        found = []
    return f"{len(found)} × {found[0].partition(': ')[2]}" if found else platform.processor()
