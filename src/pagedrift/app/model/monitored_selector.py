"""Selectors of the user's own programs on a watched page: how often they match, and what to use instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagedrift.errors import NotFoundError
from pagedrift.selectors.expressions import parse_selectors

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredSelector:
    """One selector that a watch monitors."""

    name: str
    selector: str
    hits: tuple[bool, ...] = ()  # whether it matched at the last checks, the newest one last
    status: str = "unknown"  # works, moved, wrong, gone; unknown if no version is kept on which it matched
    probability: float = 0.0  # that the status is right, and the proposal if there is one
    old_text: str = ""  # what it matched last
    new_text: str = ""  # what it, or the proposal, matches on the newest version
    proposal: str = ""
    before: int | None = None  # the last version on which it matched
    after: int | None = None  # the newest version
    old_nodes: tuple[int, ...] = ()  # what it matched last, by node of that version
    new_nodes: tuple[int, ...] = ()  # what it, or the proposal, matches on the newest one

    @property
    def broken(self) -> bool:
        """Whether programs that use it no longer get what they should."""
        return self.status in ("moved", "wrong", "gone")


def replaced(lines: Sequence[str], *, name: str, old: str, new: str) -> tuple[str, ...]:
    """Write another selector in place of one of the monitored ones.

    >>> replaced(["price = .fee", "title h1"], name="price", old=".fee", new=".amount")
    ('price = .amount', 'title h1')
    """
    known = [parse_selectors(line)[0] for line in lines]
    if not any((each.name, each.written) == (name, old) for each in known):
        raise NotFoundError(f"the watch has no selector {name} that is {old}; look at its selectors again")
    return tuple(
        f"{name} = {new}" if (each.name, each.written) == (name, old) else line
        for each, line in zip(known, lines, strict=True)
    )
