"""Reports of what changed between two versions of a page, as lines for a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import click

from pagedrift.text import around_difference, counted, fold, printable
from pagedrift.what_changed.actions import Action, AttributeAction, Move, Rename, UpdateText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion
    from pagedrift.what_changed import EditScript

MAX_EXCERPT_CHARS: Final = 120  # of a text


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
    counts = Counter((isinstance(action, AttributeAction), action.done) for action in script)
    parts = (
        f"{counted(count, 'attribute') if of_attributes else f'{count:,}'} {done}"
        for (of_attributes, done), count in counts.items()
    )
    return ", ".join(parts) or "nothing changed"


def lines(action: Action, old: Tree) -> Iterator[str]:
    """Write one step."""
    description = action.described(old)
    sides = (" ".join(description.before.split()), " ".join(description.after.split()))
    if isinstance(action, UpdateText) and sides[0] == sides[1]:
        yield click.style(f"~ white space in: {_excerpt(sides[0])}", fg="yellow")
        return
    before, after = (_side(action, description.what, text) for text in around_difference(*sides, MAX_EXCERPT_CHARS))
    if isinstance(action, Move):
        yield click.style(f"> {after}", fg="cyan") + f"  {_origin(action)}"
        return
    if before and action.done != "added":
        yield click.style(f"- {before}", fg="red")
    if after and action.done != "removed":
        yield click.style(f"+ {after}", fg="green")


def _origin(action: Move) -> str:
    """Say from where something moved."""
    origin, goal = (path.readable if path else "" for path in (action.old, action.new))
    return f"moved here from {printable(origin) or 'the page'}" if origin != goal else "moved among its neighbours"


def _side(action: Action, what: str, text: str) -> str:
    """Write what a step is about as it read on one side."""
    what, shown = printable(what), _excerpt(text)
    if isinstance(action, Rename):
        return f"<{printable(text)}>"
    if isinstance(action, AttributeAction):
        return f"{what}: {shown}"
    if what == "comment":
        return f"<!-- {shown} -->"
    tag = "" if what in ("text", "doctype", "instruction") else f"<{what}>"
    return " ".join(filter(None, (tag, shown))) or "(white space)"


def _excerpt(text: str) -> str:
    return printable(fold(text, MAX_EXCERPT_CHARS))
