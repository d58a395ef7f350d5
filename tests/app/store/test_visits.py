from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift.app.model.task import Task
from pagedrift.app.model.watch import Watch
from pagedrift.app.store import visits, watches
from pagedrift.app.store.tables import WatchRow
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store


def test_what_many_visits_need_is_read_at_once_and_one_that_is_wrong_harms_no_other(any_store: Store) -> None:
    good, wrong, gone = (
        watches.add(any_store, Watch(f"https://city.example/{name}", name=name))
        for name in ("good", "wrong", "gone")
    )
    with any_store.begin() as session:
        session.get_one(WatchRow, wrong.id).options = {"every": "now and then"}
        session.get_one(WatchRow, gone.id).deleted = True

    found = visits.tasks(any_store, [good.id, wrong.id, gone.id])

    assert found.keys() == {good.id, wrong.id}
    assert isinstance(found[good.id], Task)
    assert isinstance(found[wrong.id], PagedriftError)
    assert visits.task(any_store, gone.id) is None
