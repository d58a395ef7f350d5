"""Changed blocks of a page, and the one-line headline that sums them up."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from pagedrift.app.model.change import ChangedBlock
from pagedrift.app.monitor.change_groups import Surroundings, action_signature, place
from pagedrift.facets.tree import ELEMENT, TEXT
from pagedrift.report import reasons
from pagedrift.text import around_difference, counted, cut
from pagedrift.what_changed.actions import AttributeAction, Delete, Insert, Move, Rename, UpdateText
from pagedrift.what_changed.descriptions import MAX_NODES
from pagedrift.what_changed.words import word_changes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion
    from pagedrift.what_changed import EditScript
    from pagedrift.what_changed.actions import Action

STEPS: Final = 5_000  # of one change that are looked at
MAX_BLOCKS: Final = 50  # blocks of one change that are kept
TEXT_SHOWN: Final = 500  # characters of a text in a block
DEEPEST: Final = 5  # elements in a selector
SIBLINGS: Final = 500  # among which an element is counted
LINE: Final = 70  # characters of a text in a headline
HEADLINE: Final = 160  # characters of a headline

_AMOUNT: Final = re.compile(
    r"(?:[€$£¥₹]|EUR|USD|GBP|CHF)\s?\d[\d.,' \u00a0\u202f]{0,15}"
    r"|\d[\d.,'\u00a0\u202f]{0,15}\s?(?:[€$£¥₹]|(?:EUR|USD|GBP|CHF|kr|zł)\b)"
)
_NAME: Final = re.compile(r"[A-Za-z_][\w-]*")  # that needs no escaping in CSS
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4"))
_WORTH: Final = {"added": 1.0, "edited": 1.0, "removed": 0.7, "changed": 0.1, "moved": 0.05}
_WEIGHTS: Final = {"heading": 4.0, "metadata": 0.3, "style": 0.1, "structure": 0.3}
_THINGS: Final = {"heading": "heading", "link": "link", "image": "picture", "form": "field"}
_CHANGED: Final = {"link": "address of a link", "image": "picture", "structure": "element"}
_NAMING: Final = ("alt", "title", "aria-label", "src", "href", "data-src")  # what an element without text shows
_QUIET: Final = frozenset("nonce integrity crossorigin csrf-token jsaction jslog jsdata ping".split())
_SEEN_DATA: Final = frozenset(("data-src", "data-srcset"))


def read_blocks(script: EditScript, old: PageVersion, new: PageVersion) -> list[ChangedBlock]:
    """Give a block for each step, in the order of the page; of a change of everything, for the first of them."""
    before, after = Surroundings(old), Surroundings(new)
    return [_block(action, before, after) for action in script.actions[:STEPS]]


def foremost(blocks: Sequence[ChangedBlock]) -> tuple[ChangedBlock, ...]:
    """Keep the blocks that say most: content before frame, what is seen before what is not, much before little."""
    return tuple(sorted(blocks, key=_rank)[:MAX_BLOCKS])


def headline(blocks: Sequence[ChangedBlock], *, redesigned: float | None = None) -> str:
    """Say in one line what changed.

    >>> block = ChangedBlock(action="edited", target="text", old="24 €", new="29 €")
    >>> headline([block]), headline([block], redesigned=0.83)
    ('price 24 € → 29 €', 'redesigned: 83 % of the layout replaced')
    """
    if redesigned is not None:
        return f"redesigned: {reasons.redesign(redesigned)}"
    if not blocks:
        return "nothing changed"
    seen = sorted((block for block in blocks if block.visible), key=_rank)
    if not seen:
        return f"nothing that a reader sees: {counted(len(blocks), 'step')} in scripts and metadata"
    rest = Counter(block.action for block in seen[1:])
    counts = [f"{rest[done]:,} more {done}" for done in _WORTH if rest[done]]
    return cut(reasons.joined((_sentence(seen[0]), ", ".join(counts))), HEADLINE)


def _rank(block: ChangedBlock) -> tuple[bool, bool, float]:
    """Order blocks: the first says most. Content before frame, then by how much is said."""
    if _prices(block):
        return not block.visible, block.frame, -math.inf
    worth = _WORTH[block.action] * (4.0 if block.title else _WEIGHTS.get(block.target, 1.0))
    return not block.visible, block.frame, -worth * _words(block)


def _words(block: ChangedBlock) -> float:
    """Count the words that a block is about, and not more of a long text than of a paragraph."""
    said = f"{block.old} {block.new}" if block.action != "edited" else "".join(_differing(block))
    return min(30, len(re.findall(r"\w+", said))) + 0.1


def _differing(block: ChangedBlock) -> tuple[str, str]:
    pieces = word_changes(block.old, block.new)
    gone, come = (" ".join(piece.text for piece in pieces if piece.kind == kind) for kind in ("removed", "added"))
    return f"{gone} ", come


def _prices(block: ChangedBlock) -> tuple[str, str] | None:
    """Give the amounts of money that differ, where that is what was edited."""
    if block.action != "edited":
        return None
    before, after = (_AMOUNT.findall(text) for text in (block.old, block.new))
    if len(before) != len(after):
        return None
    return next(
        ((one.strip(), other.strip()) for one, other in zip(before, after, strict=True) if one != other), None
    )


def _sentence(block: ChangedBlock) -> str:
    """Say what was done in one block."""
    done, thing = block.action, block.target
    if prices := _prices(block):
        return f"price {prices[0]} → {prices[1]}"
    if done == "edited":
        one, other = _edited(block)
        return f"{one} → {other}" if one and other else f"added: {other}" if other else f"removed: {one}"
    if done == "changed":
        return f"{_CHANGED.get(thing, thing)} changed: {_shown(block.old)} → {_shown(block.new)}"
    text, name = _shown(block.title or block.new or block.old), "article" if block.title else _THINGS.get(thing, "")
    if block.frame and done != "moved":
        return f"{'menu entry' if _is_menu(block) else name or 'text'} {done}: {text}"
    if done == "added" and name:
        return f"new {'article' if name == 'heading' else name}: {text}"
    return f"{done}{' ' + name if name else ''}: {text}"


def _is_menu(block: ChangedBlock) -> bool:
    return bool(re.search(r"\b(?:nav|menu)", f"{block.path} {block.css}", re.IGNORECASE))


def _edited(block: ChangedBlock) -> tuple[str, str]:
    """Show how two texts differ: whole where they are short, else the words that differ."""
    before, after = block.old, block.new
    if max(len(before), len(after)) <= LINE // 2:
        return _shown(before), _shown(after)
    gone, come = _differing(block)
    if 0 < len(gone.strip()) + len(come) <= LINE:
        return _shown(gone), _shown(come)
    one, other = around_difference(before, after, LINE)
    return _shown(one), _shown(other)


def _shown(text: str) -> str:
    return cut(" ".join(text.split()), LINE)


def _block(action: Action, old: Surroundings, new: Surroundings) -> ChangedBlock:
    side, node = place(action, old, new)
    before, after = _texts(action, old.tree, side.tree, node)
    return ChangedBlock(
        css=selector(side.tree, node),
        path=cut(side.path(node), TEXT_SHOWN),
        action=action.mark,
        target=action.kind,
        old=before,
        new=after,
        signature=action_signature(action, old, new),
        frame=side.in_frame(node),
        visible=_is_visible(action, side, node),
        title=_title(action, side.tree),
    )


def _texts(action: Action, old: Tree, tree: Tree, node: int) -> tuple[str, str]:
    """Give how a block read before and after; elements without text are described by what they show."""
    description = action.described(old)
    before, after = description.before, description.after
    if isinstance(action, (Insert, Delete, Move)) and not tree.text_below(node, limit=MAX_NODES).strip():
        given = dict(tree.attributes(node))
        named = next((given[name] for name in _NAMING if given.get(name, "").strip()), "")
        before, after = before and (named or before), after and (named or after)
    before, after = (" ".join(text.split()) for text in (before, after))
    one, other = around_difference(before, after, TEXT_SHOWN)
    return one[:TEXT_SHOWN], other[:TEXT_SHOWN]


def selector(tree: Tree, node: int) -> str:
    """Write a selector that means an element, and few others: from the nearest id or named part down to it."""
    node = node if tree.kind[node] == ELEMENT else tree.parent[node]
    parts: list[str] = []
    while node > 0 and tree.kind[node] == ELEMENT:
        tag, name = tree.tag(node).rpartition(":")[2], tree.attribute(node, "id") or ""
        if _NAME.fullmatch(name) and _NAME.fullmatch(tag):
            parts.append(f"{tag}#{name}")
            break
        if not _NAME.fullmatch(tag):
            parts.append("*")
        else:
            classes = [each for each in (tree.attribute(node, "class") or "").split() if _NAME.fullmatch(each)]
            parts.append(
                tag + "".join(f".{each}" for each in classes[:2]) + ("" if classes else _rank_of(tree, node))
            )
        if len(parts) == DEEPEST or tag in ("body", "main"):
            break
        node = tree.parent[node]
    return " > ".join(reversed(parts)) or "html"


def _rank_of(tree: Tree, node: int) -> str:
    """Say the how-manieth of its name an element is, where it has siblings of that name."""
    alike = []
    for count, other in enumerate(tree.children(tree.parent[node])):
        if count > SIBLINGS:
            return ""
        if tree.kind[other] == ELEMENT and tree.name[other] == tree.name[node]:
            alike.append(other)
    return f":nth-of-type({alike.index(node) + 1})" if len(alike) > 1 and node in alike else ""


def _title(action: Action, tree: Tree) -> str:
    """Give the first heading of what came."""
    if not isinstance(action, Insert):
        return ""
    heading = next((node.number for node in action.nodes if node.tag in _HEADINGS), None)
    return " ".join(tree.text_below(heading, limit=100).split())[:TEXT_SHOWN] if heading is not None else ""


def _is_visible(action: Action, side: Surroundings, node: int) -> bool:
    """Return whether a reader can see a step: not what scripts, metadata and names for scripts say."""
    tree = side.tree
    if isinstance(action, AttributeAction):
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
        return not side.unread[node]
    if isinstance(action, Insert):
        return any(each.kind == TEXT and each.text.strip() for each in action.nodes) or action.kind not in (
            "structure",
            "style",
        )
    return action.kind not in ("structure", "style") or bool(tree.text_below(node, limit=2_000).strip())


def _in_title(tree: Tree, node: int) -> bool:
    return "title" in (tree.tag(node), tree.tag(tree.parent[node]))
