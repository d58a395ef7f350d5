import io
import json
import sqlite3
import stat
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pagedrift.app.imports import FORMATS
from pagedrift.archive.reader import stored
from pagedrift.cli import cli, main
from pagedrift.cli.watch.import_export import FROM
from tests.app.notify.receiver import Receiver, receiving
from tests.conftest import CHROMIUM
from tests.server import Site

PAGE = (
    "<!doctype html><title>Fees</title><h1>Fees</h1><p>A permit is {} €.<p>Open on Monday to Friday, nine to five."
)
RUN = ("run", "--delay", "0", "--processes", "0")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAGEDRIFT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PAGEDRIFT_ALLOW_PRIVATE", "127.0.0.1")
    monkeypatch.delenv("PAGEDRIFT_DATABASE", raising=False)
    return tmp_path / "home"


@pytest.fixture
def receiver():
    with receiving() as server:
        yield server


def watch(*arguments: object, given: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["watch", *map(str, arguments)], input=given)


def listed(*more: str) -> list[dict]:
    return [json.loads(line) for line in watch("list", "--json", *more).stdout.splitlines()]


def test_a_page_is_watched_visited_and_told(site: Site, receiver: Receiver) -> None:
    site.pages["/fees"] = PAGE.format(24).encode()
    telling = ("--notify-on", "any", "--notify", f"{receiver.url}/hook")
    added = watch("add", f"{site.url}/fees", "--name", "Fees", *telling)
    assert added.exit_code == 0
    first = watch(*RUN)
    assert first.stdout == "1 check: 1 new\n"
    site.pages["/fees"] = PAGE.format(29).encode()
    assert watch(*RUN).stdout == "0 checks\n"
    again = watch(*RUN, "Fees", "--check")
    assert again.exit_code == 1
    assert "alert     Fees\n                  Price 24 € → 29 €\n" in again.stdout
    [(_, _, body)] = receiver.told
    assert json.loads(body)["title"] == "Important: Price 24 € → 29 € · Fees"
    [row] = listed()
    assert (row["state"], row["visits"]) == ("fine", 2)
    shown = watch("show", "Fees").stdout
    assert "Price 24 € → 29 €" in shown
    assert "http://(hidden)" in shown


def test_a_page_that_cannot_be_visited_is_told_by_the_status() -> None:
    watch("add", "http://127.0.0.1:9/")
    ran = watch(*RUN, "--json")
    assert ran.exit_code == 2
    assert json.loads(ran.stdout)["outcomes"] == {"trouble": 1}
    [row] = listed("--trouble")
    assert row["trouble"]
    table = watch("list").stdout.splitlines()
    assert table[0].split()[:3] == ["id", "state", "watch"]
    assert "trouble" in table[1]


def test_the_same_address_twice_is_told_so_and_the_others_are_added() -> None:
    watch("add", "https://a.example/")
    again = watch("add", "https://a.example/", "https://b.example/")
    assert again.exit_code == 2
    assert "is watched already; change it with: pagedrift watch edit" in again.stderr
    assert len(listed()) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "javascript:alert(1)"], "give an address with http"),
        (["add", "https://a.example/", "--every", "soon"], "90s, 15m, 2h or 1d"),
        (["add", "https://a.example/", "--header", "x"], "--header"),
        (["add", "https://a.example/", "--notify-on", "x"], "choose one of"),
        (["add", "https://a.example/", "--include", "li["], "is not a valid CSS selector"),
        (["add", "https://a.example/", "--ignore", "("], "expression"),
        (["add", "https://a.example/", "--step", "dance"], "is not a valid step"),
        (["add", "https://a.example/", "--proxy", "ftp://a"], "the proxy is not valid"),
        (["add", "https://a.example/", "--header", "a b: c"], "cannot be sent"),
        (["group", "g", "--exclude", "li["], "is not a valid CSS selector"),
        (["add", "https://a.example/", "--notify", "syslog://"], "only reaches this computer"),
        (["add", "https://a.example/", "https://b.example/", "--name", "x"], "one by one"),
        (["show", "x"], "pagedrift watch list"),
        (["remove", "x"], "pagedrift watch list"),
        (["run", "--for", "soon"], "90s, 15m, 2h or 1d"),
        (["run", "--for", "1s", "--limit", "1"], "leave them out"),
        (["export", "--as", "wacz"], "--to versions.wacz"),
        (["export", "--to", "/nowhere/at/all"], "name another file"),
    ],
)
def test_what_cannot_be_done_is_told_with_what_to_do(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["watch", *arguments])
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert said in told
    assert len(told.strip().splitlines()) == 1


