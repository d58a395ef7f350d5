"""Previews of alerts: what arrives at a channel, shown before it is sent."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.alert import AlertPage
from pagedrift.app.model.channels import NO_ALERTS, checked_channel
from pagedrift.app.notify import alerts, channels
from pagedrift.app.notify.formats import PreparedMessage, format_of, prepare
from pagedrift.app.notify.message import TITLE, AlertBlock, compose
from pagedrift.app.notify.records import with_changes
from pagedrift.app.store import alerts as stored
from pagedrift.app.store.public_address import is_of_this_machine, public_address
from pagedrift.errors import InputError
from pagedrift.text import shorten_between_words

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

_TEST: Final = "Test"
_SAMPLE: Final = (
    AlertBlock(
        "A permit for a fence costs 24 € and holds for a year.",
        "A permit for a fence costs 29 € and holds for a year.",
    ),
    AlertBlock("", "Applications are accepted online from 1 March."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPreview:
    """A test alert for one channel, as it will arrive."""

    message: dict[str, Any]
    prepared: PreparedMessage
    is_sample: bool  # there was no alert to take
    warning: str = ""  # why its links may lead nowhere
    alert: int = 0  # whose message it is


def make_test(store: Store, settings: Settings, channel: str) -> AlertPreview:
    """Make a test alert of the last alert about a change, with the links that alerts have now."""
    known = checked_channel(channel)
    if known == NO_ALERTS:
        raise InputError("“none” sends no alerts; enter a channel to test")
    return make_preview(store, settings, known)


def make_preview(store: Store, settings: Settings, channel: str) -> AlertPreview:
    """Make what `make_test` does for a channel that was checked."""
    base_url, now = public_address(store, settings), datetime.now(UTC)
    with store.read() as session:
        last = stored.last_about_a_change(session)
    told = alerts.words(last, now, base_url) if last is not None else sample(base_url, now)
    title = told["title"] if told["title"].startswith(f"{_TEST}: ") else f"{_TEST}: {told['title']}"
    message = {**told, "uid": str(uuid.uuid4()), "title": shorten_between_words(title, TITLE), "test": True}
    format_ = format_of(channel)
    if format_ == "webhook":
        message = with_changes(store, message)
    return AlertPreview(
        message=message,
        prepared=prepare(message, format_),
        is_sample=last is None,
        warning=_warning(base_url),
        alert=0 if last is None else last.number,
    )


def send_test(store: Store, settings: Settings, channel: str) -> AlertPreview:
    """Send a test alert, and give what was sent; ChannelError where that did not work."""
    made = make_test(store, settings, channel)
    channels.send(checked_channel(channel), made.message, settings)
    return made


def sample(base_url: str, now: datetime) -> dict[str, Any]:
    """Give an alert about a page that does not exist."""
    page = AlertPage(watch="example", url="https://city.example/fees", name="Fees of the city")
    return compose(
        uid=str(uuid.uuid4()),
        verdict="matters",
        headline="Price 24 € → 29 € and 1 other change",
        pages=(page,),
        at=now,
        base_url=base_url,
        blocks=_SAMPLE,
        reason="important, 96 % sure",
        address="/alerts",
    )


def _warning(base_url: str) -> str:
    if not is_of_this_machine(base_url):
        return ""
    return (
        f"Links in alerts begin with {base_url}, which only works on this computer. "
        "If alerts are read elsewhere, set the address of this installation."
    )
