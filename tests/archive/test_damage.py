"""Damage of every kind, planted into the middle of an archive: all other records must be given."""

import random
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.page import PageVersion
from pagedrift.reading import Reading, read
from tests.builders import URL, days, pack

GARBAGE = b"garbage \0\x01\x02\r\n\r\nmore garbage"
Breaking = Callable[[bytes], bytes]


def flip(data: bytes, at: int, size: int = 8) -> bytes:
    return data[:at] + bytes(byte ^ 0x55 for byte in data[at : at + size]) + data[at + size :]


def lengthen(record: bytes) -> bytes:
    return record.replace(b"Content-Length: ", b"Content-Length: 1")


def shorten(record: bytes) -> bytes:
    return record.replace(b"Content-Length: 1", b"Content-Length: ")


BROKEN_RECORDS: dict[str, Breaking] = {
    "cut in the middle": lambda record: record[: len(record) // 2],
    "cut in its header": lambda record: record[:40],
    "cut in its first line": lambda record: record[:6],
    "length too long": lengthen,
    "length far too long": lambda record: record.replace(b"Content-Length: ", b"Content-Length: 99999999999"),
    "length too short": shorten,
    "length missing": lambda record: record.replace(b"Content-Length", b"Content-Langth"),
    "length not a number": lambda record: record.replace(b"Content-Length: ", b"Content-Length: x"),
    "first line damaged": lambda record: flip(record, 2),
    "no first line": lambda record: record[12:],
}
BROKEN_MEMBERS: dict[str, Breaking] = {
    "cut in the middle": lambda member: member[: len(member) // 2],
    "cut in the checksum": lambda member: member[:-5],
    "damaged in the middle": lambda member: flip(member, len(member) // 2),
    "damaged in the magic number": lambda member: flip(member, 0, 2),
    "damaged in the header": lambda member: flip(member, 3, 4),
    "damaged in the checksum": lambda member: flip(member, len(member) - 7, 2),
    "damaged in its size": lambda member: flip(member, len(member) - 3, 2),
}


def numbers(pages: list[PageVersion]) -> list[int]:
    return [int(page.body.rpartition(b" ")[2]) for page in pages]


def read_all(folder: Path, data: bytes, name: str = "crawl.warc.gz") -> tuple[list[int], Reading]:
    path = folder / name
    path.write_bytes(data)
    reading = read(path, order="file")
    return numbers(list(reading)), reading


def check_report(reading: Reading, offset: int) -> None:
    assert offset in [problem.offset for problem in reading.problems]
    assert reading.counts.damaged == len(reading.problems) <= 2
    assert all(";" in problem.reason for problem in reading.problems)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("place", [0, 3, 6])
@pytest.mark.parametrize("damage", BROKEN_RECORDS)
def test_one_damaged_record_costs_no_other(tmp_path: Path, damage: str, place: int, packed: bool) -> None:
    records = days(7)
    records[place] = BROKEN_RECORDS[damage](records[place])
    written = [pack(record) if packed else record for record in records]

    found, reading = read_all(tmp_path, b"".join(written), "crawl.warc")

    assert found == [day for day in range(7) if day != place]
    check_report(reading, len(b"".join(written[:place])))


@pytest.mark.parametrize("place", [0, 3, 6])
@pytest.mark.parametrize("damage", BROKEN_MEMBERS)
def test_one_damaged_member_costs_no_other(tmp_path: Path, damage: str, place: int) -> None:
    members = days(7, packed=True)
    members[place] = BROKEN_MEMBERS[damage](members[place])

    found, reading = read_all(tmp_path, b"".join(members))

    assert found == [day for day in range(7) if day != place]
    check_report(reading, len(b"".join(members[:place])))


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("place", [0, 3, 7])
@pytest.mark.parametrize("garbage", [GARBAGE, bytes(512), GARBAGE * 9000], ids=["little", "zeros", "much"])
def test_garbage_between_records_costs_none(tmp_path: Path, garbage: bytes, place: int, packed: bool) -> None:
    records = days(7, packed=packed)
    before = b"".join(records[:place])
    name = "crawl.warc.gz" if packed else "crawl.warc"
    found, reading = read_all(tmp_path, before + garbage + b"".join(records[place:]), name)

    assert found == list(range(7))
    check_report(reading, len(before))


def test_blank_lines_and_empty_members_between_records_are_no_damage(tmp_path: Path) -> None:
    for between, packed in ((b"\r\n\r\n", False), (pack(b""), True)):
        found, reading = read_all(tmp_path, between.join(days(7, packed=packed)))

        assert found == list(range(7))
        assert not reading.problems


def test_a_member_that_is_not_a_record_is_a_problem(tmp_path: Path) -> None:
    members = days(7, packed=True)
    members.insert(3, pack(GARBAGE))

    found, reading = read_all(tmp_path, b"".join(members))

    assert found == list(range(7))
    check_report(reading, len(b"".join(members[:3])))


@pytest.mark.parametrize(
    "size", [100, 700, 100_000], ids=["several members to a record", "straddling", "one stream"]
)
def test_a_warc_may_be_packed_in_any_way(tmp_path: Path, size: int) -> None:
    data = b"".join(days(9))

    found, reading = read_all(tmp_path, b"".join(pack(data[at : at + size]) for at in range(0, len(data), size)))

    assert found == list(range(9))
    assert not reading.problems


def test_a_single_stream_may_follow_records_packed_one_by_one(tmp_path: Path) -> None:
    records = days(9)
    members = [*map(pack, records[:4]), pack(b"".join(records[4:]))]

    found, reading = read_all(tmp_path, b"".join(members))

    assert found == list(range(9))
    assert not reading.problems


def test_a_single_stream_that_breaks_off_gives_all_records_before(tmp_path: Path) -> None:
    noise = random.Random(1)
    records = [record.replace(b"Fees", noise.randbytes(2).hex().encode()) for record in days(9)]

    found, reading = read_all(tmp_path, pack(b"".join(records))[:-200])

    assert found == list(range(len(found)))
    assert 4 <= len(found) < 9
    assert reading.counts.damaged == 1


def test_only_the_first_thousand_problems_are_kept_but_all_are_counted(tmp_path: Path) -> None:
    broken = BROKEN_RECORDS["length missing"](days(1)[0])

    found, reading = read_all(tmp_path, broken * 1100 + days(1)[0], "crawl.warc")

    assert found == [0]
    assert (len(reading.problems), reading.counts.damaged) == (1000, 1100)


WRITTEN = {packed: days(5, packed=packed) for packed in (False, True)}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@given(data=st.data())
def test_wherever_an_archive_is_cut_all_records_before_are_given(
    tmp_path_factory: pytest.TempPathFactory, packed: bool, data: st.DataObject
) -> None:
    records = WRITTEN[packed]
    ends = [len(b"".join(records[: count + 1])) for count in range(5)]
    cut = data.draw(st.integers(1, ends[-1]))
    name = "crawl.warc.gz" if packed else "crawl.warc"

    found, reading = read_all(tmp_path_factory.getbasetemp(), b"".join(records)[:cut], name)

    lost_newlines = not packed and any(0 < end - cut <= 4 for end in ends)  # a record that lost only these is whole
    whole = sum(end <= cut for end in ends) + lost_newlines
    assert found == list(range(whole))
    assert reading.counts.damaged == (cut not in ends and not lost_newlines)


@given(data=st.data())
def test_whatever_happens_to_one_member_all_others_are_given(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    members = list(WRITTEN[True])
    start = data.draw(st.integers(0, len(members[2]) - 1))
    end = data.draw(st.integers(start + 1, len(members[2])))
    noise = data.draw(st.binary(max_size=40))
    unharmed = members[2]
    members[2] = unharmed[:start] + noise + unharmed[end:]

    found, reading = read_all(tmp_path_factory.getbasetemp(), b"".join(members))

    assert [day for day in found if day != 2] == [0, 1, 3, 4]
    assert 2 in found or reading.counts.damaged or not members[2]


@given(data=st.data())
def test_no_damage_raises_an_error(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    archive = bytearray(b"".join(WRITTEN[data.draw(st.booleans())]))
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(archive)))
        archive[at : at + data.draw(st.integers(0, 300))] = data.draw(st.binary(max_size=30))
    path = tmp_path_factory.getbasetemp() / "crawl.warc"
    path.write_bytes(b"WARC/" + archive)

    reading = read(path)

    assert len(list(reading)) == reading.counts.versions


def odd_record(kind: bytes, types: tuple[bytes, bytes], values: list[bytes], coding: bytes, body: bytes) -> bytes:
    url, date, status = values
    http = b"HTTP/1.1 %b\r\nContent-Type: %b\r\nContent-Encoding: %b\r\n\r\n%b" % (status, types[0], coding, body)
    fields = b"WARC-Type: %b\r\nWARC-Target-URI: %b\r\nWARC-Date: %b\r\nContent-Type: %b" % (
        kind,
        url,
        date,
        types[1],
    )
    return b"WARC/1.0\r\n%b\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n" % (fields, len(http), http)


any_value = st.binary(max_size=20).map(lambda data: data.translate(None, b"\r\n"))
any_type = st.sampled_from([b"application/http", b"text/html", b""]) | any_value
odd_records = st.builds(
    odd_record,
    st.sampled_from([b"response", b"resource", b"revisit", b"RESPONSE", b"metadata"]) | any_value,
    st.tuples(any_type, any_type),
    st.tuples(any_value, any_value | st.dates().map(lambda day: str(day).encode()), any_value | st.just(b"200 OK")),
    st.sampled_from([b"gzip", b"br", b"zstd", b"deflate", b"chunked", b"gzip, br", b"x"]),
    st.binary(max_size=60),
)


@given(odd_records)
def test_whatever_stands_in_a_record_no_error_is_raised_and_the_next_is_given(
    tmp_path_factory: pytest.TempPathFactory, odd: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "crawl.warc"
    path.write_bytes(odd + WRITTEN[False][0])

    reading = read(path, order="file")

    assert [page.url for page in reading][-1] == URL
    assert reading.counts.versions + reading.counts.passed_over.total() + reading.counts.damaged >= 2


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("lie", [b"9", b"9999", b"9999999"])
def test_time_grows_with_the_file_even_if_every_length_is_a_lie(tmp_path: Path, lie: bytes, packed: bool) -> None:
    broken = days(1)[0].replace(b"Content-Length: ", b"Content-Length: " + lie)
    times = []
    for count in (1000, 4000):
        start = time.process_time()
        found, reading = read_all(
            tmp_path, (pack(broken) if packed else broken) * count + days(1, packed=packed)[0]
        )
        times.append(time.process_time() - start)
        assert found == [0]
        assert reading.counts.damaged == count

    assert times[1] < 8 * times[0] + 0.1


@pytest.mark.slow
def test_time_grows_with_the_file_even_if_members_overlap(tmp_path: Path) -> None:
    stored = zlib.compressobj(0, wbits=31)
    opening = (stored.compress(b"WARC/1.0" + bytes(60_000)) + stored.flush())[:30]
    times = []
    for count in (10_000, 40_000):
        start = time.process_time()
        read_all(tmp_path, opening * count + days(1, packed=True)[0])
        times.append(time.process_time() - start)

    assert times[1] < 8 * times[0] + 0.1
