"""Texts of the demonstration site: news articles, services, prices and advertisements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Final


@dataclass(frozen=True, slots=True)
class ContentBlock:
    """A paragraph, a heading, a quotation or a list."""

    kind: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One article of the town's news."""

    number: int
    title: str
    section: str
    author: str
    teaser: str
    blocks: tuple[ContentBlock, ...]

    @property
    def path(self) -> str:
        """Where it stands.

        >>> articles()[0].path
        '/news/footbridge-at-the-weir-reopens-after-nine-weeks'
        """
        return "/news/" + re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


def service_path(name: str) -> str:
    """Give the path at which a service of the town stands.

    >>> service_path("Lost property")
    '/services/lost-property'
    """
    return "/services/" + name.lower().replace(" ", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What the lantern costs, and what is said about it."""

    amount: str
    headline: str
    note: str
    delivery: str
    stock: str


@dataclass(frozen=True, slots=True)
class Advertisement:
    """A picture with which a shop of the town would like to sell something."""

    name: str
    line: str
    shop: str
    hue: int


ADVERTISEMENTS: Final = (
    Advertisement("Bakery Odell", "Rye bread that takes three days", "odell", 28),
    Advertisement("Ek & Daughters", "Bicycles, new and nearly new", "ek", 200),
    Advertisement("The Lantern cinema", "Tonight: a film with a dog in it", "cinema", 280),
    Advertisement("Moravec Optics", "See the weir as you have never seen it", "optics", 160),
    Advertisement("Brook Garden Centre", "Tulip bulbs, forty for nine euros", "brook", 110),
    Advertisement("Keel’s Tea Room", "Scones until four, soup until six", "keel", 350),
    Advertisement("Hollin Ford Savings", "Your money, two villages further", "savings", 230),
)

PRICES: Final = (
    Price(
        amount="48.00",
        headline="",
        note="Price includes tax. Glass and base are made in the town.",
        delivery="Three to five days",
        stock="In stock",
    ),
    Price(
        amount="39.00",
        headline="Autumn offer: nine euros less until Sunday",
        note="Instead of 48.00 euros, while the autumn batch lasts. Two lanterns at most for each household.",
        delivery="One to two days, free of charge this week",
        stock="Only 14 left",
    ),
    Price(
        amount="52.00",
        headline="New batch from the winter workshop",
        note="The offer has ended. Thicker glass makes the lantern dearer than before, "
        "and it lasts longer in the wind.",
        delivery="From the first of December, orders are taken now",
        stock="Made to order",
    ),
)

DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SUMMER_HOURS: Final = (
    ("closed", "closed"),
    ("07:00 to 18:00", "09:00 to 17:00"),
    ("07:00 to 18:00", "09:00 to 17:00"),
    ("07:00 to 18:00", "09:00 to 19:00"),
    ("07:00 to 20:00", "09:00 to 19:00"),
    ("06:00 to 15:00", "08:00 to 14:00"),
    ("closed", "10:00 to 14:00"),
)
WINTER_HOURS: Final = (
    ("closed", "closed"),
    ("08:00 to 16:00", "10:00 to 15:00"),
    ("08:00 to 16:00", "10:00 to 15:00"),
    ("08:00 to 16:00", "10:00 to 17:00"),
    ("08:00 to 18:00", "10:00 to 17:00"),
    ("07:00 to 14:00", "09:00 to 13:00"),
    ("closed", "closed"),
)

EVENTS: Final = (
    ("Tuesday", "18:30", "Old handwriting, first evening", "Town archive"),
    ("Wednesday", "20:00", "Open rehearsal of the brass band", "Fire station"),
    ("Friday", "15:00", "Stories for children from five", "Library"),
    ("Saturday", "10:00", "Repair café", "Old school"),
    ("Sunday", "11:00", "Walk to the springs of the Oster", "Weir footbridge"),
)

SERVICES: Final = (
    ("Allotments", "Behind the station, 40 euros a year; the list is long and moves in autumn."),
    ("Archive", "Wednesdays from two to six, and whenever the light in the cellar is on."),
    ("Bicycle racks", "Wanted where you are? Tell the yard, and it will come and measure."),
    ("Building permits", "Two copies of the plan, and a walk round the plot with the inspector."),
    ("Burials", "The office of the cemetery is open in the mornings and takes its time."),
    ("Chimney sweep", "Comes in the first week of October; the letter names the hour."),
    ("Complaints", "In person on Thursdays, in writing at any time, in verse if you must."),
    ("Day nursery", "Registration begins in January, for children from the age of one."),
    ("Dog licences", "24 euros a year, the second dog 36; guide dogs pay nothing."),
    ("Elections", "The lists are open for inspection four weeks before each ballot."),
    ("Fire brigade", "112 when it burns; Mondays at seven for whoever would like to join."),
    ("Firewood", "From the town forest, by the metre, sold in February by auction."),
    ("Fishing permits", "A day 6 euros, a year 48; not within 50 metres of the weir."),
    ("Flood warnings", "By message above 2.40 metres, by siren above 2.90 metres."),
    ("Housing", "Eleven flats belong to the town; what is free hangs in the entrance."),
    ("Identity cards", "Room 3, by appointment or with patience; bring one photograph."),
    ("Library", "Tuesday to Saturday from ten; the card is free up to the age of 18."),
    ("Lost property", "At present nine umbrellas, one trombone and a left shoe."),
    ("Marriages", "The hall under the bees, on Fridays and on Saturdays until noon."),
    ("Music school", "Instruments are lent for a year; drums only with the neighbours’ leave."),
    ("Parking", "Two hours with the disc, all day behind the sports ground."),
    ("Street lamps", "Give the number on the post, and it is mended within three days."),
    ("Taxes and charges", "Room 7; payment by instalments is possible and nothing to be shy about."),
    ("Trees", "Trunks of more than 80 centimetres round are protected, also your own."),
    ("Waste calendar", "Paper on even Thursdays, glass on odd ones, bulky things on request."),
    ("Water and drains", "Day and night under 0555 0112, also on Sundays."),
)

MENU: Final = (
    ("/", "Home"),
    ("/news", "News"),
    ("/market-hall", "Market hall"),
    ("/shop/lantern", "Town shop"),
    ("/visit", "Visit"),
)
FERRY: Final = ("/ferry", "Ferry")

CROSSINGS: Final = (
    ("First crossing", "07:10", "08:30"),
    ("Then every", "20 minutes", "30 minutes"),
    ("Last crossing", "18:50", "17:30"),
    ("Choir on board", "never", "Sunday at dusk"),
)

_KINDS: Final = {"- ": "list", "> ": "quotation", "##": "heading"}


@cache
def articles() -> tuple[Article, ...]:
    """Read the articles, the oldest first."""
    text = files(__package__).joinpath("articles.txt").read_text("utf-8")
    _, *told = re.split(r"^= ", text, flags=re.MULTILINE)
    return tuple(_article(number, each.strip().split("\n")) for number, each in enumerate(told))


def _article(number: int, lines: list[str]) -> Article:
    title, about, *body = lines
    section, author, teaser = about.split(" | ")
    return Article(
        number=number, title=title, section=section, author=author, teaser=teaser, blocks=tuple(_blocks(body))
    )


def _blocks(lines: list[str]) -> list[ContentBlock]:
    """Tell what each line is; the entries of a list stand together.

    >>> [block.kind for block in _blocks(["Some text", "- one", "- two"])]
    ['paragraph', 'list']
    """
    kinds = [(_KINDS.get(line[:2], "paragraph"), line) for line in lines]
    found = []
    for kind, group in groupby(kinds, key=lambda each: each[0]):
        told = tuple(line.lstrip("->#").strip() for _, line in group)
        found += [ContentBlock(kind, told)] if kind == "list" else [ContentBlock(kind, (line,)) for line in told]
    return found
