from datetime import UTC, datetime
from pathlib import Path

import pytest

from pagedrift.archive.resource_index import Holdings
from pagedrift.archive.source import Source
from tests.builders import DAYS, pack, record, revisit

CSS = "https://city.example/city.css"
STYLE = (("Content-Type", "text/css; charset=latin-1"),)
MAY = datetime(2026, 11, 2, 12, tzinfo=UTC)


def held(path: Path, data: bytes) -> Holdings:
    path.write_bytes(data)
    return Holdings([Source(path=str(path), size=len(data))])


@pytest.mark.parametrize("packing", ["plain", "by record", "in one piece"])
def test_everything_is_found_however_the_archive_is_packed(tmp_path: Path, packing: str) -> None:
    packed = packing == "by record"
    script = (("Content-Type", "text/javascript"),)
    data = (
        record(packed=packed)
        + record(CSS, b"p { color: red }", headers=STYLE, packed=packed)
        + record(
            "https://city.example/a.json", b"{}", headers=(("Content-Type", "application/json"),), packed=packed
        )
        + record("https://city.example/a.js", b"1", headers=script, packed=packed)
        + record("https://city.example/frame", b"<p>framed", packed=packed)
    )
    given = held(tmp_path / "a.warc.gz", pack(data) if packing == "in one piece" else data).near(None)

    assert given[CSS] == ("text/css; charset=latin-1", b"p { color: red }")
    assert given["https://city.example/a.json"][1] == b"{}"
    assert given["https://city.example/a.js"] == ("text/javascript", b"1")
    assert given["https://city.example/frame"][1] == b"<p>framed"
    assert given["http://city.example/a.js#x"][1] == b"1"
    assert "https://city.example/b.js" not in given


def test_of_several_captures_the_nearest_in_time_is_given(tmp_path: Path) -> None:
    data = b"".join(record(CSS, str(day).encode(), headers=STYLE, date=DAYS[day]) for day in (0, 1, 5))
    holdings = held(tmp_path / "a.warc", data)

    assert holdings.near(MAY)[CSS][1] == b"1"
    assert holdings.near(None)[CSS][1] == b"5"


def test_redirects_and_revisits_lead_to_what_they_mean(tmp_path: Path) -> None:
    data = (
        record(CSS, b"p {}", headers=STYLE)
        + record("https://city.example/old.css", b"", status="301 Moved", headers=(("Location", "/city.css"),))
        + record("https://city.example/round", b"", status="302 Found", headers=(("Location", "/round"),))
        + revisit("https://city.example/again.css", refers_to_uri=CSS, refers_to_date=DAYS[0])
        + record("https://city.example/gone.css", b"p {}", status="404 Not Found", headers=STYLE)
    )
    given = held(tmp_path / "a.warc", data).near(None)

    assert given["https://city.example/old.css"][1] == b"p {}"
    assert given["https://city.example/again.css"][1] == b"p {}"
    assert given.get("https://city.example/round") is None
    assert given.get("https://city.example/gone.css") is None


def test_damage_only_lacks_in_the_picture(tmp_path: Path) -> None:
    data = record(CSS, b"p {}", headers=STYLE, packed=True) + record("https://city.example/b", packed=True)
    given = held(tmp_path / "a.warc.gz", data[:-40]).near(None)

    assert given[CSS][1] == b"p {}"
    assert given.get("https://city.example/b") is None
