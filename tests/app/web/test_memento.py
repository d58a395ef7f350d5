"""Memento routes follow RFC 7089, checked against its text and with an independent client."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

import httpx
import pytest

from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from pagedrift.app.web.content import create_content_app
from pagedrift.app.web.run import serving
from tests.app.web import asgi_client
from tests.app.web.conftest import HERE
from tests.app.web.store_builder import START, Filled
from tests.conftest import Beacon

URL = "https://city.example/fees?year=2026&q=a%20b"
GATE, MAP = f"{HERE}/memento/timegate/{URL}", f"{HERE}/memento/timemap/link/{URL}"


@pytest.fixture
def versions(filled: Filled) -> list[int]:
    """Three versions of one page, a day apart."""
    watch = filled.watch(URL)
    bodies = (b"<script>x()</script><p>40", b"<p>45", b"<p>50")
    return [filled.version(watch, body, url=URL, hours=24 * at)[0] for at, body in enumerate(bodies)]


def links(header: str) -> dict[str, str]:
    """Read a Link header: relation to address."""
    return {rel: url for url, rel in re.findall(r'<([^>]*)>; rel="([^"]*)"', header)}


def date(moment: datetime) -> str:
    return f"{moment:%a, %d %b %Y %H:%M:%S} GMT"


@pytest.mark.parametrize(
    ("hours", "found"), [(-1000, 0), (0, 0), (11, 0), (13, 1), (24, 1), (36, 1), (37, 2), (1000, 2)]
)
@pytest.mark.usefixtures("versions")
def test_the_timegate_leads_to_the_nearest_version(client: httpx.Client, hours: float, found: int) -> None:
    answer = client.get(GATE, headers={"accept-datetime": date(START + timedelta(hours=hours))})

    assert answer.status_code == 302
    assert answer.headers["vary"] == "accept-datetime"
    assert "memento-datetime" not in answer.headers
    assert answer.headers["location"] == f"{HERE}/memento/{START + timedelta(days=found):%Y%m%d%H%M%S}/{URL}"
    known = links(answer.headers["link"])
    assert known["original"] == URL
    assert known["timemap"] == MAP
    assert any("first" in relation for relation in known)
    assert any("last" in relation for relation in known)


@pytest.mark.usefixtures("versions")
def test_the_timegate_leads_to_the_newest_version_where_no_time_is_asked_for(client: httpx.Client) -> None:
    assert client.get(GATE).headers["location"].startswith(f"{HERE}/memento/20261103120000/")


@pytest.mark.usefixtures("versions")
def test_a_time_that_is_none_and_an_address_that_is_not_kept_are_said_to_be_so(client: httpx.Client) -> None:
    wrong = client.get(GATE, headers={"accept-datetime": "yesterday"})
    unknown = client.get(f"{HERE}/memento/timegate/https://other.example/")

    assert (wrong.status_code, unknown.status_code) == (400, 404)
    assert "Sun, 15 Nov 2026" in wrong.text
    assert "watch it" in unknown.text
    assert client.get(f"{HERE}/memento/timemap/pdf/{URL}").status_code == 404
    assert client.get(f"{HERE}/memento/2026/{URL}").status_code == 404
    assert client.get(f"{HERE}/memento/99999999999999/{URL}").status_code == 404


def test_a_memento_is_the_bytes_from_the_origin_of_captured_pages(
    settings: Settings, store: Store, client: httpx.Client, versions: list[int]
) -> None:
    first = client.get(f"{HERE}/memento/20261101120000/{URL}")
    assert first.status_code == 302
    assert "memento-datetime" not in first.headers  # in between (RFC 7089, 4.5.3)
    assert first.headers["location"].startswith(f"http://127.0.0.1:8711/raw/{versions[0]}/")

    content = asgi_client.client(create_content_app(settings, store), base_url="http://127.0.0.1:8711")
    memento = content.get(first.headers["location"])
    assert memento.content == b"<script>x()</script><p>40"
    assert parsedate_to_datetime(memento.headers["memento-datetime"]) == START
    assert memento.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    known = links(memento.headers["link"])
    assert known["original"] == URL
    assert known["timegate"] == GATE
    assert known["timemap"] == MAP
    assert known["first memento"].endswith(f"/memento/20261101120000/{URL}")
    assert known["next memento"].endswith(f"/memento/20261102120000/{URL}")
    assert "vary" not in memento.headers


@pytest.mark.usefixtures("versions")
def test_a_time_between_leads_to_the_nearest_memento(client: httpx.Client) -> None:
    answer = client.get(f"{HERE}/memento/20261102130000/{URL}")

    assert (answer.status_code, answer.headers["location"]) == (302, f"{HERE}/memento/20261102120000/{URL}")


@pytest.mark.usefixtures("versions")
def test_an_address_that_lost_a_slash_on_its_way_is_understood(client: httpx.Client) -> None:
    assert client.get(GATE.replace("https://", "https:/")).status_code == 302


@pytest.mark.usefixtures("versions")
def test_timemaps_list_every_version(client: httpx.Client) -> None:
    listed = client.get(MAP)
    assert listed.headers["content-type"].startswith("application/link-format")
    assert listed.text.count('memento"; datetime=') == 3
    assert 'rel="self"; type="application/link-format"; from="Sun, 01 Nov 2026 12:00:00 GMT"' in listed.text
    assert [line.rpartition('rel="')[2].partition('"')[0] for line in listed.text.split(",\n")] == [
        "original",
        "self",
        "timegate",
        "first memento",
        "memento",
        "last memento",
    ]
    data = client.get(MAP.replace("/link/", "/json/")).json()
    assert [each["datetime"] for each in data["mementos"]["list"]] == [
        "2026-11-01T12:00:00Z",
        "2026-11-02T12:00:00Z",
        "2026-11-03T12:00:00Z",
    ]
    assert data["original_uri"] == URL
    lines = client.get(MAP.replace("/link/", "/cdxj/")).text.splitlines()
    assert [line.split(" ")[1] for line in lines] == ["20261101120000", "20261102120000", "20261103120000"]
    assert lines == sorted(lines)


@pytest.mark.filterwarnings("ignore")  # of a library from 2016
def test_a_memento_client_of_others_finds_its_way(
    settings: Settings, store: Store, filled: Filled, beacon: Beacon
) -> None:
    memento_client = pytest.importorskip("memento_client")
    original = f"{beacon.url}/fees?year=2026"  # which it looks at first
    watch = filled.watch(original)
    for at, body in enumerate((b"<p>40", b"<p>45", b"<p>50")):
        filled.version(watch, body, url=original, hours=24 * at)
    wanted = START + timedelta(hours=30)
    with serving(replace(settings, port=0), store) as running:
        here = f"http://127.0.0.1:{running.port}"
        client = memento_client.MementoClient(timegate_uri=f"{here}/memento/timegate/", check_native_timegate=False)
        found = client.get_memento_info(original, wanted.replace(tzinfo=None))
        client.session.close()
        closest = found["mementos"]["closest"]
        assert httpx.get(closest["uri"][0], timeout=600).content == b"<p>45"

    assert closest["datetime"] == (START + timedelta(days=1)).replace(tzinfo=None)
    assert found["original_uri"] == original
    assert found["timegate_uri"] == f"{here}/memento/timegate/{original}"
    assert found["mementos"]["first"]["uri"] == [f"{here}/memento/20261101120000/{original}"]
    assert found["mementos"]["last"]["uri"] == [f"{here}/memento/20261103120000/{original}"]
    assert closest["uri"][0].startswith(f"http://127.0.0.1:{running.content_port}/raw/")


@pytest.mark.usefixtures("versions")
def test_whether_something_is_there_can_be_asked_without_having_it_sent(client: httpx.Client) -> None:
    asked, had = client.head(MAP), client.get(MAP)

    assert (asked.status_code, asked.content) == (200, b"")
    assert asked.headers["content-length"] == had.headers["content-length"]
