"""Rules for changes that are surely noise: counters, advertisements, menus, requests, what machines write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.facts import FactKind
from pagedrift.does_it_matter.changes.features import differs_by_label
from pagedrift.does_it_matter.changes.pairing import EDITED, RECOUNTED

if TYPE_CHECKING:
    from pagedrift.does_it_matter.changes.features import DescribedChange

_COUNTED: Final = frozenset((FactKind.NUMBER, FactKind.QUANTITY))
RESTLESS: Final = 0.4  # a place that changed in so many of the steps, counted with caution, does so by itself
# Facts that people watch pages for. A bare number may be a counter; a version or a date is often a stamp.
KEY_FACTS: Final = frozenset(
    (
        FactKind.MONEY,
        FactKind.DEADLINE,
        FactKind.HOURS,
        FactKind.CONTACT,
        FactKind.PERCENTAGE,
        FactKind.PERSON,
        FactKind.STATUS,
    )
)
NOT_ASKED: Final = frozenset(
    (FactKind.MONEY, FactKind.DEADLINE, FactKind.HOURS, FactKind.CONTACT, FactKind.PERCENTAGE)
)  # in a text that only asks for something


def is_noise(described: DescribedChange) -> bool:
    """Say whether a change is surely not one of content, such as a counter or a list in another order."""
    of = described.features
    return bool(
        is_counter(described)
        or is_advertisement(described)
        or (of["moment"] and not of["in main"])
        or of["shuffled"]
        or is_written_by_machine(described)
        or is_rotating(described)
        or is_besides(described)
        or is_menu(described)
        or is_request(described)
        or (differs_by_label(described.change) and not described.facts)
    )


def is_menu(described: DescribedChange) -> bool:
    """Say whether links changed before the title and before all running text, whatever their element is called."""
    return bool(described.features["links above title"] and not described.facts.keys() & KEY_FACTS)


def is_request(described: DescribedChange) -> bool:
    """Say whether a text comes or goes that asks for something, such as for a subscription, and states no fact."""
    return bool(described.features["request whole"] and not described.facts.keys() & NOT_ASKED)


def is_besides(described: DescribedChange) -> bool:
    """Say whether something comes or goes outside of the main part, under a heading like “Related jobs”."""
    of = described.features
    whole = described.change.action not in (EDITED, RECOUNTED)
    return bool(of["besides outside"] and whole)


def is_rotating(described: DescribedChange) -> bool:
    """Say whether a text comes and goes again and again, in a section where something does at most visits."""
    of = described.features
    whole = described.change.action not in (EDITED, RECOUNTED)
    return bool(of["rotates"] and of["section changed"] >= RESTLESS and (whole or of["hint besides"]))


def is_written_by_machine(described: DescribedChange) -> bool:
    """Say whether something stands outside of the main part, close to a time with seconds or a checksum."""
    of = described.features
    return bool(of["by machine outside"] and not of["hard fact edited"])


def is_counter(described: DescribedChange) -> bool:
    """Say whether a line holds a large number that grew by a little, and no other fact changed."""
    soft = all(kind in _COUNTED for kind in described.facts)
    return bool(soft and described.features["counted up"] and described.features["label"])


def is_advertisement(described: DescribedChange) -> bool:
    """Say whether an advertisement changed, and not a fact within it, which may be that of an offer."""
    return bool(described.features["in advertisement"] and not described.features["hard fact edited"])
