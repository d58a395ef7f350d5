"""Pages about where alerts are sent and when: settings, and a test that shows what will arrive."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final
from zoneinfo import available_timezones

from fastapi import APIRouter, Depends, Request, Response

from pagedrift.app.model.alert_settings import INSTALLATION, WEEKDAYS, AlertSettings, hidden_settings, server_zone
from pagedrift.app.model.options import HIDDEN, masked
from pagedrift.app.notify import alert_preview
from pagedrift.app.store import alert_settings, queries, watches
from pagedrift.app.store.public_address import NAME, is_of_this_machine, public_address, set_public_address
from pagedrift.app.web.pages.shared import Fields, to, wake_scheduler
from pagedrift.app.web.request_context import person_of, settings_of, store_of
from pagedrift.app.web.templating import page
from pagedrift.errors import InputError, NotFoundError, PagedriftError
from pagedrift.report import alert_sentences
from pagedrift.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagedrift.app.settings import Settings

router = APIRouter()
MAX_CHANNELS: Final = 100  # channels that are listed
EMPTY_ROWS: Final = 1  # for tags that have no channels yet
FORMATS: Final = {
    "mail": "HTML mail",
    "markdown": "Chat message with Markdown",
    "short": "Short text",
    "text": "Plain text",
    "webhook": "JSON, in a signed request",
}


@dataclass(frozen=True, slots=True)
class ChannelLine:
    """A channel, without the parts that would let others use it."""

    key: str
    shown: str
    used: str


async def _given(request: Request) -> dict[str, Any]:
    """Read what was set in a form."""
    form = await request.form()
    return _read(
        {name: str(value) for name, value in form.multi_items()}, [*map(str, form.getlist("working_days"))]
    )


# --- settings --------------------------------------------------------------------------------------------------


@router.get("/settings/alerts")
def show_alert_settings(request: Request) -> Response:
    """Show where alerts are sent and when."""
    store = store_of(request)
    shown = hidden_settings(alert_settings.get(store)) | {"address": store.get(NAME) or ""}
    return _form(request, shown)


@router.get("/settings/my-alerts")
def show_own_alert_settings(request: Request) -> Response:
    """Show where somebody wants alerts for themselves, in addition to those of the installation."""
    own = alert_settings.get(store_of(request), owner=person_of(request))
    return _form(request, hidden_settings(own), owner=person_of(request))


Given = Annotated[dict[str, Any], Depends(_given)]


@router.post("/settings/my-alerts")
def save_own_alert_settings(request: Request, given: Given) -> Response:
    """Set where one wants alerts for oneself."""
    said, person = {name: value for name, value in given.items() if name != "address"}, person_of(request)
    try:
        alert_settings.save(store_of(request), said, owner=person)
    except InputError as error:
        return _form(request, said, str(error), 400, owner=person)
    wake_scheduler(request)
    return to("/settings?saved=alerts#channels")


@router.post("/settings/alerts")
def save_alert_settings(request: Request, given: Given) -> Response:
    """Set where alerts are sent and when."""
    return _save(request, given)


def _save(request: Request, given: dict[str, Any]) -> Response:
    store = store_of(request)
    try:
        alert_settings.save(store, {name: value for name, value in given.items() if name != "address"})
        set_public_address(store, given["address"])
    except InputError as error:
        return _form(request, given, str(error), 400)
    wake_scheduler(request)
    return to("/settings?saved=alerts#channels")


@router.post("/alerts/send-now")
def send_held(request: Request) -> Response:
    """Send the alerts now that wait for a digest or the end of quiet hours."""
    alert_settings.send_held(store_of(request), datetime.now(UTC))
    wake_scheduler(request)
    return to("/alerts")


def _read(form: Mapping[str, str], days: list[str]) -> dict[str, Any]:
    names = ("send", "digest_at", "digest_day", "quiet_from", "quiet_until", "time_zone", "address")
    tags: dict[str, list[str]] = {}
    for name, tag in form.items():
        at = name.removeprefix("tag_")
        if at.isdigit() and tag.strip():
            tags[tag.strip()] = _lines(form.get(f"tag_channels_{at}", ""))
    return {
        **{name: form.get(name, "").strip() for name in names},
        "channels": _lines(form.get("channels", "")),
        "tag_channels": tags,
        "working_days": [] if len(days) == len(WEEKDAYS) else days,
    }


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _form(
    request: Request,
    values: Mapping[str, Any],
    trouble: str = "",
    status: int = 200,
    *,
    owner: str = INSTALLATION,
) -> Response:
    store, settings = store_of(request), settings_of(request)
    usual = public_address(store, settings)
    tags = [*values["tag_channels"].items(), *(("", ()) for _ in range(EMPTY_ROWS))]
    return page(
        request,
        "alert_settings.html",
        status=status,
        values=values,
        trouble=trouble,
        tags=tags,
        known_tags=watches.tags(store),
        weekdays=WEEKDAYS,
        zones=sorted(available_timezones()),
        server_zone=str(server_zone()),
        usual_address=settings.base_url,
        only_here=is_of_this_machine(usual),
        lost=HIDDEN in str(alert_settings.get(store, owner=owner).model_dump()),
        own=owner != INSTALLATION,
    )


def summary(settings: AlertSettings) -> dict[str, str]:
    """Say in a few words where alerts are sent and when."""
    return {
        "Default channel": ", ".join(map(masked, settings.channels)) or "None",
        "By tag": ", ".join(settings.tag_channels) or "None",
        "When": schedule(settings),
    }


def schedule(settings: AlertSettings, *, send: str = "default", urgent: bool = False) -> str:
    """Say when alerts are sent, by the settings or by what a watch says instead."""
    return alert_sentences.schedule(
        send=settings.send if send == "default" else send,
        at=settings.digest_at,
        day=settings.digest_day,
        quiet=(settings.quiet_from, settings.quiet_until),
        working_days=settings.working_days,
        urgent=urgent,
    )


# --- test ------------------------------------------------------------------------------------------------------


def listed(used: Mapping[str, Sequence[str]], settings: Settings) -> list[ChannelLine]:
    """List channels, each by a key that does not give it away."""
    some = list(used.items())[:MAX_CHANNELS]
    return [ChannelLine(_key(settings, channel), masked(channel), _used(by)) for channel, by in some]


def _used(by: Sequence[str]) -> str:
    return f"used by {by[0][:60]}" + (f" and {counted(len(by) - 1, 'other')}" if len(by) > 1 else "")


def _key(settings: Settings, channel: str) -> str:
    return hmac.new(settings.key, f"channel:{channel}".encode(), "sha256").hexdigest()[:32]


@router.post("/settings/channels/preview")
def show_test(request: Request, form: Fields) -> Response:
    """Show what a test would send, to a channel that is known or to one that was typed."""
    return _test(request, form)


@router.post("/settings/channels/test")
def send_test(request: Request, form: Fields) -> Response:
    """Send a test alert to a channel that is known or to one that was typed."""
    store, settings = store_of(request), settings_of(request)
    try:
        alert_preview.send_test(store, settings, _channel(request, form))
    except NotFoundError:
        raise
    except PagedriftError as error:
        return _test(request, form, trouble=f"Could not send the test alert: {error}", status=400)
    return _test(request, form, sent=True)


def _test(
    request: Request, form: Mapping[str, str], *, sent: bool = False, trouble: str = "", status: int = 200
) -> Response:
    channel = _channel(request, form)
    try:
        made = alert_preview.make_test(store_of(request), settings_of(request), channel)
    except InputError as error:
        made, trouble, status = None, str(error), 400
    return page(
        request,
        "channel_test.html",
        status=status,
        made=made,
        sent=sent,
        trouble=trouble,
        shown=masked(channel) if "://" in channel else channel,
        format=FORMATS[made.prepared.format] if made else "",
        typed=form.get("new", ""),
        key=form.get("channel", ""),
    )


def _channel(request: Request, form: Mapping[str, str]) -> str:
    return form.get("new", "").strip() or _known(request, form.get("channel", ""))


def _known(request: Request, key: str) -> str:
    settings = settings_of(request)
    with store_of(request).read() as session:
        for channel in queries.channels(session):
            if hmac.compare_digest(_key(settings, channel), key):
                return channel
    raise NotFoundError("this channel is no longer in use; add it to a watch, a tag or the settings of alerts")
