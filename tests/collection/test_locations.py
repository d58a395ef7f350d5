"""Files are the same files wherever they stand."""

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from pagedrift.collection import locations
from pagedrift.collection.remote_files import Ranged
from pagedrift.collection.stores import PlaceError
from tests.server import Site

DATA = bytes(range(256)) * 1000


def ranged(request: object) -> tuple[int, dict[str, str], bytes]:
    """Answer as servers do that give parts of files."""
    start, _, stop = request.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")  # type: ignore[attr-defined]
    part = DATA[int(start) : int(stop) + 1 if stop else None]
    if not part:
        return 416, {}, b""
    return 206, {"Content-Range": f"bytes {start}-{int(start) + len(part) - 1}/{len(DATA)}"}, part


@pytest.fixture
def everywhere(tmp_path: Path, s3: str, site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    monkeypatch.setenv("PAGEDRIFT_ALLOW_PRIVATE", "127.0.0.1")
    locations.forget()
    path = tmp_path / "a b.bin"
    path.write_bytes(DATA)
    boto3.client("s3").put_object(Bucket="crawls", Key="deep/a.bin", Body=DATA)
    site.pages["/a.bin"] = ranged
    yield {
        "path": str(path),
        "file": path.as_uri(),
        "s3": f"{s3}/deep/a.bin",
        "s3a": f"{s3}/deep/a.bin".replace("s3:", "s3a:"),
        "http": f"{site.url}/a.bin",
    }
    locations.forget()


@pytest.mark.parametrize("scheme", ["path", "file", "s3", "s3a", "http"])
def test_a_file_reads_the_same_wherever_it_stands(everywhere: dict[str, str], scheme: str) -> None:
    place = everywhere[scheme]
    store = locations.store_of(place)

    assert store.size(place) == len(DATA)
    assert store.read(place, 300, 310) == DATA[300:310]
    assert store.read(place, len(DATA) - 5, len(DATA) + 5) == DATA[-5:]
    assert store.read(place, len(DATA) + 1, len(DATA) + 9) == b""
    with locations.copied(place) as path:
        assert Path(path).read_bytes() == DATA
    with locations.open_at(place, 70_000) as file:
        assert file.read(10) == DATA[70_000:70_010]
        assert file.read(200_000) == DATA[70_010:]
    with locations.open_whole(place) as file:
        file.seek(-4, 2)
        assert file.read() == DATA[-4:]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("/nowhere/a.warc.gz", "check its name and permissions"),
        ("s3://crawls/nothing", "is not there; check its name"),
        ("s3://no-such-bucket/nothing", "is not there; check its name"),
        ("hdfs://host/a.warc.gz", "copy it to a disk"),
    ],
)
@pytest.mark.usefixtures("s3")
def test_what_is_not_there_is_told_with_the_next_step(place: str, message: str) -> None:
    with pytest.raises(PlaceError, match=message):
        locations.store_of(place).read(place, 0, 10)


@pytest.mark.usefixtures("everywhere")
def test_a_missing_page_of_a_server_is_told(site: Site) -> None:
    with pytest.raises(PlaceError, match=r"status 404.*check its name"):
        locations.store_of(site.url).read(f"{site.url}/nothing", 0, 10)


@pytest.mark.usefixtures("everywhere")
def test_a_server_in_trouble_is_asked_again(site: Site) -> None:
    site.pages["/busy"] = [(503, {}, b""), (503, {}, b""), (206, {"Content-Range": "bytes 0-3/4"}, b"here")]

    assert locations.store_of(site.url).read(f"{site.url}/busy", 0, 10) == b"here"


@pytest.mark.usefixtures("everywhere")
def test_a_server_that_gives_no_parts_is_told(site: Site) -> None:
    site.pages["/whole"] = (200, {}, DATA)

    with pytest.raises(PlaceError, match="download it first"):
        locations.store_of(site.url).read(f"{site.url}/whole", 100, 110)


def test_a_server_on_a_private_network_is_not_asked(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAGEDRIFT_ALLOW_PRIVATE", raising=False)
    locations.forget()

    with pytest.raises(Exception, match="not on the public internet"):
        locations.store_of(site.url).read(f"{site.url}/a.bin", 0, 10)
    assert site.asked == []


def test_keys_that_may_not_be_read_are_told(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    locations.forget()

    with pytest.raises(PlaceError, match="check AWS_ENDPOINT_URL"):
        locations.store_of(s3).read(f"{s3}/a", 0, 10)
    locations.forget()


def test_files_are_written_whole_and_listed(tmp_path: Path, s3: str) -> None:
    source = tmp_path / "source"
    source.write_bytes(DATA)
    for folder in (str(tmp_path / "answers"), f"{s3}/answers"):
        locations.store_of(folder).write(f"{folder}/part=000001/rows", source)

        assert locations.store_of(folder).files(folder) == [f"{folder}/part=000001/rows"]
        assert locations.store_of(folder).files(f"{folder}/nothing") == []
        with locations.open_whole(f"{folder}/part=000001/rows") as file:
            assert file.read() == DATA


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(DATA)

    with pytest.raises(PlaceError, match="make room, or name another"):
        locations.store_of("").write(str(tmp_path / "file" / "below"), tmp_path / "file")


def test_only_what_is_read_comes_over_the_network() -> None:
    asked: list[tuple[int, int]] = []

    def fetch(start: int, stop: int) -> bytes:
        asked.append((start, stop))
        return (DATA * 100)[start:stop]

    file = Ranged(fetch, at=1000)
    assert file.read(100) == (DATA * 100)[1000:1100]
    assert file.read(1000) == (DATA * 100)[1100:2100]
    assert len(asked) == 1
    file.seek(5_000_000)
    assert file.read(10) == (DATA * 100)[5_000_000:5_000_010]
    assert sum(stop - start for start, stop in asked) < 200_000
