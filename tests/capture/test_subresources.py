from contextlib import closing
from pathlib import Path

import pytest

from pagedrift import PageVersion
from pagedrift.capture.http import Client, ClientConfig
from pagedrift.capture.subresources import FilesBeside, Live
from tests.server import Site


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A page with its resources beside it, and a secret next door."""
    folder = tmp_path / "saved"
    (folder / "fees_files").mkdir(parents=True)
    (folder / "fees.html").write_text("<p>Fees")
    (folder / "fees_files" / "a b.css").write_text("p {}")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return folder / "fees.html"


def test_files_beside_a_page_are_given(saved: Path) -> None:
    given = FilesBeside(saved, saved.as_uri())

    assert given["http://page.invalid/fees_files/a%20b.css?v=2"] == ("text/css", b"p {}")
    assert FilesBeside(saved, "https://city.example/x/fees")["https://city.example/x/fees.html"][1] == b"<p>Fees"


@pytest.mark.parametrize(
    "path", ["../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "link.txt", "fees_files", "nothing", "%00"]
)
def test_nothing_outside_the_folder_is_given(saved: Path, path: str) -> None:
    given = FilesBeside(saved, saved.as_uri())

    assert given.get(f"http://page.invalid/{path}") is None
    assert given.get(f"http://page.invalid/{saved.parent}/../secret.txt") is None
    assert given.get("https://other.example/fees.html") is None


def test_what_servers_give_comes_through_our_client(site: Site) -> None:
    site.pages["/city.css"] = (200, {"Content-Type": "text/css"}, b"p {}")
    page = PageVersion(f"{site.url}/", b"<link rel=stylesheet href=/city.css><img src=/gone.png>")
    config = ClientConfig(delay=0, retries=0)
    with Client(allow_private=["127.0.0.1"], config=config) as client, closing(Live(client, page)) as given:
        assert given[f"{site.url}/city.css"] == ("text/css", b"p {}")
        assert given.get(f"{site.url}/gone.png") is None
        assert given.get("file:///etc/passwd") is None
        assert site.paths.count("/city.css") == 1


def test_closed_addresses_stay_closed(site: Site) -> None:
    page = PageVersion("https://city.example/", f"<img src={site.url}/a.png>".encode())
    with Client(config=ClientConfig(delay=0, retries=0)) as client, closing(Live(client, page)) as given:
        assert given.get(f"{site.url}/a.png") is None
        assert given.get(f"{site.url}/b.png") is None

    assert site.paths == []


def test_a_page_that_asks_for_ever_gets_no_more(site: Site) -> None:
    page = PageVersion(f"{site.url}/", b"")
    config = ClientConfig(delay=0, retries=0)
    with Client(allow_private=["127.0.0.1"], config=config) as client:
        with closing(Live(client, page, most=2)) as given:
            for number in range(5):
                given.get(f"{site.url}/{number}")
        assert len(site.paths) == 2
        with closing(Live(client, page, seconds=0)) as given:
            assert given.get(f"{site.url}/late") is None
