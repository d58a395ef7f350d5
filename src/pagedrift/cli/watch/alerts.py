"""The commands `pagedrift watch` alerts and channel: where alerts are sent, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.cli.common import answer_json, json_option
from pagedrift.cli.installation import opened, with_data
from pagedrift.cli.watch.output import FORMAT
from pagedrift.errors import InputError
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from pagedrift.app.model.alert_settings import AlertSettings
    from pagedrift.app.settings import Settings

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NONE: Final = "none"


@click.command()
@click.option("--channel", "channels", multiple=True, help="Default channel for all watches; '' for none.")
@click.option(
    "--tag-channel",
    "tags",
    multiple=True,
    metavar="TAG=CHANNEL",
    help="Channel for watches with a tag; TAG=none for no alerts, TAG= to use the default again.",
)
@click.option(
    "--send", type=click.Choice(["immediately", "hourly", "daily", "weekly"]), help="At once, or in a digest."
)
@click.option("--digest-at", metavar="HH:MM", help="Time of a daily or weekly digest.")
@click.option("--digest-day", type=click.Choice(_DAYS), help="Day of a weekly digest.")
@click.option("--quiet", metavar="HH:MM-HH:MM", help="Quiet hours, such as 22:00-07:00; 'none' for none.")
@click.option("--working-days", metavar="DAYS", help="Such as monday-friday or saturday,sunday; 'all' for all.")
@click.option("--time-zone", metavar="ZONE", help="Such as Europe/Berlin; '' for that of the server.")
@click.option(
    "--address", metavar="URL", help="Address of this installation, for links in alerts; '' for the usual."
)
@click.option("--send-now", is_flag=True, help="Send the alerts that wait for a digest or the end of quiet hours.")
@json_option
@with_data
def alerts(
    channels: tuple[str, ...],
    tags: tuple[str, ...],
    quiet: str | None,
    working_days: str | None,
    address: str | None,
    send_now: bool,
    as_json: bool,
    settings: Settings,
    **given: Any,
) -> None:
    """Show or set where alerts are sent and when. A tag, a group or a watch can have channels of its own.

    \b
    Examples:
      pagedrift watch alerts
      pagedrift watch alerts --channel mailto://anna:…@city.example --quiet 22:00-07:00
      pagedrift watch alerts --send daily --digest-at 08:00 --working-days monday-friday
      pagedrift watch alerts --tag-channel prices=ntfy://prices --tag-channel archive=none
    """
    from datetime import UTC, datetime

    from pagedrift.app.store import alert_settings
    from pagedrift.app.store.public_address import public_address, set_public_address

    said = {name: value for name, value in given.items() if value is not None}
    if channels:
        said["channels"] = [channel for channel in channels if channel]
    if quiet is not None:
        said |= _quiet_hours(quiet)
    if working_days is not None:
        said["working_days"] = _days(working_days)
    with opened(settings) as store:
        if tags:
            said["tag_channels"] = _tag_channels(tags, alert_settings.get(store))
        if said:
            alert_settings.save(store, said)
        if address is not None:
            set_public_address(store, address)
        if send_now:
            number = alert_settings.send_held(store, datetime.now(UTC))
            click.echo(f"{counted(number, 'alert')} will be sent by the next run", err=True)
        found, where = alert_settings.get(store), public_address(store, settings)
    _show(found, where, as_json=as_json)


def _show(found: AlertSettings, address: str, *, as_json: bool) -> None:
    from pagedrift.app.model.alert_settings import hidden_settings

    shown = hidden_settings(found) | {"address": address}
    if as_json:
        answer_json({"v": FORMAT, **shown})
        return
    for name, value in shown.items():
        click.echo(f"{name:<22}{cut(_written(value))}".rstrip())


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{tag}={channel}" for tag, several in value.items() for channel in several)
    return ", ".join(value) if isinstance(value, list) else str(value)


def _quiet_hours(written: str) -> dict[str, str]:
    if written.strip().lower() in ("", _NONE):
        return {"quiet_from": "", "quiet_until": ""}
    begins, dash, ends = written.partition("-")
    if not dash:
        raise InputError("quiet hours need a beginning and an end; write them as 22:00-07:00")
    return {"quiet_from": begins.strip(), "quiet_until": ends.strip()}


def _days(written: str) -> list[str]:
    """Read weekdays as people write them: names with commas, or from one to another."""
    if written.strip().lower() in ("", "all"):
        return []
    found: list[str] = []
    for part in written.lower().split(","):
        first, dash, last = (each.strip() for each in part.partition("-"))
        if first not in _DAYS or (dash and last not in _DAYS):
            raise InputError(
                f"“{part.strip()[:40]}” is not a weekday; write them as monday-friday or saturday,sunday"
            )
        start, end = _DAYS.index(first), _DAYS.index(last if dash else first)
        count = (end - start) % len(_DAYS) + 1
        found += [_DAYS[(start + at) % len(_DAYS)] for at in range(count)]
    return found


def _tag_channels(given: tuple[str, ...], known: AlertSettings) -> dict[str, list[str]]:
    """Set the channels of the tags that are named; those of others stay."""
    said: dict[str, list[str]] = {}
    for each in given:
        tag, equals, channel = each.partition("=")
        if not equals or not tag.strip():
            raise InputError(f"“{each[:60]}” does not name a tag; write it as TAG=CHANNEL")
        said.setdefault(tag.strip(), [])
        said[tag.strip()] += [channel.strip()] if channel.strip() else []
    named = {tag.casefold() for tag in said}
    kept = {tag: [*several] for tag, several in known.tag_channels.items() if tag.casefold() not in named}
    return kept | {tag: several for tag, several in said.items() if several}


@click.command()
@click.argument("channel")
@click.option("--send", "sending", is_flag=True, help="Send a test alert.")
@click.option("--preview", is_flag=True, help="Show the test alert as it will arrive.")
@with_data
def channel(channel: str, sending: bool, preview: bool, settings: Settings) -> None:
    """Test a channel for alerts, and show the secret that webhook requests are signed with.

    The test alert is the last alert about a change, or a sample if there was none.

    \b
    Examples:
      pagedrift watch channel mailto://anna:…@city.example --preview
      pagedrift watch channel mailto://anna:…@city.example --send
      pagedrift watch channel https://hooks.example/pagedrift
    """
    from pagedrift.app.model.channels import WEBHOOKS, checked_channel, scheme_of
    from pagedrift.app.notify import alert_preview, webhook

    known = checked_channel(channel)
    if sending or preview:
        with opened(settings) as store:
            make = alert_preview.send_test if sending else alert_preview.make_test
            made = make(store, settings, known)
        if made.warning:
            click.echo(f"warning: {made.warning}", err=True)
        if preview:
            click.echo(f"{made.prepared.title}\n\n{made.prepared.body}")
        if sending:
            click.echo("sent", err=True)
    if scheme_of(known) in WEBHOOKS:
        click.echo(webhook.secret(settings.key, known))
