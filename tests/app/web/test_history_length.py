"""Cost of pages does not grow with the history of a watch, counted in database steps rather than seconds."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import event

from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from tests.app.store.long_history import grow
from tests.app.web.conftest import visitor

SHORT, LONG = 100, 4_000  # versions
STEPS = 10  # of SQLite's machine in one count
PAGES = {
    "overview": "/",
    "overview by name": "/?sort=name&state=fine",
    "watch": "/watch/{watch}",
    "an older page of the watch": "/watch/{watch}?before={change}",
    "queue": "/queue",
    "change": "/change/{change}",
    "rule": "/change/{change}/rule?kind=text&value=x&scope=watch",
    "version": "/version/{change}",
    "options": "/watch/{watch}/edit",
    "alerts": "/alerts",
    "alert": "/alerts/{change}",
    "ignored": "/ignored",
    "versions in the API": "/api/v1/watches/{watch}/versions",
    "changes in the API": "/api/v1/changes?watch={watch}",
}


@contextmanager
def counted(store: Store) -> Iterator[list[int]]:
    """Count the steps that SQLite takes for every statement."""
    count = [0]

    def step() -> int:
        count[0] += 1
        return 0

    def begin(connection: Any, *_: object) -> None:
        connection.connection.driver_connection.set_progress_handler(step, STEPS)

    event.listen(store.engine, "before_cursor_execute", begin)
    yield count
    event.remove(store.engine, "before_cursor_execute", begin)


@pytest.fixture(scope="module")
def pasts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[Store, httpx.Client, dict[str, Any]]]]:
    made = []
    for versions in (SHORT, LONG):
        settings = Settings(Path(tmp_path_factory.mktemp("past")), processes=0)
        store = Store(settings)
        watch, change = grow(store, versions)
        made.append((store, visitor(settings, store), {"watch": watch, "change": change}))
    yield made
    for store, *_ in made:
        store.close()


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in PAGES])
def test_a_page_takes_as_many_steps_for_a_long_past_as_for_a_short_one(
    pasts: list[tuple[Store, httpx.Client, dict[str, Any]]], name: str
) -> None:
    steps = []
    for store, client, known in pasts:
        with counted(store) as count:
            answer = client.get(PAGES[name].format(**known))
        assert answer.status_code == 200, answer.text
        steps.append(count[0])

    short, long = steps
    assert long <= 1.5 * short + 20, f"{short * STEPS:,} steps for {SHORT} versions, {long * STEPS:,} for {LONG:,}"
