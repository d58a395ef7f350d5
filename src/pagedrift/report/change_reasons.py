"""Sentences about why a single change has its level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.levels import ChangeReason, Level
from pagedrift.text import counted

if TYPE_CHECKING:
    from pagedrift.does_it_matter.changes import JudgedChange

_SENTENCES: Final = {
    ChangeReason.REWRITTEN: "the passage says something else now",
    ChangeReason.VALUE: "a short text, such as a label or a value, is another one now",
    ChangeReason.PICTURE: "a picture was added, removed or replaced",
    ChangeReason.FILE: "a file to download was added, removed or replaced",
    ChangeReason.WORDING: "few words changed, and no fact that is recognized",
    ChangeReason.COUNTER: "it looks like a counter",
    ChangeReason.MOMENT: "it shows the moment of the visit, such as the weather or a quote of the day",
    ChangeReason.REQUEST: "it asks readers for something, such as to subscribe or to rate the site",
    ChangeReason.UNLIKELY: "such changes are seldom content",
}


def change_reason(change: JudgedChange) -> str:
    """Say in one line why a change has its level.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.does_it_matter.changes import changes
    >>> page = "<main><h1>Permits</h1><p>A permit for a fence costs {} and is valid for a year.</p></main>"
    >>> old, new = (PageVersion("", page.format(fee).encode()) for fee in ("$40", "$45"))
    >>> [change_reason(each) for each in changes(old, new)]
    ['a fact changed: amount of money']
    """
    if change.reason is ChangeReason.FACT and change.fact:
        return f"a fact changed: {change.fact.value}"
    if change.reason is ChangeReason.PASSAGE:
        return f"text was {change.action}" + (f", with a fact: {change.fact.value}" if change.fact else "")
    if change.reason is ChangeReason.STAMP:
        return (
            "it looks like a date of the last update"
            if change.level is not Level.NOISE
            else "it looks like a time stamp"
        )
    if change.reason is ChangeReason.RESTLESS:
        return f"this place changed in {change.changed_before} of {change.steps} earlier steps"
    if change.reason is ChangeReason.SHARED:
        return f"the same text stands on {counted(change.shared_by, 'other page')} of the site"
    if change.reason is ChangeReason.ZONE:
        return f"it stands in this part of the page: {change.zone}"
    return _SENTENCES[change.reason]
