"""Which labelled steps from version to version are there, and which changes does each of them hold?

A step is labelled as a whole, so all that is known of its changes is: of a step labelled content at least one is
content, of the others none is.
"""

from __future__ import annotations

import json
import re
import tomllib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from experiments.law2012.pairs import labels, read_pair
from pagedrift import PageVersion, read
from pagedrift.does_it_matter.changes.features import MAX_FACT_CHANGES, describe
from pagedrift.does_it_matter.changes.pairing import compare
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.past import Past

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pagedrift.does_it_matter.changes.pairing import PassageChange

Row = dict[str, float]
SCRIPTED = Path(__file__).parents[2] / "tests" / "scripted"
REAL = Path(__file__).parents[2] / "tests" / "scripted_real"
REAL_PAGES = Path("templates") / "noise.warc.gz"  # below the folder of the corpora
PROCESSES = 2
VISITS = 11  # of each scripted page before it changes
# What similar pairs are about that no reader would call content.
_NOISE = re.compile(
    r"counter|footer|menu|year|sidebar|clock|advert|recent|no visible|link target|count|date only|last-updated"
    r"|badge|icon|credit|logo|style|font|typography|analytics"
)


@dataclass(frozen=True)
class Bag:
    """One labelled step and the figures about its changes."""

    source: str  # terms, scripted or pairs
    site: str
    name: str
    content: bool
    rows: tuple[Row, ...]
    past: bool  # whether the past of the page was used
    level: str = ""  # of scripted changes: fact, content, wording or noise

    @cached_property
    def values(self) -> Any:
        """The figures side by side, a row for each change."""
        return numpy.array([list(row.values()) for row in self.rows])


def rows_of(changes: Sequence[PassageChange], past: Past | None) -> tuple[Row, ...]:
    """Describe all changes of a step; facts are looked for in the main part first."""
    ordered = sorted(changes, key=lambda change: not change.passage.main)
    return tuple(
        dict(describe(change, past, read_facts=number < MAX_FACT_CHANGES).features)
        for number, change in enumerate(ordered)
    )


def terms_bags(folder: Path) -> list[Bag]:
    """Describe all steps of the series of a folder, once with the past and once without."""
    return _in_parallel(_series, sorted(folder.glob("*.json")))


def _series(path: Path) -> list[Bag]:
    about = json.loads(path.read_text("utf-8"))
    steps = {step["to"]: step for step in about["transitions"]}
    found: list[Bag] = []
    past, before = Past(), None
    for number, version in enumerate(read(path.with_suffix(".warc.gz"))):
        after = passages(version)
        changes = compare(before, after) if before is not None else []
        step = steps.get(number)
        if before is not None and step and step["label"] in ("content", "none"):
            content = step["label"] == "content"
            name = f"{path.stem} {step['from']} → {step['to']}"
            for known in (past, None):
                rows = rows_of(changes, known)
                found.append(Bag("terms", about["service"], name, content, rows, known is not None))
        past, before = past.after(changes), after
    return found


def pair_bags(folder: Path) -> list[Bag]:
    """Describe pairs of versions that were labelled for an archive, where that says whether content changed."""
    wanted = [row for row in labels(folder) if _tells(row)]
    return _in_parallel(partial(_pair, folder), wanted)


def _tells(row: dict[str, str]) -> bool:
    if row["label"] == "dissimilar":
        return row["confidence"] != "1"
    return bool(_NOISE.search(row["reason"]))


def _pair(folder: Path, row: dict[str, str]) -> list[Bag]:
    pair = read_pair(folder, row)
    plain = (replace(pair.old, view=None), replace(pair.new, view=None))
    return [
        Bag("pairs", pair.site, pair.id, pair.dissimilar, rows_of(compare(*map(passages, sides)), None), past=False)
        for sides in (plain, (pair.old, pair.new))
    ]


@dataclass(frozen=True)
class Script:
    """A page that changes by itself at every visit, and the changes that were written for it."""

    name: str
    html: str
    noise: dict[str, list[str]]
    changes: list[dict[str, Any]]

    def at(self, visit: int, edits: Iterable[tuple[str, str]] = ()) -> PageVersion:
        """Give the page as it is at one visit, with some edits."""
        html = self.html
        for old, new in edits:
            html = html.replace(old, new)
        for name, values in self.noise.items():
            html = html.replace("{{" + name + "}}", str(values[visit % len(values)]))
        return PageVersion("", html.encode())


def real_scripts(folder: Path, archive: Path) -> Iterator[Script]:
    """Read the scripts of real pages, which stand in an archive; a script says where they change by themselves.

    A place is the old text and the new one; or how the old text begins and ends, and the new one.
    """
    told = {path: tomllib.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.toml"))}
    wanted = {each["page"] for each in told.values()}
    pages = {page.url: _plain(str(page.source)) for page in read(archive) if page.url in wanted}
    for path, each in told.items():
        html = pages[each["page"]]
        for begins, *ends, new in each["places"]:
            start = html.index(begins)
            end = html.index(ends[0], start) + len(ends[0]) if ends else start + len(begins)
            html = html[:start] + new + html[end:]
        yield Script(f"real/{path.stem}", html, each["noise"], each["change"])


def _plain(html: str) -> str:
    """Give a page with line feeds alone, and nothing in it that looks like one of our places."""
    return html.replace("\r\n", "\n").replace("\r", "\n").replace("{{", "{ {")


def read_scripts(folder: Path) -> Iterator[Script]:
    """Read the scripted pages of a folder."""
    for path in sorted(folder.glob("*/*.toml")):
        told = tomllib.loads(path.read_text("utf-8"))
        html = path.with_suffix(".html").read_text("utf-8")
        name = f"{path.parent.name}/{path.stem}"
        yield Script(name, html, told.get("noise", {}), told.get("change", []))


def all_scripts(data: Path) -> list[Script]:
    """Read what the judge learns from: the scripted pages here, and the scripts of real pages."""
    return [*read_scripts(SCRIPTED), *real_scripts(REAL, data / REAL_PAGES)]


def scripted_bags(scripts: Iterable[Script]) -> list[Bag]:
    """Describe scripted changes as the first change of a page, and after ten visits; and visits without any."""
    return _in_parallel(_scripted, list(scripts))


def _scripted(script: Script) -> list[Bag]:
    found: list[Bag] = []

    def add(name: str, level: str, old: PageVersion, new: PageVersion, past: Past | None) -> Past:
        changes = compare(passages(old), passages(new))
        rows = rows_of(changes, past)
        found.append(Bag("scripted", script.name, name, level != "noise", rows, past is not None, level))
        return (past or Past().after(())).after(changes)

    add("first visit", "noise", script.at(0), script.at(1), None)
    past = Past().after(())
    for visit in range(1, VISITS):
        changes = compare(passages(script.at(visit - 1)), passages(script.at(visit)))
        if visit > 2:  # noqa: PLR2004 - before, there is no past to speak of
            rows = rows_of(changes, past)
            found.append(
                Bag("scripted", script.name, f"visit {visit}", content=False, rows=rows, past=True, level="noise")
            )
        past = past.after(changes)
    for change in script.changes:
        edits = [tuple(edit) for edit in change["edits"]]
        add(change["name"], change["level"], script.at(0), script.at(0, edits), None)
        add(change["name"], change["level"], script.at(VISITS - 1), script.at(VISITS, edits), past)
    return found


def _in_parallel(work: Callable[[Any], list[Bag]], given: Sequence[Any]) -> list[Bag]:
    with ProcessPoolExecutor(PROCESSES) as workers:
        return [bag for bags in workers.map(work, given) for bag in bags]
