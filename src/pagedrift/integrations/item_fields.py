"""The fields of scraped items: how often each is filled, and with what kind of value, against the runs before."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from pagedrift.selectors.meanings import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MIN_ITEMS: Final = 10  # of both runs, for a share to say something
FELL: Final = 0.5  # of the share before
MOST: Final = 0.8  # of the values: the kind that a field has
MAX_FIELDS: Final = 200
MAX_VALUES: Final = 50  # different values of a field that are counted


class ItemFields:
    """Counts the fields of this run, and compares them with those of earlier ones.

    >>> last = ItemFields()
    >>> for number in range(20):
    ...     last.take({"price": f"${number}"})
    >>> now = ItemFields(last.state())
    >>> for number in range(20):
    ...     now.take({"price": ""})
    >>> list(now.changes())
    [('price', 'is filled in 0% of the items, before in 100%')]
    """

    def __init__(self, before: Mapping[str, Any] | None = None) -> None:
        self._before = before or {"items": 0, "fields": {}}
        self._items = 0
        self._shapes: dict[str, Counter[str]] = {}
        self._values: dict[str, set[str]] = {}

    def take(self, item: Any) -> None:
        """Count one item: a mapping, or an item of Scrapy."""
        try:
            fields: dict[Any, Any] = dict(item)
        except (TypeError, ValueError):
            fields = getattr(item, "__dict__", {})
        self._items += 1
        for name, value in list(fields.items())[:MAX_FIELDS]:
            text = "" if value is None or value in ([], {}) else str(value)
            self._shapes.setdefault(str(name), Counter())[shape_of(text[:200])] += 1
            values = self._values.setdefault(str(name), set())
            if len(values) < MAX_VALUES:
                values.add(text[:200])

    def changes(self) -> Iterator[tuple[str, str]]:
        """Name the fields that are empty more often, have another kind of value, or always the same one."""
        if min(self._items, self._before["items"]) < MIN_ITEMS:
            return
        for name, old in self._before["fields"].items():
            new = self._summary(name)
            if new["filled"] < FELL * old["filled"]:
                yield name, f"is filled in {new['filled']:.0%} of the items, before in {old['filled']:.0%}"
            elif old["shape"] and new["shape"] and old["shape"] != new["shape"]:
                yield name, f"is a {new['shape']} now, before a {old['shape']}"
            elif old["values"] > 1 == new["values"]:
                yield name, "has the same value in all items"

    def _summary(self, name: str) -> dict[str, Any]:
        shapes = self._shapes.get(name, Counter())
        filled = sum(count for shape, count in shapes.items() if shape != "empty")
        shape, count = max(shapes.items(), key=lambda pair: pair[1], default=("", 0))
        return {
            "filled": filled / max(1, self._items),
            "shape": shape if count >= MOST * max(1, filled) and shape != "empty" else "",
            "values": len(self._values.get(name, ())),
        }

    def state(self) -> dict[str, Any]:
        """Give what the next run compares with: this run, or the one before if this one was too short."""
        if self._items < MIN_ITEMS:
            return dict(self._before)
        return {"items": self._items, "fields": {name: self._summary(name) for name in self._shapes}}
