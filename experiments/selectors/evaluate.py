"""Which selectors broke, and where is what they meant? Real breakages of selectors that a community wrote.

    python -m experiments.selectors.evaluate --data DIR [--fields ROOT [--leave-sites-out]]

DIR holds cases as `terms/selectors` does: `cases/NAME/{old.html.gz,new.html.gz,case.json,texts.json.gz}`. With
--fields, the fields of scrapers labelled in fields.json are looked for as well; ROOT holds streams, streams2
and pairs. Every mistake is listed; the last line is JSON.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from experiments.selectors.fields import Field, both_pages, is_right, nodes_of, read_fields
from pagedrift import PageVersion
from pagedrift.selectors import Relocation, Relocator, SelectorStatus
from pagedrift.selectors.candidates import LikenessWeights, weights_from
from pagedrift.selectors.expressions import parse_selector
from pagedrift.selectors.regions import word_likeness
from pagedrift.selectors.selectable import SelectablePage, words_of

LENIENT: Final = 0.8
STRICT: Final = 0.95
CONFIDENT: Final = 0.8
# A page that a block or an error stands in for has the region as little as one that lost it.
NOT_THERE: Final = (SelectorStatus.GONE, SelectorStatus.NO_PAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case: what was selected, what became of it, and what the text of the region is now."""

    name: str
    type: str
    truth_by: str
    service: str
    selectors: Any
    old: PageVersion
    new: PageVersion
    truth: list[str]


def read_cases(data: Path) -> list[Case]:
    """Read all cases of a folder."""
    return [_case(folder) for folder in sorted((data / "cases").iterdir()) if (folder / "case.json").exists()]


def _case(folder: Path) -> Case:
    said = json.loads((folder / "case.json").read_text("utf-8"))
    texts = json.loads(gzip.decompress((folder / "texts.json.gz").read_bytes()))
    old, new = (
        PageVersion(said["url"], gzip.decompress((folder / f"{side}.html.gz").read_bytes()))
        for side in ("old", "new")
    )
    return Case(
        name=said["name"],
        type=said["type"],
        truth_by=said["truth_by"],
        service=said["service"],
        selectors=said["old_selectors"],
        old=old,
        new=new,
        truth=words_of(texts["truth"]),
    )


def region_words(case: Case, found: Relocation) -> list[str]:
    """Give the words of the region that the selector means now: as proposed, or as before where it works."""
    page = SelectablePage(case.new)
    if found.proposal is not None:
        return page.words_in(found.proposal.spans)
    return page.words_in(page.spans(found.region)) if found.status is SelectorStatus.WORKS else []


def evaluate_cases(cases: list[Case]) -> dict[str, Any]:
    """Judge all cases, and list what goes wrong."""
    rows = []
    for case in cases:
        started = time.process_time()
        found = Relocator([case.old], case.new, same_page=True).relocate(case.selectors)
        spent = time.process_time() - started
        likeness = word_likeness(region_words(case, found), case.truth) if case.truth else None
        rows.append((case, found, likeness, spent))
        if not _is_well(case, found, likeness):
            proposal = found.proposal.written if found.proposal else "–"
            print(
                f"{case.name}: {case.type} by {case.truth_by}; said {found.status} ({found.probability:.2f}), "
                f"{json.dumps(case.selectors)} → {proposal}, F1 {likeness}"
            )
    return _summary(rows)


def _is_well(case: Case, found: Relocation, likeness: float | None) -> bool:
    if case.type == "ok":
        return found.status is SelectorStatus.WORKS
    if case.truth_by == "gone":
        return found.status in NOT_THERE
    return found.broken and (likeness or 0.0) >= STRICT


