"""The one line that sums a change up: the most important thing first, then how many others there are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.facts import FactKind
from pagedrift.does_it_matter.changes.levels import Level, Zone
from pagedrift.text import around_difference, counted
from pagedrift.what_changed.words import word_changes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.does_it_matter.changes import JudgedChange

MAX_TEXT_CHARS: Final = 70  # of a text in a headline
_SHORT: Final = 40  # characters: a text this long is shown whole
_NAMES: Final = {
    FactKind.MONEY: "Price",
    FactKind.DEADLINE: "Deadline",
    FactKind.HOURS: "Opening hours",
    FactKind.DATE: "Date",
    FactKind.TIME: "Time",
    FactKind.CONTACT: "Contact",
    FactKind.VERSION: "Version",
}


def headline(changes: Sequence[JudgedChange]) -> str:
    """Say in one line what changed; noise is only named where there is nothing else.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.does_it_matter.changes import changes
    >>> page = "<main><h1>Permits</h1><p>A permit for a fence costs {} and is valid for a year.</p></main>"
    >>> headline(changes(*(PageVersion("", page.format(fee).encode()) for fee in ("$40", "$45"))))
    'Price $40 → $45'
    """
    if not changes:
        return ""
    first, *others = changes
    if first.level is not Level.NOISE:
        others = [each for each in others if each.level is not Level.NOISE]
    more = f" and {counted(len(others), 'other change')}" if others else ""
    said = sentence(first)
    return f"{said.rstrip('.。 ')}{more}" if more else said


def sentence(change: JudgedChange) -> str:
    """Say what one change is."""
    kind = change.passage.kind
    if kind != "text":
        return _thing(change, "contact" if change.fact is FactKind.CONTACT else kind)
    if change.old and change.new:
        return _exchanged(change)
    where = f" {'in' if change.new else 'from'} the navigation" if change.zone is Zone.NAVIGATION else ""
    return f"{'New' if change.new else 'Removed'}{where}: {shortened(_title(change))}"


def _thing(change: JudgedChange, kind: str) -> str:
    name = kind.capitalize()
    if change.old and change.new:
        one, other = change.old_text, change.new_text
        return (
            f"{name} replaced: {shortened(other)}"
            if one == other
            else f"{name} {shortened(one)} → {shortened(other)}"
        )
    return f"{'New' if change.new else 'Removed'} {kind}: {shortened(change.new_text or change.old_text)}"


def _title(change: JudgedChange) -> str:
    """Name what came or went by its heading, else by its first words."""
    passages = change.new or change.old
    return next((passage.text for passage in passages if passage.heading), passages[0].text)


def _exchanged(change: JudgedChange) -> str:
    old, new = change.old_text, change.new_text
    if (kind := change.fact) in _NAMES and all(len(side) == 1 for side in change.facts[kind]):
        (one,), (other,) = change.facts[kind]
        return f"{_NAMES[kind]} {_as_written(one, old)} → {_as_written(other, new)}"
    if max(len(old), len(new)) > _SHORT:
        old, new = _differing(old, new)
        if not old or not new:
            return f"Added: {shortened(new)}" if new else f"Removed: {shortened(old)}"
    return f"{shortened(old)} → {shortened(new)}"


def _differing(old: str, new: str) -> tuple[str, str]:
    """Give the words in which two texts differ, or where these are many, the texts from there on."""
    pieces = word_changes(old, new)
    gone, come = (" ".join(piece.text for piece in pieces if piece.kind == kind) for kind in ("removed", "added"))
    if len(gone) + len(come) <= MAX_TEXT_CHARS:
        return " ".join(gone.split()), " ".join(come.split())
    return around_difference(old, new, MAX_TEXT_CHARS)


def _as_written(value: str, text: str) -> str:
    """Give a value as it stands in the text, whose capitals and spaces it has lost."""
    found = re.search(re.escape(value).replace(r"\ ", r"\s+"), text, re.IGNORECASE)
    return " ".join(found.group().split()) if found else value


def shortened(text: str) -> str:
    """Shorten a text between two words.

    >>> shortened("The bridge over the mill stream is closed until the end of March, says the council")
    'The bridge over the mill stream is closed until the end of March, …'
    """
    text = " ".join(text.split())
    if len(text) <= MAX_TEXT_CHARS:
        return text
    cut = text[:MAX_TEXT_CHARS].rsplit(" ", 1)[0] if " " in text[:MAX_TEXT_CHARS] else text[: MAX_TEXT_CHARS - 1]
    return f"{cut} …"
