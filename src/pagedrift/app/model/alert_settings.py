"""Settings of alerts: where they are sent unless a tag or a watch says otherwise, and when.

They belong to somebody: to the installation, whose `owner` is empty.
"""

from __future__ import annotations

import os
from datetime import UTC, time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pagedrift.app.model.alert_schedule import AlertSchedule, Digest, Weekday
from pagedrift.app.model.channels import NO_ALERTS
from pagedrift.app.model.options import HIDDEN, OUR_MESSAGE, Channels, masked, our_error
from pagedrift.app.model.watch import checked_tags
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import tzinfo

INSTALLATION: Final = ""  # the owner of the settings that hold for all watches
WEEKDAYS: Final[tuple[Weekday, ...]] = get_args(Weekday)
MAX_TAGS: Final = 200  # with channels of their own
_LOCALTIME: Final = Path("/etc/localtime")
_CLOCK: Final = "%H:%M"


def _checked_time(written: str) -> str:
    try:
        return time.fromisoformat(written.strip()).strftime(_CLOCK) if written.strip() else ""
    except ValueError:
        raise our_error(
            InputError(f"“{written[:20]}” is not a time; write hours and minutes such as 08:00")
        ) from None


def _checked_zone(name: str) -> str:
    name = name.strip()
    if name and name not in available_timezones():
        raise our_error(
            InputError(f"“{name[:60]}” is not a time zone; write one such as Europe/Berlin, or leave it empty")
        )
    return name


