from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.app.model.alert_schedule import LONGEST, AlertSchedule
from pagedrift.app.model.alert_settings import AlertSettings, checked_settings, server_zone
from pagedrift.errors import InputError

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo"]
MINUTE = timedelta(minutes=1)


def local(day: str, clock: str, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=zone)


def nights(**more: object) -> AlertSchedule:
    return AlertSchedule(zone=BERLIN, quiet_from=time(22), quiet_until=time(7), **more)


def test_outside_of_quiet_hours_an_alert_does_not_wait():
    assert nights().release(local("2026-11-18", "12:00")) is None
    assert nights().release(local("2026-11-18", "07:00")) is None
    assert nights().release(local("2026-11-18", "21:59")) is None


@pytest.mark.parametrize(
    ("day", "clock", "until"),
    [
        ("2026-11-18", "22:00", "2026-11-19"),
        ("2026-11-19", "03:00", "2026-11-19"),
        ("2026-12-31", "23:59", "2027-01-01"),
    ],
)
def test_in_quiet_hours_it_waits_until_they_end_in_the_zone_of_the_user(day, clock, until):
    assert nights().release(local(day, clock)) == local(until, "07:00")


def test_the_night_in_which_clocks_are_put_forward_ends_at_seven_by_the_clock():
    released = nights().release(local("2026-03-28", "23:00"))
    assert released == local("2026-03-29", "07:00")
    assert released.astimezone(UTC).hour == 5  # seven hours later, and not eight


def test_the_night_in_which_clocks_are_put_back_ends_at_seven_by_the_clock():
    released = nights().release(local("2026-10-24", "23:00"))
    assert released == local("2026-10-25", "07:00")
    assert released.astimezone(UTC).hour == 6


def test_a_digest_at_a_time_that_is_skipped_comes_that_much_later():
    schedule = AlertSchedule(zone=BERLIN, digest="daily", digest_at=time(2, 30))
    assert (
        schedule.release(local("2026-03-29", "00:00")).astimezone(BERLIN).isoformat() == "2026-03-29T03:30:00+02:00"
    )


def test_quiet_hours_that_end_in_the_hour_that_comes_twice_end_at_last():
    schedule = AlertSchedule(zone=BERLIN, quiet_from=time(0), quiet_until=time(2, 30))
    again = local("2026-10-25", "02:15").replace(fold=1)
    assert schedule.release(again) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_at_the_weekend_alerts_wait_for_monday():
    schedule = nights(working_days=frozenset(range(5)))
    assert schedule.release(local("2026-11-20", "23:00")) == local("2026-11-23", "07:00")
    assert schedule.release(local("2026-11-21", "12:00")) == local("2026-11-23", "07:00")
    assert schedule.release(local("2026-11-20", "12:00")) is None


@pytest.mark.parametrize(
    ("digest", "expected"),
    [("hourly", "2026-11-18T13:00"), ("daily", "2026-11-19T08:00"), ("weekly", "2026-11-20T08:00")],
)
def test_a_digest_comes_at_its_time(digest, expected):
    schedule = AlertSchedule(zone=BERLIN, digest=digest, digest_day=4)
    assert schedule.release(local("2026-11-18", "12:10")) == local(*expected.split("T"))


def test_a_digest_comes_by_the_clock_of_zones_that_are_not_whole_hours_away():
    schedule = AlertSchedule(zone=ZoneInfo("Asia/Kathmandu"), digest="hourly")
    assert schedule.release(datetime(2026, 11, 18, 12, 0, tzinfo=UTC)) == datetime(2026, 11, 18, 12, 15, tzinfo=UTC)


def test_a_digest_on_a_day_off_comes_on_the_next_working_day_at_its_time():
    schedule = AlertSchedule(zone=BERLIN, digest="daily", working_days=frozenset(range(5)))
    assert schedule.release(local("2026-11-20", "12:00")) == local("2026-11-23", "08:00")


def test_a_digest_in_quiet_hours_comes_when_they_end():
    assert nights(digest="daily", digest_at=time(6)).release(local("2026-11-18", "12:00")) == local(
        "2026-11-19", "07:00"
    )
    assert nights(digest="hourly").release(local("2026-11-18", "21:30")) == local("2026-11-19", "07:00")


def test_a_watch_can_have_another_rhythm():
    assert nights(digest="weekly").release(local("2026-11-18", "12:00"), "immediately") is None


clocks = st.times().map(lambda clock: clock.replace(second=0, microsecond=0))
schedules = st.builds(
    AlertSchedule,
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    digest=st.sampled_from(["immediately", "hourly", "daily", "weekly"]),
    digest_at=clocks,
    digest_day=st.integers(0, 6),
    quiet_from=st.none() | clocks,
    quiet_until=st.none() | clocks,
    working_days=st.frozensets(st.integers(0, 6)),
)
moments = st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))


@given(schedules, moments)
def test_an_alert_is_sent_when_that_is_allowed_later_than_now_and_within_two_weeks(schedule, now):
    released = schedule.release(now)
    if released is None:
        assert schedule.is_open(now)
    else:
        assert now < released <= now + LONGEST
        assert schedule.is_open(released)


@given(schedules, moments)
def test_no_moment_is_missed_at_which_alerts_might_have_been_sent(schedule, now):
    now = now.replace(second=0, microsecond=0)
    opens = schedule.next_open(now)
    between = (opens - now) // MINUTE
    for minutes in {*range(min(between, 60)), *range(0, between, 17), between - 1} - {-1}:
        assert not schedule.is_open(now + minutes * MINUTE)


def test_settings_become_a_schedule():
    given = {
        "send": "daily",
        "digest_at": "7:30".zfill(5),
        "working_days": ["friday", "monday"],
        "time_zone": "Europe/Berlin",
    }
    schedule = checked_settings(given).schedule()
    assert (schedule.digest_at, schedule.working_days, schedule.zone) == (time(7, 30), {0, 4}, BERLIN)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"quiet_from": "22:00"}, "give both times"),
        ({"quiet_from": "22:00", "quiet_until": "22:00"}, "give both times"),
        ({"quiet_from": "late", "quiet_until": "07:00"}, "“late” is not a time"),
        ({"time_zone": "Mars/Olympus"}, "not a time zone"),
        ({"time_zone": "../../etc/passwd"}, "not a time zone"),
        ({"send": "yearly"}, "choose one of"),
        ({"working_days": ["someday"]}, "choose one of"),
        ({"channels": ["syslog://"]}, "only reaches this computer"),
        ({"tag_channels": {"": ["https://a.example/"]}}, "give each of them once"),
        ({"tag_channels": {"News": ["https://a.example/"], "news": ["none"]}}, "give each of them once"),
        ({"nosuch": 1}, "unknown setting"),
        ({"channels": "https://a.example/"}, "channels is not written as it must be"),
    ],
)
def test_what_is_wrong_with_settings_is_said(given, problem):
    with pytest.raises(InputError, match=problem):
        checked_settings(given)


def test_the_zone_of_the_server_is_the_one_it_was_set_to(monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    assert server_zone() == NEW_YORK
    assert AlertSettings().schedule().zone == NEW_YORK
    monkeypatch.setenv("TZ", "no such zone")
    assert server_zone() is not None
