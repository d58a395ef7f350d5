"""Rules for changes that are surely noise: counters, advertisements, menus, requests, what machines write."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.fact_words import NETWORKS, POLLS, SHARING
from pagedrift.does_it_matter.changes.facts import NOTHING_READ, FactKind, changed_facts, read
from pagedrift.does_it_matter.changes.features import differs_by_label
from pagedrift.does_it_matter.changes.pairing import EDITED, RECOUNTED, PassageChange
from pagedrift.does_it_matter.changes.surroundings import RECOMMENDED

if TYPE_CHECKING:
    from pagedrift.does_it_matter.changes.features import DescribedChange
    from pagedrift.does_it_matter.changes.passages import Passage

_COUNTED: Final = frozenset((FactKind.NUMBER, FactKind.QUANTITY))
_FILES: Final = frozenset((FactKind.FILE, FactKind.CONTACT))
_SAID_OF_OTHERS: Final = _FILES | {FactKind.STATUS, FactKind.TIME, FactKind.DATE, FactKind.HOURS, FactKind.DEADLINE}
_SHARES: Final = _COUNTED | {FactKind.PERCENTAGE}
# Letters and digits mixed, as only machines name files; “f0038932” is a number that a person may have given.
_BUILD: Final = re.compile(
    r"(?<![a-z\d])(?=[a-z]*\d)(?=\d*[a-z])(?![a-z]{1,20}\d{1,20}(?![a-z\d]))[a-z\d]{4,}(?![a-z\d])"
)
_OF_SOFTWARE: Final = frozenset((FactKind.VERSION, FactKind.NUMBER, FactKind.DATE, FactKind.DEADLINE))
_COPYRIGHT: Final = re.compile(r"©|\(c\) ?(?:19|20)\d\d|all rights reserved", re.IGNORECASE)
_AND: Final = r"[\s,:·]{0,3}(?:(?:and|und|et|y|e|en|i|a|og|och|ve|и)\s)?"
_DAYS: Final = (
    r"\d{1,4}\s?(?:d|days?|tage?n?|jours?|j|días?|giorn[io]|dias?|dagen|dag|dni|dzień|dn[íů]|pv|päivää|gün|日"
    r"|дн\w{0,4})"
)
_HOURS: Final = (
    r"\d{1,4}\s?(?:h|hrs?|hours?|std|stunden?|heures?|horas?|or[ea]|uur|uren|godz\w{0,4}|hodin\w{0,2}|timer|timmar|saat"
    r"|час\w{0,3}|時間)"
)
# What is left of the time, as a whole: beside it nothing else may change.
_COUNTDOWN: Final = re.compile(
    rf"\b(?:{_DAYS}{_AND}{_HOURS}\b"
    r"|(?:within|in the next|innerhalb|in den nächsten|dans les|binnen|entro|dentro de|próximas|w ciągu|během|inom"
    rf"|innen)\b[\w\s]{{0,20}}?{_HOURS}{_AND}\d{{1,4}}\s?min"
    # What is that old grows older by itself.
    r"|\d{1,3} (?:seconds?|minutes?|hours?|days?|weeks?|months?|years?) ago\b"
    r"|vor \d{1,3} (?:Minuten?|Stunden?|Tag(?:en)?|Wochen?|Monat(?:en)?|Jahr(?:en)?)\b"
    r"|il y a \d{1,3} (?:minutes?|heures?|jours?|semaines?|mois|ans?)\b"
    r"|(?:hace|há) \d{1,3} (?:minutos?|horas?|d[ií]as?|semanas?|mes(?:es)?|años?|anos?)\b)",
    re.IGNORECASE,
)
_LOADING: Final = re.compile(
    r"(?:loading|please wait|chargement(?: en cours)?|wird geladen|cargando|caricamento|carregando|laden|ładowanie"
    r"|načítání|загрузка|laddar|laster|読み込み中|加载中)\W*",
    re.IGNORECASE,
)
_TICKER: Final = re.compile(
    r"-?\d+(?:[.,]\d)? ?°(?: ?[CF]\b|(?=[\s,;:.)|]|$)(?! ?\w))"
    r"|\b1 ?(?:[A-Z]{3}|[€$£]) ?= ?[\d.,€$£]+(?: ?[A-Z]{3})?"
)
_POLL: Final = re.compile(rf"\b(?:{'|'.join(POLLS.split())})\b|アンケート", re.IGNORECASE)
_WAY: Final = re.compile(r"[^»›]{1,40}(?: [»›] [^»›]{1,60})+")
_LINE_WORDS: Final = 40
LEGAL_WORDS: Final = 25  # a footer states facts in fewer
_MOSTLY_LINKED: Final = 0.5  # of the words
_MAX_SHARING: Final = 200  # characters
_ASKING_WORDS: Final = 10  # a longer heading says more
_COOKIES: Final = re.compile(r"\bcookies?\b|クッキー|файл\w* cookie", re.IGNORECASE)
RESTLESS: Final = 0.4  # a place that changed in so many of the steps, counted with caution, does so by itself
# Facts that people watch pages for. A bare number may be a counter; a version or a date is often a stamp.
KEY_FACTS: Final = frozenset(
    (
        FactKind.MONEY,
        FactKind.DEADLINE,
        FactKind.HOURS,
        FactKind.CONTACT,
        FactKind.PERCENTAGE,
        FactKind.PERSON,
        FactKind.STATUS,
    )
)
_WORDS_OF_MENUS: Final = _COUNTED | {FactKind.STATUS, FactKind.OBLIGATION}  # “Online services”, “Open data”
# What stands in a menu may be more than an entry of it; telephone numbers there are often others for each visitor.
_STATED_IN_MENUS: Final = KEY_FACTS - {FactKind.CONTACT, FactKind.PERSON}
NOT_ASKED: Final = frozenset(
    (FactKind.MONEY, FactKind.DEADLINE, FactKind.HOURS, FactKind.CONTACT, FactKind.PERCENTAGE)
)  # in a text that only asks for something


def is_noise(described: DescribedChange) -> bool:
    """Say whether a change is surely not one of content, such as a counter or a list in another order."""
    of = described.features
    return bool(
        is_counter(described)
        or is_advertisement(described)
        or (of["moment"] and not of["in main"])
        or of["shuffled"]
        or is_written_by_machine(described)
        or is_software(described)
        or is_consent(described)
        or is_copyright(described.change)
        or _LOADING.fullmatch(described.change.passage.text)
        or is_rebuilt_picture(described.change)
        or is_decoration(described)
        or is_rotating(described)
        or is_besides(described)
        or is_menu(described)
        or is_request(described)
        or (differs_by_label(described.change) and not described.facts)
        or is_sharing(described.change)
        or is_imprint(described.change.passage)
    )


def is_countdown_or_ticker(described: DescribedChange) -> bool:
    """Say whether a line says what is another thing every hour, and states no other fact that changed."""
    return is_countdown(described.change) or is_ticker(described)


def is_menu(described: DescribedChange) -> bool:
    """Say whether an entry of a menu, header or footer changed, or links before the title and all running text.

    Or the way to a page from above, as in “Home » Club » Rules”.
    """
    of, passage = described.features, described.change.passage
    linked, kinds = passage.linked > _MOSTLY_LINKED, described.facts.keys()
    stated = _STATED_IN_MENUS - {FactKind.STATUS} if linked else _STATED_IN_MENUS
    entry = of["in navigation"] and of["label"] and kinds.isdisjoint(stated)
    sides = [each for each in (described.change.old, described.change.new) if each is not None]
    way = of["label"] and not described.facts and all(_WAY.fullmatch(each.text) for each in sides)
    way = way and any(each.above_title or each.linked for each in sides)  # else it may be the way of a bus
    framed = linked and not passage.parts.isdisjoint(("header", "footer")) and not (passage.main or passage.content)
    entry = entry or (framed and of["label"] and kinds <= _WORDS_OF_MENUS)
    return bool(entry or way or (of["links above title"] and kinds.isdisjoint(KEY_FACTS)))


def is_request(described: DescribedChange) -> bool:
    """Say whether a text comes or goes that asks for something, such as for a subscription, and states no fact.

    Or it stands below a heading that asks, as in “Sign up for our letter”.
    """
    passage = described.change.passage
    asked = described.features["request whole"] or (
        not passage.near_title and passage.kind == "text" and asks(passage.under)
    )
    return bool(asked and not described.facts.keys() & NOT_ASKED)


@lru_cache(maxsize=1_000)
def asks(heading: str) -> bool:
    """Say whether a heading asks its readers for something."""
    return bool(heading) and len(heading.split()) <= _ASKING_WORDS and "request" in read(heading).hints


def is_imprint(passage: Passage) -> bool:
    """Say whether a long text at the foot of all pages says whom the site belongs to."""
    return "footer" in passage.parts and len(passage.words) >= LEGAL_WORDS and not (passage.main or passage.content)


def is_sharing(change: PassageChange) -> bool:
    """Say whether a line only names where a page can be passed on to.

    >>> from pagedrift.does_it_matter.changes.passages import Passage
    >>> sides = (Passage(words=(), text=text) for text in ("Share: LinkedIn E-mail", "Share: WhatsApp E-mail"))
    >>> is_sharing(PassageChange("edited", *sides))
    True
    """
    sides = [each for each in (change.old, change.new) if each is not None and each.kind == "text"]
    named = [set(_bare_words(each)) for each in sides]
    return bool(named) and all(each and each <= NETWORKS for each in named)


def _bare_words(passage: Passage) -> list[str]:
    words = passage.text.lower().split() if len(passage.text) <= _MAX_SHARING else []
    return [word for each in words if (word := each.strip(":|·•/,.+")) and word not in SHARING]


def is_besides(described: DescribedChange) -> bool:
    """Say whether something comes or goes outside of the main part, under a heading like “Related jobs”.

    Or anything but a file or a contact is another one among what a page calls recommended; or shares and numbers
    alone are others in a box, under a heading like “Poll”.
    """
    of, passage = described.features, described.change.passage
    in_place = described.change.action in (EDITED, RECOUNTED)
    if RECOMMENDED in passage.parts and described.facts.keys().isdisjoint(_SAID_OF_OTHERS if in_place else _FILES):
        return True
    if described.facts and described.facts.keys() <= _SHARES and _POLL.search(passage.under or ""):
        return bool(of["in a part"] or not of["in main"])
    whole = described.change.action not in (EDITED, RECOUNTED)
    return bool(of["besides outside"] and whole)


def is_rotating(described: DescribedChange) -> bool:
    """Say whether a text comes and goes again and again, in a section where something does at most visits."""
    of = described.features
    whole = described.change.action not in (EDITED, RECOUNTED)
    return bool(of["rotates"] and of["section changed"] >= RESTLESS and (whole or of["hint besides"]))


def is_written_by_machine(described: DescribedChange) -> bool:
    """Say whether something stands outside of the main part, close to a time with seconds or a checksum."""
    of = described.features
    return bool(of["by machine outside"] and not of["hard fact edited"])


def is_software(described: DescribedChange) -> bool:
    """Say whether all that changed in a footer are numbers that may be versions of what runs the site."""
    change = described.change
    numbers = described.facts.keys() <= _OF_SOFTWARE
    return bool(change.action == RECOUNTED and "footer" in change.passage.parts and numbers)


def is_consent(described: DescribedChange) -> bool:
    """Say whether a text outside of the main part speaks of cookies."""
    passage = described.change.passage
    return not passage.main and _COOKIES.search(passage.text) is not None


def is_copyright(change: PassageChange) -> bool:
    """Say whether a short line says to whom the page belongs, before and after."""
    sides = [each for each in (change.old, change.new) if each is not None]
    return all(len(each.words) < _LINE_WORDS and _COPYRIGHT.search(each.text) for each in sides)


def is_countdown(change: PassageChange) -> bool:
    """Say whether a text counts the time until or since something, or what is left of it, and no more changed."""
    if change.action not in (EDITED, RECOUNTED) or not _COUNTDOWN.search(change.passage.text):
        return False
    return not _states_more(change, _COUNTDOWN)


def is_ticker(described: DescribedChange) -> bool:
    """Say whether a short line gives the weather of today, or outside of the main part a rate or temperature."""
    change, passage = described.change, described.change.passage
    if len(passage.words) >= _LINE_WORDS // 2 or not _TICKER.search(passage.text):
        return False
    beside = not described.features["in main"] and change.action in (EDITED, RECOUNTED)
    return (beside or "now" in described.hints) and not _states_more(change, _TICKER)


def _states_more(change: PassageChange, expression: re.Pattern[str]) -> bool:
    """Say whether facts differ in what is left of a text without what an expression finds there."""
    rest = (read(expression.sub(" ", each.text)) if each else NOTHING_READ for each in (change.old, change.new))
    old, new = (each.facts for each in rest)
    return not changed_facts(old, new).keys().isdisjoint(KEY_FACTS | {FactKind.OBLIGATION})


def is_decoration(described: DescribedChange) -> bool:
    """Say whether a picture around the content was replaced that is described as before, such as a logo."""
    old, new = described.change.old, described.change.new
    if old is None or new is None or new.kind != "picture" or (new.near_title and not new.parts):
        return False
    return old.text == new.text and bool(new.parts or not new.main)


def is_rebuilt_picture(change: PassageChange) -> bool:
    """Say whether a picture is described as before, and its file as well but for the number of a build."""
    if change.old is None or change.new is None or change.new.kind != "picture":
        return False
    written = [each.words[0] for each in (change.old, change.new)]
    if any(" " in each for each in written):  # their bytes are known, and differ
        return False
    return change.old.text == change.new.text and _BUILD.sub("", written[0]) == _BUILD.sub("", written[1])


def is_counter(described: DescribedChange) -> bool:
    """Say whether a line holds a large number that grew by a little, and no other fact changed."""
    soft = all(kind in _COUNTED for kind in described.facts)
    named = described.change.passage.value and "counter" not in described.hints  # a rating in a table, perhaps
    return bool(soft and described.features["counted up"] and described.features["label"] and not named)


def is_advertisement(described: DescribedChange) -> bool:
    """Say whether an advertisement changed."""
    return bool(described.features["in advertisement"])
