"""Values and conditions of watches, from the page to the alert, the graph and the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.store import queries, watches
from tests.app.web.conftest import visitor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from tests.server import Site


@pytest.fixture
def scheduler(settings: Settings, store: Store) -> Iterator[Scheduler]:
    with Scheduler(settings, store) as scheduler:
        yield scheduler


def _lives(scheduler: Scheduler, site: Site, said: list[str], **options: Any) -> str:
    """Watch the price on a page that says one thing after the other."""
    watch = watches.add(scheduler.store, Watch(f"{site.url}/lamp", options={"include": ["#price"], **options}))
    for text in said:
        page = f"<title>Lamp</title><main><h1>Lamp</h1><p id=price>{text}</p><p>A lamp of brass.</p></main>"
        site.pages["/lamp"] = page.encode()
        watches.visit_now(scheduler.store, watch.id)
        scheduler.run_once()
    return watch.id


def _alerts(scheduler: Scheduler, watch: str) -> list[tuple[bool, str]]:
    with scheduler.store.read() as session:
        changes, _ = queries.changes(session, which=watch)
    return [(change.alerted, change.reason) for change in reversed(changes)]


def test_an_alert_comes_when_one_of_the_conditions_is_met_and_says_which(scheduler: Scheduler, site: Site) -> None:
    said = ["24 €", "21 €", "19 €", "18 €", "22 €", "17 €"]
    watch = _lives(scheduler, site, said, value="number", conditions=["below 20", "above 100"])
    assert _alerts(scheduler, watch) == [
        (False, "Ignored because your conditions are not met: 24 € → 21 €"),
        (True, "Your condition “below 20” is met: 21 € → 19 €"),
        (False, "Ignored because your conditions are not met: 19 € → 18 €"),
        (False, "Ignored because your conditions are not met: 18 € → 22 €"),
        (True, "Your condition “below 20” is met: 22 € → 17 €"),
    ]


def test_a_new_low_is_one_of_all_that_was_seen(scheduler: Scheduler, site: Site) -> None:
    watch = _lives(scheduler, site, ["24 €", "20 €", "25 €", "22 €", "19 €"], conditions=["new low"])
    assert [alerted for alerted, _ in _alerts(scheduler, watch)] == [True, False, False, True]


def test_what_is_in_stock_again_is_never_taken_for_a_flip_flop(scheduler: Scheduler, site: Site) -> None:
    said = ["Sold out", "In stock", "Sold out", "In stock", "Sold out", "In stock"]
    watch = _lives(scheduler, site, said, value="stock", conditions=["in stock"])
    assert [alerted for alerted, _ in _alerts(scheduler, watch)] == [True, False, True, False, True]


def test_a_value_has_a_graph_a_table_and_a_place_in_the_api(
    scheduler: Scheduler, site: Site, settings: Settings
) -> None:
    watch = _lives(scheduler, site, ["24 €", "=19 €", "1.021 €"], value="number")
    client = visitor(settings, scheduler.store)
    shown = client.get(f"/watch/{watch}").text
    for text in (
        '<h2 id="value-title">Value</h2>',
        "<dt>Lowest</dt><dd>19 €",
        "<dt>Highest</dt><dd>1,021 €",
        "<path",
    ):
        assert text in shown
    header, *lines = client.get(f"/watch/{watch}/values.csv").text.splitlines()
    assert header == "at,number,unit,date,in_stock,text,change"
    assert [line.split(",")[1:6] for line in lines] == [
        ["24", "€", "", "", "24 €"], ["19", "€", "", "", "'=19 €"], ["1021", "€", "", "", "1.021 €"],
    ]  # fmt: skip
    values = client.get(f"/api/v1/watches/{watch}/values").json()["values"]
    assert [each["number"] for each in values] == [24.0, 19.0, 1021.0]
    assert client.get("/watch/none/values.csv").status_code == 404