def test_options_are_set_changed_and_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEDRIFT_SECRET_PASSWORD", "t0p")
    added = watch(
        "add", "https://a.example/", "--json", "--every", "15m", "--fixed", "--header", "X-Key: t0p",
        "--cookie", "a=t0p",
        "--step", "fill #p = {secret:password}", "--secret", "password", "--include", "main", "--notify-on", "0.2",
        "--selector", "price=.price", "--no-redesigns", "--keep", "changed",
    )  # fmt: skip
    told = json.loads(added.stdout)
    assert told["options"] == {
        "every": 900.0,
        "adaptive": False,
        "headers": [["X-Key", "(hidden)"]],
        "cookies": [["a", "(hidden)"]],
        "steps": ["fill #p = {secret:password}"],
        "secrets": [["password", "(hidden)"]],
        "include": ["main"],
        "notify_on": "amount",
        "min_change": 0.2,
        "redesigns": False,
        "selectors": ["price = .price"],
        "keep": "changed",
    }
    edited = json.loads(
        watch("edit", told["id"], "--clear", "include", "--every", "1d", "--group", "g", "--json").stdout
    )
    assert "include" not in edited["options"]
    assert (edited["options"]["every"], edited["group"]) == (86400.0, "g")
    everything = json.loads(watch("export", "--with-secrets").stdout)
    assert everything["watches"][0]["options"]["headers"] == [["X-Key", "t0p"]]


def test_a_group_has_options_of_its_own() -> None:
    watch("add", "https://a.example/", "--group", "city")
    told = ("--include", "main", "--notify", "mailto://a:t0p@b.example")
    set_ = watch("group", "city", "--every", "6h", *told, "--json")
    assert json.loads(set_.stdout) == {
        "v": 1,
        "group": "city",
        "watches": 1,
        "options": {"every": 21600.0, "include": ["main"], "notify": ["mailto://(hidden)"]},
    }
    changed = watch("group", "city", "--clear", "include", "--notify-on", "any").stdout
    assert "include" not in changed
    assert "6h" not in changed
    assert "t0p" in watch("export", "--with-secrets").stdout


def test_a_secret_is_asked_for_and_not_shown() -> None:
    added = watch("add", "https://a.example/", "--secret", "password", given="t0p\n")
    assert added.exit_code == 0
    assert "t0p" not in added.output
    assert '"t0p"' in watch("export", "--with-secrets").stdout


def test_watches_are_paused_resumed_and_removed() -> None:
    watch("add", "https://a.example/", "--name", "A")
    assert watch("pause", "A").stdout == "paused  A\n"
    assert listed()[0]["state"] == "paused"
    assert watch(*RUN).stdout == "0 checks\n"
    assert watch("resume", "A").stdout == "resumed  A\n"
    assert watch("remove", "A").stdout == "removed  A\n"
    assert listed() == []


