"""Delivery of a message to a channel: a webhook, or any service that apprise supports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagedrift.app.model.channels import WEBHOOKS, checked_channel, scheme_of
from pagedrift.errors import InputError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.app.settings import Settings


class ChannelError(UnavailableError):
    """A message that did not arrive: for good, or to be tried again, perhaps not before a number of seconds."""

    def __init__(self, message: str, *, final: bool = False, after: float | None = None) -> None:
        super().__init__(message)
        self.final = final
        self.after = after


def send(channel: str, data: Mapping[str, Any], settings: Settings) -> None:
    """Send an alert; ChannelError if that did not work."""
    try:
        checked_channel(channel)
    except InputError as error:
        raise ChannelError(str(error), final=True) from None
    if scheme_of(channel) in WEBHOOKS:
        from pagedrift.app.notify import webhook

        webhook.send(channel, data, webhook.secret(settings.key, channel), allow_private=settings.allow_private)
    else:
        from pagedrift.app.notify import apprise_process

        apprise_process.send(channel, data, allow_private=settings.allow_private)
