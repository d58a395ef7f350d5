"""Feedback teaches: later decisions change where it was given, nowhere else, and still do after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import rebuild
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.store import lessons, watches
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import ChangeRow
from pagedrift.app.web import auth
from pagedrift.app.web.application import create_app
from tests.app.monitor.test_visit import visit
from tests.app.web import asgi_client

if TYPE_CHECKING:
    import httpx

    from pagedrift.app.settings import Settings
    from tests.server import Site

QUOTES = (
    "Whoever saves one plank saves a whole boat, said the carpenter to nobody in particular.",
    "A gull on the mast sees no further than a captain who listens well.",
    "The river forgets every stone that it carried into the valley below.",
    "Nobody hears the clock of the church while the smith is at work.",
    "Soup tastes of the hand that stirred it longest over the fire.",
    "Old ropes know more knots than any young sailor ever tied.",
    "Snow on the roof makes the stove inside sing its warmest songs.",
    "He who paints a door must leave the house by a window.",
    "Even the slowest barge arrives before those who never left harbour.",
    "A lamp that is carried shows the way to those who follow.",
)
PAGE = (
    "<!doctype html><title>{name}</title><nav><ul><li><a href=/>Home</a><li><a href=/fees>Fees</a>{more}</ul>"
    "</nav><main><h1>{name}</h1><p class=about>All {name} of this shop are made by hand in the workshop"
    " at the harbour, and they are sold on Saturdays while there are any.</p><p class=price>Price: {price} €</p>"
    "<p class=quote>{quote}</p></main><footer>The shop, 1 Main Street</footer>"
)
MENU = ("Contact", "Imprint", "Newsletter")
NAMES = ("lanterns", "kettles", "anchors", "baskets", "whistles")


def page(name: str, *, quote: int = 0, price: int = 49, more: int = 0) -> bytes:
    entries = "".join(f"<li><a href=/{number}>{word}</a>" for number, word in enumerate(MENU[:more]))
    return PAGE.format(name=name, quote=QUOTES[quote], price=price, more=entries).encode()


class Shop:
    """A site whose pages are watched by the whole application, and what it decides about their next changes."""

    def __init__(self, settings: Settings, site: Site) -> None:
        self.settings, self.site = settings, site
        self.values: dict[str, dict[str, int]] = {name: {} for name in NAMES}
        for name in NAMES:
            site.pages[f"/{name}"] = page(name)
        self.store = Store(settings)
        self.ids = {
            name: watches.add(self.store, Watch(f"{site.url}/{name}", name=name, options={"every": 60})).id
            for name in NAMES
        }
        self.start()
        self.changed()

    def start(self) -> None:
        self.scheduler = Scheduler(self.settings, self.store)
        self.scheduler.__enter__()
        token = auth.add_token(self.store, "tests", "api")
        self.program: httpx.Client = asgi_client.client(
            create_app(self.settings, self.store),
            base_url="http://127.0.0.1:8710",
            headers={"authorization": f"Bearer {token}"},
        )

    def stop(self) -> None:
        self.scheduler.__exit__(None, None, None)
        self.store.close()

    def restart(self) -> None:
        self.stop()
        self.store = Store(self.settings)
        self.start()

    def changed(self, *names: str, **values: int) -> dict[str, ChangeRow]:
        """Change some pages, have all checked, and give the changes that were found."""
        with self.store.read() as session:
            before = set(session.scalars(select(ChangeRow.id)))
        for name in names:
            self.values[name] |= values
            self.site.pages[f"/{name}"] = page(name, **self.values[name])
        visit(self.scheduler)
        named = {which: name for name, which in self.ids.items()}
        with self.store.read() as session:
            rows = session.scalars(select(ChangeRow).order_by(ChangeRow.id))
            return {named[row.watch_id]: row for row in rows if row.id not in before}

    def say(self, change: ChangeRow, *, matters: bool, edit: int | None = None) -> None:
        """Give feedback, as a program or a person does."""
        body: dict[str, Any] = {"matters": matters} | ({} if edit is None else {"edit": edit})
        answer = self.program.put(f"/api/v1/changes/{change.id}/feedback", json=body)
        assert answer.status_code == 200, answer.text


@pytest.fixture
def shop(settings: Settings, site: Site) -> Any:
    made = Shop(settings, site)
    yield made
    made.stop()


def test_twenty_labels_change_later_decisions_in_the_right_way_and_no_others(shop: Shop) -> None:
    """A quote of the day alerts until the user says that it is not important; prices go on to alert."""
    first = shop.changed("lanterns", quote=1)["lanterns"]
    assert first.told
    shop.say(first, matters=False)

    # At once for that place and kind on that page, and not yet elsewhere.
    second = shop.changed("lanterns", quote=2)["lanterns"]
    assert not second.told
    assert second.reason.startswith("Ignored because you said that such edits are not important here: ")
    for change in shop.changed("kettles", "anchors", quote=1).values():
        assert change.told
        shop.say(change, matters=False)

    # Said on three pages, it holds for the site: also for pages that nothing was said about.
    for change in shop.changed("baskets", "whistles", quote=1).values():
        assert not change.told
        assert "you said 3 times that such edits are not important on this site" in change.reason

    # What else changes on these pages still counts, and so do prices together with the quote.
    for number in range(4, 8):
        for change in shop.changed(*NAMES[:2], quote=number, price=49 + number).values():
            assert change.told
            assert change.card["headline"].endswith(f" → {49 + number} €")
            shop.say(change, matters=True, edit=0)
            shop.say(change, matters=False, edit=1)

    # What looked like noise is told once the user said that it is important.
    entry = shop.changed("lanterns", more=1)["lanterns"]
    assert not entry.told
    shop.say(entry, matters=True)
    assert shop.changed("lanterns", more=2)["lanterns"].told

    said = shop.program.get("/api/v1/lessons").json()
    assert sum(each["times"] for each in said["lessons"] if each["scope"] == "watch") >= 20
    decisions = _decisions(shop, quote=8, price=70)
    assert decisions == {"lanterns": True, "whistles": True}
    assert said["judge"]["labels"] >= 20 or lessons.judge(shop.store)["labels"] >= 20

    shop.restart()
    assert _decisions(shop, quote=9) == {"lanterns": False, "whistles": False}
    assert _decisions(shop, quote=0, price=71) == {"lanterns": True, "whistles": True}

    rebuild.rebuild(shop.store, shop.settings)
    assert _decisions(shop, quote=1) == {"lanterns": False, "whistles": False}
    assert _decisions(shop, quote=2, price=72) == {"lanterns": True, "whistles": True}
    assert shop.changed("lanterns", more=3)["lanterns"].told


def _decisions(shop: Shop, **values: int) -> dict[str, bool]:
    found = shop.changed("lanterns", "whistles", **values)
    return {name: change.told for name, change in found.items()}


def test_what_was_learned_can_be_forgotten(shop: Shop) -> None:
    change = shop.changed("lanterns", quote=1)["lanterns"]
    shop.say(change, matters=False)
    assert not shop.changed("lanterns", quote=2)["lanterns"].told
    (lesson,) = shop.program.get("/api/v1/lessons").json()["lessons"]
    assert lesson["sentence"].startswith("You said that “")
    assert lesson["sentence"].endswith("is not important")

    assert shop.program.delete(f"/api/v1/lessons/{lesson['id']}").status_code == 204
    assert shop.program.get("/api/v1/lessons").json()["lessons"] == []
    assert "you said" not in shop.changed("lanterns", quote=3)["lanterns"].reason

    rebuild.rebuild(shop.store, shop.settings)
    assert shop.program.get("/api/v1/lessons").json()["lessons"] == []


def test_labels_about_other_pages_never_silence_a_key_fact(shop: Shop) -> None:
    for price in (50, 51):
        for change in shop.changed(*NAMES[:3], price=price).values():
            assert change.told or price == 51
            shop.say(change, matters=False)

    assert not shop.changed("lanterns", price=52)["lanterns"].told  # as the user said, of this price
    assert shop.changed("whistles", price=52)["whistles"].told
