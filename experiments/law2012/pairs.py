"""Which labelled pairs of versions does a collection hold?"""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pagedrift import PageVersion
from pagedrift.facets.view import TEXT, Box, RenderedNode, Style, View

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Pair:
    """Two versions of a page and what a person said about them."""

    id: str
    site: str
    old: PageVersion
    new: PageVersion
    dissimilar: bool
    confidence: int  # 3 obvious, 2 most would agree, 1 doubtful
    reason: str


def labels(folder: Path) -> list[dict[str, str]]:
    """Read labels.csv of a folder."""
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_pairs(folder: Path) -> Iterator[Pair]:
    """Read the pairs of a folder with labels.csv, in its order."""
    return (read_pair(folder, row) for row in labels(folder))


def read_pair(folder: Path, row: dict[str, str]) -> Pair:
    """Read one pair, by its row of labels.csv."""
    home = folder / row["id"]
    about = json.loads((home / "pair.json").read_text("utf-8"))
    old, new = (_version(home, side, about) for side in ("a", "b"))
    dissimilar = row["label"] == "dissimilar"
    return Pair(row["id"], about["site"], old, new, dissimilar, int(row["confidence"]), row["reason"])


def _version(home: Path, side: str, about: dict[str, Any]) -> PageVersion:
    body = gzip.decompress((home / f"{side}.html.gz").read_bytes())
    rendered, picture = home / f"{side}.dom.json.gz", home / f"{side}.jpg"
    view = None
    if rendered.exists():
        shown = picture.read_bytes() if picture.exists() else None
        view = _view(json.loads(gzip.decompress(rendered.read_bytes())), shown)
    moment = datetime.fromisoformat(about[f"time_{side}"]) if about.get(f"time_{side}") else None
    return PageVersion(about.get("page_url") or "", body, captured_at=moment, view=view)


def _view(rendered: dict[str, Any], picture: bytes | None) -> View:
    """Lay the nested nodes of a rendered page out flat, in document order."""
    nodes: list[RenderedNode] = []
    waiting: list[tuple[dict[str, Any], int]] = [(rendered["root"], -1)]
    while waiting:
        raw, parent = waiting.pop()
        number = len(nodes)
        if "tag" in raw:
            nodes.append(_element(raw, parent))
            waiting += [(child, number) for child in reversed(raw.get("children") or ())]
        else:
            nodes.append(RenderedNode(parent, TEXT, _box(raw), nodes[parent].style, raw.get("text") or ""))
    return View(
        url=rendered.get("url") or "",
        title=rendered.get("title") or "",
        language="",
        width=rendered.get("docWidth") or 0,
        height=rendered.get("docHeight") or 0,
        nodes=tuple(nodes),
        picture=picture,
    )


def _element(raw: dict[str, Any], parent: int) -> RenderedNode:
    style = raw.get("style") or {}
    looks = Style(
        style.get("display") or "block",
        style.get("visibility") or "visible",
        float(style.get("opacity", 1)),
        style.get("position") or "static",
        style.get("float") or "none",
        style.get("color") or "",
        style.get("background-color") or "",
        bool(style.get("background-image")),
        float((style.get("font-size") or "").removesuffix("px") or 0),
        int(style.get("font-weight") or 400),
        "normal",
        tuple(style.get("border") or (0, 0, 0, 0)),
    )
    given = (raw.get(name) or "" for name in ("id", "class", "href", "src", "alt", "role"))
    return RenderedNode(parent, raw["tag"], _box(raw), looks, "", *given)


def _box(raw: dict[str, Any]) -> Box:
    return Box(*(raw.get("box") or (0, 0, 0, 0)))