def test_an_export_is_imported_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch("add", "https://a.example/", "--name", "A", "--header", "X-Key: t0p")
    hidden, whole = tmp_path / "hidden.json", tmp_path / "whole.json"
    watch("export", "--to", hidden)
    watch("export", "--to", whole, "--with-secrets")
    assert "t0p" not in hidden.read_text()
    assert stat.S_IMODE(whole.stat().st_mode) == 0o600
    monkeypatch.setenv("PAGEDRIFT_HOME", str(tmp_path / "other"))
    tried = watch("import", hidden, "--dry-run")
    assert "note: secrets were left out of headers" in tried.stderr
    assert listed() == []
    assert watch("import", whole).stdout == "1 added\n"
    assert watch("import", whole).stdout == "0 added, 1 watched already\n"
    assert (
        json.loads(watch("export", "--with-secrets").stdout)["watches"] == json.loads(whole.read_text())["watches"]
    )
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_watches_of_other_programs_are_imported(tmp_path: Path) -> None:
    backup = io.BytesIO()
    with zipfile.ZipFile(backup, "w") as archive:
        archive.writestr(
            "url-watches.json", json.dumps({"watching": {"1": {"url": "https://c.example/", "tag": "t"}}})
        )
    (tmp_path / "backup.zip").write_bytes(backup.getvalue())
    assert watch("import", tmp_path / "backup.zip").stdout == "1 added\n"
    assert watch("import", "-", "--group", "g", given="url: https://u.example/\n").stdout == "1 added\n"
    assert watch("import", "-", "--paused", given="https://l.example/\n").stdout == "1 added\n"
    rows = {row["url"]: row for row in listed()}
    assert rows["https://c.example/"]["group"] == "t"
    assert rows["https://u.example/"]["group"] == "g"
    assert rows["https://l.example/"]["state"] == "paused"
    for kind in ("opml", "urlwatch", "list"):
        assert "https://u.example/" in watch("export", "--as", kind).stdout
    nothing = watch("import", "-", given="# nothing\n")
    assert nothing.exit_code == 1
    assert "no watch found in -" in str(nothing.exception)


def test_what_an_import_leaves_behind_is_said_with_the_watch(tmp_path: Path) -> None:
    backup = Path(__file__).parents[1] / "app" / "imports" / "changedetection" / "backup.zip"
    with zipfile.ZipFile(backup) as archive:
        archive.extractall(tmp_path / "datastore")
    tried = watch("import", tmp_path / "datastore", "--dry-run")
    assert (
        "Fees  (adaptive, browser, conditions, every, ignore_text, include, keep_versions, steps, value, "
        in tried.stdout
    )
    taken = watch("import", backup)
    assert taken.stdout == "3 added\n"
    for said in (tried.stderr, taken.stderr):
        [line] = [line for line in said.splitlines() if line.startswith("note: remove_duplicate_lines")]
        assert line.endswith("leave the part out with exclude (https://city.example/fees)")
    assert watch("import", backup).stdout == "0 added, 3 watched already\n"
    rules = json.loads(watch("export").stdout)["rules"]
    assert sorted(rule["value"] for rule in rules) == ["moved", "removed"]


def test_all_formats_can_be_named() -> None:
    assert set(FROM) == set(FORMATS)


def test_versions_are_exported_as_a_wacz(site: Site, tmp_path: Path) -> None:
    from pagedrift.reading import read

    site.pages["/fees"] = PAGE.format(24).encode()
    watch("add", f"{site.url}/fees")
    watch(*RUN)
    assert watch("export", "--as", "wacz", "--to", tmp_path / "v.wacz").exit_code == 0
    assert [page.url for page in read(tmp_path / "v.wacz")] == [f"{site.url}/fees"]


def test_the_database_is_made_again_with_its_secrets_and_without_what_was_removed(site: Site, home: Path) -> None:
    site.pages["/fees"] = PAGE.format(24).encode()
    watch("add", f"{site.url}/fees", "--header", "X-Key: t0p", "--name", "Fees")
    watch("add", f"{site.url}/other", "--name", "Other")
    watch(*RUN, "--limit", "2")
    watch("remove", "Other")
    assert watch("rebuild", given="n\n").exit_code == 1
    assert watch("rebuild", "--yes").stdout.endswith("read\n")
    assert [row["name"] for row in listed()] == ["Fees"]
    assert '"t0p"' in watch("export", "--with-secrets").stdout
    assert b"t0p" not in b"".join(path.read_bytes() for path in (home / "warc").iterdir())
    assert watch("compact").exit_code == 0


def everything_told(home: Path) -> list[object]:
    """Read what was told of which changes off the database."""
    with closing(sqlite3.connect(home / "pagedrift.db")) as database:
        database.create_function("json", 1, lambda told: json.dumps(json.loads(told), sort_keys=True))
        return [
            database.execute(query).fetchall()
            for query in (
                "SELECT uid, kind, host, signature, opened_at, closed_at, title, json(told) FROM alerts",
                "SELECT uid, watch_id, at FROM alert_watches JOIN alerts ON alerts.id = alert_id "
                "LEFT JOIN (SELECT id AS number, at FROM changes) ON number = change_id ORDER BY uid, watch_id",
                "SELECT watch_id, at, told, reason, uid FROM changes LEFT JOIN "
                "(SELECT id AS number, uid FROM alerts) ON number = alert_id ORDER BY watch_id, at",
                "SELECT uid, channel, attempts, delivered_at FROM deliveries JOIN alerts ON alerts.id = alert_id "
                "ORDER BY uid, channel",
            )
        ]


