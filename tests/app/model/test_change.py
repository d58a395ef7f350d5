"""One change is one value, wherever it is kept; what older releases wrote is read as well."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, text

from pagedrift import PageVersion
from pagedrift.app.model.change import ChangeAnalysis, ChangedBlock, ChangeRecord
from pagedrift.app.model.decision import Decision, Reason
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.model.results import VisitResult
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import rebuild
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.decisions import decide
from pagedrift.app.store import queries, watches
from pagedrift.app.store.tables import ChangeRow, VersionRow
from pagedrift.archive.writer import ArchiveWriter
from pagedrift.report import reasons

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

FIRST_FORMAT: dict[str, Any] = json.loads(Path(__file__).with_name("first_format.json").read_text())
OLD, NEW = (PageVersion("https://city.example/fees", f"<p>{price} EUR".encode()) for price in (24, 29))
DETAILS: dict[str, Any] = {
    "day": "2027-03-12",
    "days": 13,
    "condition": "below 20",
    "headline": "a fee was raised", "amount": 0.2, "at_least": 0.1, "probability": 0.8, "selector": "main",
    "failures": 3, "allowed": 3, "last": "status 503", "sent_at": "2026-11-15T09:30:00+00:00",
    "seen_on": "2026-11-15T09:30:00+00:00", "name": "price",
    "expression": ".price", "before": 1.0, "since": 0.0, "text": "it matters",
}  # fmt: skip


def test_a_record_is_the_same_after_it_was_stored() -> None:
    found = analyse(OLD, NEW, WatchOptions())
    record = ChangeRecord(analysis=found, decision=decide(WatchOptions(notify_on="amount", min_change=0.9), found))

    assert ChangeRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


def test_a_result_is_the_same_after_it_was_archived() -> None:
    result = VisitResult.from_notes(FIRST_FORMAT)
    assert result is not None
    assert VisitResult.from_notes(json.loads(json.dumps(result.notes()))) == result


def test_notes_of_a_release_to_come_are_left_alone() -> None:
    assert VisitResult.from_notes(FIRST_FORMAT | {"pagedrift": 3}) is None


def test_notes_of_the_first_format_are_read() -> None:
    result = VisitResult.from_notes(FIRST_FORMAT)

    assert result is not None
    assert result.compared_with == ("a.warc.gz", 120)
    assert_is_the_first_change(result.change)


def assert_is_the_first_change(record: ChangeRecord | None) -> None:
    """See that everything is there that the first format told."""
    assert record is not None
    found = record.analysis
    assert (found.headline, found.amount, found.matters) == ("price 24 EUR → 29 EUR", 0.5, False)
    assert (found.counts, found.replaced) == ({"edited": 1}, 0.0)
    assert found.judged_by[0].startswith("numbers or dates changed")
    (block,) = found.blocks
    assert (block.action, block.target, block.kind) == ("edited", "text", "edited text")
    assert found.signatures == (block.signature,)
    assert record.decision == Decision(False, Reason.LEGACY, {"text": "not told: 0.5 is below your 0.9"})
    assert record.decision.sentence == "Ignored because 0.5 is below your 0.9"


def test_an_archive_of_the_first_format_is_read_into_a_database(settings: Settings, store: Store) -> None:
    watch = watches.add(store, Watch("https://city.example/fees"))
    with ArchiveWriter(settings.archive) as archive:
        before = archive.append(
            OLD, notes=FIRST_FORMAT | {"watch": watch.id, "outcome": "new", "change": None}
        ).place
        change = FIRST_FORMAT["change"] | {"old": [before.filename, before.offset]}
        later = {"watch": watch.id, "change": change, "at": "2026-11-16T09:30:00+00:00"}
        archive.append(NEW, notes=FIRST_FORMAT | later)

    assert rebuild.catch_up(store, settings) == 2
    with store.read() as session:
        (row,) = session.scalars(select(ChangeRow))
        assert_is_the_first_change(row.record)


def test_a_row_of_an_older_release_is_read(store: Store) -> None:
    number = insert_as_before(store, watches.add(store, Watch("https://city.example/fees")).id)
    with store.read() as session:
        (listed,), _ = queries.changes(session)
        whole = queries.change(session, number)

    assert (listed.headline, listed.alerted) == ("price 24 EUR → 29 EUR", False)
    assert listed.reason == "Ignored because 0.5 is below your 0.9"
    assert whole is not None
    assert_is_the_first_change(whole.record)


def test_a_row_of_an_older_release_can_be_decided_anew(store: Store) -> None:
    number = insert_as_before(store, watches.add(store, Watch("https://city.example/fees")).id)
    with store.begin() as session:
        session.get_one(ChangeRow, number).decide(Decision(False, Reason.WATCH_EDITED))
    with store.read() as session:
        row = session.get_one(ChangeRow, number)
        assert row.reason == "Ignored because the watch was edited during the check"
        assert row.record.analysis.headline == "price 24 EUR → 29 EUR"


def insert_as_before(store: Store, watch: str) -> int:
    """Write a change the way releases before the records wrote it; give its number."""
    change = FIRST_FORMAT["change"]
    columns = ("amount", "probability", "matters", "redesigned", "signature", "told", "reason")
    with store.begin() as session:
        versions = [
            VersionRow(
                watch_id=watch, url="u", captured_at=_at(), digest=str(at), filename="a", offset=at, length=1
            )
            for at in (1, 2)
        ]
        session.add_all(versions)
        session.flush()
        values = {name: change[name] for name in columns} | {
            "watch_id": watch, "old_id": versions[0].id, "new_id": versions[1].id,
            "at": "2026-11-15 09:30:00.000000",
            "card": json.dumps({"headline": change["headline"], **change["card"]}),
        }  # fmt: skip
        names = ", ".join(values)
        places = ", ".join(f":{name}" for name in values)
        session.execute(text(f"INSERT INTO changes ({names}) VALUES ({places})"), values)
        return session.scalars(select(ChangeRow.id)).one()


def _at() -> Any:
    result = VisitResult.from_notes(FIRST_FORMAT)
    assert result is not None
    return result.at


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("notify", [True, False])
def test_every_reason_has_a_sentence(reason: Reason, notify: bool) -> None:
    decision = Decision(notify, reason, DETAILS)
    assert Decision.from_json(json.loads(json.dumps(decision.to_json()))) == decision
    for said in (decision.sentence, reasons.answer(reason, DETAILS, notify=notify)):
        assert said
        assert "None" not in said
    assert "a fee was raised" not in reasons.because(reason, DETAILS)


def test_a_reason_of_a_release_to_come_is_shown() -> None:
    stored = {"notify": False, "reason": "full_moon", "details": {}}
    assert Decision.from_json(stored).sentence == "full moon"


def test_what_is_not_known_of_a_block_is_left_out() -> None:
    assert ChangedBlock.from_json({"kind": "moved", "colour": "red"}) == ChangedBlock(action="moved")
    assert ChangeAnalysis.from_json({}).blocks == ()


def test_an_alert_about_a_redesign_does_not_say_so_twice() -> None:
    found = ChangeAnalysis(answers={"replaced": 0.83}, headline="redesigned: 83 % of the layout replaced")

    assert found.alert_title == "redesigned: 83 % of the layout replaced"
    assert replace(found, redesigned=True).alert_title == "83 % of the layout replaced"
