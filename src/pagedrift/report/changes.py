"""What changed between two versions of a page, in lines for people at a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import click

from pagedrift.facets.tree import TEXT
from pagedrift.report.terminal import printable
from pagedrift.what_changed.actions import (
    Action,
    AddAttribute,
    ChangeAttribute,
    Delete,
    Insert,
    Move,
    RemoveAttribute,
    Rename,
    UpdateText,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion
    from pagedrift.what_changed import EditScript

EXCERPT: Final = 120  # signs of a text
_DONE: Final = {
    Insert: "added",
    Delete: "removed",
    Move: "moved",
    UpdateText: "edited",
    Rename: "renamed",
    AddAttribute: "attribute{} added",
    RemoveAttribute: "attribute{} removed",
    ChangeAttribute: "attribute{} changed",
}


def describe(old: PageVersion, script: EditScript) -> Iterator[str]:
    """Lay out a script: where, then what was and what is; the counts last."""
    last = None
    for action in script:
        place = action.new or action.old
        where = place.readable if place else ""
        if where != last:
            yield click.style(printable(where) or "the page", bold=True)
            last = where
        yield from (f"  {line}" for line in lines(action, old.tree))
    yield summary(script)


def summary(script: EditScript) -> str:
    """Count the steps.

    >>> from pagedrift.what_changed import EditScript
    >>> summary(EditScript())
    'nothing changed'
    """
    counts = Counter(_DONE[type(action)] for action in script)
    parts = (f"{count:,} {what.format('s' if count > 1 else '')}" for what, count in counts.items())
    return ", ".join(parts) or "nothing changed"


def lines(action: Action, old: Tree) -> Iterator[str]:
    """Write one step."""
    match action:
        case UpdateText():
            yield from _pair(excerpt(action.before), excerpt(action.after))
        case Insert():
            texts = " ".join(node.text for node in action.nodes if node.kind == TEXT)
            yield from _pair("", _element(action.nodes[0].tag, texts))
        case Delete():
            texts = old.text_below(action.node, limit=100)
            yield from _pair(_element(old.tag(action.node), texts or old.text(action.node)), "")
        case Move():
            what = _element(old.tag(action.node), old.text_below(action.node, limit=100))
            origin = action.old.readable if action.old else ""
            yield click.style(f"> {what}", fg="cyan") + f"  moved here from {printable(origin) or 'the page'}"
        case Rename():
            yield from _pair(f"<{action.before}>", f"<{action.after}>")
        case ChangeAttribute():
            yield from _pair(f"{action.name}: {excerpt(action.before)}", f"{action.name}: {excerpt(action.after)}")
        case AddAttribute():
            yield from _pair("", f"{action.name}: {excerpt(action.value)}")
        case RemoveAttribute():
            yield from _pair(f"{action.name}: {excerpt(action.value)}", "")


def excerpt(text: str) -> str:
    """Fold white space, and cut what is long.

    >>> excerpt("  A  permit costs   $120 ")
    'A permit costs $120'
    """
    folded = printable(" ".join(text[: EXCERPT * 10].split()))
    return folded if len(folded) <= EXCERPT else folded[: EXCERPT - 1] + "…"


def _element(tag: str, text: str) -> str:
    return " ".join(filter(None, (f"<{printable(tag)}>" if tag else "", excerpt(text))))


def _pair(before: str, after: str) -> Iterator[str]:
    if before:
        yield click.style(f"- {before}", fg="red")
    if after:
        yield click.style(f"+ {after}", fg="green")
