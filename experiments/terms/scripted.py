"""Are facts that change on scripted pages found, and is what such pages change by themselves left out?

python -m experiments.terms.scripted [--leave-pages-out --data DIR] [--application] [--genre NAME]

Each change of tests/scripted is made once as the first change of its page, and once after ten visits at which only
what is noise changed. At the level “important” facts and content ought to alert, at “content” new wording too, and
noise never. What a visit without the change would have shown as well does not count as having found it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.law2012.scoring import TENTHS_HEAD, tenths
from experiments.terms.bags import (
    REAL_PAGES,
    SCRIPTED,
    VISITS,
    Script,
    all_scripts,
    pair_bags,
    read_scripts,
    real_scripts,
    scripted_bags,
    terms_bags,
)
from experiments.terms.evaluate import SHOWN_CHANGES, models_without
from experiments.terms.steps import Told, in_parallel, series_in, told
from pagedrift.does_it_matter.changes import Level, Past
from pagedrift.does_it_matter.changes.levels import judge_changes
from pagedrift.does_it_matter.changes.pairing import compare
from pagedrift.does_it_matter.changes.passages import passages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pagedrift.does_it_matter.changes import JudgedChange
    from pagedrift.does_it_matter.model import Model

# From which level on a change alerts, and the scripted changes that ought to.
ALERTING = {"important": (Level.IMPORTANT,), "content": (Level.IMPORTANT, Level.MINOR)}
WANTED = {"important": frozenset(("fact", "content")), "content": frozenset(("fact", "content", "wording"))}
WHEN = ("first change", "after ten visits")
BY_ITSELF = "by itself"  # the level of what a page does at each visit
_FIRST_WITH_PAST = 3  # before this visit there is no past to speak of


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was said of one scripted change."""

    page: str
    name: str
    level: str  # fact, content, wording or noise, or "by itself"
    when: str
    told: tuple[Told, ...]

    @property
    def genre(self) -> str:
        """What kind of page it is."""
        return self.page.partition("/")[0]

    def alerts(self, at: str) -> bool:
        """Say whether someone who asked for changes of a level would get an alert."""
        return any(each.level in ALERTING[at] for each in self.told)

    def wrong(self, at: str) -> bool:
        """Say whether that is a mistake."""
        return self.alerts(at) != (self.level in WANTED[at])


def outcomes_of(script: Script, models: Mapping[str, Model] | None = None) -> list[Outcome]:
    """Judge all changes of one page, and what it does by itself."""
    model = models[script.name] if models else None
    visits = [passages(script.at(visit)) for visit in range(VISITS + 1)]
    first, ten = WHEN
    made: list[Outcome] = []

    def add(name: str, level: str, when: str, judged: Iterable[JudgedChange]) -> None:
        made.append(Outcome(page=script.name, name=name, level=level, when=when, told=tuple(map(told, judged))))

    past = Past().after(())
    add("second visit", BY_ITSELF, first, judge_changes(compare(visits[0], visits[1]), None, model))
    for visit in range(1, VISITS):
        found = compare(visits[visit - 1], visits[visit])
        if visit >= _FIRST_WITH_PAST:
            add(f"visit {visit + 1}", BY_ITSELF, ten, judge_changes(found, past, model))
        past = past.after(found)
    noise = {_texts(each) for each in judge_changes(compare(*visits[-2:]), past, model)}
    for change in script.changes:
        edits = [(old, new) for old, new in change["edits"]]
        name, level = change["name"], change["level"]
        at_first = compare(visits[0], passages(script.at(0, edits)))
        add(name, level, first, judge_changes(at_first, None, model))
        later = judge_changes(compare(visits[-2], passages(script.at(VISITS, edits))), past, model)
        add(name, level, ten, (each for each in later if _texts(each) not in noise))
    return made


def _texts(change: JudgedChange) -> tuple[str, str]:
    return change.old_text, change.new_text


def all_outcomes(scripts: Sequence[Script], models: Mapping[str, Model] | None = None) -> list[Outcome]:
    """Judge all changes of some pages."""
    return [each for made in in_parallel(partial(outcomes_of, models=models), scripts) for each in made]


