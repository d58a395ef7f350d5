"""Other ways to find an element again, on the same fields: rows to set beside ours.

    python -m experiments.selectors.peers --data ROOT

The old absolute path; the most similar text; Similo's weighted attributes (Nass et al. 2023, "Similarity-based Web
Element Localization for Robust Test Automation"), without those that need a browser (location, area, shape); and
Scrapling's `adaptive`, if it is installed (pip install scrapling). Looked for are the fields that are there whose
old selector matches nothing; a row says how many the first choice gets right.
"""

from __future__ import annotations

import argparse
import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rapidfuzz.distance import Levenshtein

from experiments.selectors.fields import cases, is_right, nodes_of
from pagedrift.facets.tree import ELEMENT
from pagedrift.selectors.regions import word_likeness
from pagedrift.selectors.selectable import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagedrift.selectors.selectable import SelectablePage

_BUTTONS: Final = ("button", "submit", "reset", "image", "file")
# The weights of the paper: what is stable counts three times what is not.
SIMILO: Final[Mapping[str, float]] = {
    "tag": 1.5,
    "class": 0.5,
    "name": 1.5,
    "id": 1.5,
    "href": 0.5,
    "alt": 0.5,
    "xpath": 0.5,
    "idxpath": 0.5,
    "is_button": 0.5,
    "text": 1.5,
    "neighbours": 1.5,
}


def absolute_path(page: SelectablePage, node: int) -> str:
    """Write where an element stands, counted from the root."""
    tree, steps = page.tree, []
    while node > 0 and tree.kind[node] == ELEMENT:
        steps.append(_path_step(page, node))
        node = tree.parent[node]
    return "/" + "/".join(reversed(steps))


@lru_cache(200_000)
def _path_step(page: SelectablePage, node: int) -> str:
    tree = page.tree
    same = [child for child in tree.children(tree.parent[node]) if tree.tag(child) == tree.tag(node)]
    return f"{tree.tag(node)}[{same.index(node) + 1}]"


def by_path(old: SelectablePage, nodes: Sequence[int], new: SelectablePage) -> list[int]:
    """Look at the same places."""
    wanted = {absolute_path(old, node) for node in nodes}
    return [node for node in new.tree.elements() if absolute_path(new, node) in wanted]


def by_text(old: SelectablePage, nodes: Sequence[int], new: SelectablePage) -> list[int]:
    """Look for the element whose words are most like those of the first one; of several, the innermost."""
    words = _words(old, nodes[0])
    best = max(new.tree.elements(), key=lambda node: (word_likeness(words, _words(new, node)), node))
    return [best]


def by_similo(old: SelectablePage, nodes: Sequence[int], new: SelectablePage) -> list[int]:
    """Look for the element with the largest weighted sum of likenesses."""
    wanted = _attributes(old, nodes[0])
    return [max(new.tree.elements(), key=lambda node: _similo(wanted, _attributes(new, node)))]


def _similo(old: Mapping[str, str], new: Mapping[str, str]) -> float:
    return sum(weight * _alike(name, old[name], new[name]) for name, weight in SIMILO.items())


def _alike(name: str, old: str, new: str) -> float:
    """Compare as the paper does: by equality, neighbours by words, the rest by edit distance."""
    if not old or not new:
        return 0.0
    if name in ("tag", "name", "id", "is_button"):
        return float(old.lower() == new.lower())
    if name == "neighbours":
        one, other = set(old.split()), set(new.split())
        return len(one & other) / max(len(one), len(other))
    return Levenshtein.normalized_similarity(old.lower(), new.lower())


def _attributes(page: SelectablePage, node: int) -> dict[str, str]:
    known = page.__dict__.setdefault("_similo", {})
    if node not in known:
        tree = page.tree
        said = dict(tree.attributes(node))
        path, before = absolute_path(page, node), page.words_before
        first, last = before[node], before[tree.end[node]]
        around = page.words[max(0, first - 10) : first] + page.words[last : last + 10]
        known[node] = {name: said.get(name, "")[:200] for name in ("class", "name", "id", "href", "alt")} | {
            "tag": tree.tag(node),
            "xpath": path,
            "idxpath": _id_path(page, node, path),
            "is_button": "yes" if tree.tag(node) == "button" or said.get("type") in _BUTTONS else "no",
            "text": " ".join(page.words[first : min(last, first + 40)]),
            "neighbours": " ".join(around),
        }
    return known[node]


def _id_path(page: SelectablePage, node: int, path: str) -> str:
    """Write where an element stands, counted from the nearest one with an id."""
    tree, steps = page.tree, path.rsplit("/")
    above, count = node, 0
    while above > 0 and tree.kind[above] == ELEMENT:
        if identity := tree.attribute(above, "id"):
            return f"//*[@id={identity}]/" + "/".join(steps[len(steps) - count :])
        above, count = tree.parent[above], count + 1
    return path


def scrapling() -> Any:
    """Give Scrapling's way, or None if it is missing."""
    try:
        from scrapling.parser import Selector
    except ImportError:
        return None

    def find(old: SelectablePage, nodes: Sequence[int], new: SelectablePage) -> list[int]:
        before, after = (Selector(page.page.source.encode(), encoding="utf-8") for page in (old, new))
        elements = _elements(before)
        wanted = _same(old, nodes[0], elements)
        if wanted is None:
            return []
        found = after.relocate(wanted, percentage=0)
        return [] if not found else _back(new, found[0], _elements(after))

    return find


def _elements(page: Any) -> list[Any]:
    """Give the elements of a page of Scrapling, which parses with lxml, in order."""
    return [each for each in page._root.iter() if isinstance(each.tag, str)]


def _same(page: SelectablePage, node: int, elements: list[Any]) -> Any:
    """Find the element of lxml that one of ours is: as many of its tag and text stand before it."""
    key = page.tree.tag(node), _words(page, node)
    before = sum(
        (page.tree.tag(each), _words(page, each)) == key for each in page.tree.elements(key[0]) if each < node
    )
    same = [each for each in elements if (each.tag, words_of(each.text_content())) == key]
    return same[before] if before < len(same) else None


def _back(page: SelectablePage, element: Any, elements: list[Any]) -> list[int]:
    """Find the element of ours that one of lxml is."""
    key = element.tag, words_of(element.text_content())
    before = [(each.tag, words_of(each.text_content())) for each in elements[: elements.index(element)]].count(key)
    same = [node for node in page.tree.elements(key[0]) if _words(page, node) == key[1]]
    return same[before : before + 1]


def _words(page: SelectablePage, node: int) -> list[str]:
    return page.words_in([(node, page.tree.end[node])])


def main() -> None:
    """Print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    peers: dict[str, Any] = {"path": by_path, "text": by_text, "similo": by_similo, "scrapling": scrapling()}
    if peers["scrapling"] is None:
        print("scrapling is not installed; its row is left out (pip install scrapling)")
        del peers["scrapling"]
    counts = dict.fromkeys(peers, 0)
    fields = 0
    for field, old, new in cases(given.data):
        truth, nodes = nodes_of(new, field.new_selector), nodes_of(old, field.old_selector)
        if not truth or nodes_of(new, field.old_selector):
            continue
        fields += 1
        for name, find in peers.items():
            found = find(old, nodes, new)
            counts[name] += bool(found) and is_right(new, found, truth, many=field.many)
    shares = {name: round(count / max(1, fields), 4) for name, count in counts.items()}
    print(json.dumps({"experiment": "selectors", "fields": fields, "moved_right": shares}))


if __name__ == "__main__":
    main()
