"""API routes for where alerts are sent and when, and for test alerts."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from pagedrift.app.model.alert_schedule import Digest, Weekday
from pagedrift.app.model.alert_settings import INSTALLATION, MAX_TAGS, AlertSettings, hidden_settings
from pagedrift.app.model.channels import MAX_CHANNEL_CHARS
from pagedrift.app.model.options import MAX_ENTRIES
from pagedrift.app.notify import alert_preview
from pagedrift.app.store import alert_settings
from pagedrift.app.store.public_address import public_address, set_public_address
from pagedrift.app.web.api.schemas import NO_NUL
from pagedrift.app.web.api.shared import PREFIX
from pagedrift.app.web.request_context import person_of, settings_of, store_of
from pagedrift.errors import InputError

router = APIRouter(prefix=PREFIX)
Address = Annotated[str, Field(max_length=2_000, pattern=NO_NUL)]
Short = Annotated[str, Field(max_length=100, pattern=NO_NUL)]


def _described(name: str) -> Any:
    return Field(description=AlertSettings.model_fields[name].description)


class ShownAlertSettings(BaseModel):
    """Where alerts are sent and when; channels are shown without what lets others use them."""

    channels: Annotated[list[str], _described("channels")]
    tag_channels: Annotated[dict[str, list[str]], _described("tag_channels")]
    send: Annotated[Digest, _described("send")]
    digest_at: Annotated[str, _described("digest_at")]
    digest_day: Annotated[Weekday, _described("digest_day")]
    quiet_from: Annotated[str, _described("quiet_from")]
    quiet_until: Annotated[str, _described("quiet_until")]
    working_days: Annotated[list[Weekday], _described("working_days")]
    time_zone: Annotated[str, _described("time_zone")]
    address: Annotated[str, Field(description="what links in alerts begin with")]


class AlertSettingsChange(BaseModel):
    """The settings to change; others stay. A channel that is sent back as it was shown stays, too."""

    model_config = ConfigDict(extra="forbid")

    channels: Annotated[list[Address], Field(max_length=MAX_ENTRIES)] | None = None
    tag_channels: Annotated[dict[str, list[Address]], Field(max_length=MAX_TAGS)] | None = None
    send: Digest | None = None
    digest_at: Short | None = None
    digest_day: Weekday | None = None
    quiet_from: Short | None = None
    quiet_until: Short | None = None
    working_days: Annotated[list[Weekday], Field(max_length=7)] | None = None
    time_zone: Short | None = None
    address: Address | None = None


class ChannelTest(BaseModel):
    """A channel to test."""

    model_config = ConfigDict(extra="forbid")

    channel: Annotated[str, Field(max_length=MAX_CHANNEL_CHARS, pattern=NO_NUL)]
    send: Annotated[bool, Field(description="send it; otherwise it is only shown")] = False


class TestedChannel(BaseModel):
    """The test alert as it arrives."""

    sent: bool
    format: str
    title: str
    body: str
    sample: Annotated[bool, Field(description="there was no alert to take, so it is made up")]
    warning: Annotated[str, Field(description="why its links may not work")]


@router.get("/alert-settings")
def read_alert_settings(request: Request) -> ShownAlertSettings:
    """Give where alerts are sent and when."""
    return _shown(request)


@router.patch("/alert-settings")
def change_alert_settings(request: Request, given: AlertSettingsChange) -> ShownAlertSettings:
    """Set where alerts are sent and when."""
    said: dict[str, Any] = given.model_dump(exclude_none=True, exclude={"address"})
    if said:
        alert_settings.save(store_of(request), said)
    if given.address is not None:
        set_public_address(store_of(request), given.address)
    return _shown(request)


@router.get("/alert-settings/mine")
def read_own_alert_settings(request: Request) -> ShownAlertSettings:
    """Give where you want alerts for yourself, in addition to the channels of the installation."""
    return _shown(request, owner=person_of(request))


@router.patch("/alert-settings/mine")
def change_own_alert_settings(request: Request, given: AlertSettingsChange) -> ShownAlertSettings:
    """Change where you want alerts for yourself; a tag with the channel “none” is off."""
    if given.address is not None:
        raise InputError("the address is that of the installation; leave it out here")
    said: dict[str, Any] = given.model_dump(exclude_none=True)
    alert_settings.save(store_of(request), said, owner=person_of(request))
    return _shown(request, owner=person_of(request))


@router.post("/channels/test")
def test_channel(request: Request, given: ChannelTest) -> TestedChannel:
    """Show the test alert that a channel gets, or send it."""
    make = alert_preview.send_test if given.send else alert_preview.make_test
    made = make(store_of(request), settings_of(request), given.channel)
    return TestedChannel(
        sent=given.send,
        format=made.prepared.format,
        title=made.prepared.title,
        body=made.prepared.body,
        sample=made.is_sample,
        warning=made.warning,
    )


def _shown(request: Request, *, owner: str = INSTALLATION) -> ShownAlertSettings:
    store = store_of(request)
    shown = hidden_settings(alert_settings.get(store, owner=owner))
    return ShownAlertSettings(**shown, address=public_address(store, settings_of(request)))