def mistakes(outcomes: Sequence[Outcome], at: str) -> Iterator[str]:
    """List what was missed, then the false alarms, each with its changes."""
    for missed in (True, False):
        for each in outcomes:
            if each.wrong(at) and (each.level in WANTED[at]) == missed:
                what = "missed" if missed else "false alarm"
                yield f"{what}: {each.page}, {each.name} ({each.level}), {each.when}"
                likeliest = sorted(each.told, key=lambda one: (-one.level.rank, -one.probability))
                yield from (f"    {one.line}" for one in likeliest[:SHOWN_CHANGES])
                if not each.told:
                    yield "    no change was seen"


def figures(outcomes: Iterable[Outcome], at: str) -> dict[str, dict[str, list[int]]]:
    """Count, by when and level, how many were wrong, and of how many."""
    wrong: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for each in outcomes:
        total[each.when, each.level] += 1
        wrong[each.when, each.level] += each.wrong(at)
    return {
        when: {
            level: [wrong[when, level], total[when, level]] for at_when, level in sorted(total) if at_when == when
        }
        for when in WHEN
    }


def table(outcomes: Sequence[Outcome], at: str) -> Iterator[str]:
    """Give a line for each genre: how many of each level were wrong, of how many."""
    levels = ("fact", "content", "wording", "noise", BY_ITSELF)
    yield "                                " + "".join(f"{level:>12}" for level in levels)
    genres = sorted({each.genre for each in outcomes})
    for when in WHEN:
        for genre in (*genres, ""):
            found = figures((each for each in outcomes if genre in ("", each.genre)), at)[when]
            cells = "".join(f"{'{} of {}'.format(*found.get(level, (0, 0))):>12}" for level in levels)
            yield f"{genre or 'all':14} {when:17}{cells}"


def calibration(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Set the stated probabilities of the likeliest changes against what was true, in tenths."""
    yield TENTHS_HEAD
    for when in (*WHEN, ""):
        chosen = [each for each in outcomes if each.told and when in ("", each.when)]
        yield when or "both"
        stated = [max(one.probability for one in each.told) for each in chosen]
        yield from tenths(stated, [each.level not in ("noise", BY_ITSELF) for each in chosen])


def report(outcomes: Sequence[Outcome], kind: str) -> dict[str, Any]:
    """Print mistakes and tables; give the figures."""
    answer = {}
    for at in ALERTING:
        print(f"\nMistakes, {kind}, alerts from “{at}” on:")
        for line in mistakes(outcomes, at):
            print(line)
        answer[at] = figures(outcomes, at)
    for at in ALERTING:
        print(
            f"\nWrong, {kind}, alerts from “{at}” on (facts to wording: missed; noise: false alarms"
            f"{'; wording too' if at == 'important' else ''})"
        )
        for line in table(outcomes, at):
            print(line)
    print(f"\nProbability that the likeliest change is content, {kind}: stated and real")
    for line in calibration(outcomes):
        print(line)
    return answer


def main() -> None:
    """Print mistakes, tables, and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scripts", type=Path, default=SCRIPTED, help="a folder of scripted pages")
    parser.add_argument("--genre", help="only pages of this genre")
    parser.add_argument("--leave-pages-out", action="store_true", help="judge each page by a model without it")
    parser.add_argument("--data", type=Path, help="a folder with terms/series and pairs, to learn from besides")
    parser.add_argument("--application", action="store_true", help="through the whole application, and its peer")
    options = parser.parse_args()
    scripts = [*read_scripts(options.scripts)]
    if options.data and (options.data / REAL_PAGES).exists():
        scripts += real_scripts(options.scripts, options.data / REAL_PAGES)
    scripts = [each for each in scripts if options.genre in (None, each.name.partition("/")[0])]
    if not scripts:
        parser.error(f"{options.scripts} holds no GENRE/NAME.toml; name the folder that holds the scripted pages")
    if options.leave_pages_out and not (options.data and (options.data / "pairs" / "labels.csv").exists()):
        parser.error("to learn anew, name a folder with terms/series and pairs with --data")

    line: dict[str, Any] = {"experiment": "scripted", "as shipped": report(all_outcomes(scripts), "as shipped")}
    if options.leave_pages_out:
        bags = [
            *scripted_bags(all_scripts(options.data)),
            *terms_bags(options.data / "terms" / "series"),
            *pair_bags(options.data / "pairs"),
        ]
        models = models_without(bags, series_in(options.data / "terms" / "series"))
        line["left out"] = report(all_outcomes(scripts, models), "page left out")
    if options.application:
        from experiments.terms.application import report as report_application

        line["application"] = report_application(scripts)
    print(json.dumps(line))


if __name__ == "__main__":
    main()
