"""The judge of an installation learns from feedback, and is used only where it is as good as the built-in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pagedrift import PageVersion
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import installation_judge
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.installation_judge import MIN_LABELS, learned
from pagedrift.app.store import feedback, lessons, watches
from pagedrift.app.store.lessons import Example
from pagedrift.app.store.tables import ChangeRow
from pagedrift.does_it_matter.model import from_json
from tests.app.monitor.test_pasts import page, visited
from tests.app.monitor.test_visit import rows
from tests.interstitials.interstitial_pages import FEES

if TYPE_CHECKING:
    from pagedrift.app.monitor.scheduler import Scheduler
    from tests.server import Site

NEW = (
    FEES.replace("<h1>", "<p>The desk moved to the second floor, next to the library of the town.</p><h1>"),
    FEES.replace("<p>City", "<p>Town"),
    FEES.replace("Every building permit", "Each permit to build"),
    FEES.replace("<li><a href=/news>News</a>", ""),
    FEES.replace("$40", "$45"),
)


def examples(*, contrary: bool = False) -> list[Example]:
    """Give edits of a page, four times each, that a user agrees with the judge about, or never does."""
    old = PageVersion("https://city.example/fees", FEES.encode())
    found = [analyse(old, PageVersion(old.url, new.encode()), WatchOptions()).edits[0] for new in NEW]
    return [Example(dict(edit.figures), (edit.level != "noise") is not contrary) for edit in found] * 4


def test_a_little_feedback_or_one_that_all_says_the_same_teaches_nothing() -> None:
    assert learned(examples()[: MIN_LABELS - 1]) == {}
    assert learned([Example(each.figures, True) for each in examples()]) == {}


@pytest.mark.parametrize("contrary", [False, True])
def test_what_was_learned_is_used_where_it_is_as_good_as_before(contrary: bool) -> None:
    found = learned(examples(contrary=contrary))

    assert found["before"]["labels"] == found["after"]["labels"] == 20
    assert found["before"]["right"] == (0 if contrary else 20)
    assert ("model" in found) is (found["after"]["right"] >= found["before"]["right"])
    if "model" in found:
        assert from_json(found["model"], where="learned").labels > 20


def test_feedback_is_learned_from_once_and_again_when_it_changes(scheduler: Scheduler, site: Site) -> None:
    store = scheduler.store
    watches.add(store, Watch(f"{site.url}/"))
    visited(scheduler, site, page(0), page(1, price=29))
    assert not installation_judge.keep_up(store)

    [change] = rows(store, ChangeRow)
    feedback.label(store, change.id, matters=True, edit=0)
    assert installation_judge.keep_up(store)
    assert lessons.judge(store)["labels"] == 1
    assert not installation_judge.keep_up(store)
    feedback.unlabel(store, change.id)
    assert installation_judge.keep_up(store)
    assert lessons.judge_model(store) is None
