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
MARKS: Final = "pagedrift_"  # how the names of fields begin that mark an item
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
        self._usual: dict[str, dict[str, Any]] = {}
        self._shapes: dict[str, Counter[str]] = {}
        self._values: dict[str, set[str]] = {}

    def take(self, item: Any) -> None:
        """Count one item: a mapping, or an item of Scrapy."""
        self._items += 1
        for name, text in _values(item):
            self._shapes.setdefault(name, Counter())[shape_of(text[:200])] += 1
            values = self._values.setdefault(name, set())
            if len(values) < MAX_VALUES:
                values.add(text[:200])
        if self._items == MIN_ITEMS and not self.has_past:
            self._usual = {name: self._summary(name) for name in self._shapes}

    @property
    def items(self) -> int:
        """How many items were counted."""
        return self._items

    @property
    def has_past(self) -> bool:
        """Whether earlier runs had enough items to compare with."""
        return bool(self._before["items"] >= MIN_ITEMS)

    def missing(self, item: Any) -> tuple[list[str], float]:
        """Name the fields of an item that are usually filled and are not, or have another kind of value.

        Gives also the share of the usual fields that are as usual. What is usual is known from the runs before, or
        from the first items of this one.
        """
        known = self._before["fields"] if self.has_past else self._usual
        usual = {name: old["shape"] for name, old in known.items() if old["filled"] >= MOST}
        values = dict(_values(item))
        missing = [name for name, shape in usual.items() if not _is_usual(values.get(name, ""), shape)]
        return missing, 1 - len(missing) / max(1, len(usual))

    def changes(self, before: Mapping[str, Any] | None = None) -> Iterator[tuple[str, str]]:
        """Name the fields that are empty more often, have another kind of value, or always the same one.

        Compared is with the runs before, or with what is given instead.
        """
        before = before or self._before
        if min(self._items, before["items"]) < MIN_ITEMS:
            return
        for name, old in before["fields"].items():
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


def _values(item: Any) -> list[tuple[str, str]]:
    """Give the fields of an item as texts, without those that were added to mark it."""
    try:
        fields: dict[Any, Any] = dict(item)
    except (TypeError, ValueError):
        fields = getattr(item, "__dict__", {})
    return [
        (str(name), "" if value is None or value in ([], {}) else str(value))
        for name, value in list(fields.items())[:MAX_FIELDS]
        if not str(name).startswith(MARKS)
    ]


def _is_usual(text: str, shape: str) -> bool:
    """Say whether a value is of the usual kind; a text may be anything but empty."""
    found = shape_of(text[:200])
    return found != "empty" and (shape in ("", "text") or found == shape)
