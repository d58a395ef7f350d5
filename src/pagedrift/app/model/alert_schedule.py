"""Schedule of alerts: digests, quiet hours and working days, in a time zone with its daylight saving time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from datetime import tzinfo

Digest = Literal["immediately", "hourly", "daily", "weekly"]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

_DAY: Final = timedelta(days=1)
_DAYS_AHEAD: Final = 15  # in which there is a working day, and each weekday twice
LONGEST: Final = timedelta(days=_DAYS_AHEAD + 1)  # that an alert waits


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertSchedule:
    """When alerts are sent. Weekdays are numbers from 0, a Monday; times are those of a clock in the zone."""

    zone: tzinfo = UTC
    digest: Digest = "immediately"
    digest_at: time = time(8)
    digest_day: int = 0
    quiet_from: time | None = None
    quiet_until: time | None = None
    working_days: frozenset[int] = frozenset(range(7))

    def release(self, now: datetime, digest: Digest | None = None) -> datetime | None:
        """Say when an alert of now is sent; None for at once.

        >>> schedule = AlertSchedule(quiet_from=time(22), quiet_until=time(7))
        >>> schedule.release(datetime(2026, 11, 18, 23, 15, tzinfo=UTC)).isoformat()
        '2026-11-19T07:00:00+00:00'
        >>> schedule.release(datetime(2026, 11, 18, 12, tzinfo=UTC)) is None
        True
        """
        digest = digest or self.digest
        if digest == "immediately":
            return None if self.is_open(now) else self.next_open(now)
        planned = list(self._digests(now, digest))
        fitting = next((moment for moment in planned if self._is_working_day(moment)), planned[0])
        return self.next_open(fitting)

    def is_open(self, moment: datetime) -> bool:
        """Return whether alerts may be sent at a moment: on a working day, outside of quiet hours."""
        return self._is_working_day(moment) and not self._is_quiet(self._local(moment).time())

    def next_open(self, moment: datetime) -> datetime:
        """Give the first moment from one on at which alerts may be sent."""
        last = moment + LONGEST
        while not self.is_open(moment) and moment < last:
            begins = self.quiet_until if self._is_working_day(moment) else time(0)
            moment = self._next(begins or time(0), moment)
        return moment.astimezone(UTC)

    def _digests(self, now: datetime, digest: Digest) -> list[datetime]:
        """Give the next moments at which a digest is due."""
        if digest == "hourly":
            local = self._local(now)
            into = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
            return [now - into + timedelta(hours=1)]
        found = self._moments(self.digest_at, now)
        if digest == "weekly":
            found = [moment for moment in found if self._local(moment).weekday() == self.digest_day]
        return found

    def _is_working_day(self, moment: datetime) -> bool:
        return not self.working_days or self._local(moment).weekday() in self.working_days

    def _is_quiet(self, clock: time) -> bool:
        begins, ends = self.quiet_from, self.quiet_until
        if begins is None or ends is None or begins == ends:
            return False
        return begins <= clock < ends if begins < ends else clock >= begins or clock < ends

    def _next(self, clock: time, after: datetime) -> datetime:
        return self._moments(clock, after)[0]

    def _moments(self, clock: time, after: datetime) -> list[datetime]:
        """Give the next moments at which clocks of the zone show a time, later than one."""
        first = self._local(after).date() - _DAY
        found = (moment for day in range(_DAYS_AHEAD + 2) for moment in self._on(first + day * _DAY, clock))
        return [moment for moment in found if moment > after]

    def _on(self, day: date, clock: time) -> list[datetime]:
        """Give the moments of a day at which clocks show a time: two when they are put back.

        A time that is skipped when they are put forward comes as much later as they are put.
        """
        written = [datetime.combine(day, clock.replace(fold=fold), self.zone).astimezone(UTC) for fold in (0, 1)]
        shown = [moment for moment in written if self._local(moment).replace(tzinfo=None, fold=0).time() == clock]
        return sorted(set(shown)) or written[:1]

    def _local(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone)
