import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pagedrift.archive.fastwarc_compat import ArchiveIterator
from pagedrift.archive.writer import ArchiveWriter
from pagedrift.capture import http
from pagedrift.capture.request_options import RequestOptions
from pagedrift.cli import cli
from pagedrift.reading import pick, read
from tests.conftest import CHROMIUM
from tests.server import Site

PAGE = b"<!doctype html><title>Fees</title><p>A permit costs $120"
SCRIPTED = (
    b"<!doctype html><title>Fees</title><p id=fee><script>fee.textContent = 'A permit costs $' + 12 * 10</script>"
)


@pytest.fixture(autouse=True)
def _near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the machine itself be asked, and without a pause between requests."""
    monkeypatch.setenv("PAGEDRIFT_ALLOW_PRIVATE", "127.0.0.1")
    monkeypatch.setattr(
        http.Client.__init__, "__kwdefaults__", {**http.Client.__init__.__kwdefaults__, "manners": QUICK}
    )


QUICK = http.ClientConfig(delay=0, retries=0)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)))


def outcomes(result: Result) -> list[str]:
    return [line.split()[0] for line in result.stdout.splitlines()]


def test_versions_of_live_pages_are_kept_and_can_be_asked_about(tmp_path: Path, site: Site) -> None:
    said = []
    for body in (PAGE, PAGE, PAGE.replace(b"120", b"145")):
        site.pages["/fees"] = body
        said += outcomes(run("fetch", f"{site.url}/fees", "--to", tmp_path / "kept"))

    assert said == ["new", "unchanged", "changed"]
    assert [page.body for page in read(tmp_path / "kept")] == [PAGE, PAGE, PAGE.replace(b"120", b"145")]
    assert run("versions", tmp_path / "kept").stdout.splitlines()[1].split()[:2] == [f"{site.url}/fees", "3"]


def test_a_server_is_asked_whether_the_known_version_still_holds(tmp_path: Path, site: Site) -> None:
    def answer(request):
        known = request.headers.get("If-None-Match") == '"7"'
        return (304, {"ETag": '"7"'}, b"") if known else (200, {"Content-Type": "text/html", "ETag": '"7"'}, PAGE)

    site.pages["/fees"] = answer
    said = [outcomes(run("fetch", f"{site.url}/fees", "--to", tmp_path)) for _ in range(3)]

    assert said == [["new"], ["unchanged"], ["unchanged"]]
    assert [page.body for page in read(tmp_path)] == [PAGE] * 3
    assert [headers.get("if-none-match") for path, headers, _ in site.asked if path == "/fees"] == [
        None,
        '"7"',
        '"7"',
    ]


def test_redirects_are_kept_with_the_page_they_lead_to(tmp_path: Path, site: Site) -> None:
    site.pages |= {"/old": (301, {"Location": "/fees"}, b""), "/fees": PAGE}

    result = run("fetch", f"{site.url}/old", "--to", tmp_path)

    assert result.stdout == f"new        {site.url}/old  (found at {site.url}/fees)\n"
    [warc] = (tmp_path / "warc").iterdir()
    with warc.open("rb") as file:
        kept = [(str(each.record_type), each.headers.get("WARC-Target-URI")) for each in ArchiveIterator(file)]
    pair = [("response", f"{site.url}/old"), ("request", f"{site.url}/old")]
    assert kept[1:] == [*pair, ("response", f"{site.url}/fees"), ("request", f"{site.url}/fees")]


def test_trouble_with_one_page_is_told_and_the_others_are_kept(tmp_path: Path, site: Site) -> None:
    site.pages["/fees"] = PAGE

    result = run("fetch", "ftp://city.example/", f"{site.url}/gone", f"{site.url}/fees", "--to", tmp_path)

    assert result.exit_code == 2
    assert outcomes(result) == ["error", "error", "new"]
    assert "only http and https are fetched; give such an address" in result.stdout
    assert "status 404" in result.stdout


def test_an_address_that_leads_elsewhere_now_is_not_taken_for_unmodified(tmp_path: Path, site: Site) -> None:
    tagged = {"Content-Type": "text/html", "ETag": '"7"'}
    site.pages["/fees"] = (200, tagged, PAGE)
    run("fetch", f"{site.url}/fees", "--to", tmp_path)
    site.pages["/fees"] = (302, {"Location": "/other"}, b"")
    site.pages["/other"] = lambda request: (
        (304, {}, b"") if request.headers.get("If-None-Match") else (200, tagged, PAGE + b" elsewhere")
    )

    result = run("fetch", f"{site.url}/fees", "--to", tmp_path)

    assert outcomes(result) == ["changed"]
    assert pick(f"{tmp_path}@{site.url}/other").body == PAGE + b" elsewhere"


def test_secrets_are_not_kept(tmp_path: Path, site: Site) -> None:
    site.pages |= {"/in": (302, {"Location": "/fees", "Set-Cookie": "a=secret"}, b""), "/fees": PAGE}
    with http.Client() as client, ArchiveWriter(tmp_path) as archive:
        secret = (("X-Token", "secret-token"), ("Authorization", "secret-key"))
        fetched = client.fetch(
            f"{site.url}/in", request_options=RequestOptions(headers=secret, cookies=(("b", "secret"),))
        )
        *redirects, last = fetched.exchanges
        archive.append(last, redirects=redirects)

    asked = [pair for exchange in fetched.exchanges for pair in exchange.request_headers]

    assert {"host", "user-agent"} <= {name.lower() for name, _ in asked}
    assert not [value for _, value in asked if "secret" in value]


def test_what_was_done_is_told_as_json(tmp_path: Path, site: Site) -> None:
    site.pages["/fees"] = PAGE

    told = json.loads(run("fetch", f"{site.url}/fees", "--to", tmp_path, "--json").stdout)

    assert told == {"v": 1, "url": f"{site.url}/fees", "outcome": "new", "said": ""}


def test_two_commands_at_once_exclude_each_other(tmp_path: Path, site: Site) -> None:
    with ArchiveWriter(tmp_path):
        result = run("fetch", f"{site.url}/fees", "--to", tmp_path)

    assert "another process" in str(result.exception)
    assert not site.asked


@pytest.mark.slow
@pytest.mark.skipif(
    not CHROMIUM, reason="there is no Chromium on this machine; on Debian: apt-get install chromium"
)
def test_a_browser_adds_a_picture_and_the_page_after_its_scripts_ran(tmp_path: Path, site: Site) -> None:
    site.pages["/fees"] = SCRIPTED

    result = run("fetch", f"{site.url}/fees", "--to", tmp_path, "--browser")

    assert outcomes(result) == ["new"]
    [warc] = (tmp_path / "warc").iterdir()
    with warc.open("rb") as file:
        made = {each.headers.get("WARC-Target-URI"): each.reader.read() for each in ArchiveIterator(file)}
    assert made[f"urn:fullPage:{site.url}/fees"].startswith(b"\x89PNG")
    assert b"A permit costs $120" in made[f"urn:dom:{site.url}/fees"]
    assert [page.body for page in read(tmp_path)] == [SCRIPTED]


@pytest.mark.slow
@pytest.mark.skipif(
    not CHROMIUM, reason="there is no Chromium on this machine; on Debian: apt-get install chromium"
)
def test_a_browser_keeps_what_the_page_is_shown_with_and_takes_steps(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages |= {
        "/": b"<form method=post action=/fees><input name=word><button>Go</button></form>",
        "/fees": b"<link rel=stylesheet href=/city.css><iframe src=/frame></iframe><p class=fee>$120",
        "/city.css": (200, {"Content-Type": "text/css"}, b"p { color: red }"),
        "/frame": b"<p>Frame",
    }
    monkeypatch.setenv("PAGEDRIFT_SECRET_WORD", "s3cret-word")
    steps = ("--step", "fill input = {secret:WORD}", "--step", "click button", "--step", "wait .fee")

    result = run("fetch", f"{site.url}/", "--to", tmp_path, "--browser", *steps)

    assert result.stdout.strip() == f"new        {site.url}/  (found at {site.url}/fees)"
    assert [page.url for page in read(tmp_path)] == [f"{site.url}/fees"]
    kept = b"".join(record.reader.read() for record in records(tmp_path))
    assert b"color: red" in kept
    assert b"s3cret-word" not in kept
    assert b"Frame" not in kept
    assert (
        "failed: nothing on the page"
        in run(
            "fetch", f"{site.url}/", "--to", tmp_path, "--browser", "--timeout", "60", "--step", "click #no"
        ).stdout
    )


def records(folder: Path):
    for warc in (folder / "warc").iterdir():
        with warc.open("rb") as file:
            yield from ArchiveIterator(file)


def test_a_page_is_asked_for_as_told(tmp_path: Path, site: Site) -> None:
    site.pages["/fees"] = PAGE
    options = ("--header", "X-Token: s3cret", "--cookie", "a=b", "--user-agent", "Checker/1", "--timeout", "9")
    result = run("fetch", f"{site.url}/fees", "--to", tmp_path, *options)
    _, sent, _ = site.asked[0]

    assert outcomes(result) == ["new"]
    assert (sent["x-token"], sent["cookie"], sent["user-agent"]) == ("s3cret", "a=b", "Checker/1")
    assert not [each for each in records(tmp_path) if b"s3cret" in each.reader.read()]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--header", "X-Token"], "has no value; write it as NAME:VALUE"),
        (["--header", "Host: x"], "is set automatically; remove it"),
        (["--cookie", "a=b;c"], "the cookie 'a' cannot be sent"),
        (["--proxy", "ftp://127.0.0.1"], "address such as socks5://"),
        (["--timeout", "0"], "not a valid timeout"),
        (["--step", "click #a"], "add --browser"),
        (["--browser", "--step", "dance"], "'dance' is not a valid step; write it as"),
    ],
)
def test_what_cannot_be_sent_is_told_before_anything_is_asked(tmp_path, site: Site, options, says) -> None:
    assert says in str(run("fetch", f"{site.url}/", "--to", tmp_path, *options).exception)
    assert site.asked == []


def test_the_versions_of_a_web_archive_are_kept_each_once(tmp_path: Path, site: Site) -> None:
    city, times = "https://city.example/", ("Fri, 02 Feb 2024 10:00:00 GMT", "Sun, 02 Feb 2025 10:00:00 GMT")
    stamps = ("20240202100000", "20250202100000")
    links = [f'<{city}>; rel="original"']
    for stamp, when in zip(stamps, times, strict=True):
        links.append(f'<{site.url}/web/{stamp}/{city}>; rel="memento"; datetime="{when}"')
        told = {"Content-Type": "text/html", "Memento-Datetime": when}
        site.pages[f"/web/{stamp}id_/{city}"] = (200, told, f"<p>Version {stamp}".encode())
    site.pages[f"/timemap/{city}"] = ",".join(links).encode()
    command = ("fetch", city, "--to", tmp_path, "--from-archive", f"{site.url}/timemap/")

    assert outcomes(run(*command)) == ["new"]
    assert outcomes(run(*command)) == ["unchanged"]
    assert [page.words[1] for page in read(tmp_path)] == list(stamps)
    assert outcomes(run("fetch", "https://x.example/", *command[2:])) == ["error"]


def test_versions_are_kept_from_an_archive_that_lists_times_alone(tmp_path: Path, site: Site) -> None:
    city, stamp = "https://city.example/fees", "20240202100000"
    told = {"Content-Type": "text/html", "Memento-Datetime": "Fri, 02 Feb 2024 10:00:00 GMT"}
    site.pages[f"/web/{stamp}id_/{city}"] = (200, told, b"<p>Version")
    site.pages[f"/cdx/{city}"] = f"example,city)/fees {stamp} {city} text/html 200 ABC 1234".encode()
    command = ("fetch", city, "--to", tmp_path, "--from-archive", f"{site.url}/cdx/")

    assert "set the replay address of the archive with --replay" in run(*command).stdout
    assert outcomes(run(*command, "--replay", f"{site.url}/web/")) == ["new"]
    assert [page.words for page in read(tmp_path)] == [("Version",)]
    assert "--from-archive" in str(run(*command[:4], "--replay", f"{site.url}/web/").exception)


def test_a_folder_is_passed_on_as_a_wacz(tmp_path: Path, site: Site) -> None:
    site.pages["/fees"] = PAGE
    run("fetch", f"{site.url}/fees", "--to", tmp_path / "kept")

    result = run("export", tmp_path / "kept", "--to", tmp_path / "pages.wacz")

    assert result.stdout.startswith("1 capture in")
    assert zipfile.is_zipfile(tmp_path / "pages.wacz")
    assert pick(tmp_path / "pages.wacz").body == PAGE


def test_a_folder_without_kept_versions_is_no_wacz(tmp_path: Path) -> None:
    assert "pagedrift fetch URL --to" in str(run("export", tmp_path, "--to", tmp_path / "pages.wacz").exception)
    assert not list(tmp_path.iterdir())


def test_some_versions_are_exported_by_address_and_time(tmp_path: Path, site: Site) -> None:
    site.pages |= {"/fees": PAGE, "/permits": PAGE + b" permits"}
    run("fetch", f"{site.url}/fees", f"{site.url}/permits", "--to", tmp_path / "kept")
    folder, wacz = tmp_path / "kept", tmp_path / "fees.wacz"

    told = run("export", folder, "--to", wacz, "--url", f"{site.url}/fees", "--since", "2020", "--until", "2100")

    assert told.stdout.startswith("1 capture in")
    assert [page.body for page in read(wacz)] == [PAGE]
    assert "not a valid date" in str(run("export", folder, "--to", wacz, "--since", "soon").exception)
    assert "no such capture" in str(run("export", folder, "--to", wacz, "--until", "2020").exception)
