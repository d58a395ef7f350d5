"""How likely is it that an element is the one that a selector meant on an earlier page?"""

from __future__ import annotations

from functools import lru_cache
from math import log1p
from typing import TYPE_CHECKING, Final

from pagedrift.selectors.meanings import MAX_REMEMBERED, kind_of, meanings
from pagedrift.selectors.selectable import words_of

if TYPE_CHECKING:
    from collections.abc import Set

    from pagedrift.selectors.looks import ElementLooks


_PLAIN: Final = ("text", "prose", "empty")


def compare_looks(old: ElementLooks, new: ElementLooks) -> dict[str, float]:
    """Give the figures by which two elements are taken for one: each from 0 to 1, and more is more alike."""
    return _names(old, new) | _texts(old, new) | _places(old, new)


def _names(old: ElementLooks, new: ElementLooks) -> dict[str, float]:
    return {
        "names": shared(old.names, new.names),
        "meanings": shared(old.meanings, new.meanings),
        "above": shared(old.above, new.above),
        "above meanings": shared(old.above_meanings, new.above_meanings),
        "tag": float(old.tag == new.tag),
        "kind": float(kind_of(old.tag) == kind_of(new.tag)),
        "both headings or none": float((old.heading > 0) == (new.heading > 0)),
        "same heading": float(old.heading == new.heading > 0),
    }


def _texts(old: ElementLooks, new: ElementLooks) -> dict[str, float]:
    one, other = _words(old.text), _words(new.text)
    return {
        "text": shared(one, other),
        "holds text": len(one & other) / len(one) if one else 0.0,
        "said": shared(old.said, new.said),
        "any meaning": shared(old.said | old.meanings, new.said | new.meanings),
        "shape": float(old.shape == new.shape),
        "same value": float(old.shape == new.shape not in _PLAIN),
        "no lost value": float(old.shape in _PLAIN or old.shape == new.shape),
        "no new value": float(new.shape in _PLAIN or old.shape == new.shape),
        "length": 1 / (1 + abs(log1p(old.words) - log1p(new.words))),
        "both in title": float(old.title_share > 0 < new.title_share)
        * (1 - abs(old.title_share - new.title_share)),
        "both title most": float(old.titles_most and new.titles_most),
        "both in title or none": float((old.title_share > 0) == (new.title_share > 0)),
        "label": shared(frozenset(old.label), frozenset(new.label)),
    }


def _places(old: ElementLooks, new: ElementLooks) -> dict[str, float]:
    return {
        "place": 1 - abs(old.place - new.place),
        "part": float(old.part == new.part),
        "link": float(old.link == new.link),
        "target meanings": shared(meanings(old.target), meanings(new.target)),
        "same target": float(bool(old.address) and old.address == new.address),
        "both main": float(old.main and new.main),
        "both main or none": float(old.main == new.main),
        "alike": 1 / (1 + abs(log1p(old.alike) - log1p(new.alike))),
        "both alone": float(old.alike == new.alike == 1),
        "depth": 1 / (1 + abs(old.depth - new.depth) / 4),
        "around": shared(old.around, new.around),
        "gap": 0.0 if old.gap is None or new.gap is None else 1 / (1 + abs(old.gap - new.gap)),
        "same side": float(None not in (old.side, new.side) and old.side == new.side),
        "link share": 1 - abs(old.linked - new.linked),
    }


@lru_cache(MAX_REMEMBERED)
def _words(text: str) -> frozenset[str]:
    return frozenset(words_of(text))


def shared(one: Set[str], other: Set[str]) -> float:
    """Give the share of words that two sets have in common.

    >>> shared({"post", "title"}, {"entry", "title"})
    0.3333333333333333
    """
    if not one or not other:
        return 0.0
    common = len(one & other)
    if not common:
        return 0.0
    return common / (len(one) + len(other) - common)
