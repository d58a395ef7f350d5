"""Sentences made of reasons and counts: why an alert was sent or not, how sure a verdict is, what a check found.

This is the only place where such a sentence is put together. Nothing reads the words again.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import moment
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Details = Mapping[str, Any]

IGNORED: Final = "Ignored because "
_RESULTS: Final = {
    "new": "new",
    "changed": "changed",
    "unchanged": "without a change",
    "not_the_page": "blocked or error page",
    "trouble": "failed",
    "skipped": "not stored",
}
_LEGACY_IGNORED: Final = "not told:"  # how such sentences began in older releases


def sentence(reason: str, details: Details, *, notify: bool) -> str:
    """Say why an alert was sent or not.

    >>> sentence("matters", {"probability": 0.83, "headline": "price 24 € → 29 €"}, notify=True)
    'Important, 83 % sure: price 24 € → 29 €'
    >>> sentence("amount_too_small", {"amount": 0.02, "at_least": 0.05}, notify=False)
    'Ignored because only 2 % of the page changed; the minimum is 5 %'
    """
    text = _SENTENCES[reason](details)
    if notify:
        return sentence_case(text)
    if reason == "legacy":
        return IGNORED + text.removeprefix(_LEGACY_IGNORED).lstrip() if text.startswith(_LEGACY_IGNORED) else text
    return IGNORED + text


def because(reason: str, details: Details) -> str:
    """Give the reason alone, to stand next to a headline.

    >>> because("matters", {"probability": 0.83, "headline": "price 24 € → 29 €"})
    'important, 83 % sure'
    """
    return _SENTENCES[reason](_without_headline(details)).removeprefix(_LEGACY_IGNORED).lstrip()


def answer(reason: str, details: Details, *, notify: bool) -> str:
    """Say whether an alert was sent and why, next to a headline.

    >>> answer("changes_muted", {}, notify=False)
    'Ignored because alerts about changes are turned off'
    """
    if not notify:
        return sentence(reason, _without_headline(details), notify=False) or "Ignored"
    why = because(reason, details)
    return f"Alert sent: {why}" if why else "Alert sent"


def _without_headline(details: Details) -> Details:
    return {name: value for name, value in details.items() if name != "headline"}


def sentence_case(text: str) -> str:
    """Begin a text with a capital letter, unless it begins with a name or an address.

    >>> sentence_case("could not connect"), sentence_case("https://city.example is down"), sentence_case("iPad")
    ('Could not connect', 'https://city.example is down', 'iPad')
    """
    first = text.partition(" ")[0].rstrip(",;:")
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text


# Verdicts, shares and counts


def level_verdict(level: str, probability: float) -> str:
    """Say at which level a change or an edit is, and how sure that is.

    >>> level_verdict("important", 0.83), level_verdict("minor", 0.7), level_verdict("noise", 0.11)
    ('Important, 83 % sure', 'Minor, 70 % sure', 'Probably noise, 11 % likely to be content')
    """
    if level == "noise":
        return f"Probably noise, {percent(probability)} likely to be content"
    return f"{level.capitalize()}, {percent(probability)} sure"


def why_level(
    *,
    reason: str = "",
    because: str = "",
    facts: Iterable[str] = (),
    zone: str = "",
    changed_before: int = 0,
    steps: int = 0,
    taught: Details | None = None,
) -> str:
    """Say why an edit is at its level: what you said, what it touches, where it stands, how the place behaved.

    `because` is the sentence of the reason, and what that says already is not repeated.

    >>> why_level(facts=["amount of money"], zone="main content", steps=12)
    'amount of money; in the main content; this place did not change in 12 versions before'
    >>> why_level(because="it looks like a counter", zone="boilerplate", changed_before=9, steps=12)
    'it looks like a counter; in the boilerplate; this place changed in 9 of 12 versions before'
    """
    before = ""
    if steps and reason != "restless":
        often = f"changed in {changed_before:,} of" if changed_before else "did not change in"
        before = f"this place {often} {counted(steps, 'version')} before"
    where = "" if reason in ("zone", "selected") else _where(zone)
    return joined((said(taught) if taught else "", because or ", ".join(facts), where, before))


SELECTED: Final = "you selected this part of the page"


def _where(zone: str) -> str:
    return (
        zone if not zone or zone.startswith("next to") else f"in {'a' if zone.startswith('list') else 'the'} {zone}"
    )


def said(taught: Details) -> str:
    """Say which feedback decides about an edit.

    >>> said({"matters": False, "times": 12, "scope": "host"})
    'you said 12 times that such edits are not important on this site'
    """
    times = f" {counted(taught['times'], 'time')}" if taught["times"] > 1 else ""
    reach = {"watch": "here", "host": "on this site", "group": "in this group"}.get(taught["scope"], "anywhere")
    return f"you said{times} that such edits are {'' if taught['matters'] else 'not '}important {reach}"


def broken_selector(*, status: str, proposal: str, probability: float) -> str:
    """Say what became of a selector, and what to write instead.

    >>> broken_selector(status="moved", proposal=".price", probability=0.93)
    'matches nothing now; use .price (93 % sure)'
    >>> broken_selector(status="gone", proposal="", probability=0)
    'what it matched is gone'
    """
    became = {"moved": "matches nothing now", "wrong": "matches something else now"}.get(
        status, "what it matched is gone"
    )
    return f"{became}; use {proposal} ({percent(probability)} sure)" if proposal else became


def lesson(kind: str, zone: str, *, matters: bool, times: int, example: str = "") -> str:
    """Say what feedback taught about edits of one kind at one place.

    >>> lesson("text", "boilerplate", matters=False, times=12, example="Visitors: 17 → 19")
    'You said 12 times that “Visitors: 17 → 19” (text, in the boilerplate) is not important'
    """
    what = f"“{cut(example, 80)}” ({kind}, {_where(zone)})" if example else f"{kind}, {_where(zone)},"
    often = f" {counted(times, 'time')}" if times > 1 else ""
    return f"You said{often} that {what} is {'' if matters else 'not '}important"


def logged(action: str, kind: str, title: str) -> str:
    """Say what somebody did, for the log.

    >>> logged("changed", "watch", "Fees"), logged("added", "feedback", "change 7")
    ('changed the watch Fees', 'gave feedback about change 7')
    """
    if kind == "feedback":
        return f"{'took back' if action == 'removed' else 'gave'} feedback about {title}"
    if kind == "invitation":
        return f"{'invited' if action == 'added' else 'withdrew the invitation of'} {_an(title)}"
    if kind == "setting":
        return f"changed the setting: {title}"
    return f"{action} the {kind} {cut(title, 100)}"


def _an(word: str) -> str:
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


def done(kind: str, count: int, *, value: str = "") -> str:
    """Say what was done with several watches or changes.

    >>> done("pause", 3), done("tag", 1, value="news"), done("read", 2)
    ('3 watches paused', '1 watch tagged news', '2 changes marked as read')
    """
    if kind in _DONE_WITH_CHANGES:
        return f"{counted(count, 'change')} {_DONE_WITH_CHANGES[kind]}"
    return f"{counted(count, 'watch', 'watches')} {_DONE_WITH_WATCHES[kind].format(cut(value, 80))}"


_DONE_WITH_CHANGES: Final = {
    "read": "marked as read",
    "unread": "marked as unread",
    "important": "saved as important",
    "not_important": "saved as not important",
}
_DONE_WITH_WATCHES: Final = {
    "check": "will be checked now",
    "pause": "paused",
    "resume": "resumed",
    "tag": "tagged {}",
    "untag": "no longer tagged {}",
    "every": "checked every {} from now on",
    "notify_on": "given another choice of alerts",
    "remove": "removed",
}


def cause(example: str, zone: str) -> str:
    """Name what caused changes that were ignored, by an example and where it stands.

    >>> cause("Visitors: 17 → 19", "boilerplate")
    '“Visitors: 17 → 19” in the boilerplate'
    """
    return f"“{cut(example, 100)}” {_where(zone)}".rstrip()


def judge(
    labels: int, right: tuple[int | None, int | None], *, learned: bool, off: bool = False, trouble: str = ""
) -> str:
    """Say what the judge of an installation learned from feedback, and whether it is used.

    >>> judge(20, (15, 18), learned=True)
    'The judge learned from 20 edits: it is right about 18 of them, left out one at a time, and was about 15 before'
    """
    if trouble:
        return f"The judge cannot learn from your feedback: {trouble}"
    if None in right:
        return "The judge learns from your feedback when there is enough of it, of both kinds"
    compared = f"right about {right[1]} of them, left out one at a time, and was about {right[0]} before"
    if not learned:
        return f"What the judge learned from {counted(labels, 'edit')} is not used, because it is worse: {compared}"
    used = "; it is turned off" if off else ""
    return f"The judge learned from {counted(labels, 'edit')}: it is {compared}{used}"


def redesign(replaced: float) -> str:
    """Say how much of the layout of a page was replaced, as the headline of a redesign.

    >>> redesign(0.83)
    '83 % of the layout replaced'
    """
    return f"{percent(replaced)} of the layout replaced"


def deliveries(done: int, waiting: int, lost: int) -> str:
    """Say how far the delivery of an alert is.

    >>> deliveries(2, 1, 0)
    'sent to 2 channels, 1 waiting'
    """
    parts = (
        f"sent to {counted(done, 'channel')}" if done else "",
        f"{waiting} waiting" if waiting else "",
        f"{lost} failed" if lost else "",
    )
    return ", ".join(filter(None, parts))


def percent(share: float) -> str:
    """Write a share; what is more than nothing never reads like nothing.

    >>> percent(0.071), percent(0.0004), percent(0), percent(0.9999)
    ('7 %', '< 1 %', '0 %', '99 %')
    """
    if 0 < share < 0.01:  # noqa: PLR2004 - one percent
        return "< 1 %"
    return f"{min(round(share * 100), 99) if share < 1 else 100} %"


def check_counts(outcomes: Mapping[str, int]) -> str:
    """Count checks by their result.

    >>> check_counts({"changed": 1, "unchanged": 2})
    '3 checks: 1 changed, 2 without a change'
    """
    counts = ", ".join(f"{number:,} {_RESULTS.get(name, name)}" for name, number in sorted(outcomes.items()))
    return counted(sum(outcomes.values()), "check") + (f": {counts}" if counts else "")


def joined(remarks: Iterable[str]) -> str:
    """Put remarks about one check into one line."""
    return "; ".join(filter(None, remarks))


# Remarks about checks


def found_at(url: str) -> str:
    """Say that a redirect led elsewhere."""
    return f"redirected to {url}"


def expensive(seconds: float, host: str) -> str:
    """Say why a host is checked less often."""
    return f"the comparison took {seconds:.0f} s of processor time, so {host} is checked less often"


def nothing_left(hidden: int) -> str:
    """Say why a page whose bytes differ is unchanged."""
    return f"only excluded parts changed ({counted(hidden, 'edit')})" if hidden else "only noise changed"


def not_kept(level: str, probability: float) -> str:
    """Say why the policy of a watch skipped a version."""
    return f"not stored: {level_verdict(level, probability).lower()}"


def not_compared(trouble: str) -> str:
    """Say what is known of a change that could not be analysed."""
    return f"changed, but could not be compared: {trouble}"


def pages_added(number: int) -> str:
    """Say how many pages of a list were added."""
    return f"started watching {counted(number, 'more page')}"


def documents(new: int, left: int) -> str:
    """Say how many documents of a site were new, and how many are left for the next check."""
    return f"{new:,} new" + (f", {left:,} left for the next check" if left else "") if new or left else ""


def visit_failed(error: str) -> str:
    """Say that a bug of Pagedrift ended a check."""
    return f"the check failed because of a bug in Pagedrift ({error}); see the log and report it"


ROBOTS_FORBID: Final = "robots.txt does not allow it"
FETCHED_DIFFERENTLY: Final = "its fetch options were changed; comparison starts again from this version"
PREVIOUS_LOST: Final = "the previous version could not be read; comparison starts again from this version"
SKIPPED_BEFORE: Final = "same as the last version that was not stored"


# Reasons of decisions


def _nothing_changed(details: Details) -> str:
    hidden = details.get("hidden")
    return f"your selectors and rules hide {counted(hidden, 'edit')}" if hidden else "nothing changed"


def _flipped_back(details: Details) -> str:
    return f"the page went back to its version of {moment(datetime.fromisoformat(details['seen_on']))}"


def _selection_lost(details: Details) -> str:
    return (
        f"your selector {cut(details['selector'], 100)} no longer matches; check the page and update the selector"
    )


def _redesigned(details: Details) -> str:
    return _for_all(details, details.get("headline") or "the site was redesigned")


def _any_change(details: Details) -> str:
    return _for_all(details, f"the page changed{_what(details)}")


def _amount_too_small(details: Details) -> str:
    amount, minimum = percent(details["amount"]), percent(details["at_least"])
    return f"only {amount} of the page changed; the minimum is {minimum}"


def _amount_reached(details: Details) -> str:
    return _for_all(details, f"{percent(details['amount'])} of the page changed")


def _condition_met(details: Details) -> str:
    values = f": {details['old']} → {details['new']}" if details.get("new") else ""
    return _for_all(details, f"your condition “{details['condition']}” is met{values}")


def _condition_not_met(details: Details) -> str:
    values = f": {details['old']} → {details['new']}" if details.get("new") else ""
    return f"your conditions are not met{values}"


def _condition_on_date(_: Details) -> str:
    return "there is an alert of its own about the date that the page shows"


def _expires(details: Details) -> str:
    days = details["days"]
    when = f"is in {counted(days, 'day')}" if days > 0 else "is today" if days == 0 else "has passed"
    return f"{details['day']} {when}: your condition “{details['condition']}” is met"


def _matters(details: Details) -> str:
    if taught := details.get("taught"):
        return _for_all(details, f"{said(taught)}{_what(details)}")
    return _for_all(details, f"important, {percent(details['probability'])} sure{_what(details)}")


def _content(details: Details) -> str:
    return _for_all(details, f"the content changed, {percent(details['probability'])} sure{_what(details)}")


def _matters_too_little(details: Details) -> str:
    if taught := details.get("taught"):
        return f"{said(taught)}{_what(details)}"
    if details.get("level") == "minor":
        return f"it is minor and you want alerts about important changes{_what(details)}"
    return f"it is probably noise, {percent(details['probability'])} likely to be content{_what(details)}"


def _already_sent(details: Details) -> str:
    return f"an alert about the same change was sent on {datetime.fromisoformat(details['sent_at']):%Y-%m-%d}"


def _too_few_failures(details: Details) -> str:
    return f"only {counted(details['failures'], 'check')} in a row failed; alerts start at {details['allowed']}"


def _trouble_already_sent(details: Details) -> str:
    return f"an alert was already sent after {counted(details['allowed'], 'failed check')}"


def _trouble(details: Details) -> str:
    return f"{counted(details['failures'], 'check')} in a row failed; last error: {cut(details['last'])}"


def _recovered(details: Details) -> str:
    return f"the page can be checked again after {counted(details['failures'], 'failed check')}"


def _selector_stopped(details: Details) -> str:
    css, text = details.get("closest", ""), details.get("closest_text", "")
    near = f"; closest match: {css} (“{cut(text, 60)}”)" if css else ""
    name = f"{details['name']} ({cut(details['expression'], 100)})"
    before, since = percent(details["before"]), percent(details["since"])
    return f"the selector {name} matched in {before} of the checks before, now in {since}{near}"


def _legacy(details: Details) -> str:
    return str(details.get("text", ""))


def _always(text: str) -> Callable[[Details], str]:
    return lambda _: text


def _what(details: Details) -> str:
    headline = details.get("headline")
    return f": {headline}" if headline else ""


def _for_all(details: Details, said: str) -> str:
    """Say for how many pages an alert is, if other pages have the same change."""
    elsewhere = details.get("elsewhere", 0)
    return f"one alert for {counted(elsewhere + 1, 'page')}; {said}" if elsewhere else said


_SENTENCES: Final[dict[str, Callable[[Details], str]]] = {
    "nothing_changed": _nothing_changed,
    "flipped_back": _flipped_back,
    "selection_lost": _selection_lost,
    "not_visible": _always("only invisible content changed, such as scripts or metadata"),
    "redesigned": _redesigned,
    "changes_muted": _always("alerts about changes are turned off"),
    "any_change": _any_change,
    "amount_too_small": _amount_too_small,
    "amount_reached": _amount_reached,
    "condition_met": _condition_met,
    "condition_not_met": _condition_not_met,
    "condition_on_date": _condition_on_date,
    "expires": _expires,
    "matters": _matters,
    "content": _content,
    "matters_too_little": _matters_too_little,
    "already_sent": _already_sent,
    "watch_edited": _always("the watch was edited during the check"),
    "trouble_muted": _always("alerts about failed checks are turned off"),
    "too_few_failures": _too_few_failures,
    "trouble_already_sent": _trouble_already_sent,
    "trouble": _trouble,
    "recovered": _recovered,
    "recovery_of_nothing": _always("no alert had been sent about the failed checks"),
    "selector_stopped": _selector_stopped,
    "legacy": _legacy,
}
