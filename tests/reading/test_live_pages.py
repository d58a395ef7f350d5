import pytest

from pagedrift.errors import InputError
from pagedrift.reading import pick, resources_for
from tests.builders import PAGE
from tests.server import Site


def test_an_address_is_fetched(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEDRIFT_ALLOW_PRIVATE", "127.0.0.1")
    site.pages["/@city/fees@2026"] = PAGE
    page = pick(f"{site.url}/@city/fees@2026")

    assert (page.body, page.url, page.status) == (PAGE, f"{site.url}/@city/fees@2026", 200)
    assert resources_for(page.url, page) == {}
    assert site.paths == ["/@city/fees@2026"]


def test_an_address_without_a_page_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="name or password in front of the host; leave them out"):
        pick("https://user@city.example/fees@2026")
    with pytest.raises(InputError, match="set PAGEDRIFT_ALLOW_PRIVATE"):
        pick(site.url)
    monkeypatch.setenv("PAGEDRIFT_ALLOW_PRIVATE", "127.0.0.1")
    with pytest.raises(InputError, match="answers with status 404; check the address"):
        pick(f"{site.url}/missing")
    site.pages["/fees.pdf"] = b"%PDF-1.7"
    with pytest.raises(InputError, match="the PDF cannot be read"):
        pick(f"{site.url}/fees.pdf")
