"""How well does what ships find the redesigns of a collection of series, and is its certainty to be believed?

python -m experiments.gottron2009.evaluate --data DIR
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from experiments.gottron2009.cases import as_data, cases, print_cases
from experiments.gottron2009.series import ASKED, Score, Series, follow, load, reliability
from pagedrift.redesigned import DETECTORS
from pagedrift.redesigned.detectors import DEFAULT
from pagedrift.redesigned.evidence import Evidence


def evaluate(series: list[Series]) -> dict[str, Any]:
    """Score every detector with its defaults; those with a certainty also by the certainty asked for."""
    answer: dict[str, Any] = {
        "series": len(series),
        "documents": sum(len(one.pages) for one in series),
        "redesigns": sum(len(one.redesigns) for one in series),
    }
    for name, detector in DETECTORS.items():
        answer[name] = _figures(_score(series, name))
        if "certainty" in detector.SETTINGS:
            answer[name]["calibration"] = [_calibration(series, name, asked) for asked in ASKED]
    return answer


def _score(series: list[Series], name: str, **settings: float) -> Score:
    score = Score()
    for one in series:
        score.add(one, follow(one.pages, detector=name, **settings))
    return score


def _figures(score: Score) -> dict[str, Any]:
    return {
        "tp": score.hits,
        "fp": score.false,
        "fn": score.missed,
        "borderline": score.borderline,
        "delay": round(score.delay, 2) if score.delay else None,
        "slowest": max(score.delays, default=None),
        "wrong": score.wrong[:20],
    }


def _calibration(series: list[Series], name: str, asked: float) -> dict[str, Any]:
    """Tell what those get who ask for a certainty: how much was stated, and how often it was real."""
    score, stated = Score(), []
    for one in series:
        events = follow(one.pages, detector=name, certainty=asked)
        score.add(one, events)
        stated += [event.certainty for event in events if event.certainty is not None]
    told = score.hits + score.false
    return {
        "asked": asked,
        "told": told,
        "stated": round(sum(stated) / len(stated), 3) if stated else None,
        "real": round(score.hits / told, 3) if told else None,
        "missed": score.missed,
        "delay": round(score.delay, 2) if score.delay else None,
    }


def _print(answer: dict[str, Any]) -> None:
    print(f"{answer['series']} series, {answer['documents']} documents, {answer['redesigns']} redesigns\n")
    print("detector         TP   FP   FN  borderline  delay  slowest")
    for name in DETECTORS:
        row = answer[name]
        delay = "-" if row["delay"] is None else row["delay"]
        print(f"{name:14} {row['tp']:4} {row['fp']:4} {row['fn']:4} {row['borderline']:11}", end="")
        print(f" {delay:>6} {row['slowest'] or '-':>8}")
    print(f"\n{DEFAULT}, wrong: {', '.join(answer[DEFAULT]['wrong']) or 'nothing'}")
    print("\ncertainty asked   told  stated    real  missed  delay")
    for row in answer[DEFAULT].get("calibration", ()):
        stated, real, delay = (row[key] if row[key] is not None else "-" for key in ("stated", "real", "delay"))
        print(f"{row['asked']:15} {row['told']:6} {stated:>7} {real:>7} {row['missed']:7} {delay:>6}")
    print("\nstated        statements   real")
    for row in answer[DEFAULT]["stated"]:
        print(f"{row['from']:.1f} to {row['to']:.1f} {row['statements']:13} {row['real']:6}")


def main() -> None:
    """Print a table, and everything as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of series: NAME.warc.gz and NAME.json")
    series = list(load(parser.parse_args().data))
    if not series:
        parser.error("there is no NAME.json with NAME.warc.gz in it; name the folder that holds the series")
    answer = evaluate(series)
    wrong = [case for one in series for case in cases(one)]
    answer[DEFAULT] |= {"stated": reliability((one, Evidence) for one in series), "cases": as_data(wrong)}
    _print(answer)
    print_cases(wrong)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
