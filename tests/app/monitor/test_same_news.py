"""The same news on several pages of a site is one alert; different facts never are."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from sqlalchemy import select

from pagedrift import PageVersion
from pagedrift.app.demo.scenario import SCENARIO
from pagedrift.app.model.change import ChangeRecord
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.decisions import decide
from pagedrift.app.notify.alerts import close_due
from pagedrift.app.store import alerts
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import AlertRow, AlertWatchRow, ChangeRow, VersionRow
from pagedrift.app.store.visits import RecordedVisit
from tests.app.demo.conftest import Town, town  # noqa: F401 - a fixture
from tests.app.notify.changed_watches import BASE, add

LAST_ARTICLE = [scene.step for scene in SCENARIO if "article" in scene.happens][-1]  # in the second design
NOW = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)
_offsets = count()


def tell(
    store: Store, which: str, old: PageVersion, new: PageVersion, now: datetime = NOW, **options: object
) -> bool:
    """Let a page change as it really is judged, and open an alert; say whether it asks for one."""
    wanted = WatchOptions(**options)
    analysis = analyse(old, new, wanted)
    record = ChangeRecord(analysis=analysis, decision=decide(wanted, analysis))
    with store.begin() as session:
        rows = [
            VersionRow(watch_id=which, url="", captured_at=now, digest="", filename="a", offset=at, length=1)
            for at in (next(_offsets), next(_offsets))
        ]
        session.add_all(rows)
        session.flush()
        change = ChangeRow(
            watch_id=which,
            old_id=rows[0].id,
            new_id=rows[1].id,
            at=now,
            card=record.to_json(),
            matters=True,
            told=record.decision.notify,
            signature=analysis.signature,
        )
        session.add(change)
        session.flush()
        if record.decision.notify:
            recorded = RecordedVisit(which, rows[1].id, change.id)
            alerts.add(
                session, recorded, kind="change", signature=analysis.signature, title=analysis.headline, now=now
            )
    return record.decision.notify


def found(store: Store) -> list[int]:
    """Count the pages of each alert."""
    with store.read() as session:
        pages = session.scalars(select(AlertWatchRow.alert_id)).all()
        return [pages.count(alert.id) for alert in session.scalars(select(AlertRow).order_by(AlertRow.id))]


@pytest.mark.parametrize("step", [2, 6, 13, 16, LAST_ARTICLE])
@pytest.mark.parametrize("paths", [("/", "/news"), ("/news", "/")])
def test_an_article_on_the_front_page_and_in_its_section_is_one_alert(
    store: Store,
    town: Town,  # noqa: F811
    step: int,
    paths: tuple[str, str],
):
    for path in paths:
        assert tell(store, add(store, path[1:] or "front"), town.page(path, step - 1), town.page(path, step))
    assert found(store) == [2]
    close_due(store, NOW + timedelta(hours=1), BASE)
    with store.read() as session:
        told = session.scalars(select(AlertRow)).one().told
    assert "On 2 pages:" in told["text"]


def test_an_article_that_comes_to_a_page_later_is_added_to_the_alert_that_was_sent(
    store: Store,
    town: Town,  # noqa: F811
):
    front, news = add(store, "front"), add(store, "news")
    tell(store, front, town.page("/", 1), town.page("/", 2))
    close_due(store, NOW + timedelta(hours=1), BASE)
    later = NOW + timedelta(hours=5)
    tell(store, news, town.page("/news", 1), town.page("/news", 2), later)
    assert found(store) == [2]
    assert close_due(store, later + timedelta(hours=1), BASE) == 0
    with store.read() as session:
        change = session.scalars(select(ChangeRow).where(ChangeRow.watch_id == news)).one()
        assert change.decision.reason == "already_sent"


def test_two_articles_are_two_alerts(store: Store, town: Town):  # noqa: F811
    tell(store, add(store, "front"), town.page("/", 1), town.page("/", 2))
    tell(store, add(store, "news"), town.page("/news", 5), town.page("/news", 6))
    assert found(store) == [1, 1]


PRODUCT = (
    "<main><h1>{}</h1><p>{} for the garden and for evenings at the lake.</p><p class=price>{}</p><p>{}</p></main>"
)


def product(name: str, price: str, state: str = "In stock") -> PageVersion:
    return PageVersion(f"https://city.example/{name}", PRODUCT.format(name, name, price, state).encode())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((("24 €", "In stock"), ("29 €", "In stock")), (("24 €", "In stock"), ("31 €", "In stock"))),
        ((("24 €", "In stock"), ("29 €", "In stock")), (("19 €", "In stock"), ("29 €", "In stock"))),
    ],
)
def test_prices_with_other_values_stay_two_alerts(store: Store, first, second):
    for name, (old, new) in (("Lantern", first), ("Lamp", second)):
        assert tell(store, add(store, name), product(name, *old), product(name, *new))
    assert found(store) == [1, 1]


def test_what_is_sold_out_another_day_is_another_thing(store: Store):
    for name, now in (("Lantern", NOW), ("Lamp", NOW + timedelta(days=2))):
        assert tell(store, add(store, name), product(name, "24 €"), product(name, "24 €", "Sold out"), now)
        assert close_due(store, now + timedelta(hours=1), BASE) == 1
    assert found(store) == [1, 1]


def test_news_of_another_host_or_of_long_ago_is_news(store: Store, town: Town):  # noqa: F811
    tell(store, add(store, "front"), town.page("/", 1), town.page("/", 2))
    tell(store, add(store, "news", host="town.example"), town.page("/news", 1), town.page("/news", 2))
    late = NOW + timedelta(days=4)
    tell(store, add(store, "news"), town.page("/news", 1), town.page("/news", 2), late)
    assert found(store) == [1, 1, 1]


def test_more_than_the_same_news_is_news(store: Store):
    page = "<main><h1>Town</h1><ul>{}</ul><p>Fee for the pool: {} for adults who come to swim.</p></main>"
    old, entry = (
        "<li>Old entry about the mill and its wheel</li>",
        "<li>The council opens the new bridge on Monday</li>",
    )
    versions = [page.format(old, "4 €"), page.format(entry + old, "4 €"), page.format(entry + old, "5 €")]
    before, news, more = (PageVersion("https://city.example/", text.encode()) for text in versions)
    assert tell(store, add(store, "a"), before, news)
    assert tell(store, add(store, "b"), before, more)
    assert found(store) == [1, 1]


def test_whoever_asks_for_any_change_gets_each(store: Store, town: Town):  # noqa: F811
    tell(store, add(store, "front"), town.page("/", 1), town.page("/", 2))
    tell(store, add(store, "news"), town.page("/news", 1), town.page("/news", 2), notify_on="anything")
    assert found(store) == [1, 1]
