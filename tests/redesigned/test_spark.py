"""Redesigns of the sites of a collection are those of each site by itself."""

from pathlib import Path
from typing import Any

import pytest

from pagedrift import RedesignDetector, read
from pagedrift.errors import InputError
from pagedrift.redesigned.spark import RedesignedJob
from pagedrift.redesigned.stream import documents
from pagedrift.redesigned.stream_monitor import StreamMonitor
from pagedrift.sites import By
from tests.builders import record
from tests.collection.sample_collection import collection, newspaper, rows

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]


def alone(paths: list[Path], *, by: By = "site", **settings: Any) -> list[tuple[Any, ...]]:
    """Follow each site by itself."""
    sites: dict[str, StreamMonitor] = {}
    found = []
    for document in documents(paths, by=by):
        course = sites.setdefault(document.site, StreamMonitor(RedesignDetector(**settings)))
        found += [
            (document.site, told.document, told.url, told.published_at, told.event.certainty)
            for told in course.take(document)
            if told.kind == "redesign"
        ]
    return sorted(found)


def told(folder: Path) -> list[tuple[Any, ...]]:
    names = ("site", "document", "url", "published_at", "certainty")
    return sorted(tuple(row[name] for name in names) for row in rows(folder / "redesigns"))


def test_redesigns_are_those_of_each_site_by_itself(tmp_path: Path) -> None:
    manifest = collection(tmp_path / "collection")

    outcome = RedesignedJob().run([str(manifest), "--to", str(tmp_path / "answers")])

    assert told(tmp_path / "answers") == alone(sorted(manifest.parent.glob("*.warc.gz")))
    assert [(site, number) for site, number, *_ in told(tmp_path / "answers")] == [("news.example", 12)]
    assert outcome.figures == {"sites": 3, "documents": len(list(read(manifest.parent))), "redesigns": 1}


def test_failed_answers_are_no_documents(tmp_path: Path) -> None:
    records = newspaper("news.example")
    errors = [
        record(
            f"https://news.example/{n}",
            b"<p>Error",
            status="500 Oops",
            date=f"2026-01-{n + 1:02}T13:00:00Z",
            packed=True,
        )
        for n in range(20)
    ]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(records + errors))

    outcome = RedesignedJob().run(
        [str(tmp_path), "--to", str(tmp_path / "answers"), "--detector", "max-avg-diff", "--history", "5"]
    )

    assert told(tmp_path / "answers") == alone([tmp_path / "a.warc.gz"], detector="max-avg-diff", history=5)
    assert (outcome.figures["documents"], outcome.figures["redesigns"]) == (24, 1)


def test_redesigns_of_real_sites_are_those_of_each_by_itself(data: Path, tmp_path: Path) -> None:
    paths = sorted((data / "streams").glob("*.warc.gz"))[:3]
    (tmp_path / "manifest").write_text("\n".join(map(str, paths)))

    RedesignedJob().run([str(tmp_path / "manifest"), "--to", str(tmp_path / "answers")])

    assert told(tmp_path / "answers") == alone(paths)


@pytest.mark.parametrize("by", ["site", "host", "none"])
def test_what_a_site_is_can_be_chosen_as_on_the_command_line(tmp_path: Path, by: By) -> None:
    records = newspaper("news.city.example") + newspaper("sports.city.example") + newspaper("town.example")
    (tmp_path / "a.warc.gz").write_bytes(b"".join(records))

    outcome = RedesignedJob().run([str(tmp_path), "--to", str(tmp_path / "answers"), "--by", by])

    assert told(tmp_path / "answers") == alone([tmp_path / "a.warc.gz"], by=by)
    assert outcome.figures["sites"] == {"site": 2, "host": 3, "none": 1}[by]


def test_a_second_run_over_newer_captures_continues_where_the_first_stopped(tmp_path: Path) -> None:
    records, quiet = newspaper("news.example", documents=40, redesigned=30), newspaper("quiet.example")[:3]
    for name, some in (("all", records), ("first", [*records[:31], *quiet]), ("second", records[31:])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.warc.gz").write_bytes(b"".join(some))
    for name in ("all", "first"):
        RedesignedJob().run([str(tmp_path / name), "--to", str(tmp_path / f"answers-{name}")])

    second = [
        str(tmp_path / "second"),
        "--to",
        str(tmp_path / "answers"),
        "--continue",
        str(tmp_path / "answers-first"),
    ]
    RedesignedJob().run(second)

    assert told(tmp_path / "answers-first") == []
    assert len(list((tmp_path / "answers/detectors").iterdir())) == 2  # that of the quiet site is carried over
    assert told(tmp_path / "answers") == told(tmp_path / "answers-all") != []


def test_a_run_that_left_no_detectors_cannot_be_continued(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(b"".join(newspaper("news.example")))

    with pytest.raises(InputError, match="name the --to folder of an earlier"):
        RedesignedJob().run([str(tmp_path), "--to", str(tmp_path / "to"), "--continue", str(tmp_path / "none")])
