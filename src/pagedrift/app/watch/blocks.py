"""Where did a page change, block by block, and what is the one line that a person wants?"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift.app.watch.grouping import Surroundings, action_signature, place
from pagedrift.facets.tree import ELEMENT, TEXT
from pagedrift.redesigned.selectors import css_of
from pagedrift.report.terminal import cut
from pagedrift.what_changed.actions import (
    AddAttribute,
    ChangeAttribute,
    Insert,
    Move,
    RemoveAttribute,
    Rename,
    UpdateText,
)
from pagedrift.what_changed.describe import MARKS, describe
from pagedrift.what_changed.words import around, word_changes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion
    from pagedrift.what_changed import EditScript
    from pagedrift.what_changed.actions import Action

MOST: Final = 50  # blocks of one change that are kept
TEXT_SHOWN: Final = 500  # signs of a text in a block
LINE: Final = 70  # signs of a text in a headline
HEADLINE: Final = 160  # signs of a headline

_AMOUNT: Final = re.compile(
    r"(?:[€$£¥₹]|EUR|USD|GBP|CHF)\s?\d[\d.,' \u00a0\u202f]{0,15}"
    r"|\d[\d.,'\u00a0\u202f]{0,15}\s?(?:[€$£¥₹]|(?:EUR|USD|GBP|CHF|kr|zł)\b)"
)
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4"))
_ENTRIES: Final = frozenset(("nav", "menu"))
_QUIET: Final = frozenset("nonce integrity crossorigin csrf-token jsaction jslog jsdata ping".split())
_SEEN_DATA: Final = frozenset(("data-src", "data-srcset"))
_HIDDEN: Final = frozenset(("script", "style", "noscript", "template"))


@dataclass(frozen=True, slots=True)
class Block:
    """One changed place."""

    css: str  # a selector that means it, for a rule
    path: str  # where it stands, for people
    kind: str  # what was done, to what: added heading, changed link
    old: str
    new: str
    signature: str
    frame: bool  # stands around the content: a change of the template
    visible: bool  # a reader can see it


def read_blocks(script: EditScript, old: PageVersion, new: PageVersion) -> list[Block]:
    """Give a block for each step, in the order of the page."""
    before, after = Surroundings(old), Surroundings(new)
    return [_block(action, before, after) for action in script]


def foremost(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Keep the blocks that say most: content before frame, what is seen before what is not, much before little."""
    return tuple(sorted(blocks, key=_rank)[:MOST])


def headline(blocks: Sequence[Block], *, redesigned: float | None = None) -> str:
    """Say in one line what changed.

    >>> block = Block("td", "td", "edited text", "24 €", "29 €", "", False, True)
    >>> headline([block]), headline([block], redesigned=0.83)
    ('price 24 € → 29 €', 'redesigned: 83 % of the frame replaced')
    """
    if redesigned is not None:
        return f"redesigned: {redesigned:.0%} of the frame replaced".replace("%", " %")
    if not blocks:
        return "nothing changed"
    ordered = sorted(blocks, key=_rank)
    first, others = ordered[0], [block for block in ordered[1:] if block.visible == ordered[0].visible]
    rest = Counter(block.kind.partition(" ")[0] for block in others)
    counts = "; ".join(f"{number:,} more {mark}" for mark, number in rest.most_common())
    told = _sentence(first)
    return cut("; ".join(filter(None, (told, counts))), HEADLINE)


def _rank(block: Block) -> tuple[bool, bool, bool, int, int]:
    """Order blocks: the first says most."""
    moved = block.kind.startswith("moved")
    says_little = not (block.old or block.new).strip()
    order = {"heading": 0, "text": 1, "caption": 2, "link": 3, "image": 3}.get(block.kind.partition(" ")[2], 4)
    priced = 0 if _prices(block) else 1
    return not block.visible, block.frame, moved or says_little, priced, order


def _prices(block: Block) -> tuple[str, str] | None:
    """Give the amounts of money that differ, where that is what was edited."""
    if not block.kind.startswith("edited"):
        return None
    before, after = (_AMOUNT.findall(text) for text in (block.old, block.new))
    if len(before) != len(after):
        return None
    return next(
        ((one.strip(), other.strip()) for one, other in zip(before, after, strict=True) if one != other), None
    )


