"""Sentences about decisions and visits: why an alert was sent or not, and what a visit found.

This is the only place where a reason becomes words. Nothing reads the words again.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import moment
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Details = Mapping[str, Any]

NOT_TOLD: Final = "not told: "


def sentence(reason: str, details: Details, *, notify: bool) -> str:
    """Say why an alert was sent or not.

    >>> sentence("matters", {"probability": 0.83, "headline": "price 24 € → 29 €"}, notify=True)
    'matters with 0.83: price 24 € → 29 €; you asked for changes that matter'
    """
    prefix = "" if notify or reason in _WITHOUT_PREFIX else NOT_TOLD
    return prefix + _SENTENCES[reason](details)


def because(reason: str, details: Details) -> str:
    """Say the same beside a headline and the answer whether it was told, without repeating either.

    >>> because("matters", {"probability": 0.83, "headline": "price 24 € → 29 €"})
    'matters with 0.83; you asked for changes that matter'
    """
    return _SENTENCES[reason]({name: value for name, value in details.items() if name != "headline"})


def answer(reason: str, details: Details, *, notify: bool) -> str:
    """Say whether it was told and why, beside a headline.

    >>> answer("changes_muted", {}, notify=False)
    'not told: you asked not to be told of changes'
    """
    told, why = "told" if notify else "not told", because(reason, details)
    if reason == "legacy":  # such a sentence says itself whether it was told
        return why or told
    return f"{told}: {why}"


def redesign(replaced: float) -> str:
    """Say how much of the frame of a page is another, as the headline of a redesign.

    >>> redesign(0.83)
    '83 % of the frame replaced'
    """
    return f"{_percent(replaced)} of the frame replaced"


def joined(remarks: Iterable[str]) -> str:
    """Put remarks about one visit into one line."""
    return "; ".join(filter(None, remarks))


# Remarks about visits


def found_at(url: str) -> str:
    """Say that a redirect led elsewhere."""
    return f"found at {url}"


def expensive(seconds: float, host: str) -> str:
    """Say why a host is visited less often."""
    return f"comparing it took {seconds:.0f} s of processor time, so {host} is visited less often"


def nothing_left(hidden: int) -> str:
    """Say why a page whose bytes differ is unchanged."""
    return f"only what is left out changed ({hidden})" if hidden else "nothing but noise changed"


def not_kept(probability: float) -> str:
    """Say why the policy of a watch skipped a version."""
    return f"not kept: it matters with {probability:.2f} only, and what matters is kept"


def not_compared(trouble: str) -> str:
    """Say what is known of a change that could not be looked into."""
    return f"changed, but how is not known: {trouble}"


def pages_added(number: int) -> str:
    """Say what a list led to."""
    return f"{number:,} more pages are watched"


def documents(new: int, left: int) -> str:
    """Say how many documents of a site were new, and how many are left for the next visit."""
    return f"{new:,} new" + (f", {left:,} still to look at" if left else "") if new or left else ""


def visit_failed(error: str) -> str:
    """Say that a mistake of ours ended a visit."""
    return f"the visit failed ({error}); see the log, and report it"


ROBOTS_FORBID: Final = "robots.txt forbids it"
FETCHED_DIFFERENTLY: Final = (
    "it is fetched in another way since its options were changed, and compared from here on"
)
PREVIOUS_LOST: Final = "the version before could not be read; it is compared again from here on"
SKIPPED_BEFORE: Final = "the same as what was found before and not kept"


# How it is known that something else came instead of the page


def status(code: int | None) -> str:
    """Say which status the server gave."""
    return f"status {code}"


def titled(title: str, words: int | None = None) -> str:
    """Say what a page is titled, and how short it is where that counts."""
    return f"it is titled “{cut(title, 60)}”" + (f" and has {counted(words, 'word')}" if words is not None else "")


def marked(mark: str, words: int) -> str:
    """Say which mark stands in the source of a short page."""
    return f"it has {mark} in {counted(words, 'word')}"


def parked(mark: str) -> str:
    """Say by which mark a domain is known to be parked."""
    return f"it has {mark}: the domain is parked"


def asks_for_password(words: int) -> str:
    """Say that a short page wants a password."""
    return f"it asks for a password in {counted(words, 'word')}"


def says(text: str, words: int) -> str:
    """Say which words of a short page give it away."""
    return f"it says “{text}” in {counted(words, 'word')}"


def empty(text: str, *, scripted: bool) -> str:
    """Say that there is nothing to read, or only that something is on its way."""
    hint = "; it may be made by scripts, visit it with a browser" if scripted else ""
    return f"it says “{cut(text, 60)}”{hint}" if text else f"it has no words{hint}"


def shown_by_others(pages: int) -> str:
    """Say that other pages of the host are replaced by the same."""
    return f"{counted(pages, 'other page')} of the host show the same short page"


def taken_anyway(visits: int, why: str) -> str:
    """Say of what looks like something else why it is the page now."""
    return f"taken as the page after {counted(visits, 'visit')}, though {why}"


ONLY_HEADERS: Final = "nothing came but headers"


# Reasons of decisions


def _nothing_changed(details: Details) -> str:
    hidden = details.get("hidden")
    return "nothing changed" + (f": your selectors and rules hide {counted(hidden, 'step')}" if hidden else "")


def _flipped_back(details: Details) -> str:
    return f"the page flipped back to what it was on {moment(datetime.fromisoformat(details['seen_on']))}"


def _selection_lost(details: Details) -> str:
    return f"your selector {cut(details['selector'], 100)} finds nothing any more; check the page and mend it"


def _redesigned(details: Details) -> str:
    return _for_all(details, joined((details.get("headline", ""), "you asked to be told of redesigns")))


def _any_change(details: Details) -> str:
    return _for_all(details, f"changed{_what(details)}; you asked for any change")


def _amount_too_small(details: Details) -> str:
    return f"{details['amount']:.2g} is below your {details['at_least']:g}"


def _amount_reached(details: Details) -> str:
    said = f"{details['amount']:.2g} of the page changed; you asked for {details['at_least']:g} and more"
    return _for_all(details, said)


def _matters(details: Details) -> str:
    said = f"matters with {details['probability']:.2f}{_what(details)}; you asked for changes that matter"
    return _for_all(details, said)


def _matters_too_little(details: Details) -> str:
    return f"matters only with {details['probability']:.2f}{_what(details)}; you asked for changes that matter"


def _already_sent(details: Details) -> str:
    return f"already told on {datetime.fromisoformat(details['sent_at']):%Y-%m-%d}"


def _too_few_failures(details: Details) -> str:
    return f"{counted(details['failures'], 'visit')} in a row failed, and you are told after {details['allowed']}"


def _trouble_already_sent(details: Details) -> str:
    return f"told already, after {details['allowed']} visits that failed"


def _trouble(details: Details) -> str:
    return f"{counted(details['failures'], 'visit')} in a row failed, the last one: {cut(details['last'])}"


def _recovered(details: Details) -> str:
    return f"it can be visited again, after {counted(details['failures'], 'visit')} that failed"


def _selector_stopped(details: Details) -> str:
    css, text = details.get("closest", ""), details.get("closest_text", "")
    near = f"; closest is {css} (“{cut(text, 60)}”)" if css else ""
    name = f"{details['name']} ({cut(details['expression'], 100)})"
    before, since = _percent(details["before"]), _percent(details["since"])
    return f"the selector {name} matched on {before} of the visits, now on {since}{near}"


def _legacy(details: Details) -> str:
    return str(details.get("text", ""))


def _always(text: str) -> Callable[[Details], str]:
    return lambda _: text


def _what(details: Details) -> str:
    headline = details.get("headline")
    return f": {headline}" if headline else ""


def _for_all(details: Details, said: str) -> str:
    """Say of a change that other pages have as well for how many of them it is told."""
    elsewhere = details.get("elsewhere", 0)
    return f"told once for {counted(elsewhere + 1, 'page')}; {said}" if elsewhere else said


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


_WITHOUT_PREFIX: Final = frozenset({"already_sent", "legacy"})
_SENTENCES: Final[dict[str, Callable[[Details], str]]] = {
    "nothing_changed": _nothing_changed,
    "flipped_back": _flipped_back,
    "selection_lost": _selection_lost,
    "not_visible": _always("only what a reader does not see changed, such as scripts and metadata"),
    "redesigned": _redesigned,
    "changes_muted": _always("you asked not to be told of changes"),
    "any_change": _any_change,
    "amount_too_small": _amount_too_small,
    "amount_reached": _amount_reached,
    "matters": _matters,
    "matters_too_little": _matters_too_little,
    "already_sent": _already_sent,
    "watch_edited": _always("the watch was changed meanwhile"),
    "trouble_muted": _always("you asked not to be told of trouble"),
    "too_few_failures": _too_few_failures,
    "trouble_already_sent": _trouble_already_sent,
    "trouble": _trouble,
    "recovered": _recovered,
    "recovery_of_nothing": _always("the trouble was not told either"),
    "selector_stopped": _selector_stopped,
    "legacy": _legacy,
}
