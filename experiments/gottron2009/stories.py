"""What can happen on a site that is, or is not, a redesign? Streams made of the pages of real templates, or of any.

Each story splices pages of different designs into one stream whose redesigns are known. The pages may be real; that
they follow each other is made up.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pagedrift import PageVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

START = datetime(2026, 1, 1, tzinfo=UTC)
BLOCKED = b"""<!doctype html><html><head><title>Just a moment</title><link rel=stylesheet href=/challenge/block.css>
</head><body class=no-js><div class=main-wrapper role=main><div class=main-content><h1 class=zone-title>
<img class=icon>site.example</h1><h2 class=big>Checking your browser</h2><div id=challenge-stage class=spinner>
<div class=lds><span></span><span></span></div></div><div id=challenge-text class=core-msg>Wait</div></div></div>
<div class=footer role=contentinfo><div class=footer-inner><div class=clearfix><span>id</span></div></div></div>"""
BANNER = b"""<div id="consent-root" class="consent-overlay consent-open"><div class="consent-box">
<h2 class="consent-title">Cookies</h2><p class="consent-text">We and 812 partners</p><div class="consent-buttons">
<button class="consent-no">No</button><button class="consent-yes">Yes</button></div>
<ul class="consent-list"><li><label><input></label></ul></div></div>"""
OFTEN, SELDOM = 0.7, 0.1
_CLASS = re.compile(rb"""(\sclass\s*=\s*)("[^"]*"|'[^']*')""", re.IGNORECASE)
_LINK = re.compile(rb"""(<a\b[^>]*?\shref\s*=\s*)("[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE)
_BODY = re.compile(rb"<body[^>]*>", re.IGNORECASE)


@dataclass
class Story:
    """A stream in the making: what it is called, its pages, and the first document of each new design."""

    name: str
    chance: random.Random
    designs: Sequence[Sequence[bytes]]  # some pages of each design; the first is the site's own
    strangers: Sequence[bytes]  # pages of other sites
    pages: list[PageVersion] = field(default_factory=list)
    redesigns: list[int] = field(default_factory=list)

    def tell(self, body: bytes, *, folder: str = "", status: int = 200) -> None:
        """Publish one more page."""
        number = len(self.pages)
        place = folder or self.chance.choice(("news", "news", "guides", "2026"))
        date = START + timedelta(hours=number)
        url = f"https://site.example/{place}/{number}.html"
        self.pages.append(PageVersion(url, body, captured_at=date, status=status))

    def run(self, design: int, count: int, **where: str) -> None:
        """Publish pages of one design in a row."""
        for _ in range(count):
            self.tell(self.chance.choice(self.designs[design]), **where)

    def run_apart(self, design: int, count: int, folder: str) -> None:
        """Publish pages of a section that does not lead to the rest of the site."""
        for _ in range(count):
            self.tell(_LINK.sub(rb'\1"#"', self.chance.choice(self.designs[design])), folder=folder)

    def run_among_strangers(self, design: int, count: int) -> None:
        """Publish pages of one design with strangers among them."""
        for _ in range(count):
            if self.chance.random() < SELDOM:
                self.tell(self.chance.choice(self.strangers))
            else:
                self.run(design, 1)

    def run_in_turn(self, usual: int, other: int, count: int) -> None:
        """Publish pages of two designs, the first more often."""
        for _ in range(count):
            self.run(usual if self.chance.random() < OFTEN else other, 1)

    def redesign(self, design: int, count: int, **where: str) -> None:
        """Publish pages of a new design in a row, and note where it began."""
        self.redesigns.append(len(self.pages))
        self.run(design, count, **where)

    def some(self, least: int, most: int) -> int:
        """Choose a number."""
        return self.chance.randint(least, most)


def nothing(story: Story) -> None:
    """Keep one design, all the time."""
    story.run(0, 100)


def redesign(story: Story) -> None:
    """Change the design."""
    story.run(0, story.some(25, 60))
    story.redesign(1, 25)


def redesign_among_outliers(story: Story) -> None:
    """Change the design, with a page of another site here and there."""
    story.run_among_strangers(0, 40)
    story.redesign(1, 1)
    story.run_among_strangers(1, 40)


def moved_redesign(story: Story) -> None:
    """Change the design, and most addresses with it."""
    story.run(0, 40)
    story.redesigns.append(len(story.pages))
    for _ in range(25):
        story.run(1, 1, folder="posts" if story.chance.random() < OFTEN else "news")


def outliers_in_a_row(story: Story) -> None:
    """Show another template, up to ten times in a row in a folder of its own, or once or twice among the others."""
    for _ in range(4):
        story.run(0, story.some(20, 30))
        if story.chance.random() < OFTEN:
            story.run_apart(1, story.some(3, 10), folder=f"special{story.chance.choice('abcdef')}")
        else:
            story.run(1, story.some(1, 2))


def strangers_in_a_row(story: Story) -> None:
    """Show pages of other sites, each another, up to six in a row."""
    for _ in range(4):
        story.run(0, story.some(20, 30))
        for _ in range(story.some(2, 6)):
            story.tell(story.chance.choice(story.strangers))


def page_types(story: Story) -> None:
    """Show two page types of one site, first one, then both in turn, then in runs."""
    story.run(0, 30)
    for _ in range(30):
        story.run(story.some(0, 1), 1)
    for _ in range(4):
        story.run(0, story.some(5, 15))
        story.run(1, story.some(5, 15))


def types_then_redesign(story: Story) -> None:
    """Give one new design to a site with two page types that have nothing in common."""
    story.run_in_turn(0, 1, 60)
    story.redesign(2, 30)


def one_type_redesigned(story: Story) -> None:
    """Change the design of the commoner of two page types that have nothing in common."""
    story.run_in_turn(0, 1, 60)
    story.redesign(2, 2)
    story.run_in_turn(2, 1, 30)


def new_section(story: Story) -> None:
    """Open a section with a design of its own, which takes over for a while."""
    story.run(0, 40)
    story.run_apart(1, 25, folder="shop")
    for _ in range(20):
        story.run(0, story.some(1, 3))
        story.run_apart(1, story.some(0, 2), folder="shop")


def section_below_a_root(story: Story) -> None:
    """Open a section with a design of its own on a site that has all its pages below one folder."""
    for _ in range(60):
        story.run(0, 1, folder=f"content/{story.chance.choice(('news', 'guides', 'about'))}")
    story.run_apart(1, 15, folder="content/apidocs")
    for _ in range(20):
        story.run(0, 1, folder="content/news")


def folder_for_each(story: Story) -> None:
    """Change the design of a site where each page has a folder of its own."""
    for design in (0, 1):
        for number in range(50):
            if design and not number:
                story.redesigns.append(len(story.pages))
            story.run(design, 1, folder="".join(story.chance.choices("abcdefghijkl", k=9)))


def flipping(story: Story) -> None:
    """Show each page in one of two designs."""
    for _ in range(100):
        story.run(story.some(0, 1), 1)


def trial_begins(story: Story) -> None:
    """Begin to try a design on one page in three."""
    story.run(0, 40)
    for _ in range(60):
        story.run(int(story.chance.random() < 1 / 3), 1)


def edits(story: Story) -> None:
    """Rename a tenth of the class names, again and again."""
    renamed: set[bytes] = set()
    known = sorted({name for page in story.designs[0][:20] for name in class_names(page)})
    for _ in range(5):
        for _ in range(25):
            story.tell(rename(story.chance.choice(story.designs[0]), renamed))
        renamed |= set(story.chance.sample(known, len(known) // 10))


def rebuilt(story: Story) -> None:
    """Rename all classes at once and change nothing else, as when a style sheet is compiled anew."""
    known = {name for page in story.designs[0] for name in class_names(page)}
    story.run(0, 40)
    for _ in range(40):
        story.tell(rename(story.chance.choice(story.designs[0]), known))


def banner(story: Story) -> None:
    """Put a consent banner onto every page."""
    story.run(0, 40)
    for _ in range(40):
        page = story.chance.choice(story.designs[0])
        story.tell(_BODY.sub(lambda match: match[0] + BANNER, page, count=1))


def there_and_back(story: Story) -> None:
    """Change the design, and then change it back."""
    story.run(0, 40)
    story.redesign(1, story.some(15, 30))
    story.redesign(0, 30)


def close_together(story: Story) -> None:
    """Change the design twice within a few documents."""
    story.run(0, 40)
    story.redesign(1, story.some(6, 12))
    story.redesign(2, 30)


def failures(story: Story) -> None:
    """Fail with an honest status, and be blocked without one, up to five times in a row."""
    for _ in range(4):
        story.run(0, story.some(20, 30))
        for _ in range(story.some(1, 8)):
            story.tell(BLOCKED.replace(b"<body class=no-js>", b"<body class=error>"), status=503)
        story.run(0, story.some(5, 10))
        for _ in range(story.some(1, 5)):
            story.tell(BLOCKED)


def soft_errors(story: Story) -> None:
    """Say "not found" on a page of its own without an honest status, up to nine times in a row."""
    for _ in range(4):
        story.run(0, story.some(20, 30))
        page = story.chance.choice(story.strangers)
        for number in range(story.some(3, 9)):
            story.tell(_BODY.sub(lambda match, at=number: match[0] + b"<p>/page%d not found" % at, page, count=1))


STORIES: dict[str, Callable[[Story], None]] = {
    story.__name__.replace("_", "-"): story
    for story in (
        nothing,
        redesign,
        redesign_among_outliers,
        moved_redesign,
        outliers_in_a_row,
        strangers_in_a_row,
        page_types,
        types_then_redesign,
        one_type_redesigned,
        new_section,
        section_below_a_root,
        folder_for_each,
        flipping,
        trial_begins,
        edits,
        rebuilt,
        banner,
        there_and_back,
        close_together,
        failures,
        soft_errors,
    )
}
OF_ONE_SITE = ("page-types",)  # stories whose second design must be another page type of the same site


def make(name: str, seed: int, designs: Sequence[Sequence[bytes]], strangers: Sequence[bytes]) -> Story:
    """Make the story of that name; the same seed makes the same."""
    story = Story(name, random.Random(seed), designs, strangers)
    STORIES[name](story)
    return story


def class_names(page: bytes) -> set[bytes]:
    """List the class names of a page."""
    return {name for match in _CLASS.finditer(page) for name in match[2][1:-1].split()}


def rename(page: bytes, names: set[bytes]) -> bytes:
    """Give some classes of a page new names."""

    def renamed(match: re.Match[bytes]) -> bytes:
        return (
            match[1] + b'"' + b" ".join(b"x-" + n[::-1] if n in names else n for n in match[2][1:-1].split()) + b'"'
        )

    return _CLASS.sub(renamed, page) if names else page