def _sentence(block: Block) -> str:
    """Say what was done in one block."""
    done, _, thing = block.kind.partition(" ")
    if prices := _prices(block):
        return f"price {prices[0]} → {prices[1]}"
    if done == "edited":
        one, other = _edited(block.old, block.new)
        return f"{one} → {other}" if one and other else f"added: {other}" if other else f"removed: {one}"
    text = _shown(block.new or block.old)
    name = {"heading": "article" if done == "added" else "heading", "link": "link", "image": "picture"}.get(
        thing, ""
    )
    if block.frame and done in ("added", "removed"):
        return f"{'menu entry' if _is_menu(block) else thing} {done}: {text}"
    if done == "added":
        return f"new {name}: {text}" if name else f"added: {text}"
    if done == "changed":
        attribute = "style" if thing == "style" else "address of a link" if thing == "link" else thing
        return f"{attribute} changed: {_shown(block.old)} → {_shown(block.new)}"
    return f"{done}{' ' + name if name else ''}: {text}"


def _is_menu(block: Block) -> bool:
    return bool(re.search(r"\b(?:nav|menu)", f"{block.path} {block.css}", re.IGNORECASE))


def _edited(before: str, after: str) -> tuple[str, str]:
    """Show how two texts differ: whole where they are short, else the words that differ."""
    if max(len(before), len(after)) <= LINE // 2:
        return _shown(before), _shown(after)
    pieces = word_changes(before, after)
    gone, come = (" ".join(piece.text for piece in pieces if piece.kind == kind) for kind in ("removed", "added"))
    if 0 < len(gone) + len(come) <= LINE:
        return _shown(gone), _shown(come)
    one, other = around(" ".join(before.split()), " ".join(after.split()), LINE)
    return _shown(one), _shown(other)


def _shown(text: str) -> str:
    return cut(" ".join(text.split()), LINE)


def _block(action: Action, old: Surroundings, new: Surroundings) -> Block:
    side, node = place(action, old, new)
    tree = side.tree
    element = node if tree.kind[node] == ELEMENT else tree.parent[node]
    told = describe(action, old.tree)
    where = action.new or action.old
    return Block(
        css_of(tree, element),
        cut(where.readable, TEXT_SHOWN) if where else "",
        f"{MARKS[type(action)]} {_thing(action, tree, node)}",
        " ".join(told.before[: 4 * TEXT_SHOWN].split())[:TEXT_SHOWN],
        " ".join(told.after[: 4 * TEXT_SHOWN].split())[:TEXT_SHOWN],
        action_signature(action, old, new),
        side.in_frame(node),
        _is_visible(action, tree, node),
    )


def _thing(action: Action, tree: Tree, node: int) -> str:
    """Say what kind of thing it is; what came with a heading is told by it."""
    if not isinstance(action, Insert) or action.kind not in ("text", "structure"):
        return action.kind
    headed = tree.tag(node) == "article" or any(each.tag in _HEADINGS for each in action.nodes)
    return "heading" if headed else action.kind


def _is_visible(action: Action, tree: Tree, node: int) -> bool:
    """Tell whether a reader can see a step: not what scripts, metadata and names for scripts say."""
    if isinstance(action, (AddAttribute, RemoveAttribute, ChangeAttribute)):
        if (
            action.name in _QUIET
            or action.name.startswith(("on", "aria-"))
            or tree.tag(node) in ("meta", "link", "script")
        ):
            return False
        if action.name.startswith("data-"):
            return action.name in _SEEN_DATA
        return not (tree.tag(node) == "input" and (tree.attribute(node, "type") or "").lower() == "hidden")
    if isinstance(action, (Rename, Move)):
        return action.kind != "metadata"
    if action.kind == "metadata":
        return _in_title(tree, node)
    if isinstance(action, UpdateText):
        return not _in_hidden(tree, node)
    if isinstance(action, Insert):
        return any(each.kind == TEXT and each.text.strip() for each in action.nodes) or action.kind not in (
            "structure",
            "style",
        )
    return action.kind not in ("structure", "style") or bool(tree.text_below(node, limit=2_000).strip())


def _in_title(tree: Tree, node: int) -> bool:
    return "title" in (tree.tag(node), tree.tag(tree.parent[node]))


def _in_hidden(tree: Tree, node: int) -> bool:
    while node > 0:
        if tree.tag(node) in _HIDDEN:
            return True
        node = tree.parent[node]
    return False
