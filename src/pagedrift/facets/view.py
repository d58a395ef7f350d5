"""The rendered view of a page: its picture, and the boxes, styles and texts of its nodes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FORMAT: Final = 1
TEXT: Final = "#text"


class Box(NamedTuple):
    """A rectangle in pixels of the page, from its upper left corner.

    >>> Box(0, 0, 4, 2).area
    8
    """

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Where it ends to the right."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Where it ends below."""
        return self.y + self.height

    @property
    def area(self) -> float:
        """Its size in square pixels."""
        return self.width * self.height

    def overlap(self, other: Box) -> float:
        """Give the area that two boxes share.

        >>> Box(0, 0, 4, 2).overlap(Box(3, 1, 4, 2))
        1
        """
        width = min(self.right, other.right) - max(self.x, other.x)
        height = min(self.bottom, other.bottom) - max(self.y, other.y)
        return max(width, 0) * max(height, 0)


def around(boxes: Iterable[Box]) -> Box:
    """Give the smallest box around some, at least one.

    >>> around([Box(0, 0, 4, 2), Box(3, 1, 4, 2)])
    Box(x=0, y=0, width=7, height=3)
    """
    every = list(boxes)
    x, y = min(box.x for box in every), min(box.y for box in every)
    return Box(x, y, max(box.right for box in every) - x, max(box.bottom for box in every) - y)


class Style(NamedTuple):
    """The part of the computed style that decides what a node looks like, in the order of the extraction."""

    display: str
    visibility: str
    opacity: float
    position: str
    floating: str
    color: str
    background: str
    background_image: bool
    font_size: float
    font_weight: int
    font_style: str
    borders: tuple[float, float, float, float]


# Not keyword-only: a page has tens of thousands of them, and keywords make each half as slow again.
@dataclass(frozen=True, slots=True)
class RenderedNode:
    """One node of the rendered page: an element, or a text with white space collapsed."""

    parent: int
    tag: str  # TEXT for a text
    box: Box
    style: Style  # of a text, its parent's
    text: str = ""
    id: str = ""
    classes: str = ""
    href: str = ""
    src: str = ""
    alt: str = ""
    role: str = ""

    @property
    def is_text(self) -> bool:
        """Whether it is a text."""
        return self.tag == TEXT

    @property
    def visible(self) -> bool:
        """Whether there is anything of it to see."""
        style = self.style
        return self.box.width > 0 and self.box.height > 0 and style.visibility == "visible" and style.opacity > 0


@dataclass(frozen=True, kw_only=True)
class View:
    """A page as a browser showed it: its nodes in document order, each with the number of its parent, or -1."""

    url: str
    title: str
    language: str
    width: float
    height: float
    nodes: tuple[RenderedNode, ...] = field(repr=False)
    picture: bytes | None = field(default=None, repr=False)  # PNG or JPEG
    engine: str = ""  # pictures of different engines must not be compared
    missing: tuple[str, ...] = field(default=(), repr=False)  # what the page wanted and was not given
    unstyled: tuple[str, ...] = field(default=(), repr=False)  # the style sheets among the missing
    dom: str = field(default="", repr=False)  # as HTML after its scripts ran, where that was wanted
    cut: bool = False  # at a limit: there was more of the page

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of each node's children."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            if node.parent >= 0:
                found[node.parent].append(number)
        return tuple(map(tuple, found))

    def texts(self) -> Iterator[str]:
        """Give the visible texts in document order."""
        return (node.text for node in self.nodes if node.is_text and node.visible)


def read_view(extracted: str, **given: Any) -> View:
    """Read what the browser extracted from a page; `given` says the rest of the view, such as its picture.

    >>> read_view('{"v": 2}')
    Traceback (most recent call last):
    pagedrift.errors.InputError: this view has format 2, not 1; render the page again
    """
    data = json.loads(extracted)
    if data["v"] != FORMAT:
        raise InputError(f"this view has format {data['v']}, not {FORMAT}; render the page again")
    strings = data["strings"]
    styles = [Style._make([*values, tuple(borders)]) for *values, borders in data["styles"]]
    nodes: list[RenderedNode] = []
    for parent, kind, x, y, width, height, *rest in data["nodes"]:
        box = Box(x, y, width, height)
        if kind < 0:
            nodes.append(RenderedNode(parent, TEXT, box, nodes[parent].style, strings[rest[0]]))
        else:
            nodes.append(
                RenderedNode(parent, strings[kind], box, styles[rest[0]], "", *(strings[at] for at in rest[1:]))
            )
    return View(
        url=data["url"],
        title=data["title"],
        language=data["lang"],
        width=data["w"],
        height=data["h"],
        nodes=tuple(nodes),
        cut=data["cut"],
        **given,
    )


def write_view(view: View) -> str:
    """Write a view as the browser extracted it, to be kept; its picture and how it was made are not in it.

    >>> view = View(url="https://city.example/", title="Fees", language="en", width=1024.0, height=800.0, nodes=())
    >>> read_view(write_view(view)).title
    'Fees'
    """
    strings: dict[str, int] = {}
    styles: dict[Style, int] = {}

    def number(text: str) -> int:
        return strings.setdefault(text, len(strings))

    nodes: list[list[Any]] = []
    for node in view.nodes:
        if node.is_text:
            nodes.append([node.parent, -1, *node.box, number(node.text)])
        else:
            style = styles.setdefault(node.style, len(styles))
            found = (node.id, node.classes, node.href, node.src, node.alt, node.role)
            nodes.append([node.parent, number(node.tag), *node.box, style, *map(number, found)])
    said = {
        "v": FORMAT,
        "url": view.url,
        "title": view.title,
        "lang": view.language,
        "w": view.width,
        "h": view.height,
    }
    tables = {"strings": list(strings), "styles": list(styles), "nodes": nodes, "cut": view.cut}
    return json.dumps(said | tables, ensure_ascii=False, separators=(",", ":"))
