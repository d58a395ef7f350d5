"""Visit budget: the price of a visit at which adaptive watches together make as many as users asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift.app.monitor import visit_rates
from pagedrift.app.store import visits

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store

MIN_WATCHES: Final = 2  # watches among which visits can be spread


def find(store: Store) -> float | None:
    """Work the price out again and remember it; None where there is nothing to spread."""
    adaptive = [
        (visit_rates.Rate.from_dict(rate), options)
        for rate, options in visits.rates_and_options(store)
        if options.adaptive
    ]
    price = visit_rates.price_of(adaptive) if len(adaptive) >= MIN_WATCHES else None
    store.set(visits.PRICE, price)
    return price