@pytest.mark.parametrize("lasting", [(), ("--for", "1s")], ids=["one round", "for a while"])
def test_all_that_was_told_is_in_the_archive_once_a_run_has_ended(
    site: Site, receiver: Receiver, home: Path, lasting: tuple[str, ...]
) -> None:
    for name in ("fees", "help"):
        site.pages[f"/{name}"] = PAGE.format(24).encode()
        watch("add", f"{site.url}/{name}", "--name", name, "--notify-on", "any", "--notify", f"{receiver.url}/hook")
    watch(*RUN)
    news = PAGE.format(24) + "<p>The office is closed for repairs until further notice."
    site.pages["/fees"] = news.encode()
    watch(*RUN, "fees", *lasting)
    site.pages["/help"] = news.encode()  # the same, when it was told already
    watch(*RUN, "help", *lasting)
    told = everything_told(home)
    assert len(told[0]) == 1
    assert len(told[1]) == 2
    assert [row[2] for row in told[2]].count(0) == 1

    with closing(sqlite3.connect(home / "pagedrift.db")) as database:
        pending = "SELECT count(*) FROM alerts WHERE journalled = 0"
        assert database.execute(pending).fetchone() == (0,)
    assert watch("rebuild", "--yes").exit_code == 0
    assert everything_told(home) == told


def test_a_rebuild_names_what_is_damaged_and_exits_with_a_status_of_its_own(site: Site, home: Path) -> None:
    watch("add", f"{site.url}/fees", "--name", "Fees")
    for fee in (24, 25, 26):
        site.pages["/fees"] = PAGE.format(fee).encode()
        watch(*RUN, "Fees")
    [path] = (home / "warc").iterdir()
    members = [found.place.offset for found in stored(home) if found.kind == "capture"]
    data = bytearray(path.read_bytes())
    data[members[1] + 40] ^= 0x55
    path.write_bytes(data)

    result = watch("rebuild", "--yes")

    assert result.exit_code == 3
    assert result.stdout == "2 versions read\n"
    assert f"warning: {path.name}, byte {members[1]}: the gzip member is damaged" in result.stderr
    assert "damaged in 1 place" in result.stderr


def test_a_rebuild_names_what_is_cut_off_in_the_files_of_another_writer(site: Site, home: Path) -> None:
    site.pages["/fees"] = PAGE.format(24).encode()
    watch("add", f"{site.url}/fees", "--name", "Fees")
    watch(*RUN, "--writer", "second")
    [path] = (home / "warc").glob("*-second-*")
    path.write_bytes(path.read_bytes()[:-9])

    result = watch("rebuild", "--yes")

    assert result.exit_code == 3
    assert path.name in result.stderr


def test_a_channel_is_tried_out_and_its_secret_shown(receiver: Receiver) -> None:
    from pagedrift.app.notify.webhook import verify

    ran = watch("channel", f"{receiver.url}/hook", "--send")
    [(_, headers, body)] = receiver.told
    assert verify(body, headers["pagedrift-signature"], ran.stdout.strip())


