"""What of a page's layout did a redesign replace?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from pagedrift.redesigned.pairwise import replaced
from pagedrift.which_template.frame import compare, frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.page import PageVersion

MAX_NAMED: Final = 12  # parts, or style sheets, that are named of each kind
MAX_NAME_CHARS: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutChange:
    """What came and went of the layout of a page, whatever it says."""

    replaced: float = 0.0  # the share of the frame
    parts_added: tuple[str, ...] = ()  # landmarks, and what has an id, as CSS selectors name them
    parts_removed: tuple[str, ...] = ()
    styles_added: tuple[str, ...] = ()  # names of style sheets
    styles_removed: tuple[str, ...] = ()
    classes_kept: int = 0  # class names that both have ...
    classes_before: int = 0  # ... of those of the old layout


def compare_layouts(old: PageVersion, new: PageVersion) -> LayoutChange:
    """Say what came and went.

    >>> from pagedrift import PageVersion
    >>> old = PageVersion("", b"<link rel=stylesheet href=/a.css><nav class=menu>Home</nav><aside>Tips</aside>")
    >>> new = PageVersion("", b"<link rel=stylesheet href=/b.css><nav class=bar>Home</nav><main>Tips</main>")
    >>> found = compare_layouts(old, new)
    >>> found.parts_removed, found.parts_added, found.styles_removed, found.styles_added
    (('nav.menu', 'aside'), ('nav.bar', 'main'), ('a.css',), ('b.css',))
    """
    frames = frame([old]), frame([new])
    change = compare(*frames)
    styles = _styles(old), _styles(new)
    names = [one.class_names() for one in frames]
    return LayoutChange(
        replaced=replaced(old, new),
        parts_added=_few(change.regions_added),
        parts_removed=_few(change.regions_removed),
        styles_added=_few([name for name in styles[1] if name not in styles[0]]),
        styles_removed=_few([name for name in styles[0] if name not in styles[1]]),
        classes_kept=len(names[0] & names[1]),
        classes_before=len(names[0]),
    )


def _styles(page: PageVersion) -> list[str]:
    """Name the style sheets of a page by the last parts of their addresses: folders and versions differ anyway."""
    urls = (each.url for each in page.resources if each.kind == "stylesheet")
    return list(dict.fromkeys(urlsplit(url).path.rpartition("/")[2] or url for url in urls))


def _few(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name[:MAX_NAME_CHARS] for name in names[:MAX_NAMED])
