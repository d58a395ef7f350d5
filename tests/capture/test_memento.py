import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pagedrift import InputError, PageVersion
from pagedrift.capture.http import Client, ClientConfig, FetchError
from pagedrift.capture.memento import fetch_memento, mementos, parse_timemap
from tests.server import HTML, Site

CITY = "https://city.example/"
ARCHIVE = "https://archive.example/web/"


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(allow_private=["127.0.0.1"], config=ClientConfig(delay=0, retries=0)) as opened:
        yield opened


def page(body: str) -> PageVersion:
    return PageVersion(f"https://archive.example/timemap/{CITY}", body.encode())


def link(stamp: str, when: str, relation: str = "memento", archive: str = ARCHIVE) -> str:
    return f'<{archive}{stamp}/{CITY}>; rel="{relation}"; datetime="{when}"'


LINKS = ",\n".join(
    [
        f'<{CITY}>; rel="original"',
        f'<https://archive.example/timemap/{CITY}>; rel="self"; type="application/link-format"',
        link("20250202100000", "Sun, 02 Feb 2025 10:00:00 GMT", "last memento"),
        link("20240202100000", "Fri, 02 Feb 2024 10:00:00 GMT", "first memento"),
        '<https://archive.example/timemap/2/>; rel="timemap"; from="Sun, 02 Feb 2025 10:00:00 GMT"',
    ]
)


def test_link_format_is_read_oldest_first() -> None:
    found, more = parse_timemap(page(LINKS))

    assert [each.captured_at.year for each in found] == [2024, 2025]
    assert {each.original for each in found} == {CITY}
    assert more == ["https://archive.example/timemap/2/"]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([["urlkey", "timestamp", "original"], ["example,city)/", "20240202100000", CITY]]),
        f"example,city)/ 20240202100000 {CITY} text/html 200 ABC 1234",
        f'example,city)/ 20240202100000 {{"url": "{CITY}", "mime": "text/html"}}',
    ],
)
def test_cdx_is_read_however_it_is_written(text: str) -> None:
    [found], more = parse_timemap(page(text), replay=ARCHIVE)

    assert (found.url, found.original, more) == (f"{ARCHIVE}20240202100000/{CITY}", CITY, [])
    with pytest.raises(InputError, match="set the replay address"):
        parse_timemap(page(text))


@pytest.mark.parametrize(
    "text", ["<html><p>Not found", "not here", "[]", '[["a"]]', "{}", "<>; rel=memento", "a b c"]
)
def test_what_is_no_timemap_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a TimeMap; give the address"):
        parse_timemap(page(text), replay=ARCHIVE)


@given(
    some.binary(max_size=200)
    | some.text(alphabet='<>;="/ memntorlhtp:,[]{}0123456789', max_size=200).map(str.encode)
)
def test_no_bytes_give_anything_but_versions_or_a_clear_error(body: bytes) -> None:
    try:
        found, _ = parse_timemap(PageVersion("https://archive.example/", body), replay=ARCHIVE)
    except InputError:
        return
    assert found == sorted(found)


def test_versions_come_from_an_archive_as_they_were_captured(client: Client, site: Site) -> None:
    web = f"{site.url}/web/"
    first = [f'<{CITY}>; rel="original"', link("20240202100000", "Fri, 02 Feb 2024 10:00:00 GMT", archive=web)]
    first.append(f'<{site.url}/more>; rel="timemap"')
    second = [f'<{CITY}>; rel="original"', link("20250202100000", "Sun, 02 Feb 2025 10:00:00 GMT", archive=web)]
    second.append(f'<{site.url}/more>; rel="timemap"')  # leads to itself
    told = {"Memento-Datetime": "Fri, 02 Feb 2024 10:00:00 GMT", "X-Archive-Orig-ETag": '"7"'}
    site.pages |= {
        f"/timemap/{CITY}": ",".join(first).encode(),
        "/more": ",".join(second).encode(),
        f"/web/20240202100000id_/{CITY}": (200, {**HTML, **told}, b"<p>As it was"),
        f"/web/20250202100000id_/{CITY}": b"<p>Not a version",
    }
    found = mementos(client, f"{site.url}/timemap/", CITY)
    version = fetch_memento(client, found[0])

    assert [each.captured_at.year for each in found] == [2024, 2025]
    assert (version.url, version.body, version.header("etag")) == (CITY, b"<p>As it was", '"7"')
    assert version.captured_at == found[0].captured_at
    with pytest.raises(FetchError, match="not a version of a page"):
        fetch_memento(client, found[1])
    with pytest.raises(InputError, match="check that the archive has the page"):
        mementos(client, f"{site.url}/timemap/", "https://other.example/")