@pytest.mark.slow
def test_visits_go_on_for_a_while(site: Site) -> None:
    site.pages["/fees"] = PAGE.format(24).encode()
    watch("add", f"{site.url}/fees", "--every", "5s", "--fixed")
    ran = watch(*RUN, "--for", "8s")
    assert ran.exit_code == 0
    assert site.paths.count("/fees") >= 2


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))  # of each file, as if the disk were full
from pagedrift.cli import main
main(["watch", "import", sys.argv[1]])
"""


def test_a_full_disk_is_told_in_one_line_that_holds_no_secret(tmp_path: Path) -> None:
    assert watch("add", "https://city.example/").exit_code == 0
    jobs = [f"url: https://city.example/{number}\nheaders: {{X-Key: geheim{number}}}\n" for number in range(5_000)]
    (tmp_path / "urls.yaml").write_text("---\n".join(jobs))
    asked = [sys.executable, "-c", FULL, str(tmp_path / "urls.yaml")]
    done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.rstrip().endswith("that its disk has space")
    assert "geheim" not in done.stderr
    assert [row["url"] for row in listed()] == ["https://city.example/"]


def test_edits_are_listed_with_their_levels_and_feedback_teaches(site: Site) -> None:
    site.pages["/fees"] = PAGE.format(24).encode()
    watch("add", f"{site.url}/fees", "--name", "Fees", "--include", "body")
    watch(*RUN)
    site.pages["/fees"] = PAGE.format(29).encode()
    watch(*RUN, "Fees")
    [change] = json.loads(watch("show", "Fees", "--json").stdout)["changes"]
    assert (change["level"], change["alerted"]) == ("important", True)
    number = str(change["id"])

    shown = watch("change", number).stdout
    assert "  0  important  Price 24 € → 29 €\n" in shown
    [edit] = json.loads(watch("change", number, "--json").stdout)["edits"]
    assert edit["facts"] == {"amount of money": [["24 €"], ["29 €"]]}

    assert watch("feedback", number, "not-important", "--edit", "0").exit_code == 0
    lesson, judge = (json.loads(line) for line in watch("lessons", "--json").stdout.splitlines())
    assert (lesson["kind"], lesson["matters"], judge["judge"]["used"]) == ("amount of money", False, False)
    assert "is not important" in watch("lessons").stdout

    assert watch("lessons", "--forget", lesson["id"]).exit_code == 0
    assert len(watch("lessons", "--json").stdout.splitlines()) == 1
    watch("feedback", number, "important")
    watch("feedback", number, "undo")
    assert len(watch("lessons", "--json").stdout.splitlines()) == 1
    assert "no change with id 99" in str(watch("change", "99").exception)
    assert "the change has no edit 7" in str(watch("feedback", number, "important", "--edit", "7").exception)


def test_the_inbox_is_read_searched_and_marked_on_the_command_line(site: Site) -> None:
    site.pages["/fees"] = PAGE.format(24).encode()
    assert watch("add", f"{site.url}/fees", "--name", "Fees", "--tag", "prices", "--tag", "city").exit_code == 0
    assert [each["tags"] for each in listed("--tag", "prices")] == [["prices", "city"]]
    assert listed("--tag", "other") == []
    watch(*RUN)
    site.pages["/fees"] = PAGE.format(29).encode()
    watch(*RUN, "Fees")
    assert "Price 24 € → 29 €" in watch("inbox").stdout
    [found] = [json.loads(line) for line in watch("inbox", "--find", "permit", "--json").stdout.splitlines()]
    assert found["unread"] is True
    assert watch("inbox", "--find", "nowhere").stdout == ""
    assert "1 change shown, 0 unread" in watch("inbox", "--mark-read").stderr
    assert watch("inbox").stdout == ""
    assert watch("edit", "Fees", "--tag", "").exit_code == 0
    assert [each["tags"] for each in listed()] == [[]]


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine")
def test_steps_are_tried_and_their_pictures_written(site: Site, tmp_path: Path) -> None:
    site.pages["/fees"] = PAGE.format(24).encode()
    watch("add", f"{site.url}/fees", "--name", "Fees", "--browser", "--step", "wait h1")
    tried = watch("steps", "Fees")
    assert (tried.exit_code, tried.stdout) == (0, " 1  done       wait h1\n"), tried.output

    given = ("--step", "wait h1", "--step", "fill h1 = 1", "--step", "click h1")
    failed = watch("steps", "Fees", *given, "--pictures", tmp_path / "pictures", "--json")
    assert failed.exit_code == 2
    lines = [json.loads(line) for line in failed.stdout.splitlines()]
    assert [line["outcome"] for line in lines] == ["done", "failed", "not tried"]
    assert "not an <input>" in lines[1]["problem"]
    written = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert written == ["step-01.jpg", "step-02-failed.jpg"]
    assert Path(lines[1]["picture"]).read_bytes().startswith(b"\xff\xd8")
    wrong = watch("steps", "Fees", "--step", "dance")
    assert wrong.exit_code == 1
    assert "is not a valid step" in str(wrong.exception)
