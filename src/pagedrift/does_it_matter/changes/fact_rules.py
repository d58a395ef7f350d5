"""Rules for changes that are surely content: exchanged facts, values, files, notices and the main picture."""

from __future__ import annotations

import re
from math import log1p
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.facts import FactKind
from pagedrift.does_it_matter.changes.features import SHORT
from pagedrift.does_it_matter.changes.noise_rules import KEY_FACTS, is_imprint, is_rebuilt_picture
from pagedrift.does_it_matter.changes.pairing import ADDED, EDITED, RECOUNTED, REMOVED, REPLACED
from pagedrift.does_it_matter.changes.surroundings import RECOMMENDED

if TYPE_CHECKING:
    from pagedrift.does_it_matter.changes.features import DescribedChange
    from pagedrift.does_it_matter.changes.pairing import PassageChange
    from pagedrift.does_it_matter.changes.passages import Passage

_NO_FACTS_IN: Final = frozenset(("navigation", "overlay", "advertisement", "comments", "languages", RECOMMENDED))
_FRAME: Final = frozenset(("header", "footer", "form", "button"))
_OF_STATE: Final = frozenset((FactKind.STATUS, FactKind.OBLIGATION))
_STATED_ALONE: Final = frozenset((FactKind.STATUS, FactKind.CONTACT))  # by a few words, of which all may be others
_NO_FACTS: Final[frozenset[FactKind]] = frozenset()
_FRAME_FACTS: Final = frozenset((FactKind.CONTACT, FactKind.PERSON))  # in headers and footers
_LABEL: Final = re.compile(r"[^\W\d][^:：]{1,40}[:：]\s?(?=\S)")
_SETTLED: Final = log1p(3)  # versions in which a text stood
_SELDOM: Final = 0.2  # of the steps
NEW_WORDS: Final = 4  # shorter passages that come or go are only important as entries, headings or facts


def is_fact(described: DescribedChange) -> bool:
    """Say whether a change is surely one of content."""
    return any(
        rule(described)
        for rule in (is_surely_a_fact, is_settled_fact, is_value, is_badge, is_file, is_notice, is_main_picture)
    )


def is_surely_a_fact(described: DescribedChange) -> bool:
    """Say whether a fact was exchanged where pages state facts, in a text that stood still as long as it is known.

    Where no past is known it counts too: to miss a price is worse than to speak once of one that always changes. So
    does a fact in a closed part of the main content, which pages hide from view and not from readers.
    """
    of, change = described.features, described.change
    passage = change.passage
    kinds = described.facts.keys() & _facts_in(passage)
    exchanged = change.action in (EDITED, RECOUNTED) or (
        change.action == REPLACED
        and (
            (FactKind.PERSON in kinds and not of["quoted"])
            or (kinds & _STATED_ALONE and len(passage.words) < SHORT)
        )
    )
    return bool(
        kinds
        and exchanged
        and not of["seen before"]
        and (FactKind.CONTACT in kinds or not {"stamp", "now", "besides"} & described.hints)
        and ("counter" not in described.hints or kinds & {FactKind.MONEY, FactKind.CONTACT})
        and not (kinds == {FactKind.STATUS} and {"call", "request"} & described.hints)  # “Free newsletter”
        and (_in_main(passage) or not passage.hidden)
        and not of["clock"]
        and not passage.parts & _NO_FACTS_IN
        and (
            passage.linked <= 0.5  # noqa: PLR2004 - half
            or (passage.near_title and _in_main(passage) and not passage.above_title)
        )
        and (of["always stood"] or of["hidden in main"] or not of["past"])
    )


def _in_main(passage: Passage) -> bool:
    """Say whether a passage stands in the main part, or in what the page itself calls its content."""
    return passage.main or passage.content


def _facts_in(passage: Passage) -> frozenset[FactKind]:
    """Say which facts people watch for where a passage stands; footers state hours and what delivery costs."""
    if not passage.parts & _FRAME:
        return KEY_FACTS
    if _in_main(passage) and passage.parts <= {"form", "button", "sidebar"}:  # “Add to cart” is “Sold out” now
        return _FRAME_FACTS | {FactKind.STATUS}
    if passage.parts == {"footer"}:  # but not the sentences that say whom the site belongs to
        return _FRAME_FACTS | {FactKind.MONEY, FactKind.HOURS} if not is_imprint(passage) else _NO_FACTS
    return _FRAME_FACTS | {FactKind.HOURS} if passage.parts == {"header"} else _FRAME_FACTS