def _checked_tag_channels(channels: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    try:
        found = {tag: several for name, several in channels.items() for tag in checked_tags([name])}
    except InputError as error:
        raise our_error(error) from None
    if len({tag.casefold() for tag in found}) < len(channels):
        raise our_error(InputError("a tag is there twice, or has no name; give each of them once"))
    return {tag: several for tag, several in found.items() if several}


def _in_order(days: Any) -> Any:
    """Put weekdays in their order, each once; whatever is not a list is left to the checks."""
    if not isinstance(days, (list, tuple)):
        return days
    return tuple(sorted(dict.fromkeys(days), key=lambda day: WEEKDAYS.index(day) if day in WEEKDAYS else 0))


Clock = Annotated[str, Field(max_length=20, strict=True), AfterValidator(_checked_time)]
Zone = Annotated[str, Field(max_length=100, strict=True), AfterValidator(_checked_zone)]
TagChannels = Annotated[dict[str, Channels], Field(max_length=MAX_TAGS), AfterValidator(_checked_tag_channels)]
Weekdays = Annotated[tuple[Weekday, ...], Field(max_length=7), BeforeValidator(_in_order)]


class AlertSettings(BaseModel):
    """Where alerts are sent, and when.

    >>> AlertSettings(quiet_from="22:00", quiet_until="7:00".zfill(5)).schedule(UTC).quiet_until
    datetime.time(7, 0)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    channels: Annotated[Channels, Field(description="channels for all watches that have none of their own")] = ()
    tag_channels: Annotated[
        TagChannels, Field(description="channels by tag, in place of the default ones; [“none”] for no alerts")
    ] = {}
    send: Annotated[Digest, Field(description="at once, or together in a digest")] = "immediately"
    digest_at: Annotated[Clock, Field(description="time of a daily or weekly digest")] = "08:00"
    digest_day: Annotated[Weekday, Field(description="day of a weekly digest")] = "monday"
    quiet_from: Annotated[Clock, Field(description="time from which alerts wait; empty for none")] = ""
    quiet_until: Annotated[Clock, Field(description="time at which they are sent together")] = ""
    working_days: Annotated[Weekdays, Field(description="days on which alerts are sent; empty for all")] = ()
    time_zone: Annotated[Zone, Field(description="IANA name; empty for the zone of the server")] = ""

    def schedule(self, server: tzinfo | None = None) -> AlertSchedule:
        """Give when alerts are sent, in the zone that was chosen or in that of the server."""
        return AlertSchedule(
            zone=ZoneInfo(self.time_zone) if self.time_zone else server or server_zone(),
            digest=self.send,
            digest_at=_time(self.digest_at) or time(8),
            digest_day=WEEKDAYS.index(self.digest_day),
            quiet_from=_time(self.quiet_from),
            quiet_until=_time(self.quiet_until),
            working_days=frozenset(WEEKDAYS.index(day) for day in self.working_days or WEEKDAYS),
        )

    @property
    def has_quiet_times(self) -> bool:
        """Whether there are hours or days at which alerts wait."""
        return bool(self.quiet_from) or 0 < len(self.working_days) < len(WEEKDAYS)


def checked_settings(given: Mapping[str, Any]) -> AlertSettings:
    """Give settings in their right form, or say what is wrong with them.

    >>> checked_settings({"time_zone": "Mars/Olympus"})
    Traceback (most recent call last):
    pagedrift.errors.InputError: “Mars/Olympus” is not a time zone; write one such as Europe/Berlin, or leave it ...
    """
    try:
        found = AlertSettings.model_validate(given)
    except ValidationError as error:
        raise InputError(_problem(error.errors()[0])) from None
    if bool(found.quiet_from) != bool(found.quiet_until) or (
        found.quiet_from and found.quiet_from == found.quiet_until
    ):
        raise InputError("quiet hours need a beginning and another end; give both times, or neither")
    return found


def _problem(error: Mapping[str, Any]) -> str:
    name = str(error["loc"][0])
    if error["type"] == OUR_MESSAGE:
        return str(error["ctx"]["message"])
    if error["type"] == "extra_forbidden":
        return f"unknown setting {name[:80]!r}; choose from: {', '.join(AlertSettings.model_fields)}"
    if error["type"] == "literal_error":
        return f"{name} is {str(error['input'])[:80]!r}; choose one of: {error['ctx']['expected']}"
    return f"{name} is not written as it must be ({error['msg'].lower()}); see the reference of the API"


def hidden_settings(settings: AlertSettings) -> dict[str, Any]:
    """Give settings to be shown: without what lets others use the channels."""
    shown = settings.model_dump(mode="json")
    shown["channels"] = [*map(masked, settings.channels)]
    shown["tag_channels"] = {tag: [*map(masked, several)] for tag, several in settings.tag_channels.items()}
    return shown


def with_known_channels(given: Mapping[str, Any], known: AlertSettings) -> dict[str, Any]:
    """Put channels that came back hidden in again."""
    every = [*known.channels, *(each for several in known.tag_channels.values() for each in several)]
    said = dict(given)
    if isinstance(said.get("channels"), (list, tuple)):
        said["channels"] = _unhidden(said["channels"], known.channels or every)
    if isinstance(said.get("tag_channels"), dict):
        said["tag_channels"] = {
            tag: _unhidden(several, known.tag_channels.get(tag) or every) if isinstance(several, list) else several
            for tag, several in said["tag_channels"].items()
        }
    return said


def _unhidden(shown: Iterable[Any], known: Iterable[str]) -> list[Any]:
    """Find the channels that are shown so, each once."""
    left, found = list(known), []
    for each in shown:
        at = next((at for at, channel in enumerate(left) if masked(channel) == each), None)
        found.append(each if at is None else left.pop(at))
    return found


def usable(channels: Iterable[str]) -> tuple[str, ...]:
    """Give the channels that can be sent to: “none” is not one, nor is one whose secret was lost."""
    return tuple(channel for channel in channels if channel != NO_ALERTS and HIDDEN not in channel)


def _time(written: str) -> time | None:
    return time.fromisoformat(written) if written else None


def server_zone() -> tzinfo:
    """Give the time zone of this machine, with its daylight saving time; UTC where that is not known."""
    named = os.environ.get("TZ", "").removeprefix(":")
    for name in (named, zone_name(_LOCALTIME)):
        try:
            if name:
                return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    try:
        with _LOCALTIME.open("rb") as file:
            return ZoneInfo.from_file(file, key="local time")
    except (OSError, ValueError):
        return UTC


def zone_name(link: Path) -> str:
    """Read the name of a zone off the place that a link leads to.

    >>> zone_name(Path("/usr/share/zoneinfo/Europe/Berlin")), zone_name(Path("/etc/hosts"))
    ('Europe/Berlin', '')
    """
    return str(link.resolve()).partition("/zoneinfo/")[2]
