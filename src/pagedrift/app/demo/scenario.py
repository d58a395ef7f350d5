"""Timetable of the demonstration site: what changes at which step.

One step takes SECONDS_PER_STEP. What is not in the table stays as it was, but for the noise: at every request
another advertisement stands on the page, one more visitor was counted, and session ids and cache busters are new.
After the last step the site stays as it is, and only the noise continues.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import cache
from typing import Any, Final

SECONDS_PER_STEP: Final = 5.0  # that a step takes at pace 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoState:
    """The site at one step."""

    articles: int = 24  # published; the redesign detector knows a design by 20 documents
    price: int = 0  # which of the prices of the lantern holds
    winter: bool = False  # the market hall has the hours of winter
    storm: bool = False  # the market hall closes early today
    events_first: bool = False  # the front page begins with what is on this week
    ferry: bool = False  # the menu leads to the timetable of the ferry
    wall: bool = False  # front page and shop ask for consent before they show anything
    down: bool = False  # the whole site answers 503
    redesigned: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens at a step, and what Pagedrift should make of it."""

    step: int
    happens: str
    _: KW_ONLY
    where: tuple[str, ...]  # paths at which it is seen first
    sets: dict[str, Any]
    answer: str


# "matters" and "does not matter" are what the judge says of the pages; "not the page" is not a version at all.
SCENARIO: Final = (
    Scene(
        2, "an article appears", where=("/", "/feed.xml", "/sitemap.xml"), sets={"articles": 25}, answer="matters"
    ),
    Scene(4, "the price of the lantern falls", where=("/shop/lantern",), sets={"price": 1}, answer="matters"),
    Scene(
        6, "an article appears", where=("/", "/feed.xml", "/sitemap.xml"), sets={"articles": 26}, answer="matters"
    ),
    Scene(
        7,
        "the market hall closes early for a storm",
        where=("/market-hall",),
        sets={"storm": True},
        answer="matters",
    ),
    Scene(
        8,
        "a section of the front page moves up",
        where=("/",),
        sets={"events_first": True},
        answer="does not matter",
    ),
    Scene(
        9,
        "a consent wall stands in front of two pages",
        where=("/", "/shop/lantern"),
        sets={"wall": True},
        answer="not the page",
    ),
    Scene(
        11, "the consent wall is gone", where=("/", "/shop/lantern"), sets={"wall": False}, answer="does not matter"
    ),
    Scene(
        11,
        "the storm is over: the page is as before",
        where=("/market-hall",),
        sets={"storm": False},
        answer="flip-flop",
    ),
    Scene(
        12,
        "an entry of the menu appears on all pages at once",
        where=("/", "/shop/lantern", "/market-hall", "/visit"),
        sets={"ferry": True},
        answer="does not matter",
    ),
    Scene(
        13, "an article appears", where=("/", "/feed.xml", "/sitemap.xml"), sets={"articles": 27}, answer="matters"
    ),
    Scene(14, "the hours of winter apply", where=("/market-hall",), sets={"winter": True}, answer="matters"),
    Scene(
        16, "an article appears", where=("/", "/feed.xml", "/sitemap.xml"), sets={"articles": 28}, answer="matters"
    ),
    Scene(
        17,
        "the whole site is redesigned",
        where=("/", "/shop/lantern", "/market-hall", "/visit"),
        sets={"redesigned": True},
        answer="redesigned",
    ),
    Scene(
        18,
        "an article tells of it",
        where=("/", "/feed.xml", "/sitemap.xml"),
        sets={"articles": 29},
        answer="matters",
    ),
    Scene(
        19,
        "an article appears in the new design",
        where=("/", "/feed.xml"),
        sets={"articles": 30},
        answer="matters",
    ),
    Scene(
        20,
        "an article appears in the new design",
        where=("/", "/feed.xml"),
        sets={"articles": 31},
        answer="matters",
    ),
    Scene(
        21,
        "an article appears in the new design",
        where=("/", "/feed.xml"),
        sets={"articles": 32},
        answer="matters",
    ),
    # Two steps, since a polite client tries again after a second or two before it gives up; long after the wall,
    # since it also stays away for longer after each visit that found no page.
    Scene(
        23,
        "the site is down for maintenance",
        where=("/", "/shop/lantern"),
        sets={"down": True},
        answer="not the page",
    ),
    Scene(25, "the site is back", where=("/", "/shop/lantern"), sets={"down": False}, answer="does not matter"),
    Scene(26, "the price of the lantern rises", where=("/shop/lantern",), sets={"price": 2}, answer="matters"),
    Scene(
        27,
        "an article appears in the new design",
        where=("/", "/feed.xml"),
        sets={"articles": 33},
        answer="matters",
    ),
    Scene(
        29,
        "the last article appears",
        where=("/", "/feed.xml", "/sitemap.xml"),
        sets={"articles": 34},
        answer="matters",
    ),
)
LAST: Final = 30  # from here on the site stays as it is


@cache
def state_at(step: int) -> DemoState:
    """Give the site as it is at a step.

    >>> state_at(0).articles, state_at(10).wall, state_at(99).redesigned
    (24, True, True)
    """
    state = DemoState()
    for scene in SCENARIO:
        if scene.step <= step:
            state = replace(state, **scene.sets)
    return state


def appeared_at(article: int) -> int:
    """Give the step at which an article appears, counted from 0; 0 for those that are there from the start.

    >>> appeared_at(3), appeared_at(24)
    (0, 2)
    """
    return next(
        (scene.step for scene in SCENARIO if scene.sets.get("articles", 0) > article >= DemoState().articles), 0
    )


def changed_at(step: int) -> int:
    """Give the last step, up to this one, at which anything but noise changed.

    >>> changed_at(5), changed_at(1)
    (4, 0)
    """
    return max((scene.step for scene in SCENARIO if scene.step <= step), default=0)