def is_settled_fact(described: DescribedChange) -> bool:
    """Say whether a fact that stood for some versions was exchanged in the main content, where little changes.

    It may be back at what it was before: a price that is lowered again is news, too.
    """
    of, passage = described.features, described.change.passage
    return bool(
        described.facts.keys() & KEY_FACTS
        and of["hard fact edited in main"]
        and not passage.parts
        and not {"counter", "stamp", "now", "besides"} & described.hints
        and of["stood"] >= _SETTLED
        and max(of["slot changed"], of["pattern changed"]) <= _SELDOM
    )


def is_notice(described: DescribedChange) -> bool:
    """Say whether a notice came, went or says something else, and it is none that changes all the time.

    A notice is called so, or it is a text above the title that always stood and gave way to another one, and a fact
    with it: “Good service on all lines” says so for months, until a line is closed.
    """
    change, passage, of = described.change, described.change.passage, described.features
    kinds = described.facts.keys()
    sides = [each for each in (change.old, change.new) if each is not None]
    gave_way = change.action == REPLACED and of["always stood"] and any(each.above_title for each in sides)
    return bool(
        described.facts
        and (
            passage.parts == {"notice"} or gave_way or (passage.parts == {"notice", "header"} and kinds & _OF_STATE)
        )
        and passage.kind == "text"
        and not passage.hidden
        and max(len(each.words) for each in sides) >= NEW_WORDS
        and not passage.parts & _NO_FACTS_IN
        and not {"counter", "stamp", "besides", "call", "request", "advert"} & described.hints
        and not of["seen before"]
        and max(of["slot changed"], of["section changed"]) <= _SELDOM
    )


def is_badge(described: DescribedChange) -> bool:
    """Say whether a few words that state how things are came to the title, or went: “Reserved”, “Sold out”."""
    change, passage, of = described.change, described.change.passage, described.features
    return bool(
        FactKind.STATUS in described.facts
        and change.action in (ADDED, REMOVED)
        and passage.near_title
        and _in_main(passage)
        and len(passage.words) < NEW_WORDS
        and not passage.parts
        and not passage.hidden
        and passage.linked <= 0.5  # noqa: PLR2004 - half
        and not {"counter", "stamp", "now", "besides", "call", "request"} & described.hints
        and not of["seen before"]
        and max(of["slot changed"], of["section changed"]) <= _SELDOM
    )


def _is_labelled(change: PassageChange) -> bool:
    """Say whether a line names what it states, before and after: “Serves: 4”."""
    if change.old is None or change.new is None or change.action == REPLACED:
        return False
    labels = [_LABEL.match(each.text) for each in (change.old, change.new)]
    return labels[0] is not None and labels[1] is not None and labels[0][0] == labels[1][0]


def is_file(described: DescribedChange) -> bool:
    """Say whether a file to download gave way to another one; no page does that by itself."""
    change, of = described.change, described.features
    known = of["always stood"] or not of["past"]
    return bool(of["file"] and of[REPLACED] and known and not change.passage.parts & _NO_FACTS_IN)


def is_value(described: DescribedChange) -> bool:
    """Say whether what a row of a table, or a list of definitions, states for a name is another value now."""
    change, passage, of = described.change, described.change.passage, described.features
    return bool(
        (passage.value or _is_labelled(change))
        and (_in_main(passage) or passage.near_title)
        and change.old is not None
        and change.new is not None
        and max(len(change.old.words), len(change.new.words)) < SHORT
        and not passage.parts & (_NO_FACTS_IN | _FRAME | {"sidebar"})
        and not {"counter", "stamp", "now", "besides"} & described.hints
        and not of["clock"]
        and (of["always stood"] or not of["past"])
    )


def is_main_picture(described: DescribedChange) -> bool:
    """Say whether the picture at the title of a page, one that says what it shows, was replaced by another one."""
    of, passage = described.features, described.change.passage
    return bool(
        of["described picture"]
        and not is_rebuilt_picture(described.change)
        and of["near title"]
        and _in_main(passage)
        and of[REPLACED]
        and (
            not of["in a part"] or (passage.parts == {"header"} and not passage.above_title and not passage.linked)
        )
        and not of["hint besides"]
        and (of["always stood"] or not of["past"])
    )
