"""The past of a page: which of its texts came and went before, and which of its places change all the time.

Only what was ever part of a change is kept: a text that nobody listed and that is there has always been there. So
the summary of a page that stands still is empty, and that of any page is bounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pagedrift._kernels import hash_bytes
from pagedrift.does_it_matter.changes.pairing import RECOUNTED, without_numbers
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pagedrift.does_it_matter.changes.pairing import PassageChange
    from pagedrift.does_it_matter.changes.passages import Passage

FORMAT: Final = 2
MAX_TEXTS: Final = 600  # remembered; those that were part of a change longest ago are forgotten first
MAX_PLACES: Final = 1_200


class TextPast(NamedTuple):
    """When a text was on the page."""

    stood: int  # in how many versions, up to the last time it went
    since: int  # the number of the version it came back with, or -1 while it is away


class PlacePast(NamedTuple):
    """How often a place changed."""

    changed: int  # steps from version to version in which it did
    recounted: int  # of these, those in which only numbers and dates did


@dataclass(frozen=True, slots=True)
class Past:
    """What earlier versions of a page teach about its next change; it grows by `after`, within its bounds."""

    versions: int = 0  # seen so far, the old one included
    texts: Mapping[int, TextPast] = field(default_factory=dict)
    places: Mapping[int, PlacePast] = field(default_factory=dict)

    @property
    def steps(self) -> int:
        """How many changes from version to version were seen."""
        return max(0, self.versions - 1)

    def stood(self, passage: Passage) -> int:
        """Say in how many versions a text stood that is on the page now."""
        known = self.texts.get(text_key(passage))
        if known is None:
            return self.versions
        return known.stood + (self.versions - known.since if known.since >= 0 else 0)

    def seen(self, passage: Passage) -> bool:
        """Say whether a text that comes now was on the page before."""
        known = self.texts.get(text_key(passage))
        return known is not None and known.stood > 0

    def returned(self, passage: Passage) -> bool:
        """Say whether a text that is on the page now had gone from it before."""
        known = self.texts.get(text_key(passage))
        return known is not None and known.stood > 0 and known.since >= 0

    def place(self, number: int) -> PlacePast:
        """Say how often a place or slot changed."""
        return self.places.get(number, _NEVER)

    def after(self, changes: Iterable[PassageChange]) -> Past:
        """Give the past once a new version has brought these changes; the first version brings none.

        >>> past = Past().after([])
        >>> past.versions, past.steps
        (1, 0)
        """
        texts, places = dict(self.texts), dict(self.places)
        changed: dict[int, bool] = {}
        for change in changes:
            if change.old is not None:
                _put(texts, text_key(change.old), TextPast(self.stood(change.old), -1))
            if change.new is not None:
                known = texts.get(text_key(change.new))
                _put(texts, text_key(change.new), TextPast(known.stood if known else 0, self.versions))
            for number in identities(change.passage):
                changed[number] = changed.get(number, True) and change.action == RECOUNTED
        for number, only_numbers in changed.items():
            known_place = places.get(number, _NEVER)
            _put(places, number, PlacePast(known_place.changed + 1, known_place.recounted + only_numbers))
        return replace(
            self, versions=self.versions + 1, texts=_newest(texts, MAX_TEXTS), places=_newest(places, MAX_PLACES)
        )

    def to_json(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {
            "format": FORMAT,
            "versions": self.versions,
            "texts": {f"{key:x}": list(value) for key, value in self.texts.items()},
            "places": {f"{key:x}": list(value) for key, value in self.places.items()},
        }

    @classmethod
    def from_json(cls, data: Any) -> Past:
        """Read it back.

        >>> Past.from_json(Past(3).to_json()) == Past(3)
        True
        """
        try:
            if data["format"] != FORMAT:
                raise ValueError
            return cls(
                int(data["versions"]),
                {int(key, 16): TextPast(*map(int, value)) for key, value in data["texts"].items()},
                {int(key, 16): PlacePast(*map(int, value)) for key, value in data["places"].items()},
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InputError(
                "this is not the past of a page; build it again from its versions with Past().after(...)"
            ) from None


_NEVER: Final = PlacePast(0, 0)


def text_key(passage: Passage) -> int:
    """Name what a passage says."""
    return hash_bytes(" ".join(passage.words).encode("utf-8", "surrogatepass"))


def identities(passage: Passage) -> tuple[int, int, int, int]:
    """Name where a passage stands: by its elements, what is said before it, its words, and the heading above it.

    Numbers are left out of its words. A list with a new entry at its top has other neighbours and the same heading;
    a counter below a quote of the day has the same words.
    """
    return passage.place, passage.slot, _pattern(passage), _section(passage)


def _pattern(passage: Passage) -> int:
    return hash_bytes(f"pattern {without_numbers(passage)}".encode("utf-8", "surrogatepass"))


def _section(passage: Passage) -> int:
    parts = " ".join(sorted(passage.parts))
    return hash_bytes(f"section {parts} {passage.under}".encode("utf-8", "surrogatepass"))


def _put(kept: dict[int, Any], key: int, value: Any) -> None:
    """Set a value and make it the newest."""
    kept.pop(key, None)
    kept[key] = value


def _newest(kept: dict[int, Any], most: int) -> dict[int, Any]:
    return dict(list(kept.items())[-most:]) if len(kept) > most else kept