def _summary(rows: list[tuple[Case, Relocation, float | None, float]]) -> dict[str, Any]:
    broken = [row for row in rows if row[0].type != "ok"]
    working = [row for row in rows if row[0].type == "ok"]
    there = [row for row in broken if row[0].truth]
    people = [row for row in there if row[0].truth_by != "text"]
    gone = [row for row in broken if not row[0].truth]
    proposed = [row for row in rows if row[1].proposal is not None]
    surely = [row for row in proposed if row[1].probability >= CONFIDENT and (row[2] or 0.0) < LENIENT]
    return {
        "breakage": {
            "recall": _share(row[1].broken or row[1].status in NOT_THERE for row in broken),
            "false": _share(row[1].broken or row[1].status in NOT_THERE for row in working),
        },
        "region": {
            "f1_80": _share(row[2] >= LENIENT for row in there),
            "f1_95": _share(row[2] >= STRICT for row in there),
            "people_f1_95": _share(row[2] >= STRICT for row in people),
        },
        "gone": _share(row[1].status in NOT_THERE for row in gone),
        "confidently_wrong": round(len(surely) / max(1, len(proposed)), 4),
        "ms": round(1000 * sorted(row[3] for row in rows)[len(rows) // 2], 1),
    }


def _share(values: Any) -> float:
    known = list(values)
    return round(sum(map(bool, known)) / len(known), 4) if known else 0.0


def evaluate_fields(
    data: Path, weights: dict[str, LikenessWeights] | None = None, *, quiet: bool = False
) -> dict[str, Any]:
    """Look for the fields of scrapers on redesigned pages; with weights by site, each is judged without itself."""
    counts: Counter[str] = Counter()
    relocators: dict[Any, tuple[Relocator, SelectablePage]] = {}
    for field in read_fields():
        key = field.folder, field.site, field.old, field.new
        if key not in relocators:
            old, new = both_pages(data, field)
            made = Relocator([old.page], new.page, same_page=False, weights=(weights or {}).get(field.fold))
            relocators = {key: (made, new)}
        relocator, new = relocators[key]
        _count(field, relocator.relocate(parse_selector(field.field, field.old_selector)), new, counts, quiet=quiet)
    there, gone = counts["there"], counts["gone"]
    return {
        "right": round(counts["right"] / max(1, there), 4),
        "moved_right": round(counts["moved right"] / max(1, counts["moved"]), 4),
        "gone": round(counts["gone right"] / max(1, gone), 4),
        "working_called_broken": round(counts["false"] / max(1, counts["works"]), 4),
        "wrong_recognised": round(counts["wrong right"] / max(1, counts["wrong"]), 4),
        "confidently_wrong": round(counts["surely wrong"] / max(1, counts["proposed"]), 4),
        "fields": there + gone,
        "sure": {
            f"{tenth / 10:.1f}": [counts[f"sure {tenth}"], counts[f"sure right {tenth}"]] for tenth in range(5, 10)
        },
    }


def _count(field: Field, found: Relocation, new: SelectablePage, counts: Counter[str], *, quiet: bool) -> None:
    truth, now = nodes_of(new, field.new_selector), nodes_of(new, field.old_selector)
    kept = bool(truth) and bool(now) and is_right(new, now, truth, many=field.many)
    if found.proposal is not None:
        nodes = [start for start, _ in found.proposal.spans]
    else:
        nodes = now if found.status is SelectorStatus.WORKS else []
    right = bool(nodes) and bool(truth) and is_right(new, nodes, truth, many=field.many)
    counts["there" if truth else "gone"] += 1
    counts["right"] += right
    counts["gone right"] += not truth and not nodes
    if truth and not now:
        counts["moved"] += 1
        counts["moved right"] += right
    if now:
        counts["works" if kept else "wrong"] += 1
        counts["false"] += kept and found.broken
        counts["wrong right"] += not kept and found.broken
    if found.proposal is not None:
        tenth = min(9, int(10 * found.probability))
        counts["proposed"] += 1
        counts["surely wrong"] += found.probability >= CONFIDENT and not right
        counts[f"sure {tenth}"] += 1
        counts[f"sure right {tenth}"] += right
    if not quiet and not right and (truth or nodes):
        proposal = found.proposal.written if found.proposal else "–"
        print(
            f"{field.site} {field.new} {field.field}: {field.old_selector} → {proposal}, not {field.new_selector}; "
            f"said {found.status} ({found.probability:.2f})"
        )


def main() -> None:
    """Print the mistakes, and the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fields", type=Path)
    parser.add_argument("--leave-sites-out", action="store_true", help="learn the weights of each site without it")
    given = parser.parse_args()
    figures: dict[str, Any] = {"experiment": "selectors", **evaluate_cases(read_cases(given.data))}
    if given.fields:
        figures["fields"] = evaluate_fields(given.fields, _left_out(given) if given.leave_sites_out else None)
    print(json.dumps(figures))


def _left_out(given: argparse.Namespace) -> dict[str, LikenessWeights]:
    """Learn the weights for each site from all others."""
    from experiments.selectors.train import questions, weights_of

    asked = questions(given.fields)
    return {
        fold: weights_from(weights_of([each for each in asked if each.field.fold != fold], calibrate_inside=False))
        for fold in sorted({each.field.fold for each in asked})
    }


if __name__ == "__main__":
    main()
