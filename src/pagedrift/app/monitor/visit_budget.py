"""Visit budget: the price of a visit at which adaptive watches together make as many as users asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from pagedrift.app.monitor import visit_rates
from pagedrift.app.store.inheritance import Inheritance
from pagedrift.app.store.tables import WatchRow
from pagedrift.app.store.visits import PRICE

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store

FEWEST: Final = 2  # watches among which visits can be spread


def find(store: Store) -> float | None:
    """Work the price out anew and remember it; None where there is nothing to spread."""
    adaptive = []
    with store.read() as session:
        inheritance = Inheritance(session)
        columns = (WatchRow.url, WatchRow.group, WatchRow.parent, WatchRow.options, WatchRow.rate)
        for row in session.execute(select(*columns).where(~WatchRow.deleted, ~WatchRow.paused)):
            options = inheritance.options_of(row)
            if options.adaptive:
                adaptive.append((visit_rates.Rate.from_dict(row.rate), options))
    price = visit_rates.price_of(adaptive) if len(adaptive) >= FEWEST else None
    store.set(PRICE, price)
    return price
