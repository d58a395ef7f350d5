from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift.archive import index
from pagedrift.archive.index import FOLDER, Index, captures_at, listed
from pagedrift.archive.record_format import RecordEntry

URLS = [f"https://{name}.example/{path}" for name in ("a", "aa", "b") for path in ("", "x", "x!", "x y")]
WRITTEN = st.builds(
    RecordEntry,
    kind=st.just("response"),
    url=st.sampled_from(URLS),
    date=st.integers(0, 59).map(lambda second: f"2026-11-15T12:00:{second:02}Z"),
    mime=st.just("text/html"),
    status=st.just("200"),
    digest=st.integers(0, 5).map("sha1:{}".format),
    offset=st.integers(0, 10**9),
    length=st.just(100),
)


def line(written: RecordEntry, start: int = 0) -> bytes:
    return index.line_of(written, "pagedrift-main-000000-20261115120000.warc.gz", start=start)


def numbered(number: int, url: str) -> str:
    """Give the line of a response at an offset of that number."""
    said = {"mime": "", "status": "", "digest": "", "offset": number, "length": 1}
    return line(RecordEntry(kind="response", url=url, date="2026-11-15T12:00:00Z", **said))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(WRITTEN, max_size=5), max_size=30), st.sampled_from(URLS))
def test_lookups_find_what_a_list_of_all_lines_has(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[RecordEntry]], url: str
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    found = Index(folder)
    everything = set()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(index, "MAX_RECENT_LINES", 4)
        patched.setattr(index.os, "fsync", lambda _: None)
        for batch in batches:
            found.add(map(line, batch), {})
            found.tidy()
            everything |= set(map(line, batch))

    lines = sorted(everything)
    of_it = [index.IndexEntry.read(each) for each in lines if each.startswith(f"{index.key(url)} ".encode())]
    newest = sorted(of_it[-64:], key=lambda entry: (entry.timestamp, entry.filename, entry.offset))
    assert list(listed(folder)) == list(found) == lines
    assert found.newest(url) == newest
    assert list(listed(folder, prefix=f"{index.key(url)} ".encode())) == [
        each for each in lines if each.startswith(f"{index.key(url)} ".encode())
    ]
    at = [entry for entry in of_it if entry.timestamp == "20261115120030"]
    assert sorted(map(str, captures_at(folder, url, "20261115120030"))) == sorted(map(str, at))
    found.flush()
    assert list(Index(folder)) == lines


def test_a_line_is_copied_few_times_however_many_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MAX_RECENT_LINES", 8)
    found, written = Index(tmp_path), 0
    real = Index._write

    def counted(self: Index, chunks: list[list[bytes]]) -> dict[str, int]:
        nonlocal written
        chunks = [list(chunk) for chunk in chunks]
        written += sum(map(len, chunks))
        return real(self, chunks)

    monkeypatch.setattr(Index, "_write", counted)
    monkeypatch.setattr(index.os, "fsync", lambda _: None)
    for number in range(2_000):
        found.add(
            [numbered(number, URLS[number % 12])],
            {},
        )
        found.tidy()

    assert written < 8 * 2_000
    assert len(list((tmp_path / FOLDER).glob("*.cdxj"))) < 25


def test_every_line_stands_in_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MAX_RECENT_LINES", 4)
    found = Index(tmp_path)
    for number in range(60):
        found.add(
            [numbered(number, URLS[number % 5])],
            {},
        )
        found.tidy()
        if number % 10 == 9:
            found.flush()
        held = [each for path in (tmp_path / FOLDER).glob("*.cdxj") for each in path.read_bytes().splitlines()]
        assert len(held) == len({*held}) == number + 1


def test_what_a_crash_left_of_an_index_is_cleared_away(tmp_path: Path) -> None:
    found = Index(tmp_path)
    found.add(
        [
            line(
                RecordEntry(
                    kind="response",
                    url=URLS[0],
                    date="2026-11-15T12:00:00Z",
                    mime="",
                    status="",
                    digest="",
                    offset=0,
                    length=1,
                )
            )
        ],
        {"a": 1},
    )
    found.flush()
    lines = list(listed(tmp_path))
    for name in ("main~00000009.cdxj", "main~00000002.cdxj.new", "main~segments.json.new"):
        (tmp_path / FOLDER / name).write_bytes(b"begun")
    (tmp_path / FOLDER / "other~00000009.cdxj").write_bytes(b"")

    assert Index(tmp_path).ends == {"a": 1}
    assert list(listed(tmp_path)) == lines
    assert {path.name for path in (tmp_path / FOLDER).iterdir()} == {
        "main~00000001.cdxj",
        "main~recent.cdxj",
        "main~segments.json",
        "other~00000009.cdxj",
    }
