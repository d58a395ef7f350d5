"""Which labelled pairs of versions does a collection hold?"""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pagedrift import PageVersion
from pagedrift.facets.view import TEXT, Box, Shown, Style, View

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
    rendered = json.loads(gzip.decompress((home / f"{side}.dom.json.gz").read_bytes()))
    view = _view(rendered, (home / f"{side}.jpg").read_bytes())
    moment = datetime.fromisoformat(about[f"time_{side}"])
    return PageVersion(about["page_url"], body, captured_at=moment, view=view)


def _view(rendered: dict[str, Any], picture: bytes) -> View:
    """Lay the nested nodes of a rendered page out flat, in document order."""
    nodes: list[Shown] = []
    waiting: list[tuple[dict[str, Any], int]] = [(rendered["root"], -1)]
    while waiting:
        raw, parent = waiting.pop()
        number = len(nodes)
        if "tag" in raw:
            nodes.append(_element(raw, parent))
            waiting += [(child, number) for child in reversed(raw.get("children", ()))]
        else:
            nodes.append(Shown(parent, TEXT, Box(*raw["box"]), nodes[parent].style, raw["text"]))
    size = rendered["docWidth"], rendered["docHeight"]
    return View(rendered["url"], rendered["title"], "", *size, tuple(nodes), picture=picture)


def _element(raw: dict[str, Any], parent: int) -> Shown:
    style = raw["style"]
    looks = Style(
        style["display"],
        style["visibility"],
        float(style.get("opacity", 1)),
        style["position"],
        style["float"],
        style["color"],
        style["background-color"],
        bool(style["background-image"]),
        float(style["font-size"].removesuffix("px") or 0),
        int(style["font-weight"] or 400),
        "normal",
        tuple(style["border"]),
    )
    given = (raw.get(name) or "" for name in ("id", "class", "href", "src", "alt", "role"))
    return Shown(parent, raw["tag"], Box(*raw["box"]), looks, "", *given)
